# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Small input files for the tests of the command, good and bad ones, made from generated clips."""
import os
import struct
import subprocess

SIZE = 64
LUMA = SIZE * SIZE
FRAME = LUMA * 3 // 2
HEADER = 'W64 H64 F30:1 Ip A1:1 C420jpeg'


class Inputs:
    """Writes files into a folder."""

    def __init__(self, synthclip, folder):
        self.synthclip, self.folder = synthclip, folder
        os.makedirs(folder, exist_ok=True)

    def clip(self, *spec):
        """Returns the bytes of both files of a generated clip: reference and distorted."""
        paths = [os.path.join(self.folder, name) for name in ('clip_r', 'clip_d')]
        subprocess.check_call([self.synthclip, *spec, *paths])
        data = [open(path, 'rb').read() for path in paths]
        for path in paths:
            os.remove(path)
        return data

    def put(self, name, data):
        with open(os.path.join(self.folder, name), 'wb') as file:
            file.write(data)

    def y4m(self, name, data, header=HEADER, frame=FRAME, magic='YUV4MPEG2', mark='FRAME'):
        chunks = [data[i:i + frame] for i in range(0, len(data), frame)]
        body = b''.join(mark.encode() + b'\n' + chunk for chunk in chunks)
        self.put(name, f'{magic} {header}\n'.encode() + body)


def double(row):
    return bytes(sample for sample in row for _ in (0, 1))


