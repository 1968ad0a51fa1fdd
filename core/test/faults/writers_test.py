#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Makes each allocation of a program fail once, and tests that no writer leaves out a piece in silence.

usage: writers_test.py VMAF SHARD MCP TUNE SYNTHCLIP PRELOAD WORKDIR [--all] [--only=NAME]

A run either exits with 0, and has written the same files and text as a run without faults, or it
exits with another code, prints why, and leaves the old file or none. Without --all, it tries a
sample of the allocations.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
from subprocess import PIPE

vmaf, shard, mcp, tune, synthclip, preload, work = (os.path.abspath(path) for path in sys.argv[1:8])
every = '--all' in sys.argv
only = [word[len('--only='):] for word in sys.argv if word.startswith('--only=')]
SAMPLES = 16
TIMEOUT = 120
OLD = b'the file of an earlier run\n'
# Speed and time differ between runs. The number of threads depends on the free memory, a page and
# a part hold the time of the run, and a part with other seconds has another checksum.
# vmaf-tune scores again what it could not take from its cache: then it says so, with other times.
VARIES = re.compile(rb'(?:fps|elapsed|seconds|device_us|threads|checksum)(?:="|": ?"?|=)[^,"\n]*|[0-9.]+ frames a second, [0-9.]+ seconds|'
                    rb'"label": "\w+"|"scored": [0-9]+|(?:[0-9.]+(?: +|</td>\s*<td[^>]*>)){2}(?:cpu|cache)')
VIDEOS = ['-r', 'r.y4m', '-d', 'd.y4m', '--threads', '1', '-q']
PSNR = [*VIDEOS, '-n', '--feature', 'psnr']
FAR = ['-r', '/data/r.y4m', '-d', '/data/d.y4m', '-n', '8', '--parts', '/data/p', '-o', '/data/report.json', '--dry-run']

TUNE = ['--backends', 'cpu', '-q', '--cache', 'out/cache']
LADDER = ['--encoder', 'libx264:preset=ultrafast', '--sizes', '48,32', '--crf', '30,40', '--metric', 'psnr_y']

# With `cache`, a first run without faults fills out/cache, so that later ones neither encode nor score. `samples`: how many
# allocations are tried with --all, if not all of them.
Run = collections.namedtuple('Run', 'command files text problem cache samples', defaults=((), b'', None, False, None))


class Failure(Exception):
    pass


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def message(ident, method, **params):
    return {'jsonrpc': '2.0', 'id': ident, 'method': method, 'params': params}


def talk():
    """A conversation with vmaf-mcp."""
    lines = [message(0, 'initialize', protocolVersion='2025-11-25', capabilities={}, clientInfo={'name': 'test', 'version': '1'}),
             {'jsonrpc': '2.0', 'method': 'notifications/initialized'}, message('ping', 'ping'), message(2, 'tools/list'),
             message(3, 'tools/call', name='describe_model', arguments={}),
             message(4, 'tools/call', name='score', arguments={'reference': 'none.y4m', 'distorted': 'd.y4m'}),
             message(5, 'tools/call', name='score', arguments={'reference': 'r.y4m', 'distorted': 'd.y4m', 'wrong': 1})]
    return ''.join(json.dumps(line) + '\n' for line in lines).encode()


def converse(process, text):
    """Sends the requests, and waits for all answers before it closes the connection: calls that run then are broken off."""
    process.stdin.write(text)
    process.stdin.flush()
    lines = []
    for _ in range(sum(b'"id"' in line for line in text.splitlines())):
        lines.append(process.stdout.readline())
    stdout, stderr = process.communicate(timeout=TIMEOUT)
    return b''.join(lines) + stdout, stderr


def answers(stdout):
    return {json.dumps(answer['id']): answer for answer in map(json.loads, stdout.splitlines())}


def judge_talk(code, stdout, right):
    """Each answer is the right one or says that something failed; none is missing if the exit code is 0."""
    try:
        found, right = answers(stdout), answers(right)
    except ValueError as error:
        return f'an answer is not JSON: {error}'
    for ident, answer in found.items():
        if answer != right.get(ident) and 'error' not in answer and not answer.get('result', {}).get('isError'):
            return f'the answer to {ident} is another one: {str(answer)[:300]}'
    # A request that could not be read for want of memory is answered without its id.
    missing = set(right) - set(found)
    return f'{missing} have no answer' if code == 0 and len(missing) > ('null' in found) else None


