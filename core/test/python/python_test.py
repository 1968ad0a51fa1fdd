# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks the Python package: its scores are the command's to the last bit, its structs are the library's, and errors,
threads and Ctrl-C behave as Python's users expect.

usage: python_test.py TREE VMAF LIBVMAF SYNTHCLIP WORKDIR [DRIVERS]
  DRIVERS   a folder with a fake of NVIDIA's driver
"""
import contextlib
import ctypes
import io
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

try:
    import numpy
except ImportError:
    print('skipped: needs numpy (Debian: python3-numpy)')
    sys.exit(77)

TREE, VMAF, LIBVMAF, SYNTHCLIP, WORK = (os.path.abspath(path) for path in sys.argv[1:6])
DRIVERS = os.path.abspath(sys.argv[6]) if len(sys.argv) > 6 else None
os.environ.update(VMAF_TURBO_COMMAND=VMAF, VMAF_TURBO_LIBRARY=LIBVMAF)
os.environ.pop('VMAF_BACKEND', None)
sys.dont_write_bytecode = True
sys.path.insert(0, f'{TREE}/python')
import vmaf_turbo  # noqa: E402
from vmaf_turbo import _native, _tensors  # noqa: E402

FRAMES = 5


class Clip:
    """A generated pair, as files and as arrays."""

    def __init__(self, layout, depth, width=176, height=144, kind='mix'):
        self.width, self.height, self.layout, self.depth = width, height, layout, depth
        self.ref, self.dist = (f'{WORK}/{layout}_{depth}_{width}_{side}.yuv' for side in ('ref', 'dist'))
        subprocess.run([SYNTHCLIP, kind, str(width), str(height), str(layout), str(depth), str(FRAMES), self.ref, self.dist],
                       check=True)

    def raw(self):
        return {'width': self.width, 'height': self.height, 'pixel_format': self.layout, 'bitdepth': self.depth}

    def frames(self, path):
        """Yields each frame as a list of planes."""
        across, down = {420: (2, 2), 422: (2, 1), 444: (1, 1), 400: (0, 0)}[self.layout]
        sizes = [(self.height, self.width)]
        if across:
            sizes += 2 * [((self.height + down - 1) // down, (self.width + across - 1) // across)]
        samples = numpy.fromfile(path, dtype=numpy.uint8 if self.depth == 8 else numpy.uint16)
        for frame in samples.reshape(FRAMES, -1):
            ends = numpy.cumsum([h * w for h, w in sizes])
            yield [part.reshape(size) for part, size in zip(numpy.split(frame, ends[:-1]), sizes)]

    def pairs(self):
        return zip(self.frames(self.ref), self.frames(self.dist))


def scored(clip, see=tuple, **settings):
    with vmaf_turbo.Scorer(bit_depth=clip.depth if clip.depth > 8 else 0, **settings) as scorer:
        for ref, dist in clip.pairs():
            scorer.add(see(ref), see(dist))
        return scorer.result()


class Tensor:
    """An object that speaks only DLPack, on a device of any type."""

    def __init__(self, array, kind=_tensors.CPU):
        self.array, self.kind = array, kind

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.kind, 0


class PythonTest(unittest.TestCase):
    def same(self, got, want):
        self.assertEqual(set(got.frames), set(want.frames))
        for name, values in want.frames.items():
            numpy.testing.assert_array_equal(got.frames[name], values, name)
        self.assertEqual(got.pooled, want.pooled)
        self.assertEqual(got.models, want.models)

    def test_the_commands_scores(self):
        clip = Clip(420, 8)
        report = f'{WORK}/report.json'
        subprocess.run([VMAF, '-r', clip.ref, '-d', clip.dist, '-w', '176', '-h', '144', '-p', '420', '-b', '8', '--json',
                        '-o', report, '-q', '--precision', 'max', '--feature', 'psnr'], check=True)
        with open(report, encoding='utf-8') as file:
            want = json.load(file)
        got = vmaf_turbo.score(clip.ref, clip.dist, features='psnr', **clip.raw())
        self.assertEqual(len(got), FRAMES)
        self.assertEqual(got.frame_numbers, list(range(FRAMES)))
        for frame in want['frames']:
            for name, value in frame['metrics'].items():
                self.assertEqual(got.frames[name][frame['frameNum']], value)
        self.assertEqual(got.score, want['pooled_metrics']['vmaf']['mean'])
        self.assertEqual(got.pooled['psnr_y']['p5'], want['vmaf_turbo']['pooled']['psnr_y']['p5'])
        self.assertEqual(got.places['vif']['backend'], 'cpu')
        self.assertEqual(got.warnings, [])

    def test_warnings(self):
        clip = Clip(420, 8)
        got = vmaf_turbo.score(clip.ref, clip.dist, frame_skip_ref=1, **clip.raw())
        want = got.report['vmaf_turbo']['warnings']
        self.assertEqual([(w.code, w.text, w.side) for w in got.warnings],
                         [(w['code'], w['text'], w.get('input', '')) for w in want])
        self.assertTrue(want)

    def test_frames_in_memory(self):
        for layout, depth, width, height in (420, 8, 176, 144), (422, 10, 96, 64), (444, 12, 97, 61), (400, 16, 64, 48), \
                (420, 8, 97, 61):
            clip = Clip(layout, depth, width, height)
            want = vmaf_turbo.score(clip.ref, clip.dist, features='psnr', **clip.raw())
            for threads in 0, 2:
                self.same(scored(clip, features='psnr', threads=threads), want)

    def test_layouts(self):
        clip = Clip(420, 8)
        want = scored(clip, features='psnr')
        self.same(scored(clip, see=lambda f: (f[0], numpy.stack(f[1:], axis=-1)), features='psnr'), want)
        self.same(scored(clip, see=lambda f: [numpy.asfortranarray(plane) for plane in f], features='psnr'), want)
        self.same(scored(clip, see=lambda f: [Tensor(plane) for plane in f], features='psnr'), want)
        self.same(scored(clip, see=lambda f: [memoryview(plane) for plane in f], features='psnr'), want)
        self.same(scored(clip, see=lambda f: [plane[::-1][::-1] for plane in f], features='psnr'), want)
        clip = Clip(444, 8)
        want = scored(clip, features='psnr')
        self.same(scored(clip, see=lambda f: numpy.stack(f, axis=-1), features='psnr'), want)
        self.same(scored(clip, see=numpy.stack, features='psnr'), want)
        clip = Clip(400, 8)
        self.same(scored(clip, see=lambda f: f[0]), scored(clip))
        clip = Clip(420, 10)
        self.same(scored(clip, see=lambda f: [plane.view(numpy.int16) for plane in f]), scored(clip))

    def test_models(self):
        clip = Clip(420, 8)
        models = ['vmaf_v0.6.1', 'vmaf_v0.6.1neg', f'{TREE}/model/vmaf_float_v0.6.1.json', 'vmaf_b_v0.6.3']
        models = [name for name in models if '/' not in name or os.path.exists(name)]
        want = vmaf_turbo.score(clip.ref, clip.dist, model=models, **clip.raw())
        got = scored(clip, model=models)
        self.assertEqual(got.models, want.models)
        self.assertGreaterEqual(len(got.models), 3)
        alone = scored(clip, model=[], features={'psnr': {'enable_chroma': False}})
        self.assertEqual(list(alone.frames), ['psnr_y'])
        self.assertRaises(KeyError, lambda: alone.score)

    def test_a_device(self):
        clip = Clip(420, 8)
        want = scored(clip, features='psnr')
        try:
            got = scored(clip, features='psnr', backend='vulkan', device='llvmpipe')
        except vmaf_turbo.VmafError as error:
            self.assertRegex(str(error), '^vulkan: ')
            self.skipTest(str(error))
        self.same(got, want)
        self.assertEqual(got.places['vif']['backend'], 'vulkan')

    @unittest.skipUnless(DRIVERS, 'there is no fake driver')
    def test_frames_on_a_device(self):
        for mode, layout, depth in ('planes', 420, 8), ('pairs', 420, 10), ('whole', 444, 8):
            clip = Clip(layout, depth, 64, 48)
            done = subprocess.run([sys.executable, f'{os.path.dirname(os.path.abspath(__file__))}/on_device.py', mode, str(layout), str(depth), '64', '48', clip.ref, clip.dist],
                                  stdout=subprocess.PIPE, text=True, check=True,
                                  env={**os.environ, 'LD_LIBRARY_PATH': DRIVERS, 'EMULATED_STRICT': '1', 'PYTHONPATH': f'{TREE}/python',
                                       'PYTHONDONTWRITEBYTECODE': '1', 'VMAF_CACHE_DIR': f'{WORK}/cache'})
            want = scored(clip, features='psnr')
            self.assertEqual(json.loads(done.stdout), {name: list(values) for name, values in want.frames.items()}, mode)

    def test_the_cpu_in_place_of_a_gpu_is_told(self):
        clip = Clip(420, 8)
        for backend, said in ('auto', '^no usable GPU: using the CPU$'), ('cpu', '^$'):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                got = vmaf_turbo.score(clip.ref, clip.dist, backend=backend, gpumask=1, **clip.raw())
            self.assertRegex(errors.getvalue().strip(), said)
            self.assertEqual([warning.code for warning in got.warnings], ['no_gpu'] if backend == 'auto' else [])

    def test_errors(self):
        clip = Clip(420, 8)
        luma, error = numpy.zeros((48, 64), numpy.uint8), vmaf_turbo.VmafError
        for kind, said, call in [
                (error, 'nofile', lambda: vmaf_turbo.score('nofile', 'other')),
                (error, "unknown option '--frame_cnd'", lambda: vmaf_turbo.score(clip.ref, clip.dist, frame_cnd=3)),
                (error, 'vmaf_v0.6.1neg', lambda: vmaf_turbo.Scorer(model='nosuchmodel')),
                (error, 'no feature nosuch', lambda: vmaf_turbo.Scorer(features='nosuch')),
                (error, 'no option chroma; it has:.*enable_chroma', lambda: vmaf_turbo.Scorer(features='psnr=chroma=1')),
                (error, 'cannot be used', lambda: vmaf_turbo.Scorer(features='psnr=enable_chroma=perhaps')),
                (error, "no backend 'abacus'", lambda: vmaf_turbo.Scorer(backend='abacus')),
                (error, '^vulkan: .', lambda: vmaf_turbo.Scorer(backend='vulkan', device='no such device')),
                # Whatever is not None asks for a device, and never gets the CPU.
                (error, '^vulkan: .', lambda: vmaf_turbo.Scorer(backend='vulkan', device='')),
                (error, '^vulkan: .', lambda: vmaf_turbo.Scorer(backend='vulkan', device=99)),
                (error, "no backend ''", lambda: vmaf_turbo.Scorer(backend='')),
                (error, 'name the backend of the device 0', lambda: vmaf_turbo.Scorer(device=0)),
                (error, 'name the backend of the device', lambda: vmaf_turbo.Scorer(device='')),
                (error, 'but the backend is cpu', lambda: vmaf_turbo.Scorer(backend='cpu', device=0)),
                (error, 'for option --backend', lambda: vmaf_turbo.score(clip.ref, clip.dist, backend='')),
                (error, '--device asks for a GPU', lambda: vmaf_turbo.score(clip.ref, clip.dist, backend='cpu', device=0)),
                (ValueError, 'threads is 0 or more', lambda: vmaf_turbo.Scorer(threads=-1)),
                (ValueError, 'bit_depth is 8 to 16', lambda: vmaf_turbo.Scorer(bit_depth=17)),
                (ValueError, 'no frame was added', lambda: vmaf_turbo.Scorer().result()),
                (ValueError, 'shapes', lambda: vmaf_turbo.Scorer().add((luma, luma), (luma, luma))),
                (ValueError, '4:2:0', lambda: vmaf_turbo.Scorer().add((luma, luma[:9], luma[:9]), luma)),
                (ValueError, 'bit_depth', lambda: vmaf_turbo.Scorer().add(luma.astype('u2'), luma.astype('u2'))),
                (ValueError, 'uint16', lambda: vmaf_turbo.Scorer(bit_depth=10).add(luma, luma)),
                (TypeError, 'float32', lambda: vmaf_turbo.Scorer().add(luma.astype('f4'), luma.astype('f4'))),
                (TypeError, 'on another device', lambda: vmaf_turbo.Scorer().add(Tensor(luma, 2), luma)),
                (TypeError, r'\.cpu\(\)', lambda: vmaf_turbo.Scorer().add(Tensor(luma, 2), Tensor(luma, 2))),
                (TypeError, r'\.cpu\(\)', lambda: vmaf_turbo.Scorer().add(Tensor(luma, 8), Tensor(luma, 8)))]:
            with self.assertRaisesRegex(kind, said):
                call()

    def test_wrong_calls(self):
        luma = numpy.zeros((48, 64), numpy.uint8)
        with vmaf_turbo.Scorer(threads=0) as scorer:
            scorer.add(luma, luma)
            with self.assertRaisesRegex(ValueError, 'the first one'):
                scorer.add(luma[:32], luma[:32])
            with self.assertRaisesRegex(ValueError, 'the first one'):
                scorer.add(luma, luma[:32])
            scorer.result()
            self.assertIs(scorer.result(), scorer.result())
            self.assertRaises(ValueError, scorer.add, luma, luma)
        self.assertRaises(ValueError, scorer.add, luma, luma)
        with vmaf_turbo.Scorer(threads=0, bit_depth=10) as scorer:
            with self.assertRaisesRegex(vmaf_turbo.VmafError, 'frame 0'):
                scorer.add(luma.astype('u2') + 2000, luma.astype('u2'))
            scorer.add(luma.astype('u2'), luma.astype('u2'))
            self.assertEqual(len(scorer.result()), 1)

    def test_lists_and_missing_numbers(self):
        report = {'frames': [{'frameNum': 0, 'metrics': {'a': 1}}, {'frameNum': 2, 'metrics': {'a': None, 'b': 2}}],
                  'vmaf_turbo': {'pooled': {'a': {'mean': None}}, 'models': [], 'warnings': [], 'features': []}}
        result = vmaf_turbo.Result(report)
        self.assertEqual(result.frame_numbers, [0, 2])
        self.assertEqual(result.frames['a'][0], 1)
        self.assertTrue(math.isnan(result.frames['a'][1]) and math.isnan(result.frames['b'][0]))
        self.assertTrue(math.isnan(result.pooled['a']['mean']))

    def test_structs(self):
        """Sizes and offsets are those that a C compiler finds in the headers."""
        structs = [('VmafConfiguration', _native.Configuration, {}), ('VmafPicture', _native.Picture, {}),
                   ('VmafPictureConfiguration', _native.PictureConfiguration,
                    {name: f'pic_params.{name}' for name in ('w', 'h', 'bpc', 'pix_fmt')}),
                   ('VmafModelConfig', _native.ModelConfig, {}), ('VmafBuiltinModelInfo', _native.BuiltinModelInfo, {}),
                   ('VmafDeviceInfo', _native.DeviceInfo, {}),
                   ('VmafCudaFrame', _native.DeviceFrame, {'context': 'cu_ctx'}),
                   ('VmafHipFrame', _native.DeviceFrame, {'context': 'hip_ctx'}),
                   ('VmafOptionInfo', _native.OptionInfo, {}), ('VmafDeviceOptions', _native.DeviceOptions, {})]
        lines, want = [], []
        for name, struct, inner in structs:
            for field, *_ in struct._fields_:
                lines.append(f'offsetof({name}, {inner.get(field, field)})')
                want.append(getattr(struct, field).offset)
        for name, struct, _ in structs[:8]:
            lines.append(f'sizeof({name})')
            want.append(ctypes.sizeof(struct))
        for constant, value in [('VMAF_LOG_LEVEL_WARNING', _native.LOG_WARNING), ('VMAF_OUTPUT_FORMAT_JSON', _native.JSON),
                                ('VMAF_POOL_METHOD_MEAN', _native.MEAN), ('VMAF_PIX_FMT_YUV420P', _native.YUV420P),
                                ('VMAF_PIX_FMT_YUV422P', _native.YUV422P), ('VMAF_PIX_FMT_YUV444P', _native.YUV444P),
                                ('VMAF_PIX_FMT_YUV400P', _native.YUV400P)]:
            lines.append(constant)
            want.append(value)
        text = '#include <stddef.h>\n#include <libvmaf/device.h>\n#include <libvmaf/inspect.h>\n'
        text += '#include <libvmaf/libvmaf_cuda.h>\n#include <libvmaf/libvmaf_hip.h>\nint main(void) {\n'
        text += ''.join(f'    printf("%d\\n", (int)({line}));\n' for line in lines) + '    return 0;\n}\n'
        with tempfile.TemporaryDirectory() as folder:
            with open(f'{folder}/layout.c', 'w', encoding='utf-8') as file:
                file.write(text)
            subprocess.run(['cc', f'-I{TREE}/core/include', f'-I{os.path.dirname(LIBVMAF)}/../include',
                            f'{folder}/layout.c', '-o', f'{folder}/layout'], check=True)
            got = subprocess.run([f'{folder}/layout'], check=True, capture_output=True, text=True).stdout.split()
        for line, mine, theirs in zip(lines, want, map(int, got)):
            self.assertEqual(mine, theirs, line)
        self.assertEqual(len(want), len(got))

    def test_other_threads_run(self):
        """Python's lock is released while a pair is scored: another thread gets on during each call."""
        self.assertIsInstance(_native.functions(), ctypes.CDLL)
        self.assertNotIsInstance(_native.functions(), ctypes.PyDLL)
        frame = numpy.random.default_rng(1).integers(0, 256, (1080, 1920), numpy.uint8)
        ticks, ended = [], threading.Event()

        def tick():
            while not ended.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.0005)
        thread = threading.Thread(target=tick)
        old = sys.getswitchinterval()
        sys.setswitchinterval(100)  # the lock is not taken away from a thread that holds it
        try:
            with vmaf_turbo.Scorer(threads=0) as scorer:
                scorer.add(frame, frame)
                thread.start()
                before = len(ticks)
                for _ in range(4):
                    scorer.add(frame, frame)
                during = len(ticks) - before
        finally:
            ended.set()
            thread.join()
            sys.setswitchinterval(old)
        self.assertGreater(during, 12)

    def test_ctrl_c(self):
        """Ctrl-C ends score() with KeyboardInterrupt, and the command with it."""
        clip = Clip(420, 8)
        os.makedirs(f'{WORK}/bin', exist_ok=True)
        slow = f'{WORK}/bin/slow'
        with open(slow, 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\necho $$ > "{WORK}/pid"\nexec sleep 60\n')
        os.chmod(slow, 0o755)
        if os.path.exists(f'{WORK}/pid'):
            os.remove(f'{WORK}/pid')
        program = ('import vmaf_turbo\n'
                   f'try:\n    vmaf_turbo.score({clip.ref!r}, {clip.dist!r})\nexcept KeyboardInterrupt:\n    print("ended")\n')
        child = subprocess.Popen([sys.executable, '-c', program], stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, 'VMAF_TURBO_COMMAND': slow, 'PYTHONPATH': f'{TREE}/python',
                                      'PYTHONDONTWRITEBYTECODE': '1'})
        for _ in range(600):
            if os.path.exists(f'{WORK}/pid') and os.path.getsize(f'{WORK}/pid'):
                break
            time.sleep(0.05)
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=30)[0], 'ended\n')
        with open(f'{WORK}/pid', encoding='utf-8') as file:
            self.assertRaises(ProcessLookupError, os.kill, int(file.read()), 0)

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest('pandas is not installed')
        table = scored(Clip(420, 8)).to_pandas()
        self.assertEqual(len(table), FRAMES)
        self.assertEqual(table.index.name, 'frame')

    def test_another_library(self):
        done = subprocess.run([sys.executable, '-c', 'import vmaf_turbo; vmaf_turbo.version()'], capture_output=True,
                              text=True, env={**os.environ, 'VMAF_TURBO_LIBRARY': ctypes.util.find_library('m') or 'libm.so.6',
                                              'PYTHONPATH': f'{TREE}/python', 'PYTHONDONTWRITEBYTECODE': '1'})
        self.assertIn('VmafError', done.stderr)
        self.assertEqual(vmaf_turbo.version(), vmaf_turbo.__version__)


if __name__ == '__main__':
    import ctypes.util
    os.makedirs(WORK, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
