#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests score limits for metrics of features, in runs, merges and stored reports; infinite scores and figures of the
whole video on pages; and the lines for names that other tools have.

usage: feature_limits_test.py VMAF SYNTHCLIP WORKDIR
"""
import json
import os
import re
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
problems = []
files = inputs.Inputs(synthclip, work)
os.chdir(work)
SIZE = 64 * 64 * 3 // 2
ref, dist = files.clip('noise', '64', '64', '420', '8', '5')
# Three frames equal the reference, two are nothing like it: their XPSNR is infinite, their SSIMULACRA2 negative.
dist = ref[:SIZE] + dist[SIZE:2 * SIZE] + bytes(255 - x for x in ref[2 * SIZE:3 * SIZE]) + ref[3 * SIZE:]
files.put('ref.yuv', ref)
files.put('dist.yuv', dist)
BOTH = '-r ref.yuv -d dist.yuv -w 64 -h 64 -p 420 -b 8 -q --feature xpsnr --feature ssimulacra2'


def run(args):
    done = subprocess.run([vmaf] + args.split(), capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stderr + done.stdout


def expect(title, good, got):
    if not good:
        problems.append(f'{title}: {got}')


code, said = run(f'{BOTH} -n -o whole.json --precision max --html page.html')
expect('the run', code == 0, said)
report = json.load(open('whole.json'))
frames = [frame['metrics'] for frame in report['frames']]
clip = report['aggregate_metrics']
ssimu2 = sorted(frame['ssimulacra2'] for frame in frames)
expect('infinite frames', [frame['xpsnr_y'] is None for frame in frames] == [True, False, False, True, True], frames)
expect('a negative score', ssimu2[0] < 0, ssimu2)
expect('figures of the video', sorted(clip) == ['axpsnr_u', 'axpsnr_v', 'axpsnr_y'] and None not in clip.values(), clip)
lowest = min(frame['xpsnr_y'] for frame in frames if frame['xpsnr_y'] is not None)
mean = sum(ssimu2) / len(ssimu2)
worst = min(clip.values())

# A limit, and the line that it gives; None: it passes.
LIMITS = [
    (f'ssimulacra2:{mean - 1e-4}', None), (f'ssimulacra2:{mean + 1e-4}', 'ssimulacra2: its mean is'),
    (f'ssimulacra2:{ssimu2[0] - 1e-4}:min', None), (f'ssimulacra2={ssimu2[0] + 1e-4}:min', 'ssimulacra2: its min is'),
    # The mean of the frames is infinite: what counts is the figure of the whole video.
    (f'xpsnr_y:{clip["axpsnr_y"] - 1e-4}', None), (f'xpsnr_y:{clip["axpsnr_y"] + 1e-4}', 'axpsnr_y is'),
    (f'axpsnr_y={clip["axpsnr_y"] - 1e-4}', None), (f'axpsnr_y:{clip["axpsnr_y"] + 1e-4}', 'axpsnr_y is'),
    ('xpsnr_y:200:mean', None), ('xpsnr_y:200:median', None),
    (f'xpsnr_y:{lowest - 1e-4}:min', None), (f'xpsnr_y:{lowest + 1e-4}:p0', 'xpsnr_y: its p0 is'),
    (f'xpsnr:{worst - 1e-4}', None), (f'xpsnr:{worst + 1e-4}', ' is ')]
run(f'{BOTH} -n --frames 0-1 -o 0.part')
for limit, line in LIMITS:
    run(f'{BOTH} -n --frames 0-1 -o 0.part --fail-under {limit}')
    run(f'{BOTH} -n --frames 2-4 -o 2.part --fail-under {limit}')
    for way, args in (('a run', f'{BOTH} -n -o out.json --fail-under {limit}'),
                      ('a merge', '--merge 0.part 2.part -q -o merged.json'),
                      ('a stored report', f'--report whole.json --fail-under {limit}')):
        code, said = run(args)
        lines = said.count(', below ')
        expect(f'{limit} in {way}', (code, lines > 0) == ((0, False) if line is None else (2, True)), (code, said))
        expect(f'{limit} in {way}', line is None or line in said, said)

for args, code, words in (
        ('--fail-under ssimulacra2:70:p5', 1, 'ssimulacra2 is not measured: add --feature ssimulacra2'),
        ('--fail-under xpsnr:40', 1, 'xpsnr is not measured: add --feature xpsnr'),
        ('--feature xpsnr -n --fail-under 40', 1, 'name a metric, as in ssimulacra2:70'),
        ('--feature xpsnr --fail-under ssim:1', 1, 'ssim is not measured: add --feature ssim'),
        ('--feature xpsnr --fail-under nothing:1', 1, 'no model or feature is called "nothing"; there is vmaf, xpsnr'),
        ('--feature xpsnr -n --fail-under axpsnr_y:40:p5', 1, 'axpsnr_y is one figure for the whole video: leave out :p5'),
        ('--feature xpsnr=enable_chroma=false -n --fail-under xpsnr_u:1', 255, 'xpsnr_u has no scores in this run'),
        ('--feature xpsnr --fail-under vmaf:0 --fail-under 0', 0, 'vmaf'),
        ('--feature ssimu2', 255, 'unknown extractor "ssimu2"; here its name is ssimulacra2: --feature ssimulacra2'),
        ('--feature SSIMULACRA-2', 255, 'here its name is ssimulacra2'),
        ('--feature ms-ssim', 255, 'here its name is float_ms_ssim')):
    got, said = run(f'-r ref.yuv -d dist.yuv -w 64 -h 64 -p 420 -b 8 -q {args}')
    expect(args, got == code and words in said, (got, said))
code, said = run('--report whole.json --fail-under psnr_y:1')
expect('a report without the metric', code == 255 and 'no model or metric that is called "psnr_y"' in said, (code, said))

# A page shows the unit, the figure of the whole video, and a chart from below 0.
text = open('page.html', encoding='utf-8').read()
expect('the unit', 'xpsnr_y <small>in dB</small>' in text and 'ssimulacra2 <small>in dB' not in text, 'not on the page')
rows = re.findall(r'<th>axpsnr_y <small>in dB</small> <small>of the whole video</small><td>([^<]*)', text)
expect('the figure of the whole video', rows == [f'{clip["axpsnr_y"]:.2f}'], rows)
lows = [float(x) for x in re.findall(r'<section class="chart[^>]*data-low=(\S+)', text)]
expect('a chart from below 0', min(lows) <= ssimu2[0], lows)
run('-r ref.yuv -d ref.yuv -w 64 -h 64 -p 420 -b 8 -n -q --feature xpsnr --html same.html -o same.json')
text = open('same.html', encoding='utf-8').read()
expect('a page without an error', '<b>∞</b> xpsnr_y' in text, 'no infinity')
expect('a report without an error', run('--report same.json --fail-under xpsnr:99') == (0, 'xpsnr_y: inf\n'), run('--report same.json'))

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
