#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests how many pictures the command holds in memory at once, by its peak memory with large pictures.

usage: footprint_test.py VMAF WORKDIR
"""
import os
import subprocess
import sys

vmaf, work = (os.path.abspath(p) for p in sys.argv[1:3])
WIDTH, HEIGHT, FRAMES = 7680, 4320, 4
LUMA = WIDTH * HEIGHT
# Feature, bytes of a picture that are read, and number of pictures: the pair in work, and both pictures of the next pair,
# or one of them where they have chroma.
CASES = (('psnr_hvs', LUMA * 3 // 2, 3), ('float_moment', LUMA, 4))
problems = []

os.environ['MALLOC_PERTURB_'] = '0'  # touches memory that is not in use
os.makedirs(work, exist_ok=True)
os.chdir(work)
with open('black.yuv', 'wb') as film:
    film.truncate(LUMA * 3 // 2 * FRAMES)  # takes no disk space
for feature, size, pictures in CASES:
    words = f'-r black.yuv -d black.yuv -w {WIDTH} -h {HEIGHT} -p 420 -b 8 -n --threads 0 -q -o /dev/null --feature {feature}'
    child = subprocess.Popen([vmaf] + words.split())
    _, status, usage = os.wait4(child.pid, 0)
    held = usage.ru_maxrss * 1024 / size
    print(f'{feature}: {held:.2f} pictures')
    if status:
        problems.append(f'{feature}: status {status}')
    elif held > pictures + 0.8:
        problems.append(f'{feature} holds {held:.2f} pictures, not {pictures} and a little')
os.remove('black.yuv')
for problem in problems:
    print('wrong:', problem)
sys.exit(1 if problems else 0)
