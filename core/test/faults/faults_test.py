#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Makes each call that reads, writes or allocates memory fail once. The command must never die of a
signal, never hang, and never report success if a file is damaged or a score is wrong.

usage: faults_test.py files|memory|limits VMAF SYNTHCLIP PRELOAD WORKDIR [--all]

Without --all, it tries the first few calls of each function and a sample of the others.
"""
import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys

mode, vmaf, synthclip, preload, work = sys.argv[1], *(os.path.abspath(p) for p in sys.argv[2:6])
every = '--all' in sys.argv
TIMEOUT = 300
W, H = 64, 48
VIDEOS = f'-r r.yuv -d d.yuv -w {W} -h {H} -p 420 -b 8 --threads 2 -q'.split()

# Name: arguments and the files that the run writes. Heat maps need a larger picture.
RUNS = {
    'xml': (VIDEOS + ['--feature', 'psnr', '-o', 'out/report'], ['out/report']),
    'json': (VIDEOS + ['-n', '--feature', 'psnr', '--json', '-o', 'out/report'], ['out/report']),
    'csv': (VIDEOS + ['-n', '--feature', 'psnr', '--csv', '-o', 'out/report'], ['out/report']),
    'sub': (VIDEOS + ['-n', '--feature', 'psnr', '--sub', '-o', 'out/report'], ['out/report']),
    'pipe': (VIDEOS[:2] + ['-d', '-'] + VIDEOS[4:] + ['-n', '--feature', 'psnr', '--json', '-o', 'out/report'],
             ['out/report']),
    'several': (VIDEOS + VIDEOS[2:4] + ['-n', '--feature', 'psnr', '--csv', '-o', 'out/reports'],
                ['out/reports.1', 'out/reports.2']),
    'heat maps': ('-r rb.yuv -d db.yuv -w 224 -h 216 -p 420 -b 8 -n -q --feature cambi=heatmaps_path=out -o out/report'
                  .split(), ['out/report'] + [f'out/cambi_heatmap_scale_{s}_{w}x{h}_16b.gray' for s, (w, h) in enumerate(
                      [(224, 216), (112, 108), (56, 54), (28, 27), (14, 14)])]),
}
FILE_FAULTS = {
    'open': ['EINTR', 'EIO', 'EMFILE'],
    'create': ['EINTR', 'EACCES', 'ENOSPC+', 'EROFS+'],
    'preadv': ['EINTR', 'EIO', 'short', 'EIO+'],
    'readv': ['EINTR', 'EIO', 'short'],
    'read': ['EINTR', 'EIO', 'short'],
    'write': ['EINTR', 'ENOSPC', 'ENOSPC+', 'EIO', 'EFBIG+', 'EDQUOT', 'short', 'short+'],
    'lseek': ['EIO'],
    'fsync': ['EINTR', 'EIO', 'ENOSPC+'],
    'close': ['EINTR', 'EIO', 'ENOSPC+'],
    'rename': ['EIO', 'EROFS', 'EACCES', 'ENOSPC'],
}
OLD = b'the report of an earlier run\n'
# Speed and time differ between runs; the number of threads depends on the free memory.
SPEED = re.compile(rb'(fps|elapsed|threads)(="|": )[^,"/\n]*')


class Failure(Exception):
    pass


def run(arguments, extra=None, before=None):
    env = {**os.environ, 'LD_PRELOAD': preload, **(extra or {})}
    piped = b''
    if '-' in arguments:
        with open(f'{work}/d.yuv', 'rb') as file:
            piped = file.read()
    try:
        done = subprocess.run([vmaf] + arguments, cwd=work, env=env, capture_output=True, timeout=TIMEOUT,
                              input=piped, preexec_fn=before, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f'hangs: more than {TIMEOUT} s') from None
    return done.returncode, done.stderr


def clean():
    shutil.rmtree(f'{work}/out', ignore_errors=True)
    os.mkdir(f'{work}/out')
    with open(f'{work}/out/report', 'wb') as file:
        file.write(OLD)


def digest(paths):
    result = []
    for path in paths:
        try:
            with open(f'{work}/{path}', 'rb') as file:
                result.append(hashlib.sha256(SPEED.sub(b'', file.read())).hexdigest())
        except FileNotFoundError:
            result.append(None)
    return result


def check(name, what, wanted, extra=None, before=None):
    """Runs the command with a fault. It must write complete and correct files and exit with 0, or
    fail with a message."""
    arguments, outputs = RUNS[name]
    clean()
    code, stderr = run(arguments, extra, before)
    text = stderr.decode(errors='replace')
    if code == 0:
        if digest(outputs) != wanted:
            raise Failure(f'{name}, {what}: exit code 0, but the files are not what they should be\n{text}')
    elif code not in (1, 255):
        raise Failure(f'{name}, {what}: exit code {code}\n{text}')
    else:
        if not text.strip():
            raise Failure(f'{name}, {what}: fails without a word')
        with open(f'{work}/out/report', 'rb') as file:
            report = file.read()
        if report != OLD and digest(outputs[:1]) != wanted[:1]:
            raise Failure(f'{name}, {what}: the old report is lost, and the new one is not whole\n{text}')
    left = [entry for entry in os.listdir(f'{work}/out') if entry.endswith('.tmp')]
    if left and 'rename' not in what and 'unlink' not in what:
        raise Failure(f'{name}, {what}: left behind: {left}')
    return code


def count(name):
    """Runs the command without faults; returns what it writes and how often it calls each
    function."""
    clean()
    counts = f'{work}/counts'
    code, stderr = run(RUNS[name][0], {'VMAF_FAULT_COUNTS': counts})
    if code:
        raise Failure(f'{name} fails when nothing is wrong: {code}\n{stderr.decode(errors="replace")}')
    with open(counts, encoding='ascii') as file:
        calls = dict((line.split()[0], int(line.split()[1])) for line in file)
    return digest(RUNS[name][1]), calls


def numbers(total, first, samples):
    """Chooses from the calls 1 to total: the first ones, the last two, and some in between."""
    if every:
        return range(1, total + 1)
    chosen = set(range(1, min(total, first) + 1)) | {max(1, total - 1), total}
    chosen |= {1 + i * total // samples for i in range(samples)}
    return sorted(n for n in chosen if 1 <= n <= total)


def spoil_files():
    runs = failed = 0
    for name in RUNS:
        wanted, calls = count(name)
        for function, faults in FILE_FAULTS.items():
            for number in numbers(calls[function], 2, 2) if calls[function] else ():
                for fault in faults if every or name in ('xml', 'pipe', 'heat maps') else faults[-1:]:
                    onwards = '+' if fault.endswith('+') else ''
                    order = f'{function}:{number}{onwards}:{fault.rstrip("+")}'
                    code = check(name, order, wanted, {'VMAF_FAULT': order})
                    runs, failed = runs + 1, failed + (code != 0)
                    # The last call for each report is for the folder, which not every file system
                    # supports.
                    reports = 2 if name == 'several' else 1
                    of_folder = number % (calls['fsync'] // reports) == 0 if function == 'fsync' else False
                    if function == 'fsync' and fault == 'EIO' and not of_folder and not code:
                        raise Failure(f'{name}, {order}: exit code 0, though nobody knows what is on the disk')
                    # Interrupted and partial calls are repeated or continued.
                    if fault in ('EINTR', 'short', 'short+') and code and function != 'open':
                        raise Failure(f'{name}, {order}: exit code {code}, though nothing was lost')
    return runs, failed


def spoil_memory():
    runs = failed = 0
    for name in ('xml', 'heat maps'):
        wanted, calls = count(name)
        for function, fault in (('memory', 'ENOMEM'), ('thread', 'EAGAIN')):
            for number in numbers(calls[function], 20, 80):
                for onwards in ('', '+') if number % 4 == 1 else ('',):
                    order = f'{function}:{number}{onwards}:{fault}'
                    code = check(name, order, wanted, {'VMAF_FAULT': order})
                    runs, failed = runs + 1, failed + (code != 0)
    return runs, failed


def limited(kind, limit):
    def set_limit():
        resource.setrlimit(kind, (limit, limit))
    return set_limit


def limits():
    runs = failed = 0
    room = os.path.getsize(vmaf)  # with less memory the system kills the program before it starts
    for name in ('xml', 'heat maps'):
        wanted, _ = count(name)
        cases = [(resource.RLIMIT_AS, room + (mib << 20)) for mib in (4, 8, 12, 20, 28, 36, 52, 84, 116, 244)]
        cases += [(resource.RLIMIT_NOFILE, files) for files in range(4, 14)]
        cases += [(resource.RLIMIT_FSIZE, size) for size in (0, 100, 1000, 5000, 50000)]
        for kind, limit in cases:
            try:
                code = check(name, f'limit {kind} = {limit}', wanted, {'LD_PRELOAD': ''}, limited(kind, limit))
            except Failure as failure:
                if 'exit code 127' in str(failure): # the program itself could not be loaded
                    continue
                raise
            runs, failed = runs + 1, failed + (code != 0)
    return runs, failed


def main():
    os.makedirs(work, exist_ok=True)
    for size, ref, dist in ((f'{W} {H}', 'r.yuv', 'd.yuv'), ('224 216', 'rb.yuv', 'db.yuv')):
        kind = 'mix' if ref == 'r.yuv' else 'bands'
        subprocess.run([synthclip, kind, *size.split(), '420', '8', '2', f'{work}/{ref}', f'{work}/{dist}'], check=True)
    try:
        runs, failed = {'files': spoil_files, 'memory': spoil_memory, 'limits': limits}[mode]()
    except Failure as failure:
        sys.exit(str(failure))
    print(f'{runs} runs, of which {failed} failed as they should')
    if not failed:
        sys.exit('nothing failed: were the faults there at all?')


main()
