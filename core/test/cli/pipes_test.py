#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests videos from named pipes, both written by one program, in any order.

usage: pipes_test.py VMAF SYNTHCLIP WORKDIR

The writer does one thing after another and waits wherever a pipe is full or nobody reads it: the command must never
wait for the writer at the same time. If one video is invalid, the command ends although the other pipe stays silent.
"""
import fcntl
import os
import re
import subprocess
import sys
import threading

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
FRAMES = 8
LIMIT = 300  # seconds after which a run counts as hanging
F_SETPIPE_SZ = 1031
SMALL = 4096  # less than a frame
FAIL = 255

files = inputs.Inputs(synthclip, work)
os.chdir(work)
clips = files.clip('mix', '64', '64', '420', '8', str(FRAMES))
for name, data in zip('rd', clips):
    files.put(f'{name}.yuv', data)
    files.y4m(f'{name}.y4m', data)
frames = [[data[i:i + inputs.FRAME] for i in range(0, len(data), inputs.FRAME)] for data in clips]
header = f'YUV4MPEG2 {inputs.HEADER}\n'.encode()
PATHS = ['A.fifo', 'B.fifo']
problems = []


class Writer(threading.Thread):
    """Executes steps: ('open', side), ('write', side, bytes), ('close', side), ('wait',)."""

    def __init__(self, steps):
        super().__init__(daemon=True)
        self.steps, self.finished, self.let_go = steps, False, threading.Event()

    def run(self):
        pipe = [None, None]
        try:
            for step in self.steps:
                if step[0] == 'open':
                    pipe[step[1]] = os.open(PATHS[step[1]], os.O_WRONLY)
                    fcntl.fcntl(pipe[step[1]], F_SETPIPE_SZ, SMALL)
                elif step[0] == 'write':
                    data = step[2]
                    while data:
                        data = data[os.write(pipe[step[1]], data):]
                elif step[0] == 'close':
                    os.close(pipe[step[1]])
                    pipe[step[1]] = None
                else:
                    self.let_go.wait()
            self.finished = True
        except BrokenPipeError:  # the command closed the pipe
            pass
        for fd in pipe:
            if fd is not None:
                os.close(fd)


def run(title, args, steps, code):
    """Runs the command beside the writer; returns its messages and the report, without the speed."""
    for path in PATHS:
        if os.path.exists(path):
            os.remove(path)
        os.mkfifo(path)
    if os.path.exists('out.xml'):
        os.remove('out.xml')
    writer = Writer(steps)
    writer.start()
    process = subprocess.Popen([vmaf, '-o', 'out.xml'] + args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        err = process.communicate(timeout=LIMIT)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        problems.append(f'{title}: does not end')
        return '', ''
    finally:
        writer.let_go.set()
    if process.returncode != code:
        problems.append(f'{title}: exit code {process.returncode} and not {code}: {err}')
    report = open('out.xml').read() if os.path.exists('out.xml') else ''
    return err, re.sub('fps="[^"]*"', '', report)


def frame(y4m, side, i):
    return (b'FRAME\n' if y4m else b'') + frames[side][i]


def start(y4m, side):
    return [('write', side, header)] if y4m else []


def orders(y4m):
    """Returns name and steps of each order in which both videos can be written."""
    both = [('open', 0), ('open', 1)]
    ends = [('close', 0), ('close', 1)]
    starts = start(y4m, 0) + start(y4m, 1)
    turns = [('write', side, frame(y4m, side, i)) for i in range(FRAMES) for side in (0, 1)]
    yield 'in turns', both + starts + turns + ends
    yield 'the other first', [('open', 1), ('open', 0)] + starts[::-1] + \
        [('write', side, frame(y4m, side, i)) for i in range(FRAMES) for side in (1, 0)] + ends
    yield 'the first is begun before the second is opened', \
        [('open', 0)] + start(y4m, 0) + [('write', 0, frame(y4m, 0, 0)), ('open', 1)] + start(y4m, 1) + turns[1:] + ends
    yield 'the second begins after a frame of the first', \
        both + start(y4m, 0) + [('write', 0, frame(y4m, 0, 0))] + start(y4m, 1) + turns[1:] + ends
    for ahead in (0, 1):
        steps = both + starts
        for i in range(FRAMES + 3):
            if i < FRAMES:
                steps.append(('write', ahead, frame(y4m, ahead, i)))
            if i >= 3:
                steps.append(('write', 1 - ahead, frame(y4m, 1 - ahead, i - 3)))
        yield f'video {ahead} is three frames ahead', steps + ends
    whole = [(header if y4m else b'') + b''.join(frame(y4m, side, i) for i in range(FRAMES)) for side in (0, 1)]
    for first in (0, 1):
        yield f'all of video {first} before the other', \
            [('open', first), ('write', first, whole[first]), ('close', first),
             ('open', 1 - first), ('write', 1 - first, whole[1 - first]), ('close', 1 - first)]
    joined = [bytes([byte]) for byte in whole[0][:200]]
    yield 'byte by byte', both + [('write', 0, byte) for byte in joined] + [('write', 1, whole[1][:200])] + \
        [('write', 0, whole[0][200:]), ('write', 1, whole[1][200:])] + ends


def check_orders(y4m, options):
    raw = [] if y4m else '-w 64 -h 64 -p 420 -b 8'.split()
    kind = 'y4m' if y4m else 'yuv'
    expected = None
    for title, steps in [('files', [])] + list(orders(y4m)):
        paths = [f'r.{kind}', f'd.{kind}'] if title == 'files' else PATHS
        _, report = run(f'{kind} {" ".join(options)}: {title}',
                        ['-r', paths[0], '-d', paths[1]] + raw + options, steps, 0)
        expected = expected or report
        if report != expected:
            problems.append(f'{kind} {" ".join(options)}: {title}: the report differs from that of files')


for y4m in (True, False):
    check_orders(y4m, ['--threads', '2'])
check_orders(True, '--frame_skip_ref 2 --frame_skip_dist 1 --frame_cnt 4'.split())

# One video is invalid while the other is silent: not opened, opened without data, or begun.
SILENT = [[('wait',)], [('open', 1), ('wait',)],
          [('open', 1), ('write', 1, header + frame(True, 1, 0)), ('wait',)]]
BAD = [  # the first video, the expected message, whether the other video has to send a frame first
    (b'no video' * 1000, 'not a Y4M file', False),
    (b'', 'the file is empty', False),
    (header.replace(b'W64', b'W-1'), 'bad width', False),
    (header + frame(True, 0, 0) + frame(True, 0, 1)[:-100], 'cut off within frame 1', True),
    (header + frame(True, 0, 0) + b'no frame' * 20, 'cut off within frame 1', True),
]
for data, said, needs_begin in BAD:
    for i, silent in enumerate(SILENT):
        if needs_begin and i < 2:
            continue
        files.put('bad.y4m', data)
        for swap in (False, True):
            paths = ['bad.y4m', PATHS[1]]
            if swap:
                paths.reverse()
            title = f'{data[:20]} with a silent pipe, {i}, swapped: {swap}'
            err, report = run(title, ['-r', paths[0], '-d', paths[1]], silent, FAIL)
            if said not in err:
                problems.append(f'{title}: does not say "{said}" but: {err}')
            if needs_begin and report.count('frameNum') != 1:
                problems.append(f'{title}: the report has no frame')

for problem in problems:
    print(problem)
sys.exit(len(problems) > 0)
