#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Score a small generated pair of videos and show the result.

usage: demo.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile

build = sys.argv[1]
WIDTH, HEIGHT, FRAMES = 640, 360, 48


def bar(value, top, width=32):
    eighths = round(value / top * width * 8)
    full, rest = divmod(eighths, 8)
    return ('█' * full + (' ▏▎▍▌▋▊▉'[rest] if rest else '')).ljust(width, '░')


def spark(values):
    low, high = min(values), max(values)
    steps = '▁▂▃▄▅▆▇█'
    return ''.join(steps[int((v - low) / (high - low + 1e-9) * 7.999)] for v in values)


with tempfile.TemporaryDirectory() as folder:
    ref, dist, log = (os.path.join(folder, name) for name in ('ref.yuv', 'dist.yuv', 'log.json'))
    subprocess.check_call([f'{build}/test/synth/synthclip', 'mix', str(WIDTH), str(HEIGHT), '420', '8', str(FRAMES), ref,
                           dist])
    threads = os.cpu_count() or 1
    subprocess.check_call([f'{build}/tools/vmaf', '-r', ref, '-d', dist, '-w', str(WIDTH), '-h', str(HEIGHT), '-p', '420',
                           '-b', '8', '--feature', 'psnr', '--threads', str(threads), '-q', '--json', '-o', log])
    report = json.load(open(log))

pooled = report['pooled_metrics']
vmaf, psnr = pooled['vmaf'], pooled['psnr_y']
frames = [frame['metrics']['vmaf'] for frame in report['frames']]
colour, bold, plain = ('\033[32m', '\033[1m', '\033[0m') if sys.stdout.isatty() else ('', '', '')
print(f'''
  {bold}vmaf-turbo {report['version']}{plain}   a generated pair, {WIDTH}x{HEIGHT}, {FRAMES} frames, blurred and noisy

  VMAF    {colour}{bar(vmaf['mean'], 100)}{plain} {bold}{vmaf['mean']:6.2f}{plain}   from {vmaf['min']:.2f} to {vmaf['max']:.2f}
  PSNR    {colour}{bar(psnr['mean'], 60)}{plain} {psnr['mean']:6.2f} dB
  frames  {spark(frames)}
  speed   {report['fps']:.0f} frames a second, {threads} thread{'s' if threads > 1 else ''}

  Your own videos:   {build}/tools/vmaf -r reference.y4m -d distorted.y4m
  Everything else:   {build}/tools/vmaf --help
''')
