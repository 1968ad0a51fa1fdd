# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Frames in memory, seen as planes of samples. Nothing is copied here."""
from typing import Any, List, NamedTuple, Tuple

import numpy

from ._native import YUV400P, YUV420P, YUV422P, YUV444P
from ._tensors import CPU, Device, device_of, on_device

FORMATS = {(1, 1): YUV444P, (2, 1): YUV422P, (2, 2): YUV420P}


class Shape(NamedTuple):
    """All frames of a Scorer have the shape of the first."""
    width: int
    height: int
    pix_fmt: int
    depth: int


def _array(value: Any) -> numpy.ndarray:
    """An array that shares the memory of a buffer, an array, or a tensor that speaks DLPack. torch's tensors of 16 bits are
    int16, which hold the same bits."""
    if device_of(value)[0] != CPU:
        return on_device(value)
    if not isinstance(value, numpy.ndarray) and hasattr(value, '__dlpack_device__'):
        value = numpy.from_dlpack(value)
    array = numpy.asarray(value)
    return array.view(numpy.uint16) if array.dtype == numpy.int16 else array


def _parts(frame: Any) -> List[Any]:
    return list(frame) if isinstance(frame, (tuple, list)) else [frame]


def device_of_pair(*frames: Any) -> Device:
    """The device that has all planes of a pair."""
    devices = {device_of(part) for frame in frames for part in _parts(frame)}
    if len(devices) != 1:
        raise TypeError('some planes of this pair are on another device than the others')
    return devices.pop()


def planes_of(frame: Any) -> List[numpy.ndarray]:
    """The planes of a frame: one or three two-dimensional arrays. A frame is a plane of luma; a tuple of three planes; a
    tuple of luma and of Cb and Cr in pairs, (height, width, 2), as NV12 has them; or an array of three planes of one size,
    (height, width, 3) or (3, height, width)."""
    parts = [_array(part) for part in _parts(frame)]
    if len(parts) == 1 and parts[0].ndim == 3 and 3 in (parts[0].shape[0], parts[0].shape[2]):
        whole = parts[0]
        parts = [whole[..., i] for i in range(3)] if whole.shape[2] == 3 else list(whole)
    elif len(parts) == 2 and parts[1].ndim == 3 and parts[1].shape[2] == 2:
        parts = [parts[0], parts[1][..., 0], parts[1][..., 1]]
    if len(parts) not in (1, 3) or any(part.ndim != 2 or not part.size for part in parts):
        shapes = ', '.join(str(part.shape) for part in parts)
        raise ValueError(f'no frame has planes of the shapes {shapes}: give luma, a tuple of three planes, a tuple of luma '
                         'and pairs of chroma, or one array (height, width, 3)')
    return parts


def _ratio(luma: int, chroma: int) -> int:
    """1 or 2; 0: neither. Odd sizes are halved up or down."""
    return 1 if chroma == luma else 2 if chroma in (luma // 2, (luma + 1) // 2) else 0


def shape_of(planes: List[numpy.ndarray], bit_depth: int) -> Shape:
    """The shape of a frame; bit_depth 0: that of bytes."""
    dtype = planes[0].dtype
    if any(plane.dtype != dtype for plane in planes) or dtype not in (numpy.uint8, numpy.uint16):
        raise TypeError(f'samples are uint8 or uint16, the same in all planes, and not {dtype}')
    if dtype == numpy.uint8 and bit_depth not in (0, 8):
        raise ValueError(f'samples of {bit_depth} bits must be in arrays of uint16')
    if dtype == numpy.uint16 and not 8 < bit_depth <= 16:
        raise ValueError('samples in arrays of uint16 need bit_depth, 9 to 16')
    height, width = planes[0].shape
    pix_fmt = YUV400P
    if len(planes) == 3:
        ratios: Tuple[int, int] = (_ratio(width, planes[1].shape[1]), _ratio(height, planes[1].shape[0]))
        if planes[1].shape != planes[2].shape or ratios not in FORMATS:
            raise ValueError(f'luma of {planes[0].shape} does not fit chroma of {planes[1].shape} and {planes[2].shape}: '
                             'it is 4:2:0, 4:2:2 or 4:4:4')
        pix_fmt = FORMATS[ratios]
    return Shape(width, height, pix_fmt, bit_depth or 8)
