#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A vmaf command that runs FFmpeg's libvmaf filter, to compare with if no other vmaf command is at hand.

    FFMPEG=/path/to/ffmpeg bench/bench.py VMAF SYNTHCLIP --reference bench/ffmpeg_vmaf.py --features default

It knows the arguments that bench.py gives, of the default model: the filter scores a model in any case. FFmpeg reads its
input itself, which is part of what is measured. (FFmpeg 5.1 without our patches is wrong about more than 8 bits.)
"""
import argparse
import os
import sys


def options():
    parser = argparse.ArgumentParser(add_help=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('-r', '-d', '-w', '-h', '-p', '-o'):
        parser.add_argument(name, required=True)
    parser.add_argument('-b', type=int, required=True)
    parser.add_argument('--threads', type=int, default=0)
    parser.add_argument('--gpumask', help='the filter is on the CPU anyway')
    for name in ('-q', '--json'):
        parser.add_argument(name, action='store_true', help='as it is')
    args, unknown = parser.parse_known_args()
    if unknown:
        sys.exit(f'{unknown[0]}: FFmpeg\'s filter has no such thing. It scores the default model: --features default')
    return args


def escaped(path):
    """Quotes the value of a filter's option within a graph."""
    for _ in range(2):
        path = ''.join('\\' + c if c in '\\\':,;[]' else c for c in path)
    return path


def main():
    args = options()
    sample = f'yuv{args.p}p' + (f'{args.b}le' if args.b > 8 else '')
    raw = ['-f', 'rawvideo', '-pixel_format', sample, '-video_size', f'{args.w}x{args.h}', '-framerate', '25', '-i']
    graph = f'[0:v][1:v]libvmaf=n_threads={args.threads}:log_fmt=json:log_path={escaped(args.o)}'
    ffmpeg = os.environ.get('FFMPEG', 'ffmpeg')
    words = [ffmpeg, '-v', 'error', '-nostdin', *raw, args.d, *raw, args.r, '-lavfi', graph, '-f', 'null', '-']
    try:
        os.execvp(ffmpeg, words)
    except OSError as error:
        sys.exit(f'{ffmpeg}: {error.strerror}; FFMPEG names an FFmpeg with libvmaf')


if __name__ == '__main__':
    main()
