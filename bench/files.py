#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Measures what users do: scores encoded files, decoding included.

    bench/files.py build/tools/vmaf                                   # makes clips and measures the CPU
    bench/files.py VMAF --backends vulkan,cuda --hwaccels cuda        # also GPUs, and decoders on GPUs
    bench/files.py VMAF --library build/src --other /opt/vmaf/lib     # FFmpeg's filter with our library and with another
    bench/files.py VMAF --reference a.mp4 --distorted b.mp4           # other files

All commands run in turns. Each speed is frames of one video divided by the seconds of a whole command. The rows "decode"
are FFmpeg decoding all files to nothing: they bound the rows that decode in the same way. Scores are compared with those of
the plain run on the CPU, to the last digit that both reports have.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from clips import Clip
from ffmpeg_vmaf import escaped
from runs import Failed, difference, own_environment

PLAIN = 'vmaf'


class Timed:
    """One run of a command: its seconds, and its report if it writes one."""

    def __init__(self, command, environment, log):
        start = time.monotonic()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=own_environment(environment), check=False)
        self.wall = time.monotonic() - start
        if done.returncode:
            raise Failed(f'{" ".join(command)}\nexit {done.returncode}: {done.stderr.decode(errors="replace")}')
        self.report = None
        if log:
            with open(log) as file:
                self.report = json.load(file)
            os.unlink(log)


class Row:
    """A command to measure. `bound`: the name of the row that decodes in the same way, and does nothing else."""

    def __init__(self, name, command, bound=None, environment=None, log=None, digits=None):
        self.name, self.command, self.bound, self.log, self.digits = name, command, bound, log, digits
        self.environment = environment or {}
        self.runs, self.failure = [], None

    def run(self):
        if self.failure:
            return
        try:
            self.runs.append(Timed(self.command, self.environment, self.log))
        except (Failed, OSError) as error:
            self.failure = str(error)

    def seconds(self):
        return statistics.median(run.wall for run in self.runs) if self.runs else None


def make_encode(ffmpeg, raw, size, depth, to, options, rate):
    """Encodes raw video into a file. `size`: of the encode."""
    sample = 'yuv420p' + (f'{depth}le' if depth > 8 else '')
    words = [ffmpeg, '-v', 'error', '-nostdin', '-y', '-f', 'rawvideo', '-pixel_format', sample, '-video_size', raw.size,
             '-framerate', str(rate), '-i', raw.paths[0], '-vf', f'scale={size.replace("x", ":")}', *options, to]
    subprocess.run(words, check=True)


def make_files(args, folder):
    """Returns the paths of a reference and of its encodes."""
    raw = Clip(args.synthclip, folder, args.size, args.depth, pairs=args.frames)
    codec = ['-c:v', args.codec, *args.codec_options.split()]
    paths = [f'{folder}/files_reference.mp4']
    make_encode(args.ffmpeg, raw, args.size, args.depth, paths[0], [*codec, '-crf', args.crf[0]], 25)
    for number, size in enumerate(args.ladder or [args.size]):
        paths.append(f'{folder}/files_{number}_{size}.mp4')
        make_encode(args.ffmpeg, raw, size, args.depth, paths[-1], [*codec, '-crf', args.crf[1]], 25)
    raw.remove()
    return paths


def decode_row(args, paths, hwaccel):
    how = ['-hwaccel', hwaccel, '-hwaccel_output_format', hwaccel] if hwaccel else []
    inputs = [word for path in paths for word in (*how, '-i', path)]
    maps = [word for number in range(len(paths)) for word in ('-map', f'{number}:v:0')]
    name = f'decode {hwaccel}' if hwaccel else 'decode'
    return Row(name, [args.ffmpeg, '-v', 'error', '-nostdin', *inputs, *maps, '-f', 'null', '-'])


def our_rows(args, paths, folder):
    def row(name, bound, *words):
        log = f'{folder}/files_scores.json'
        written = f'{folder}/files_scores.1.json' if len(paths) > 2 else log  # the report of the first distorted video
        return Row(name, [args.vmaf, *paths, '-q', '--json', '--precision', 'max', '-o', log, *args.arg, *words], bound, log=written)

    rows = [row(PLAIN, 'decode')]
    rows += [row(f'vmaf --backend {backend}', 'decode', '--backend', backend) for backend in args.backends]
    for hwaccel in args.hwaccels:
        rows += [row(f'vmaf --hwaccel {hwaccel}', f'decode {hwaccel}', '--hwaccel', hwaccel)]
        rows += [row(f'vmaf --backend {backend} --hwaccel {hwaccel}', f'decode {hwaccel}', '--backend', backend, '--hwaccel', hwaccel)
                 for backend in args.backends]
    return rows


def filter_rows(args, paths, folder):
    """FFmpeg's libvmaf filter with each library: the filter takes one distorted video."""
    log = f'{folder}/files_filter.json'
    graph = f'[0:v][1:v]libvmaf=n_threads={args.threads}:log_fmt=json:log_path={escaped(log)}'
    words = [args.ffmpeg, '-v', 'error', '-nostdin', '-i', paths[1], '-i', paths[0], '-lavfi', graph, '-f', 'null', '-']
    ways = [('ours', args.library, {})] if args.library else []
    ways += [(f'ours, VMAF_BACKEND={backend}', args.library, {'VMAF_BACKEND': backend})
             for backend in args.backends if args.library]
    ways += [('the other', args.other, {})] if args.other else []
    search = os.environ.get('LD_LIBRARY_PATH', '')
    return [Row(f'ffmpeg libvmaf, {name}', words, 'decode', {'LD_LIBRARY_PATH': f'{os.path.abspath(at)}:{search}'.rstrip(':'), **more},
                log, digits=6) for name, at, more in ways]


