#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Times whole runs of the vmaf command, in turns with another vmaf if one is given, and compares them with bounds.

usage: bench.py VMAF SYNTHCLIP [options]
  --reference PATH    another vmaf binary, measured in the same run (also: VMAF_REFERENCE=PATH); bench/ffmpeg_vmaf.py is
                      one that runs FFmpeg's filter
  --their-cpu WORDS   options that keep the other one on the CPU ('--gpumask -1')
  --their-gpu WORDS   options that let it run on a GPU (none: libvmaf built with CUDA does so by default)
  --tolerance X       how far its scores may be from ours (0.01)
  --sizes S,...       576x324,1920x1080,3840x2160
  --depths D,...      8,10
  --threads T,...     1, 2 and as many as there are cores (0 runs all work in the caller; both mean one busy core)
  --features F,...    default,vif,adm,motion,...: `default` is the default model
  --backends B,...    cpu, vulkan, cuda, …: all except cpu are passed to --backend, and every score is compared
                      with the CPU's
  --arg WORD          an option for our command when it runs on a GPU; may be repeated
  --rounds N          runs of each command for a row (3)
  --seconds N         add runs, up to ten, while they take less than this together (5)
  --pairs N,...       for each size: repeat its clip until it has this many pairs, for fast devices
  --dir DIR           where clips go (a folder in memory is best: /dev/shm)
  --kernels           on a GPU, also the time of each feature's kernels, one after another, and of a frame with kernels
                      side by side, both from the device's time stamps
  --rates FILE        JSON: bytes a second of `upload` and `memory`, and `operations` a second of the device, for the
                      bounds; without it they are read from an NVIDIA device (bench/nvidia.py)
  --device N          that device (0)
  --svg FILE          draws the frames per second
  --roofline FILE     draws them with their bounds
  --markdown FILE     appends the tables
  --json FILE         writes the rows

A machine is noisy, so the figures to trust are the ratios: every row is measured ours, theirs, ours, theirs, and the
median of each counts. `fps` divides by the whole run of the command, start-up included; `scoring` by the time from the
first pair to the last score, as our report has it. Cycles a pixel are the CPU time of the process times the nominal
frequency, over the luma pixels of the clip; B/px is what they take in both files. Peak memory is that of the process
(on Linux at least about 15 MiB, the memory of Python, which starts it). `their cycles` are those of the other
one: on a busy machine, cycles are more reliable than frames a second. `scores` is the largest difference
between ours and theirs. Bounds are frames a second, of the default model (bench/bounds.py); `of bound` is the share of
the lowest one that scoring reaches. A comparison ends with the version and the instruction set of both, and the median of
all ratios.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

import about
import bounds
import figures
import runs
import tables
from clips import Clip

FEATURES = ('default,vif,adm,motion,psnr,float_ssim,float_ms_ssim,psnr_hvs,ciede,cambi,'
            'float_vif,float_adm,float_motion,speed_chroma,speed_temporal')
HERE = os.path.dirname(os.path.abspath(__file__))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument('vmaf')
    parser.add_argument('synthclip')
    parser.add_argument('--reference', default=os.environ.get('VMAF_REFERENCE'))
    parser.add_argument('--their-cpu', type=shlex.split, default=['--gpumask', '-1'])
    parser.add_argument('--their-gpu', type=shlex.split, default=[])
    parser.add_argument('--tolerance', type=float, default=0.01)
    parser.add_argument('--sizes', default='576x324,1920x1080,3840x2160')
    parser.add_argument('--depths', default='8,10')
    parser.add_argument('--threads', default=','.join(str(n) for n in sorted({1, 2, os.cpu_count() or 1})))
    parser.add_argument('--features', default=FEATURES)
    parser.add_argument('--backends', default='cpu')
    parser.add_argument('--arg', action='append', default=[])
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=5.0)
    parser.add_argument('--frames', type=int, default=0, help='of each clip, before it is repeated; 0: by its size')
    parser.add_argument('--pairs', default='0')
    parser.add_argument('--kernels', action='store_true')
    parser.add_argument('--rates')
    parser.add_argument('--device', type=int, default=0)
    parser.add_argument('--dir')
    parser.add_argument('--svg')
    parser.add_argument('--roofline')
    parser.add_argument('--markdown')
    parser.add_argument('--json')
    return parser.parse_args()


