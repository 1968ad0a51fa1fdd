#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A machine with a graphics card and a software device: lavapipe twice, of which the first says that
it is a card (vulkan_shim.c). Whoever asks for hardware gets scores of the card alone; wherever the
software takes part, standard error and all kinds of reports say so.

usage: card_test.py VMAF TUNE SHIM SYNTHCLIP WORKDIR
"""
import glob
import json
import os
import shutil
import subprocess
import sys

vmaf, tune, shim, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:6])
SKIP = 77
CARD, FAIL, USAGE = 'Made-up Card', 255, 1
bad = 0


def check(what, good, *details):
    global bad
    if not good:
        bad += 1
        print(f'{what}:', *details)


def loader():
    listed = subprocess.run(['/sbin/ldconfig', '-p'], capture_output=True, text=True, check=False).stdout
    return next((line.split()[-1] for line in listed.splitlines() if line.split()[:1] == ['libvulkan.so.1']), None)


def make_machine():
    """Returns the environment of a machine with a card and lavapipe. A driver is loaded twice if it has two paths."""
    files = glob.glob('/usr/share/vulkan/icd.d/lvp_icd*.json')
    library = loader()
    if not files or not library:
        print('skipped: no lavapipe, or no Vulkan loader')
        sys.exit(SKIP)
    with open(files[0], encoding='utf-8') as file:
        icd = json.load(file)
    path = icd['ICD']['library_path']
    if not os.path.isabs(path):
        path = next(iter(glob.glob(f'/usr/lib/*/{path}')), path)
    shutil.copy(path, 'libvulkan_second.so')
    icd['ICD']['library_path'] = os.path.abspath('libvulkan_second.so')
    with open('second.json', 'w', encoding='utf-8') as file:
        json.dump(icd, file)
    both = f'{files[0]}:{os.path.abspath("second.json")}'
    return {**os.environ, 'LD_LIBRARY_PATH': os.path.dirname(shim), 'VMAF_VULKAN_LIBRARY': library, 'VMAF_VULKAN_CARD': CARD,
            'VK_ICD_FILENAMES': both, 'VK_DRIVER_FILES': both, 'VMAF_CACHE_DIR': os.path.abspath('cache')}


def run(args, program=vmaf, **more):
    return subprocess.run([program, *args.split()], env={**machine, **more}, capture_output=True, text=True, timeout=300)


RAW = '-r r.yuv -d d.yuv -w 64 -h 48 -p 420 -b 8 -n --feature psnr -q'


def score(args, **more):
    """Returns the exit code, the type of the device in the report, and standard error."""
    if os.path.exists('out.json'):
        os.remove('out.json')
    done = run(f'{RAW} {args} -o out.json', **more)
    if not os.path.exists('out.json'):
        return done.returncode, None, done.stderr
    with open('out.json', encoding='utf-8') as file:
        report = json.load(file)
    told = [warning['code'] for warning in report['vmaf_turbo']['warnings']]
    place = report.get('backends', {}).get('psnr', {})
    check(f'{args}: the warning and the type differ', ('software_device' in told) == (place.get('device_type') == 'cpu'), place, told)
    return done.returncode, place.get('device_type', 'no device'), done.stderr


def check_choice():
    """Which device scores, and what is said about it."""
    for args, environment, code, kind in (
            ('--backend vulkan', {}, 0, 'discrete'), ('--vulkan_device 0', {}, 0, 'discrete'), ('--device all', {}, 0, 'discrete'),
            ('--backend auto', {}, 0, 'discrete'), ('--backend vulkan --allow_software', {}, 0, 'discrete'),
            ('', {'VMAF_BACKEND': 'vulkan:0'}, 0, 'discrete'), ('', {'VMAF_BACKEND': 'auto', 'VMAF_ALLOW_SOFTWARE': '1'}, 0, 'discrete'),
            ('--vulkan_device 1', {}, FAIL, None), ('--device 0,1', {}, FAIL, None), ('--device 1,0', {}, FAIL, None),
            ('', {'VMAF_BACKEND': 'vulkan:1'}, FAIL, None), ('--device 2', {}, FAIL, None),
            ('--device llvmpipe', {}, 0, 'cpu'), ('--backend vulkan --device 0,llvmpipe', {}, 0, 'cpu'),
            ('--backend vulkan --device llvmpipe,0', {}, 0, 'cpu'), ('--device all --allow_software', {}, 0, 'cpu'),
            ('--device 0', {'VMAF_VULKAN_FAULT': 'vkCreateDevice:1:-4'}, FAIL, None),
            ('--backend vulkan --allow_software', {'VMAF_VULKAN_FAULT': 'vkCreateDevice:1:-4'}, FAIL, None),
            ('--backend auto --allow_software', {'VMAF_VULKAN_FAULT': 'vkQueueSubmit:1:lost'}, FAIL, None),
            ('--backend auto', {'VMAF_VULKAN_FAULT': 'vkCreateDevice:1:-4'}, 0, 'no device')):
        got, found, said = score(args, **environment)
        warned = said.count('is a software device: a CPU computes the scores')
        check(f'{environment} {args}', (got, found, warned) == (code, kind, kind == 'cpu'), got, found, warned, said)
        check(f'{environment} {args}: the CPU in silence', kind != 'no device' or 'using the CPU' in said, said)


def check_marks():
    """A card and a software device together are marked as software in every kind of output."""
    both = f'{RAW} --backend vulkan --device 0,llvmpipe'
    run(f'{both} -o out.xml')
    check('XML', 'device_type="cpu"' in open('out.xml', encoding='utf-8').read())
    run(f'{both} --html out.html')
    check('page', f'one of the devices ({CARD} + llvmpipe' in open('out.html', encoding='utf-8').read())
    summary = json.loads(run(f'{both} --lines').stdout.splitlines()[-1])
    places = summary['videos'][0]['places']
    check('lines', [(place['extractor'], place['device_type']) for place in places] == [('psnr', 'cpu')], summary)
    plain = json.loads(run(f'{RAW} --lines').stdout.splitlines()[-1])['videos'][0]['places']
    check('lines of the CPU', plain == [{'extractor': 'psnr', 'backend': 'cpu'}], plain)


def check_parts():
    """A merge of the card's part and another one says where the other one was measured."""
    run(f'{RAW} --backend vulkan --shard 0/2 -o card.json')
    for options, said, codes in (('--backend vulkan --device llvmpipe', 'llvmpipe', ['software_device']),
                                 ('', f'Warning: the CPU measured 2 of 3 frames, in other parts than those of {CARD}', ['parts_on_cpu']),
                                 ('--backend vulkan', '', [])):
        run(f'{RAW} {options} --shard 1/2 -o other.json')
        done = run('--merge card.json other.json -q -o merged.json')
        with open('merged.json', encoding='utf-8') as file:
            report = json.load(file)
        check(f'parts, {options}', report['backends']['psnr']['device_type'] == ('cpu' if codes else 'discrete'), report['backends'])
        check(f'parts, {options}: warnings', [w['code'] for w in report['vmaf_turbo']['warnings']] == codes and said in done.stderr and
              bool(done.stderr) == bool(codes), done.stderr)


