# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs the gate on all devices, then once more with the validation layers on a few clips.

usage: gate_test.py GATE VMAF SYNTHCLIP
"""
import glob
import subprocess
import sys

GATE, VMAF, SYNTHCLIP = sys.argv[1:4]


def gate(*words):
    status = subprocess.run([sys.executable, GATE, VMAF, SYNTHCLIP, *words]).returncode
    if status == 2:
        sys.exit(77)
    if status:
        sys.exit(status)


gate()
if not glob.glob('/usr/share/vulkan/explicit_layer.d/*validation*.json'):
    print('The validation layers are not installed: not run.')
    sys.exit(0)
gate('--validate', '--clip', 'mix_8', '--clip', 'quant_12', '--clip', 'one_frame', '--clip', 'tiny_8')
