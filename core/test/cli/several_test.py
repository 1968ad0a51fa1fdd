#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests several distorted videos against one reference: each gets the report it would get alone, and a failure of one
does not affect the others.

usage: several_test.py VMAF SYNTHCLIP WORKDIR
"""
import fcntl
import glob
import os
import re
import signal
import subprocess
import sys
import threading

import inputs
from shown import Shown

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
FRAMES = 9
LIMIT = 300  # seconds after which a run counts as hanging
USAGE, FAIL = 1, 255
F_SETPIPE_SZ = 1031
SMALL = 4096  # less than a frame
RAW = '-w 64 -h 64 -p 420 -b 8'.split()
problems = []
signal.signal(signal.SIGINT, signal.SIG_DFL)  # our parent may ignore the signal

files = inputs.Inputs(synthclip, work)
os.chdir(work)
ref, one = files.clip('mix', '64', '64', '420', '8', str(FRAMES))
two = files.clip('blur', '64', '64', '420', '8', str(FRAMES))[1]
CLIPS = {'r': ref, 'a': one, 'b': two, 'short': one[:5 * inputs.FRAME], 'cut': two[:3 * inputs.FRAME + 100]}
for name, data in CLIPS.items():
    files.put(f'{name}.yuv', data)
    files.y4m(f'{name}.y4m', data)
ONE_FRAME = len(b'FRAME\n') + inputs.FRAME
HEADER = f'YUV4MPEG2 {inputs.HEADER}\n'.encode()


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


def clean():
    for path in glob.glob('out*'):
        os.remove(path)


def run(args, code=0, stdin=b''):
    # Drivers leak memory that is not ours: with drivers the sanitizer does not look for leaks.
    sanitizer = os.environ.get('ASAN_OPTIONS', '') + (':detect_leaks=0' if '--backend' in args else '')
    done = subprocess.run([vmaf] + args, input=stdin, capture_output=True, timeout=LIMIT, check=False,
                          env={**os.environ, 'ASAN_OPTIONS': sanitizer})
    said = done.stderr.decode()
    check(' '.join(args), done.returncode == code, f'exit code {done.returncode} and not {code}:', said)
    return said


def report(path):
    if not os.path.exists(path):
        return f'there is no {path}'
    return re.sub(r'(fps|device_us|elapsed)(=|": )[^ ,]*', '', open(path).read())


def alone(video, kind, options, code=0):
    """Returns the report of a run with only this video."""
    clean()
    raw = RAW if kind == 'yuv' else []
    run(['-r', f'r.{kind}', '-d', f'{video}.{kind}', '-o', 'out.xml', *raw, *options], code)
    return report('out.xml')


def together(videos, kind, options, code=0):
    """Returns the messages and the reports of a run with all videos."""
    clean()
    raw = RAW if kind == 'yuv' else []
    said = run(['-r', f'r.{kind}'] + [word for video in videos for word in ('-d', f'{video}.{kind}')] +
               ['-o', 'out.xml', *raw, *options], code)
    return said, [report(f'out.{i + 1}.xml') for i in range(len(videos))]


# ---- each has the report it would have alone ----

WAYS = [
    ('y4m', ['--threads', '0']),
    ('yuv', ['--threads', '1']),
    ('y4m', '--threads 3 --feature psnr --feature ciede --feature float_ssim'.split()),
    ('yuv', '--threads 2 --subsample 2'.split()),
    ('y4m', '--threads 4 --frame_cnt 4 --frame_skip_ref 1 --frame_skip_dist 2'.split()),
    ('y4m', '--json --threads 2 --model version=vmaf_v0.6.1 --model version=vmaf_b_v0.6.3:name=b'.split()),
    ('y4m', '--csv --threads 2'.split()),
    ('y4m', '--threads 2 --backend host --allow_software'.split()),
    ('y4m', '--threads 2 --backend vulkan --allow_software'.split()),
]
devices = subprocess.run([vmaf, '--list_devices'], capture_output=True, text=True, check=False).stdout
for kind, options in WAYS:
    if '--backend' in options and f'backend: {options[options.index("--backend") + 1]}\n' not in devices:
        continue
    videos = ['a', 'b', 'a']
    _, reports = together(videos, kind, options)
    for video, got in zip(videos, reports):
        check(f'{kind} {options}: {video}:', got == alone(video, kind, options), 'not as it is alone')

# ---- where reports go ----

NAMES = [
    (['-o', 'out.xml'], ['out.1.xml', 'out.2.xml']),
    (['-o', 'out'], ['out.1', 'out.2']),
    (['-o', './out.a.json'], ['out.a.1.json', 'out.a.2.json']),
    (['-o', 'out_b.xml', '-o', 'out_a.csv'], ['out_a.csv', 'out_b.xml']),
]
for words, expected in NAMES:
    clean()
    run(['r.y4m', 'a.y4m', 'b.y4m', *words])
    check(f'{words}:', sorted(glob.glob('out*')) == expected, glob.glob('out*'))
check('the extension is the format', open('out_a.csv').read().startswith('Frame,'))
clean()
for words in (['-o', '-'], ['-o', 'out', '-o', 'out'], ['-o', 'out.1', '-o', 'out.2', '-o', 'out.3']):
    run(['r.y4m', 'a.y4m', 'b.y4m', *words], USAGE)
run(['r.y4m', 'a.y4m', '-o', 'out.1', '-o', 'out.2'], USAGE)
run(['-', 'a.y4m', '-'], USAGE)
check('nothing was written', not glob.glob('out*'))

# ---- printed scores name their video ----

said = run(['r.y4m', 'a.y4m', 'b.y4m', '--feature', 'psnr'])
single = run(['r.y4m', 'b.y4m', '--feature', 'psnr'])
lines = [f'b.y4m: {line}' for line in single.splitlines()]
check('scores:', said.splitlines()[len(lines):] == lines, said)
check('scores:', all(line.startswith('a.y4m: ') for line in said.splitlines()[:len(lines)]), said)

# ---- one video ends early, is cut off, or cannot be opened ----

said, reports = together(['short', 'a', 'cut', 'b'], 'y4m', [], FAIL)
check('ends:', '"short.y4m" ended before "r.y4m".' in said, said)
check('ends:', '"cut.y4m" is cut off within frame 3.' in said, said)
check('ends:', said.count('ended before') == 1 and said.count('cut off') == 1, said)
for video, got in zip(['short', 'a', 'cut', 'b'], reports):
    check(f'{video} beside others:', got == alone(video, 'y4m', [], FAIL if video == 'cut' else 0), 'not as it is alone')
files.y4m('half.y4m', ref[:4 * inputs.FRAME])
clean()
said = run(['half.y4m', 'a.y4m', 'b.y4m', '-o', 'out'])
check('the reference ends:', said.count('"half.y4m" ended before') == 2, said)
check('the reference ends:', report('out.1').count('frameNum') == report('out.2').count('frameNum') == 4)
files.y4m('half.y4m', ref[:4 * inputs.FRAME + 10])
clean()
run(['half.y4m', 'a.y4m', 'b.y4m', '-o', 'out'], FAIL)
check('the reference is cut:', report('out.1').count('frameNum') == report('out.2').count('frameNum') == 4)
clean()
run(['r.y4m', 'a.y4m', 'none.y4m', '-o', 'out'], FAIL)
check('one is not there: nothing is scored', not glob.glob('out*'))

# A video with samples above its depth gets no report, and the others get theirs.
deep = inputs.deepen(ref, 2)
bad = bytearray(inputs.deepen(one, 2))
bad[5 * 2 * inputs.FRAME + 1] = 0xff
files.put('deep_r.yuv', deep)
files.put('deep_a.yuv', bytes(inputs.deepen(one, 2)))
files.put('deep_bad.yuv', bytes(bad))
DEEP = '-w 64 -h 64 -p 420 -b 10 --threads 2'.split()
clean()
said = run(['deep_r.yuv', 'deep_bad.yuv', 'deep_a.yuv', '-o', 'out', *DEEP], FAIL)
check('samples out of range:', not os.path.exists('out.1') and report('out.2').count('frameNum') == FRAMES, said)

# ---- pipes ----

PIPES = ['A.fifo', 'B.fifo', 'C.fifo']


def write_pipes(order, payloads):
    """Writes pieces of the videos in the order of the list, from one thread."""
    pipes, rest = {}, {i: data for i, data in enumerate(payloads)}
    try:
        for i, size in order:
            if i not in pipes:
                pipes[i] = os.open(PIPES[i], os.O_WRONLY)
                fcntl.fcntl(pipes[i], F_SETPIPE_SZ, SMALL)
            data, rest[i] = rest[i][:size], rest[i][size:]
            while data:
                data = data[os.write(pipes[i], data):]
            if not rest[i] and pipes[i] >= 0:
                os.close(pipes[i])
                pipes[i] = -1
    except BrokenPipeError:
        problems.append('pipes: one was closed before its end')


def through_pipes(title, videos, order, code=0):
    for path in PIPES:
        if os.path.exists(path):
            os.remove(path)
        os.mkfifo(path)
    clean()
    payloads = [open(f'{video}.y4m', 'rb').read() for video in videos]
    paths = PIPES[:len(videos)]
    writer = threading.Thread(target=write_pipes, args=(order(payloads), payloads), daemon=True)
    writer.start()
    try:
        said = run([*(paths + ['b.y4m'])[:3], '-o', 'out.xml', '--threads', '2'], code)
    except subprocess.TimeoutExpired:
        problems.append(f'{title}: does not end')
        return ''
    return said


def in_turns(payloads):
    steps = [(i, len(HEADER)) for i in range(len(payloads))]
    return steps + [(i, ONE_FRAME) for _ in range(FRAMES) for i in range(len(payloads)) if i >= 0]


def one_after_another(payloads):
    return [(i, len(data)) for i, data in enumerate(payloads)][::-1]


for order in (in_turns, one_after_another):
    for videos in (['r'], ['r', 'a'], ['r', 'b', 'a']):
        title = f'{videos} through pipes, {order.__name__}:'
        names = (videos + ['b', 'b'])[1:3] if len(videos) > 1 else ['b']
        if len(videos) == 1:
            through_pipes(title, videos, order)
            reports = [report('out.xml')]
        else:
            through_pipes(title, videos, order)
            reports = [report('out.1.xml'), report('out.2.xml')]
        for name, got in zip(names, reports):
            check(title, got == alone(name, 'y4m', ['--threads', '2']), f'{name} differs')

# One video fails: its pipe is still read, so that the program that writes all of them can go on.
files.y4m('bad_frame.y4m', one[:2 * inputs.FRAME])
with open('bad_frame.y4m', 'ab') as file:
    file.write(b'no frame' + b'x' * (7 * ONE_FRAME))
for name in ('bad_frame', 'long'):
    files.y4m('long.y4m', (one + two)[:20 * inputs.FRAME])
    through_pipes(f'r, {name} and a', ['r', name, 'a'],
                  lambda payloads: [(i, len(HEADER)) for i in range(3)] +
                  [(i, ONE_FRAME) for _ in range(FRAMES + 1) for i in (1, 0, 2)], FAIL if name == 'bad_frame' else 0)
    check(f'beside {name}:', report('out.2.xml') == alone('a', 'y4m', ['--threads', '2']))

# ---- signals ----

clean()
for path in PIPES:
    os.remove(path)
os.mkfifo(PIPES[0])
shown = Shown([vmaf, PIPES[0], 'a.y4m', 'b.y4m', '-o', 'out.xml', '--threads', '0'])
process = shown.process
pipe = os.open(PIPES[0], os.O_WRONLY)
os.write(pipe, open('r.y4m', 'rb').read()[:len(HEADER) + 4 * ONE_FRAME])
shown.wait_for_pair(LIMIT)
process.send_signal(signal.SIGINT)
said = shown.end(LIMIT)
os.close(pipe)
check('a signal:', process.returncode == 128 + signal.SIGINT, process.returncode, said)
counts = []
for i in '12':
    text = report(f'out.{i}.xml')
    counts.append(text.count('frameNum'))
    check('a signal:', 'partial="stopped by SIGINT"' in text, f'report {i}:', text)
    check('a signal:', f'which are in out.{i}.xml' in said, said)
check('a signal:', counts[0] == counts[1] and 0 < counts[0] <= 4, counts)

for problem in problems:
    print(problem)
sys.exit(len(problems) > 0)
