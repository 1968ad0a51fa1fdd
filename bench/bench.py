#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Times whole runs of the vmaf command, side by side with another one if there is one.

usage: bench.py VMAF SYNTHCLIP [options]
  --reference PATH    another vmaf binary, measured in the same run (also: VMAF_REFERENCE=PATH)
  --sizes S,...       576x324,1920x1080,3840x2160
  --depths D,...      8,10
  --threads T,...     1,2,4 (0 runs all work in the caller; both mean one busy core)
  --features F,...    default,vif,adm,motion,...: `default` is the default model
  --backends B,...    cpu, vulkan, cuda, …: others than cpu are asked for by --backend, and every score is checked
                      against the CPU's
  --arg WORD          passed on to our command when it runs on a GPU; may be repeated
  --seconds N         how long one measurement should last (5)
  --repeat N          makes each clip N times as long by repeating it, for devices that outrun it
  --dir DIR           where clips go (a folder in memory is best)
  --kernels           on a GPU, also the time of each feature's kernels, from the device's time stamps
  --svg FILE          draws the frames per second
  --markdown FILE     appends the tables

A machine is noisy, so the figures to trust are the ratios: every row is measured ours, theirs, ours,
theirs, and the best of each counts. Cycles a pixel are the CPU time of the process times the nominal
frequency, over the luma pixels of the clip. `fps` divides by the whole run of the command, start-up
included; `scoring` by the time from the first pair to the last score, as the report has it. Peak memory is that of the process.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

FEATURES = ('default,vif,adm,motion,psnr,float_ssim,float_ms_ssim,psnr_hvs,ciede,cambi,'
            'float_vif,float_adm,float_motion,speed_chroma,speed_temporal')


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('vmaf')
    parser.add_argument('synthclip')
    parser.add_argument('--reference', default=os.environ.get('VMAF_REFERENCE'))
    parser.add_argument('--sizes', default='576x324,1920x1080,3840x2160')
    parser.add_argument('--depths', default='8,10')
    parser.add_argument('--threads', default='1,2,4')
    parser.add_argument('--features', default=FEATURES)
    parser.add_argument('--backends', default='cpu')
    parser.add_argument('--arg', action='append', default=[])
    parser.add_argument('--seconds', type=float, default=5.0)
    parser.add_argument('--frames', type=int, default=0, help='of each clip; 0: by its size')
    parser.add_argument('--kernels', action='store_true')
    parser.add_argument('--repeat', type=int, default=1)
    parser.add_argument('--dir')
    parser.add_argument('--svg')
    parser.add_argument('--markdown')
    return parser.parse_args()


def nominal_hertz():
    try:
        text = open('/proc/cpuinfo').read()
    except OSError:
        return None
    rates = [float(m) for m in re.findall(r'cpu MHz\s*:\s*([\d.]+)', text)]
    return max(rates) * 1e6 if rates else None


class Clip:
    """A generated pair on disk, made once."""

    def __init__(self, args, folder, size, depth):
        self.width, self.height = (int(n) for n in size.split('x'))
        self.depth = depth
        pixels = self.width * self.height
        self.frames = args.frames or max(8, min(120, 80_000_000 // pixels))
        self.paths = [f'{folder}/bench_{size}_{depth}_{side}.yuv' for side in ('ref', 'dist')]
        subprocess.run([args.synthclip, 'mix', str(self.width), str(self.height), '420', str(depth),
                        str(self.frames), *self.paths], check=True)
        for path in self.paths if args.repeat > 1 else []:
            self.lengthen(path, args.repeat)
        self.frames *= args.repeat

    @staticmethod
    def lengthen(path, times):
        """In small pieces: a large process here would show as the peak memory of those it starts."""
        size = os.path.getsize(path)
        with open(path, 'rb') as source, open(path, 'ab') as target:
            for _ in range(times - 1):
                source.seek(0)
                for at in range(0, size, 1 << 20):
                    target.write(source.read(min(1 << 20, size - at)))

    def words(self):
        return ['-r', self.paths[0], '-d', self.paths[1], '-w', str(self.width), '-h',
                str(self.height), '-p', '420', '-b', str(self.depth)]

    def remove(self):
        for path in self.paths:
            os.unlink(path)


class Run:
    """One run of a command: wall and CPU seconds, peak memory, scores."""

    def __init__(self, binary, clip, words, scores=None, environment=None):
        with tempfile.NamedTemporaryFile(suffix='.json') as log:
            command = [binary, *clip.words(), '-q', '--json', '-o', log.name, *words]
            if scores:
                command += ['--precision', 'max']
            start = time.monotonic()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env={**os.environ, **(environment or {})})
            self.text = message = process.stderr.read().decode(errors='replace')
            _, status, usage = os.wait4(process.pid, 0)
            self.wall = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f'{" ".join(command)}\nexit {process.returncode}: {message}')
            self.cpu = usage.ru_utime + usage.ru_stime
            self.memory = usage.ru_maxrss / 1024
            self.log = json.load(open(log.name))


def feature_words(feature):
    return [] if feature == 'default' else ['--no_prediction', '--feature', feature]


def best_of(runs):
    return min(runs, key=lambda run: run.wall)


def measure(args, clip, feature, threads, backend):
    """Best runs of ours and of the reference, alternating so that noise hits both."""
    words = feature_words(feature) + ['--threads', str(threads if threads != 1 else 0)]
    ours_words = words + ([] if backend == 'cpu' else ['--backend', backend, *args.arg])
    ours, theirs, spent = [], [], 0.0
    while not ours or (spent < args.seconds and len(ours) < 10):
        ours.append(Run(args.vmaf, clip, ours_words))
        if args.reference and backend == 'cpu':
            theirs.append(Run(args.reference, clip, words))
        spent += ours[-1].wall + (theirs[-1].wall if theirs else 0)
    return best_of(ours), best_of(theirs) if theirs else None


