#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests decoding and scoring videos on one device, with a fake driver and decoder (nvdec.c). Frames
stay on the device if possible, else they are fetched and the reason is logged. The scores always
equal those of the CPU's decoder.

usage: decode_test.py VMAF DRIVERS WORKDIR [sanitized]

With "sanitized", fewer calls of the driver are made to fail.
"""
import json
import os
import shutil
import subprocess
import sys

vmaf, drivers, work = (os.path.abspath(p) for p in sys.argv[1:4])
quick = 'sanitized' in sys.argv[4:]
SKIPPED, FRAMES = 77, 24  # FRAMES is more than the number of the decoder's surfaces
KEPT, FETCHED = 'frames stay on the device that scores them', 'frames are fetched from the device: '
if not shutil.which('ffmpeg'):
    print('skipped: ffmpeg is not installed')
    sys.exit(SKIPPED)
os.makedirs(work, exist_ok=True)
os.chdir(work)
problems = []


def ffmpeg(*args):
    subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', *args], check=True)


def score(*args, **environment):
    """Returns the exit status, the frames' metrics or None, the filters that the report lists for
    the videos, and the messages."""
    if os.path.exists('out.json'):
        os.remove('out.json')
    base = {**os.environ, 'LD_LIBRARY_PATH': drivers, 'EMULATED_STRICT': '1', 'VMAF_CACHE_DIR': os.path.join(work, 'cache')}
    run = subprocess.run([vmaf, *args, '-q', '--feature', 'psnr', '-o', 'out.json', '--json', '--precision', 'max',
                          '--threads', '1'], capture_output=True, text=True, errors='replace', timeout=300,
                         stdin=subprocess.DEVNULL, env={**base, **environment})
    metrics, done = None, []
    if os.path.exists('out.json'):
        report = json.load(open('out.json'))
        metrics = [frame['metrics'] for frame in report['frames']]
        done = [video.get('filters', '') for video in report['vmaf_turbo']['inputs'].values()]
    return run.returncode, metrics, done, run.stderr


def check(what, good, more=''):
    if not good:
        problems.append(what)
        print(f'{what}\n  {more}', flush=True)


def compare(what, wanted, *args):
    """Checks that scores equal those without a device, and that the report says `wanted` for each
    video that the device decoded."""
    there, here = score(*args, '--backend', 'cuda', '--hwaccel', 'cuda'), score(*args)
    check(f'{what}: status {there[0]}', there[0] == 0 == here[0], there[3] + here[3])
    check(f'{what}: scores differ from those of the CPU', there[1] and there[1] == here[1], there[3])
    decoded = [line for line in there[2] if 'decoded with cuda' in line]
    check(f'{what}: the report lacks "{wanted}"', decoded and all(wanted in line for line in decoded), f'{there[2]} {there[3]}')


# ---- videos ----
for name, size in (('even', '96x80'), ('odd', '99x67'), ('big', '640x480')):
    width, height = size.split('x')
    ffmpeg('-f', 'lavfi', '-i', f'testsrc2=s={size}:r=25', '-frames:v', str(FRAMES), '-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg',
           '-q:v', '2', f'{name}.avi')
    for quality in (9, 25):
        ffmpeg('-i', f'{name}.avi', '-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg', '-q:v', str(quality), f'{name}{quality}.avi')
    if name == 'even':
        for quality in ('', 9):  # long enough for several sections
            ffmpeg('-stream_loop', '11', '-i', f'{name}{quality}.avi', '-c', 'copy', f'long{quality}.avi')
probe = score('even.avi', 'even9.avi', '--hwaccel', 'cuda')
if probe[0] and 'does not decode mjpeg' in probe[3]:
    print('skipped: this libavcodec has no NVDEC')
    sys.exit(SKIPPED)
ffmpeg('-i', 'even.avi', '-pix_fmt', 'yuvj420p', '-strict', '-1', 'even.y4m')
ffmpeg('-i', 'even.avi', '-vf', 'scale=48:40', '-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg', 'small.avi')
ffmpeg('-i', 'even.avi', '-pix_fmt', 'yuv420p10le', '-strict', '-1', 'deep.y4m')
ffmpeg('-i', 'even.avi', '-vf', 'select=mod(n\\,4)', '-vsync', '0', '-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg', 'gaps.mkv')
ffmpeg('-i', 'even9.avi', '-c', 'copy', '-metadata:s:v', 'rotate=180', 'turned.mov')
for name in ('even', 'small'):
    ffmpeg('-i', f'{name}.avi', '-c', 'copy', f'{name}.mjpeg')
with open('changes.mjpeg', 'wb') as file:
    file.write(open('even.mjpeg', 'rb').read() + open('small.mjpeg', 'rb').read())

# ---- frames stay on the device ----
compare('kept', KEPT, 'even.avi', 'even9.avi')
compare('kept, odd sides', KEPT, 'odd.avi', 'odd9.avi')
compare('kept, by number', KEPT, 'even.avi', 'even9.avi', '--sync', 'index')
compare('kept, some frames left out', KEPT, 'even.avi', 'even9.avi', '--frame_skip_ref', '3', '--frame_skip_dist', '3',
        '--frame_cnt', '20', '--subsample', '3')
compare('kept, at another rate', KEPT, 'even.avi', 'even9.avi', '--fps', '40')
compare('kept, frames compared more than once', KEPT, 'even.avi', 'gaps.mkv', '--sync', 'nearest')
compare('kept, a feature on the CPU', KEPT, 'even.avi', 'even9.avi', '--feature', 'null')
compare('kept, a feature that looks back at both', KEPT, 'even.avi', 'even9.avi', '--feature', 'speed_temporal')
run = score('even.avi', 'even9.avi', '--hwaccel', 'cuda', '--backend', 'auto')
check('--backend auto', run[0] == 0 and all(KEPT in line for line in run[2]), f'{run[2]} {run[3]}')
check('--backend auto: other scores', run[1] == score('even.avi', 'even9.avi')[1])
second = score('even.avi', 'even9.avi', '--hwaccel', 'cuda', '--backend', 'cuda', '--device', '1')
check('--device 1', second[0] == 0 and all(KEPT in line for line in second[2]), f'{second[2]} {second[3]}')
alone = [score('even.avi', name)[1] for name in ('even9.avi', 'even25.avi')]
several = score('-r', 'even.avi', '-d', 'even9.avi', '-d', 'even25.avi', '-o', 'first.json', '--hwaccel', 'cuda', '--backend', 'cuda')
check(f'several: status {several[0]}', several[0] == 0, several[3])
for name, wanted in zip(('first.json', 'out.json'), alone):
    report = json.load(open(name))
    check(f'several: {name}', [frame['metrics'] for frame in report['frames']] == wanted and KEPT in
          report['vmaf_turbo']['inputs']['distorted']['filters'])

# ---- the faster one decodes: one CPU is slower than the card for large pictures, and faster for small ones ----
before = os.sched_getaffinity(0)
os.sched_setaffinity(0, {min(before)})
for backend in ('cuda', 'auto'):
    run = score('big.avi', 'big9.avi', '--hwaccel', 'auto', '--backend', backend)
    check(f'big --hwaccel auto --backend {backend}', run[0] == 0 and len(run[2]) == 2 and all(
          'decoded with cuda: estimated ' in line and KEPT in line for line in run[2]), f'{run[2]} {run[3]}')
    check(f'big --backend {backend}: other scores', run[1] and run[1] == score('big.avi', 'big9.avi')[1])
os.sched_setaffinity(0, before)
run = score('even9.avi', 'even25.avi', '--hwaccel', 'auto', '--backend', 'cuda')
check('small --hwaccel auto', run[0] == 0 and len(run[2]) == 2 and all(
      'decoded on the CPU: estimated ' in line and ' with cuda (1 engine), ' in line for line in run[2]), f'{run[2]} {run[3]}')
check('small --hwaccel auto: other scores', run[1] and run[1] == score('even9.avi', 'even25.avi')[1])

# ---- several decoders for each video ----
long = score('long.avi', 'long9.avi')[1]
for decoders, sessions in (('1', 2), ('3', 8), ('auto', 10)):  # one decoder of each video decodes its first frame only
    for args, wanted in ((('--backend', 'cuda'), KEPT), ((), '')):
        run = score('long.avi', 'long9.avi', '--hwaccel', 'cuda', '--decoders', decoders, *args, EMULATED_SESSIONS='1')
        check(f'--decoders {decoders} {args}', run[0] == 0 and all(wanted in line for line in run[2]), f'{run[2]} {run[3]}')
        check(f'--decoders {decoders} {args}: other scores', long and run[1] == long)
        check(f'--decoders {decoders} {args}: wanted {sessions} sessions', f'{sessions} decoders were used' in run[3], run[3])

# ---- frames cannot stay ----
compare('a Y4M reference', FETCHED + 'even.y4m is decoded on the CPU', 'even.y4m', 'even9.avi')
compare('another size', FETCHED + 'small.avi: they are scaled on the CPU', 'even.avi', 'small.avi')
compare('a turned video', FETCHED + 'turned.mov: they are rotated on the CPU', 'even.avi', 'turned.mov')
compare('another depth', FETCHED + 'deep.y4m is decoded on the CPU', 'deep.y4m', 'even9.avi')
other = score('even.avi', 'even9.avi', '--hwaccel', 'cuda', '--backend', 'cuda', '--device', 'Emulated Two')
check('a device by its name', other[0] == 0 and all(FETCHED in line and 'another context' in line for line in other[2]),
      f'{other[2]} {other[3]}')
check('a device by its name: other scores', other[1] == second[1])
for part in range(2):
    run = subprocess.run([vmaf, 'even.avi', 'even9.avi', '-q', '--feature', 'psnr', '--threads', '1', '--shard', f'{part}/2',
                          '-o', f'part{part}.json', '--hwaccel', 'cuda', '--backend', 'cuda'], capture_output=True, text=True, timeout=300,
                         env={**os.environ, 'LD_LIBRARY_PATH': drivers, 'EMULATED_STRICT': '1'})
    check(f'part {part}: status {run.returncode}', run.returncode == 0 and FETCHED + 'a part records digests' in run.stderr, run.stderr)
subprocess.run([vmaf, '--merge', 'part0.json', 'part1.json', '-q', '-o', 'merged.json', '--json', '--precision', 'max'], check=True)
check('parts: other scores', [frame['metrics'] for frame in json.load(open('merged.json'))['frames']] == second[1])
plain = score('even.avi', 'even9.avi', '--hwaccel', 'cuda')
check('no GPU to score', plain[0] == 0 and plain[2] == ['decoded with cuda'] * 2, f'{plain[2]} {plain[3]}')

# ---- the device does not decode the video ----
for codec, options in (('h264', ('libx264', '-preset', 'ultrafast')), ('av1', ('libaom-av1', '-cpu-used', '8'))):
    ffmpeg('-i', 'big.avi', '-pix_fmt', 'yuv420p', '-c:v', *options, f'{codec}.mkv')
    wanted = score('big.avi', f'{codec}.mkv')[1]
    named = score('big.avi', f'{codec}.mkv', '--hwaccel', 'cuda')
    check(f'{codec}, a device named: status {named[0]}', named[0] and not named[1] and 'damaged' not in named[3] and
          f'the device does not decode this video ({codec})' in named[3], named[3])
    os.sched_setaffinity(0, {min(before)})
    auto = score('big.avi', f'{codec}.mkv', '--hwaccel', 'auto')
    os.sched_setaffinity(0, before)
    check(f'{codec}, any device: status {auto[0]}', wanted and auto[1] == wanted, auto[3])
    check(f'{codec}, any device: the report lacks the reason', auto[2][1:] == ['decoded on the CPU: no device decodes it'], f'{auto[2]}')

# ---- videos that cannot be scored ----
for args in (('changes.mjpeg', 'changes.mjpeg'), ('even.mjpeg', 'changes.mjpeg')):
    run = score(*args, '--hwaccel', 'cuda', '--backend', 'cuda')
    longer = args[0] != 'even.mjpeg'  # even.mjpeg ends where the size changes in the other video
    check(f'a change of size: status {run[0]}', not longer or (run[0] and 'frames change from 96x80' in run[3]), run[3])

# ---- the driver fails ----
wanted = second[1]
for function in ('cuDevicePrimaryCtxRetain', 'cuMemAlloc_v2', 'cuMemcpyHtoDAsync_v2', 'cuMemcpy2DAsync_v2', 'cuStreamWaitEvent',
                 'cuLaunchKernel'):
    for nth in (1, 20) if quick else (1, 2, 20, 60):
        run = score('even.avi', 'even9.avi', '--hwaccel', 'cuda', '--backend', 'cuda', EMULATED_FAULT=f'{function}:{nth}:2')
        right = run[0] == 0 and run[1] == wanted
        refused = run[0] and (0 < run[0] < 99 or run[0] == 255) and run[3].strip()
        # If the decoder cannot even begin, the command takes the video for damaged and says so.
        damaged = run[0] == 0 and 'the video is damaged' in run[3]
        check(f'{function} fails, call {nth}: status {run[0]}', right or damaged or (refused and not run[1]), run[3])

print(f'{len(problems)} problems' if problems else 'all is well')
sys.exit(1 if problems else 0)
