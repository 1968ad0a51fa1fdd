#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests which frames are compared: by number, by time, at a rate, from an offset on. Each run must give the scores of
a run over files that hold just these frames, in this order.

usage: sync_test.py VMAF SYNTHCLIP WORKDIR

Most tests use Y4M files with a frame rate. Real files with times are made with ffmpeg, if there is one and the
command can read them.
"""
import json
import os
import re
import shutil
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
FRAMES = 48
USAGE, FAIL = 1, 255
problems = []

files = inputs.Inputs(synthclip, work)
os.chdir(work)
ref, dist = ([data[i:i + inputs.FRAME] for i in range(0, len(data), inputs.FRAME)]
             for data in files.clip('mix', '64', '64', '420', '8', str(FRAMES)))


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


def y4m(name, frames, rate='25:1'):
    files.y4m(name, b''.join(frames), f'W64 H64 F{rate} Ip A1:1 C420jpeg')
    return name


def run(args, code=0):
    done = subprocess.run([vmaf] + args, capture_output=True, text=True, timeout=300, check=False)
    check(' '.join(args), done.returncode == code, f'exit code {done.returncode} and not {code}:', done.stderr)
    return done.stderr


def scores(args):
    """Returns the messages and the frames' scores."""
    if os.path.exists('out.csv'):
        os.remove('out.csv')
    said = run(args + ['-o', 'out.csv', '--feature', 'psnr', '-q'])
    return said, open('out.csv').read() if os.path.exists('out.csv') else ''


def pairs(pairing):
    """Returns the scores of these pairs of frames, (reference, distorted), by files that hold them one after another."""
    y4m('pairs_r.y4m', [ref[r] for r, _ in pairing])
    y4m('pairs_d.y4m', [dist[d] for _, d in pairing])
    return scores(['pairs_r.y4m', 'pairs_d.y4m'])[1]


def expect(args, pairing, words=''):
    said, got = scores(args)
    check(' '.join(args) + ':', got and got == pairs(pairing), 'other scores than expected:', said)
    check(' '.join(args) + ':', words in said if words else not said, f'does not say "{words}" but:', said)


def straight(count, ref_from=0, dist_from=0):
    return [(i + ref_from, i + dist_from) for i in range(count)]


y4m('r25.y4m', ref)
y4m('d25.y4m', dist)
y4m('d30.y4m', dist, '30:1')
y4m('d50.y4m', [frame for frame in dist for _ in (0, 1)], '50:1')
y4m('r_half.y4m', ref[::2], '25:2')
y4m('late.y4m', dist[7:])
y4m('short.y4m', dist[:20])
files.put('r.yuv', b''.join(ref))
files.put('d.yuv', b''.join(dist))
RAW = '-w 64 -h 64 -p 420 -b 8'.split()

# Y4M and raw video are paired by number, whatever their rates are.
expect(['r25.y4m', 'd25.y4m'], straight(FRAMES))
expect(['r25.y4m', 'd30.y4m'], straight(FRAMES), 'paired by number')
expect(['r25.y4m', 'd30.y4m', '--sync', 'index'], straight(FRAMES))

# Pairing at a rate; pairing nearest in time.
expect(['r25.y4m', 'd50.y4m', '--fps', '25'], straight(FRAMES), f'{FRAMES - 1} left out')
expect(['r25.y4m', 'd50.y4m', '--fps', '50'], [(i, i) for i in range(FRAMES) for _ in (0, 1)])
expect(['r25.y4m', 'd50.y4m', '--sync', 'nearest'], straight(FRAMES), f'{FRAMES - 1} left out')
expect(['r_half.y4m', 'd25.y4m', '--sync', 'nearest'], [(i, i) for i in range(0, FRAMES, 2)], 'left out')
expect(['r_half.y4m', 'd25.y4m', '--fps', '12.5'], [(i, i) for i in range(0, FRAMES, 2)], 'left out')
expect(['r25.y4m', 'd25.y4m', '--fps', '5'], [(i, i) for i in range(0, FRAMES, 5)], 'left out')

