#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Counts the encodes that searches need: those of vmaf-tune, and those by the published rules of ab-av1.

usage: searches.py VMAF_TUNE WORKDIR [ENCODER...]

ab-av1 itself is not run. Its rules are those that its documentation, its list of changes and its maintainer's answers describe
(README, CHANGELOG 0.6.0, issues 232, 327 and 356): crf-search begins in the middle of --min-crf and --max-crf, goes half way to the
bound that the score asks for, then to that bound, and interpolates on a straight line as soon as one setting reaches the target and
another one misses it. It ends at a score between the target and a tolerance above, which is 0.1 at first and doubles with each try
(never less than 0.1, times --crf-increment below 1), or when no setting is left between the two. Both programs see the same scores: those of
`vmaf-tune compare` for the whole clip. ab-av1 scales small videos up before it scores them; neither does here.
"""
import json
import math
import os
import subprocess
import sys

tune, work = (os.path.abspath(p) for p in sys.argv[1:3])
TARGET, SIZE, FRAMES = 95, '320x180', 48
# Sources of ffmpeg, with motion, noise, flat areas and text in different shares.
CLIPS = ['testsrc2=size={}:rate=24', 'mandelbrot=size={}:rate=24', 'life=size={}:rate=24:mold=10:ratio=0.1:death_color=#203040',
         'gradients=size={}:rate=24:speed=0.05', 'smptehdbars=size={}:rate=24,noise=all_strength=12:all_flags=t', 'cellauto=size={}:rate=24',
         'mandelbrot=size={}:rate=24:start_scale=0.2,noise=all_strength=6:all_flags=t', 'testsrc=size={}:rate=24,boxblur=3', 'sierpinski=size={}:rate=24',
         "testsrc2=size=640x360:rate=24,rotate='n/60',crop=320:180"]
# The bounds and the increment that ab-av1 has by default for each encoder.
ENCODERS = {'libx264:preset=veryfast': (10, 46, 0.1), 'libsvtav1:preset=10': (10, 55, 1)}


def call(*args):
    done = subprocess.run([tune, *args, '--json', 'o.json', '--cache', 'cache', '-q'], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode not in (0, 2):
        sys.exit(f'vmaf-tune {args}: {done.stderr}')
    return json.load(open('o.json'))


def score(clip, encoder, setting):
    return call('compare', clip, '--encoders', encoder, '--crf', f'{setting:g}')['points'][0]['score']


def by_published_rules(clip, encoder, low, high, step):
    """Returns the settings tried, in order, with their scores, and the one that is taken (None: none reaches the target)."""
    tried, best, worst = {}, None, None  # the best setting that misses, the worst that reaches
    setting = round((low + high) / 2 / step) * step
    while True:
        setting = round(min(max(setting, low), high), 4)
        tried[setting] = score(clip, encoder, setting)
        tolerance = max(0.1, 0.1 * 2 ** (len(tried) - 1) * min(step, 1))
        if tried[setting] >= TARGET:
            worst = setting
            if tried[setting] <= TARGET + tolerance or setting == high:
                return tried, setting
        else:
            best = setting
            if setting == low:
                return tried, None
        if worst is not None and best is not None:
            if best - worst < 1.5 * step:
                return tried, worst
            part = (tried[worst] - TARGET) / (tried[worst] - tried[best])
            setting = worst + math.floor(part * (best - worst) / step) * step
            setting = min(max(setting, worst + step), best - step)
        else:
            bound = high if best is None else low
            half = setting + (bound - setting) / 2
            setting = bound if len(tried) > 1 else round(half / step) * step


def make_clips():
    names = []
    for n, source in enumerate(CLIPS):
        names.append(f'clip{n}.mkv')
        subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', '-f', 'lavfi', '-i', source.format(SIZE), '-frames:v', str(FRAMES),
                        '-pix_fmt', 'yuv420p', '-c:v', 'ffv1', names[-1]], check=True)
    return names


os.makedirs(work, exist_ok=True)
os.chdir(work)
clips = make_clips()
for encoder in sys.argv[3:] or ENCODERS:
    low, high, step = ENCODERS[encoder]
    rows = []
    for clip in clips:
        found = call('search', clip, '--encoder', encoder, '--target', str(TARGET), '--samples', '0')
        tried, taken = by_published_rules(clip, encoder, low, high, step)
        own = found["found"] or {}
        rows.append((len(found['tries']), own.get('score', math.nan) - TARGET, len(tried), tried.get(taken, math.nan) - TARGET))
        print(f'{encoder} {clip}: {rows[-1][0]} tries, crf {own.get("setting")}, {rows[-1][1]:+.3f}; published rules: {rows[-1][2]} tries, '
              f'crf {taken}, {rows[-1][3]:+.3f}', flush=True)
    for name, at in (('vmaf-tune', 0), ('published rules', 2)):
        above = [row[at + 1] for row in rows if not math.isnan(row[at + 1])]
        print(f'{encoder}, {name}: {sum(row[at] for row in rows) / len(rows):.2f} encodes, {sum(above) / len(above):.3f} above the target, '
              f'{len(above)} of {len(rows)} found')
