#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests the command on a device that never finishes its n-th submission: the command must print an
error, write no report and exit.

usage: hang_test.py VMAF SYNTHCLIP WORKDIR
"""
import os
import subprocess
import sys

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
os.makedirs(work, exist_ok=True)
os.chdir(work)
subprocess.check_call([synthclip, 'mix', '64', '64', '420', '8', '6', 'r.yuv', 'd.yuv'])
ARGS = '-r r.yuv -d d.yuv -w 64 -h 64 -p 420 -b 8 --backend host -o out.xml'.split()
problems = []


def run(nth, threads):
    """Runs the command with submission number `nth` hanging. Returns 1 if the hang happened, else
    0."""
    if os.path.exists('out.xml'):
        os.remove('out.xml')
    env = dict(os.environ, VMAF_HOST_HANG=str(nth))
    done = subprocess.run([vmaf, '--threads', str(threads)] + ARGS, env=env, text=True, stderr=subprocess.PIPE,
                          timeout=300)
    said = done.stderr.count('is given up')
    if (done.returncode, said, os.path.exists('out.xml')) not in ((255, 1, False), (0, 0, True)):
        problems.append(f'submission {nth}, {threads} threads: exit code {done.returncode}, said: {done.stderr}')
    return said


for threads in (0, 2):
    nth = 1
    while run(nth, threads) and nth < 100:
        nth += 1
    if nth < 3:
        problems.append(f'only {nth - 1} submissions could hang')
for problem in problems:
    print(problem)
sys.exit(len(problems) > 0)
