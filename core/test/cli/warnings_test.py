#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests that every warning of a run is in its JSON report, with a code: also if parts are merged, and if several videos
are scored at once.

usage: warnings_test.py VMAF SYNTHCLIP WORKDIR
"""
import json
import os
import re
import shutil
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
FRAMES = 12
problems = []

files = inputs.Inputs(synthclip, work)
os.chdir(work)
ref, dist = files.clip('mix', '64', '64', '420', '8', str(FRAMES))


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


def run(args, code=0):
    # Drivers leak memory that is not ours: with drivers the sanitizer does not look for leaks.
    sanitizer = os.environ.get('ASAN_OPTIONS', '') + (':detect_leaks=0' if '--backend' in args else '')
    done = subprocess.run([vmaf] + args, capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, 'ASAN_OPTIONS': sanitizer})
    check(' '.join(args), done.returncode == code, f'exit code {done.returncode} and not {code}:', done.stderr)
    return done.stderr


def warnings(path, said):
    """Returns the codes of a report with the inputs they are about; each line `Warning:` has to be among the texts."""
    listed = json.load(open(path))['vmaf_turbo']['warnings']
    for text in re.findall(r'^Warning: (?:\S+: )?(.*)', said, re.M):
        check(f'{path} lacks the warning', any(text in w['text'] for w in listed), text, listed)
    for warning in listed:
        check('printed is what is stored', warning['text'] in said, warning, said)
    return [(w['code'], w.get('input')) for w in listed]


def expect(args, *codes, code=0):
    said = run(args + ['-o', 'out.json', '-q'], code)
    got = warnings('out.json', said)
    check(' '.join(args) + ':', sorted(got, key=str) == sorted(codes, key=str), got, 'and not', codes)


def y4m(name, data, header='F25:1 Ip A1:1 C420jpeg'):
    files.y4m(name, data, 'W64 H64 ' + header)
    return name


y4m('r.y4m', ref)
y4m('d.y4m', dist)
y4m('d30.y4m', dist, 'F30:1 Ip A1:1 C420jpeg')
y4m('odd.y4m', dist, 'F25:1 I? A1:1 C420jpeg')
y4m('short.y4m', dist[:8 * inputs.FRAME])
whole = open('d.y4m', 'rb').read()
files.put('cut.y4m', whole[:len(whole) - 1000])
y4m('late.y4m', dist[2 * inputs.FRAME:])

expect(['r.y4m', 'd.y4m'])
expect(['r.y4m', 'd30.y4m'], ('frame_rate', 'distorted'))
expect(['r.y4m', 'odd.y4m'], ('interlacing_unknown', 'distorted'))
expect(['odd.y4m', 'd.y4m'], ('interlacing_unknown', 'reference'))
expect(['r.y4m', 'short.y4m'], ('ended_early', 'distorted'))
expect(['short.y4m', 'd.y4m'], ('ended_early', 'reference'))
expect(['r.y4m', 'cut.y4m'], ('cut', 'distorted'), code=255)
expect(['r.y4m', 'd30.y4m', '--sync', 'nearest'], ('repeated_frames', 'distorted'), ('ended_early', 'distorted'))
expect(['r.y4m', 'd.y4m', '--model', 'version=vmaf_v0.6.1:psnr.enable_chroma=true'], ('unused_options', None))

# Each of several videos has its own warnings, and those of the reference and of the run.
said = run(['r.y4m', 'd.y4m', 'short.y4m', 'odd.y4m', '-o', 'several.json', '-q', '--model',
            'version=vmaf_v0.6.1:psnr.enable_chroma=true'])
for number, codes in enumerate(([], [('ended_early', 'distorted')], [('interlacing_unknown', 'distorted')]), 1):
    listed = json.load(open(f'several.{number}.json'))['vmaf_turbo']['warnings']
    got = [(w['code'], w.get('input')) for w in listed]
    check(f'several {number}:', got == codes + [('unused_options', None)], got)

# A merged report has the warnings of all its parts.
for args, codes in ((['r.y4m', 'd30.y4m', '--sync', 'nearest'], 2), (['odd.y4m', 'short.y4m'], 2),
                    (['r.y4m', 'd.y4m', '--model', 'version=vmaf_v0.6.1:psnr.enable_chroma=true'], 1)):
    said = run(args + ['-o', 'whole.json', '-q'])
    for part in range(3):
        run(args + ['--shard', f'{part}/3', '-o', f'part{part}.json', '-q'])
    run(['--merge', 'part0.json', 'part1.json', 'part2.json', '-o', 'merged.json'])
    alone, merged = (json.load(open(name))['vmaf_turbo']['warnings'] for name in ('whole.json', 'merged.json'))
    check('merged:', alone == merged and len(alone) == codes, alone, merged)

# `auto` without a GPU.
hidden = subprocess.run([vmaf, 'r.y4m', 'd.y4m', '--backend', 'auto', '-o', 'auto.json', '-q'], capture_output=True, text=True,
                        env={**os.environ, 'VK_DRIVER_FILES': '/nonexistent', 'CUDA_VISIBLE_DEVICES': '',
                             'HIP_VISIBLE_DEVICES': '-1', 'ONEAPI_DEVICE_SELECTOR': '!*:*'}, check=False)
if 'no usable GPU' in hidden.stderr:
    got = [(w['code'], w.get('input')) for w in json.load(open('auto.json'))['vmaf_turbo']['warnings']]
    check('auto without a GPU:', got == [('no_gpu', None)], got, hidden.stderr)

    # Nobody may read the output of the parts, so the merge prints the warning again.
    gone = {**os.environ, 'VK_DRIVER_FILES': '/nonexistent', 'CUDA_VISIBLE_DEVICES': '', 'HIP_VISIBLE_DEVICES': '-1',
            'ONEAPI_DEVICE_SELECTOR': '!*:*'}
    for part in range(2):
        subprocess.run([vmaf, 'r.y4m', 'd.y4m', '--backend', 'auto', '--shard', f'{part}/2', '-o', f'part{part}.json', '-q'], env=gone,
                       capture_output=True, check=True)
    merged = subprocess.run([vmaf, '--merge', 'part0.json', 'part1.json', '-o', 'merged.json'], capture_output=True, text=True)
    check('merged without a GPU:', merged.stderr.count('Warning: no usable GPU: the CPU was used') == 1, merged.stderr)

# A software device that was allowed.
software = subprocess.run([vmaf, 'r.y4m', 'd.y4m', '--backend', 'vulkan', '--vulkan_device', '0', '--allow_software', '-o', 'software.json',
                           '-q'], capture_output=True, text=True)
if 'is a software device' in software.stderr:
    got = [(w['code'], w.get('input')) for w in json.load(open('software.json'))['vmaf_turbo']['warnings']]
    check('a software device:', got == [('software_device', None)], got)

    # The CPU has to measure frames of extreme pictures again. A run warns of that, and so does a merge of its parts.
    shape = ('256', '256', '420', '8')
    subprocess.run([synthclip, 'extreme', *shape, '2', 'xr.yuv', 'xd.yuv'], check=True)
    extreme = ['-r', 'xr.yuv', '-d', 'xd.yuv', *(word for pair in zip(('-w', '-h', '-p', '-b'), shape) for word in pair), '-n', '--feature',
               'float_ssim', '--feature', 'psnr', '--backend', 'vulkan', '--device', 'llvmpipe', '-q']
    said = [run([*extreme, '-o', 'extreme.json'])]
    for part in range(2):
        run([*extreme, '--shard', f'{part}/2', '-o', f'part{part}.json'])
    said.append(run(['--merge', 'part0.json', 'part1.json', '-o', 'merged.json', '-q']))
    for path, text in zip(('extreme.json', 'merged.json'), said):
        listed = {w['code']: w['text'] for w in json.load(open(path))['vmaf_turbo']['warnings']}
        check('frames measured again:', sorted(listed) == ['measured_on_cpu', 'software_device'] and
              listed['measured_on_cpu'].startswith('float_ssim: 2 of 2 frames were measured again on the CPU') and
              text.count(listed['measured_on_cpu']) == 1, path, listed, text)

if shutil.which('ffmpeg'):
    files.put('r.yuv', ref)
    made = subprocess.run('ffmpeg -v error -y -s 64x64 -pix_fmt yuv420p -r 25 -f rawvideo -i r.yuv -c:v ffv1 limited.mkv && '
                          'ffmpeg -v error -y -s 64x64 -pix_fmt yuv420p -r 25 -f rawvideo -i r.yuv -c:v ffv1 -color_range pc '
                          '-color_trc smpte2084 -color_primaries bt2020 -colorspace bt2020nc full.mkv', shell=True, check=False)
    probe = subprocess.run([vmaf, 'limited.mkv', 'limited.mkv', '-q'], capture_output=True, text=True, check=False)
    if not made.returncode and not probe.returncode:
        expect(['limited.mkv', 'full.mkv'], ('range', 'distorted'), ('hdr', 'distorted'))

for problem in problems:
    print(problem)
sys.exit(bool(problems))
