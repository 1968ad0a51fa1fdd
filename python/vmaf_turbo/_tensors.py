# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tensors on a GPU, as DLPack describes them. Arrays stand for them that have an address and a shape, and whose samples
nobody here reads."""
import ctypes
import itertools
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any, Dict, List, Optional, Tuple

import numpy

from . import _native as native

CPU = 1  # kDLCPU
# DLPack's types of devices: the backend that reads their memory, and its function.
BACKENDS = {2: ('cuda', 'vmaf_cuda_read_frames'), 10: ('hip', 'vmaf_hip_read_frames')}
LEGACY_STREAM = {2: 1, 10: 0}  # as __dlpack__() wants it

Device = Tuple[int, int]  # DLPack's type, and the number of the device


class _DLTensor(ctypes.Structure):
    _fields_ = [('data', c_void_p), ('device_type', c_int32), ('device_id', c_int32), ('ndim', c_int32), ('code', c_uint8),
                ('bits', c_uint8), ('lanes', c_uint16), ('shape', POINTER(c_int64)), ('strides', POINTER(c_int64)),
                ('byte_offset', c_uint64)]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]


class _Memory:
    """The tensor's memory, which lives as long as the capsule. Arrays made of it hold it."""

    def __init__(self, capsule: Any) -> None:
        tensor = _DLTensor.from_address(_pointer_of(capsule, b'dltensor'))
        if tensor.code > 1 or tensor.bits not in (8, 16) or tensor.lanes != 1:
            raise TypeError('samples on a GPU are uint8, uint16 or int16')
        size = tensor.bits // 8
        shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        strides = [size] * tensor.ndim
        for i in range(tensor.ndim - 1, 0, -1):
            strides[i - 1] = strides[i] * shape[i]
        if tensor.strides:
            strides = [size * tensor.strides[i] for i in range(tensor.ndim)]
        self.capsule = capsule
        self.__array_interface__ = {'version': 3, 'shape': shape, 'strides': tuple(strides), 'typestr': f'<u{size}',
                                    'data': ((tensor.data or 0) + tensor.byte_offset, True)}


def device_of(part: Any) -> Device:
    """The device whose memory has the samples."""
    if isinstance(part, numpy.ndarray) or not hasattr(part, '__dlpack_device__'):
        return CPU, 0
    kind, number = part.__dlpack_device__()
    return int(kind), int(number)


def on_device(part: Any) -> numpy.ndarray:
    """The array that stands for a tensor on a GPU. The tensor's work so far comes before what the legacy stream does next."""
    kind, _ = device_of(part)
    if kind not in BACKENDS:
        raise TypeError(f'the frame is on a device of DLPack\'s type {kind}; bring it to the CPU first')
    return numpy.asarray(_Memory(part.__dlpack__(stream=LEGACY_STREAM[kind])))


# Planes that the library is still reading, by the numbers that it gives back.
_held: Dict[int, Any] = {}
_numbers = itertools.count(1)


@native.Release
def _release(number: Optional[int]) -> None:
    _held.pop(number or 0, None)


def described(planes: List[numpy.ndarray], shape: Any) -> native.DeviceFrame:
    """The library's description of a frame on a GPU."""
    size = planes[0].dtype.itemsize
    frame = native.DeviceFrame(size=ctypes.sizeof(native.DeviceFrame), w=shape.width, h=shape.height, bpc=shape.depth,
                               pix_fmt=shape.pix_fmt, release=_release)
    pairs = len(planes) == 3 and planes[1].strides[1] == 2 * size and planes[2].ctypes.data == planes[1].ctypes.data + size
    for i, plane in enumerate(planes[:2] if pairs else planes):
        if plane.strides[1] != (2 * size if pairs and i else size) or plane.strides[0] < 0:
            raise ValueError('samples of a row are not side by side: planes on a GPU are contiguous, or Cb and Cr are pairs')
        frame.plane[i], frame.pitch[i] = plane.ctypes.data, plane.strides[0]
    return frame


def held(planes: List[numpy.ndarray], frame: native.DeviceFrame) -> native.DeviceFrame:
    """The frame, whose planes live until the library, which gets it now, has read them."""
    number = next(_numbers)
    _held[number], frame.release_opaque = planes, number
    return frame
