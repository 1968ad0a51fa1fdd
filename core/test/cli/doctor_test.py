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
check('the text for people', done.returncode == 0 and 'CPU: works' in done.stdout and 'remedy: ' in done.stdout and
      done.stdout.endswith('Everything that was asked for works.\n'), done.stdout)
status, findings = ask('--backend', 'sycl' if not findings['backends']['sycl']['works'] else 'hip')
check('a requested backend must work', status == 255 and findings['backends']['cpu']['asked'] is False)
done = run('--backend', 'cpu,cudda')
check('an unknown backend', done.returncode == 1 and 'cpu,cudda' in done.stderr and not done.stdout, done)
with open('/dev/full', 'w') as full:
    done = subprocess.run([vmaf, '--doctor'], env=env, stdout=full, stderr=subprocess.PIPE, text=True)
    check('a full disk', done.returncode != 0 and done.stderr, done)

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
        (NVIDIA + BOX, 'vulkan', 'graphics' if LOADER else 'libvulkan1'),
):
    machine(*things)
    status, findings = ask('--backend', backend, VK_DRIVER_FILES='') if backend == 'vulkan' and not LOADER else ask()
    found = findings['backends'][backend]
    if found['works']:
        continue  # this machine has a real one
    remedy = found.get('remedy', '')
    if words:
        check(f'{backend} on {things}', words in remedy or not found['built'], remedy)
    check(f'{backend} on {things}: in a container', findings['machine']['container'] == (BOX[0] in things))

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
status, findings = ask('--backend', 'vulkan')
found = findings['backends']['vulkan']
if found['devices'] and any('lvp' in d['file'] and d.get('devices') for d in findings['machine']['vulkan_drivers']):
    check('lavapipe works when it is asked for', status == 0 and found['works'], found)
    check('and comes from its file', any('lvp' in d.get('driver_file', '') for d in found['devices']), found)
    status, findings = ask()
    software = [d for d in findings['backends']['vulkan']['devices'] if d['type'] == 'software']
    check('it is not tried unasked', status == 0 and all('works' not in d for d in software), software)
    status, findings = ask('--backend', 'cpu,vulkan', VK_DRIVER_FILES='/nowhere.json', VK_ICD_FILENAMES='/nowhere.json')
    check('driver files that are not there', status == 255 and not findings['backends']['vulkan']['devices'] and
          findings['machine']['vulkan_drivers'][0]['problem'], findings['backends']['vulkan'])

print(f'{len(problems)} problems')
sys.exit(1 if problems else 0)
