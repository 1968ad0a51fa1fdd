#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests parts of encodes: they begin at key frames, read little more than their own frames, and give the report of a
single run.

usage: encodes_test.py VMAF SYNTHCLIP WORKDIR

Covers open and closed GOPs of several codecs in several containers; pairing by number and by time; different rates,
uneven times, and videos whose length is unknown.
"""
import os
import re
import shutil
import subprocess
import sys

import shards
from shards import check, run, same

SKIPPED, FAIL = 77, 255
if not shutil.which('ffmpeg'):
    print('skipped: there is no ffmpeg')
    sys.exit(SKIPPED)
FRAMES = 60
encoders = subprocess.run(['ffmpeg', '-hide_banner', '-encoders'], capture_output=True, text=True).stdout.split()
y4m, _ = shards.clip('clip', 'mix', 96, 80, 420, 8, FRAMES)


def encode(name, codec, *args, source=y4m):
    """Returns False if this ffmpeg cannot make the file."""
    if codec not in encoders:
        print(f'left out: there is no {codec}')
        return False
    done = subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', '-i', source, '-c:v', codec, *args, name],
                          capture_output=True, text=True)
    check(f'{name} could not be made', done.returncode == 0, done.stderr)
    return done.returncode == 0


X264 = ('libx264', '-preset', 'ultrafast', '-bf', '3')
ENCODES = (
    ('closed.mp4', *X264, '-g', '8'),
    ('open.mp4', *X264, '-x264-params', 'keyint=8:open-gop=1:bframes=3:b-adapt=0'),
    ('open.ts', *X264, '-x264-params', 'keyint=8:open-gop=1:bframes=3:b-adapt=0'),
    ('open_hevc.mkv', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:keyint=8:min-keyint=8:open-gop=1:bframes=3'),
    ('mpeg2.mpg', 'mpeg2video', '-g', '8', '-bf', '2'),
    ('mpeg4.avi', 'mpeg4', '-g', '8', '-bf', '2'),
    ('vp9.webm', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-g', '8'),
    ('lossless.mkv', 'ffv1'),
    ('long.mkv', *X264, '-g', '250'),
)
reference = 'ref.mkv' if encode('ref.mkv', *X264, '-qp', '4', '-g', '10') else y4m
for number, (name, *args) in enumerate(ENCODES):
    if encode(name, *args):
        if number < 5:
            same(f'{name}, by number', [y4m, name], 3)
        same(f'{name}, by time', [reference, name], 5 - number % 3)

if reference != y4m:
    # Pairing by time.
    same('offset in frames', [reference, 'closed.mp4', '--offset', '5', '--feature', 'psnr'], 4)
    same('offset in seconds', [reference, 'closed.mp4', '--offset', '-0.25s'], 3)
    same('a rate of its own', [reference, 'closed.mp4', '--fps', '10'], 3)
    same('the rate that both have', [reference, 'closed.mp4', '--fps', '25'], 3)
    encode('fast.mkv', *X264, '-r', '50', '-g', '8')
    same('twice the rate', [reference, 'fast.mkv', '--sync', 'nearest'], 3)
    same('the other way round', ['fast.mkv', 'closed.mp4', '--sync', 'nearest', '--duration', '1s'], 3)
    # Gaps from the first frame on are no cut, also where the end is near.
    encode('brief.mkv', *X264, '-r', '50', '-g', '8', '-frames:v', '3')
    brief = run('brief.mkv', 'brief.mkv', '--sync', 'nearest', '-o', 'brief.json')
    check('a brief video with gaps is taken for cut', brief.returncode == 0 and 'cut off' not in brief.stderr, brief.stderr)
    encode('small.mp4', *X264, '-s', '48x40', '-g', '8')
    same('another size', [reference, 'small.mp4', '--subsample', '3'], 4, 'csv')

    # Frames before the first key frame that is shown, or directly after it.
    subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', '-ss', '0.5', '-i', 'closed.mp4', '-c', 'copy', 'piece.mp4'], check=True)
    same('a piece that does not begin with a key frame', [reference, 'piece.mp4'], 24)
    same('parts shorter than from key frame to key frame', [reference, 'mpeg2.mpg'], 13)

    # A frame is missing: parts after it would measure wrong frames.
    encode('gap.mkv', *X264, '-vf', "select='not(eq(n,33))'", '-vsync', 'passthrough', '-g', '8')
    told = [run(reference, 'gap.mkv', '--shard', f'{i}/3', '-o', f'gap{i}.json') for i in range(3)]
    said = ''.join(done.stderr for done in told)
    check('uneven times pass for even ones', any(done.returncode == FAIL for done in told) and '--from_start' in said, said)
    same('uneven times, from the start', [reference, 'gap.mkv'], 3, extra=['--from_start'])
    same('uneven times by number, from the start', [y4m, 'gap.mkv'], 3, extra=['--from_start'])

    # Joined recordings whose clocks restart: frames of each have the times that parts look for.
    if encode('once.ts', *X264, '-g', '8'):
        with open('once.ts', 'rb') as once, open('joined.ts', 'wb') as joined:
            joined.write(once.read() * 3)
        paths = shards.parts(['joined.ts', reference], 3, name='j')
        done = run('--merge', *paths, '-o', 'report.json') if paths else None
        check('one of several frames of the same time is taken for another', done and done.returncode == FAIL and
              'different file positions' in done.stderr and '--from_start' in done.stderr, done and done.stderr)
        same('joined recordings, from the start', ['joined.ts', reference], 3, extra=['--from_start'])

    # Bare bitstreams do not contain their length.
    encode('bare.h264', *X264, '-g', '8')
    done = run(y4m, 'bare.h264', '--shard', '0/2', '-o', 'x.json')
    check('a length that nobody knows is divided', done.returncode == FAIL and '--frames' in done.stderr, done.stderr)
    run(y4m, 'bare.h264', '-o', 'report.json')
    os.rename('report.json', 'one')
    for name, frames in (('b0.json', '0-20'), ('b1.json', '21-99')):
        done = run(y4m, 'bare.h264', '--frames', frames, '-o', name)
        check('a part by frames failed', done.returncode == 0, done.stderr)
    done = run('--merge', 'b0.json', 'b1.json', '-o', 'report.json')
    check('parts by frames give another report', done.returncode == 0 and shards.report('one') == shards.report('report.json'),
          done.stderr)



def bytes_read(path, *args):
    """Returns how many bytes of a file a run reads, by strace."""
    trace = 'trace'
    subprocess.run(['strace', '-f', '-qq', '-y', '-e', 'trace=read,readv,pread64,preadv,preadv2', '-o', trace, shards.vmaf, *args],
                   capture_output=True, timeout=shards.LIMIT)
    waiting, total = {}, 0
    for line in open(trace, errors='replace'):
        pid = line.split()[0]
        name = f'/{path}>' in line
        if 'unfinished' in line:
            waiting[pid] = name
        result = re.search(r'= (\d+)$', line)
        if result and (waiting.pop(pid, False) if 'resumed' in line else name):
            total += int(result.group(1))
    return total


def reads_little(path, *args):
    whole, share, ends = os.path.getsize(path), 10, 2 << 16
    most = 0
    for index in (0, 4, 9):
        most = max(most, bytes_read(path, *args, '--shard', f'{index}/{share}', '-o', 'x.json', '-q'))
    # A part may read a tenth of the file, the frames or groups on both sides, the headers, and some buffers.
    check(f'{path}: a tenth reads {most} of {whole} bytes', 0 < most < whole * 0.3 + ends + (1 << 16))


if shutil.which('strace') and subprocess.run(['strace', '-o', '/dev/null', 'true'], capture_output=True).returncode == 0:
    large, _ = shards.clip('large', 'noise', 256, 256, 420, 8, 60)
    reads_little(large, large, large, '-n', '--feature', 'psnr')
    if encode('large.mp4', *X264, '-qp', '1', '-g', '3', source=large) and encode('large.mkv', *X264, '-qp', '1', '-g', '3', source=large):
        reads_little('large.mp4', large, 'large.mp4', '-n', '--feature', 'psnr')
        reads_little('large.mkv', 'large.mp4', 'large.mkv', '-n', '--feature', 'psnr')
else:
    print('left out: there is no strace')
shards.finish()
