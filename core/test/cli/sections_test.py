#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests that several decoders for one video (--decoders) give what one decoder gives: all frames, times, positions, notes and
messages, for files that can be cut, files that cannot, and broken files; and that those that can be cut are.

usage: sections_test.py VMAF SYNTHCLIP SECTIONS_CHECK WORKDIR

Leaves out encoders that this ffmpeg lacks, with a message.
"""
import glob
import json
import os
import shutil
import subprocess
import sys

import inputs

vmaf, synthclip, checker, work = (os.path.abspath(p) for p in sys.argv[1:5])
SKIPPED = 77
if not shutil.which('ffmpeg'):
    print('skipped: there is no ffmpeg')
    sys.exit(SKIPPED)
WIDTH, HEIGHT, FRAMES, LOOPS = 176, 144, 20, 9
problems = []
shutil.rmtree(work, ignore_errors=True)
files = inputs.Inputs(synthclip, work)
os.chdir(work)
encoders = subprocess.run(['ffmpeg', '-hide_banner', '-encoders'], capture_output=True, text=True).stdout.split()
expected = {}


def ffmpeg(*args):
    subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', *args], check=True)


def encode(name, outcome, codec, *options, source=('-i', 'ref.y4m'), muxing=()):
    """Encodes a file of which the checker says `outcome`."""
    if codec not in encoders:
        print(f'{name} left out: this ffmpeg has no {codec}')
        return False
    ffmpeg(*source, '-c:v', codec, *options, '-threads', '2', *muxing, name)
    expected[name] = outcome
    return True


def derive(name, outcome, source, *args):
    """Makes a file of another one without encoding."""
    if source in expected:
        ffmpeg('-i', source, '-c', 'copy', *args, name)
        expected[name] = outcome


def damage(name, outcome, source, change):
    """Writes a changed copy of a file."""
    if source in expected:
        data = bytearray(open(source, 'rb').read())
        files.put(name, change(data))
        expected[name] = outcome


def flipped(at, count=40):
    def change(data):
        start = int(len(data) * at)
        data[start:start + count] = bytes(byte ^ 0x5A for byte in data[start:start + count])
        return data
    return change


clip = files.clip('mix', str(WIDTH), str(HEIGHT), '420', '8', str(FRAMES))
HEADER = f'W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C420jpeg'
files.y4m('ref.y4m', (clip[0] + clip[1]) * (LOOPS // 2) + clip[0], HEADER, WIDTH * HEIGHT * 3 // 2)
GOP = ['-g', '40']

# ---- files that can be cut ----
X264 = ['-preset', 'veryfast', '-crf', '35', *GOP]
encode('x264.mp4', 'cut', 'libx264', *X264, '-bf', '3')
encode('x264.ts', 'cut', 'libx264', *X264)
encode('x264.mkv', 'cut', 'libx264', *X264, '-bf', '0')
encode('x264_pyramid.mp4', 'cut', 'libx264', *X264, '-bf', '8', '-x264-params', 'b-pyramid=normal:ref=6')
encode('x264_short.mp4', 'cut', 'libx264', *X264[:4], '-g', '7')
encode('x264_10.mp4', 'cut', 'libx264', *X264, '-pix_fmt', 'yuv420p10le')
encode('x264_gaps.mp4', 'cut', 'libx264', *X264, '-vsync', '0', '-vf', 'select=not(eq(mod(n\\,7)\\,3))')
encode('x265.mp4', 'cut', 'libx265', '-preset', 'ultrafast', '-crf', '38', *GOP, '-x265-params', 'log-level=none:open-gop=0')
encode('x265.ts', 'cut', 'libx265', '-preset', 'ultrafast', '-crf', '38', *GOP, '-x265-params',
       'log-level=none:open-gop=0:repeat-headers=1')
encode('mpeg2.ts', 'cut', 'mpeg2video', '-b:v', '200k', *GOP, '-bf', '2', '-flags', '+cgop', '-sc_threshold', '1000000000')
encode('mpeg2.mkv', 'cut', 'mpeg2video', '-b:v', '200k', *GOP, '-flags', '+cgop', '-sc_threshold', '1000000000')
encode('vp9.webm', 'cut', 'libvpx-vp9', '-b:v', '100k', '-deadline', 'realtime', '-cpu-used', '8', *GOP)
encode('vp9_hidden.webm', 'cut', 'libvpx-vp9', '-b:v', '100k', '-deadline', 'good', '-cpu-used', '5', '-auto-alt-ref', '1',
       '-lag-in-frames', '16', *GOP)
encode('av1.mp4', 'cut', 'libsvtav1', '-crf', '55', '-preset', '12', *GOP)
JPEG = ['-pix_fmt', 'yuvj420p', '-q:v', '20']
encode('mjpeg.avi', 'cut', 'mjpeg', *JPEG)
encode('mjpeg.mov', 'cut', 'mjpeg', *JPEG, '-huffman', 'optimal')
derive('edited.mp4', 'cut', 'x264.mp4', '-ss', '1.92')
derive('fragmented.mp4', 'cut', 'x264.mp4', '-movflags', 'frag_keyframe+empty_moov')

# ---- files that cannot ----
encode('x264_open.mp4', 'whole', 'libx264', *X264, '-bf', '3', '-x264-params', 'open-gop=1')
encode('x264_one.mp4', 'whole', 'libx264', *X264[:4], '-g', '999', '-sc_threshold', '0')
encode('x264_refresh.mp4', 'whole', 'libx264', *X264, '-x264-params', 'intra-refresh=1')
encode('x265_open.mkv', 'whole', 'libx265', '-preset', 'ultrafast', '-crf', '38', *GOP, '-bf', '3', '-x265-params',
       'log-level=none:open-gop=1')
encode('mpeg2_open.ts', 'whole', 'mpeg2video', '-b:v', '200k', *GOP, '-bf', '2')
encode('mpeg4.mp4', 'whole', 'mpeg4', '-b:v', '200k', *GOP)
encode('x264.h264', 'whole', 'libx264', *X264)

# ---- files that can be cut for a while only, and broken ones ----
if encode('first.ts', 'cut', 'libx264', *X264) and encode('second.ts', 'cut', 'libx264', *X264, '-refs', '1', '-bf', '0'):
    files.put('joined.ts', open('first.ts', 'rb').read() + open('second.ts', 'rb').read())
    expected['joined.ts'] = 'given up'
encode('interlaced.ts', 'cut', 'libx264', *X264, '-flags', '+ildct+ilme', '-x264-params', 'tff=1')
damage('cut.mkv', 'given up', 'x264.mkv', lambda data: data[:len(data) * 4 // 5])
damage('broken_end.ts', 'any', 'x264.ts', lambda data: data[:len(data) * 4 // 5 // 188 * 188 + 90])
damage('broken.mp4', 'given up', 'x264.mp4', flipped(0.4, 400))  # damages several pictures, however many bytes each has
damage('broken.mkv', 'any', 'x264.mkv', flipped(0.7))
damage('broken.ts', 'any', 'x264.ts', flipped(0.6, 400))
damage('broken_x265.mp4', 'any', 'x265.mp4', flipped(0.5))
damage('broken_mpeg2.ts', 'any', 'mpeg2.ts', flipped(0.5, 300))
damage('tables_missing.mov', 'any', 'mjpeg.mov',  # later pictures have no tables, so decoders use those of the picture before
       lambda data: data[:len(data) // 2] + data[len(data) // 2:].replace(b'\xff\xc4', b'\xff\xe5'))
damage('broken_mjpeg.mov', 'any', 'mjpeg.mov', flipped(0.5, 300))
damage('broken_vp9.webm', 'any', 'vp9.webm', flipped(0.6))

run = subprocess.run([checker, *expected], capture_output=True, text=True, timeout=900)
lines = run.stdout.splitlines()
if run.returncode:
    problems.append(f'sections_check: exit status {run.returncode}: {run.stderr}')
said = {line.split(': ')[0]: line.rsplit(', ', 1)[1] for line in lines if ' frames, end ' in line}
for name, outcome in expected.items():
    if said.get(name) != outcome and outcome != 'any':
        problems.append(f'{name}: {said.get(name)} instead of {outcome}')


# ---- the command ----
def score(*args):
    """Returns the frames of the report, its notes, and the messages."""
    for path in glob.glob('out*.json'):
        os.remove(path)
    run = subprocess.run([vmaf, *args, '-q', '--feature', 'psnr', '-o', 'out.json', '--precision', 'max', '--threads', '1'],
                         capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    reports = [json.load(open(path)) for path in sorted(glob.glob('out*.json'))]
    details = [{key: report['vmaf_turbo'].get(key) for key in ('times', 'warnings', 'inputs')} for report in reports]
    return run.returncode, [report['frames'] for report in reports], details, run.stderr


def same(*args):
    one, several = (score(*args, '--decoders', count) for count in ('1', '4'))
    if one != several:
        problems.append(f'{args}: differs with --decoders 4: {one[0]}, {one[3]}; {several[0]}, {several[3]}')
    if one[0] == 0 and not one[1]:
        problems.append(f'{args}: no frames')


if 'x264.mp4' in expected:
    same('x264.mp4', 'x264.ts')
    same('x264.mp4', 'x264_gaps.mp4', '--sync', 'nearest')
    same('x264.mp4', 'x264.mkv', '--frame_skip_ref', '50', '--frame_skip_dist', '50', '--frame_cnt', '60')
    same('x264.mp4', 'cut.mkv')
    same('x264.mp4', 'x264.mkv', '--offset', '1s')
    same('x264.mp4', 'x264.ts', 'x264_pyramid.mp4', '--no_prediction')
    run = subprocess.run([vmaf, 'x264.mp4', 'x264.mp4', '--decoders', '65'], capture_output=True, text=True)
    if run.returncode == 0 or 'auto or a number from 1 to 64' not in run.stderr + run.stdout:
        problems.append(f'--decoders 65: {run.returncode}, {run.stderr}')

print('\n'.join(lines))
if problems:
    print('\n'.join(['PROBLEMS', *problems]))
sys.exit(bool(problems))
