#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests signals that stop the command, and files that change or are unusual.

usage: signals_test.py VMAF SYNTHCLIP WORKDIR

A signal ends the command with exit code 128 plus the signal's number. The report contains what was scored, says that
it is partial, and otherwise equals the report of a run over as many frames. A second signal kills the command at
once.
"""
import fcntl
import json
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import termios
import time
import xml.etree.ElementTree

import inputs
from shown import Shown

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
FRAMES = 8
LIMIT = 300  # seconds after which a run counts as hanging
FAIL = 255
RAW = '-w 64 -h 64 -p 420 -b 8'.split()
FORMATS = {'xml': [], 'json': ['--json'], 'csv': ['--csv'], 'sub': ['--sub']}
problems = []

# Our parent may ignore one of the signals (nohup does), and the command would inherit that.
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)

files = inputs.Inputs(synthclip, work)
os.chdir(work)
clips = files.clip('mix', '64', '64', '420', '8', str(FRAMES))
for name, data in zip('rd', clips):
    files.put(f'{name}.yuv', data)
    files.y4m(f'{name}.y4m', data)


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


def remove(*paths):
    for path in paths:
        if os.path.lexists(path):
            os.remove(path)


def start(args, **more):
    return subprocess.Popen([vmaf] + args, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)


def end(process):
    try:
        return process.communicate(timeout=LIMIT)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[1] + ' -- did not end'


def run(args, **more):
    process = start(args, **more)
    said = end(process)
    return process.returncode, said


# ---- signals ----

PIPES = ['A.fifo', 'B.fifo']


def open_pipes():
    """Opens both pipes for writing, once the command has opened them."""
    return [os.open(path, os.O_WRONLY) for path in PIPES]


def await_empty(pipe):
    limit = time.monotonic() + LIMIT
    while struct.unpack('i', fcntl.ioctl(pipe, termios.FIONREAD, b'\0' * 4))[0] and time.monotonic() < limit:
        time.sleep(0.01)


def without_mark(text, form, reason):
    """Returns the report without the mark; None if it has none."""
    marks = {'xml': f' partial="{reason}"', 'json': f'  "partial": "{reason}",\n', 'csv': f'# partial: {reason},\n'}
    mark = marks.get(form)
    if form == 'sub':
        found = re.search(r'\{(\d+)\}\{\d+\}partial: ' + reason + r'\|\n$', text)
        mark = found and found.group(0)
    return text.replace(mark, '') if mark and text.count(mark) == 1 else None


def without_speed(text):
    text = re.sub(r',\n  "vmaf_turbo": \{\n.*', '\n}\n', text, flags=re.S)  # contains the options and the time
    return re.sub(r'fps(=|": )[^ ,]*', '', text)


def frame_count(text, form):
    return {'xml': text.count('frameNum'), 'json': text.count('frameNum'),
            'csv': len(re.findall(r'^\d+,', text, re.M)), 'sub': text.count('frame: ')}[form]


def check_stop(number, form, frames):
    """Sends the signal once the first frame is scored, while the command scores others or waits for more."""
    title = f'{signal.Signals(number).name}, {form}, {frames} frames:'
    remove('out', *PIPES)
    for path in PIPES:
        os.mkfifo(path)
    options = RAW + ['-o', 'out'] + FORMATS[form]
    shown = Shown([vmaf, '-r', PIPES[0], '-d', PIPES[1]] + options)
    process = shown.process
    pipes = open_pipes()
    for i in range(frames):
        for pipe, data in zip(pipes, clips):
            os.write(pipe, data[i * inputs.FRAME:(i + 1) * inputs.FRAME])
    if frames:
        shown.wait_for_pair(LIMIT)
    process.send_signal(number)
    said = shown.end(LIMIT)
    for pipe in pipes:
        os.close(pipe)
    check(title, process.returncode == 128 + number, 'exit code', process.returncode, said)
    check(title, f'stopped by {signal.Signals(number).name}' in said, 'says:', said)
    if not os.path.exists('out'):
        check(title, not frames and ' 0 frames were scored' in said, 'no report, but:', said)
        return
    text = open('out').read()
    whole = without_mark(text, form, f'stopped by {signal.Signals(number).name}')
    check(title, whole is not None, 'no mark in:', text[:300])
    scored = frame_count(text, form)
    check(title, 0 < scored <= frames, scored, 'frames')
    if form == 'json':
        check(title, json.loads(text)['partial'], 'not marked')
    if form == 'xml':
        check(title, xml.etree.ElementTree.fromstring(text).get('partial'), 'not marked')
    remove('out')
    run(['-r', 'r.yuv', '-d', 'd.yuv', '--frame_cnt', str(scored)] + options)
    check(title, without_speed(open('out').read()) == without_speed(whole or ''), 'differs from a run that short')


for form in FORMATS:
    check_stop(signal.SIGINT, form, 3)
for number in (signal.SIGTERM, signal.SIGHUP):
    check_stop(number, 'xml', 4)
check_stop(signal.SIGINT, 'xml', 0)

# Nobody writes: the command is stopped while it waits for the beginning of a video.
remove('out', *PIPES)
for path in PIPES:
    os.mkfifo(path)
process = start(['-r', PIPES[0], '-d', PIPES[1], '-o', 'out'])
pipes = open_pipes()
process.send_signal(signal.SIGTERM)
said = end(process)
for pipe in pipes:
    os.close(pipe)
check('no beginning:', process.returncode == 128 + signal.SIGTERM and not os.path.exists('out'),
      process.returncode, said)

# The second signal kills the command, here while it writes a report to a pipe that nobody reads.
remove('report.fifo', *PIPES)
for path in PIPES + ['report.fifo']:
    os.mkfifo(path)
process = start(['-r', PIPES[0], '-d', PIPES[1], '-o', 'report.fifo'] + RAW)
pipes = open_pipes()
for pipe, data in zip(pipes, clips):
    os.write(pipe, data[:inputs.FRAME])
    await_empty(pipe)
limit = time.monotonic() + LIMIT
while process.poll() is None and time.monotonic() < limit:
    process.send_signal(signal.SIGINT)
    time.sleep(0.05)
said = end(process)
for pipe in pipes:
    os.close(pipe)
check('second signal:', process.returncode in (-signal.SIGINT, 128 + signal.SIGINT), process.returncode, said)

# A signal that the parent ignores stays ignored.
process = start(['-r', 'r.yuv', '-d', 'd.yuv'] + RAW, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
process.send_signal(signal.SIGINT)
said = end(process)
check('ignored signal:', process.returncode == 0, process.returncode, said)

# ---- reports ----

# With a limit on the size of files: an error, not a signal, and no incomplete report.
remove('out')
code, said = run(['-r', 'r.yuv', '-d', 'd.yuv', '-o', 'out'] + RAW,
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
check('file size limit:', code == FAIL and 'File too large' in said and not os.path.exists('out'), code, said)

# A link to a file that does not exist leads to the report afterwards.
remove('link', 'target.xml')
os.symlink('target.xml', 'link')
code, said = run(['-r', 'r.yuv', '-d', 'd.yuv', '-o', 'link'] + RAW)
check('link:', code == 0 and os.path.islink('link') and open('target.xml').read().count('frameNum') == FRAMES, code, said)
remove('link')
os.symlink('no/such/folder/target.xml', 'link')
code, said = run(['-r', 'r.yuv', '-d', 'd.yuv', '-o', 'link'] + RAW)
check('link into nowhere:', code == FAIL and 'link' in said and 'does not exist' in said and os.path.islink('link'),
      code, said)
remove('link', 'loop')
os.symlink('loop', 'loop')
code, said = run(['-r', 'r.yuv', '-d', 'd.yuv', '-o', 'loop'] + RAW)
check('link to itself:', code == FAIL and 'loop' in said, code, said)
# If a model cannot be loaded, the file made to test the output path is removed.
remove('link', 'target.xml')
os.symlink('target.xml', 'link')
code, said = run(['-r', 'r.yuv', '-d', 'd.yuv', '-o', 'link', '--model', 'path=nope.json'] + RAW)
check('link, failed run:', code == FAIL and os.path.islink('link') and not os.path.exists('target.xml'), code, said)

# A report with the path of a video.
for name in ('r.yuv', 'd.yuv', './r.yuv', 'hard', 'soft'):
    remove('hard', 'soft')
    os.link('r.yuv', 'hard')
    os.symlink('d.yuv', 'soft')
    code, said = run(['-r', 'r.yuv', '-d', 'd.yuv', '-o', name] + RAW)
    check(f'report is {name}:', code == FAIL and 'video' in said, code, said)
    for path, data in zip(('r.yuv', 'd.yuv'), clips):
        check(f'report is {name}:', open(path, 'rb').read() == data, path, 'was changed')

# ---- videos ----

# Files that grow: only the frames at the start count, and no frame is incomplete.
for kind, options in (('yuv', RAW), ('y4m', [])):
    remove('expected', 'out', *PIPES)
    code, said = run(['-r', f'r.{kind}', '-d', f'd.{kind}', '--frame_cnt', '3', '-o', 'expected'] + options)
    head = len(open(f'r.{kind}', 'rb').read()) - FRAMES * len(clips[0]) // FRAMES - (FRAMES * 6 if kind == 'y4m' else 0)
    size = head + 3 * (inputs.FRAME + (6 if kind == 'y4m' else 0))
    whole = open(f'r.{kind}', 'rb').read()
    for tail in (0, 100):
        files.put('grows', whole[:size + tail])
        os.path.exists(PIPES[1]) or os.mkfifo(PIPES[1])
        process = start(['-r', 'grows', '-d', PIPES[1], '-o', 'out'] + options)
        with open(PIPES[1], 'wb') as pipe:  # by now the command has opened both
            with open('grows', 'ab') as file:
                file.write(whole[size + tail:])
            pipe.write(open(f'd.{kind}', 'rb').read())
        said = end(process)
        check(f'growing {kind}, {tail}:', process.returncode == (FAIL if tail else 0), process.returncode, said)
        check(f'growing {kind}, {tail}:', without_speed(open('out').read()) == without_speed(open('expected').read()),
              'other scores than the first frames have')

# Millions of frames to skip are not read in a file. The last frames are scored.
millions = 3000000
frame = 96  # 8x8
dice = random.Random(1)
last = [dice.randbytes(2 * frame) for _ in range(2)]
for name, data in zip(('many_r', 'many_d'), last):
    with open(name, 'wb') as file:
        file.truncate(millions * frame)
        file.seek(0, os.SEEK_END)
        file.write(data)
    files.put(name + '_last', data)
small = '-w 8 -h 8 -p 420 -b 8 -n --feature psnr'.split()
for count in ([], ['--frame_cnt', '1']):
    code, said = run(['-r', 'many_r_last', '-d', 'many_d_last', '-o', 'expected'] + small + count)
    check('last frames:', code == 0, said)
    code, said = run(['-r', 'many_r', '-d', 'many_d', '-o', 'out', '--frame_skip_ref', str(millions), '--frame_skip_dist',
                      str(millions)] + small + count)
    check('millions to skip:', code == 0 and without_speed(open('out').read()) == without_speed(open('expected').read()),
          code, said)
for skip in (millions + 3, 4294967295):
    code, said = run(['-r', 'many_r', '-d', 'many_d', '--frame_skip_ref', str(skip)] + small)
    check(f'skip {skip}:', code == FAIL and 'fewer than' in said, code, said)
remove('many_r', 'many_d')
# Y4M: every frame has a header line, which may be longer for some frames.
body = b''.join((b'FRAME\n', b'FRAME Ip\n', b'FRAME Xabc\n')[i % 3] + dice.randbytes(frame) for i in range(20000))
tail = [b''.join(b'FRAME\n' + data[i * frame:(i + 1) * frame] for i in range(2)) for data in last]
header = b'YUV4MPEG2 W8 H8 F30:1 Ip C420\n'
for name, data in zip(('many_r', 'many_d'), tail):
    files.put(name, header + body + data)
    files.put(name + '_last', header + data)
run(['-r', 'many_r_last', '-d', 'many_d_last', '-o', 'expected', '-n', '--feature', 'psnr'])
code, said = run('-r many_r -d many_d -o out -n --feature psnr --frame_skip_ref 20000 --frame_skip_dist 20000'.split())
check('y4m to skip:', code == 0 and without_speed(open('out').read()) == without_speed(open('expected').read()), code, said)

for problem in problems:
    print(problem)
sys.exit(len(problems) > 0)
