#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests videos from strangers: playlists, FIFOs that they name, times that lead astray, control characters. Each run
must end soon, with scores that are right or with one line.

usage: untrusted_test.py VMAF SYNTHCLIP WORKDIR
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
SKIPPED, FAIL = 77, 255
if not shutil.which('ffmpeg'):
    print('skipped: there is no ffmpeg')
    sys.exit(SKIPPED)
FRAMES = 48
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


def run(*args, code=0, within=20, scores=('-n', '--feature', 'psnr')):
    """Returns the scores of all frames, and what was said."""
    if os.path.exists('out.json'):
        os.remove('out.json')
    try:
        done = subprocess.run([vmaf, *args, *scores, '-q', '-o', 'out.json', '--precision', 'max'], capture_output=True,
                              timeout=within * 5, check=False)
    except subprocess.TimeoutExpired:
        check(f'{args}: does not end', False)
        return [], ''
    said = done.stderr.decode(errors='replace')
    check(f'{args}', done.returncode == code, f'exit code {done.returncode} and not {code}:', said)
    report = json.load(open('out.json')) if os.path.exists('out.json') else {}
    return [frame['metrics'] for frame in report.get('frames', [])], said


def says(words, *args, code=FAIL):
    said = run(*args, code=code)[1]
    check(f'{args}: does not say "{words}"', words in said, said)
    check(f'{args}: says more than two lines', len(said.splitlines()) <= 2, said)


def warnings():
    return [w['code'] for w in json.load(open('out.json'))['vmaf_turbo'].get('warnings', [])]


ref, dist = files.clip('mix', '64', '64', '420', '8', str(FRAMES))
files.y4m('r.y4m', ref)
files.y4m('d.y4m', dist)
for name in 'rd':
    ffmpeg('-r', '25', '-i', f'{name}.y4m', '-c:v', 'ffv1', f'{name}.mkv')
    ffmpeg('-r', '25', '-i', f'{name}.y4m', '-c:v', 'mpeg2video', '-q:v', '2' if name == 'r' else '20', f'{name}.ts')
plain = run('r.ts', 'd.ts')[0]
check('plain files', len(plain) == FRAMES)

# ---- playlists ----
CONCAT = b'ffconcat version 1.0\nfile r.ts\n'
HLS = b'#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nr.ts\n#EXT-X-ENDLIST\n'
for kind, data, good in (('concat', CONCAT, 'good.ffconcat'), ('hls', HLS, 'good.m3u8')):
    files.put(good, data)
    check(good, run(good, 'd.ts')[0] == plain)
    files.put('good.' + good.split('.')[1].upper(), data)
    check(f'{good} in capitals', run('good.' + good.split('.')[1].upper(), 'd.ts')[0] == plain)
    for name in ('list.mp4', 'list', 'list.txt', 'list.mkv.', 'm3u8', 'x.ffconcat.ts', 'ffconcat/x.ts'):
        os.makedirs('ffconcat', exist_ok=True)
        files.put(name, data)
        says(f'{name} is a playlist ({kind})', name, 'd.ts')
        says(f'{name} is a playlist ({kind})', 'd.ts', name)
    with subprocess.Popen(['cat', good], stdout=subprocess.PIPE) as cat:
        done = subprocess.run([vmaf, '-', 'd.ts', '-q'], stdin=cat.stdout, capture_output=True, text=True, check=False,
                              timeout=60)
    check(f'{kind} from a pipe', done.returncode == FAIL and 'is a playlist' in done.stderr, done.stderr)

# Playlists may not name FIFOs and other playlists.
if not os.path.exists('fifo.ts'):
    os.mkfifo('fifo.ts')
FIFO = 'which is not a regular file'
files.put('fifo.ffconcat', CONCAT.replace(b'r.ts', b'fifo.ts'))
files.put('quoted.ffconcat', CONCAT + b"  file 'fifo'\\.ts\n")
files.put('late.ffconcat', CONCAT + b'\n# and\nfile\tfifo.ts\r\n')
files.put('fifo.m3u8', HLS.replace(b'r.ts', b'fifo.ts'))
files.put('late.m3u8', HLS.replace(b'#EXT-X-END', b'#EXTINF:2,\nfifo.ts\n#EXT-X-END'))
# The last file in this list has no duration, so the run would look complete without it.
files.put('short.m3u8', HLS.replace(b'#EXT-X-END', b'#EXTINF:0,\nfifo.ts\n#EXT-X-END').replace(b':2,', b':1.9,'))
for name in ('fifo.ffconcat', 'quoted.ffconcat', 'late.ffconcat', 'fifo.m3u8', 'late.m3u8', 'short.m3u8'):
    said = run(name, 'd.ts', code=FAIL)[1]
    check(f'{name}: does not say why', FIFO in said and 'fifo.ts' in said, said)
for name, data in (('self.ffconcat', CONCAT.replace(b'r.ts', b'self.ffconcat')), ('self.m3u8', HLS.replace(b'r.ts', b'self.m3u8')),
                   ('nest.ffconcat', CONCAT.replace(b'r.ts', b'x.ffconcat.ts')), ('nest.m3u8', HLS.replace(b'r.ts', b'good.ffconcat')),
                   ('master.m3u8', b'#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nmaster.m3u8\n')):
    files.put(name, data)
    start = time.monotonic()
    run(name, 'd.ts', code=FAIL)
    check(f'{name}: takes long', time.monotonic() - start < 20)
