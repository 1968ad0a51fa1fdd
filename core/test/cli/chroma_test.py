#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests that ssimulacra2 reads the chroma of files where it lies, also beside RGB.

usage: chroma_test.py VMAF SYNTHCLIP WORKDIR

Files are made with ffmpeg. Their scores must be those of raw 4:4:4 pictures, of 12 bits, whose chroma was interpolated here.
"""
import json
import os
import shutil
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
SKIPPED = 77
if not shutil.which('ffmpeg'):
    print('skipped: there is no ffmpeg')
    sys.exit(SKIPPED)
W, H = 48, 34
LUMA = W * H
files = inputs.Inputs(synthclip, work)
os.chdir(work)
problems = []


def check(title, good, *more):
    if not good:
        problems.append(title)
        print(title, *more)


def ffmpeg(*args):
    subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', '-bitexact', *args], check=True)
    return args[-1]


def has_encoder(name):
    listed = subprocess.run(['ffmpeg', '-v', 'error', '-encoders'], capture_output=True, text=True, check=False).stdout
    return f' {name} ' in listed


def run(*args):
    """Returns the score of the first frame, and the report."""
    done = subprocess.run([vmaf, *args, '-n', '-q', '-o', 'out.json', '--precision', 'max'], capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode:
        sys.exit(f'{args}: {done.stderr}')
    report = json.load(open('out.json'))
    return report['frames'][0]['metrics']['ssimulacra2'], report


def assumed(report):
    return [warning['text'] for warning in report['vmaf_turbo']['warnings'] if warning['code'] == 'assumed']


def filters(report, side):
    return report['vmaf_turbo']['inputs'][side].get('filters') or ''


def along(n, first, count):
    """Samples of chroma and weights for n samples of luma. `first`: where the first one lies, in halves of those of luma."""
    for i in range(n):
        low, part = divmod(2 * i - first, 4)
        yield max(0, min(low, count - 1)), max(0, min(low + 1, count - 1)), 4 - part, part


def raised(plane, left, top):
    """Sixteen times a half-sized plane, at the size of luma."""
    width, out = W // 2, []
    for above, below, a, b in along(H, top, H // 2):
        for near, far, c, d in along(W, left, width):
            out.append(a * (c * plane[above * width + near] + d * plane[above * width + far]) +
                       b * (c * plane[below * width + near] + d * plane[below * width + far]))
    return out


def words(values):
    return b''.join(value.to_bytes(2, 'little') for value in values)


def whole(path, left, top):
    """The pictures of a 4:2:0 file as 4:4:4 of 12 bits."""
    data = open(ffmpeg('-i', path, '-f', 'rawvideo', 'decoded.yuv'), 'rb').read()
    chroma = [data[LUMA:LUMA + LUMA // 4], data[LUMA + LUMA // 4:LUMA + LUMA // 2]]
    return words(16 * value for value in data[:LUMA]) + b''.join(words(raised(plane, left, top)) for plane in chroma)


def rgb(path):
    data = open(ffmpeg('-i', path, '-pix_fmt', 'gbrp', '-f', 'rawvideo', 'decoded.yuv'), 'rb').read()
    return words(16 * value for value in data)


def expect(title, ref, dist, ref_tags, dist_tags, pictures):
    """Scores two files, whose pictures are these."""
    for name, data in zip(('a.yuv', 'b.yuv'), pictures):
        files.put(name, data)
    want, _ = run('a.yuv', 'b.yuv', '-w', str(W), '-h', str(H), '-p', '444', '-b', '12', '--feature',
                  f'ssimulacra2=ref_tags={ref_tags}:dist_tags={dist_tags}')
    got, report = run(ref, dist, '--feature', 'ssimulacra2')
    check(title, got == want, got, want)
    check(f'{title}: nothing is assumed', assumed(report) == [], assumed(report))
    return report


LEFT, CENTRE, TOP_LEFT = (0, 1), (1, 1), (0, 0)
ref, dist = files.clip('mix', str(W), str(H), '444', '8', '1')
files.put('ref.yuv', ref)
files.put('dist.yuv', dist)
RAW = ['-f', 'rawvideo', '-s', f'{W}x{H}', '-r', '24', '-pix_fmt']
for name in ('ref', 'dist'):
    ffmpeg(*RAW, 'gbrp', '-i', f'{name}.yuv', f'{name}.png')
    ffmpeg(*RAW, 'yuvj444p', '-i', f'{name}.yuv', '-pix_fmt', 'yuvj420p', '-q:v', '3', f'{name}.jpg')
JPEG, RGB = 'bt601/full/8', 'gbr/full/8'

report = expect('PNG and JPEG', 'ref.png', 'dist.jpg', RGB, JPEG, (rgb('ref.png'), whole('dist.jpg', *CENTRE)))
check('the report says where chroma lies', 'sited in the centre' in filters(report, 'distorted'), filters(report, 'distorted'))
expect('JPEG and PNG', 'ref.jpg', 'dist.png', JPEG, RGB, (whole('ref.jpg', *CENTRE), rgb('dist.png')))
expect('two JPEG', 'ref.jpg', 'dist.jpg', JPEG, JPEG, (whole('ref.jpg', *CENTRE), whole('dist.jpg', *CENTRE)))

ffmpeg('-i', 'dist.jpg', '-vf', f'scale={W // 2}:{H // 2}', '-q:v', '3', 'half.jpg')
_, report = run('ref.png', 'half.jpg', '--feature', 'ssimulacra2')
check('a scaled picture has its chroma scaled', 'scaled' in filters(report, 'distorted') and
      'linear' not in filters(report, 'distorted'), filters(report, 'distorted'))

_, report = run('ref.jpg', 'dist.jpg', '--feature', 'ssimulacra2', '--feature', 'psnr')
check('beside others chroma stays as it is, and that is said', not filters(report, 'distorted') and
      len([text for text in assumed(report) if 'sited left' in text]) == 2, assumed(report))

if has_encoder('libx264'):
    tags = 'bt709/limited/8'
    for name in ('left', 'topleft'):
        for source in ('ref', 'dist'):
            ffmpeg(*RAW, 'yuv444p', '-i', f'{source}.yuv', '-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-qp', '0', '-colorspace', 'bt709',
                   '-color_range', 'tv', '-chroma_sample_location', name, f'{source}_{name}.mkv')
    expect('left and top left', 'ref_left.mkv', 'dist_topleft.mkv', tags, tags,
           (whole('ref_left.mkv', *LEFT), whole('dist_topleft.mkv', *TOP_LEFT)))
    expect('video beside RGB', 'ref_left.mkv', 'dist.png', tags, RGB, (whole('ref_left.mkv', *LEFT), rgb('dist.png')))
    report = expect('left and left', 'ref_left.mkv', 'dist_left.mkv', tags, tags,
                    (whole('ref_left.mkv', *LEFT), whole('dist_left.mkv', *LEFT)))
    check('which the extractor interpolates by itself', not filters(report, 'distorted'), filters(report, 'distorted'))
if has_encoder('libaom-av1'):
    for tag, want in (('unspecified', ['bt601']), ('bt709', [])):
        ffmpeg('-i', 'ref.png', '-pix_fmt', 'yuv444p', '-colorspace', tag, '-c:v', 'libaom-av1', '-still-picture', '1', '-cpu-used', '8',
               'still.avif')
        _, report = run('ref.png', 'still.avif', '--feature', 'ssimulacra2')
        check(f'AVIF with the matrix {tag}', [word for text in assumed(report) for word in text.split() if 'bt' in word] ==
              [f'{name}:' for name in want], assumed(report))
print(f'{len(problems)} problems')
sys.exit(bool(problems))