def rounded(report, digits):
    """The report with scores as a report of so many digits has them."""
    return {'frames': [{'frameNum': frame['frameNum'],
                        'metrics': {name: None if value is None else round(value, digits)
                                    for name, value in frame['metrics'].items()}} for frame in report['frames']]}


def compare(row, plain):
    """How the scores of a row differ from those of the plain run: "equal", or the largest difference."""
    reports = [plain.runs[0], row.runs[0]]
    try:
        worst = difference(*(argparse.Namespace(report=rounded(run.report, row.digits) if row.digits else run.report)
                             for run in reports))
    except Failed as failed:
        return str(failed)
    return 'equal' if worst == 0 else f'{worst:.3g}'


def table(rows, frames):
    """Lines of a Markdown table."""
    by_name = {row.name: row for row in rows}
    lines = ['| command | fps | of its decoding | scores |', '|---|---|---|---|']
    for row in rows:
        if row.failure:
            lines.append(f'| `{row.name}` | failed | | {row.failure.splitlines()[-1]} |')
            continue
        bound = by_name.get(row.bound)
        limit = bound.seconds() if bound else None
        share = f'{limit / row.seconds():.0%}' if limit else ''
        scores = '' if not row.log or row.name == PLAIN or not by_name[PLAIN].runs else compare(row, by_name[PLAIN])
        lines.append(f'| `{row.name}` | {frames / row.seconds():.1f} | {share} | {scores} |')
    return lines


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: [word for word in text.split(',') if word]  # noqa: E731
    parser.add_argument('vmaf')
    parser.add_argument('--synthclip', help='the generator of raw clips (default: test/synth/synthclip of the same build)')
    parser.add_argument('--ffmpeg', default='ffmpeg', help='decodes, encodes, and runs the filter')
    parser.add_argument('--library', help='folder of our libvmaf.so.3: measures FFmpeg\'s filter with it')
    parser.add_argument('--other', help='folder of another libvmaf.so.3 to compare with')
    parser.add_argument('--backends', type=words, default=[], help='GPU backends that score')
    parser.add_argument('--hwaccels', type=words, default=[], help='devices that decode')
    parser.add_argument('--arg', action='append', default=[], help='one more argument for vmaf; may be repeated')
    parser.add_argument('--reference', help='measure with this file instead of making one')
    parser.add_argument('--distorted', action='append', help='with --reference; may be repeated')
    parser.add_argument('--size', default='1920x1080')
    parser.add_argument('--depth', type=int, default=8)
    parser.add_argument('--frames', type=int, default=300)
    parser.add_argument('--codec', default='libx264')
    parser.add_argument('--codec_options', default='-preset veryfast', help='further options of the encoder')
    parser.add_argument('--crf', type=words, default=['16', '33'], help='of the reference and of the distorted video')
    parser.add_argument('--ladder', type=words, help='sizes of several distorted videos')
    parser.add_argument('--threads', type=int, default=os.cpu_count(), help='of FFmpeg\'s filter')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--dir', help='folder for the files (default: a new one, removed at the end)')
    parser.add_argument('--markdown', help='also write the table to this file')
    args = parser.parse_args()
    if bool(args.reference) != bool(args.distorted):
        parser.error('--reference and --distorted belong together')
    if len(args.crf) != 2:
        parser.error('--crf takes two values')
    args.synthclip = args.synthclip or os.path.join(os.path.dirname(args.vmaf), '..', 'test', 'synth', 'synthclip')
    return args


def count_frames(rows):
    counts = {len(run.report['frames']) for row in rows if row.log for run in row.runs}
    if len(counts) > 1:
        raise Failed(f'the commands do not score the same number of frames: {sorted(counts)}')
    return counts.pop() if counts else 0


def measure(args, folder):
    paths = [args.reference, *args.distorted] if args.reference else make_files(args, folder)
    rows = [decode_row(args, paths, hwaccel) for hwaccel in ['', *args.hwaccels]] + our_rows(args, paths, folder)
    if len(paths) == 2:
        rows += filter_rows(args, paths, folder)
    for _ in range(args.rounds):
        for row in rows:
            row.run()
    lines = table(rows, count_frames(rows))
    print('\n'.join(lines))
    if args.markdown:
        with open(args.markdown, 'w') as file:
            file.write('\n'.join(lines) + '\n')
    for row in rows:
        if row.failure:
            print(row.failure, file=sys.stderr)
    return any(row.failure for row in rows)


def main():
    args = arguments()
    try:
        if args.dir:
            return measure(args, args.dir)
        with tempfile.TemporaryDirectory() as folder:
            return measure(args, folder)
    except (Failed, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f'files.py: {error}')


if __name__ == '__main__':
    sys.exit(main())
