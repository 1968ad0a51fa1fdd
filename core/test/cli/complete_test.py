#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests that a run tells whether all frames were scored: in its report, on its page and by --fail_under. Whole encodes in
every container are complete; no cut one passes a score limit.

usage: complete_test.py VMAF SYNTHCLIP WORKDIR [CUTS]

CUTS: at how many places each encode is cut (default: 3).
"""
import json
import os
import shutil
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
CUTS = int(sys.argv[4]) if len(sys.argv) > 4 else 3
FRAMES, SIZE = 30, 64
BELOW, UNJUDGED, FAIL = 2, 3, 255
problems = []
files = inputs.Inputs(synthclip, work)
os.chdir(work)
ref, dist = ([data[i:i + inputs.FRAME] for i in range(0, len(data), inputs.FRAME)]
             for data in files.clip('mix', str(SIZE), str(SIZE), '420', '8', str(FRAMES)))
RAW = f'-w {SIZE} -h {SIZE} -p 420 -b 8'.split()


def check(title, good, *more):
    if not good:
        problems.append(' '.join(map(str, (title, *more))))


def y4m(name, frames, rate='25:1'):
    files.y4m(name, b''.join(frames), f'W64 H64 F{rate} Ip A1:1 C420jpeg')
    return name


def run(args, code=0):
    done = subprocess.run([vmaf, *args], capture_output=True, text=True, timeout=300, check=False)
    check(args, code is None or done.returncode == code, f'exit code {done.returncode}, not {code}:', done.stderr)
    return done


def score(args, code=0):
    """Returns the run and its report's object, or None."""
    if os.path.exists('out.json'):
        os.remove('out.json')
    done = run([*args, '-o', 'out.json', '-q'], code)
    report = json.load(open('out.json', encoding='utf-8')) if os.path.exists('out.json') else None
    return done, report and report['vmaf_turbo']


def whole(args):
    done, got = score([*args, '--fail-under', '0'])
    check(args, got and got['complete'] is True and 'incomplete_reason' not in got, 'is not complete:', got, done.stderr)
    return got


def lacks(args, reason, code=0, limited=UNJUDGED, counts=None):
    """Pairs are missing: the report says so, and a limit fails with a line of its own."""
    _, got = score(args, code)
    check(args, got and got['complete'] is False and got['incomplete_reason'] == reason, 'says:',
          got and got.get('incomplete_reason'))
    done, got = score([*args, '--fail-under', '0', '--html', 'out.html'], limited)
    check(args, f'incomplete: {reason}; --fail_under' in done.stderr, 'does not fail with a line:', done.stderr)
    check(args, reason in open('out.html', encoding='utf-8').read(), 'the page does not say it')
    found = [(video['frames_found'], video['ended']) for video in got['inputs'].values()]
    check(args, counts is None or found == counts, 'frames found:', found)
    done, got = score([*args, '--fail-under', '0', '--allow_partial'])
    check(args, got['complete'] is False and 'incomplete:' not in done.stderr, '--allow_partial:', done.stderr)
    score([*args, '--fail-under', '101', '--allow_partial'], BELOW)
    stored = run(['--report', 'out.json', '--fail-under', '0'], UNJUDGED)
    check(args, f'incomplete: {reason}' in stored.stderr, 'a stored report passes:', stored.stderr)
    run(['--report', 'out.json', '--fail-under', '0', '--allow_partial'])