def ask(script, *words):
    """Runs a script in its own process, because memory of this one would count in the processes started here."""
    return subprocess.run([sys.executable, f'{HERE}/{script}', *words], capture_output=True, text=True)


def gpu_rates(args):
    """Returns the device's rates, or {} if they are unknown."""
    if args.rates:
        with open(args.rates) as file:
            return json.load(file)
    asked = ask('nvidia.py', str(args.device))
    if asked.returncode:
        print(f'No bounds of the device: {asked.stderr.strip()}', flush=True)
        return {}
    return json.loads(asked.stdout)


def cpu_rates():
    about = bounds.cpu_information()
    return {'hertz': bounds.nominal_hertz(about), 'lanes': bounds.vector_lanes(about), 'memory': float(ask('bounds.py').stdout)}


def describe(rates):
    words = [f'{name} {rates[name] / 1e9:.1f} {unit}' for name, unit in
             (('upload', 'GB/s'), ('memory', 'GB/s'), ('operations', 'G/s'), ('hertz', 'GHz')) if rates.get(name)]
    if rates.get('lanes'):
        words.append(f'{rates["lanes"]} multiply-adds a clock')
    return f'{rates.get("name", "This CPU")}: ' + ', '.join(words)


def feature_words(feature):
    return [] if feature == 'default' else ['--no_prediction', '--feature', feature]


def commands(args, clip, feature, threads, backend):
    """Returns our command, and the other one if there is one."""
    words = [*clip.words(), *feature_words(feature), '--threads', str(threads if threads != 1 else 0)]
    where = [] if backend == 'cpu' else ['--backend', backend, *args.arg]
    found = [[args.vmaf, *words, *where]]
    if args.reference:
        found.append([args.reference, *words, *(args.their_cpu if backend == 'cpu' else args.their_gpu)])
    return found


def check_equal(args, clip, feature, backend):
    """Raises unless every score of the backend equals the CPU's to the last bit. Checks a few frames; the gate
    (scripts/ci) checks more."""
    words = [args.vmaf, *clip.words(), *feature_words(feature), '--frame_cnt', '12', '--threads', str(os.cpu_count()),
             '--precision', 'max']
    cpu = runs.Run(words).report
    gpu = runs.Run([*words, *args.arg, '--backend', backend]).report
    if 'backends' not in gpu:
        raise runs.Failed(f'{feature}: the run on {backend} does not say that it ran there')
    if cpu['frames'] != gpu['frames']:
        raise runs.Failed(f'{feature} at {clip.size}: {backend} and CPU differ')


def measured(clip, done, hertz):
    """Returns the figures of the runs of one command."""
    cpu_seconds = runs.median([run.cpu for run in done])
    return {'fps': clip.frames / runs.median([run.wall for run in done]), 'memory': max(run.memory for run in done),
            'cycles': cpu_seconds * hertz / (clip.pixels * clip.frames) if hertz else None}


def compared(args, ours, theirs):
    difference = runs.difference(ours, theirs)
    if difference > args.tolerance:
        raise runs.Failed(f'the scores differ by {difference:g}')
    return 'equal' if difference == 0 else f'{difference:.0e}'


def bounds_of(clip, threads, backend, rates):
    if backend == 'cpu':
        return bounds.cpu(clip.pixels, clip.depth, max(threads, 1), rates['cpu'])
    return bounds.gpu(clip.pixels, clip.depth, rates['gpu'])


