#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Write figures/xpsnr.txt from the figures that FFmpeg's filter gave, which are beside this
repository (../shared/golden-more/xpsnr).

usage: make_xpsnr.py TOP
"""
import json
import os
import sys

top = os.path.abspath(sys.argv[1])
golden = os.path.join(top, '..', 'shared', 'golden-more', 'xpsnr')
CLIPS = ('blur_64x64', 'noise_97x61', 'mix_176x144', 'mix_352x288_10', 'quant_352x288_12', 'blur_320x180_16', 'noise_200x120_444',
         'dim_160x90_400', 'shift_131x75_10', 'same_176x144', 'flat_128x96', 'extreme_128x96', 'extreme_128x96_16',
         'check_256x144', 'check_256x144_10', 'mix_1_frame', 'mix_640x360', 'blur_32x32', 'noise_17x17', 'mix_1280x720_10')


def text(value):
    return '*' if value is None else '%.17g' % value


def block(clip, fps, options, metrics):
    figures = json.load(open(f'{golden}/{fps}--{clip}.json'))
    figures.update(figures.get('floor_chroma', {}))  # libvmaf rounds the size of chroma down
    lines = [f'clip {clip}', f'args --feature xpsnr{options} --no_prediction']
    metrics = [name for name in figures['average'] if name in metrics]
    lines += [' '.join([name] + [text(frame[name]) for frame in figures['frames']]) for name in metrics]
    lines += [f'aggregate a{name} {text(figures["average"][name])}' for name in metrics]
    return '\n'.join(lines) + '\n'


ALL = ('xpsnr_y', 'xpsnr_u', 'xpsnr_v')
blocks = [block(clip, fps, options, ALL) for clip in CLIPS for fps, options in ((24, ''), (60, '=fps=60'))]
blocks.append(block('noise_97x61', 24, '=enable_chroma=false:fps=31.9', ALL[:1]))
with open(os.path.join(top, 'core', 'test', 'golden', 'figures', 'xpsnr.txt'), 'w') as file:
    file.write('\n'.join(blocks))