# Offsets in frames and seconds, in both directions.
for offset in ('3', '0.12s', '120ms'):
    expect(['r25.y4m', 'd25.y4m', '--offset', offset], straight(FRAMES - 3, 0, 3), 'ended before')
    expect(['r25.y4m', 'd25.y4m', '--offset=-' + offset], straight(FRAMES - 3, 3, 0), 'ended before')
    expect(['r25.y4m', 'd25.y4m', '--sync', 'nearest', '--offset', offset], straight(FRAMES - 3, 0, 3), 'ended before')
    expect(['r25.y4m', 'd25.y4m', '--sync', 'nearest', '--offset=-' + offset], straight(FRAMES - 3, 3, 0), 'ended before')
expect(['r25.y4m', 'd25.y4m', '--fps', '25', '--offset', '-3'], straight(FRAMES - 3, 3, 0), 'ended before')
expect(['r25.y4m', 'd25.y4m', '--offset', '4', '--frame_skip_ref', '1', '--frame_skip_dist', '2', '--frame_cnt', '5'],
       straight(5, 1, 6))
expect(['r.yuv', 'd.yuv', '--offset', '-2', '--duration', '10', *RAW], straight(10, 2, 0))

# Limits on the length.
for more in ([], ['--sync', 'nearest'], ['--fps', '25']):
    expect(['r25.y4m', 'd25.y4m', '--duration', '1s', *more], straight(25))
    expect(['r25.y4m', 'd25.y4m', '--duration', '7', *more], straight(7))
    expect(['r25.y4m', 'd25.y4m', '--duration', '1s', '--frame_cnt', '9', *more], straight(9))
    expect(['r25.y4m', 'd25.y4m', '--duration', '1s', '--frame_cnt', '30', *more], straight(25))

# Offsets that --sync auto finds.
expect(['r25.y4m', 'late.y4m', '--sync', 'auto'], straight(FRAMES - 7, 7, 7), 'late.y4m begins 7 frames into r25.y4m')
expect(['r25.y4m', 'd25.y4m', '--sync', 'auto'], straight(FRAMES), 'begin together')
y4m('r_late.y4m', ref[5:])
expect(['r_late.y4m', 'd25.y4m', '--sync', 'auto'], straight(FRAMES - 5, 5, 5), 'r_late.y4m begins 5 frames into d25.y4m')
expect(['r.yuv', 'd.yuv', '--sync', 'auto', '--frame_skip_dist', '4', '--frame_cnt', '8', *RAW], straight(8, 4, 4),
       'd.yuv begins 4 frames into r.yuv')
for name, frames in (('still', ref[:1] * 30), ('grey', [bytes([128]) * inputs.FRAME] * 30)):
    y4m('still_r.y4m', frames)
    said = run(['still_r.y4m', 'still_r.y4m', '--sync', 'auto'], FAIL)
    check(f'{name}:', 'cannot find its offset' in said and '--offset' in said, said)
with subprocess.Popen(['cat', 'd25.y4m'], stdout=subprocess.PIPE) as cat:
    done = subprocess.run([vmaf, 'r25.y4m', '-', '--sync', 'auto'], stdin=cat.stdout, capture_output=True, text=True,
                          check=False)
check('--sync auto with a pipe:', done.returncode == FAIL and 'pipe' in done.stderr, done.stderr)

# Each distorted video has its own offset.
run(['r25.y4m', 'late.y4m', 'd25.y4m', 'short.y4m', '--sync', 'auto', '-o', 'out.csv', '--feature', 'psnr', '-q'])
for i, pairing in enumerate((straight(FRAMES - 7, 7, 7), straight(FRAMES), straight(20))):
    check('--sync auto with several:', open(f'out.{i + 1}.csv').read() == pairs(pairing), i)

# A line proposes the offset where pictures look misaligned; the scores stay those of the pairs.
def suspects(args, offset):
    """Checks that a run proposes this offset; 0: none."""
    if os.path.exists('out.json'):
        os.remove('out.json')
    got = run(args + ['-o', 'out.json', '-n', '--feature', 'psnr', '-q'])
    codes = [warning['code'] for warning in json.load(open('out.json'))['vmaf_turbo'].get('warnings', [])]
    check(f'{args}: the line', got.count('looks misaligned') == bool(offset), got)
    check(f'{args}: the warning', codes.count('offset_suspected') == bool(offset), codes)
    check(f'{args}: the offset', not offset or f'--sync auto, or --offset={offset}\n' in got, got)