# ---- Y4M and raw video ----
y4m('r.y4m', ref)
y4m('d.y4m', dist)
y4m('short.y4m', dist[:10])
y4m('late.y4m', dist[4:])
y4m('d50.y4m', [frame for frame in dist for _ in (0, 1)], '50:1')
y4m('d50_short.y4m', [frame for frame in dist[:20] for _ in (0, 1)], '50:1')
y4m('r60.y4m', [ref[i * 25 // 60] for i in range(72)], '60:1')
y4m('stub.y4m', dist)
os.truncate('stub.y4m', os.path.getsize('stub.y4m') - 100)
files.put('r.yuv', b''.join(ref))
files.put('d.yuv', b''.join(dist))
files.put('short.yuv', b''.join(dist[:10]))
files.put('stub.yuv', b''.join(dist)[:-1])
SHORT = f'the distorted video ended before the reference: 10 of {FRAMES} frames were scored'

found = [(video['frames_found'], video['ended']) for video in whole(['r.y4m', 'd.y4m'])['inputs'].values()]
check('frames of whole videos:', found == [(FRAMES, True)] * 2, found)
whole(['r.yuv', 'd.yuv', *RAW])
lacks(['r.y4m', 'short.y4m'], SHORT, counts=[(11, False), (10, True)])
lacks(['short.y4m', 'r.y4m'], SHORT.replace('distorted video', 'x').replace('reference', 'distorted video').replace('x', 'reference'))
lacks(['r.yuv', 'short.yuv', *RAW], SHORT)
lacks(['r.y4m', 'stub.y4m'], f'the distorted video is cut off: {FRAMES - 1} frames were scored', FAIL, FAIL)
lacks(['r.yuv', 'stub.yuv', *RAW], f'the distorted video is cut off: {FRAMES - 1} frames were scored', FAIL, FAIL)

# A run of just those frames that the user asked for is complete.
for words in ('--frame_cnt 7', '--duration 7', '--duration 0.4s', '--frame_cnt 100', '--duration 10s', '--sync nearest',
              '--frame_skip_ref 3 --frame_skip_dist 3', '--frame_skip_dist 3', '--frame_skip_ref 3', '--offset 3',
              '--offset=-3', '--offset 120ms --sync nearest', '--fps 25', '--fps 12.5', '--fps 50', '--subsample 4'):
    whole(['r.y4m', 'd.y4m', *words.split()])
whole(['r.y4m', 'short.y4m', '--frame_cnt', '10'])
whole(['r.y4m', 'short.y4m', '--duration', '0.4s', '--sync', 'nearest'])
whole(['r.y4m', 'late.y4m', '--sync', 'auto'])
whole(['r.y4m', 'late.y4m', '--frame_skip_ref', '4'])
for words in ('--sync nearest', '--fps 25', '--fps 50', '--fps 60'):
    whole(['r.y4m', 'd50.y4m', *words.split()])
    whole(['d50.y4m', 'r.y4m', *words.split()])
    _, got = score(['r.y4m', 'd50_short.y4m', *words.split()])
    check(f'cut at another rate, {words}:', not got['complete'], got)
    _, got = score(['d50_short.y4m', 'r.y4m', *words.split()])
    check(f'a cut reference at another rate, {words}:', not got['complete'], got)
# The last frame of the slower video is shown longer than a frame of the faster one.
got = whole(['r60.y4m', 'd.y4m', '--sync', 'nearest'])
check('the last frames of the faster video:', got['scored']['frames'] == 72, got['scored'])

# Frames that the user asked for are missing, or more frames than the offset explains.
lacks(['r.y4m', 'short.y4m', '--frame_cnt', '20'], SHORT)
lacks(['r.y4m', 'short.y4m', '--offset', '3'],
      f'the distorted video ended before the reference: 7 of {FRAMES} frames were scored')
lacks(['r.y4m', 'short.y4m', '--offset=-3'],
      f'the distorted video ended before the reference: 10 of {FRAMES - 3} frames were scored')

# Frames are missing in the report itself.
for words in ((), ('--subsample', '4')):
    run(['r.y4m', 'd.y4m', '-o', 'thin.json', '-q', *words])
    run(['--report', 'thin.json', '--fail-under', '0'])
    report = json.load(open('thin.json', encoding='utf-8'))
    del report['frames'][5]
    json.dump(report, open('thin.json', 'w', encoding='utf-8'))
    had = len(report['frames'])
    done = run(['--report', 'thin.json', '--fail-under', '0', '--html', 'out.html'], UNJUDGED)
    check('a thinned report:', f'incomplete: the report has the scores of {had} of {had + 1} frames' in done.stderr, done.stderr)

# The first of two limits on a stored report is missed; a limit without a name is for the score that is shown.
run(['r.y4m', 'd.y4m', '-n', '--feature', 'psnr', '-o', 'two.json', '-q'])
run(['--report', 'two.json', '--fail-under', 'psnr_cb:101', '--fail-under', 'psnr_y:0'], BELOW)
for limit in ('psnr_y:101', '101'):
    done = run(['--report', 'two.json', '--fail-under', limit], BELOW)
    check(f'{limit} on a stored report, lines:', done.stderr.count('psnr_y: its mean is') == 1, done.stderr)

# Several videos: each has its own answer, that of a run of its own.
run(['r.y4m', 'd.y4m', 'short.y4m', 'late.y4m', '-o', 'of.json', '-q', '--fail-under', '0'], UNJUDGED)
for i, name in enumerate(('d.y4m', 'short.y4m', 'late.y4m'), 1):
    beside = json.load(open(f'of.{i}.json', encoding='utf-8'))['vmaf_turbo']
    _, alone = score(['r.y4m', name])
    for key in ('complete', 'incomplete_reason'):
        check(f'{name} beside others, {key}:', beside.get(key) == alone.get(key), beside.get(key), alone.get(key))
    found = [[video.get(key) for key in ('frames_found', 'ended')] for run_ in (beside, alone) for video in run_['inputs'].values()]
    check(f'{name} beside others, frames:', found[:2] == found[2:], found)


# Parts.
def merged(name, *more, code=0):
    for i in range(3):
        run(['r.y4m', name, '--shard', f'{i}/3', '-o', f'part{i}.json', '-q', *more])
    if os.path.exists('out.json'):
        os.remove('out.json')
    done = run(['--merge', 'part0.json', 'part1.json', 'part2.json', '-o', 'out.json', '--fail-under', '0'], code)
    return done.stderr, json.load(open('out.json', encoding='utf-8'))['vmaf_turbo']


for name, code in (('d.y4m', 0), ('short.y4m', UNJUDGED)):
    _, single = score(['r.y4m', name])
    said, got = merged(name, code=code)
    for key in ('complete', 'incomplete_reason', 'inputs'):
        check(f'{name} in parts, {key}:', got.get(key) == single.get(key), got.get(key), single.get(key))
run(['r.y4m', 'stub.y4m', '--shard', '2/3', '-o', 'part.json'], FAIL)
said, got = merged('stub.y4m', '--allow_partial')
check('a cut video in parts:', got['complete'] is False and 'is cut off' in got['incomplete_reason'], got)
done = run(['r.y4m', 'd.y4m', '--frames', '60-70', '-o', 'part.json'], FAIL)
check('--frames behind the end:', '--frames 60-70: the videos have no frame 60' in done.stderr, done.stderr)
run(['r.y4m', 'd.y4m', '--frames', '20-70', '-o', 'part.json'])

# ---- files ----
ENCODES = [
    ('x.mp4', 'libx264 -crf 30 -bf 3 -movflags +faststart'), ('late.mp4', 'libx264 -crf 30'), ('x.mov', 'prores_ks -profile:v 0'),
    ('fragments.mp4', 'libx264 -crf 30 -g 8 -movflags frag_keyframe+empty_moov'), ('x.mkv', 'libx264 -crf 30 -bf 3'),
    ('ffv1.mkv', 'ffv1'), ('x.webm', 'libvpx-vp9 -b:v 100k -deadline realtime -cpu-used 8'), ('x.ts', 'libx264 -crf 30 -bf 3'),
    ('m2v.ts', 'mpeg2video -bf 2 -b:v 300k'), ('x.avi', 'mpeg4 -q:v 5'), ('b.avi', 'mpeg4 -bf 2 -q:v 5'),
    ('264.avi', 'libx264 -crf 30 -bf 2'), ('x.mpg', 'mpeg2video -bf 2 -b:v 300k'), ('x.nut', 'libx264 -crf 30 -bf 3'),
    ('raw.nut', 'rawvideo'), ('x.gif', 'gif'), ('x.ogv', 'libtheora -q:v 5'), ('x.flv', 'libx264 -crf 30 -bf 3'),
    ('x.264', 'libx264 -crf 30 -bf 3'), ('x.265', 'libx265 -crf 30 -x265-params log-level=none'), ('x.m2v', 'mpeg2video -b:v 300k'),
    ('x.ivf', 'libvpx -b:v 100k -deadline realtime -cpu-used 8'), ('x.obu', 'libsvtav1 -crf 50 -preset 12'), ('x.wmv', 'wmv2 -b:v 300k'),
    ('x.mxf', 'mpeg2video -b:v 300k'), ('x.mjpeg', 'mjpeg -q:v 5'),
]


def ffmpeg(*args):
    return not subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', *args], check=False, stderr=subprocess.DEVNULL).returncode


def reads_files():
    return shutil.which('ffmpeg') and ffmpeg('-i', 'r.y4m', '-c:v', 'ffv1', 'r.mkv') and \
        not subprocess.run([vmaf, 'r.mkv', 'r.mkv', '-q'], capture_output=True, check=False).returncode


def check_last_picture(name, encoder):
    codec, *options = encoder.split()
    if ffmpeg('-i', 'd.y4m', '-frames:v', '5', '-c:v', codec, *options, '-threads', '1', name):
        check_cuts(name, 5)
    else:
        print(f'{name} left out: this ffmpeg cannot write it')


def check_cuts(name, frames):
    """Cuts a bare stream within its last picture, whose decoder does not always complain. Nothing may be missing in silence.
    Of HEVC, a whole slice is missing, too."""
    y4m('few.y4m', ref[:frames])  # as long as the stream, so that only the cut makes the run incomplete
    report = scores_of(name, 0)
    check(name, report['vmaf_turbo']['complete'], 'is not complete')
    right = [frame['metrics'] for frame in report['frames']]
    data = open(name, 'rb').read()
    slices = [len(data) - data.rindex(b'\0\0\1')] if name.endswith('.265') else []
    refused = 0
    for less in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, *slices):
        files.put('last.' + name, data[:-less])
        report = scores_of('last.' + name, None)
        good = [frame['metrics'] for frame in report['frames']] == right
        check(f'{name} without its last {less} bytes:', good or (report['vmaf_turbo']['complete'] is False), 'passes')
        refused += not report['vmaf_turbo']['complete']
    check(name, refused > 3, f'only {refused} cuts were noticed')


def scores_of(name, code):
    if os.path.exists('last.json'):
        os.remove('last.json')
    run(['few.y4m', name, '--scale', 'stretch', '-n', '--feature', 'psnr', '-o', 'last.json', '-q', '--allow_partial'], code)
    return json.load(open('last.json', encoding='utf-8'))


def check_file(name, encoder, sound=()):
    codec, *options = encoder.split()
    pixels = [] if codec in ('gif', 'prores_ks', 'mjpeg') else ['-pix_fmt', 'yuv420p']
    if not ffmpeg('-i', 'd.y4m', *sound, '-c:v', codec, *pixels, *options, '-threads', '1', name):
        print(f'{name} left out: this ffmpeg cannot write it')
        return
    for reference in ('r.y4m', 'r.mkv'):
        got = whole([reference, name, '--sync', 'index'] if name == 'x.obu' else [reference, name])
        check(name, got['scored']['frames'] == FRAMES, 'frames:', got['scored']['frames'])
    data = open(name, 'rb').read()
    for i in range(CUTS):
        files.put('cut.' + name, data[:len(data) * (i + 1) // (CUTS + 1)])
        title = f'{name}, cut after {i + 1} of {CUTS + 1} parts:'
        done, got = score(['r.y4m', 'cut.' + name, '--sync', 'index', '--fail-under', '0', '--threads', '1'], None)
        if not got:
            check(title, done.returncode == FAIL and done.stderr, done.returncode, done.stderr)
        elif got['scored']['frames'] == FRAMES and got['complete']: # the sound was cut, or an index
            check(title, sound and not done.returncode, 'nothing is missing', done.stderr)
        else:
            check(title, done.returncode in (UNJUDGED, FAIL) and 'incomplete:' in done.stderr, done.returncode, done.stderr)
            check(title, got['complete'] is False, got)
    os.remove('cut.' + name)


if reads_files():
    SOUND = ['-f', 'lavfi', '-i', 'sine=440:d=2']
    for name, encoder in ENCODES:
        check_file(name, encoder)
    for name, encoder in ENCODES:
        if CUTS > 3 and not name.endswith(('gif', '264', '265', 'm2v', 'ivf', 'obu', 'mxf', 'mjpeg', 'raw.nut')):
            check_file('sound.' + name, encoder, SOUND)
    for name, encoder in (('last.265', 'libx265 -crf 20 -x265-params log-level=none'), ('whole.264', 'libx264 -crf 20 -g 1'),
                          ('slices.265', 'libx265 -crf 20 -x265-params log-level=none:slices=2:ctu=16:max-tu-size=16'),
                          ('last.mjpeg', 'mjpeg -q:v 3'), ('last.dv', 'dvvideo -s 720x576 -pix_fmt yuv420p')):
        check_last_picture(name, encoder)
    if os.path.exists('slices.265'):  # The parameters of the last picture are not those at the beginning of the file.
        files.put('joined.265', open('last.265', 'rb').read() + open('slices.265', 'rb').read())
        check_cuts('joined.265', 10)
    # A hole in the middle: nothing is missing at the end, but the decoder has to repair what is around it.
    data = open('x.mp4', 'rb').read()  # its index is at the beginning
    middle = data.index(b'mdat') + (len(data) - data.index(b'mdat')) * 2 // 3
    # (It is longer than a packet: decoders may take zeros for picture data, but not for the size of a packet's unit.)
    files.put('hole.mp4', data[:middle] + bytes(600) + data[middle + 600:])
    HOLE = 'the distorted video is damaged, and what the decoder made of it was scored'
    lacks(['r.mkv', 'hole.mp4', '--sync', 'nearest'], HOLE)
    lacks(['hole.mp4', 'hole.mp4'], 'both videos are damaged, and what the decoder made of them was scored')
    said, got = merged('hole.mp4', '--sync', 'nearest', '--from_start', code=UNJUDGED)
    check('a hole in parts:', got.get('incomplete_reason') == HOLE, got.get('incomplete_reason'), said)
    # The header of a cut file says more frames than there are. The reference is as long as the rest.
    data = open('x.avi', 'rb').read()
    # (It is cut before the chunk of a frame, so that all frames are whole.)
    movie = data.index(b'movi')
    chunk = [i for i in range(movie, len(data)) if data[i:i + 4] == b'00dc'][14]
    files.put('half.avi', data[:chunk])
    lacks([y4m('half.y4m', ref[:14]), 'half.avi'], f'the distorted video is cut off: its header says {FRAMES} frames, and it '
          'has 14: 14 frames were scored', FAIL, FAIL)
    # The last packets of a stream hold frames that are shown before others: paired by time, no pair is missing without them.
    data = open('x.ts', 'rb').read()
    frames = [i for i in range(0, len(data), 188) if data[i + 1] & 0x5f == 0x41 and data[i + 2] == 0] # each begins a frame of PID 0x100
    for at in frames[-6:]:
        files.put('last.ts', data[:at])
        done, got = score(['r.mkv', 'last.ts', '--fail-under', '0'], None)
        check(f'x.ts without its last {len(frames) - frames.index(at)} packets:', done.returncode in (UNJUDGED, FAIL) and
              got['complete'] is False, done.returncode, got.get('incomplete_reason'))
    said = []
    for at in frames[-6:]:
        files.put('last.ts', data[:at])
        said.append(run(['last.ts', 'last.ts'], None).returncode)
    check('no end of x.ts lacks a frame between others', FAIL in said, said)
    # Some packets of this file have no time: those between two others are no gap.
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=176x144:r=25:d=1.2,noise=all_strength=12:all_flags=t', '-pix_fmt', 'yuv420p', '-c:v', 'libx264',
           '-x264-params', 'intra-refresh=1:keyint=10:threads=3', 'untimed.mpg')
    whole(['untimed.mpg', 'untimed.mpg'])
    # In some runs, a decoder's threads find damage only after the decoder has returned the frame.
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=25:d=0.6', '-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'veryfast', 'big.264')
    data = open('big.264', 'rb').read()
    last = data.rindex(b'\0\0\1')
    files.put('half.264', data[:last + (len(data) - last) * 9 // 10])
    for _ in range(24):
        run(['half.264', 'half.264', '-n', '--feature', 'psnr'], FAIL)
    ffmpeg('-i', 'd.y4m', '-c:v', 'ffv1', 'd.mkv')
    check('parts of whole files:', merged('d.mkv')[1]['complete'])
    # An edit list that hides the beginning is no cut; nor is sound that is longer than the video.
    for name in ('x.mp4', 'x.mov', 'x.mkv'):
        ffmpeg('-ss', '0.5', '-i', name, '-c', 'copy', 'edited.' + name)
        whole(['edited.' + name, 'edited.' + name])
    for name in ('x.mkv', 'x.flv', 'x.mp4', 'x.wmv'):
        ffmpeg('-i', name, '-f', 'lavfi', '-i', 'sine=440:d=4', '-c:v', 'copy', 'longer.' + name)
        whole(['r.y4m', 'longer.' + name])

for problem in problems:
    print(problem)
sys.exit(len(problems) > 0)
