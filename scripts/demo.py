#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Score a small generated pair of videos and show the result.

usage: demo.py BUILD
"""
import os
import subprocess
import sys
import tempfile

build = sys.argv[1]
WIDTH, HEIGHT, FRAMES = 640, 360, 48
vmaf = f'{build}/tools/vmaf'

bold, plain = ('\033[1m', '\033[0m') if sys.stderr.isatty() else ('', '')
version = subprocess.run([vmaf, '--version'], capture_output=True, text=True, check=True).stderr.strip()
print(f'\n  {bold}vmaf-turbo {version}{plain}   a generated pair, {WIDTH}x{HEIGHT}, {FRAMES} frames, blurred and noisy\n',
      flush=True)
with tempfile.TemporaryDirectory() as folder:
    ref, dist = (os.path.join(folder, name) for name in ('ref.yuv', 'dist.yuv'))
    subprocess.check_call([f'{build}/test/synth/synthclip', 'mix', str(WIDTH), str(HEIGHT), '420', '8', str(FRAMES), ref,
                           dist])
    subprocess.check_call([vmaf, '-r', ref, '-d', dist, '-w', str(WIDTH), '-h', str(HEIGHT), '-p', '420', '-b', '8',
                           '--html', f'{build}/demo.html'])
print(f'''
  A page of it:      {build}/demo.html
  Your own videos:   {vmaf} reference.y4m distorted.y4m
  Everything else:   {vmaf} --help
''')
