# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs the gate for one backend.

usage: gate_test.py GATE VMAF SYNTHCLIP BACKEND [--few] [--layers=PATTERN] [WORD...]

--few runs a few clips instead of all. If a file matches PATTERN, the few clips run with the
driver's own checks. WORDs are passed to the gate.
"""
import glob
import subprocess
import sys

GATE, VMAF, SYNTHCLIP, BACKEND = sys.argv[1:5]
LAYERS = [word.split('=')[1] for word in sys.argv[5:] if word.startswith('--layers=')]
FEW = [word for clip in ('mix_8', 'quant_12', 'one_frame', 'tiny_8') for word in ('--clip', clip)]
WORDS = [word for word in sys.argv[5:] if word != '--few' and not word.startswith('--layers=')]


def gate(*words):
    status = subprocess.run([sys.executable, GATE, VMAF, SYNTHCLIP, '--backend', BACKEND, '--allow_software', *words]).returncode
    if status == 2:
        sys.exit(77)
    if status:
        sys.exit(status)


checked = any(glob.glob(pattern) for pattern in LAYERS)
if '--few' not in sys.argv[5:]:
    gate(*WORDS)
elif not checked:
    gate(*WORDS, *FEW)
if checked:
    gate('--validate', *FEW)
elif LAYERS:
    print('The checks of the driver are not installed: run without them.')
