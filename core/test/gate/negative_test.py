# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The gate must fail: with a spoilt kernel, a CPU in disguise, a score missing, not a number or off by a bit.

usage: negative_test.py GATE VMAF VMAF_PERTURBED SYNTHCLIP
"""
import os
import stat
import subprocess
import sys
import tempfile

GATE, VMAF, PERTURBED, SYNTHCLIP = sys.argv[1:5]

# Runs the true command, then tampers with the report it wrote.
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
CASES = {
    'a device that is a CPU': (
        "at = words.index('--vulkan_device') if '--vulkan_device' in words else None\n"
        'if at is not None: words[at:at + 2] = []', 'pass', 'both sides ran on the CPU'),
    'another device': (
        '', "report['backends']['vif']['device'] = 'other'", "vif ran on {'backend': 'vulkan', 'device': 'other'}"),
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


def gate(other, cache):
    run = subprocess.run([GATE, VMAF, SYNTHCLIP, '--with', other, '--feature', 'vif', '--clip', 'mix_8'],
                         capture_output=True, text=True, env={**os.environ, 'VMAF_CACHE_DIR': cache})
    return run.returncode, run.stdout + run.stderr


def expect(what, result, wanted, text=''):
    status, output = result
    if status == 2:
        print('skipped: no Vulkan device')
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
        for what, (before, after, text) in CASES.items():
            path = f'{folder}/vmaf.py'
            with open(path, 'w') as file:
                file.write(WRAPPER.format(before=before, after=after, vmaf=VMAF))
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
            expect(what, gate(path, cache), 1, text)
        # The self-test has not seen these kernels: it refuses the device, by name of the kernel.
        expect('a spoilt kernel, at the self-test', gate(PERTURBED, empty), 1, 'vif_stats_0_8')
        # It believes to have seen them: the scores give them away.
        expect('a spoilt kernel, at the scores', gate(PERTURBED, cache), 1, 'integer_vif_scale0 is')


main()