def check_tune():
    """vmaf-tune: the mark of several devices, and results of earlier runs that were scored elsewhere."""
    if not shutil.which('ffmpeg'):
        print('without ffmpeg, vmaf-tune was not tried')
        return
    subprocess.run('ffmpeg -v error -y -f lavfi -i testsrc2=s=64x48:d=0.2 -c:v ffv1 source.mkv'.split(), check=True)
    compare = 'compare source.mkv --encoders mpeg4 --crf 4 -q --threads 1 -o tune.json'

    def place(options):
        done = run(f'{compare} {options}', tune)
        with open('tune.json', encoding='utf-8') as file:
            points = json.load(file)['points']
        return points[0]['scored_on'], done.stderr

    scored_on, said = place('--backends vulkan:all --allow-software --cache kept --resume journal')
    check('tune', (scored_on['type'], scored_on['software']) == ('cpu', True) and 'a software device' in said, scored_on, said)
    earlier = 'the scores of 1 encode come from earlier runs, which computed them elsewhere: on'
    for keep in '--cache kept', '--resume journal':
        scored_on, said = place(f'{keep} --backends vulkan:0')
        check(f'tune {keep}', scored_on['software'] and f'{earlier} {CARD} + llvmpipe' in said, scored_on, said)
        scored_on, said = place(f'{keep} --backends vulkan:all --allow-software')
        check(f'tune {keep}, the same devices', scored_on['software'] and earlier not in said, scored_on, said)
    scored_on, said = place('--cache other')
    check('tune on the CPU', scored_on['backend'] == 'cpu' and not said, scored_on, said)
    scored_on, said = place('--cache other --backends vulkan')
    check('tune, cached scores of the CPU', scored_on['backend'] == 'cpu' and f'{earlier} the CPU' in said, scored_on, said)


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
machine = make_machine()
subprocess.run([synthclip, 'mix', '64', '48', '420', '8', '3', 'r.yuv', 'd.yuv'], check=True)
listed = run('--list_devices --backend vulkan')
if f'0: {CARD}\n' not in listed.stdout or '\n1: llvmpipe' not in listed.stdout:
    print(f'skipped: the driver cannot be had twice\n{listed}')
    sys.exit(SKIP)
for part in (check_choice, check_marks, check_parts, check_tune):
    part()
shutil.rmtree(work)
sys.exit(bool(bad))
