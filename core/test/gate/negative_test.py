# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that the gate fails: if a kernel is spoilt, if something else than the asked device computes, if nothing or
not everything is compared, and if a score is missing, is not a number or is off by one bit.

usage: negative_test.py GATE VMAF SPOILT UNTESTED SYNTHCLIP BACKEND

SPOILT is the command with one spoilt kernel in every kind of image, UNTESTED the same without the
self-test.
"""
import json
import os
import re
import stat
import subprocess
import sys
import tempfile

GATE, VMAF, SPOILT, UNTESTED, SYNTHCLIP, BACKEND = sys.argv[1:7]
HIDDEN = BACKEND == 'host'  # no list shows it
CHOICE = ['--device', '0', '--allow_software']
FAILED, NO_DEVICE, WRONG_USE = 1, 2, 3

# Runs the true command once for each set of options, then answers with what it wrote, changed.
WRAPPER = '''#!/usr/bin/env python3
import hashlib, json, math, os, re, subprocess, sys
words = sys.argv[1:]
output = words.index('-o') + 1 if '-o' in words else None
on_cpu = words[words.index('--backend') + 1] == 'cpu' if output else False
if output and not on_cpu:
    {before}
paths = [words.index(name) + 1 for name in ('-o', '-r', '-d') if name in words]
key = hashlib.sha256(repr([word for at, word in enumerate(words) if at not in paths]).encode()).hexdigest()
known = os.path.join({store!r}, key)
if not os.path.exists(known):
    run = subprocess.run([{vmaf!r}, *words], stdout=subprocess.PIPE, text=True)
    if run.returncode == 1 or run.returncode and output:  # a list fails with 255 where only software is
        sys.exit(run.returncode)
    with open(known, 'w') as file:
        file.write(open(words[output]).read() if output else run.stdout)
if output and words[output].endswith('.csv'):
    text = open(known).read()
    if not on_cpu:
        {odd}
    open(words[output], 'w').write(text)
elif output:
    report = json.load(open(known))
    if not on_cpu:
        {after}
    json.dump(report, open(words[output], 'w'))
else:
    text = open(known).read()
    {listing}
    print(text, end='')
'''

METRICS = "report['frames'][1]['metrics']"
PROOF = "report['backends']['vif']"
SCALE = f"{METRICS}['integer_vif_scale1']"
# Each fault says how the wrapper changes the arguments (before), the report (after) or the list of devices (listing), and
# what the gate must complain about (text).
CASES = {
    'a device that is a CPU': dict(
        before="at = words.index('--backend'); words[at:] = ['--backend', 'cpu']", text='it ran on the CPU'),
    'another backend': dict(after=f"{PROOF}['backend'] = 'other'", text='vif ran on the backend other'),
    'a CPU for one feature': dict(
        after=f"{PROOF} = dict(backend='cpu', instruction_set='x')", text='vif ran on the backend cpu'),
    'a kernel that was not launched': dict(after=f"{PROOF}['launches'] -= 1", text='vif launched'),
    'no kernel at all': dict(after=f"{PROOF}.update(launches=0, passes=0)", text='vif launched 0 kernels'),
    'a frame that was not measured there': dict(after=f"{PROOF}['frames'] -= 1", text='vif measured 3 frames there'),
    'no time on the device': dict(after=f"{PROOF}['device_us'] = 0", text='vif took no time'),
    'all frames measured again on the CPU': dict(
        after=f"{PROOF}['frames_on_cpu'] = 4", text='vif measured 4 of 4 frames again on the CPU'),
    'one frame measured again on the CPU': dict(after=f"{PROOF}['frames_on_cpu'] = 1", text='vif measured 1 of 4'),
    'all frames measured again where they may be': dict(
        clip='extreme_8', feature='float_ssim', after="report['backends'].update((name, {**entry, 'frames_on_cpu': 2}) for name, entry in "
        "report['backends'].items())", text='nothing was compared of float_ssim'),
    'a score that is missing': dict(after=f"{METRICS}.pop('integer_vif_scale1')", text='metrics differ'),
    'a score that is not a number': dict(after=f'{SCALE} = None', text='integer_vif_scale1 is'),
    'a score off by its last bit': dict(after=f'{SCALE} = math.nextafter({SCALE}, 2)', text='integer_vif_scale1 is'),
    'a score off in the third decimal place': dict(
        after=f'{SCALE} += 0.0006', words=['--places', '3'], text='integer_vif_scale1 is'),
    'another score that is not finite': dict(
        clip='same_8', feature='ciede', words=['--feature', 'vif'], odd="text = text.replace('inf', 'nan', 1)",
        text='scores that are not finite differ'),
    'no score that is finite': dict(clip='same_8', feature='ciede', text='nothing was compared of ciede'),
    'an aggregate that differs': dict(after="report['aggregate_metrics']['x'] = 1", text='metrics differ'),
    'a frame that is missing': dict(after="report['frames'].pop()", text='frames, not 4'),
    'a frame of another number': dict(after="report['frames'][1]['frameNum'] = 2", text='is compared with frame 2'),
    'a report without scores': dict(after="[f['metrics'].clear() for f in report['frames']]", text='metrics differ'),
    'a device of another type': dict(after=f"{PROOF}['device_type'] = 'virtual'", text='virtual'),
    'a feature that does not exist': dict(words=['--feature', 'nonsense'], status=WRONG_USE, text='no feature "nonsense"'),
    'a feature without GPU code': dict(words=['--feature', 'null'], status=WRONG_USE, text='no GPU code'),
    'a clip that does not exist': dict(words=['--clip', 'nonexist'], status=WRONG_USE, text='no clip "nonexist"'),
    'an option that does not exist': dict(words=['--deivce', '0'], status=WRONG_USE, text='--deivce'),
    'a registry without features': dict(
        listing="text = '' if words == ['--list_features'] else text", status=WRONG_USE, text='lists no feature'),
    'a clip too small for the feature': dict(
        clip='thin_10', feature='cambi', text='nothing was compared'),
    'a feature that has no clip beside one that has': dict(
        clip='thin_10', words=['--feature', 'cambi'], text='nothing was compared of cambi'),
    'a clip on which nothing is compared beside another': dict(
        clip='tiny_8', feature='cambi', words=['--clip', 'quant_12'], text='nothing was compared on tiny_8'),
    'a feature that the tables do not have': dict(
        listing="text += '\\nbrand_new  a new one [cpu, vulkan]\\n' if words == ['--list_features'] else ''",
        feature='brand_new', text="exit"),
    'a switch that the tables do not have': dict(
        listing="text = re.sub(r'(?m)^vif .*\\n', lambda at: at.group(0) + '      new_switch=false  new\\n', text)", text='exit'),
    'a device against itself': dict(backends=f'{BACKEND},{BACKEND}', status=NO_DEVICE, text='compared with itself'),
    'a backend that does not exist': dict(backends='cpu,nonsense', status=WRONG_USE, text='no backend "nonsense"'),
    'a backend without a name': dict(backends='cpu,', status=WRONG_USE, text='no backend ""'),
    'two choices of backends': dict(words=['--backend', 'cuda'], status=WRONG_USE, text='--backends and --backend'),
    'a device twice': dict(backends=f'cpu,{BACKEND},{BACKEND}', status=NO_DEVICE, text='compared with itself'),
}
LISTED_CASES = {
    'another device of the same name': dict(
        after=f"{PROOF}['device_uuid'] = '99' + {PROOF}['device_uuid'][2:]", text='vif ran elsewhere: device_uuid'),
    'another device by number': dict(after=f"{PROOF}['device_index'] += 1", text='vif ran elsewhere: device_index'),
    'another address on the bus': dict(after=f"{PROOF}['device_pci'] = '0000:ff:00.0'", text='vif ran elsewhere: device_pci'),
    'another name': dict(after=f"{PROOF}['device'] = 'x'", text='vif ran elsewhere: device is'),
    'a report that does not say which device': dict(after=f"{PROOF}.pop('device_uuid')", text='vif ran elsewhere: device_uuid'),
    'software in place of a GPU': dict(
        before="words.append('--allow_software')",  # otherwise the command itself refuses the device
        after=f"{PROOF}['device_type'] = 'cpu'", text='vif ran elsewhere: device_type',
        listing="text = re.sub('type: .*', 'type: discrete GPU', text)"),
    'software that nobody allowed': dict(
        listing="text = re.sub('type: .*', 'type: software', text)", choice=['--device', '0'], status=NO_DEVICE, text='is software'),
    'software that nobody named': dict(
        listing="text = re.sub('type: .*', 'type: software', text)", choice=[], status=NO_DEVICE, text='is software'),
    'software called by a word that a card may have': dict(
        listing="text = re.sub('(?m)^0: .*', '0: Intel(R) Xeon(R) Gold', re.sub('type: .*', 'type: software', text))",
        choice=['--device', 'Intel'], status=NO_DEVICE, text='is software'),
    'a device that does not exist': dict(choice=['--device', 'nonsense'], status=NO_DEVICE, text='called "nonsense"'),
    'two numbers of one device': dict(
        listing="at = text.find('0: '); text = text + '\\n' + text[at:].replace('0: ', '9: ', 1) if words == ['--list_devices'] else text",
        choice=['--allow_software'], backends=f'{BACKEND},{BACKEND}', status=NO_DEVICE, text='compared with itself'),
}


def gate(vmaf, other, cache=None, **case):
    words = case.get('videos') or [SYNTHCLIP, '--clip', case.get('clip', 'mix_8')]
    words = words + ['--feature', case.get('feature', 'vif'), '--backends', case.get('backends', f'cpu,{BACKEND}')]
    words += case.get('choice', CHOICE if not HIDDEN else []) + case.get('words', [])
    run = subprocess.run([GATE, vmaf, *words, '--with', other], capture_output=True, text=True,
                         env={**os.environ, **({'VMAF_CACHE_DIR': cache} if cache else {})})
    return run.returncode, run.stdout + run.stderr


def expect(what, result, wanted, text=''):
    status, output = result
    good = status == wanted and text in output
    print(('ok    ' if good else 'FAIL  ') + what)
    if not good:
        sys.exit(f'exit {status}, wanted {wanted} and "{text}":\n{output}')


def make_wrapper(folder, before='pass', after='pass', listing='pass', odd='pass', **_):
    path = f'{folder}/vmaf.py'
    with open(path, 'w') as file:
        file.write(WRAPPER.format(before=before, after=after, listing=listing, odd=odd, vmaf=VMAF, store=f'{folder}/store'))
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def check_reports(folder, wrapper):
    """Checks what the gate writes: JSON and Markdown."""
    words = ['--json', f'{folder}/gate.json', '--markdown', f'{folder}/gate.md']
    expect('reports of a gate that fails', gate(VMAF, wrapper, words=words), FAILED)
    failed, text = json.load(open(f'{folder}/gate.json')), open(f'{folder}/gate.md').read()
    wrong = [line for line in failed['lines'] if line['agree'] or 'vif took no time' not in line['problem']]
    if failed['agree'] or not failed['lines'] or wrong or '| FAIL: vif took no time' not in text:
        sys.exit(f'the reports do not tell of the failure: {failed}\n{text}')
    expect('reports of a gate that passes', gate(VMAF, make_wrapper(folder), words=words), 0)
    passed, text = json.load(open(f'{folder}/gate.json')), open(f'{folder}/gate.md').read()
    if not passed['agree'] or not all(line['agree'] and line['values'] for line in passed['lines']) or \
            'all equal to the last bit' not in text or 'FAIL' in text:
        sys.exit(f'the reports do not tell of the success: {passed}\n{text}')
    if not HIDDEN and passed['others'][0].get('device_index') != 0:
        sys.exit(f'the report does not name the device: {passed}')


def check_own_videos(folder):
    """Checks the gate of the user's own videos."""
    videos = [f'{folder}/ref.yuv', f'{folder}/dist.yuv']
    subprocess.run([SYNTHCLIP, 'noise', '64', '48', '420', '8', '2', *videos], check=True)
    own = ['--ref', videos[0], '--dist', videos[1]]
    size = ['--width', '64', '--height', '48', '--pixel_format', '420', '--bitdepth', '8']
    expect('own videos', gate(VMAF, VMAF, videos=own + size), 0, 'every backend agrees')
    expect('own videos without their format', gate(VMAF, VMAF, videos=own), FAILED, 'cannot be scored')
    again = make_wrapper(folder, after=f"{PROOF}['frames_on_cpu'] = 1")
    expect('a frame of own videos measured again', gate(VMAF, again, videos=own + size), FAILED, 'again on the CPU')
    expect('a frame of own videos that may be measured again',
           gate(VMAF, again, videos=own + size, words=['--frames_on_cpu', '1']), 0)
    expect('one own video', gate(VMAF, VMAF, videos=own[:2]), WRONG_USE, 'go together')
    expect('more repeated frames on the clips', gate(VMAF, VMAF, words=['--frames_on_cpu', '9']), WRONG_USE, '--ref')


