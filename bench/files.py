#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Measures what users do: scores encoded files, decoding included.

    bench/files.py build/tools/vmaf                                   # makes clips and measures the CPU
    bench/files.py VMAF --backends vulkan,cuda --hwaccels cuda        # also GPUs, and decoders on GPUs
    bench/files.py VMAF --library build/src --other /opt/vmaf/lib     # FFmpeg's filter with our library and with another
    bench/files.py VMAF --reference a.mp4 --distorted b.mp4           # other files
    bench/files.py VMAF --frames 30 --clips 20                        # also many short clips: 20 commands, and one with --pairs
    bench/files.py VMAF --sets h264,hevc10,av1,scaled,ladder          # a table for each

All commands run in turns. Each speed is frames of one video divided by the seconds of a whole command; "CPU" is the seconds of
all CPUs, user and system, for a thousand frames. The rows "decode" are FFmpeg decoding all files to nothing: they bound the rows that
decode in the same way. Scores are compared with those of the plain run on the CPU, to the last digit that both reports have. With
several distorted videos, the first one is also scored alone, and the others decoded alone: the whole should cost no more than both.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from clips import Clip
from ffmpeg_vmaf import escaped
from runs import Failed, difference, own_environment

PLAIN = 'vmaf'
ALONE, OTHERS = 'vmaf, first encode alone', 'decode, other encodes alone'
SETS = {
    'h264': {},
    'hevc10': {'codec': 'libx265', 'codec_options': '-preset ultrafast -x265-params log-level=none', 'size': '3840x2160', 'depth': 10},
    'av1': {'codec': 'libsvtav1', 'codec_options': '-preset 10', 'crf': ['25', '45']},
    'scaled': {'ladder': ['960x540']},
    'ladder': {'ladder': ['1920x1080', '1920x1080', '1280x720', '960x540', '640x360']},
}


def cpu_seconds():
    """Of all processes that have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_reports(paths):
    """The reports as one, and removes them: of several, each metric has its report's number before its name."""
    frames = []
    for number, path in enumerate(paths):
        with open(path) as file:
            report = json.load(file)
        os.unlink(path)
        frames = frames or [{'frameNum': frame['frameNum'], 'metrics': {}} for frame in report['frames']]
        if len(frames) != len(report['frames']):
            raise Failed(f'{path} has {len(report["frames"])} frames, the first report {len(frames)}')
        for into, frame in zip(frames, report['frames']):
            into['metrics'].update({f'{number}:{name}' if number else name: value for name, value in frame['metrics'].items()})
    return {'frames': frames}


class Timed:
    """One run of a command: its seconds, and its reports if it writes any."""

    def __init__(self, command, environment, logs):
        start, used = time.monotonic(), cpu_seconds()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=own_environment(environment), check=False)
        self.wall, self.cpu = time.monotonic() - start, cpu_seconds() - used
        if done.returncode:
            raise Failed(f'{" ".join(command)}\nexit {done.returncode}: {done.stderr.decode(errors="replace")}')
        self.report = read_reports(logs) if logs else None


class Row:
    """A command to measure. `bound`: the name of the row that decodes in the same way, and does nothing else. `logs`: the reports
    that it writes. `compared`: they must be those of the plain run. `times`: how often it scores the files."""

    def __init__(self, name, command, bound=None, environment=None, logs=None, digits=None, compared=True, times=1):
        self.name, self.command, self.bound, self.logs, self.digits = name, command, bound, logs, digits
        self.compared, self.times = compared, times
        self.environment = environment or {}
        self.runs, self.failure = [], None

    def run(self):
        if self.failure:
            return
        try:
            self.runs.append(Timed(self.command, self.environment, self.logs))
        except (Failed, OSError) as error:
            self.failure = str(error)

    def seconds(self):
        return statistics.median(run.wall for run in self.runs) if self.runs else None

    def cpu(self):
        return statistics.median(run.cpu for run in self.runs)


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


def decode_row(args, paths, hwaccel, name='decode'):
    how = ['-hwaccel', hwaccel, '-hwaccel_output_format', hwaccel] if hwaccel else []
    inputs = [word for path in paths for word in (*how, '-i', path)]
    maps = [word for number in range(len(paths)) for word in ('-map', f'{number}:v:0')]
    return Row(f'{name} {hwaccel}' if hwaccel else name, [args.ffmpeg, '-v', 'error', '-nostdin', *inputs, *maps, '-f', 'null', '-'])


def our_rows(args, paths, folder):
    def row(name, bound, *words, paths=paths):
        log, count = f'{folder}/files_scores', len(paths) - 1
        logs = [f'{log}.{number}.json' for number in range(1, count + 1)] if count > 1 else [f'{log}.json']
        return Row(name, [args.vmaf, *paths, '-q', '--json', '--precision', 'max', '-o', f'{log}.json', *args.arg, *words], bound, logs=logs,
                   compared=name != ALONE)

    rows = [row(PLAIN, 'decode')]
    rows += [row(f'vmaf --backend {backend}', 'decode', '--backend', backend) for backend in args.backends]
    for hwaccel in args.hwaccels:
        bound = 'decode' if hwaccel == 'auto' else f'decode {hwaccel}'
        rows += [row(f'vmaf --hwaccel {hwaccel}', bound, '--hwaccel', hwaccel)]
        rows += [row(f'vmaf --backend {backend} --hwaccel {hwaccel}', bound, '--backend', backend, '--hwaccel', hwaccel)
                 for backend in args.backends]
    if len(paths) > 2:
        rows += [row(ALONE, None, paths=paths[:2]), decode_row(args, paths[2:], '', OTHERS)]
    return rows


