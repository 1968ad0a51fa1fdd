#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What a terminal shows: header, progress line, scores.

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
VERSION = subprocess.run([vmaf, '--version'], capture_output=True, text=True).stderr.strip()
HEAD = f'VMAF version {VERSION}\r\npicture pool: N pictures pre-allocated\r\n'
ONE = '\r1 frame  ⢀⠀ 0.00 FPS\033[K'
TWO = '\r2 frames ⡀⠀ 0.00 FPS\033[K'

CASES = [
    (RAW, 0, HEAD + ONE + TWO + '\r\nvmaf_v0.6.1: 86.289121\r\n'),
    (RAW + ' -q', 0, 'vmaf_v0.6.1: 86.289121\r\n'),
    (RAW + ' -q -o out.xml', 0, ''),
    (RAW + ' -o out.xml', 0, HEAD + ONE + TWO + '\r\nvmaf_v0.6.1: 86.289121\r\n'),
    (RAW + ' -n --feature psnr -o out.xml', 0, HEAD + ONE + TWO + '\r\n'),
    (RAW + ' --threads 2 --model version=vmaf_b_v0.6.3 --model version=vmaf_v0.6.1:name=x', 0,
     HEAD + ONE + TWO + '\r\nvmaf_b_v0.6.3: 84.212349\r\nvmaf_v0.6.1: 86.289121\r\n'
     'vmaf_b_v0.6.3: 83.843073, ci.p95: [78.782834, 88.391345], stddev: 2.821923\r\n'),
    ('-r r.yuv -d d1.yuv -w 64 -h 64 -p 420 -b 8', 0,
     HEAD + ONE + '\r\n"d1.yuv" ended before "r.yuv".\r\n\r\nvmaf_v0.6.1: 81.749185\r\n'),
    ('-r r.yuv -d d_cut.yuv -w 64 -h 64 -p 420 -b 8', 255,
     HEAD + ONE + '\r\n"d_cut.yuv" is cut off within frame 1.\r\n\r\nvmaf_v0.6.1: 81.749185\r\n'),
    (RAW + ' --model version=nope', 255,
     HEAD + '\033[35mlibvmaf\033[0m \033[33mWARNING\033[0m no such built-in model: "nope"\r\n'
     'built-in models are: LIST\r\nproblem loading model: nope\r\n'),
]


def on_terminal(args):
    """Exit code and bytes of a run whose stderr is a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen([vmaf] + args.split(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    seen = b''
    while True:
        try:
            chunk = os.read(master, 4096)
        except OSError:  # Linux' way to say that the other side is closed
            break
        if not chunk:
            break
        seen += chunk
    os.close(master)
    text = seen.decode()
    text = re.sub(r'pool: \d+ pictures', 'pool: N pictures', text)
    return process.wait(), re.sub(r'(built-in models are: ).*\r', r'\1LIST\r', text)


def check_outlook():
    """A longer clip shows its rate and, the length being known, how far it is and the time left."""
    code, seen = on_terminal('-r long_r.yuv -d long_d.yuv -w 64 -h 64 -p 420 -b 8 -n --feature psnr')
    last = seen.split('\r')[-2] if code == 0 else seen
    if re.fullmatch(r'40 frames .. \d+\.\d\d FPS, 100%, 0:00 left\033\[K', last):
        return 0
    print(f'progress: {last!r}')
    return 1


inputs.write_all(synthclip, work)
os.chdir(work)
subprocess.check_call([synthclip, 'blur', '64', '64', '420', '8', '40', 'long_r.yuv', 'long_d.yuv'])
failed = check_outlook()
for args, code, want in CASES:
    got = on_terminal(args)
    if got != (code, want):
        failed += 1
        print(f'vmaf {args}\n  shows {got[1]!r} ({got[0]})\n  not   {want!r} ({code})')
print(f'{len(CASES) + 1} terminals, {failed} wrong')
sys.exit(1 if failed else 0)
