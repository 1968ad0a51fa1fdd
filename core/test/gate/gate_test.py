# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs the gate for one backend on all its devices, then once more with the driver's own checks on a few clips.

usage: gate_test.py GATE VMAF SYNTHCLIP BACKEND [VALIDATION_LAYERS]

VALIDATION_LAYERS: a pattern of files; what the checks need is installed when there is one.
"""
import glob
import subprocess
import sys

GATE, VMAF, SYNTHCLIP, BACKEND = sys.argv[1:5]


def gate(*words):
    status = subprocess.run([sys.executable, GATE, VMAF, SYNTHCLIP, '--backend', BACKEND, *words]).returncode
    if status == 2:
        sys.exit(77)
    if status:
        sys.exit(status)


gate()
for pattern in sys.argv[5:]:
    if not glob.glob(pattern):
        print(f'{pattern} is not installed: not run.')
        continue
    gate('--validate', '--clip', 'mix_8', '--clip', 'quant_12', '--clip', 'one_frame', '--clip', 'tiny_8')
