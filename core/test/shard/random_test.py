#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests that merged reports equal those of a single run, byte for byte except for the speed, with random clips,
features, models, options and numbers of parts.

usage: random_test.py VMAF SYNTHCLIP WORKDIR [RUNS [SEED]]
"""
import random
import sys

import shards

runs = int(sys.argv[4]) if len(sys.argv) > 4 else 12
seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
dice = random.Random(seed)

KINDS = ('blur', 'noise', 'quant', 'mix', 'shift', 'flat', 'same')
FEATURES = ('psnr', 'psnr=enable_apsnr=true:enable_mse=true', 'psnr=enable_chroma=false', 'motion', 'motion=debug=true',
            'motion=motion_five_frame_window=true', 'motion=motion_moving_average=true',
            'motion=motion_five_frame_window=true:motion_moving_average=true:motion_blend_factor=0.5:motion_blend_offset=2',
            'motion=motion_force_zero=true', 'float_motion', 'float_motion=debug=true', 'vif', 'adm', 'float_vif=debug=true',
            'float_adm', 'float_psnr', 'float_ansnr', 'float_moment', 'float_ssim', 'ssim', 'psnr_hvs', 'ciede', 'null', 'xpsnr',
            'xpsnr=fps=60', 'ssimulacra2', 'ssimulacra2=matrix=bt601:prune=true')
LARGE = ('cambi', 'speed_temporal', 'speed_temporal=speed_use_ref_diff=true', 'speed_chroma', 'float_ms_ssim')
MODELS = ('version=vmaf_v0.6.1', 'version=vmaf_v0.6.1neg', 'version=vmaf_b_v0.6.3', 'version=vmaf_float_v0.6.1',
          'version=vmaf_v0.6.1:name=phone:enable_transform=true', 'version=vmaf_4k_v0.6.1')
OPTIONS = (('--subsample', '2'), ('--subsample', '5'), ('--frame_cnt', '6'), ('--frame_skip_ref', '2'), ('--frame_skip_dist', '1'),
           ('--precision', 'max'), ('--offset', '1'), ('--offset', '-2'), ('--duration', '5'), ('--duration', '0.2s'),
           ('--pool', 'mean,p5'), ('--sync', 'nearest'), ('--fps', '30'), ('--fps', '10'), ('--backend', 'cpu'))


def model_choice():
    names = dice.sample(MODELS, dice.choice((0, 1, 1, 2, 3)))
    words = []
    for i, name in enumerate(names):
        words += ['--model', name if 'name=' in name else f'{name}:name=m{i}']
    return words or dice.choice(([], ['-n', '--feature', 'psnr']))


def option_choice(raw):
    words, seen = [], set()
    for name, value in dice.sample(OPTIONS, dice.choice((0, 1, 2))):
        clash = {'--fps': '--sync', '--sync': '--fps'}.get(name)
        if name in seen or clash in seen or (raw and (name in ('--fps', '--sync') or value.endswith('s'))):
            continue
        seen.add(name)
        words += [name, value]
    return words


for number in range(runs):
    large = dice.random() < 0.4
    sampling = dice.choice((420, 420, 422, 444))
    width, height = (dice.choice((256, 241)), dice.choice((216, 218))) if large else (dice.randint(32, 90), dice.randint(32, 90))
    depth, frames = dice.choice((8, 8, 10, 12)), dice.randint(1, 8 if large else 24)
    raw = dice.random() < 0.3
    ref, dist = shards.clip('clip', dice.choice(KINDS), width, height, sampling, depth, max(frames, 5), y4m=not raw)
    args = ['-r', ref, '-d', dist, '--threads', dice.choice('012')]
    if raw:
        args += ['-w', str(width), '-h', str(height), '-p', str(sampling), '-b', str(depth)]
    pool = FEATURES + (LARGE if large else ())
    chosen = {}
    for feature in dice.sample(pool, dice.randint(0, 4)):  # an extractor given twice would keep the options of the first
        chosen.setdefault(feature.split('=')[0], feature)
    for feature in chosen.values():
        args += ['--feature', feature]
    args += model_choice() + option_choice(raw)
    shards.same(f'run {number} of seed {seed}', args, dice.choice((1, 2, 3, 4, 7, 30)), dice.choice(shards.FORMATS),
                shuffle=dice.shuffle)

# Frame headers of different lengths: frames must be found one by one.
ref, dist = shards.clip('marked', 'mix', 64, 64, 420, 8, 12, mark=lambda i: b'FRAME Ip\n' if i % 3 else b'FRAME\n')
shards.same('headers that differ', [ref, dist, '--feature', 'psnr'], 4)
shards.same('nothing to measure', [ref, dist, '-n'], 3)
# Far fewer frames than the file size suggests: the last parts find none.
few = shards.clip('few', 'mix', 32, 32, 420, 8, 9, mark=lambda i: b'FRAME X' + b'x' * 3000 + b'\n')
shards.same('fewer frames than expected', [*few], 6)
if shards.run(ref, dist, '--backend', 'host', '-q').returncode == 0:
    shards.same('on a device', [ref, dist, '--backend', 'host', '--feature', 'psnr', '--feature', 'ciede'], 3)
    shards.same('by the name of a device', [ref, dist, '--feature', 'motion_host', '--subsample', '2'], 3, 'xml')
ref, dist = shards.clip('preset', 'mix', 256, 216, 420, 8, 4)
shards.same('by a preset', [ref, dist, '--aom_ctc', 'v1.0'], 2)
# A wrong offset shows in frames that several parts have read.
ref, dist = shards.clip('moved', 'noise', 64, 48, 420, 8, 30)
for offset in ('-2', '0.08s', '0'):
    shards.same(f'offset {offset}', [ref, dist, '--offset', offset, '--feature', 'psnr'], 4)
    suspected = b'"offset_suspected"' in shards.report('report.json')
    shards.check(f'offset {offset}: a warning is {"missing" if offset != "0" else "wrong"}', suspected == (offset != '0'))
shards.finish()
