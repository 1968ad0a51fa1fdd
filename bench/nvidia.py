#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Prints the rates of an NVIDIA device, using CUDA's driver API. The rates of copies are measured;
that of arithmetic follows from the properties that the device reports.

usage: nvidia.py [DEVICE]      prints JSON: name, upload and memory in bytes a second, operations a second
"""
import ctypes
import json
import sys
import time

from bounds import GPU_LANES

CLOCK_RATE, MULTIPROCESSORS = 13, 16  # CUdevice_attribute
SIZE = 64 << 20
TIMES = 8


class Driver:
    def __init__(self, path='libcuda.so.1'):
        self.library = ctypes.CDLL(path)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            sys.exit(f'{name}: error {status} of the CUDA driver')

    def value(self, kind, name, *arguments):
        """Returns what a function stores through its first argument."""
        out = kind()
        self.call(name, ctypes.byref(out), *arguments)
        return out.value


def bytes_a_second(driver, stream, size, copy):
    """Returns the best of several copies; the device is slow during the first ones."""
    best = float('inf')
    for _ in range(TIMES):
        start = time.perf_counter()
        copy()
        driver.call('cuStreamSynchronize', stream)
        best = min(best, time.perf_counter() - start)
    return size / best


def rates(driver, index):
    driver.call('cuInit', 0)
    device = driver.value(ctypes.c_int, 'cuDeviceGet', index)
    name = ctypes.create_string_buffer(256)
    driver.call('cuDeviceGetName', name, len(name), device)
    kilohertz = driver.value(ctypes.c_int, 'cuDeviceGetAttribute', CLOCK_RATE, device)
    multiprocessors = driver.value(ctypes.c_int, 'cuDeviceGetAttribute', MULTIPROCESSORS, device)
    driver.call('cuCtxPushCurrent_v2', ctypes.c_void_p(driver.value(ctypes.c_void_p, 'cuDevicePrimaryCtxRetain', device)))
    stream = ctypes.c_void_p(driver.value(ctypes.c_void_p, 'cuStreamCreate', 1))
    size = ctypes.c_size_t(SIZE)
    pinned = ctypes.c_void_p(driver.value(ctypes.c_void_p, 'cuMemHostAlloc', size, 0))
    there, other = (ctypes.c_uint64(driver.value(ctypes.c_uint64, 'cuMemAlloc_v2', size)) for _ in range(2))
    upload = bytes_a_second(driver, stream, SIZE, lambda: driver.call('cuMemcpyHtoDAsync_v2', there, pinned, size, stream))
    # Each byte is read once and written once.
    memory = bytes_a_second(driver, stream, 2 * SIZE,
                            lambda: driver.call('cuMemcpyDtoDAsync_v2', other, there, size, stream))
    return {'name': name.value.decode(), 'upload': upload, 'memory': memory,
            'operations': kilohertz * 1e3 * multiprocessors * GPU_LANES}


if __name__ == '__main__':
    try:
        driver = Driver()
    except OSError as error:
        sys.exit(f'No CUDA driver: {error}')
    print(json.dumps(rates(driver, int(sys.argv[1]) if len(sys.argv) > 1 else 0)))
