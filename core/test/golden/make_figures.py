#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Write the tables in figures/ from the reference's figures beside this repository
(../shared/golden).

usage: make_figures.py TOP [VMAF SYNTHCLIP]

There is one table for each folder. It has the default case on all small generated clips, and every
other case on the smallest clip. Cases that were recorded only on real videos are scored by VMAF, if
it is given; it must agree with all recorded figures.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

top = os.path.abspath(sys.argv[1])
vmaf, synthclip = sys.argv[2:4] if len(sys.argv) > 3 else (None, None)
shared = os.path.join(top, '..', 'shared')
manifest = json.load(open(shared + '/clips/clips.json'))
out = os.path.join(top, 'core', 'test', 'golden', 'figures')
LARGEST = 352 * 288


def area(clip):
    return manifest[clip]['width'] * manifest[clip]['height']


def number(value):
    return '-' if value is False else '*' if value is None else '%.17g' % value


def block(clip, args, frames, aggregate):
    lines = [f'clip {clip}', 'args ' + ' '.join(args)]
    names = []
    for frame in frames:
        names += [name for name in frame if name not in names]
    for name in names:
        lines.append(' '.join([name] + [number(frame.get(name, False)) for frame in frames]))
    lines += [f'aggregate {name} {number(value)}' for name, value in aggregate.items()]
    return '\n'.join(lines) + '\n'


def words(case):
    args = []
    for feature in case['features']:
        args += ['--feature', feature]
    for model in case['models']:
        args += ['--model', model]
    if not case['models']:
        args.append('--no_prediction')
    if 'subsample' in case:
        args += ['--subsample', str(case['subsample'])]
    return args


def spread(case, count):
    """Return the frames at their indexes. A run with subsampling records only the scored ones."""
    step = case.get('subsample', 1)
    frames = [{} for _ in range(count)]
    for i, frame in enumerate(case['frames']):
        frames[i * step] = frame
    return frames


def frame_count(clip, folder):
    path = f'{folder}/{clip}_ref.yuv'
    meta = manifest[clip]
    samples = {'400': 1, '420': 1.5, '422': 2, '444': 3}[meta['pixfmt']]
    if meta['pixfmt'] == '420':
        w, h = meta['width'], meta['height']
        samples = (w * h + 2 * ((w + 1) // 2) * ((h + 1) // 2)) / (w * h)
    return round(os.path.getsize(path) / (area(clip) * samples * (2 if meta['bitdepth'] > 8 else 1)))


def score(clip, args, folder):
    meta = manifest[clip]
    log = folder + '/log.json'
    cmd = [vmaf, '-r', f'{folder}/{clip}_ref.yuv', '-d', f'{folder}/{clip}_dist.yuv', '-w', str(meta['width']), '-h',
           str(meta['height']), '-p', meta['pixfmt'], '-b', str(meta['bitdepth']), '-q', '--json', '-o', log,
           '--precision', 'max', '--cpumask', '-1']
    if subprocess.run(cmd + args, capture_output=True).returncode:
        return None
    report = json.load(open(log))
    return {'frames': [frame['metrics'] for frame in report['frames']], 'aggregate': report['aggregate_metrics']}


def table(name, clips):
    cases = {}
    for path in sorted(glob.glob(f'{shared}/golden/{name}/*--*.json')):
        case = json.load(open(path))
        if isinstance(case, dict) and case.get('clip') in manifest and not any('path=' in m for m in case['models']):
            cases.setdefault(os.path.basename(path).split('--')[0], []).append(case)
    blocks = []
    for label, recorded in cases.items():
        made = [c for c in recorded if manifest[c['clip']]['ref'].startswith('synth') and area(c['clip']) <= LARGEST]
        made.sort(key=lambda c: (area(c['clip']), c['clip']))
        keep = made if label == 'default' or len(cases) == 1 else made[:1]
        for case in keep:
            frames = spread(case, frame_count(case['clip'], clips))
            blocks.append(block(case['clip'], words(case), frames, case.get('aggregate', {})))
        if not made and vmaf and 'subsample' not in recorded[0]:
            for clip in ('mix_352x288_10', 'quant_352x288_12'):
                case = score(clip, words(recorded[0]), clips)
                if case:
                    blocks.append(block(clip, words(recorded[0]), case['frames'], case['aggregate']))
                    break
            else:
                print(f'{name}/{label}: there is no clip for this case')
    with open(f'{out}/{name}.txt', 'w') as file:
        file.write('\n'.join(blocks))


os.makedirs(out, exist_ok=True)
with tempfile.TemporaryDirectory() as clips:
    subprocess.check_call([os.path.abspath(synthclip), '--all', clips])
    for name in sorted(os.listdir(shared + '/golden')):
        if glob.glob(f'{shared}/golden/{name}/*--*.json') and name != 'cli':
            table(name, clips)