def check_words():
    """Checks that the command, its doctor and the gate know the same words for software."""
    root = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', '..', '..')
    sys.path.insert(0, os.path.join(root, 'scripts', 'ci', 'gate'))
    sys.dont_write_bytecode = True
    import machine
    for path in 'core/src/gpu/backend.c', 'core/tools/vmaf/doctor/demand.c':
        table = re.search(r'names_software.*?\[\] = \{(.*?)\};', open(f'{root}/{path}').read(), re.S).group(1)
        if tuple(re.findall(r'"([^"]*)"', table)) != machine.SOFTWARE_WORDS:
            sys.exit(f'{path} and scripts/ci/gate/machine.py have other words for software: {table}')


def main():
    check_words()
    with tempfile.TemporaryDirectory() as folder:
        cache, empty = f'{folder}/cache', f'{folder}/empty'
        for path in (cache, empty, f'{folder}/store'):
            os.mkdir(path)
        result = gate(VMAF, VMAF, cache)
        if result[0] == NO_DEVICE:
            print(f'skipped: no {BACKEND} device')
            sys.exit(77)
        expect('the true command passes', result, 0, 'every backend agrees')
        for what, case in (CASES if HIDDEN else CASES | LISTED_CASES).items():
            path = make_wrapper(folder, **case)
            expect(what, gate(path, path, cache, **case), case.get('status', FAILED), case['text'])
        path = make_wrapper(folder, after=f'{SCALE} += 0.0004')
        expect('a score that is equal to three decimal places', gate(VMAF, path, words=['--places', '3']), 0)
        check_reports(folder, make_wrapper(folder, after=f"{PROOF}['device_us'] = 0"))
        check_own_videos(folder)
        # The self-test names the kernel and refuses the device; without a self-test the scores
        # differ.
        result = gate(VMAF, SPOILT, empty)
        tested = re.search('computes wrong bits', result[1])
        expect('a spoilt kernel' + (', at the self-test' if tested else ''), result, FAILED,
               'vif_stats_2' if tested else 'integer_vif_scale')
        expect('a spoilt kernel, at the scores', gate(VMAF, UNTESTED, empty), FAILED, 'integer_vif_scale')


main()
