#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests models whose files ask for pictures of certain colours (conversion_target).

usage: colours_test.py VMAF SYNTHCLIP WORKDIR LIBRARY PICTURE_SIZE

The library converts the frames of raw clips, and the converted clips, scored without a target, must give the scores of
the originals with one. Files that carry tags must give the scores of raw clips with options. PICTURE_SIZE is that of a
VmafPicture: 96 or 112.
"""
import ctypes
import json
import os
import shutil
import subprocess
import sys

import inputs

vmaf, synthclip, work, library = (os.path.abspath(p) for p in sys.argv[1:5])
layout = sys.argv[5]
SKIPPED, USAGE, FAIL = 77, 1, 255
WIDTH, HEIGHT, FRAMES = 176, 144, 6
files = inputs.Inputs(synthclip, work)
os.chdir(work)
problems = []
lib = ctypes.CDLL(library)


def check(title, good, *more):
    if not good:
        problems.append(title)
        print(title, *more)


# ---- converting clips with the library ----
class Color(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ('range', 'primaries', 'trc', 'matrix')]


class Picture(ctypes.Structure):
    _fields_ = [('pix_fmt', ctypes.c_int), ('bpc', ctypes.c_uint), ('w', ctypes.c_uint * 3), ('h', ctypes.c_uint * 3),
                ('stride', ctypes.c_ssize_t * 3), ('data', ctypes.c_void_p * 3)] + \
        ([('color', Color)] if layout == '112' else []) + [('ref', ctypes.c_void_p), ('priv', ctypes.c_void_p)]


class Target(ctypes.Structure):
    _fields_ = [('pix_fmt', ctypes.c_int), ('bpc', ctypes.c_uint), ('w', ctypes.c_uint), ('h', ctypes.c_uint),
                ('color', Color), ('filter', ctypes.c_int)]


BT709, FULL709, PQ2020, ICTCP = Color(1, 1, 1, 1), Color(2, 1, 1, 1), Color(1, 2, 2, 2), Color(1, 2, 2, 3)


def convert(data, bits, color, target, target_bits):
    """Converts 4:2:0 frames."""
    size = 2 if bits > 8 else 1
    planes = [(WIDTH, HEIGHT), (WIDTH // 2, HEIGHT // 2), (WIDTH // 2, HEIGHT // 2)]
    context, source, out = ctypes.c_void_p(), Picture(), b''
    assert lib.vmaf_picture_alloc(ctypes.byref(source), 1, bits, WIDTH, HEIGHT) == 0
    err = lib.vmaf_picture_convert_context_init_with_color(
        ctypes.byref(context), ctypes.byref(source), ctypes.byref(color),
        ctypes.byref(Target(1, target_bits, 0, 0, target, 0)))
    if err == -95:
        return None
    assert err == 0
    at = 0
    while at < len(data):
        for p, (w, h) in enumerate(planes):
            for y in range(h):
                ctypes.memmove(source.data[p] + y * source.stride[p], data[at:at + w * size], w * size)
                at += w * size
        made = Picture()
        assert lib.vmaf_picture_convert(context, ctypes.byref(made), ctypes.byref(source)) == 0
        for p, (w, h) in enumerate(planes):
            for y in range(h):
                out += ctypes.string_at(made.data[p] + y * made.stride[p], w * (2 if target_bits > 8 else 1))
        lib.vmaf_picture_unref(ctypes.byref(made))
    lib.vmaf_picture_convert_context_close(context)
    return out


# ---- models ----
def model(name, target, *features):
    body = {'model_type': 'LIBSVMNUSVR', 'norm_type': 'none', 'feature_names': features or ['psnr_y', 'psnr_cb', 'psnr_cr'],
            'model': 'svm_type nu_svr\nkernel_type rbf\ngamma 0.0001\nnr_class 2\ntotal_sv 1\nrho -1\nSV\n50 1:30 \n'}
    if target:
        body['conversion_target'] = target
    with open(name, 'w', encoding='utf-8') as f:
        json.dump({'model_dict': body}, f)
    return ['--model', f'path={name}']


SPACE_709 = {'range': 'limited', 'primaries': 'bt709', 'trc': 'bt709', 'matrix': 'bt709'}
SPACE_ICTCP = {'range': 'limited', 'primaries': 'bt2020', 'trc': 'smpte2084', 'matrix': 'ictcp'}
plain = model('plain.json', None)
to_709 = model('to_709.json', {'colorspace': SPACE_709})
to_ictcp = model('to_ictcp.json', {'colorspace': SPACE_ICTCP, 'bit_depth': 10, 'pixel_format': '420'})


def run(*args, code=0):
    if os.path.exists('out.json'):
        os.remove('out.json')
    done = subprocess.run([vmaf, *args, '-q', '-o', 'out.json', '--precision', 'max'], capture_output=True, text=True,
                          timeout=300, check=False)
    check(f'{" ".join(args)}: exit status {done.returncode}', done.returncode == code, done.stderr)
    report = json.load(open('out.json', encoding='utf-8')) if os.path.exists('out.json') else None
    return report, done.stderr


def frames(report):
    return report and [frame['metrics'] for frame in report['frames']]


def same(title, a, b):
    check(title + ': other scores', frames(a[0]) and frames(a[0]) == frames(b[0]), a[1], b[1])


def raw(ref, dist, bits):
    return ['-r', ref, '-d', dist, '-w', str(WIDTH), '-h', str(HEIGHT), '-p', '420', '-b', str(bits)]


def tags(side, words):
    names = ('range', 'primaries', 'trc', 'matrix')
    return [part for name, word in zip(names, words.split()) for part in (f'--color_{name}{side}', word)]


clip = files.clip('mix', str(WIDTH), str(HEIGHT), '420', '8', str(FRAMES))
deep = files.clip('mix', str(WIDTH), str(HEIGHT), '420', '10', str(FRAMES))
for i, side in enumerate('rd'):
    files.put(f'{side}8.yuv', clip[i])
    files.put(f'{side}10.yuv', deep[i])
    files.y4m(f'{side}8.y4m', clip[i], f'W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C420jpeg', WIDTH * HEIGHT * 3 // 2)

# ---- untagged video is refused ----
EIGHT = raw('r8.yuv', 'd8.yuv', 8)
said = run(*EIGHT, *to_709, code=FAIL)[1]
check('untagged: says what is unknown', 'range, primaries, trc, matrix' in said and '--color_range' in said, said)
run(*EIGHT, *to_709, *tags('_ref', 'limited bt709 bt709 bt709'), code=FAIL)
run(*EIGHT, *to_709, *tags('_dist', 'limited bt709 bt709 bt709'), code=FAIL)
run(*EIGHT, *to_709, *tags('', 'limited bt709 unknown bt709'), code=FAIL)
said = run(*EIGHT, *to_709, '--color_range', 'full', code=USAGE)[1]
check('partly tagged: names the others', '--color_primaries_ref' in said and '--color_trc_ref' in said, said)
said = run('-r', 'r8.y4m', '-d', 'd8.y4m', *to_709, '--color_trc_dist', 'pq', code=FAIL)[1]
check('partly tagged Y4M: names the others', '--color_matrix_dist' in said, said)
for i, side in enumerate('rd'):
    files.y4m(f'{side}_tagged.y4m', clip[i], f'W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED',
              WIDTH * HEIGHT * 3 // 2)
run('-r', 'r_tagged.y4m', '-d', 'd_tagged.y4m', *to_709, *tags('', 'limited bt709 bt709 bt709')[2:])
run(*EIGHT, '--color_range', 'tv', code=USAGE)
run(*EIGHT, '--color_trc', 'hlg', code=USAGE)
run(*EIGHT, *to_709, *to_ictcp[:1], 'path=to_ictcp.json:name=other', *tags('', 'limited bt709 bt709 bt709'), code=FAIL)

# ---- models without a target do not ask ----
same('tags without a target', run(*EIGHT, *plain, *tags('', 'full bt2020 pq ictcp')), run(*EIGHT, *plain))
same('matching tags', run(*EIGHT, *to_709, *tags('', 'limited bt709 bt709 bt709')), run(*EIGHT, *plain))

# ---- conversions ----
converted = {'r8': convert(clip[0], 8, FULL709, BT709, 8)}
if converted['r8'] is None:
    said = run(*EIGHT, *to_709, *tags('', 'full bt709 bt709 bt709'), code=FAIL)[1]
    check('without zimg: says what to install', 'libzimg-dev' in said, said)
    print('without zimg nothing is converted')
    sys.exit(bool(problems) or SKIPPED)
files.put('r709.yuv', converted['r8'])
files.put('d709.yuv', convert(clip[1], 8, FULL709, BT709, 8))
files.put('rictcp.yuv', convert(deep[0], 10, PQ2020, ICTCP, 10))
files.put('dictcp.yuv', convert(deep[1], 10, BT709, ICTCP, 10))
FULL = tags('', 'full bt709 bt709 bt709')
both = run(*EIGHT, *to_709, *FULL)
same('both sides', both, run(*raw('r709.yuv', 'd709.yuv', 8), *plain))
notes = json.dumps(both[0]['vmaf_turbo'])
check('the report tells of the conversion', 'converted to limited bt709 bt709 bt709' in notes, notes)
same('the distorted side', run(*EIGHT, *to_709, *tags('_ref', 'limited bt709 bt709 bt709'),
                               *tags('_dist', 'full bt709 bt709 bt709')),
     run(*raw('r8.yuv', 'd709.yuv', 8), *plain))
TEN = [*raw('r10.yuv', 'd10.yuv', 10), *to_ictcp, *tags('_ref', 'limited bt2020 pq bt2020nc'),
       *tags('_dist', 'limited bt709 bt709 bt709')]
hdr = run(*raw('rictcp.yuv', 'dictcp.yuv', 10), *plain)
same('HDR against SDR', run(*TEN), hdr)
for more in (['--threads', '0'], ['--threads', '3'], ['--cpumask', '-1'], ['--subsample', '2']):
    same('with ' + ' '.join(more), run(*TEN, *more), run(*raw('rictcp.yuv', 'dictcp.yuv', 10), *plain, *more))

# Features of luma see a luma that zimg made of all planes.
LUMA = 'VMAF_integer_feature_vif_scale0_score'
to_luma = model('luma.json', {'colorspace': SPACE_ICTCP}, LUMA)
of_luma = model('plain_luma.json', None, LUMA)
same('features of luma', run(*TEN[:TEN.index('--model')], *to_luma, *TEN[TEN.index('--model') + 2:]),
     run(*raw('rictcp.yuv', 'dictcp.yuv', 10), *of_luma))

said = run(*TEN, '--feature', 'ssimulacra2', code=FAIL)[1]
check('ssimulacra2 has colours of its own', 'separate runs' in said, said)

# ---- parts ----
for i in (0, 1):
    done = subprocess.run([vmaf, *TEN, '-q', '--shard', f'{i}/2', '-o', f'part{i}.json'], capture_output=True, text=True,
                          check=False)
    check(f'part {i}', done.returncode == 0, done.stderr)
done = subprocess.run([vmaf, '--merge', 'part0.json', 'part1.json', '-q', '-o', 'merged.json', '--precision', 'max'],
                      capture_output=True, text=True, check=False)
check('merged parts', done.returncode == 0 and frames(json.load(open('merged.json', encoding='utf-8'))) == frames(hdr[0]),
      done.stderr)
subprocess.run([vmaf, *TEN, *tags('_dist', 'full bt709 bt709 bt709'), '-q', '--shard', '1/2', '-o', 'part3.json'],
               capture_output=True, check=False)
done = subprocess.run([vmaf, '--merge', 'part0.json', 'part3.json', '-q', '-o', 'merged.json'], capture_output=True, text=True,
                      check=False)
check('parts of other colours are refused', done.returncode and 'options' in done.stderr, done.stderr)


# ---- files with tags ----
def has_encoder(name):
    if not shutil.which('ffmpeg'):
        return False
    listed = subprocess.run(['ffmpeg', '-v', 'error', '-encoders'], capture_output=True, text=True, check=False).stdout
    return f' {name} ' in listed


def encode(name, source, bits, *colours):
    form = 'yuv420p10le' if bits > 8 else 'yuv420p'
    subprocess.run(['ffmpeg', '-v', 'error', '-y', '-f', 'rawvideo', '-pix_fmt', form, '-s', f'{WIDTH}x{HEIGHT}', '-r', '25', '-i',
                    source, '-c:v', 'ffv1' if name.endswith('.mkv') else 'libx264', '-qp', '0', *colours, name], check=True)


if has_encoder('ffv1'):
    TAGS = ['-color_range', 'pc', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709']
    encode('r.mkv', 'r8.yuv', 8, *TAGS)
    encode('d.mkv', 'd8.yuv', 8, *TAGS)
    encode('bare.mkv', 'd8.yuv', 8)
    told = run('-r', 'r.mkv', '-d', 'd.mkv', *to_709)
    same('tags of files', told, both)
    check('the report names the source', 'as the file says' in json.dumps(told[0]['vmaf_turbo']))
    said = run('-r', 'r.mkv', '-d', 'bare.mkv', *to_709, code=FAIL)[1]
    check('an untagged file is refused', 'distorted' in said, said)
    same('options fill in', run('-r', 'r.mkv', '-d', 'bare.mkv', *to_709, *tags('_dist', 'full bt709 bt709 bt709')), both)
    same('options win', run('-r', 'r.mkv', '-d', 'd.mkv', *to_709, '--color_range_ref', 'limited'),
         run(*raw('r8.yuv', 'd709.yuv', 8), *plain))
    check('no warning about colours', 'compared as they are' not in told[1], told[1])
    HDR = ['-color_range', 'tv', '-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc']
    SDR = ['-color_range', 'tv', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709']
    encode('hdr.mkv', 'r10.yuv', 10, *HDR)
    encode('sdr.mkv', 'd10.yuv', 10, *SDR)
    told = run('-r', 'hdr.mkv', '-d', 'sdr.mkv', *to_ictcp)
    same('tags of HDR', told, hdr)
    check('no warning about HDR', 'HDR' not in told[1], told[1])
else:
    print('files with tags were left out: there is no ffmpeg with ffv1')
sys.exit(bool(problems))