def resample(data, horizontal, tail=b''):
    """Converts 4:2:0 to 4:2:2 or 4:4:4 by repeating chroma samples; `tail` is a plane to add to each frame."""
    out = b''
    for start in range(0, len(data), FRAME):
        out += data[start:start + LUMA]
        for plane in (data[start + LUMA:start + LUMA + LUMA // 4], data[start + LUMA + LUMA // 4:start + FRAME]):
            for y in range(SIZE):
                row = plane[y // 2 * 32:y // 2 * 32 + 32]
                out += double(row) if horizontal else row
        out += tail
    return out


def luma(data, tail=b''):
    return b''.join(data[i:i + LUMA] + tail for i in range(0, len(data), FRAME))


def deepen(data, bits):
    return struct.pack(f'<{len(data)}H', *(sample << bits for sample in data))


def write_all(synthclip, folder):
    to = Inputs(synthclip, folder)
    ref, dist = to.clip('blur', '64', '64', '420', '8', '2')
    odd_ref, odd_dist = to.clip('noise', '97', '61', '420', '8', '5')
    odd_frame = 97 * 61 + 2 * 49 * 31

    for side, data in (('r', ref), ('d', dist)):
        to.put(side + '.yuv', data)
        to.put(side + '1.yuv', data[:FRAME])
        to.put(side + '_cut.yuv', data[:FRAME + 1000])
        to.put(side + '_short.yuv', data[:1000])
        to.y4m(side + '.y4m', data)
        to.y4m(side + '_cut.y4m', data[:-1000])
        to.put(side + '_header.y4m', f'YUV4MPEG2 {HEADER}\n'.encode())
        to.y4m(side + '_no_i.y4m', data, 'W64 H64 F30:1 A1:1 C420jpeg')
        to.y4m(side + '_no_c.y4m', data, 'W64 H64 F30:1 Ip')
        to.y4m(side + '_mpeg2.y4m', data, 'W64 H64 F30:1 Ip C420mpeg2')
        to.y4m(side + '_paldv.y4m', data, 'W64 H64 F30:1 Ip C420paldv')
        to.y4m(side + '_params.y4m', data, mark='FRAME Ip X1')
        to.y4m(side + '_x.y4m', data, HEADER + ' XYSCSS=420JPEG XCOLORRANGE=FULL')
        to.put(side + '422.yuv', resample(data, False))
        to.y4m(side + '422.y4m', resample(data, False), 'W64 H64 F30:1 Ip C422', 2 * LUMA)
        to.put(side + '444.yuv', resample(data, True))
        to.y4m(side + '444.y4m', resample(data, True), 'W64 H64 F30:1 Ip C444', 3 * LUMA)
        to.y4m(side + '444a.y4m', resample(data, True, b'\xff' * LUMA), 'W64 H64 Ip C444alpha', 4 * LUMA)
        to.put(side + '_mono.yuv', luma(data))
        to.y4m(side + '_mono.y4m', luma(data), 'W64 H64 F30:1 Ip Cmono', LUMA)
        to.y4m(side + '411.y4m', luma(data, b'\x80' * 2048), 'W64 H64 F30:1 Ip C411', LUMA + 2048)
        to.put(side + '10.yuv', deepen(data, 2))
        to.y4m(side + '10.y4m', deepen(data, 2), 'W64 H64 F30:1 Ip C420p10', 2 * FRAME)
        to.put(side + '_p010.yuv', deepen(data, 8))
        to.y4m(side + '_p010.y4m', deepen(data[:FRAME], 2) + deepen(data[FRAME:], 8), 'W64 H64 F30:1 Ip C420p10', 2 * FRAME)
        chroma = bytearray(deepen(data, 2))
        chroma[2 * LUMA + 1] |= 4  # the first sample of Cb
        to.y4m(side + '_high_cb.y4m', bytes(chroma), 'W64 H64 F30:1 Ip C420p10', 2 * FRAME)
    for side, data in (('r', odd_ref), ('d', odd_dist)):
        to.put(side + '_odd.yuv', data)
        to.y4m(side + '_odd.y4m', data[:2 * odd_frame], 'W97 H61 F30:1 Ip C420jpeg', odd_frame)

    big = to.clip('mix', '256', '240', '420', '8', '2')
    for side, data in zip('rd', big):
        to.y4m(f'big_{side}8.y4m', data, 'W256 H240 F30:1 Ip C420jpeg', 256 * 240 * 3 // 2)
        to.y4m(f'big_{side}10.y4m', deepen(data, 2), 'W256 H240 F30:1 Ip C420p10', 256 * 240 * 3)
        to.y4m(f'big_{side}_p010.y4m', deepen(data, 8), 'W256 H240 F30:1 Ip C420p10', 256 * 240 * 3)
        to.y4m(f'big_{side}16.y4m', deepen(data, 8), 'W256 H240 F30:1 Ip C420p16', 256 * 240 * 3)

    to.put('empty', b'')
    to.put('noise.y4m', b'this is no video' + bytes(5000) + b'\n')
    to.put('endless.y4m', b'YUV4MPEG2 W64 H64 X' + b'a' * 6000)
    to.y4m('version1.y4m', ref, magic='YUV4MPEG1')
    to.y4m('interlaced.y4m', ref, 'W64 H64 F30:1 It A1:1 C420jpeg')
    to.y4m('no_f.y4m', ref, 'W64 H64 Ip A1:1 C420jpeg')
    to.y4m('bad_f.y4m', ref, 'W64 H64 F30 Ip C420jpeg')
    to.y4m('no_w.y4m', ref, 'H64 F30:1 Ip C420jpeg')
    to.y4m('no_h.y4m', ref, 'W64 F30:1 Ip C420jpeg')
    to.y4m('bad_w.y4m', ref, 'W64x H64 F30:1 Ip C420jpeg')
    to.y4m('huge_w.y4m', ref, 'W99999999999999999999 H64 F30:1 Ip C420jpeg')
    to.y4m('large_w.y4m', ref, 'W99999999 H64 F30:1 Ip C420jpeg')
    to.y4m('zero_w.y4m', ref, 'W0 H64 F30:1 Ip C420jpeg')
    to.y4m('c440.y4m', ref, 'W64 H64 F30:1 Ip C440')
    to.y4m('c420p16.y4m', ref, 'W64 H64 F30:1 Ip C420p16')
    to.y4m('c_long.y4m', ref, 'W64 H64 F30:1 Ip C420jpegjpegjpegjpeg')
    to.y4m('long_header.y4m', ref, HEADER + ' X' + 'a' * 300)
    to.y4m('long_mark.y4m', ref, mark='FRAME X' + 'a' * 100)
    to.y4m('endless_mark.y4m', ref, mark='FRAME X' + 'a' * 5000)
    to.y4m('bad_mark.y4m', ref, mark='FRAM')
    to.y4m('62x60.y4m', dist[:2 * 5580], 'W62 H60 F30:1 Ip C420jpeg', 5580)
    to.y4m('32x32.y4m', dist[:2 * 1536], 'W32 H32 F30:1 Ip C420jpeg', 1536)
    to.put('other.json', b'{"foo": 1}')
    to.put('garbage.json', b'hello')
    to.put('model.pkl', b'(dp0')
    to.put('1x6.yuv', bytes(range(24)))  # a chroma column that pictures do not have
    to.put('6x1.yuv', bytes(range(24)))
    for side in (2, 8, 16):
        to.put(f'{side}x{side}.yuv', b'\x40' * (side * side * 3))
