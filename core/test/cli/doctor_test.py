#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests `vmaf --doctor`: it reports what works, a remedy for what does not, and the matching exit
status. Machines are made up (VMAF_DOCTOR_ROOT); drivers that work, fail, crash and hang are the
tests' emulated ones, and lavapipe if it is installed.

usage: doctor_test.py VMAF WORKDIR [EMULATED_DRIVERS]
"""
import json
import os
import shutil
import subprocess
import sys

vmaf, work = (os.path.abspath(p) for p in sys.argv[1:3])
drivers = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
problems = []
shutil.rmtree(work, ignore_errors=True)
root = os.path.join(work, 'root')
os.makedirs(root)
env = {name: value for name, value in os.environ.items()
       if not name.startswith(('VK_', 'VMAF_', 'EMULATED_')) and name not in ('container', 'LD_LIBRARY_PATH')}
env['VMAF_DOCTOR_ROOT'] = root
env['VMAF_CACHE_DIR'] = os.path.join(work, 'cache')


def check(what, good, *details):
    if not good:
        problems.append(what)
        print('not so:', what, *details, flush=True)


def run(*options, **more):
    return subprocess.run([vmaf, '--doctor', *options], env={**env, **more}, capture_output=True, text=True,
                          timeout=400)


def ask(*options, **more):
    """Returns the exit status and the findings, with the backends by name."""
    done = run('--json', *options, **more)
    findings = json.loads(done.stdout)
    findings['backends'] = {b['name']: b for b in findings['backends']}
    check(f'"well" agrees with the exit status {options}', findings['well'] == (done.returncode == 0), done.returncode)
    for name, backend in findings['backends'].items():
        if not backend['works'] and not any('problem' in d for d in backend['devices'] or []):
            check(f'{name}: a reason and a remedy', backend.get('missing') and
                  (backend.get('remedy') or backend['devices']), backend)
    return done.returncode, findings


# ---- only the CPU ----

status, findings = ask()
check('the CPU is enough', status == 0 and findings['backends']['cpu']['works'], findings['backends']['cpu'])
check('the findings have a format number', findings['layout'] == 1)
check('an empty machine is empty', not findings['machine']['cards'] and not findings['machine']['nodes'] and
      not findings['machine']['vulkan_drivers'] and not findings['machine']['container'], findings['machine'])
check('every backend is there', {'cpu', 'cuda', 'hip', 'vulkan', 'sycl'} <= set(findings['backends']))
done = run()
check('the parts', findings['instruction_sets'][-1] == 'scalar' and
      bool(findings['ffmpeg']['versions'].get('libavformat')) != bool(findings['ffmpeg'].get('missing')) and
      bool(findings['ffmpeg'].get('missing')) == bool(findings['ffmpeg'].get('remedy')) and
      bool(findings['sycl_plugin']['path']) != bool(findings['sycl_plugin'].get('remedy')), findings)
for words in ('Parts', 'instruction sets ', "FFmpeg's libraries ", 'SYCL plugin '):
    check(f'the text has {words}', words in run().stdout)
for options, words in ((['-w', '5'], '--width is for scoring'), (['a.y4m'], "'a.y4m'"), (['--device', '0,1'], 'one --device'),
                       (['-o', 'a.json'], 'only with --report'), (['--report', '-o', 'a', '-o', 'b'], 'writes one file'),
                       (['--report', '--backend', 'cpu'], '--backend is cpu'),
                       (['--backend', 'cpu', '--require', 'hardware'], '--backend is cpu'), (['--require', ''], 'hardware')):
    done = run(*options)
    check(f'refused: {options}', done.returncode == 1 and words in done.stderr and not done.stdout, done)
done = subprocess.run([vmaf, 'a.y4m', 'b.y4m', '--require', 'hardware'], env=env, capture_output=True, text=True)
check('--require does not score', done.returncode == 1 and '--device NAME' in done.stderr, done)
done = run()
check('the text for people', done.returncode == 0 and 'CPU: works' in done.stdout and 'remedy: ' in done.stdout and
      done.stdout.endswith('Everything that was asked for works.\n'), done.stdout)
status, findings = ask('--backend', 'sycl' if not findings['backends']['sycl']['works'] else 'hip')
check('a requested backend must work', status == 255 and findings['backends']['cpu']['asked'] is False)
done = run('--backend', 'cpu,cudda')
check('an unknown backend', done.returncode == 1 and 'cpu,cudda' in done.stderr and not done.stdout, done)
with open('/dev/full', 'w') as full:
    done = subprocess.run([vmaf, '--doctor'], env=env, stdout=full, stderr=subprocess.PIPE, text=True)
    check('a full disk', done.returncode != 0 and done.stderr, done)

# ---- a report without a device is no good news ----

path = os.path.join(work, 'empty.json')
done = run('--report', '-o', path, '-q')
check('nothing was measured', done.returncode == 255 and 'no device was measured' in done.stderr and
      done.stdout.endswith('does not work.\n'), done)
found = json.load(open(path))
check('the report of nothing', not found['well'] and found['system']['processors'] > 0 and
      set(found['system']) == {'system', 'release', 'machine', 'processor', 'processors'}, found)
done = run('--report', '-o', os.path.join(work, 'nowhere', 'a.json'))
check('a report that cannot be written', done.returncode != 0 and 'nowhere' in done.stderr and not done.stdout, done)
done = subprocess.run([vmaf, '--doctor', '--report', '-q'], env=env, capture_output=True, text=True, cwd=work)
check('its usual name', os.path.exists(os.path.join(work, 'vmaf-doctor.json')), done)

# ---- made-up machines: what is missing, and the remedy ----


def machine(*things):
    shutil.rmtree(root)
    os.makedirs(root)
    for thing in things:
        path, _, text = thing.partition('=')
        path = root + path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if text.startswith('->'):
            os.symlink(text[2:], path)
        else:
            with open(path, 'w') as file:
                file.write(text)


def card(slot, vendor, driver):
    base = f'/sys/bus/pci/devices/0000:{slot}:00.0'
    return [f'{base}/class=0x030000\n', f'{base}/vendor=0x{vendor}\n', f'{base}/driver=->../../drivers/{driver}']


def icd(name, library):
    return f'/usr/share/vulkan/icd.d/{name}.json=' + json.dumps({'ICD': {'library_path': library}})


NVIDIA, AMD, INTEL = card('01', '10de', 'nvidia'), card('02', '1002', 'amdgpu'), card('03', '8086', 'i915')
BOX = ['/.dockerenv=']
CONTROL = ['/dev/nvidiactl=', '/dev/nvidia0=']
RENDER = ['/dev/dri/renderD128=', '/sys/class/drm/renderD128/device=->../../../0000:02:00.0']
LIB = '/usr/lib/x86_64-linux-gnu'
CUDA, GLX = LIB + '/libcuda.so.1=', LIB + '/libGLX_nvidia.so.0='
MESA, NVIDIA_ICD = icd('lvp_icd', LIB + '/libvulkan_lvp.so'), icd('nvidia_icd', 'libGLX_nvidia.so.0')
LOADER = os.path.exists('/usr/lib/x86_64-linux-gnu/libvulkan.so.1')
for things, backend, words in (
        ([], 'cuda', 'no NVIDIA card'),
        (NVIDIA, 'cuda', "install NVIDIA's driver"),
        (NVIDIA + BOX, 'cuda', '--gpus all'),
        (NVIDIA + CONTROL, 'cuda', 'libcuda1'),
        (NVIDIA + CONTROL + BOX, 'cuda', 'NVIDIA_DRIVER_CAPABILITIES'),
        (CONTROL, 'cuda', 'libcuda1'),
        ([], 'hip', 'no AMD card'),
        (AMD, 'hip', None),
        (AMD + BOX, 'hip', None),
        (INTEL, 'sycl', None),
        ([], 'vulkan', 'mesa-vulkan-drivers' if LOADER else 'libvulkan1'),
        # A container whose NVIDIA runtime brought CUDA and no Vulkan, beside Mesa's drivers.
        (CONTROL + BOX + [CUDA, MESA], 'vulkan', 'graphics' if LOADER else 'libvulkan1'),
        (BOX + [CUDA, MESA], 'vulkan', 'graphics' if LOADER else 'libvulkan1'),
        (CONTROL + BOX + [CUDA, MESA, NVIDIA_ICD], 'vulkan', 'graphics' if LOADER else 'libvulkan1'),
        (CONTROL + BOX + RENDER + [CUDA, MESA], 'vulkan', 'graphics' if LOADER else 'libvulkan1'),
        (CONTROL + BOX + RENDER + [CUDA, MESA, NVIDIA_ICD, GLX], 'vulkan', 'VK_LOADER_DEBUG' if LOADER else 'libvulkan1'),
        (CONTROL + BOX + [CUDA, MESA, NVIDIA_ICD, GLX], 'vulkan', 'VK_LOADER_DEBUG' if LOADER else 'libvulkan1'),
        (NVIDIA + BOX, 'vulkan', '--gpus all' if LOADER else 'libvulkan1'),
        (NVIDIA + CONTROL + [CUDA, MESA], 'vulkan', 'nvidia-vulkan-icd' if LOADER else 'libvulkan1'),
        (AMD + BOX + [MESA], 'vulkan', '/dev/dri' if LOADER else 'libvulkan1'),
):
    machine(*things)
    status, findings = ask('--backend', backend, VK_DRIVER_FILES='') if backend == 'vulkan' and not LOADER else ask()
    found = findings['backends'][backend]
    if found['works']:
        continue  # this machine has a real one
    remedy = found.get('remedy', '')
    if words:
        check(f'{backend} on {things}', words in remedy or not found['built'], remedy)
        check(f'{backend} on {things}: nothing else', ('graphics' in remedy) == ('graphics' in words) or
              backend == 'cuda', remedy)
    check(f'{backend} on {things}: in a container', findings['machine']['container'] == (BOX[0] in things))

# If the container was given a GPU, scoring on the CPU is a fault. The display adapter of a server is no such GPU.
for things, good in ((BOX + RENDER, False), (RENDER, True), (BOX + CONTROL, False), (BOX + ['/dev/kfd='], False),
                     (BOX + ['/dev/dri/card0='], True), (BOX + AMD, True)):
    machine(*things)
    status, findings = ask()
    if any(b['works'] for name, b in findings['backends'].items() if name != 'cpu'):
        break  # this machine has a real GPU
    check(f'a container with {things}', (status == 0) == good, findings)
    check(f'and with --backend cpu {things}', run('--backend', 'cpu').returncode == 0)
    check(f'the text with {things}', ('The container was given /dev/' in run().stdout) == (not good))

machine(*AMD, *RENDER, '/dev/kfd=', icd('radeon', '/nowhere/libvulkan_radeon.so'), icd('odd', 'libnowhere.so.1'),
        '/etc/vulkan/icd.d/broken.json={')
status, findings = ask()
found = findings['machine']
check('the card', found['cards'] == [{'pci': '0000:02:00.0', 'vendor': '1002', 'maker': 'AMD', 'driver': 'amdgpu'}],
      found['cards'])
check('the nodes of the card', [(n['path'], n['pci'], n['usable']) for n in found['nodes']] ==
      [('/dev/dri/renderD128', '0000:02:00.0', True), ('/dev/kfd', '', True)], found['nodes'])
check('driver files', [(os.path.basename(d['file']), bool(d['problem'])) for d in found['vulkan_drivers']] ==
      [('broken.json', True), ('odd.json', False), ('radeon.json', True)], found['vulkan_drivers'])
if os.getuid() == 0:
    os.chmod(root + '/dev/kfd', 0o600)
    os.chmod(root + '/dev/dri/renderD128', 0o600)
    done = subprocess.run(['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', vmaf, '--doctor'], env=env,
                          capture_output=True, text=True)
    if done.returncode == 0:  # otherwise this user may not run the command at all
        hip = findings['backends']['hip']
        check('nodes that belong to another user', done.stdout.count('may NOT be used') == 2 and
              ('usermod -aG root' in done.stdout or not hip['built']), done.stdout)

# ---- drivers that work, and drivers that do not ----

if drivers:
    machine()
    base = {'LD_LIBRARY_PATH': drivers}
    status, working = ask(**base)
    check('all devices work', status == 0)
    two = {'EMULATED_DEVICES': 'Alpha 1|0123456789abcdeffedcba9876543210|0000:b3:00.0;'
                               'Beta 2|11111111111111111111111111111111|0000:b4:00.0'}
    for backend in ('cuda', 'hip'):
        if not working['backends'][backend]['built']:
            continue
        for wishes, numbers in ((['hardware'], [0, 1]), (['beta'], [1]), (['1234'], []), (['b3:00.0'], [0]),
                                (['01234567-89ab-cdef-fedc-ba9876543210'], [0]), (['hardware', 'Alpha'], [0]),
                                (['Alpha', 'Beta'], []), (['1111111111111111111111111111111'], [])):
            words = [word for wish in wishes for word in ('--require', wish)]
            status, findings = ask('--backend', backend, *words, **base, **two)
            found = findings['backends'][backend]
            check(f'{backend}: {words}', [d['index'] for d in found['devices'] if d.get('works')] == numbers and
                  (status == 0) == bool(numbers) and findings['require'] == wishes, found)
        status, findings = ask('--backend', backend, '--device', '1', **base, **two)
        check(f'{backend}: --device 1', status == 0 and
              ['works' in d for d in findings['backends'][backend]['devices']] == [False, True])
    if all(working['backends'][b]['built'] for b in ('cuda', 'hip')):
        # One backend that has the device is enough, unless a list names backends.
        only = dict(two, EMULATED_DEVICES='Gamma|22222222222222222222222222222222|0000:b5:00.0')
        check('any backend', ask('--require', 'Gamma', **base, **only)[0] == 0)
        check('none has it', ask('--require', 'Delta', **base, **only)[0] == 255)
        check('all of the list', ask('--backend', 'cuda,vulkan', '--require', 'Gamma', **base, **only)[0] == 255)
    for backend, fault in (('cuda', 'cuLaunchKernel:1:hang'), ('hip', 'hipModuleLaunchKernel:1:lost')):
        findings = working
        found = findings['backends'][backend]
        if not found['built']:
            continue
        check(f'{backend}: a GPU is asked for without a word', found['asked'])
        check(f'{backend}: both devices work', found['works'] and len(found['devices']) == 2 and
              all(d['works'] and set(d['extractors']) >= {'vif', 'adm', 'motion', 'psnr'} for d in found['devices']),
              found)
        status, findings = ask('--backend', backend, **base, EMULATED_FAULT=fault, VMAF_GPU_TIMEOUT='1',
                               EMULATED_DEVICES='One|0123456789abcdeffedcba9876543210|0000:b3:00.0',
                               VMAF_CACHE_DIR=os.path.join(work, 'cold'))
        found = findings['backends'][backend]
        check(f'{backend}: {fault}', status == 255 and not found['works'] and found['devices'][0]['problem'], found)
        shutil.rmtree(os.path.join(work, 'cold'), ignore_errors=True)

# ---- lavapipe ----

del env['VMAF_DOCTOR_ROOT']
status, findings = ask('--backend', 'vulkan', '--allow_software')
found = findings['backends']['vulkan']
if found['devices'] and any('lvp' in d['file'] and d.get('devices') for d in findings['machine']['vulkan_drivers']):
    LVP = next(d for d in found['devices'] if 'lvp' in d.get('driver_file', ''))
    check('lavapipe works when software is allowed', status == 0 and found['works'], found)
    status, findings = ask()
    software = [d for d in findings['backends']['vulkan']['devices'] if d['type'] == 'software']
    check('it is not tried unasked', status == 0 and all('works' not in d for d in software), software)
    real = [d for d in found['devices'] if d['type'] != 'software']
    # Vulkan means a GPU, unless the command line allows software.
    for options, more, good in (
            ([], {}, False), (['--require', 'hardware'], {}, False), (['--allow_software', '--require', 'hardware'], {}, False),
            (['--require', 'Intel'], {}, False), (['--allow_software', '--require', 'Intel'], {}, False),
            (['--device', str(LVP['index'])], {}, False), (['--device', LVP['uuid']], {}, False),
            (['--require', LVP['uuid']], {}, False), (['--require', LVP['uuid'], '--allow_software'], {}, True),
            (['--device', 'llvmpipe'], {}, True), (['--require', 'LLVMpipe'], {}, True), (['--device', LVP['name']], {}, True),
            (['--vulkan_allow_software'], {}, True), ([], {'VMAF_ALLOW_SOFTWARE': '1'}, True),
            ([], {'VMAF_ALLOW_SOFTWARE': '0'}, False), ([], {'VMAF_ALLOW_SOFTWARE': 'no'}, False)):
        if real:
            break
        status, findings = ask('--backend', 'vulkan', *options, **more)
        found = findings['backends']['vulkan']
        check(f'lavapipe with {options} {more}', (status == 0) == good == found['works'] and
              (good or found['remedy']), found)
        if not good:
            done = run('--backend', 'vulkan', *options, **more)
            check(f'text of {options}', 'Vulkan: DOES NOT WORK' in done.stdout and 'remedy:' in done.stdout, done.stdout)
    if not real:
        check('VMAF_BACKEND asks, too', ask(VMAF_BACKEND='vulkan')[0] == 255 and
              ask(VMAF_BACKEND='vulkan:llvmpipe')[0] == 0)
    status, findings = ask('--backend', 'cpu,vulkan', VK_DRIVER_FILES='/nowhere.json', VK_ICD_FILENAMES='/nowhere.json')
    check('driver files that are not there', status == 255 and not findings['backends']['vulkan']['devices'] and
          findings['machine']['vulkan_drivers'][0]['problem'], findings['backends']['vulkan'])

# ---- RADV's null device: a driver that compiles and runs nothing ----

null = {'RADV_FORCE_FAMILY': 'navi21'}
status, findings = ask('--backend', 'vulkan', '--allow_software', **null)
ghosts = [d for d in findings['backends']['vulkan']['devices'] or [] if 'Null' in d['name'] or not d['memory_mib']]
if ghosts:
    check('a null device is no hardware', all('hardware' in d['lacks'] and 'works' not in d for d in ghosts), ghosts)
    check('and does not spoil the others', findings['backends']['vulkan']['works'] or len(findings['backends']['vulkan']
          ['devices']) == len(ghosts), findings['backends']['vulkan'])
    check('nobody asks for it unnamed', ask(**null)[0] == 0)
    for options in ([], ['--require', 'hardware'], ['--require', ghosts[0]['name']], ['--device', '0']):
        status, findings = ask('--backend', 'vulkan', *options, **null)
        check(f'a null device does not work: {options}', status == 255 and
              'RADV_FORCE_FAMILY' in findings['backends']['vulkan']['remedy'], findings['backends']['vulkan'])
    listed = subprocess.run([vmaf, '--list_devices'], env={**env, **null}, capture_output=True, text=True).stdout
    entry = listed[listed.index(ghosts[0]['name']):].split('\n0: ')[0].split('\n1: ')[0]
    check('--list_devices says so', 'cannot be used, it lacks: hardware' in entry and 'can be used\n' not in entry, entry)
    for options in (['--backend', 'vulkan'], ['--vulkan_device', '0'], ['--device', ghosts[0]['name']]):
        done = subprocess.run([vmaf, '-r', '/dev/null', '-d', '/dev/null', '-w', '32', '-h', '32', '-p', '420', '-b', '8',
                               '-n', '--feature', 'psnr', *options], env={**env, **null}, capture_output=True, text=True)
        check(f'nothing scores on it: {options}', done.returncode != 0, done)
else:
    print('no null device: this RADV has none')

print(f'{len(problems)} problems')
sys.exit(1 if problems else 0)