def row(args, clip, feature, threads, backend, rates):
    if backend != 'cpu':
        check_equal(args, clip, feature, backend)
    turns = commands(args, clip, feature, threads, backend)
    ours, *theirs = runs.in_turns(turns, args.rounds, args.seconds)
    hertz = rates['cpu'].get('hertz')
    found = {'size': clip.size, 'depth': clip.depth, 'feature': feature, 'threads': threads, 'backend': backend,
             'pairs': clip.frames, 'bytes': bounds.pair_bytes(1, clip.depth), **measured(clip, ours, hertz),
             'scoring_fps': runs.median([run.report['fps'] or 0.0 for run in ours]),
             'about': about.of_run(ours[0], bounds.cpu_information())}
    if theirs:
        found['their_about'] = about.of_run(theirs[0][0], bounds.cpu_information())
        found.update({f'their_{name}': value for name, value in measured(clip, theirs[0], hertz).items()})
        found.update(ratio=found['fps'] / found['their_fps'], difference=compared(args, ours[0], theirs[0][0]))
    limits = bounds_of(clip, threads, backend, rates) if feature == 'default' else {}
    found.update({f'bound_{name}': value for name, value in limits.items()})
    if limits:
        found['share'] = found['scoring_fps'] / min(limits.values())
    if args.kernels and backend != 'cpu':
        found['by_feature'] = runs.kernel_times(runs.Run(turns[0], {'VMAF_GPU_PROFILE': '1'}).text)
        found['kernels'] = sum(found['by_feature'].values())
        found['frame'] = runs.frame_time(runs.Run(turns[0], {'VMAF_GPU_PROFILE': 'frames'}).text)
    return found


def keys(args):
    """Returns the keys that rows of this run may have. They are known before the first row."""
    found = {'size', 'depth', 'feature', 'threads', 'backend', 'pairs', 'fps', 'scoring_fps', 'cycles', 'bytes', 'memory'}
    if args.reference:
        found |= {'their_fps', 'their_cycles', 'their_memory', 'ratio', 'difference'}
    if args.kernels:
        found |= {'kernels', 'frame'}
    if 'default' in args.features.split(','):
        found |= {'bound_memory', 'bound_operations', 'share'}
        found |= {'bound_upload'} if args.backends != 'cpu' else set()
    return found


def clips_of(args, folder):
    sizes, pairs = args.sizes.split(','), [int(n) for n in args.pairs.split(',')]
    if len(pairs) not in (1, len(sizes)):
        raise runs.Failed('--pairs wants one number, or one for each size')
    for size, count in zip(sizes, pairs if len(pairs) > 1 else pairs * len(sizes)):
        for depth in (int(d) for d in args.depths.split(',')):
            clip = Clip(args.synthclip, folder, size, depth, args.frames, count)
            yield clip
            clip.remove()


def measure(args, columns, rates):
    rows = []
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        for clip in clips_of(args, folder):
            for backend in args.backends.split(','):
                for feature in args.features.split(','):
                    for threads in (int(t) for t in args.threads.split(',')):
                        rows.append(row(args, clip, feature, threads, backend, rates))
                        print(tables.line(tables.cells(rows[-1], columns), columns), flush=True)
                        for name, microseconds in rows[-1].get('by_feature', {}).items():
                            print(f'{"":12}kernels of {name}: {microseconds:.1f} us a frame', flush=True)
    return rows


def write(path, text, mode='w'):
    if path and text is not None:
        with open(path, mode) as file:
            file.write(text)


def main():
    args = options()
    backends = args.backends.split(',')
    rates = {'cpu': cpu_rates() if 'cpu' in backends else {'hertz': bounds.nominal_hertz(bounds.cpu_information())},
             'gpu': gpu_rates(args) if backends != ['cpu'] else {}}
    for kind in ('cpu', 'gpu'):
        if any((backend == 'cpu') == (kind == 'cpu') for backend in backends) and rates[kind]:
            print(describe(rates[kind]))
    columns = tables.used(keys(args))
    print(tables.heading(columns))
    try:
        rows = measure(args, columns, rates)
    except runs.Failed as failure:
        sys.exit(str(failure))
    for line in about.summary(rows, args.reference):
        print(line)
    write(args.svg, figures.bars(rows))
    write(args.roofline, figures.roofline(rows))
    write(args.markdown, tables.markdown(rows, columns), 'a')
    write(args.json, json.dumps({'rates': rates, 'rows': rows}, indent=1))


main()
