#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Feeds cut and damaged videos to the command: it must end by itself, with scores or an error, without memory errors.

usage: libav_fuzz.py VMAF SYNTHCLIP WORKDIR COUNT

VMAF should be built with sanitizers. The files are always the same; a file that fails stays in WORKDIR.
"""
import os
import random
import shutil
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
count = int(sys.argv[4])
SKIPPED, FAIL = 77, 255
LIMIT = 300  # seconds after which a run counts as hanging
if not shutil.which('ffmpeg'):
    print('skipped: there is no ffmpeg')
    sys.exit(SKIPPED)

files = inputs.Inputs(synthclip, work)
os.chdir(work)
files.y4m('ref.y4m', files.clip('mix', '64', '64', '420', '8', '6')[0])
SEEDS = {
    'h264.mp4': '-c:v libx264', 'front.mp4': '-c:v libx264 -movflags +faststart', 'pieces.mp4': '-c:v libx264 -movflags +frag_keyframe',
    'hevc.mkv': '-c:v libx265 -x265-params log-level=none', 'vp9.webm': '-c:v libvpx-vp9 -b:v 50k', 'mpeg2.ts': '-c:v mpeg2video',
    'mjpeg.avi': '-c:v mjpeg', 'prores.mov': '-c:v prores_ks', 'ffv1.mkv': '-c:v ffv1', 'raw.nut': '-c:v rawvideo -pix_fmt nv12',
    'a.gif': '', 'a.png': '-frames:v 1', 'a.flv': '-c:v flv', 'av1.mp4': '-c:v libsvtav1', 'a.h264': '-c:v libx264',
}
seeds = {}
for name, options in SEEDS.items():
    # Without random numbers in containers, and with one thread, so that files are reproducible.
    made = subprocess.run(['ffmpeg', '-v', 'quiet', '-nostdin', '-y', '-i', 'ref.y4m', *options.split(), '-threads', '1', '-fflags',
                           '+bitexact', name], check=False)
    if made.returncode == 0:
        seeds[name] = open(name, 'rb').read()


def damage(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        size = min(rng.choice((1, 2, 4, 8, 64, 1000)), len(data) - at)
        kind = rng.randrange(5)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at + size] = rng.randbytes(size)
        elif kind == 2:
            data[at:at + size] = rng.choice((b'\0', b'\xff')) * size
        elif kind == 3 and len(data) > 2 * size:
            del data[at:at + size]
        else:
            data[at:at] = data[at:at + size]
    if rng.randrange(4) == 0:
        del data[rng.randrange(1, len(data)):]
    return bytes(data)


def end_of(command, data=None):
    try:
        run = subprocess.run(command, input=data, stdin=None if data else subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return 'never ends', ''
    said = run.stderr.decode(errors='replace')
    if run.returncode not in (0, FAIL):
        return f'exit status {run.returncode}', said
    if run.returncode == FAIL and not said.strip():
        return 'fails without a reason', said
    return ('' if run.returncode or run.stdout.strip() else 'gives no score'), said


problems = 0
for number in range(count):
    rng = random.Random(number)
    seed = rng.choice(sorted(seeds))
    name = f'bad{number}{os.path.splitext(seed)[1]}'
    data = damage(seeds[seed], rng)
    files.put(name, data)
    piped = rng.randrange(4) == 0
    command = [vmaf, '-r', 'ref.y4m', '-d', '-' if piped else name, '--threads', '1']
    wrong, said = end_of(command, data if piped else None)
    if wrong:
        problems += 1
        print(f'{name}, from {seed}{", piped" if piped else ""}: {wrong}\n{said[-3000:]}')
    else:
        os.remove(name)
print(f'{count} damaged files, {problems} wrong')
sys.exit(1 if problems else 0)
