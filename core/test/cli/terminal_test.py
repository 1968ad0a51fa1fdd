#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests what a terminal shows: progress line, scores, messages.

usage: terminal_test.py VMAF SYNTHCLIP WORKDIR
"""
import os
import pty
import re
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
RAW = '-r r.yuv -d d.yuv -w 64 -h 64 -p 420 -b 8'
SCORE = 'vmaf_v0.6.1: 86.289121\r\n'


def meter(done, total):
    """Returns the final progress line."""
    return f'\r{done * 100 // total:3}%  {done}/{total} frames  N fps  score N\033[K'


def summary(name, score, bar, spark, low, high, p5, worst='frame 0', colour='\033[32m', plain='\033[0m'):
    """Returns the text after the scores."""
    return (f'  score   {colour}{bar:░<32}{plain} {score:>6}   {name}\r\n'
            f'  frames  {colour}{spark}{plain}   from {low} to {high}, p5 {p5}\r\n  worst   {worst}: {low}\r\n')


USUAL = 'vmaf_v0.6.1', '86.29', '█' * 27 + '▋', '▁█', '81.75', '90.83', '82.20'
FIRST = 'vmaf_v0.6.1', '81.75', '█' * 26 + '▏', '█', '81.75', '81.75', '81.75'

CASES = [
    (RAW, 0, meter(2, 2) + '\r\n' + SCORE + summary(*USUAL)),
    ('-r r.y4m -d d.y4m --subsample 1', 0, meter(2, 2) + '\r\n' + SCORE + summary(*USUAL, 'frame 0 at 0:00:00.000')),
    (RAW + ' -q', 0, SCORE),
    (RAW + ' -q -o out.xml', 0, ''),
    (RAW + ' -o out.xml', 0, meter(2, 2) + '\r\n' + SCORE + summary(*USUAL)),
    (RAW + ' --html page.html', 0, meter(2, 2) + '\r\n' + SCORE + summary(*USUAL)),
    # The scores of a stored report are on standard output.
    ('--report stored.json', 0, summary(*USUAL)),
    ('--report stored.json -q', 0, ''),
    (RAW + ' -n --feature psnr -o out.xml', 0, meter(2, 2).replace('  score N', '') +
     '\r\npsnr_y: 32.503260\r\npsnr_cb: 32.064615\r\npsnr_cr: 32.179545\r\n'),
    (RAW + ' --threads 2 --model version=vmaf_b_v0.6.3 --model version=vmaf_v0.6.1:name=x:enable_transform', 0,
     meter(2, 2) + '\r\nvmaf_b_v0.6.3: 84.212349\r\nvmaf_v0.6.1 (phone): 97.853324\r\n'
     'vmaf_b_v0.6.3: 83.843073, ci.p95: [78.782834, 88.391345], stddev: 2.821923\r\n' +
     summary('vmaf_b_v0.6.3', '83.84', '█' * 26 + '▉', '▁█', '79.49', '88.19', '79.93')),
    # A message ends the progress line.
    ('-r r.yuv -d d1.yuv -w 64 -h 64 -p 420 -b 8', 0,
     meter(1, 1) + '\r\n"d1.yuv" ended before "r.yuv".\r\nvmaf_v0.6.1: 81.749185\r\n' + summary(*FIRST)
     + '  missing the distorted video ended before the reference: 1 of 2 frames were scored\r\n'),
    ('-r r.yuv -d d_cut.yuv -w 64 -h 64 -p 420 -b 8', 255,
     meter(1, 1) + '\r\n"d_cut.yuv" is cut off within frame 1.\r\nvmaf_v0.6.1: 81.749185\r\n' + summary(*FIRST)
     + '  missing the distorted video is cut off: 1 frame was scored\r\n'
     + 'problem with d_cut.yuv: only the 1 frame before the cut is scored\r\n'),
    (RAW + ' --model version=nope', 255,
     '\033[35mlibvmaf\033[0m \033[33mWARNING\033[0m no such built-in model: "nope"\r\n'
     'built-in models are: LIST\r\nproblem loading model: nope\r\n'),
    (RAW + ' --progress -o out.xml', 0, 'progress frame=2 total=2 fps=N score=N left=0\r\n' + SCORE),
]


def on_terminal(args, raw=False, **env):
    """Returns exit code and output of a run whose stderr is a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen([vmaf] + args.split(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave,
                               env={**os.environ, 'TERM': 'xterm', 'NO_COLOR': '', **env})
    os.close(slave)
    seen = b''
    while True:
        try:
            chunk = os.read(master, 4096)
        except OSError:  # how Linux reports that the other side is closed
            break
        if not chunk:
            break
        seen += chunk
    os.close(master)
    text = seen.decode()
    if raw:
        return process.wait(), text
    text = re.sub(r'(\r[^\r\n]*\033\[K)+(\r[^\r\n]*\033\[K)', r'\2', text)  # the final state of the line
    # The first score may come at any time: it depends on the worker threads.
    text = re.sub(r'[\d.]+ fps(?!=)(  score [\d.]+)?', lambda m: 'N fps' + ('' if '-n' in args else '  score N'), text)
    text = re.sub(r'(progress [^\r\n]*\r\n)+(?=progress )', '', text)  # a slow machine prints more of them
    text = re.sub(r'fps=[\d.]+( score=[\d.]+)?', 'fps=N score=N', text)
    return process.wait(), re.sub(r'(built-in models are: ).*\r', r'\1LIST\r', text)


def check_running_score():
    """A longer run shows the mean of the frames scored so far, which is close to the final score near the end."""
    code, seen = on_terminal('-r long_r.yuv -d long_d.yuv -w 64 -h 64 -p 420 -b 8', raw=True)
    last = re.search(r'\r100%  (\d+)/\1 frames  \d+\.\d fps  score (\d+\.\d\d)\033\[K\r\nvmaf_v0.6.1: ([\d.]+)', seen)
    if code == 0 and last and abs(float(last.group(2)) - float(last.group(3))) < 0.5:
        return 0
    print(f'progress: {seen!r}')
    return 1


def check_ranking():
    """Several videos are shown in a table: best first, those of which frames are missing last, on one scale."""
    videos = ['long_d.yuv', 'long_r.yuv', 'long_short.yuv']
    with open('long_short.yuv', 'wb') as file:
        file.write(open('long_r.yuv', 'rb').read()[:100 * 64 * 64 * 3 // 2])
    args = '-r long_r.yuv ' + ''.join(f'-d {video} ' for video in videos) + '-w 64 -h 64 -p 420 -b 8'
    wrong = 0
    for number, command in enumerate((args, '--report ' + ' '.join(f'rank.{i}.json' for i in (1, 2, 3)))):
        code, seen = on_terminal(command, raw=True, NO_COLOR='1')
        rows = re.findall(r'^ +(\d) +([\d.]+) +([\d.]+) +([\d.]+) at (?:frame )?\S+ +([▁▂▃▄▅▆▇█]+)  (\S+)( \(incomplete\))?\r$', seen, re.M)
        names = [row[5] for row in rows]
        want = [f'rank.{videos.index(name) + 1}.json' if number else name for name in ('long_r.yuv', 'long_d.yuv', 'long_short.yuv')]
        levels = [set(row[4]) for row in rows]
        good = code == 0 and names == want and [bool(row[6]) for row in rows] == [False, False, True]
        good = good and '█' in levels[0] & levels[2] and levels[1] == {'▁'}
        good = good and all(float(row[1]) > float(row[3]) for row in rows)
        good = good and (number or re.search(r'\r100%  400/400 frames [^\r]*\r\n', seen))
        if not good:
            wrong += 1
            print(f'ranking: exit code {code}, {rows}, {seen!r}')
        if not number:
            subprocess.check_call([vmaf, *args.split(), '-q', '-o', 'rank.json'], stderr=subprocess.DEVNULL)
    return wrong


def check_colours():
    """Colours can be switched off."""
    wrong = 0
    for env in {'NO_COLOR': '1'}, {'TERM': 'dumb'}:
        code, seen = on_terminal(RAW, **env)
        wrong += not (code == 0 and seen.endswith(SCORE + summary(*USUAL, colour='', plain='')))
    if wrong:
        print(f'colours: {seen!r}')
    return wrong


inputs.write_all(synthclip, work)
os.chdir(work)
subprocess.check_call([vmaf, *RAW.split(), '-q', '--precision', 'max', '-o', 'stored.json'])
subprocess.check_call([synthclip, 'blur', '64', '64', '420', '8', '400', 'long_r.yuv', 'long_d.yuv'])
failed = check_running_score() + check_ranking() + check_colours()
for args, code, want in CASES:
    got = on_terminal(args)
    if got != (code, want):
        failed += 1
        print(f'vmaf {args}\n  shows {got[1]!r} ({got[0]})\n  not   {want!r} ({code})')
print(f'{len(CASES) + 5} terminals, {failed} wrong')
sys.exit(1 if failed else 0)
