# SPDX-License-Identifier: BSD-2-Clause-Patent
"""zimg_test.py LIBRARY FIGURES LAYOUT: compares vmaf_picture_convert() with zimg's own figures.

FIGURES holds what zimg 3.0.4 gives with the reference's settings on an x86 CPU with AVX2. Conversions of colours
depend on the version of zimg and on the code that it chooses for the CPU, so other machines skip them; all other
conversions give the same samples everywhere. LAYOUT is the size of a VmafPicture: 96 or 112.
"""
import ctypes
import hashlib
import json
import sys

library, figures, layout = sys.argv[1:]
vmaf = ctypes.CDLL(library)
FORMATS = {420: 1, 422: 2, 444: 3, 400: 4}
# zimg's numbers, by the number of the enums in picture.h less 1
RANGES, PRIMARIES, TRANSFERS, MATRICES, FILTERS = [0, 1], [1, 9, 12], [1, 16], [1, 9, 14], [-1, 1, 2, 5]
ENOTSUP = 95


class Color(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ('range', 'primaries', 'trc', 'matrix')]


class Picture(ctypes.Structure):
    _fields_ = [('pix_fmt', ctypes.c_int), ('bpc', ctypes.c_uint), ('w', ctypes.c_uint * 3), ('h', ctypes.c_uint * 3),
                ('stride', ctypes.c_ssize_t * 3), ('data', ctypes.c_void_p * 3)] + \
        ([('color', Color)] if layout == '112' else []) + [('ref', ctypes.c_void_p), ('priv', ctypes.c_void_p)]


class Target(ctypes.Structure):
    _fields_ = [('pix_fmt', ctypes.c_int), ('bpc', ctypes.c_uint), ('w', ctypes.c_uint), ('h', ctypes.c_uint),
                ('color', Color), ('filter', ctypes.c_int)]


def color(numbers):
    lists = zip((RANGES, PRIMARIES, TRANSFERS, MATRICES), numbers)
    return Color(*(values.index(number) + 1 for values, number in lists))


def source_picture(w, h, pix_fmt, bpc):
    picture = Picture()
    assert vmaf.vmaf_picture_alloc(ctypes.byref(picture), FORMATS[pix_fmt], bpc, w, h) == 0
    size = 2 if bpc > 8 else 1
    for p in range(3):
        if not picture.data[p]:
            continue
        for y in range(picture.h[p]):
            row = b''.join((((37 * x + 59 * y + 101 * p + x * y) % 2**bpc).to_bytes(size, 'little'))
                           for x in range(picture.w[p]))
            ctypes.memmove(picture.data[p] + y * picture.stride[p], row, len(row))
    return picture


def samples(picture):
    size = 2 if picture.bpc > 8 else 1
    return b''.join(ctypes.string_at(picture.data[p] + y * picture.stride[p], picture.w[p] * size)
                    for p in range(3) if picture.data[p] for y in range(picture.h[p]))


def convert(case):
    """Returns the error, or None, and the samples."""
    source, target = case['source'], case['target']
    picture, made, context = source_picture(*source[:4]), Picture(), ctypes.c_void_p()
    aim = Target(FORMATS[target[2]], target[3], target[0], target[1], color(target[4:]), FILTERS.index(case['filter']))
    err = vmaf.vmaf_picture_convert_context_init_with_color(
        ctypes.byref(context), ctypes.byref(picture), ctypes.byref(color(source[4:])), ctypes.byref(aim))
    if err:
        assert not context.value
        return err, b''
    for _ in range(2):  # a context serves any number of pictures
        made = Picture()
        assert vmaf.vmaf_picture_convert(context, ctypes.byref(made), ctypes.byref(picture)) == 0
    assert vmaf.vmaf_picture_convert_context_close(context) == 0
    return 0, samples(made)


def depends_on_cpu(case):
    return not case.get('portable_C_differs', '0/').startswith('0/')


def has_avx2():
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as cpuinfo:
            return ' avx2 ' in cpuinfo.read()
    except OSError:
        return False


def zimg_version():
    zimg = ctypes.CDLL('libzimg.so.2')
    numbers = [ctypes.c_uint() for _ in range(3)]
    zimg.zimg_get_version_info(*(ctypes.byref(n) for n in numbers))
    return tuple(n.value for n in numbers)


with open(figures, encoding='utf-8') as f:
    cases = json.load(f)['cases']
same_zimg = None
compared = failed = 0
for name, case in cases.items():
    err, data = convert(case)
    if err == -ENOTSUP:
        print('without zimg nothing is converted')
        sys.exit(77)
    if same_zimg is None:
        same_zimg = zimg_version() == (3, 0, 4) and has_avx2()
    if 'error' in case:
        good = err == -22
    elif depends_on_cpu(case) and not same_zimg:
        continue
    else:
        good = hashlib.md5(data).hexdigest() == case['md5']
    compared += 1
    failed += not good
    if not good:
        print(f'{name}: differs')
print(f'{compared} of {len(cases)} conversions compared, {failed} differ; zimg {zimg_version()}, AVX2: {has_avx2()}')
sys.exit(bool(failed or not compared))
