#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests which frame rate the command gives to xpsnr, and that its parts make the report of a single run.

usage: xpsnr_test.py VMAF SYNTHCLIP WORKDIR
"""
import json
import os
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
problems = []
files = inputs.Inputs(synthclip, work)
os.chdir(work)
CLIPS = dict(zip(('ref', 'dist'), files.clip('mix', '64', '64', '420', '8', '5')))
for name, data in CLIPS.items():
    files.put(f'{name}.yuv', data)
RAW = '-r ref.yuv -d dist.yuv -w 64 -h 64 -p 420 -b 8'


def put_y4m(name, rate):
    """Write a clip with a frame rate (None: without one)."""
    data, size = CLIPS[name], 64 * 64 * 3 // 2
    header = 'YUV4MPEG2 W64 H64' + (f' F{rate}' if rate else '') + ' Ip C420\n'
    frames = [b'FRAME\n' + data[i:i + size] for i in range(0, len(data), size)]
    files.put(f'{name}.y4m', header.encode() + b''.join(frames))


def run(args):
    done = subprocess.run([vmaf] + args.split(), capture_output=True, timeout=300, check=False)
    if done.returncode:
        problems.append(f'{args}: exit code {done.returncode}: {done.stderr.decode()}')
    return done.stderr.decode()


def score(args, feature='xpsnr', more=''):
    """Return what is scored, and whether the log says that the rate is unknown."""
    said = run(f'{args} -n -q --feature {feature} {more} --json -o out.json --precision max')
    report = json.load(open('out.json'))
    return ([frame['metrics'] for frame in report['frames']], report['aggregate_metrics']), 'rate is unknown' in said


def expect(title, found, wanted):
    if found != wanted:
        problems.append(f'{title}: {found}, not {wanted}')


slow, fast = (score(RAW, f'xpsnr=fps={fps}')[0] for fps in (31.97, 32))
if slow == fast:
    problems.append('both orders have the same scores')
expect('raw video', score(RAW), (slow, True))
Y4M = '-r ref.y4m -d dist.y4m'
for ref_rate, dist_rate, more, wanted in (
        ('24:1', '24:1', '', slow), ('60:1', '60:1', '', fast), ('32000:1001', '32000:1001', '', slow),
        ('60000:1001', '60000:1001', '', fast), ('60:1', '25:1', '--sync index', slow), ('25:1', '60:1', '--sync index', fast),
        ('60:1', None, '', fast), (None, '60:1', '', fast), ('50:1', '50:1', '--fps 25', None), ('4000:1', '4000:1', '', fast)):
    put_y4m('ref', ref_rate)
    put_y4m('dist', dist_rate)
    title = f'rates {ref_rate} and {dist_rate} {more}'
    found, is_unknown = score(Y4M, more=more)
    expect(title + ': rate is unknown', is_unknown, False)
    # --fps leaves out frames: the rate that counts is that of the frames that are scored.
    expect(title, found, wanted or score(Y4M, 'xpsnr=fps=25', more)[0])
put_y4m('ref', '60:1')
put_y4m('dist', '60:1')
expect('the option fps', score(Y4M, 'xpsnr=fps=24')[0], slow)
expect('--fps 25 of 50', score(Y4M, 'xpsnr=fps=60', '--fps 25')[0] == score(Y4M, more='--fps 25')[0], False)

# Parts: the second one begins where both frames before it exist.
run(f'{Y4M} -n -q --feature xpsnr --json -o whole.json --precision max')
for first, last in ((0, 0), (1, 2), (3, 4)):
    run(f'{Y4M} -n -q --feature xpsnr --precision max --frames {first}-{last} -o {first}.part')
run('--merge 0.part 1.part 3.part -q --json -o merged.json --precision max')
whole, merged = (json.load(open(name)) for name in ('whole.json', 'merged.json'))
for key in ('frames', 'pooled_metrics', 'aggregate_metrics'):
    expect(f'merged {key}', merged[key], whole[key])

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