says('which is a playlist, too', 'self.ffconcat', 'd.ts')
# An ordinary list of pictures opens many files.
ffmpeg('-i', 'r.y4m', 'p%03d.png')
run('p%03d.png', 'p%03d.png')

# A signal ends the command while a library waits; here the writer of a FIFO, later than the first second.
for number in (signal.SIGTERM, signal.SIGINT):
    with subprocess.Popen([vmaf, 'fifo.ts', 'd.ts', '-q'], stderr=subprocess.PIPE) as waiting:
        time.sleep(0.5)
        start = time.monotonic()
        waiting.send_signal(number)
        try:
            waiting.wait(20)
        except subprocess.TimeoutExpired:
            waiting.kill()
        check(f'{number.name} while a FIFO waits', waiting.returncode in (-number, 128 + number) and time.monotonic() - start < 10,
              waiting.returncode)

# ---- times ----
for name in 'rd':
    with open(f'{name}_twice.ts', 'wb') as file:
        file.write(open(f'{name}.ts', 'rb').read() * 2)
for words in ((), ('--fps', '25'), ('--sync', 'nearest'), ('--sync', 'index')):
    got, said = run('r_twice.ts', 'd_twice.ts', *words)
    check(f'joined files {words}', len(got) == 2 * FRAMES, len(got), said)
    check(f'joined files {words}: do not say so', 'its times go back by' in said and said.count('go back') == 2, said)
    check(f'joined files {words}: no warning', warnings().count('broken_times') == 2)
    check(f'joined files {words}: other scores', got[:FRAMES - 4] == plain[:FRAMES - 4])
# Frames 24 and later are 10^6 seconds after the others, in both or in one of the videos.
for name in 'rd':
    ffmpeg('-i', f'{name}.mkv', '-vf', "setpts=PTS+gte(N\\,24)*1000000/TB", '-vsync', 'passthrough', '-c:v', 'ffv1', f'{name}_far.mkv')
    ffmpeg('-i', f'{name}.mkv', '-vf', "setpts=PTS+gte(N\\,24)*15/TB", '-vsync', 'passthrough', '-c:v', 'ffv1', f'{name}_gap.mkv')
    ffmpeg('-i', f'{name}_gap.mkv', '-vsync', 'passthrough', '-c:v', 'mpeg2video', f'{name}_gap.ts')
lossless = run('r.mkv', 'd.mkv')[0]
for pair in (('r_far.mkv', 'd_far.mkv'), ('r_far.mkv', 'd.mkv'), ('r.mkv', 'd_far.mkv')):
    for words in (('--fps', '25'), ('--sync', 'nearest')):
        got, said = run(*pair, *words)
        check(f'{pair} {words}', got == lossless, len(got), said)
        check(f'{pair} {words}: does not say so', 'its times jump by 1000000.0' in said, said)
got, said = run('r_gap.mkv', 'd_gap.mkv', '--fps', '25')
check('a gap of 15 seconds stays', len(got) == FRAMES + 375 and 'jump' not in said, len(got), said)
got, said = run('r_gap.ts', 'd_gap.ts', '--fps', '25')
check('a gap of 15 seconds in a stream goes', len(got) == FRAMES and said.count('its times jump by 15.0') == 2, len(got), said)
# A single frame's time goes back: the frames after it have their own times.
data, found = re.subn(rb'\x81\0\xf0([\0\x80])', b'\x81\0\x50\\1', open('r.mkv', 'rb').read(), count=1)
files.put('r_once.mkv', data)
got, said = run('r_once.mkv', 'd.mkv')
times = json.load(open('out.json'))['vmaf_turbo']['times']
check('a single wrong time', found == 1 and 'its times go back by 0.120 s at frame 6' in said, found, said)
check('a single wrong time: other scores', got == lossless, len(got))
check('times after a single wrong one', times == [i / 25 for i in range(FRAMES)], times)

# ---- control characters ----
EVIL = 'e\x1b[2J\x07\x7f\u009b\u202ev\til.mkv'
shutil.copy('d.mkv', EVIL)
for args, code in ((('r.mkv', EVIL, '--fps', '12.5'), 0), ((EVIL + 'x', 'r.mkv'), FAIL), (('r.mkv', 'd.mkv', '--scale', EVIL), 1),
                   (('r.mkv', 'd.mkv', '--model', EVIL), FAIL), (('r.mkv', EVIL, 'd.mkv'), 0)):
    done = subprocess.run([vmaf, *args, '-n', '--feature', 'psnr'], capture_output=True, check=False)
    printed = (done.stdout + done.stderr).decode()
    check(f'{args!r}: exit code {done.returncode}', done.returncode == code, repr(printed))
    check(f'{args!r}: control characters on the terminal', not [c for c in printed if c in '\x1b\x07\x7f\u009b\u202e'], repr(printed))
    check(f'{args!r}: the name is gone', 'e?[2J' in printed and 'v\til.mkv' in printed, repr(printed))
NAMES = 'grüße 視頻 🎬.mkv'
shutil.copy('d.mkv', NAMES)
said = run('r.mkv', NAMES, '--fps', '12.5')[1]
check('other letters stay', NAMES in said, said)

print(f'{len(problems)} wrong' if problems else 'nothing hangs or lies')
sys.exit(1 if problems else 0)
