#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests missing and broken FFmpeg libraries: the command starts and scores Y4M, and names what other videos need.

usage: libav_missing_test.py VMAF SYNTHCLIP WORKDIR
"""
import os
import re
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
NAMES = ('libavformat', 'libavcodec', 'libavutil', 'libswscale')
FAIL = 255
MAJORS = range(4, 100)
files = inputs.Inputs(synthclip, work)
os.chdir(work)
problems = []


def libraries(folder, names, data):
    """Makes a folder with files that have the libraries' names, of any version."""
    os.makedirs(folder, exist_ok=True)
    for name in names:
        for major in MAJORS:
            files.put(f'{folder}/{name}.so.{major}', data)
    return os.path.abspath(folder)


def score(folder, *args):
    if os.path.exists('out.json'):
        os.remove('out.json')
    env = {**os.environ, 'LD_LIBRARY_PATH': f'{folder}:{os.environ.get("LD_LIBRARY_PATH", "")}'.rstrip(':')}
    return subprocess.run([vmaf, *args, '-q', '-n', '--feature', 'psnr', '-o', 'out.json', '--json'], env=env, capture_output=True,
                          text=True, timeout=300, stdin=subprocess.DEVNULL)


def check(what, good, run):
    if not good:
        problems.append(what)
        print(f'{what}\n  exit status {run.returncode}; said: {run.stderr}')


def fails(what, folder, begin, library, *args):
    """Checks for one line that names the library and its package, and for no report."""
    run = score(folder, *args)
    check(f'{what}: exit status', run.returncode == FAIL, run)
    check(f'{what}: a report', not os.path.exists('out.json'), run)
    lines = [line for line in run.stderr.splitlines() if 'Debian: ' in line]
    check(f'{what}: not one line with a remedy', len(lines) == 1, run)
    for line in lines:
        named = re.search(rf'({library})\.so\.(\d+).*\(Debian: \1\2\)', line)
        check(f'{what}: another line', line.startswith(begin) and named, run)


clip = files.clip('mix', '64', '64', '420', '8', '2')
files.y4m('ref.y4m', clip[0])
files.y4m('dist.y4m', clip[1])
files.y4m('small.y4m', files.clip('mix', '32', '32', '420', '8', '2')[0], 'W32 H32 F30:1 Ip A1:1 C420jpeg', 32 * 32 * 3 // 2)
files.put('movie.mp4', b'\0\0\0\x20ftypisom' + bytes(1000))

empty = libraries('empty', NAMES, b'')
run = score(empty, '-r', 'ref.y4m', '-d', 'dist.y4m')
check('Y4M needs the libraries', run.returncode == 0 and os.path.exists('out.json'), run)
fails('no library', empty, 'movie.mp4: ', 'libavformat', '-r', 'ref.y4m', '-d', 'movie.mp4')
fails('no library, to scale', empty, '32x32 cannot be scaled to 64x64: ', 'libavformat', '-r', 'ref.y4m', '-d', 'small.y4m',
      '--scale', 'bicubic')

# Any other library lacks the functions.
other = re.search(r'libjansson\S* => (\S+)', subprocess.run(['ldd', vmaf], capture_output=True, text=True).stdout)
if other:
    strange = libraries('strange', NAMES[3:], open(other[1], 'rb').read())
    fails('no function', strange, 'movie.mp4: libswscale', 'libswscale', '-r', 'ref.y4m', '-d', 'movie.mp4')

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
