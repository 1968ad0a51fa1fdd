#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Write figures/large.txt and figures/small.txt: the scores that the executable specifications
beside this repository (../shared/spec) give for the largest and the smallest generated clips. The
only program of this repository that is used generates the clips.

usage: make_sizes.py TOP SYNTHCLIP          needs numpy; takes some minutes
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from math import inf

top, synthclip = (os.path.abspath(p) for p in sys.argv[1:3])
shared = os.path.join(top, '..', 'shared')
MODEL = 'vmaf_v0.6.1'

# The last width is a prime above 2,880. It makes vif's last strip narrower than the reach of its
# kernel, and the frame large enough for motion, too, to be divided between threads. These tables
# give the specification of each feature.
FEW = {'vif': 'vif', 'adm': 'adm', 'motion': 'motion', 'psnr': 'psnr'}
ALL = {**FEW, 'float_ssim': 'ssim', 'psnr_hvs': 'psnr_hvs', 'ciede': 'ciede'}
BANDING = {'cambi': 'cambi'}
MOTION = {'motion': 'motion'}
XPSNR = {'xpsnr': 'xpsnr'}
SSIMULACRA2 = {'ssimulacra2': 'ssimulacra2'}
LARGE = [
    ('mix 1280 720 420 8 2', ALL),
    ('quant 1280 720 420 10 2', ALL),
    ('mix 1920 1080 420 8 2', FEW),
    ('blur 1920 1080 420 10 2', FEW),
    ('bands 1920 1080 420 8 1', BANDING),
    ('mix 2887 867 420 8 2', FEW),
    ('noise 2887 867 420 10 2', FEW),
    ('bands 2887 867 420 10 1', BANDING),
    ('mix 1920 1080 420 8 2', XPSNR),
    ('noise 2887 867 420 10 2', XPSNR),
    ('extreme 2049 1153 422 16 2', XPSNR),
    ('mix 1280 720 420 10 3', SSIMULACRA2),
]
# Below 16 samples vif's last scale has a single row or column and nothing to mirror. Motion needs
# at least 3 samples.
SMALL = [(f'{kind} {w} {h} 420 {depth} 2', {'vif': 'vif', **MOTION}) for kind, w, h, depth in (
    ('noise', 8, 8, 8), ('mix', 8, 37, 10), ('mix', 41, 9, 8), ('noise', 15, 15, 16), ('mix', 15, 16, 8),
    ('mix', 16, 15, 10), ('noise', 17, 31, 8), ('noise', 33, 16, 12))]
SMALL += [(f'mix {w} {h} 420 8 2', MOTION) for w, h in ((3, 3), (4, 3), (3, 4), (5, 7))]
SMALL += [(f'bands {w} {h} 420 {depth} 1', BANDING) for w, h, depth in ((320, 216, 8), (413, 251, 10))]
# From 2025 samples on, xpsnr has blocks, first of 4x4 samples. The narrow blocks at the right and at the bottom are the
# difficult ones.
SMALL += [(f'{kind} {w} {h} {fmt} {depth} 3', XPSNR) for kind, w, h, fmt, depth in (
    ('noise', 1, 1, 400, 8), ('noise', 2, 3, 444, 16), ('mix', 44, 46, 420, 8), ('noise', 45, 45, 420, 12), ('mix', 2025, 1, 400, 10),
    ('mix', 1, 2025, 400, 8), ('extreme', 61, 113, 422, 16), ('mix', 113, 61, 420, 10), ('mix', 341, 111, 444, 8),
    ('mix', 649, 490, 420, 8))]
SMALL += [(f'{kind} {w} {h} {fmt} {depth} {frames}', SSIMULACRA2) for kind, w, h, fmt, depth, frames in (
    ('mix', 8, 8, 420, 8, 2), ('blur', 9, 8, 422, 10, 2), ('noise', 15, 9, 420, 8, 2), ('mix', 8, 200, 444, 8, 1),
    ('blur', 200, 8, 420, 16, 1), ('noise', 17, 33, 420, 12, 2), ('dim', 16, 16, 400, 8, 1), ('mix', 63, 65, 420, 14, 1),
    ('blur', 33, 32, 420, 9, 1), ('shift', 31, 64, 422, 11, 1))]
OF_MODEL = ('vif', 'adm', 'motion')
DEBUG_ONLY = re.compile(r'_(num|den)(_scale\d)?$|^aim_num|^integer_(vif|adm)$')


def spec(name, clip, folder):
    """Return the frames' scores by one specification, without values that are only for
    debugging."""
    _, w, h, fmt, depth, _ = clip.split()
    more = ['chroma=floor'] if name == 'xpsnr' else []
    out = subprocess.run([sys.executable, f'{shared}/spec/{name}.py', folder + '/ref', folder + '/dist', w, h, fmt, depth] + more,
                         capture_output=True, text=True, check=True).stdout
    if name == 'ssimulacra2':
        return [{name: float(line)} for line in out.splitlines()]
    frames = json.loads(out)['frames'] if out.startswith('{\n') or out.startswith('{"frames"') else \
        [json.loads(line) for line in out.splitlines()]
    return [{name: value for name, value in frame.items() if not DEBUG_ONLY.search(name)} for frame in frames]


def block(clip, features, folder):
    kind, w, h, fmt, depth, count = clip.split()
    subprocess.check_call([synthclip, kind, w, h, fmt, depth, count, folder + '/ref', folder + '/dist'])
    frames = [{} for _ in range(int(count))]
    for name in features.values():
        for frame, more in zip(frames, spec(name, clip, folder)):
            frame.update(more)
    lines = ['clip ' + clip]
    if all(name in features for name in OF_MODEL):
        lines.append('model ' + MODEL)
        json.dump({'frames': frames}, open(folder + '/features.json', 'w'))
        out = subprocess.run([sys.executable, shared + '/spec/model.py', f'{shared}/models/{MODEL}.json',
                              folder + '/features.json'], capture_output=True, text=True, check=True).stdout
        for frame, more in zip(frames, json.loads(out)['frames']):
            frame.update(more)
    else:
        lines += ['feature ' + name for name in features if name in OF_MODEL]
    lines += ['feature ' + name for name in features if name not in OF_MODEL]
    lines += [' '.join([name] + ['%.17g' % (inf if frame[name] is None else frame[name]) for frame in frames]) for name in frames[0]]
    return '\n'.join(lines) + '\n'


def table(name, clips):
    with tempfile.TemporaryDirectory() as folder:
        blocks = [block(clip, features, folder) for clip, features in clips]
    with open(os.path.join(top, 'core', 'test', 'golden', 'figures', name), 'w') as file:
        file.write('# Written by make_sizes.py, from the executable specifications alone.\n')
        file.write('\n'.join(blocks))


for name, clips in (('small.txt', SMALL), ('large.txt', LARGE)):
    table(name, clips)
