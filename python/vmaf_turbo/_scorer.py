# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scores of frames in memory, by the library."""
import ctypes
import json
import os
import tempfile
from ctypes import byref, c_void_p
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _native as native
from ._arguments import Features, Models, features_of, metric_of, models_of
from ._errors import VmafError
from ._result import Result


class Scorer:
    """Scores pairs of frames, which add() takes one after the other.

        with vmaf_turbo.Scorer(features='psnr') as scorer:
            for reference, distorted in pairs:
                scorer.add(reference, distorted)
            print(scorer.result().score)

    model, features, backend and device are as for score(). `threads` work beside the caller; 0: none. `bit_depth` is that
    of frames of uint16. One thread at a time uses a Scorer; other threads of Python run while it computes.
    """

    def __init__(self, *, model: Models = 'vmaf_v0.6.1', features: Features = (), backend: Optional[str] = None,
                 device: Union[str, int, None] = None, threads: Optional[int] = None, bit_depth: int = 0) -> None:
        from . import _planes, _tensors  # these import numpy, which scores of files do not need
        self._planes, self._tensors = _planes, _tensors
        self._lib = native.functions()
        self._context, self._device = c_void_p(), c_void_p()
        self._models: List[Tuple[c_void_p, c_void_p]] = []
        self._backend, self._has_pool = backend, False
        self._bit_depth, self._shape = bit_depth, None  # type: int, Any
        self._count, self._result = 0, None
        if threads is not None and threads < 0:
            raise ValueError(f'threads is 0 or more, and not {threads}')
        if bit_depth and not 8 <= bit_depth <= 16:
            raise ValueError(f'bit_depth is 8 to 16, and not {bit_depth}')
        if threads is None:
            threads = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
        try:
            native.check(self._lib.vmaf_init(byref(self._context), native.Configuration(
                log_level=native.LOG_WARNING, n_threads=threads, n_subsample=1)), 'a context cannot be made')
            native.check(self._lib.vmaf_report_details(self._context), 'the report cannot be made')
            # An empty text or the number 0 asks for a device, too: nothing but None leaves the choice open.
            if backend is not None or device is not None:
                self._use_device(backend, None if device is None else str(device))
            for name in models_of(model):
                self._use_model(name)
            for name, options in features_of(features):
                self._use_feature(name, options)
        except BaseException:
            self.close()
            raise

    def _use_device(self, backend: Optional[str], device: Optional[str]) -> None:
        if backend is None:
            raise VmafError(f'name the backend of the device {device}: vulkan, cuda, hip or sycl')
        if backend == 'cpu' and device is not None:
            raise VmafError(f'the device {device} is a GPU, but the backend is cpu')
        if backend != 'cpu':
            if backend not in ('vulkan', 'cuda', 'hip', 'sycl', 'host'):
                raise VmafError(f'there is no backend {backend!r}: name cpu, vulkan, cuda, hip or sycl')
            options = native.DeviceOptions(size=ctypes.sizeof(native.DeviceOptions), backend=backend.encode(),
                                           device=None if device is None else device.encode(), quiet=1, required=1)
            err = self._lib.vmaf_device_open(byref(self._device), byref(options))
            if err:
                why = ctypes.create_string_buffer(300)
                self._lib.vmaf_device_missing(byref(options), why, len(why))
                raise VmafError(f'{backend}: {why.value.decode() or os.strerror(-err)}', err)
        native.check(self._lib.vmaf_use_device(self._context, self._device), 'the device cannot be used')

    def _use_model(self, name: str) -> None:
        config = native.ModelConfig(name=metric_of(name).encode() if self._models else None)
        kind = self._kind_of(name)
        model, collection = c_void_p(), c_void_p()
        self._models.append((model, collection))
        if kind == 'file':
            err = self._lib.vmaf_model_or_collection_load_from_path(byref(model), byref(collection), byref(config),
                                                                    os.fsencode(name))
        elif kind == 'collection':
            err = self._lib.vmaf_model_collection_load(byref(model), byref(collection), byref(config), name.encode())
        else:
            err = self._lib.vmaf_model_load(byref(model), byref(config), name.encode())
        native.check(err, f'the model {name} cannot be loaded')
        native.check(self._lib.vmaf_use_features_from_model(self._context, model), f'the model {name} cannot be used')
        if collection:
            native.check(self._lib.vmaf_use_features_from_model_collection(self._context, collection),
                         f'the model {name} cannot be used')

    def _kind_of(self, model: str) -> str:
        """'model', 'collection' or 'file'."""
        info, index = native.BuiltinModelInfo(size=ctypes.sizeof(native.BuiltinModelInfo)), 0
        names = []
        while not self._lib.vmaf_builtin_model_info(index, byref(info)):
            if info.name.decode() == model:
                return 'collection' if info.is_collection else 'model'
            names.append(info.name.decode())
            index += 1
        if os.path.isfile(model):
            return 'file'
        raise VmafError(f'{model} is no file and no built-in model; these are: {", ".join(names)}')

    def _use_feature(self, name: str, options: Dict[str, str]) -> None:
        known = self._options_of(name)
        settings = c_void_p()
        try:
            for key, value in options.items():
                if key not in known:
                    raise VmafError(f'{name} has no option {key}; it has: {", ".join(sorted(known))}')
                native.check(self._lib.vmaf_feature_dictionary_set(byref(settings), key.encode(), value.encode()), name)
            native.check(self._lib.vmaf_use_feature(self._context, name.encode(), settings),
                         f'the feature {name} cannot be used')
            settings = c_void_p()  # the library owns the options now
        finally:
            self._lib.vmaf_feature_dictionary_free(byref(settings))

    def _options_of(self, feature: str) -> List[str]:
        extractor, index, names = ctypes.c_uint(), 0, []
        if self._lib.vmaf_extractor_find(feature.encode(), byref(extractor)):
            raise VmafError(f'there is no feature {feature}; `vmaf --list_features` has them all')
        info = native.OptionInfo(size=ctypes.sizeof(native.OptionInfo))
        while not self._lib.vmaf_extractor_option(extractor, index, byref(info)):
            names += [name.decode() for name in (info.name, info.short_name) if name]
            index += 1
        return names

    def add(self, reference: Any, distorted: Any) -> None:
        """Takes a pair of frames. Those that the CPU can read are copied: the caller may change them afterwards. Tensors on a GPU
        are held and must not be changed before result() returns. With threads, the call
        returns before the pair is scored, and an error may be raised by a later call. See the package's page for the
        layouts of frames."""
        if not self._context:
            raise ValueError('the scorer is closed')
        if self._result:
            raise ValueError('the scores are complete: nothing can be added after result()')
        where = self._planes.device_of_pair(reference, distorted)
        if where[0] != self._planes.CPU:
            self._check_device(where)
        pair = [self._planes.planes_of(frame) for frame in (reference, distorted)]
        for planes in pair:
            shape = self._planes.shape_of(planes, self._bit_depth)
            if self._shape is None:
                self._shape = shape
            elif shape != self._shape:
                raise ValueError(f'this frame is {tuple(shape)}, and the first one was {tuple(self._shape)} '
                                 '(width, height, format, depth)')
        if where[0] == self._planes.CPU:
            self._add_copies(pair)
        else:
            self._add_on_device(where[0], pair)
        self._count += 1

    def _check_device(self, where: Any) -> None:
        """A frame on a GPU is scored by that GPU."""
        backend = self._tensors.BACKENDS.get(where[0], ('',))[0]
        if not backend or backend != self._backend:
            how = f"make the scorer with backend='{backend}', or bring it" if backend else 'bring it'
            raise TypeError(f'the frame is on a device (of DLPack\'s type {where[0]}); {how} to the CPU first: tensor.cpu() '
                            'with torch, array.get() with cupy')
        info = native.DeviceInfo(size=ctypes.sizeof(native.DeviceInfo))
        native.check(self._lib.vmaf_device_get_info(self._device, byref(info)), 'the device cannot be described')
        if info.index != where[1] or info.devices > 1:
            raise ValueError(f'the frame is on device {where[1]} of {backend}; make the scorer with device={where[1]}')

    def _add_copies(self, pair: List[Any]) -> None:
        """Scores copies of planes that the CPU can read."""
        if not self._has_pool:
            self._make_pool()
        pictures: List[native.Picture] = []
        try:
            for planes in pair:
                picture = native.Picture()
                native.check(self._lib.vmaf_fetch_preallocated_picture(self._context, byref(picture)),
                             'there is no memory for a frame')
                pictures.append(picture)
                self._fill(picture, planes)
            native.check(self._lib.vmaf_read_pictures(self._context, byref(pictures[0]), byref(pictures[1]), self._count),
                         f'frame {self._count} cannot be scored')
        finally:
            for picture in pictures:
                if picture.ref:  # the library has not taken it
                    self._lib.vmaf_picture_unref(byref(picture))

    def _add_on_device(self, kind: int, pair: List[Any]) -> None:
        """Scores planes that are on the device."""
        read = getattr(self._lib, self._tensors.BACKENDS[kind][1])
        descriptions = [self._tensors.described(planes, self._shape) for planes in pair]
        frames = [self._tensors.held(planes, description) for planes, description in zip(pair, descriptions)]
        native.check(read(self._context, byref(frames[0]), byref(frames[1]), self._count),
                     f'frame {self._count} cannot be scored')

    def _make_pool(self) -> None:
        shape = self._shape
        pool = native.PictureConfiguration(w=shape.width, h=shape.height, bpc=shape.depth, pix_fmt=shape.pix_fmt,
                                           pic_cnt=2 * self._lib.vmaf_pairs_in_flight(self._context) + 4)
        native.check(self._lib.vmaf_preallocate_pictures(self._context, pool),
                     f'frames of {shape.width}x{shape.height} cannot be scored')
        self._has_pool = True

    @staticmethod
    def _fill(picture: native.Picture, planes: List[Any]) -> None:
        import numpy
        for i, plane in enumerate(planes):
            width, height, stride = picture.w[i], picture.h[i], picture.stride[i]
            memory = (ctypes.c_uint8 * (stride * height)).from_address(picture.data[i])
            rows = numpy.frombuffer(memory, dtype=plane.dtype).reshape(height, stride // plane.dtype.itemsize)
            rows[:, :width] = plane[:height, :width]

    def result(self) -> Result:
        """Waits for all frames and returns their scores. Nothing can be added after it."""
        if self._result:
            return self._result
        if not self._context:
            raise ValueError('the scorer is closed')
        if not self._count:
            raise ValueError('no frame was added')
        native.check(self._lib.vmaf_read_pictures(self._context, None, None, 0), 'the last frames cannot be scored')
        for model, _ in self._models:
            native.check(self._lib.vmaf_score_pooled(self._context, model, native.MEAN, byref(ctypes.c_double()), 0,
                                                     self._count - 1), 'a model has no score')
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'report.json')
            native.check(self._lib.vmaf_write_output_with_format(self._context, os.fsencode(path), native.JSON, b'%.17g'),
                         'the scores cannot be read')
            with open(path, encoding='utf-8') as file:
                self._result = Result(json.load(file))
        return self._result

    def close(self) -> None:
        """Frees everything. A result stays as it is."""
        if self._context:
            self._lib.vmaf_close(self._context)
            self._context = c_void_p()
        for model, collection in self._models:
            self._lib.vmaf_model_collection_destroy(collection)
            self._lib.vmaf_model_destroy(model)
        self._models = []
        self._lib.vmaf_device_close(byref(self._device))

    def __enter__(self) -> 'Scorer':
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, '_context', None):
            self.close()
