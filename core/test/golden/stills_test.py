#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Test that the command takes RGB stills into ssimulacra2 as they are: scores of PNG pairs equal those of the executable
specification to the last bit, however the samples are stored, with stills of other kinds beside them.

usage: stills_test.py VMAF SYNTHCLIP FIGURES [ARG...]      arguments for the command

Exits with 77 (skipped) if the command was built without FFmpeg's libraries.
"""
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

vmaf, synthclip, figures = (os.path.abspath(path) for path in sys.argv[1:4])
more = sys.argv[4:]


def chunk(kind, body):
    return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))


def png(path, w, h, bits, pixels, colour=2, extra=b''):
    """Write a picture whose rows of big-endian samples follow each other in `pixels`."""
    pitch = len(pixels) // h
    rows = b''.join(b'\0' + pixels[y * pitch:(y + 1) * pitch] for y in range(h))
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, bits, colour, 0, 0, 0)) + extra +
                   chunk(b'IDAT', zlib.compress(rows, 1)) + chunk(b'IEND', b''))


def interleaved(planes, bits):
    """Return R, G, B, R, … of three planes of little-endian samples, as big-endian ones."""
    size = bits // 8
    out = bytearray(3 * len(planes[0]))
    for c, plane in enumerate(planes):
        for byte in range(size):
            out[c * size + byte::3 * size] = plane[size - 1 - byte::size]
    return bytes(out)


def pair(folder, kind, w, h, bits):
    """Make the planes R, G, B of both pictures."""
    files = [f'{folder}/{side}.yuv' for side in ('ref', 'dist')]
    subprocess.check_call([synthclip, kind, str(w), str(h), '444', str(bits), '1', *files])
    count = w * h * bits // 8
    pictures = [open(file, 'rb').read() for file in files]
    return [[data[c * count:(c + 1) * count] for c in range(3)] for data in pictures]


def run(folder, files, *words):
    return subprocess.run([vmaf, *files, '--no_prediction', '--json', '-o', folder + '/report.json', '--precision', 'max', '--quiet',
                           *(words or ['--feature', 'ssimulacra2']), *more], capture_output=True, text=True)


def score(folder, files, *words):
    done = run(folder, files, *words)
    if done.returncode:
        sys.exit(f'{files}: {done.stderr}')
    with open(folder + '/report.json') as file:
        metrics = json.load(file)['frames'][0]['metrics']
    return metrics['ssimulacra2']


def expect(what, got, want):
    if got != want:
        sys.exit(f'{what}: {got}, not {want}')


def check_pairs(folder):
    """Scores of PNG pairs are those of the specification."""
    pairs = 0
    for line in open(figures):
        kind, w, h, bits, *rest = line.split()
        w, h, bits = int(w), int(h), int(bits)
        files = [f'{folder}/{side}.png' for side in ('ref', 'dist')]
        for file, digest, planes in zip(files, rest, pair(folder, kind, w, h, bits)):
            data = interleaved(planes, bits)
            expect('the picture', hashlib.sha256(data).hexdigest()[:16], digest)
            png(file, w, h, bits, data)
        expect(line.strip(), score(folder, files), float(rest[2]))
        pairs += 1
    expect('pairs', pairs > 10, True)


def check_kinds(folder):
    """The same colours give the same score with alpha, with 16 bits in one picture, from a palette and in grey."""
    w, h = 40, 24
    (ref, dist), files = pair(folder, 'mix', w, h, 8), [f'{folder}/{name}.png' for name in 'ab']
    for file, planes in zip(files, (ref, dist)):
        png(file, w, h, 8, interleaved(planes, 8))
    want = score(folder, files)
    opaque = f'{folder}/alpha.png'
    png(opaque, w, h, 8, b''.join(bytes(pixel) + b'\xff' for pixel in zip(*dist)), 6)
    expect('alpha', score(folder, [files[0], opaque]), want)
    expect('two stills', score(folder, [files[0], files[1]], '--feature', 'ssimulacra2', '--feature', 'ssimulacra2=prune=true'), want)

    few = [bytes(value & 0xc0 for value in plane) for plane in dist]
    colours = sorted(set(zip(*few)))
    png(files[1], w, h, 8, interleaved(few, 8))
    indexed = f'{folder}/palette.png'
    png(indexed, w, h, 8, bytes(colours.index(pixel) for pixel in zip(*few)), 3, chunk(b'PLTE', b''.join(map(bytes, colours))))
    expect('palette', score(folder, [files[0], indexed]), score(folder, files))

    grey = [f'{folder}/{name}.png' for name in ('grey_a', 'grey_b')]
    for file, planes in zip(grey, (ref, dist)):
        png(file, w, h, 8, planes[0], 0)
    for file, planes in zip(files, (ref, dist)):
        png(file, w, h, 8, interleaved([planes[0]] * 3, 8))
    expect('grey', score(folder, grey), score(folder, files))

    # FFmpeg 7.1 gives grey PNGs the matrix of RGB; a Matroska file says so with any FFmpeg.
    if shutil.which('ffmpeg'):
        tagged = [file.replace('.png', '.mkv') for file in grey]
        for file, made in zip(grey, tagged):
            subprocess.check_call(['ffmpeg', '-v', 'error', '-i', file, '-colorspace', 'rgb', '-color_range', 'pc', '-c:v', 'ffv1', made])
        expect('grey with the matrix of RGB', score(folder, tagged), score(folder, grey))

    deep = f'{folder}/deep.png'
    wide = [b''.join(bytes((value, value)) for value in plane) for plane in ref]
    png(files[0], w, h, 8, interleaved(ref, 8))
    png(deep, w, h, 16, interleaved(wide, 16))
    got = score(folder, [files[0], deep])  # v / 255 and 257 v / 65535 may be rounded differently
    expect('8 bits beside 16', got if got < 99.99 else 'near 100', 'near 100')


def main():
    with tempfile.TemporaryDirectory() as folder:
        png(folder + '/small.png', 16, 16, 8, bytes(3 * 256))
        if 'FFmpeg' in run(folder, [folder + '/small.png'] * 2).stderr:
            sys.exit(77)
        check_pairs(folder)
        check_kinds(folder)


main()
