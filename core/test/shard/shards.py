# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scores a video in parts and in a single run, and compares the reports."""
import os
import re
import subprocess
import sys

vmaf, synthclip, work = (os.path.abspath(path) for path in sys.argv[1:4])
LIMIT = 300
FORMATS = ('json', 'xml', 'csv', 'sub')
# Values that differ between any two runs.
SPEED = re.compile(rb'"(?:fps|elapsed|device_us)": [^,\n]*|fps="[^"]*"|device_us="[^"]*"')
os.makedirs(work, exist_ok=True)
os.chdir(work)
# These tests may run in an array job themselves.
for name in list(os.environ):
    if re.match('SLURM_ARRAY|JOB_COMPLETION|AWS_BATCH_JOB_ARRAY|PBS_ARRAY|VMAF_', name):
        del os.environ[name]
problems = []


def check(what, good, more=''):
    if not good:
        problems.append(what)
        print(f'{what}\n  {more}')


def run(*args, **env):
    return subprocess.run([vmaf, *args], capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL,
                          env={**os.environ, **env})


def clip(name, kind, width, height, sampling, depth, frames, y4m=True, rate='25:1', mark=None):
    """Makes both videos of a generated clip, NAME_r and NAME_d, as Y4M or raw."""
    ends = '.y4m' if y4m else '.yuv'
    paths = [f'{name}_{side}{ends}' for side in 'rd']
    subprocess.check_call([synthclip, kind, *map(str, (width, height, sampling, depth, frames)), *paths])
    if y4m:
        tag = {400: 'mono'}.get(sampling, str(sampling)) + {8: ''}.get(depth, f'p{depth}' if sampling != 400 else str(depth))
        for path in paths:
            data = open(path, 'rb').read()
            size = len(data) // frames
            with open(path, 'wb') as file:
                file.write(f'YUV4MPEG2 W{width} H{height} F{rate} Ip C{tag}\n'.encode())
                for i in range(frames):
                    file.write((mark(i) if mark else b'FRAME\n') + data[i * size:(i + 1) * size])
    return paths


def report(path):
    return SPEED.sub(b'', open(path, 'rb').read())


def parts(args, count, extra=(), name='part'):
    """Makes the files of all parts. Returns None, after printing why, if one failed."""
    paths = []
    for i in range(count):
        paths.append(f'{name}{i}.json')
        done = run(*args, '--shard', f'{i}/{count}', *extra, '-o', paths[-1])
        if done.returncode:
            check(f'{" ".join(args)}: part {i}/{count} failed', False, done.stderr)
            return None
    return paths


def same(what, args, count, form='json', extra=(), shuffle=None):
    """Checks that the merged report equals that of a single run."""
    path = f'report.{form}'
    for old in (path, 'one'):
        if os.path.exists(old):
            os.remove(old)
    one = run(*args, '-o', path)
    check(f'{what}: one run failed', one.returncode == 0, one.stderr)
    if one.returncode:
        return
    os.rename(path, 'one')
    paths = parts(args, count, extra)
    if not paths:
        return
    if shuffle:
        shuffle(paths)
    merged = run('--merge', *paths, '-o', path)
    check(f'{what}: the merge failed', merged.returncode == 0, merged.stderr)
    if merged.returncode == 0:
        check(f'{what}: {count} parts give another report', report('one') == report(path),
              f'in {work}: diff one {path}; vmaf {" ".join(args)}')


def digest(data):
    """Computes the digest of core/tools/vmaf/part/digest.c, to forge part files."""
    mask = (1 << 64) - 1
    a, b, c = 0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9

    def rotate(x, by):
        return (x << by | x >> (64 - by)) & mask

    def stir(x):
        x = (x ^ x >> 33) * b & mask
        x = (x ^ x >> 29) * c & mask
        return x ^ x >> 32

    lanes = [a, b, c, 1]
    padded = data + bytes(32 - len(data) % 32)
    for at in range(0, len(padded), 8):
        lane = at // 8 % 4
        word = int.from_bytes(padded[at:at + 8], 'little')
        lanes[lane] = rotate((lanes[lane] + word * b) & mask, 31) * a & mask
    low, high = len(data), ~len(data) & mask
    for lane in lanes:
        low = (stir(low ^ lane) * a + high) & mask
        high = stir((high + rotate(lane, 17)) & mask) ^ low
    return f'{stir(high):016x}{stir(low):016x}'


def forge(path, to, change):
    """Makes a changed part file with a correct checksum."""
    text = change(open(path).read())
    text = text[:text.rindex(',\n  "checksum"')]
    with open(to, 'w') as file:
        file.write(f'{text},\n  "checksum": "{digest(text.encode())}"\n}}\n')


def finish():
    print(f'{len(problems)} problems')
    sys.exit(1 if problems else 0)