def check_equal(args, clip, feature, backend):
    """Every score of the backend must be the CPU's, to the last bit. A few frames will do: the gate
    (scripts/ci) is the place for more."""
    words = feature_words(feature) + ['--frame_cnt', '12', '--threads', str(os.cpu_count())]
    cpu = Run(args.vmaf, clip, words, scores=True).log
    gpu = Run(args.vmaf, clip, words + args.arg + ['--backend', backend], scores=True).log
    if 'backends' not in gpu:
        sys.exit(f'{feature}: the run on {backend} does not say that it ran there')
    if cpu['frames'] != gpu['frames'] and feature != 'ciede':  # it promises a bound
        sys.exit(f'{feature} at {clip.width}x{clip.height}: {backend} and CPU differ')


def kernel_times(args, clip, feature, backend):
    """Microseconds a frame by feature. Profiling runs the passes one after another."""
    words = feature_words(feature) + args.arg + ['--backend', backend]
    text = Run(args.vmaf, clip, words, environment={'VMAF_GPU_PROFILE': '1'}).text
    times = {}
    for name, time in re.findall(r'gpu profile: (\w+) +stage \d+ \w+ +([\d.]+) us', text):
        times[name] = times.get(name, 0.0) + float(time)
    return times


def row(args, clip, feature, threads, backend, hertz):
    ours, theirs = measure(args, clip, feature, threads, backend)
    if backend != 'cpu':
        check_equal(args, clip, feature, backend)
    pixels = clip.width * clip.height * clip.frames
    return {
        'size': f'{clip.width}x{clip.height}', 'depth': clip.depth, 'feature': feature,
        'threads': threads, 'backend': backend, 'fps': clip.frames / ours.wall,
        'scoring_fps': ours.log['fps'] or 0.0,
        'cycles': ours.cpu * hertz / pixels if hertz else 0.0, 'memory': ours.memory,
        'their_fps': clip.frames / theirs.wall if theirs else None,
        'their_memory': theirs.memory if theirs else None,
        'ratio': theirs.wall / ours.wall if theirs else None,
    }


HEADER = ('size', 'bits', 'feature', 'threads', 'backend', 'fps', 'scoring', 'cycles/px', 'MiB', 'their fps',
          'their MiB', 'speed-up')


def cells(r):
    other = ('', '', '')
    if r['their_fps'] is not None:
        other = (f'{r["their_fps"]:.1f}', f'{r["their_memory"]:.0f}', f'{r["ratio"]:.2f}x')
    return (r['size'], str(r['depth']), r['feature'], str(r['threads']), r['backend'],
            f'{r["fps"]:.1f}', f'{r["scoring_fps"]:.1f}', f'{r["cycles"]:.1f}', f'{r["memory"]:.0f}', *other)


def markdown(rows):
    lines = ['| ' + ' | '.join(HEADER) + ' |', '|' + '---|' * len(HEADER)]
    lines += ['| ' + ' | '.join(cells(r)) + ' |' for r in rows]
    return '\n'.join(lines) + '\n'


def svg(rows):
    """Horizontal bars: frames per second of each row, ours above theirs."""
    scale = 560 / max(max(r['fps'], r['their_fps'] or 0) for r in rows)
    out, y = [], 40
    for r in rows:
        label = f'{r["size"]} {r["depth"]}-bit {r["feature"]} {r["backend"]} x{r["threads"]}'
        out.append(f'<text x="290" y="{y + 11}" text-anchor="end">{label}</text>')
        for fps, colour in ((r['fps'], '#2a6fdb'), (r['their_fps'], '#b0b7c3')):
            if fps is None:
                continue
            out.append(f'<rect x="300" y="{y}" width="{max(fps * scale, 1):.1f}" height="12" fill="{colour}"/>')
            out.append(f'<text x="{306 + fps * scale:.1f}" y="{y + 10}">{fps:.1f}</text>')
            y += 14
        y += 6
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="940" height="{y + 10}" '
            'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n'
            '<text x="300" y="24" font-size="14">frames per second (blue: vmaf-turbo, grey: reference)</text>\n'
            + '\n'.join(out) + '\n</svg>\n')


def main():
    args = options()
    hertz = nominal_hertz()
    rows = []
    widths = (10, 4, 15, 7, 7, 9, 9, 9, 6, 9, 9, 8)
    print('  '.join(name.rjust(width) for name, width in zip(HEADER, widths)))
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        for size in args.sizes.split(','):
            for depth in (int(d) for d in args.depths.split(',')):
                clip = Clip(args, folder, size, depth)
                for backend in args.backends.split(','):
                    for feature in args.features.split(','):
                        for threads in (int(t) for t in args.threads.split(',')):
                            rows.append(row(args, clip, feature, threads, backend, hertz))
                            print('  '.join(c.rjust(w) for c, w in zip(cells(rows[-1]), widths)),
                                  flush=True)
                        if args.kernels and backend != 'cpu':
                            for name, time in kernel_times(args, clip, feature, backend).items():
                                print(f'{"":12}kernels of {name}: {time:.1f} us a frame', flush=True)
                clip.remove()
    if args.svg:
        open(args.svg, 'w').write(svg(rows))
    if args.markdown:
        open(args.markdown, 'a').write(markdown(rows))


main()