y4m('late1.y4m', dist[1:])
y4m('r_late1.y4m', ref[1:])
expect(['r25.y4m', 'late1.y4m'], straight(FRAMES - 1, 0, 1), 'looks misaligned')
suspects(['r25.y4m', 'd25.y4m'], 0)
suspects(['r25.y4m', 'late1.y4m'], -1)
suspects(['r_late1.y4m', 'd25.y4m'], 1)
suspects(['r25.y4m', 'late.y4m'], -7)
suspects(['r25.y4m', 'late.y4m', '--offset', '-7'], 0)
suspects(['r25.y4m', 'late.y4m', '--offset', '-4'], -7)
suspects(['r25.y4m', 'd25.y4m', '--offset', '3'], '0')
suspects(['r25.y4m', 'late.y4m', '--sync', 'nearest', '--offset', '-0.04s'], '-0.280s')
suspects(['r25.y4m', 'late.y4m', '--fps', '25'], -7)
suspects(['r25.y4m', 'late.y4m', '--frame_skip_ref', '4'], -3)
suspects(['r25.y4m', 'late1.y4m', '--frame_cnt', '6'], 0)  # too few pairs to tell
y4m('still_r.y4m', [ref[0]] * 60)
y4m('still_d.y4m', [dist[0]] * 60)
suspects(['still_r.y4m', 'still_d.y4m'], 0)
# A still picture at the beginning says nothing about the offset: the frames after it decide.
y4m('title_r.y4m', [ref[0]] * 100 + ref)
y4m('title_d.y4m', [dist[0]] * 100 + dist[1:])
suspects(['title_r.y4m', 'title_d.y4m'], -1)
y4m('title_d.y4m', [dist[0]] * 100 + dist)
suspects(['title_r.y4m', 'title_d.y4m'], 0)

# Combinations that are errors.
for words, said in (('--offset 1.5', 'frames (7) or a time'), ('--offset 3x', 'frames'), ('--offset ""', 'frames'),
                    ('--duration 0', 'frames'), ('--duration -1s', 'frames'), ('--fps 0', 'frames a second'),
                    ('--fps 25/0', 'frames a second'), ('--fps x', 'frames a second'), ('--sync never', 'nearest, index'),
                    ('--fps 25 --sync index', '--sync'), ('--sync auto --offset 1', '--offset')):
    got = run(['r25.y4m', 'd25.y4m'] + [word.strip('"') for word in words.split()], USAGE)
    check(words, said in got, got)
for words in ('--fps 25', '--sync nearest', '--offset 1s', '--duration 1s'):
    got = run(['r.yuv', 'd.yuv', *words.split(), *RAW], FAIL)
    check(f'raw {words}:', 'frame rate' in got, got)
got = run(['r25.y4m', 'd25.y4m', '--offset', '500'], FAIL)
check('an offset behind the end:', 'fewer than' in got, got)
got = run(['r25.y4m', 'd25.y4m', '--offset', '-500'], FAIL)
check('an offset behind the end:', 'no frames to score' in got, got)


# ---- real files ----

def ffmpeg(source, *args):
    subprocess.run(['ffmpeg', '-v', 'error', '-y', '-i', source, *args], check=True)
    return args[-1]


def reads_files():
    if not shutil.which('ffmpeg'):
        return False
    ffmpeg('r25.y4m', '-c:v', 'ffv1', 'r.mkv')
    return not subprocess.run([vmaf, 'r.mkv', 'r.mkv', '-q'], capture_output=True, check=False).returncode


