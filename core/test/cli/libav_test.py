#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests real encodes, scored directly and as Y4M files that ffmpeg decodes: the frames are the same, and the scores
are the same to the last bit.

usage: libav_test.py VMAF SYNTHCLIP WORKDIR

Then tests messages about videos that differ and about broken files. Skips encoders that this ffmpeg lacks, with a
message.
"""
import array
import json
import os
import shutil
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
SKIPPED, FAIL = 77, 255
if not shutil.which('ffmpeg'):
    print('skipped: there is no ffmpeg')
    sys.exit(SKIPPED)
WIDTH, HEIGHT, FRAMES = 176, 144, 12
EXACT = 'accurate_rnd+full_chroma_int+bitexact'

files = inputs.Inputs(synthclip, work)
os.chdir(work)
problems = []
encoders = subprocess.run(['ffmpeg', '-hide_banner', '-encoders'], capture_output=True, text=True).stdout.split()


def ffmpeg(*args):
    subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', *args], check=True, stderr=subprocess.DEVNULL)


def decode(name, to, *args):
    ffmpeg('-i', name, '-vsync', '0', *args, '-strict', '-1', '-f', 'yuv4mpegpipe', to)


def score(ref, dist, *args):
    """Returns the exit status, the frames' metrics or None, and the messages."""
    if os.path.exists('out.json'):
        os.remove('out.json')
    run = subprocess.run([vmaf, '-r', ref, '-d', dist, '-q', '--feature', 'psnr', '-o', 'out.json', '--json', '--precision',
                          'max', '--threads', '1', *args], capture_output=True, text=True, timeout=300,
                         stdin=subprocess.DEVNULL)
    metrics = None
    if os.path.exists('out.json'):
        metrics = [frame['metrics'] for frame in json.load(open('out.json'))['frames']]
    return run.returncode, metrics, run.stderr


def check(what, good, more=''):
    if not good:
        problems.append(what)
        print(f'{what}\n  {more}')


def same(what, direct, decoded, frames=None, status=0):
    check(what + ': other scores than of a decode to Y4M', direct[1] and direct[1] == decoded[1],
          f'{direct[1] and len(direct[1])} and {decoded[1] and len(decoded[1])} frames; said: {direct[2]}{decoded[2]}')
    check(f'{what}: exit status {direct[0]}', direct[0] == status, direct[2])
    if frames:
        check(f'{what}: {direct[1] and len(direct[1])} frames', direct[1] and len(direct[1]) == frames)


def says(what, text, *args, status=0):
    run = score(*args)
    check(f'{what}: exit status {run[0]}', run[0] == status, run[2])
    check(f'{what}: does not say "{text}"', text in run[2], run[2])
    return run


