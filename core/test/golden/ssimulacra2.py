#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Compare ssimulacra2 with all figures of the executable specification, in
../shared/golden-more/ssimulacra2 beside this repository.

usage: ssimulacra2.py VMAF SYNTHCLIP WORKDIR TOP [ARG...]      arguments for the command

Exits with 77 (skipped) without these figures.
"""
import glob
import hashlib
import json
import os
import subprocess
import sys

vmaf, synthclip, work, top = (os.path.abspath(p) for p in sys.argv[1:5])
shared = os.path.join(top, '..', 'shared')
golden = os.path.join(shared, 'golden-more', 'ssimulacra2')
if not os.path.isdir(golden):
    sys.exit(77)
os.makedirs(work + '/synth', exist_ok=True)
subprocess.check_call([synthclip, '--all', work + '/synth'])
manifest = json.load(open(shared + '/clips/clips.json'))
values = wrong = 0


def files_of(case):
    """Return both files of a case and their geometry."""
    if 'clip' in case:
        clip = manifest[case['clip']]
        files = [os.path.join(work if clip[side].startswith('synth/') else shared + '/clips', clip[side]) for side in ('ref', 'dist')]
        return files, [str(clip[key]) for key in ('width', 'height', 'pixfmt', 'bitdepth')]
    files = [f'{work}/{case["pair"]}_{side}.yuv' for side in ('ref', 'dist')]
    definition = [str(item) for item in case['definition']]
    subprocess.check_call([synthclip] + definition + files)
    for file, side in zip(files, ('ref', 'dist')):
        if hashlib.sha256(open(file, 'rb').read()).hexdigest() != case['sha256'][side]:
            sys.exit(f'{file} differs from the file that the figures are of')
    return files, definition[1:5]


def scores(case):
    (ref, dist), (w, h, fmt, depth) = files_of(case)
    out = work + '/report.json'
    subprocess.check_call([vmaf, '-r', ref, '-d', dist, '-w', w, '-h', h, '-p', fmt, '-b', depth, '-n', '-q', '--feature',
                           case['features'][0], '--json', '-o', out, '--precision', 'max'] + sys.argv[5:])
    return json.load(open(out))


for path in sorted(glob.glob(golden + '/*--*.json')):
    with open(path) as file:
        case = json.load(file)
    # Still pictures, and depths that the command does not read (the test `small frames` has those).
    if 'tool' in case or 'definition' in case and case['definition'][4] not in (8, 10, 12, 16):
        continue
    report = scores(case)
    got = [frame['metrics'] for frame in report['frames']]
    values += len(got)
    if got != case['frames']:
        wrong += 1
        print(f'{os.path.basename(path)}: {got}, not {case["frames"]}')
print(f'{values} frames, {wrong} clips with wrong ones')
sys.exit(1 if wrong or not values else 0)