def check_real_files():
    """Makes lossless files: their frames are those of the clip, only their times differ."""
    lossless = ['-c:v', 'ffv1']
    plain = ffmpeg('d25.y4m', *lossless, 'd.mkv')
    expect(['r.mkv', plain], straight(FRAMES))
    expect(['r25.y4m', plain], straight(FRAMES))
    # Another container, with another start time.
    late = ffmpeg('d25.y4m', *lossless, '-output_ts_offset', '1.4', 'late.mkv')
    expect(['r.mkv', late], straight(FRAMES), 'begins at 1.400 s')
    for words in (['--offset', '2'], ['--offset=-2'], ['--offset', '80ms'], ['--sync', 'auto'], ['--frame_skip_dist', '1']):
        said = scores(['r.mkv', late, *words])[0]
        check(f'{words}: the first frames were not paired', 'their first frames' not in said, said)
    # Every tenth frame from the fourth on is missing; the others keep their times.
    dropped = ffmpeg('d25.y4m', '-vf', r'select=not(eq(mod(n\,10)\,3))', '-vsync', 'vfr', *lossless, 'vfr.mkv')
    expect(['r.mkv', dropped], [(i, i - 1 if i % 10 == 3 else i) for i in range(FRAMES)], '5 frames were compared more than')
    # Twice as many frames.
    double = ffmpeg('d50.y4m', *lossless, 'd50.mkv')
    got = run(['r.mkv', double], FAIL)
    check('other rates:', all(word in got for word in ('25', '50', '--fps', '--sync nearest', '--sync index')), got)
    expect(['r.mkv', double, '--fps', '25'], straight(FRAMES), 'left out')
    expect(['r.mkv', double, '--sync', 'nearest'], straight(FRAMES), 'left out')
    expect(['r.mkv', double, '--sync', 'index'], [(i, i // 2) for i in range(FRAMES)], 'ended before')
    # The beginning is cut off.
    trimmed = ffmpeg('late.y4m', *lossless, 'trimmed.mkv')
    expect(['r.mkv', trimmed, '--offset', '-7'], straight(FRAMES - 7, 7, 7))
    expect(['r.mkv', trimmed, '--offset', '-280ms'], straight(FRAMES - 7, 7, 7))
    expect(['r.mkv', trimmed, '--sync', 'auto'], straight(FRAMES - 7, 7, 7), 'begins 7 frames into')
    expect(['r.mkv', trimmed, '--sync', 'auto', '--duration', '0.4s'], straight(10, 7, 7), 'begins 7 frames into')
    # Reports contain the first frames that were compared, for whatever reason.
    for words in (['--offset', '-7'], ['--offset', '-280ms'], ['--sync', 'auto']):
        run(['r.mkv', trimmed, *words, '-o', 'out.json', '-q'])
        skipped = [video['skipped'] for video in json.load(open('out.json'))['vmaf_turbo']['inputs'].values()]
        check(f'skipped with {words}:', skipped == [7, 0], skipped)
        run([trimmed, 'r.mkv', *[word.replace('-7', '7').replace('-280', '280') for word in words], '-o', 'out.json', '-q'])
        skipped = [video['skipped'] for video in json.load(open('out.json'))['vmaf_turbo']['inputs'].values()]
        check(f'skipped with {words}, swapped:', skipped == [0, 7], skipped)
    # Different depths and samplings, with and without times: each video is scored as if alone; the reference is read several times.
    others = [plain, ffmpeg('d25.y4m', '-pix_fmt', 'yuv420p10le', *lossless, 'd10.mkv'),
              ffmpeg('d25.y4m', '-pix_fmt', 'yuv444p', *lossless, 'd444.mkv'), 'd25.y4m', dropped]
    alone = [scores(['r.mkv', other])[1] for other in others]
    run(['r.mkv', *others, '-o', 'out.csv', '--feature', 'psnr', '-q'])
    for i, expected in enumerate(alone):
        check(f'{others[i]} beside others:', open(f'out.{i + 1}.csv').read() == expected, 'not as it is alone')
    check('depths differ:', alone[0] != alone[1])
    with subprocess.Popen(['cat', 'r.mkv'], stdout=subprocess.PIPE) as cat:
        got = subprocess.run([vmaf, '-', *others], stdin=cat.stdout, capture_output=True, text=True, check=False)
    check('a pipe for other depths:', got.returncode == FAIL and 'one at a time' in got.stderr, got.stderr)
    # Bad encodes that belong together are not suspected.
    for codec, *quality in (('mpeg2video', '-q:v', '31'), ('libx264', '-crf', '51'), ('libx264', '-b:v', '2k')):
        suspects(['r.mkv', ffmpeg('d25.y4m', '-c:v', codec, *quality, 'bad.mkv')], 0)
    suspects(['r.mkv', ffmpeg('late1.y4m', '-c:v', 'mpeg2video', '-q:v', '31', 'bad.mkv')], -1)
    # All options at once; the reports say what was done.
    run(['r.mkv', dropped, plain, late, '-o', 'out.json', '-q'])
    for i, words in enumerate(('by time, 5 repeated', 'by time', 'by time')):
        report = open(f'out.{i + 1}.json').read()
        check('several real files:', f'"pairing": "{words}"' in report, re.findall('"pairing.*', report))


if reads_files():
    check_real_files()

for problem in problems:
    print(problem)
sys.exit(len(problems) > 0)