RUNS = {
    'part': Run([vmaf, *VIDEOS, '--shard', '0/2', '-o', 'out/file'], ['out/file']),
    'part of psnr': Run([vmaf, *PSNR, '--fps', '25', '--shard', '1/2', '-o', 'out/file'], ['out/file']),
    'merge': Run([vmaf, '--merge', 'p0.json', 'p1.json', '-o', 'out/file'], ['out/file']),
    'json': Run([vmaf, *PSNR, '--json', '-o', 'out/file'], ['out/file']),
    'page': Run([vmaf, *PSNR, '--html', 'out/file'], ['out/file']),
    'page of a report': Run([vmaf, '--report', 'report.json', '--html', 'out/file'], ['out/file']),
    'found offset': Run([vmaf, '-r', 'r.y4m', '-d', 'late.y4m', '--threads', '1', '-n', '--feature', 'psnr', '--sync', 'auto', '--json', '-o',
                         'out/file'], ['out/file']),
    'kubernetes': Run([shard, 'submit', '--engine', 'kubernetes', *FAR, '--image', 'vmaf', '--mount', '/data', '--claim', 'videos', '--cpus-per-task', '2',
                       '--memory', '4Gi', '--', '--feature', 'psnr']),
    'kubernetes files': Run([shard, 'submit', '--engine', 'kubernetes', *FAR[:-1], '--image', 'vmaf', '--manifests', 'out/file'],
                            [f'out/file/{name}' for name in ('parts.json', 'merge.json', 'kustomization.yaml')]),
    'aws-batch': Run([shard, 'submit', '--engine', 'aws-batch', *FAR, '--job-queue', 'q', '--cpus-per-task', '2', '--memory', '4096', '--', '--feature', 'psnr']),
    'compare': Run([tune, 'compare', 'r.y4m', '--encoders', 'libx264:preset=ultrafast', '--crf', '30,40', '--json', 'out/o.json', '--html', 'out/file',
                    '--svg', 'out/o.svg', *TUNE], ['out/file', 'out/o.json', 'out/o.svg'], cache=True, samples=150),
    'compare again': Run([tune, 'compare', 'r.y4m', '--encoders', 'libx264:preset=ultrafast', '--crf', '30,40', '--json', 'out/file', '--resume',
                          'out/cache/journal', *TUNE], ['out/file'], cache=True, samples=50),
    'ladder': Run([tune, 'ladder', 'r.y4m', *LADDER, '--json', 'out/o.json', '--html', 'out/file', '--playlist', 'out/p.m3u8', *TUNE],
                  ['out/file', 'out/o.json', 'out/p.m3u8'], cache=True, samples=150),
    'mcp': Run([mcp, '--allow', '.'], text=talk(), problem=judge_talk),
}


def start(run, extra, patient=False):
    """Runs the program. `patient`: input ends when all requests in it are answered, and not at once."""
    shutil.rmtree('out', ignore_errors=True)
    os.mkdir('out')
    for path in run.files:
        if path == 'out/file':
            with open(path, 'wb') as file:
                file.write(OLD)
    if run.cache:
        extra = {**extra, 'VMAF_FAULT_ALONE': '1'}
        if os.path.isdir(f'cache of {run.command[1]}'):
            shutil.copytree(f'cache of {run.command[1]}', 'out/cache')
    options = {'env': {**os.environ, 'LD_PRELOAD': preload, 'PATH': f'{work}/bin:{os.environ["PATH"]}', **extra}}
    try:
        if not patient or not run.text:
            return subprocess.run(run.command, input=run.text, capture_output=True, timeout=TIMEOUT, check=False, **options)
        with subprocess.Popen(run.command, stdin=PIPE, stdout=PIPE, stderr=PIPE, **options) as process:
            stdout, stderr = converse(process, run.text)
        return subprocess.CompletedProcess(run.command, process.returncode, stdout, stderr)
    except subprocess.TimeoutExpired:
        raise Failure(f'hangs: more than {TIMEOUT} s') from None


def plain(data):
    return VARIES.sub(b'', data)


def printed(data):
    """Lines on standard output, in order of the alphabet: those of a table come as encodes are done."""
    return sorted(plain(data).splitlines())


def made(run):
    return [plain(read(path)) if os.path.isfile(path) else None for path in run.files]


