#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests VMAF_GPU_PROFILE: it prints times of kernels or frames on the device, and the scores stay the same.

usage: profile_test.py VMAF SYNTHCLIP WORKDIR
"""
import os
import re
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
FRAMES = 5
PASS = re.compile(r'gpu profile: (\w+) +stage (\d) (\w+) +([\d.]+) us')
problems = []

files = inputs.Inputs(synthclip, work)
os.chdir(work)
for name, data in zip('rd', files.clip('mix', '64', '64', '420', '8', str(FRAMES))):
    files.put(f'{name}.yuv', data)


def run(asked):
    """Returns the lines of the profile, and the scores."""
    environment = {k: v for k, v in os.environ.items() if k != 'VMAF_GPU_PROFILE'}
    if asked is not None:
        environment['VMAF_GPU_PROFILE'] = asked
    command = [vmaf, *'-r r.yuv -d d.yuv -w 64 -h 64 -p 420 -b 8 --backend host --precision max -q -o out.json --json'.split()]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{command}: exit code {done.returncode}\n{done.stderr}')
    with open('out.json') as file:
        scores = re.findall(r'"frameNum".*?"metrics": \{.*?\}', file.read(), re.S)
    return [line for line in done.stderr.splitlines() if line.startswith('gpu profile')], scores


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


nothing, wanted = run(None)
check('unasked', nothing == [] and len(wanted) == FRAMES, nothing, len(wanted))
for other in ('0', ''):
    check(f'"{other}"', run(other) == (nothing, wanted))

lines, scores = run('1')
passes = [PASS.fullmatch(line) for line in lines[:-1]]
check('by pass', all(passes) and {m[1] for m in passes} == {'adm', 'motion', 'vif'}, lines)
check('stages', [m[2] for m in passes] == sorted(m[2] for m in passes), lines)
total = re.fullmatch(r'gpu profile: (\d+) frames, ([\d.]+) us of kernels each', lines[-1] if lines else '')
check('total', total and int(total[1]) == FRAMES and
      abs(float(total[2]) - sum(float(m[4]) for m in passes)) < 0.01 * (len(passes) + 1), lines)
check('scores by pass', scores == wanted)

lines, scores = run('frames')
whole = re.fullmatch(r'gpu profile: (\d+) frames by themselves, ([\d.]+) us each', lines[0] if lines else '')
check('by frame', len(lines) == 1 and whole and int(whole[1]) == FRAMES and float(whole[2]) > 0, lines)
check('scores by frame', scores == wanted)

if problems:
    sys.exit('\n'.join(problems))
