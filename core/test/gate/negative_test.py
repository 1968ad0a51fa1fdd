# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that the gate fails if a kernel is spoilt, if the CPU computes in place of the device, if
kernels were not launched, and if a score is missing, is not a number or is off by one bit.

usage: negative_test.py GATE VMAF SPOILT UNTESTED SYNTHCLIP BACKEND

SPOILT is the command with one spoilt kernel in every kind of image, UNTESTED the same without the
self-test.
"""
import os
import re
import stat
import subprocess
import sys
import tempfile

GATE, VMAF, SPOILT, UNTESTED, SYNTHCLIP, BACKEND = sys.argv[1:7]

# Runs the true command, then changes its report.
WRAPPER = '''#!/usr/bin/env python3
import json, math, subprocess, sys
words = sys.argv[1:]
{before}
status = subprocess.run([{vmaf!r}, *words]).returncode
path = words[words.index('-o') + 1] if '-o' in words else None
if status == 0 and path:
    report = json.load(open(path))
    {after}
    json.dump(report, open(path, 'w'))
sys.exit(status)
'''

METRICS = "report['frames'][1]['metrics']"
PROOF = "report['backends']['vif']"
CASES = {
    'a device that is a CPU': (
        "at = words.index('--backend')\nwords[at:] = ['--backend', 'cpu']", 'pass', 'it ran on the CPU'),
    'another backend': ('', f"{PROOF}['backend'] = 'other'", "vif ran on {'backend': 'other'"),
    'a CPU for one feature': ('', f"{PROOF} = dict(backend='cpu', instruction_set='x')", "vif ran on {'backend': 'cpu'"),
    'a kernel that was not launched': ('', f"{PROOF}['launches'] -= 1", 'vif launched'),
    'no kernel at all': ('', f"{PROOF}.update(launches=0, passes=0)", 'vif launched 0 kernels'),
    'a frame that was not measured there': ('', f"{PROOF}['frames'] -= 1", 'vif measured 3 frames there'),
    'no time on the device': ('', f"{PROOF}['device_us'] = 0", 'vif took no time'),
    'a score that is missing': ('', f"{METRICS}.pop('integer_vif_scale1')", 'metrics differ'),
    'a score that is not a number': (
        '', f"{METRICS}['integer_vif_scale1'] = None", 'integer_vif_scale1 is'),
    'a score off by its last bit': (
        '', f"{METRICS}['integer_vif_scale1'] = math.nextafter({METRICS}['integer_vif_scale1'], 2)",
        'integer_vif_scale1 is'),
    'a frame that is missing': ('', "report['frames'].pop()", 'frames, not 4'),
    'a report without scores': (
        '', "[f['metrics'].clear() for f in report['frames']]", 'metrics differ'),
}


def gate(other, cache, feature='vif'):
    run = subprocess.run([GATE, VMAF, SYNTHCLIP, '--backend', BACKEND, '--device', '0', '--with', other, '--feature',
                          feature, '--clip', 'mix_8'], capture_output=True, text=True, env={**os.environ, 'VMAF_CACHE_DIR': cache})
    return run.returncode, run.stdout + run.stderr


def expect(what, result, wanted, text=''):
    status, output = result
    if status == 2:
        print(f'skipped: no {BACKEND} device')
        sys.exit(77)
    good = status == wanted and text in output
    print(('ok    ' if good else 'FAIL  ') + what)
    if not good:
        sys.exit(f'exit {status}, wanted {wanted} and "{text}":\n{output}')


def main():
    with tempfile.TemporaryDirectory() as folder:
        cache, empty = f'{folder}/cache', f'{folder}/empty'
        os.mkdir(cache)
        os.mkdir(empty)
        expect('the true command passes', gate(VMAF, cache), 0)
        expect('a feature that does not exist', gate(VMAF, cache, 'no_such_thing'), 1, 'nothing was compared')
        for what, (before, after, text) in CASES.items():
            path = f'{folder}/vmaf.py'
            with open(path, 'w') as file:
                file.write(WRAPPER.format(before=before, after=after, vmaf=VMAF))
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
            expect(what, gate(path, cache), 1, text)
        # The self-test names the kernel and refuses the device; without a self-test the scores
        # differ.
        result = gate(SPOILT, empty)
        tested = re.search('computes wrong bits', result[1])
        expect('a spoilt kernel' + (', at the self-test' if tested else ''), result, 1,
               'vif_stats_2' if tested else 'integer_vif_scale')
        expect('a spoilt kernel, at the scores', gate(UNTESTED, empty), 1, 'integer_vif_scale')


main()