def clip_rows(args, paths, folder):
    """The same pair many times: a command for each, and one command for all."""
    log, count = f'{folder}/files_clips.json', args.clips
    with open(f'{folder}/files_pairs', 'w') as file:
        for number in range(count):
            file.write('\t'.join(paths[:2] + ([] if number else [log])) + '\n')
    loop = ['sh', '-c', 'n=$1; shift; while [ "$n" -gt 0 ]; do "$@" || exit; n=$((n-1)); done', 'sh', str(count)]
    rows = []
    for backend in ['', *args.backends]:
        words = ['-q', '--json', '--precision', 'max', *args.arg, *(['--backend', backend] if backend else [])]
        said = f' --backend {backend}' if backend else ''
        rows += [Row(f'{count} times vmaf{said}', [*loop, args.vmaf, *paths[:2], '-o', log, *words], logs=[log], times=count),
                 Row(f'vmaf --pairs{said}', [args.vmaf, '--pairs', f'{folder}/files_pairs', *words], logs=[log], times=count)]
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
                [log], digits=6) for name, at, more in ways]


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
    lines = ['| command | fps | of its decoding | CPU | scores |', '|---|---|---|---|---|']
    for row in rows:
        if row.failure:
            lines.append(f'| `{row.name}` | failed | | | {row.failure.splitlines()[-1]} |')
            continue
        bound = by_name.get(row.bound)
        limit = bound.seconds() if bound else None
        share = f'{limit / row.seconds():.0%}' if limit else ''
        plain = not row.logs or not row.compared or row.name == PLAIN or not by_name[PLAIN].runs
        scores = '' if plain else compare(row, by_name[PLAIN])
        scored = frames * row.times
        lines.append(f'| `{row.name}` | {scored / row.seconds():.1f} | {share} | {1000 * row.cpu() / max(scored, 1):.1f} | {scores} |')
    ladder = [by_name.get(name) for name in (PLAIN, ALONE, OTHERS)]
    if all(row and row.runs for row in ladder):
        whole, alone, others = (row.cpu() for row in ladder)
        lines += ['', f'The other encodes cost {whole - alone:.1f} CPU seconds more than one encode; decoding them alone costs {others:.1f}.']
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
    parser.add_argument('--hwaccels', type=words, default=[], help='devices that decode, or auto')
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
    parser.add_argument('--sets', type=words, help=f'make and measure several: {", ".join(SETS)}; each sets some of the options above')
    parser.add_argument('--clips', type=int, help='also score the files this often, in as many commands and in one with --pairs')
    parser.add_argument('--threads', type=int, default=os.cpu_count(), help='of FFmpeg\'s filter')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--dir', help='folder for the files (default: a new one, removed at the end)')
    parser.add_argument('--markdown', help='also write the table to this file')
    args = parser.parse_args()
    if bool(args.reference) != bool(args.distorted):
        parser.error('--reference and --distorted belong together')
    unknown = [name for name in args.sets or [] if name not in SETS]
    if unknown or (args.sets and args.reference):
        parser.error(f'there is no set {unknown[0]}' if unknown else '--sets make their own files')
    if len(args.crf) != 2:
        parser.error('--crf takes two values')
    args.synthclip = args.synthclip or os.path.join(os.path.dirname(args.vmaf), '..', 'test', 'synth', 'synthclip')
    return args


def count_frames(rows):
    counts = {len(run.report['frames']) for row in rows if row.logs for run in row.runs}
    if len(counts) > 1:
        raise Failed(f'the commands do not score the same number of frames: {sorted(counts)}')
    return counts.pop() if counts else 0


def measure(args, folder):
    paths = [args.reference, *args.distorted] if args.reference else make_files(args, folder)
    devices = [hwaccel for hwaccel in args.hwaccels if hwaccel != 'auto']
    rows = [decode_row(args, paths, hwaccel) for hwaccel in ['', *devices]] + our_rows(args, paths, folder)
    if len(paths) == 2:
        rows += filter_rows(args, paths, folder)
    if args.clips:
        rows += clip_rows(args, paths, folder)
    for _ in range(args.rounds):
        for row in rows:
            row.run()
    frames = count_frames(rows)
    lines = table(rows, frames)
    if args.sets:
        lines = [f'{args.name}: {frames} frames of {args.size}, {args.depth} bits, {args.codec}', '', *lines, '']
    print('\n'.join(lines), flush=True)
    if args.markdown:
        with open(args.markdown, 'a') as file:
            file.write('\n'.join(lines) + '\n')
    for row in rows:
        if row.failure:
            print(row.failure, file=sys.stderr)
    return any(row.failure for row in rows)


def measure_sets(args, folder):
    if not args.sets:
        return measure(args, folder)
    return any([measure(argparse.Namespace(**{**vars(args), **SETS[name], 'name': name}), folder) for name in args.sets])


def main():
    args = arguments()
    if args.markdown:
        open(args.markdown, 'w').close()
    try:
        if args.dir:
            return measure_sets(args, args.dir)
        with tempfile.TemporaryDirectory() as folder:
            return measure_sets(args, folder)
    except (Failed, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f'files.py: {error}')


if __name__ == '__main__':
    sys.exit(main())
