#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests --heatmap: files and maps in the page are of the right frames and places, and bad uses are refused.

usage: heatmap_test.py VMAF SYNTHCLIP WORKDIR
"""
import base64
import os
import re
import shutil
import struct
import subprocess
import sys
import zlib

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
USAGE, FAIL = 1, 255
W, H, FRAMES = 97, 61, 4
FRAME = W * H + 2 * 49 * 31
HEADER = f'W{W} H{H} F30:1 Ip A1:1 C420jpeg'
LEGEND = 48  # rows below a map
shutil.rmtree(work, ignore_errors=True)
files = inputs.Inputs(synthclip, work)
os.chdir(work)
problems = []


def check(title, good, *more):
    if not good:
        problems.append(title)
        print(title, *more)


def run(*args, code=0, says=''):
    done = subprocess.run([vmaf, *args, '-q'], capture_output=True, text=True, timeout=300, check=False)
    check(' '.join(args), done.returncode == code, f'exit code {done.returncode} and not {code}:', done.stderr)
    check(f'{" ".join(args)}: does not say "{says}"', says in done.stderr, done.stderr)
    return done.stderr


def read_png(data):
    """Returns the width and the rows of an RGB picture, each pixel as three numbers."""
    parts, at = {}, 8
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        parts[kind] = parts.get(kind, b'') + data[at + 8:at + 8 + size]
        at += 12 + size
    width, height, depth, colour = struct.unpack('>IIBB', parts[b'IHDR'][:10])
    assert (depth, colour) == (8, 2)
    raw, rows, above = zlib.decompress(parts[b'IDAT']), [], bytes(3 * width)
    for y in range(height):
        kind, line = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for i in range(3 * width):
            left, up = line[i - 3] if i > 2 else 0, above[i]
            corner = above[i - 3] if i > 2 else 0
            about = left + up - corner
            nearest = min((abs(about - left), 0, left), (abs(about - up), 1, up), (abs(about - corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, nearest)[kind]) % 256
        rows.append([tuple(line[3 * x:3 * x + 3]) for x in range(width)])
        above = line
    return width, rows


def box(rows, colour):
    """The columns and rows of the pixels that do not have this colour: from, to, from, to."""
    xs = [x for row in rows for x, pixel in enumerate(row) if pixel != colour]
    ys = [y for y, row in enumerate(rows) if any(pixel != colour for pixel in row)]
    return (min(xs), max(xs) + 1, min(ys), max(ys) + 1) if xs else None


def make_clips():
    """Frame i of the distorted video differs in a square at column 16 * i, row 20, but frame 0 is equal. d_late.y4m has
    one more frame at its beginning."""
    ref = bytearray(files.clip('noise', str(W), str(H), '420', '8', str(FRAMES))[0])
    dist = bytearray(ref)
    for i in range(1, FRAMES):
        for y in range(20, 28):
            for x in range(16 * i, 16 * i + 8):
                dist[i * FRAME + y * W + x] ^= 0x40
    files.y4m('r.y4m', bytes(ref), HEADER, FRAME)
    files.y4m('d.y4m', bytes(dist), HEADER, FRAME)
    files.y4m('d_late.y4m', bytes(ref[FRAME:2 * FRAME] + dist), HEADER, FRAME)


def check_places(folder, frame):
    """The map of ssim has its square where the frame has one; a pixel is `side` x `side` dots."""
    width, rows = read_png(open(f'{folder}/frame_{frame:06}_ssim.png', 'rb').read())
    side = width // W
    check('a map has a dot or a square for each pixel', width == W * side and len(rows) == H * side + LEGEND, width, len(rows))
    reach = 4
    want = (16 * frame - reach, 16 * frame + 8 + reach, 20 - reach, 28 + reach)
    found = box(rows[:H * side], (0, 0, 0))
    check(f'{folder}: the square of frame {frame}', found == (tuple(side * n for n in want) if frame else None), found, want)
    scale = rows[H * side + 6]
    check('the legend goes from dark to light', scale[8] < (20, 20, 30) and min(scale[-8]) > 120, scale[8], scale[-8])


def check_files():
    run('r.y4m', 'd.y4m', '-n', '--feature', 'ssim', '--heatmap', 'out', '--heatmap_frames', '0-1,3')
    check('files of the frames', sorted(os.listdir('out')) == [f'frame_00000{i}_ssim.png' for i in (0, 1, 3)], os.listdir('out'))
    for frame in (0, 1, 3):
        check_places('out', frame)
    run('r.y4m', 'd_late.y4m', '-n', '--feature', 'ssim', '--heatmap', 'late', '--heatmap_frames', 'all', '--frame_skip_dist', '1')
    for frame in range(FRAMES):
        check_places('late', frame)
    run('r.y4m', 'd.y4m', '-n', '--feature', 'ssim', '--heatmap', 'every3', '--heatmap_frames', 'all', '--subsample', '3')
    check('files of the scored frames', sorted(os.listdir('every3')) == ['frame_000000_ssim.png', 'frame_000003_ssim.png'],
          os.listdir('every3'))
    run('r.y4m', 'd.y4m', 'r.y4m', '--heatmap', 'two', '--threads', '2')
    names = {f'video_{v}_frame_{i:06}_integer_{m}_scale{s}.png' for v in (1, 2) for i in range(FRAMES) for m in ('adm', 'vif')
             for s in range(4)}
    check('files of two videos', set(os.listdir('two')) == names, set(os.listdir('two')) ^ names)
    width, rows = read_png(open('two/video_1_frame_000001_integer_adm_scale0.png', 'rb').read())
    side = width // ((W + 1) // 2)
    check('what adm leaves out is grey', rows[0][0] == (128, 128, 128) != rows[30 * side // 2][width // 2], rows[0][0])


    run('r.y4m', 'd.y4m', '-n', *(word for name in ('psnr', 'psnr_hvs', 'xpsnr', 'ssimulacra2') for word in ('--feature', name)),
        '--heatmap', 'more', '--heatmap_frames', '2')
    metrics = [f'{name}_{plane}' for name, planes in (('psnr', ('y', 'cb', 'cr')), ('psnr_hvs', ('y', 'cb', 'cr')), ('xpsnr', 'yuv'))
               for plane in planes] + [f'ssimulacra2_scale{s}' for s in range(5)]
    check('files of planes and scales', set(os.listdir('more')) == {f'frame_000002_{m}.png' for m in metrics}, os.listdir('more'))


def maps_of(page):
    """Maps of a page: frame, metric, score, picture."""
    text = open(page).read()
    return [(int(frame), metric, score, base64.b64decode(data)) for metric, frame, score, data in re.findall(
        r'<img class=map hidden data-map="(\w+)" alt="map of \w+, frame (\d+)" data-score="([^"]+)" '
        r'src="data:image/png;base64,([^"]+)">', text)]


def check_page():
    run('r.y4m', 'd.y4m', '--feature', 'ssim', '--html', 'page.html', '--heatmap', 'html', '-o', 'page.json')
    text, maps = open('page.html').read(), maps_of('page.html')
    check('maps of all metrics of all frames', len(maps) == FRAMES * 9 == len(re.findall('<img class=map', text)), len(maps))
    check('a switch for each metric', len(re.findall('<option value="', text)) == 10)
    for frame, metric, score, png in maps:
        width, rows = read_png(png)
        if metric == 'ssim':
            check('a map of the page has no legend', (width, len(rows)) == (W, H), width, len(rows))
            found = box(rows, (0, 0, 0))
            check(f'the map of frame {frame} on the page', found == ((16 * frame - 4, 16 * frame + 12, 16, 32) if frame else None),
                  found)
            check('the score of an equal frame', (score == '1.00') == (frame == 0), frame, score)
    run('r.y4m', 'd.y4m', '--html', 'plain.html')
    check('a page without maps has no switch', 'id=map' not in open('plain.html').read().split('<script')[0])


def check_refusals():
    both = 'r.y4m', 'd.y4m'
    run(*both, '--heatmap', 'html', code=USAGE, says='add --html PATH')
    run(*both, '--heatmap_frames', 'all', code=USAGE, says='--heatmap DIR')
    run(*both, '--heatmap', 'x', '--heatmap', 'y', code=USAGE, says='x and y')
    for frames in ('', '3-1', '1,', '-1', '1-', 'best', '5000000000'):
        run(*both, '--heatmap', 'x', '--heatmap_frames', frames, code=USAGE, says='worst, all, or')
    run(*both, '--heatmap', 'x', '--heatmap_frames', '2,9', code=FAIL, says='no frame 9')
    for frames in ('1', '1-2', '0,2'):
        run(*both, '--heatmap', 'x', '--subsample', '3', '--heatmap_frames', frames, code=FAIL, says='scores the frames 0, 3, 6 and so on')
    run(*both, '--heatmap', 'x/y/z', code=FAIL, says='cannot make the folder x/y/z')
    run(*both, '--heatmap', 'r.y4m', code=FAIL, says='cannot make the folder r.y4m')
    run(*both, '--heatmap', 'x', '-n', '--feature', 'motion', code=FAIL, says='has a map')
    files.y4m('big.y4m', files.clip('noise', '320', '240', '420', '8', '1')[0], 'W320 H240 F30:1 C420jpeg',
              320 * 240 * 3 // 2)
    scaled = 'big.y4m', 'big.y4m', '-n', '--heatmap', 'x', '--feature', 'cambi=enc_width=300:enc_height=220'
    run(*scaled, code=FAIL, says='cambi has no map with these options')
    run(*scaled, '--feature', 'ssim', says='cambi has no map with these options')
    run(*both, '--heatmap', 'x', '--shard', '0/2', '-o', 'part.json', code=USAGE, says='leave out --shard')
    open('pairs.tsv', 'w').write('r.y4m\td.y4m\n')
    run('--pairs', 'pairs.tsv', '--heatmap', 'x', code=USAGE, says='leave out --heatmap')
    run('--report', 'page.json', '--html', 'again.html', '--heatmap', 'html', code=USAGE, says='leave out --report')
    os.mkfifo('pipe')
    with subprocess.Popen(['sh', '-c', 'cat r.y4m > pipe'], stderr=subprocess.DEVNULL) as writer:
        run('pipe', 'd.y4m', '--heatmap', 'x', code=FAIL, says='use a file')
        writer.wait(60)


make_clips()
check_files()
check_page()
check_refusals()
print(f'{len(problems)} problems')
sys.exit(bool(problems))
