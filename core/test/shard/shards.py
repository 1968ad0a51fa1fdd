# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A video scored in parts and in one run, and what to compare of both."""
import os
import re
import subprocess
import sys

vmaf, synthclip, work = (os.path.abspath(path) for path in sys.argv[1:4])
LIMIT = 300
FORMATS = ('json', 'xml', 'csv', 'sub')
# What no two runs have in common.
SPEED = re.compile(rb'"(?:fps|elapsed|device_us)": [^,\n]*|fps="[^"]*"|device_us="[^"]*"')
os.makedirs(work, exist_ok=True)
os.chdir(work)
# Array jobs run these tests, too.
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
    """Both videos of a generated clip, NAME_r and NAME_d, as Y4M or raw."""
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
    """The files of all parts; None when one failed, which is told."""
    paths = []
    for i in range(count):
        paths.append(f'{name}{i}.json')
        done = run(*args, '--shard', f'{i}/{count}', *extra, '-o', paths[-1])
        if done.returncode:
            check(f'{" ".join(args)}: part {i}/{count} failed', False, done.stderr)
            return None
    return paths


def same(what, args, count, form='json', extra=(), shuffle=None):
    """Is the merged report that of one run?"""
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


def finish():
    print(f'{len(problems)} problems')
    sys.exit(1 if problems else 0)