def count(run):
    """Runs the program without faults. Returns what it makes, and the number of its allocations."""
    if run.cache and not os.path.isdir(f'cache of {run.command[1]}'):
        start(run, {})
        os.rename('out/cache', f'cache of {run.command[1]}')
    done = start(run, {'VMAF_FAULT_COUNTS': 'counts'}, patient=True)
    if done.returncode:
        raise Failure(f'fails when nothing is wrong: {done.returncode}\n{done.stderr.decode(errors="replace")}')
    if run.text and any('error' in answer for answer in answers(done.stdout).values()):
        raise Failure(f'an error when nothing is wrong: {done.stdout.decode()}')
    counts = dict(line.split() for line in read('counts').decode().splitlines())
    return made(run), done.stdout, int(counts['memory'])


def check(run, number, wanted, stdout):
    done = start(run, {'VMAF_FAULT': f'memory:{number}:ENOMEM'})
    text = done.stderr.decode(errors='replace')
    if run.problem:
        problem = run.problem(done.returncode, done.stdout, stdout)
        if problem:
            raise Failure(f'{problem}\n{text}')
    if done.returncode == 0:
        if b'No pictures: ' in b''.join(read(path) for path in run.files if os.path.isfile(path)):
            return 1  # the page itself says what failed
        if made(run) != wanted:
            raise Failure(f'exit code 0, but {run.files} are not what they should be\n{text}')
        if not run.problem and printed(done.stdout) != printed(stdout):
            raise Failure(f'exit code 0, but it prints something else\n{done.stdout.decode(errors="replace")}')
        return 0
    if done.returncode not in (1, 2, 255):
        raise Failure(f'exit code {done.returncode}\n{text}')
    if not text.strip():
        raise Failure('fails without a word')
    for path, right in zip(run.files, wanted):
        if os.path.isfile(path) and read(path) != OLD and plain(read(path)) != right:
            raise Failure(f'{path} is neither the old file nor a whole one\n{text}')
    left = [name for name in os.listdir('out') if name.endswith('.tmp')]
    if left:
        raise Failure(f'left behind: {left}')
    return 1


def numbers(run, total):
    samples, step = (run.samples if every else SAMPLES), 1
    if not samples:
        return range(1, total + 1)
    if run.cache and not every:  # these take long; files are written at the end
        samples, step = 3, 40
    return sorted({1 + i * (total - 1) // (samples - 1) for i in range(samples)} | set(range(max(1, total - 10 * step), total + 1, step)))


def prepare():
    os.makedirs(f'{work}/bin', exist_ok=True)
    os.chdir(work)
    for program in ('kubectl', 'aws'):  # vmaf-shard runs them
        with open(f'bin/{program}', 'w', encoding='ascii') as file:
            file.write('#!/bin/sh\nexit 0\n')
        os.chmod(f'bin/{program}', 0o755)
    subprocess.run([synthclip, 'mix', '64', '48', '420', '8', '12', 'r.yuv', 'd.yuv'], check=True)
    size = 64 * 48 * 3 // 2
    head = b'YUV4MPEG2 W64 H48 F25:1 Ip C420\n'
    for name, source, first in (('r', 'r', 0), ('d', 'd', 0), ('late', 'r', 3)):
        data = read(f'{source}.yuv')[first * size:]
        with open(f'{name}.y4m', 'wb') as file:
            file.write(head + b''.join(b'FRAME\n' + data[at:at + size] for at in range(0, len(data), size)))
    for part in range(2):
        subprocess.run([vmaf, *VIDEOS, '--shard', f'{part}/2', '-o', f'p{part}.json'], check=True, capture_output=True)
    subprocess.run([vmaf, *PSNR, '--json', '-o', 'report.json'], check=True, capture_output=True)


def main():
    prepare()
    bad = failed = 0
    for name, run in RUNS.items():
        if (only and name not in only) or (run.cache and not shutil.which('ffmpeg')):
            continue
        wanted, stdout, total = count(run)
        tried = numbers(run, total)
        for number in tried:
            try:
                failed += check(run, number, wanted, stdout)
            except Failure as failure:
                bad += 1
                print(f'{name}, allocation {number} of {total}: {failure}')
        print(f'{name}: {len(tried)} of {total} allocations')
    if not failed:
        sys.exit('nothing failed: were the faults there at all?')
    sys.exit(f'{bad} problems' if bad else 0)


main()
