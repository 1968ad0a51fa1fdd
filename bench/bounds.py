# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Upper bounds: the frames a second that a machine's rates allow for the default model (vif, adm,
motion), whose work on a pixel is known.

The bounds count only work that the metrics' definitions require: the multiplications of vif's
filters, adm's operations, each luma sample carried to the device once, written there once, and read
once by each feature. Start-up, results, and levels of pyramids that leave the caches are not
counted.

usage: bounds.py      prints the bytes a second that one core copies
"""
import ctypes
import re
import time

VIF_MULTIPLY_ADDS = 212  # a pixel, all scales
ADM_OPERATIONS = 110
OPERATIONS = VIF_MULTIPLY_ADDS + ADM_OPERATIONS
# How often planes are moved: the upload writes two, vif and adm read two each; motion reads only
# the reference.
PLANES_MOVED = 2 + 2 + 2 + 1
GPU_LANES = 64  # 32-bit integer multiply-adds a clock on a multiprocessor of NVIDIA's


def sample_bytes(depth):
    return 1 if depth == 8 else 2


def pair_bytes(pixels, depth):
    """Returns the bytes of luma of both pictures."""
    return 2 * pixels * sample_bytes(depth)


def gpu(pixels, depth, rates):
    """Returns frames a second for each bound. Rates a second: `upload` and `memory` in bytes,
    `operations`."""
    costs = {'upload': pair_bytes(pixels, depth), 'memory': PLANES_MOVED * pixels * sample_bytes(depth),
             'operations': OPERATIONS * pixels}
    return {name: rates[name] / cost for name, cost in costs.items() if rates.get(name)}


def cpu(pixels, depth, threads, rates):
    """Returns the bounds of a CPU, whose threads all read the luma of both files from the same
    memory."""
    bounds = {}
    if rates.get('memory'):
        bounds['memory'] = rates['memory'] / pair_bytes(pixels, depth)
    if rates.get('hertz') and rates.get('lanes'):
        bounds['operations'] = threads * rates['hertz'] * rates['lanes'] / (OPERATIONS * pixels)
    return bounds


# ---- a CPU's rates ----

def cpu_information():
    try:
        with open('/proc/cpuinfo') as file:
            return file.read()
    except OSError:
        return ''


def nominal_hertz(information):
    rates = [float(m) for m in re.findall(r'cpu MHz\s*:\s*([\d.]+)', information)]
    return max(rates) * 1e6 if rates else None


def vector_lanes(information):
    """Returns 16-bit multiply-adds a clock: two vector instructions of the widest kind, as the best
    cores run."""
    flags = set(re.findall(r'[a-z0-9_]+', ' '.join(re.findall(r'^(?:flags|Features)\s*:(.*)$', information, re.M))))
    for flag, lanes in (('avx512bw', 64), ('avx2', 32), ('sse4_1', 16), ('asimd', 16)):
        if flag in flags:
            return lanes
    return None


def copy_rate(size=64 << 20, times=5):
    """Returns the bytes a second that one core copies: it reads and writes that many."""
    source, target = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)
    best = float('inf')
    for _ in range(times):
        start = time.perf_counter()
        ctypes.memmove(target, source, size)
        best = min(best, time.perf_counter() - start)
    return size / best


if __name__ == '__main__':
    print(copy_rate())
