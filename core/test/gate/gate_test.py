# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs the gate for one backend, then once more with the driver's own checks on a few clips.

usage: gate_test.py GATE VMAF SYNTHCLIP BACKEND [--layers=PATTERN] [WORD...]

PATTERN: files of which one is there when what the checks need is installed. WORDs are the gate's.
"""
import glob
import subprocess
import sys

GATE, VMAF, SYNTHCLIP, BACKEND = sys.argv[1:5]
LAYERS = [word.split('=')[1] for word in sys.argv[5:] if word.startswith('--layers=')]
WORDS = [word for word in sys.argv[5:] if not word.startswith('--layers=')]


def gate(*words):
    status = subprocess.run([sys.executable, GATE, VMAF, SYNTHCLIP, '--backend', BACKEND, *words]).returncode
    if status == 2:
        sys.exit(77)
    if status:
        sys.exit(status)


gate(*WORDS)
for pattern in LAYERS:
    if glob.glob(pattern):
        gate('--validate', '--clip', 'mix_8', '--clip', 'quant_12', '--clip', 'one_frame', '--clip', 'tiny_8')
    else:
        print(f'{pattern} is not installed: not run.')
