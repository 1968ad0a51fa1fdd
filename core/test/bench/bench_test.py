# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests the benchmarks: two commands run in turns, different scores are noticed, bounds equal those
computed by hand, and tables and figures contain what was measured. It does not judge speed.

usage: bench_test.py BENCH VMAF SYNTHCLIP WORKDIR [EMULATORS]
"""
import argparse
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import unittest
import xml.etree.ElementTree

BENCH, VMAF, SYNTHCLIP, WORK = (os.path.abspath(path) for path in sys.argv[1:5])
EMULATORS = sys.argv[5] if len(sys.argv) > 5 else None
sys.dont_write_bytecode = True
sys.path.insert(0, BENCH)
import about  # noqa: E402
import bounds  # noqa: E402
import clips  # noqa: E402
import files  # noqa: E402
import figures  # noqa: E402
import runs  # noqa: E402
import tables  # noqa: E402

HAS_X264 = shutil.which('ffmpeg') and 'libx264' in subprocess.run(['ffmpeg', '-hide_banner', '-encoders'], capture_output=True,
                                                                   text=True, check=False).stdout
H200 = {'upload': 55e9, 'memory': 4.8e12, 'operations': 132 * 64 * 1.98e9}
TINY = ['--sizes', '64x64', '--depths', '8', '--threads', '1', '--features', 'default', '--frames', '2', '--rounds', '2',
        '--seconds', '0']


def wrapper(name, before, words=''):
    """Writes a script that runs the shell code `before`, then the real command with its arguments
    and `words`."""
    path = f'{WORK}/{name}'
    with open(path, 'w') as file:
        file.write(f'#!/bin/sh\n{before}\nexec "{VMAF}" "$@" {words}\n')
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def bench(*words, environment=None):
    words = [sys.executable, f'{BENCH}/bench.py', *words, '--dir', WORK]
    return subprocess.run(words, capture_output=True, text=True,
                          env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1', **(environment or {})})


class About(unittest.TestCase):
    def test_a_reference_that_says_little(self):
        run = argparse.Namespace(report={'version': '3.2.0'})
        self.assertEqual(about.text(about.of_run(run, 'flags : fpu ssse3 avx2 avx512f avx512bw')),
                         'libvmaf 3.2.0, AVX-512, the best of this CPU (it does not say)')
        self.assertEqual(about.of_run(run, '')['instruction_set'], 'unknown instruction set')

    def test_ratio(self):
        own = {'program': 'vmaf-turbo', 'version': '3.2.0', 'instruction_set': 'AVX2'}
        rows = [{'ratio': ratio, 'about': own, 'their_about': own} for ratio in (3.0, 1.5, 2.0)]
        self.assertEqual(about.summary(rows, 'x/vmaf')[1:], ['Reference: vmaf-turbo 3.2.0, AVX2; x/vmaf',
                                                           'Ratio: 2.00x (median of 3 rows, 1.50x to 3.00x)'])
        self.assertEqual(about.summary([{'about': own}], None), [])


class Bounds(unittest.TestCase):
    def test_gpu(self):
        pixels = 1920 * 1080
        limits = bounds.gpu(pixels, 8, H200)
        self.assertEqual(round(1e6 / limits['upload'], 1), 75.4)
        self.assertEqual(round(1e6 * 212 * pixels / H200['operations'], 1), 26.3)
        self.assertEqual(round(1e6 / limits['operations'], 1), 39.9)
        self.assertEqual(limits['memory'], 4.8e12 / (7 * pixels))
        deep = bounds.gpu(pixels, 10, H200)
        self.assertEqual(limits['upload'], 2 * deep['upload'])
        self.assertEqual(limits['operations'], deep['operations'])
        self.assertEqual(bounds.gpu(pixels, 8, {'upload': 1e9}).keys(), {'upload'})

    def test_cpu(self):
        rates = {'memory': 1e10, 'hertz': 2e9, 'lanes': 32}
        self.assertEqual(bounds.cpu(1000, 8, 3, rates), {'memory': 5e6, 'operations': 3 * 2e9 * 32 / 322000})
        self.assertEqual(bounds.cpu(1000, 8, 1, {}), {})

    def test_information(self):
        about = 'cpu MHz\t\t: 2000.5\nflags\t\t: sse4_1 avx2 avx512f\ncpu MHz : 2600.0\nflags : sse4_1 avx2\n'
        self.assertEqual(bounds.nominal_hertz(about), 2.6e9)
        self.assertEqual(bounds.vector_lanes(about), 32)
        self.assertEqual(bounds.vector_lanes('flags : avx2 avx512bw\n'), 64)
        self.assertIsNone(bounds.vector_lanes('flags : none\n'))
        self.assertIsNone(bounds.nominal_hertz(''))


class Clips(unittest.TestCase):
    def test_pairs(self):
        clip = clips.Clip(SYNTHCLIP, WORK, '16x16', 10, frames=3, pairs=7)
        self.assertEqual(clip.frames, 9)
        for path in clip.paths:
            with open(path, 'rb') as file:
                data = file.read()
            self.assertEqual(len(data), 9 * 16 * 16 * 3)
            self.assertEqual(data[:len(data) // 3] * 3, data)
        clip.remove()
        self.assertFalse(any(os.path.exists(path) for path in clip.paths))


def measure_files(*words):
    words = [sys.executable, f'{BENCH}/files.py', VMAF, '--synthclip', SYNTHCLIP, '--dir', WORK, '--rounds', '1', '--size', '64x64',
             '--frames', '8', *words]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1'}, timeout=300)
    lines = [line for line in done.stdout.splitlines()[2:] if line.startswith('|')]
    rows = [[cell.strip(' `') for cell in line.split('|')[1:-1]] for line in lines]
    return done, {row[0]: row[1:] for row in rows}


@unittest.skipUnless(HAS_X264, 'no ffmpeg with libx264')
class Files(unittest.TestCase):
    def test_rows(self):
        """Every way of decoding has its row, and rows that score are compared with the plain one."""
        done, rows = measure_files('--backends', 'host', '--arg=--allow_software')
        self.assertEqual(list(rows), ['decode', 'vmaf', 'vmaf --backend host'])
        if rows['vmaf --backend host'][0] == 'failed':
            self.assertEqual(done.returncode, 1)
        else:
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(rows['vmaf --backend host'][3], 'equal')
        self.assertTrue(rows['vmaf'][1].endswith('%'), rows)
        decoding, ours = (float(rows[name][0]) for name in ('decode', 'vmaf'))
        self.assertAlmostEqual(decoding and ours / decoding, float(rows['vmaf'][1][:-1]) / 100, 1)

    def test_clips(self):
        done, rows = measure_files('--clips', '2')
        self.assertEqual((done.returncode, list(rows)), (0, ['decode', 'vmaf', '2 times vmaf', 'vmaf --pairs']), done.stderr)
        self.assertEqual([rows[name][3] for name in ('2 times vmaf', 'vmaf --pairs')], ['equal'] * 2)

    def test_failure(self):
        done, rows = measure_files('--backends', 'nonsense')
        self.assertEqual(done.returncode, 1)
        self.assertEqual(rows['vmaf --backend nonsense'][0], 'failed')
        self.assertIn('nonsense', done.stderr)

    def test_ladder(self):
        done, rows = measure_files('--ladder', '64x64,32x32', '--crf', '20,40')
        self.assertEqual((done.returncode, list(rows)[:4]),
                         (0, ['decode', 'vmaf', 'vmaf, first encode alone', 'decode, other encodes alone']), done.stderr)
        self.assertRegex(done.stdout, r'The other encodes cost -?[0-9.]+ CPU seconds more than one encode; decoding them alone costs [0-9.]+')

    def test_ladder_is_compared(self):
        """Scores of every encode count, not only those of the first."""
        paths = [f'{WORK}/report{number}.json' for number in range(2)]
        for number, path in enumerate(paths):
            with open(path, 'w') as file:
                json.dump({'frames': [{'frameNum': 3, 'metrics': {'vmaf': number}}]}, file)
        self.assertEqual(files.read_reports(paths), {'frames': [{'frameNum': 3, 'metrics': {'vmaf': 0, '1:vmaf': 1}}]})
        self.assertFalse(any(os.path.exists(path) for path in paths))

    def test_sets(self):
        done, _ = measure_files('--sets', 'h264,nonsense')
        self.assertEqual(done.returncode, 2)
        self.assertIn('there is no set nonsense', done.stderr)
        done, _ = measure_files('--sets', 'scaled', '--size', '1920x1080', '--frames', '2')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r'scaled: [1-9][0-9]* frames of 1920x1080, 8 bits, libx264')

    def test_given(self):
        done, _ = measure_files('--reference', 'x.mp4')
        self.assertEqual(done.returncode, 2)
        done, rows = measure_files('--reference', 'missing.mp4', '--distorted', 'missing.mp4')
        self.assertEqual((done.returncode, rows['vmaf'][0]), (1, 'failed'))

    def test_compare(self):
        def row(value, digits=None):
            made = files.Row('name', [], logs=['log'], digits=digits)
            made.runs = [argparse.Namespace(report={'frames': [{'frameNum': 0, 'metrics': {'vmaf': value}}]})]
            return made
        self.assertEqual(files.compare(row(90.0), row(90.0)), 'equal')
        self.assertEqual(files.compare(row(90.0), row(90.25)), '0.25')
        self.assertEqual(files.compare(row(90.0000004), row(90.0)), '4e-07')
        self.assertEqual(files.compare(row(90.0, 6), row(90.0000004)), 'equal')
        self.assertIn('None', files.compare(row(90.0), row(None)))


class Turns(unittest.TestCase):
    def test_in_turns(self):
        """Our command and the other one run in turns, each with its own options."""
        log = f'{WORK}/log'
        ours = wrapper('ours', f'echo "ours $*" >> "{log}"')
        theirs = wrapper('theirs', f'echo "theirs $*" >> "{log}"')
        out = f'{WORK}/rows.json'
        table, figure, roofs = (f'{WORK}/{name}' for name in ('table.md', 'bars.svg', 'roofs.svg'))
        done = bench(ours, SYNTHCLIP, *TINY, '--json', out, '--markdown', table, '--svg', figure, '--roofline', roofs,
                     environment={'VMAF_REFERENCE': theirs})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(log) as file:
            calls = file.read().splitlines()
        self.assertEqual([call.split()[0] for call in calls], ['ours', 'theirs'] * 2)
        self.assertEqual(['--gpumask -1' in call for call in calls], [False, True] * 2)
        with open(out) as file:
            row, = json.load(file)['rows']
        self.assertEqual((row['pairs'], row['difference'], row['bytes']), (2, 'equal', 2))
        self.assertEqual(row['ratio'], row['fps'] / row['their_fps'])
        with open(table) as file:
            head, rule, line = (text.split('|') for text in file.read().splitlines())
        self.assertEqual(len({len(head), len(rule), len(line)}), 1)
        self.assertIn(' their fps ', head)
        for path in (figure, roofs):
            drawn = xml.etree.ElementTree.parse(path).getroot()
            self.assertIn('64x64 8-bit default cpu x1', ''.join(drawn.itertext()))

    def test_other_scores(self):
        theirs = wrapper('other', '', '--model version=vmaf_v0.6.1neg')
        done = bench(VMAF, SYNTHCLIP, *TINY, '--reference', theirs, '--tolerance', '0')
        self.assertEqual(done.returncode, 1)
        self.assertIn('the scores differ by', done.stderr)

    def test_the_cpu_is_the_cpu(self):
        """VMAF_BACKEND does not move the runs on the CPU, which others are compared with, to a GPU."""
        done = bench(VMAF, SYNTHCLIP, *TINY, environment={'VMAF_BACKEND': 'nonsense'})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_failure(self):
        theirs = wrapper('failing', 'exit 3')
        done = bench(VMAF, SYNTHCLIP, *TINY, '--reference', theirs)
        self.assertEqual(done.returncode, 1)
        self.assertIn('exit 3', done.stderr)

    def test_difference(self):
        def report(**scores):
            found = runs.Run.__new__(runs.Run)
            found.report = {'frames': [{'frameNum': 0, 'metrics': scores}]}
            return found
        self.assertEqual(runs.difference(report(a=1.0, b=None, c=5.0), report(a=1.5, b=None, d=0.0)), 0.5)
        with self.assertRaises(runs.Failed):
            runs.difference(report(a=None), report(a=1.0))
        with self.assertRaises(runs.Failed):
            runs.difference(report(a=1.0), report(b=1.0))


    def test_kernel_times(self):
        said = ('gpu profile: vif stage 0 vif_stats_0_8 7.5 us\ngpu profile: 3 frames, 7.50 us of kernels each\n'
                'gpu profile: vif              stage 0 vif_stats_0_8                 10.25 us\n'
                'gpu profile: adm              stage 0 adm_split_0_8                 1.00 us\n'
                'gpu profile: vif              stage 1 vif_stats_1                   2.25 us\n'
                'gpu profile: 40 frames, 13.50 us of kernels each\n')
        self.assertEqual(runs.kernel_times(said), {'vif': 12.5, 'adm': 1.0})

    def test_frame_time(self):
        said = ('gpu profile: 3 frames by themselves, 900.00 us each\ngpu profile: 40 frames by themselves, 120.50 us each\n'
                'gpu profile: 3 frames by themselves, 950.00 us each\n')
        self.assertEqual(runs.frame_time(said), 120.5)
        self.assertIsNone(runs.frame_time('nothing'))


class Figures(unittest.TestCase):
    ROW = {'size': '64x64', 'depth': 8, 'feature': 'default', 'backend': 'cuda', 'threads': 1, 'fps': 100.0,
           'scoring_fps': 200.0, 'their_fps': 10.0, 'bound_upload': 1000.0, 'bound_operations': 10000.0}

    def test_roofline(self):
        """In the drawing a bound is to the right of the speed it limits, and decades are equally
        wide."""
        drawn = figures.roofline([self.ROW])
        at = {word: float(x) for x, word in re.findall(r'cx="([\d.]+)".*?<title>(\w+)', drawn)}
        at.update({word: float(x) for x, word in re.findall(r'x1="([\d.]+)".*?<title>(\w+)', drawn)})
        self.assertLess(at['reference'], at['whole'])
        self.assertLess(at['whole'], at['scoring'])
        self.assertLess(at['scoring'], at['upload'])
        self.assertAlmostEqual(at['arithmetic'] - at['upload'], at['upload'] - at['whole'], 0)
        self.assertIsNone(figures.roofline([{**self.ROW, 'bound_upload': None, 'bound_operations': None}]))

    def test_blank(self):
        columns = tables.used({'size', 'ratio', 'share'})
        self.assertEqual(tables.cells({'size': '1x1', 'share': 0.5}, columns), ['1x1', '', '50%'])


@unittest.skipUnless(EMULATORS, 'no fake drivers')
class Device(unittest.TestCase):
    ENVIRONMENT = {'LD_LIBRARY_PATH': EMULATORS}

    def test_rates(self):
        done = subprocess.run([sys.executable, '-B', f'{BENCH}/nvidia.py', '0'], capture_output=True, text=True,
                              env={**os.environ, **self.ENVIRONMENT})
        self.assertEqual(done.returncode, 0, done.stderr)
        rates = json.loads(done.stdout)
        self.assertEqual(rates['operations'], 4 * 64 * 1e9)
        self.assertGreater(rates['upload'], 0)
        self.assertGreater(rates['memory'], 0)

    def test_unknown_device(self):
        done = subprocess.run([sys.executable, '-B', f'{BENCH}/nvidia.py', '99'], capture_output=True, text=True,
                              env={**os.environ, **self.ENVIRONMENT})
        self.assertEqual(done.returncode, 1)
        self.assertIn('cuDeviceGet: error', done.stderr)

    def test_host(self):
        """A device's row in the table contains kernel times and bounds."""
        rates, out = f'{WORK}/rates.json', f'{WORK}/host.json'
        with open(rates, 'w') as file:
            json.dump(H200, file)
        done = bench(VMAF, SYNTHCLIP, *TINY, '--backends', 'host', '--arg=--allow_software', '--kernels', '--rates', rates,
                     '--json', out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out) as file:
            row, = json.load(file)['rows']
        self.assertEqual(row['bound_upload'], 55e9 / (2 * 64 * 64))
        self.assertEqual(set(row['by_feature']), {'vif', 'adm', 'motion'})


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
unittest.main(argv=sys.argv[:1])
