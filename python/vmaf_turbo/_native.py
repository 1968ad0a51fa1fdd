# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The part of the library's C interface that a Scorer needs. Structs and numbers are those of the headers libvmaf.h,
picture.h, model.h, inspect.h and device.h; a test compares them."""
import ctypes
import functools
import os
from ctypes import (CFUNCTYPE, POINTER, c_char, c_char_p, c_int, c_size_t, c_ssize_t, c_uint, c_uint8, c_uint64,
                    c_void_p)
from typing import Any

from ._errors import VmafError
from ._files import library

LOG_WARNING = 2
JSON = 2
MEAN = 3
YUV420P, YUV422P, YUV444P, YUV400P = 1, 2, 3, 4


class Configuration(ctypes.Structure):
    _fields_ = [('log_level', c_int), ('n_threads', c_uint), ('n_subsample', c_uint), ('cpumask', c_uint64),
                ('gpumask', c_uint64)]


class Picture(ctypes.Structure):
    _fields_ = [('pix_fmt', c_int), ('bpc', c_uint), ('w', c_uint * 3), ('h', c_uint * 3), ('stride', c_ssize_t * 3),
                ('data', c_void_p * 3), ('ref', c_void_p), ('priv', c_void_p)]


class PictureConfiguration(ctypes.Structure):
    _fields_ = [('w', c_uint), ('h', c_uint), ('bpc', c_uint), ('pix_fmt', c_int), ('pic_cnt', c_uint)]


class ModelConfig(ctypes.Structure):
    _fields_ = [('name', c_char_p), ('flags', c_uint64)]


class BuiltinModelInfo(ctypes.Structure):
    _fields_ = [('size', c_size_t), ('name', c_char_p), ('summary', c_char_p), ('is_collection', c_int)]


class OptionInfo(ctypes.Structure):  # its first fields, which is all that this size asks for
    _fields_ = [('size', c_size_t), ('name', c_char_p), ('short_name', c_char_p)]


class DeviceInfo(ctypes.Structure):
    _fields_ = [('size', c_size_t), ('backend', c_char_p), ('index', c_uint), ('type', c_int), ('memory', c_uint64),
                ('uuid', c_uint8 * 16), ('name', c_char * 256), ('driver', c_char * 256), ('api', c_char * 64),
                ('version', c_char * 32), ('pci', c_char * 32), ('missing', c_char * 256), ('devices', c_uint)]


class DeviceOptions(ctypes.Structure):  # its first fields
    _fields_ = [('size', c_size_t), ('backend', c_char_p), ('device', c_char_p), ('allow_software', c_int),
                ('enable_validation', c_int), ('max_outstanding_frames', c_uint), ('quiet', c_int), ('required', c_int)]


Release = CFUNCTYPE(None, c_void_p)


class DeviceFrame(ctypes.Structure):  # VmafCudaFrame, and VmafHipFrame, which is the same
    _fields_ = [('size', c_size_t), ('w', c_uint), ('h', c_uint), ('bpc', c_uint), ('pix_fmt', c_int), ('shift', c_uint),
                ('plane', c_size_t * 3), ('pitch', c_size_t * 3), ('context', c_void_p), ('stream', c_size_t),
                ('release', Release), ('release_opaque', c_void_p)]


_FUNCTIONS = {
    'vmaf_init': [POINTER(c_void_p), Configuration],
    'vmaf_close': [c_void_p],
    'vmaf_model_load': [POINTER(c_void_p), POINTER(ModelConfig), c_char_p],
    'vmaf_model_collection_load': [POINTER(c_void_p), POINTER(c_void_p), POINTER(ModelConfig), c_char_p],
    'vmaf_model_or_collection_load_from_path': [POINTER(c_void_p), POINTER(c_void_p), POINTER(ModelConfig), c_char_p],
    'vmaf_model_destroy': [c_void_p],
    'vmaf_model_collection_destroy': [c_void_p],
    'vmaf_use_features_from_model': [c_void_p, c_void_p],
    'vmaf_use_features_from_model_collection': [c_void_p, c_void_p],
    'vmaf_use_feature': [c_void_p, c_char_p, c_void_p],
    'vmaf_feature_dictionary_set': [POINTER(c_void_p), c_char_p, c_char_p],
    'vmaf_feature_dictionary_free': [POINTER(c_void_p)],
    'vmaf_builtin_model_info': [c_uint, POINTER(BuiltinModelInfo)],
    'vmaf_extractor_find': [c_char_p, POINTER(c_uint)],
    'vmaf_extractor_option': [c_uint, c_uint, POINTER(OptionInfo)],
    'vmaf_device_open': [POINTER(c_void_p), POINTER(DeviceOptions)],
    'vmaf_device_missing': [POINTER(DeviceOptions), c_char_p, c_size_t],
    'vmaf_device_get_info': [c_void_p, POINTER(DeviceInfo)],
    'vmaf_device_close': [POINTER(c_void_p)],
    'vmaf_use_device': [c_void_p, c_void_p],
    'vmaf_pairs_in_flight': [c_void_p],
    'vmaf_preallocate_pictures': [c_void_p, PictureConfiguration],
    'vmaf_fetch_preallocated_picture': [c_void_p, POINTER(Picture)],
    'vmaf_picture_unref': [POINTER(Picture)],
    'vmaf_read_pictures': [c_void_p, POINTER(Picture), POINTER(Picture), c_uint],
    'vmaf_cuda_read_frames': [c_void_p, POINTER(DeviceFrame), POINTER(DeviceFrame), c_uint],
    'vmaf_hip_read_frames': [c_void_p, POINTER(DeviceFrame), POINTER(DeviceFrame), c_uint],
    'vmaf_score_pooled': [c_void_p, c_void_p, c_int, POINTER(ctypes.c_double), c_uint, c_uint],
    'vmaf_report_details': [c_void_p],
    'vmaf_write_output_with_format': [c_void_p, c_char_p, c_int, c_char_p],
}


@functools.lru_cache(maxsize=None)
def functions() -> Any:
    """The library with its functions' types."""
    found = library()
    for name, arguments in _FUNCTIONS.items():
        function = getattr(found, name)
        function.argtypes, function.restype = arguments, c_int
    found.vmaf_pairs_in_flight.restype = c_uint
    for name in 'vmaf_model_destroy', 'vmaf_model_collection_destroy', 'vmaf_device_close':
        getattr(found, name).restype = None
    return found


def check(err: int, what: str) -> None:
    """Raises VmafError for an error of the library, which has logged more on standard error."""
    if err:
        raise VmafError(f'{what}: {os.strerror(-err)}', err)