# ---- the clips ----
plain = files.clip('mix', str(WIDTH), str(HEIGHT), '420', '8', str(FRAMES))[0]
HEADER = f'W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C420jpeg'
files.y4m('ref.y4m', plain, HEADER, WIDTH * HEIGHT * 3 // 2)
odd = files.clip('noise', '97', '61', '420', '8', str(FRAMES))[0]
files.y4m('odd.y4m', odd, 'W97 H61 F25:1 Ip A1:1 C420jpeg', 97 * 61 + 2 * 49 * 31)
files.y4m('ref444.y4m', files.clip('mix', str(WIDTH), str(HEIGHT), '444', '8', str(FRAMES))[0],
          f'W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C444', WIDTH * HEIGHT * 3)
ffmpeg('-i', 'ref.y4m', '-pix_fmt', 'yuv420p10le', '-strict', '-1', 'ref10.y4m')
ffmpeg('-i', 'ref.y4m', '-pix_fmt', 'yuv422p10le', '-strict', '-1', 'ref42210.y4m')

# ---- encodes: name, source, the Y4M file to score against, encoder options ----
HDR = 'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:hdr10=1:log-level=none'
ENCODES = [
    ('x264.mp4', 'ref.y4m', 'ref.y4m', 'libx264 -crf 33 -bf 3'),
    ('x264.ts', 'ref.y4m', 'ref.y4m', 'libx264 -crf 33'),
    ('x264.h264', 'ref.y4m', 'ref.y4m', 'libx264 -crf 33'),
    ('x265.mkv', 'ref.y4m', 'ref.y4m', 'libx265 -crf 33 -x265-params log-level=none'),
    ('hdr10.mp4', 'ref.y4m', 'ref10.y4m', f'libx265 -crf 33 -pix_fmt yuv420p10le -x265-params {HDR}'),
    ('av1.mp4', 'ref.y4m', 'ref.y4m', 'libsvtav1 -crf 50 -preset 12'),
    ('vp9.webm', 'ref.y4m', 'ref.y4m', 'libvpx-vp9 -b:v 100k -deadline realtime -cpu-used 8'),
    ('prores.mov', 'ref.y4m', 'ref42210.y4m', 'prores_ks -profile:v 0'),
    ('mjpeg.avi', 'ref.y4m', 'ref.y4m', 'mjpeg -q:v 9'),
    ('odd.mkv', 'odd.y4m', 'odd.y4m', 'ffv1'),
    ('odd_vp9.webm', 'odd.y4m', 'odd.y4m', 'libvpx-vp9 -b:v 100k -deadline realtime -cpu-used 8'),
    ('interlaced.mpg', 'ref.y4m', 'ref.y4m', 'mpeg2video -b:v 300k -flags +ildct+ilme -top 1'),
    ('v210.mov', 'ref.y4m', 'ref42210.y4m', 'v210'),
    ('packed.nut', 'ref.y4m', 'ref.y4m', 'rawvideo -pix_fmt nv12'),
]
for name, source, ref, encoder in ENCODES:
    codec, *options = encoder.split()
    if codec not in encoders:
        print(f'{name} left out: this ffmpeg has no {codec}')
        continue
    ffmpeg('-i', source, '-c:v', codec, *options, '-threads', '2', name)
    decode(name, 'decoded.y4m', *(['-pix_fmt', 'yuv420p'] if name == 'packed.nut' else []))
    data = open('decoded.y4m', 'rb').read()
    line, rest = data.split(b'\n', 1)
    files.put('decoded.y4m', line.replace(b' It ', b' Ip ') + b'\n' + rest)  # which is an error for Y4M files
    same(name, score(source, name), score(ref, 'decoded.y4m'), FRAMES)

# ---- deinterlacing ----
def one_field(plane, width, depth, first):
    """Interpolates the lines of the second field of a plane, as docs/usage.md defines it."""
    rows = [list(plane[i:i + width]) for i in range(0, len(plane), width)]
    last = first + (len(rows) - 1 - first) // 2 * 2
    for y in range(1 - first, len(rows), 2):
        a, b, c, d = (rows[min(max(y + step, first), last)] for step in (-1, 1, -3, 3))
        rows[y] = [min(max((9 * (i + j) - (k + m) + 8) >> 4, 0), (1 << depth) - 1) for i, j, k, m in zip(a, b, c, d)]
    return [sample for row in rows for sample in row]


def check_deinterlacing(name, depth, first, *args):
    ffmpeg('-i', 'ref.y4m', *args, name)
    decode(name, 'woven.y4m', '-pix_fmt', 'yuv420p' if depth == 8 else 'yuv420p10le', '-frames:v', '3')
    header, *frames = open('woven.y4m', 'rb').read().split(b'FRAME\n')
    code = 'B' if depth == 8 else 'H'
    for i, frame in enumerate(frames):
        samples, chroma = list(memoryview(frame).cast(code)), WIDTH * HEIGHT // 4
        planes = (samples[:4 * chroma], WIDTH), (samples[4 * chroma:5 * chroma], WIDTH // 2), (samples[5 * chroma:], WIDTH // 2)
        frames[i] = array.array(code, [x for plane, width in planes for x in one_field(plane, width, depth, first)]).tobytes()
    for letter in b'tbm':
        header = header.replace(b' I%c ' % letter, b' Ip ')
    files.put('field.y4m', b'FRAME\n'.join([header, *frames]))
    got = score('ref.y4m', name, '--deinterlace', '--frame_cnt', '3')
    same(f'{name}, deinterlaced', got, score('ref.y4m', 'field.y4m', '--frame_cnt', '3', *(['--scale', 'bicubic'] if depth > 8 else [])), 3)
    check(f'{name}: the line', 'deinterlaced from frame 0 on' in got[2] and 'woven' not in got[2], got[2])
    check(f'{name}: woven frames have the same scores', got[1] != score('ref.y4m', name, '--frame_cnt', '3')[1])


check_deinterlacing('top.mpg', 8, 0, '-c:v', 'mpeg2video', '-b:v', '300k', '-flags', '+ildct+ilme', '-top', '1')
check_deinterlacing('bottom.mkv', 8, 1, '-vf', 'setfield=bff', '-c:v', 'ffv1', '-level', '3')
check_deinterlacing('deep.mkv', 10, 1, '-vf', 'setfield=bff', '-c:v', 'ffv1', '-level', '3', '-pix_fmt', 'yuv420p10le')
ffmpeg('-stream_loop', '5', '-i', 'ref.y4m', '-c:v', 'mpeg2video', '-b:v', '300k', '-g', '12', '-flags', '+ildct+ilme+cgop', '-sc_threshold', '1000000000',
       '-top', '1', 'sections.ts')
alone, together = (score('sections.ts', 'top.mpg', '--offset', '0', '--sync', 'index', '--deinterlace', '--decoders', n)[1] for n in '14')
check('deinterlaced by several decoders', alone and alone == together)
check('progressive frames stay', score('ref.y4m', 'x264.mp4', '--deinterlace')[1] == score('ref.y4m', 'x264.mp4')[1])

# ---- film grain, which decoders of AV1 add ----
if 'libsvtav1' in encoders:
    ffmpeg('-i', 'ref.y4m', '-c:v', 'libsvtav1', '-crf', '50', '-preset', '10', '-svtav1-params', 'film-grain=40', 'grain.mkv')
    scores = {}
    for how, words in (('on', []), ('off', ['-export_side_data', 'film_grain'])):
        ffmpeg(*words, '-i', 'grain.mkv', '-vsync', '0', 'decoded.y4m')
        scores[how] = score('ref.y4m', 'grain.mkv', '--film_grain', how)
        same(f'film grain {how}', scores[how], score('ref.y4m', 'decoded.y4m'), FRAMES)
    check('film grain changes nothing', scores['on'][1] != scores['off'][1])
    check('film grain is not told', 'grain.mkv: its decoder adds film grain' in scores['on'][2], scores['on'][2])
    check('film grain that is left out is not told', 'decoded without its film grain' in scores['off'][2], scores['off'][2])
    for how, field in (('on', 'warnings'), ('off', 'filters')):
        subprocess.run([vmaf, 'ref.y4m', 'grain.mkv', '--film_grain', how, '-q', '-o', 'grain.json'], check=True, stderr=subprocess.DEVNULL)
        told = json.load(open('grain.json'))['vmaf_turbo']['inputs']['distorted'].get(field, '')
        check(f'film grain {how} is not in the report', 'film grain' in told, told)
    says('film grain of other videos', '', 'ref.y4m', 'odd.mkv', '--film_grain', 'off', '--scale', 'stretch')

# ---- other files with the same frames ----
def from_stdin(name, opened):
    run = subprocess.run([vmaf, '-r', 'ref.y4m', '-d', '-', '-q', '--feature', 'psnr', '-o', 'stdin.json', '--json', '--precision',
                          'max'], stdin=opened, capture_output=True, text=True, timeout=300)
    metrics = json.load(open('stdin.json')) if run.returncode == 0 else {'frames': []}
    same(name, (run.returncode, [frame['metrics'] for frame in metrics['frames']], run.stderr), score('ref.y4m', movie), FRAMES)


movie = 'x264.mp4' if os.path.exists('x264.mp4') else 'packed.nut'
from_stdin('a file as standard input', open(movie, 'rb'))
ffmpeg('-i', movie, '-c', 'copy', 'x264.mkv')
from_stdin('a pipe', subprocess.Popen(['cat', 'x264.mkv'], stdout=subprocess.PIPE).stdout)

# ---- decoding on devices: gives the same frames, or an error that names the device ----
if movie == 'x264.mp4':
    for device in ('cuda', 'vaapi', 'vulkan'):
        run = score('ref.y4m', movie, '--hwaccel', device)
        if run[0] == FAIL:
            check(f'--hwaccel {device}: no reason', f'--hwaccel {device}: ' in run[2], run[2])
        else:
            same(f'--hwaccel {device}', run, score('ref.y4m', movie), FRAMES)
            check(f'--hwaccel {device}: not said', f'decoded with {device}' in run[2], run[2])
    same('--hwaccel auto', says('--hwaccel auto', 'x264.mp4: decoded ', 'ref.y4m', movie, '--hwaccel', 'auto'),
         score('ref.y4m', movie), FRAMES)

# ---- pictures ----
ffmpeg('-i', 'ref.y4m', '-start_number', '40', 'picture%03d.png')
ffmpeg('-start_number', '40', '-i', 'picture%03d.png', '-pix_fmt', 'yuv444p', '-sws_flags', f'bicubic+{EXACT}+full_chroma_inp',
       'pictures.y4m')
pictures = score('ref444.y4m', 'picture%03d.png')
same('pictures', pictures, score('ref444.y4m', 'pictures.y4m'), FRAMES)
same('pictures by a glob', score('ref444.y4m', 'picture*.png'), pictures, FRAMES)

# ---- times ----
ffmpeg('-i', 'ref.y4m', '-vf', 'select=not(eq(mod(n\\,4)\\,1))', '-vsync', '0', '-c:v', 'ffv1', 'vfr.mkv')
decode('vfr.mkv', 'decoded.y4m')
ffmpeg('-i', 'ref.y4m', '-vf', 'select=not(eq(mod(n\\,4)\\,1))', '-vsync', '0', 'vfr_ref.y4m')
same('a variable rate, by number', score('vfr_ref.y4m', 'vfr.mkv', '--sync', 'index'), score('vfr_ref.y4m', 'decoded.y4m'))

# ---- videos that differ ----
for method in ('bicubic', 'lanczos', 'area'):
    ffmpeg('-i', 'ref.y4m', '-vf', 'scale=110:90', '-c:v', 'ffv1', 'small.mkv')
    decode('small.mkv', 'scaled.y4m', '-vf', f'scale={WIDTH}:{HEIGHT}:flags={method}+{EXACT}')
    same(f'{method} scaling', score('ref.y4m', 'small.mkv', '--scale', method), score('ref.y4m', 'scaled.y4m'), FRAMES)
decode('small.mkv', 'small.y4m')
decode('small.mkv', 'scaled.y4m', '-vf', f'scale={WIDTH}:{HEIGHT}:flags=bicubic+{EXACT}')
same('a scaled Y4M file', score('ref.y4m', 'small.y4m', '--scale', 'bicubic'), score('ref.y4m', 'scaled.y4m'), FRAMES)
says('scaling', 'small.mkv: scaled from 110x90 to 176x144 (bicubic)', 'ref.y4m', 'small.mkv')
says('--scale none', '--scale none forbids', 'ref.y4m', 'small.mkv', '--scale', 'none', status=FAIL)
says('two Y4M files of different sizes', 'dimensions do not match', 'ref.y4m', 'small.y4m', status=FAIL)
says('--scale model', 'scaled from 176x144 to 1320x1080', 'ref.y4m', 'ref.y4m', '--scale', 'model', '--frame_cnt', '1')
ffmpeg('-i', 'ref.y4m', '-pix_fmt', 'yuv420p10le', '-c:v', 'ffv1', 'deep.mkv')
same('8 against 10 bits', score('ref.y4m', 'deep.mkv'), score('ref10.y4m', 'ref10.y4m'), FRAMES)
same('decoded 8 against 10 bits', score('ref10.y4m', 'packed.nut'), score('ref10.y4m', 'ref10.y4m'), FRAMES)
says('8 against 10 bits', 'ref.y4m: widened from 8 to 10 bits', 'ref.y4m', 'deep.mkv')
ffmpeg('-i', 'ref.y4m', '-pix_fmt', 'gray', '-c:v', 'ffv1', 'grey.mkv')
says('grey against colours', 'grey.mkv: chroma brought from 4:0:0 to 4:2:0', 'ref.y4m', 'grey.mkv')
if os.path.exists('mjpeg.avi'):
    says('full range', 'samples have full range', 'ref.y4m', 'mjpeg.avi')
    decode('mjpeg.avi', 'full.y4m')
    luma = bytes((v * 2 * 219 + 255) // 510 + 16 for v in range(256))
    chroma = bytes(((v - 128) * 2 * 224 + 255) // 510 + 128 for v in range(256))
    limited, full = b'', open('full.y4m', 'rb').read().split(b'\n', 1)[1]
    for start in range(6, len(full), 6 + WIDTH * HEIGHT * 3 // 2):  # after each FRAME
        split = start + WIDTH * HEIGHT
        limited += full[start:split].translate(luma) + full[split:split + WIDTH * HEIGHT // 2].translate(chroma)
    files.y4m('limited.y4m', limited, HEADER, WIDTH * HEIGHT * 3 // 2)
    same('--range match', score('ref.y4m', 'mjpeg.avi', '--range', 'match'), score('ref.y4m', 'limited.y4m'), FRAMES)
if os.path.exists('hdr10.mp4'):
    says('HDR', 'HDR (smpte2084) under a model of SDR', 'ref.y4m', 'hdr10.mp4')
if os.path.exists('interlaced.mpg'):
    says('interlaced video', 'interlaced, from frame 0 on', 'ref.y4m', 'interlaced.mpg')
for angle in ('90', '180', '270') if movie == 'x264.mp4' else ():
    ffmpeg('-i', movie, '-c', 'copy', '-metadata:s:v', f'rotate={angle}', 'turned.mp4')
    decode('turned.mp4', 'decoded.y4m')
    same(f'turned by {angle}', score('turned.mp4', 'turned.mp4'), score('decoded.y4m', 'decoded.y4m'), FRAMES)
ffmpeg('-i', 'ref.y4m', '-pix_fmt', 'yuva420p', '-c:v', 'ffv1', 'alpha.mkv')
says('an alpha channel', 'has an alpha channel', 'ref.y4m', 'alpha.mkv')

# ---- broken files ----
RAW = ('-w', str(WIDTH), '-h', str(HEIGHT), '-p', '420', '-b', '8')
files.put('raw.yuv', plain)
for name in (n for n in ('x264.mp4', 'x265.mkv', 'x264.ts', 'x264.h264', 'mjpeg.avi', 'picture040.png', 'interlaced.mpg')
             if os.path.exists(n)):
    says(f'{name} as raw video', 'leave -w, -h, -p and -b out', 'raw.yuv', name, *RAW, status=FAIL)
files.put('zero.mp4', b'')
says('an empty file', 'the file is empty', 'ref.y4m', 'zero.mp4', status=FAIL)
ffmpeg('-f', 'lavfi', '-i', 'sine=d=1', '-c:a', 'aac', 'audio.m4a')
says('sound', 'no video stream (only audio: aac)', 'ref.y4m', 'audio.m4a', status=FAIL)
files.put('text.txt', b'It was a dark and stormy night.\n' * 100)
says('text', 'raw video needs', 'ref.y4m', 'text.txt', status=FAIL)
says('no pictures', 'nothing%03d.png', 'ref.y4m', 'nothing%03d.png', status=FAIL)
if movie == 'x264.mp4':
    ffmpeg('-i', movie, '-c', 'copy', '-movflags', '+faststart', 'whole.mp4')
    whole = open('whole.mp4', 'rb').read()
    files.put('cut.mp4', whole[:len(whole) * 3 // 4])
    subprocess.run(['ffmpeg', '-v', 'quiet', '-nostdin', '-y', '-i', 'cut.mp4', '-vsync', '0', 'decoded.y4m'], check=False)
    cut = says('a cut file', 'is cut off', 'ref.y4m', 'cut.mp4', '--sync', 'index', status=FAIL)
    same('a cut file', cut, score('ref.y4m', 'decoded.y4m'), status=FAIL)
    late = open(movie, 'rb').read()
    files.put('late.mp4', late[:len(late) * 3 // 4])
    says('a file without its end', 'cut off or was never finished', 'ref.y4m', 'late.mp4', status=FAIL)
    key = '76a6c65c5ea762046bd749a2e632ccbb'
    ffmpeg('-i', movie, '-c', 'copy', '-encryption_scheme', 'cenc-aes-ctr', '-encryption_key', key, '-encryption_kid', key,
           'secret.mp4')
    says('an encrypted file', 'encrypted', 'ref.y4m', 'secret.mp4', status=FAIL)
    files.put('list.ffconcat', b'ffconcat version 1.0\nfile x264.mp4\n')
    same('a list of files', score('ref.y4m', 'list.ffconcat'), score('ref.y4m', movie), FRAMES)
    says('a list of files with --local_only', 'files that it refers to are not opened', 'ref.y4m', 'list.ffconcat', '--local_only', status=FAIL)
    same('--local_only', score('ref.y4m', movie, '--local_only'), score('ref.y4m', movie), FRAMES)
says('an address with --local_only', 'not opened', 'ref.y4m', 'http://127.0.0.1:1/a.mp4', '--local_only', status=FAIL)

print(f'{len(problems)} wrong' if problems else 'all as decoded by ffmpeg')
sys.exit(1 if problems else 0)
