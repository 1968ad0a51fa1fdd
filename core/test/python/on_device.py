# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scores frames in the memory of a device, which the CPU cannot read, as tensors that speak DLPack. Prints the scores as JSON.
python_test.py runs it with a fake of NVIDIA's driver.

usage: on_device.py MODE LAYOUT DEPTH WIDTH HEIGHT REF DIST
  MODE   planes: three tensors; pairs: luma, and Cb and Cr in pairs; whole: one tensor
"""
import ctypes
import json
import sys

import numpy
import vmaf_turbo
from vmaf_turbo import _tensors

CUDA = 2  # kDLCUDA
mode = sys.argv[1]
layout, depth, width, height = map(int, sys.argv[2:6])
cuda = ctypes.CDLL('libcuda.so.1')
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(('PyCapsule_GetPointer', ctypes.pythonapi))
tensors, ended = {}, []  # by the address of what capsules have; once for each capsule that has ended


def must(name, *arguments):
    err = getattr(cuda, name)(*arguments)
    if err:
        sys.exit(f'{name}: {err}')


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def end(capsule):
    ended.append(tensors[pointer_of(capsule, b'dltensor')])


class Tensor:
    """A copy of an array in memory of the device."""
    made = freed = 0

    def __init__(self, array, device=0, step=1):
        Tensor.made += 1
        self.array, self.device, self.address = numpy.ascontiguousarray(array), device, ctypes.c_uint64()
        must('cuMemAlloc_v2', ctypes.byref(self.address), ctypes.c_size_t(self.array.nbytes))
        must('cuMemcpyHtoDAsync_v2', self.address, self.array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.array.nbytes),
             ctypes.c_void_p())
        size, dims = self.array.dtype.itemsize, self.array.ndim
        self.shape = (ctypes.c_int64 * dims)(*self.array.shape)
        self.strides = (ctypes.c_int64 * dims)(*(step * stride // size for stride in self.array.strides))
        # The data begin at an offset, and strides may be left out where they follow from the shape.
        self.managed = _tensors._DLTensor(self.address.value - 8, CUDA, device, dims, {'u': 1, 'i': 0, 'f': 2}[self.array.dtype.kind],
                                          8 * size, 1, self.shape, self.strides if step > 1 or dims == 2 else None, 8)

    def __dlpack_device__(self):
        return CUDA, self.device

    def __dlpack__(self, stream=None):
        assert stream == 1, stream  # the legacy default stream
        address = ctypes.addressof(self.managed)
        tensors[address] = self
        return new_capsule(address, b'dltensor', ctypes.cast(end, ctypes.c_void_p))

    def free(self):
        Tensor.freed += 1
        must('cuMemFree_v2', self.address)


def free_ended():
    while ended:
        ended.pop().free()


def frames(path):
    down = across = 2 if layout == 420 else 1
    chroma = ((height + down - 1) // down, (width + across - 1) // across)
    sizes = [(height, width), chroma, chroma]
    ends = numpy.cumsum([h * w for h, w in sizes])
    # torch's samples of 16 bits have a sign.
    for frame in numpy.fromfile(path, 'u1' if depth == 8 else 'i2').reshape(-1, ends[-1]):
        planes = [part.reshape(size) for part, size in zip(numpy.split(frame, ends[:-1]), sizes)]
        if mode == 'pairs':
            yield Tensor(planes[0]), Tensor(numpy.stack(planes[1:], axis=-1))
        elif mode == 'whole':
            yield Tensor(numpy.stack(planes))
        else:
            yield [Tensor(plane) for plane in planes]


def scored():
    """Each tensor's memory is freed as soon as the library lets it go, and all of it is in the end."""
    with vmaf_turbo.Scorer(backend='cuda', features='psnr', bit_depth=depth if depth > 8 else 0) as scorer:
        for pair in zip(frames(sys.argv[6]), frames(sys.argv[7])):
            scorer.add(*pair)
            del pair
            free_ended()
        result = scorer.result()
    free_ended()
    if result.places['vif']['backend'] != 'cuda' or Tensor.freed != Tensor.made or _tensors._held:
        sys.exit(f'{result.places}: {Tensor.made} tensors, {Tensor.freed} freed; {len(_tensors._held)} held')
    return result


def refused(kind, say, call, *frame):
    try:
        call(*frame)
    except kind as error:
        if say not in str(error):
            sys.exit(f'{say} is missing in: {error}')
    else:
        sys.exit(f'not refused: {say}')


def refusals():
    luma = numpy.zeros((48, 64), 'u1')
    first, second, third = Tensor(luma), Tensor(luma, device=3), Tensor(luma, step=2)
    floats = Tensor(luma.astype('f4'))
    with vmaf_turbo.Scorer(backend='cuda') as scorer:
        refused(TypeError, 'another device than the others', scorer.add, first, luma)
        refused(ValueError, 'with device=3', scorer.add, second, second)
        refused(ValueError, 'side by side', scorer.add, third, first)
        refused(TypeError, 'uint8, uint16 or int16', scorer.add, floats, first)
        scorer.add(first, first)
        scorer.add(luma, luma)  # from the CPU
        numbers = scorer.result().frames['vmaf']
        if len(numbers) != 2 or numbers[0] != numbers[1]:
            sys.exit(f'scores of frames from both: {numbers}')
    with vmaf_turbo.Scorer() as scorer:
        refused(TypeError, "with backend='cuda'", scorer.add, first, first)
    ended.clear()
    for tensor in first, second, third, floats:
        tensor.free()


context = ctypes.c_void_p()
must('cuInit', 0)
must('cuDevicePrimaryCtxRetain', ctypes.byref(context), 0)
must('cuCtxPushCurrent_v2', context)
print(json.dumps({name: list(values) for name, values in scored().frames.items()}))
if mode == 'planes':
    refusals()
must('cuCtxPopCurrent_v2', ctypes.byref(context))
must('cuDevicePrimaryCtxRelease_v2', 0)
