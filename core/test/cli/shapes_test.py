#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests videos of different shapes: which are refused, and how --crop and --scale stretch make them comparable.

usage: shapes_test.py VMAF SYNTHCLIP WORKDIR

The files are made with ffmpeg. Pictures that were cropped must give the scores of files that ffmpeg cropped before.
"""
import json
import os
import re
import shutil
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
SKIPPED, USAGE, FAIL = 77, 1, 255
if not shutil.which('ffmpeg'):
    print('skipped: there is no ffmpeg')
    sys.exit(SKIPPED)
W, H, FRAMES = 160, 96, 24
files = inputs.Inputs(synthclip, work)
os.chdir(work)
problems = []


def check(title, good, *more):
    if not good:
        problems.append(title)
        print(title, *more)


def ffmpeg(*args):
    subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', *args], check=True)
    return args[-1]


def lossless(source, to, *args):
    return ffmpeg('-i', source, *args, *(() if to.endswith(('.y4m', '.yuv')) else ('-c:v', 'ffv1')), to)


def run(*args, code=0, scores=('-n', '--feature', 'psnr')):
    """Returns the scores of all frames, and what was said."""
    if os.path.exists('out.json'):
        os.remove('out.json')
    done = subprocess.run([vmaf, *args, *scores, '-q', '-o', 'out.json', '--precision', 'max'], capture_output=True,
                          text=True, timeout=300, check=False)
    check(' '.join(args), done.returncode == code, f'exit code {done.returncode} and not {code}:', done.stderr)
    check(f'{" ".join(args)}: one line', code == 0 or len(done.stderr.splitlines()) <= 2, done.stderr)
    report = json.load(open('out.json')) if os.path.exists('out.json') else {'frames': []}
    return [frame['metrics'] for frame in report.get('frames', [])], done.stderr


def says(words, *args, code=0):
    said = run(*args, code=code)[1]
    check(f'{" ".join(args)}: does not say "{words}"', words in said, said)


ref, dist = files.clip('mix', str(W), str(H), '420', '8', str(FRAMES))
HEADER = f'W{W} H{H} F25:1 Ip A1:1 C420jpeg'
for name, data in (('r', ref), ('d', dist)):
    # Brighter, so that no edge of the clip is black by itself.
    files.y4m('dark.y4m', data, HEADER, W * H * 3 // 2)
    lossless('dark.y4m', f'{name}.mkv', '-vf', 'lutyuv=y=val*3/4+60')
    lossless(f'{name}.mkv', f'{name}.y4m')
    lossless(f'{name}.mkv', f'{name}_letter.mkv', '-vf', f'pad={W}:{H + 40}:0:18')
    lossless(f'{name}.mkv', f'{name}_pillar.mkv', '-vf', f'pad={W + 36}:{H}:20:0')
    lossless(f'{name}_letter.mkv', f'{name}_letter.y4m')
    lossless(f'{name}_letter.mkv', f'{name}_letter.yuv')
    lossless(f'{name}_letter.mkv', f'{name}_letter10.mkv', '-pix_fmt', 'yuv420p10le')
    lossless(f'{name}_pillar.mkv', f'{name}_pillar10.mkv', '-pix_fmt', 'yuv420p10le')
    lossless(f'{name}.mkv', f'{name}10.mkv', '-pix_fmt', 'yuv420p10le')
    lossless(f'{name}.mkv', f'{name}444.mkv', '-pix_fmt', 'yuv444p')
    lossless(f'{name}444.mkv', f'{name}444_odd.mkv', '-vf', f'crop={W - 5}:{H - 3}:3:1:exact=1')
plain = run('r.mkv', 'd.mkv')[0]
check('scores of the plain files', len(plain) == FRAMES and plain[0] != plain[1])

# ---- what is refused ----
for name, other in (('letterboxed against cropped', 'r_letter.mkv d.mkv'), ('pillars', 'r.mkv d_pillar.mkv'),
                    ('bars on both, different ones', 'r_letter.mkv d_pillar.mkv')):
    says('--crop_ref and --crop_dist', *other.split(), code=FAIL)
    says('--scale stretch', *other.split(), '--scale', 'lanczos', code=FAIL)
ffmpeg('-i', 'd.mkv', '-vf', 'transpose', '-c:v', 'ffv1', 'portrait.mkv')
says('shown as 1.67:1), portrait.mkv has 96x160 (0.60:1)', 'r.mkv', 'portrait.mkv', code=FAIL)
says('portrait.mkv: scaled from 96x160 to 160x96', 'r.mkv', 'portrait.mkv', '--scale', 'stretch')
says('(area)', 'r.mkv', 'portrait.mkv', '--scale', 'stretch', '--scale', 'area')
says('dimensions do not match', 'r_letter.y4m', 'd.y4m', code=FAIL)  # as the reference

# Sizes that are one shape, but for rounding, and sizes that are not. The third: the aspect of a sample.
grey = {}


def still(width, height, aspect):
    name = f'{width}x{height}_{aspect.replace("/", "-")}.mkv'
    if name not in grey:
        grey[name] = ffmpeg('-f', 'lavfi', '-i', f'color=gray:s={width}x{height},setsar={aspect}', '-frames:v', '1', '-c:v',
                            'ffv1', name)
    return name


for a, b, good in (
        ((1920, 1080, '1'), (1280, 720, '1'), True), ((1920, 1080, '1'), (854, 480, '1'), True),
        ((1920, 1080, '1'), (426, 240, '1'), True), ((1920, 1080, '1'), (848, 480, '1'), True),
        ((1920, 800, '1'), (640, 272, '1'), True), ((1280, 536, '1'), (1920, 804, '1'), True),
        ((1920, 1080, '1'), (1440, 1080, '4/3'), True), ((1440, 1080, '4/3'), (640, 360, '1'), True),
        ((720, 576, '16/15'), (768, 576, '1'), True), ((720, 576, '12/11'), (640, 480, '1'), True),
        ((720, 576, '16/15'), (360, 288, '1'), True), ((176, 144, '1'), (352, 288, '1'), True),
        ((640, 480, '1'), (640, 360, '1'), False), ((1440, 1080, '1'), (1920, 1080, '1'), False),
        ((1920, 1080, '1'), (1920, 1040, '1'), False), ((640, 360, '1'), (360, 640, '1'), False),
        ((720, 576, '64/45'), (768, 576, '1'), False), ((64, 64, '1'), (64, 48, '1'), False),
        ((64, 64, '1'), (72, 64, '1'), False), ((176, 144, '1'), (160, 144, '1'), False)):
    for first, second in ((a, b), (b, a)):
        run(still(*first), still(*second), code=0 if good else FAIL)
says("a sample's aspect is", still(720, 576, '16/15'), still(360, 288, '1'))

# ---- cropping: the scores are those of the plain files ----
HALF = f'{W}:{H}:0:18'
for words in (f'r_letter.mkv d.mkv --crop_ref {HALF}', 'r_letter.mkv d.mkv --crop_ref auto', 'r.mkv d_letter.mkv --crop_dist auto',
              f'r_letter.mkv d_letter.mkv --crop {HALF}', 'r_letter.mkv d_letter.mkv --crop auto',
              'r_letter.mkv d_pillar.mkv --crop auto', 'r_letter.y4m d_pillar.mkv --crop auto', 'r_letter.y4m d.y4m --crop_ref auto',
              'r_letter.y4m d.mkv --crop auto', f'r_letter.yuv d_letter.yuv --crop auto -w {W} -h {H + 40} -p 420 -b 8',
              'r_letter.mkv d_letter.mkv --crop auto --shard 0/1', f'r.mkv d_pillar.mkv --crop_dist {W}:{H}:20:0 --sync auto'):
    if '--shard' in words:  # the part, then its merge
        run(*words.split())
        os.rename('out.json', 'part.json')
        got, said = run('--merge', 'part.json', scores=())
    else:
        got, said = run(*words.split())
    check(f'{words}: not the scores of the cropped files', got == plain, said)
for words in ('r_letter10.mkv d10.mkv --crop_ref auto', 'r_letter10.mkv d.mkv --crop_ref auto',
              'r10.mkv d_pillar10.mkv --crop_dist auto'):
    check(words, run(*words.split())[0] == run(*words.replace('_letter', '').replace('_pillar', '').split()[:2])[0])
odd = f'{W - 5}:{H - 3}:3:1'
# ---- maps: the command reads frames again as they were scored, and compares the score of each map ----

for i, words in enumerate(('r_letter.mkv d_letter.mkv --crop auto', 'r_letter10.mkv d.mkv --crop_ref auto',
                           'r.mkv d_pillar.mkv --crop_dist auto --sync auto')):
    run(*words.split(), '--heatmap', f'maps{i}', '--heatmap_frames', '0,7-8')
    check(f'maps of {words}', len(os.listdir(f'maps{i}')) == 9, os.listdir(f'maps{i}'))
check('odd edges', run('r444.mkv', 'd444.mkv', '--crop', odd)[0] == run('r444_odd.mkv', 'd444_odd.mkv')[0])
lossless('d_letter.mkv', 'd_small.mkv', '-vf', 'scale=80:-2')
lossless('d_small.mkv', 'd_small_cropped.mkv', '-vf', 'crop=80:48:0:10')
check('a crop of a video that is scaled', run('r.mkv', 'd_small.mkv', '--crop_dist', '80:48:0:10')[0] ==
      run('r.mkv', 'd_small_cropped.mkv')[0])
if 'libx264' in subprocess.run(['ffmpeg', '-hide_banner', '-encoders'], capture_output=True, text=True, check=False).stdout:
    # Bars that an encoder has made noisy, in a file whose frames are found by time.
    ffmpeg('-i', 'd_letter.mkv', '-c:v', 'libx264', '-crf', '38', '-g', '6', 'd_noisy.mp4')
    lossless('d_noisy.mp4', 'd_noisy.mkv', '-vf', f'crop={W}:{H}:0:18')
    check('noisy bars', run('r_letter.mkv', 'd_noisy.mp4', '--crop', 'auto')[0] == run('r.mkv', 'd_noisy.mkv')[0])
# The first half of the film is darker than bars are: they are looked for over the whole file.
lossless('r_letter.mkv', 'late.mkv', '-vf', f'lutyuv=y=val,drawbox=t=fill:c=black:y=60:enable=lt(n\\,{FRAMES // 2})')
says(f'cropped from {W}x{H + 40} to {W}x{H} at 0,18, what its black bars leave', 'late.mkv', 'd.mkv', '--crop_ref', 'auto')

# ---- bars on one side only, at one size ----
lossless('r.mkv', 'r_bars.mkv', '-vf', f'drawbox=t=fill:c=black:h=14,drawbox=t=fill:c=black:y={H - 14}')
lossless('d.mkv', 'd_bars.mkv', '-vf', f'drawbox=t=fill:c=black:h=14,drawbox=t=fill:c=black:y={H - 14}')
lossless('d.mkv', 'd_walls.mkv', '-vf', f'drawbox=t=fill:c=black:w=20,drawbox=t=fill:c=black:x={W - 20}')
lossless('d.mkv', 'd_thin.mkv', '-vf', f'drawbox=t=fill:c=black:h=2,drawbox=t=fill:c=black:y={H - 2}')
lossless('r.mkv', 'r_slim.mkv', '-vf', f'drawbox=t=fill:c=black:w=2,drawbox=t=fill:c=black:x={W - 2}')
lossless('d.mkv', 'd_roof.mkv', '-vf', 'drawbox=t=fill:c=black:h=14')


def barred(pair, side):
    """Checks which side is told to have bars that the other lacks."""
    said = run(*pair.split())[1]
    turbo = json.load(open('out.json'))['vmaf_turbo']
    told = [w['input'] for w in turbo.get('warnings', []) if w['code'] == 'bars_differ']
    check(f'{pair}: whose bars', told == ([side] if side else []), told, said)
    check(f'{pair}: the line', said.count('has black bars where') == bool(side), said)
    return turbo.get('warnings')


barred('r_bars.mkv d.mkv', 'reference')
barred('r.mkv d_bars.mkv', 'distorted')
barred('r.mkv d_walls.mkv', 'distorted')
barred('r.mkv d_thin.mkv', 'distorted')
barred('r_slim.mkv d.mkv', 'reference')
says(f'cropped from {W}x{H} to {W}x{H - 4} at 0,2, what its black bars leave', 'd_thin.mkv', 'd_thin.mkv', '--crop', 'auto')
for pair in ('r.mkv d.mkv', 'r_bars.mkv d_bars.mkv', 'r.mkv d_roof.mkv', f'r.mkv d_bars.mkv --crop {W}:{H - 28}:0:14'):
    barred(pair, None)
single = barred('r.mkv d_bars.mkv --frame_cnt 9', 'distorted')
for part in ('0', '1'):
    run('r.mkv', 'd_bars.mkv', '--frame_cnt', '9', '--shard', part + '/2')
    os.rename('out.json', f'part{part}.json')
run('--merge', 'part0.json', 'part1.json', scores=())
check('bars in merged parts', json.load(open('out.json'))['vmaf_turbo'].get('warnings') == single)

# ---- the report ----
run('r_letter.mkv', 'd.mkv', '--crop_ref', 'auto', '--html', 'out.html')
turbo = json.load(open('out.json'))['vmaf_turbo']
check('the report of a crop', f'cropped from {W}x{H + 40} to {W}x{H} at 0,18' in turbo['inputs']['reference']['filters'] and
      turbo['inputs']['reference']['height'] == H + 40, turbo['inputs'])
page = open('out.html').read()
sizes = set()
for picture in re.findall('data:image/png;base64,([^"\']{64})', page):
    header = __import__('base64').b64decode(picture)
    sizes.add((int.from_bytes(header[16:20], 'big'), int.from_bytes(header[20:24], 'big')))
check('pictures on the page of a crop', not sizes or sizes == {(W, H)}, sizes)

# ---- what is wrong ----
for value in ('foo', '1:2:3', '1:2:3:4:5', '0:2:0:0', '-1:2:0:0', '2:2:0:', '2:2:0:-1', '99999999999:2:0:0', ' 2:2:0:0', ''):
    for option in ('--crop', '--crop_ref', '--crop_dist'):
        said = run('r.mkv', 'd.mkv', f'{option}={value}', code=USAGE)[1]
        check(f'{option}={value}', 'W:H:X:Y' in said, said)
for value in (f'{W + 1}:{H}:0:0', f'{W}:{H}:2:0', f'{W}:{H}:0:{H}', f'{W}:2147483647:0:0', '2:2:2147483646:0'):
    says('no rectangle', 'r.mkv', 'd.mkv', '--crop', value, code=FAIL)
says('left edge must be a multiple of 2', 'r.mkv', 'd.mkv', '--crop', '64:64:1:0', code=FAIL)
says('no black bars were found', 'r.mkv', 'd.mkv', '--crop', 'auto')
ffmpeg('-f', 'lavfi', '-i', f'color=black:s={W}x{H}:d=1', '-c:v', 'ffv1', 'black.mkv')
says('black bars cannot be told', 'black.mkv', 'd.mkv', '--crop', 'auto', code=FAIL)
with subprocess.Popen(['cat', 'r_letter.mkv'], stdout=subprocess.PIPE) as cat:
    done = subprocess.run([vmaf, '-', 'd.mkv', '--crop_ref', 'auto'], stdin=cat.stdout, capture_output=True, text=True,
                          check=False)
check('bars of a pipe', done.returncode == FAIL and 'W:H:X:Y' in done.stderr, done.stderr)
with subprocess.Popen(['cat', 'r_letter.y4m'], stdout=subprocess.PIPE) as cat:
    done = subprocess.run([vmaf, '-', 'd.y4m', '--crop_ref', HALF, '-n', '--feature', 'psnr', '-o', 'out.json', '--precision',
                           'max'], stdin=cat.stdout, capture_output=True, text=True, check=False)
check('a pipe that is cropped', not done.returncode and
      [f['metrics'] for f in json.load(open('out.json'))['frames']] == plain, done.stderr)

print(f'{len(problems)} wrong' if problems else 'all shapes as expected')
sys.exit(1 if problems else 0)
