#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that FFmpeg's filters give the same scores as the command: libvmaf on the CPU and on a
device, libvmaf_vulkan and libvmaf_cuda on frames that are on the device already, and FFmpeg without our patches with
VMAF_BACKEND. It compares all frames and all pooled scores of the logs.

usage: filters_test.py VMAF SYNTHCLIP FFMPEG UNMODIFIED WORKDIR

FFMPEG has the patches of ffmpeg-patches/, UNMODIFIED has none. The device is Vulkan's first one.
Without a Vulkan device only the CPU is tested, with a message; CUDA is a fake driver.
"""
import json
import os
import re
import subprocess
import sys

VMAF, SYNTHCLIP, FFMPEG, UNMODIFIED, WORK = (os.path.abspath(p) for p in sys.argv[1:6])
TIMEOUT = 300
FEATURES = ['psnr', 'float_ssim', 'xpsnr', 'ssimulacra2']
DEVICE = ['-init_hw_device', 'vulkan=vk:0', '-filter_hw_device', 'vk']

# Clips: kind, width, height, subsampling, depth, and the formats in which they are uploaded.
CLIPS = {
    'yuv420p': ('mix', 176, 144, 420, 8, ['yuv420p', 'nv12']),
    'yuv420p10le': ('quant', 176, 144, 420, 10, ['yuv420p10le', 'p010le']),
    'yuv420p12le': ('blur', 128, 96, 420, 12, ['yuv420p12le']),
    'yuv420p16le': ('noise', 128, 96, 420, 16, ['yuv420p16le', 'p016le']),
    'yuv422p': ('shift', 160, 90, 422, 8, ['yuv422p']),
    'yuv422p10le': ('mix', 160, 90, 422, 10, ['yuv422p10le']),
    'yuv444p': ('noise', 131, 75, 444, 8, ['yuv444p']),
    'yuv444p10le': ('mix', 128, 96, 444, 10, ['yuv444p10le']),
    'odd': ('mix', 97, 61, 420, 8, ['yuv420p', 'nv12']),
}
# Those that FFmpeg uploads to CUDA in all releases.
CUDA_FORMATS = 'yuv420p', 'nv12', 'p010le', 'p016le', 'yuv444p'
FAKE_CUDA = os.path.join(os.path.dirname(SYNTHCLIP), '..', 'fake_driver')
FRAMES = 6
checks = 0


class Failure(Exception):
    pass


def run(words, env=None):
    """Runs a program. The device may be software: it is chosen by its number, which otherwise does not allow that."""
    return subprocess.run(words, cwd=WORK, env={**os.environ, 'VMAF_ALLOW_SOFTWARE': '1', **(env or {})}, capture_output=True,
                          text=True, timeout=TIMEOUT, check=False)


class Clip:
    def __init__(self, name):
        self.kind, self.w, self.h, self.layout, self.depth, self.uploads = CLIPS[name]
        self.format = 'yuv420p' if name == 'odd' else name
        self.ref, self.dist = f'{name}_ref.yuv', f'{name}_dist.yuv'
        subprocess.run([SYNTHCLIP, self.kind, str(self.w), str(self.h), str(self.layout), str(self.depth), str(FRAMES),
                        self.ref, self.dist], cwd=WORK, check=True)

    def inputs(self):
        words = []
        for path in self.dist, self.ref:
            words += ['-f', 'rawvideo', '-video_size', f'{self.w}x{self.h}', '-pixel_format', self.format,
                      '-framerate', '25', '-i', path]
        return words


def scores_of(path):
    with open(f'{WORK}/{path}', encoding='utf-8') as file:
        report = json.load(file)
    return {'frames': report['frames'], 'pooled': report['pooled_metrics']}


def command_scores(clip, ref=None, dist=None):
    words = [VMAF, '-r', ref or clip.ref, '-d', dist or clip.dist, '-w', str(clip.w), '-h', str(clip.h), '-p',
             str(clip.layout), '-b', str(clip.depth), '-q', '--json', '-o', 'command.json']
    for feature in FEATURES:
        words += ['--feature', feature]
    done = run(words)
    if done.returncode:
        raise Failure(f'{" ".join(words)}: {done.stderr}')
    return scores_of('command.json')


def options(log, extra=''):
    features = '|'.join(f'name={feature}' for feature in FEATURES)
    return f"feature='{features}':log_fmt=json:log_path={log}{extra}"


def ffmpeg(words, graph, env=None, program=None, output=('-f', 'null', '-')):
    return run([program or FFMPEG, '-hide_banner', '-nostdin', '-v', 'verbose', '-y', *words, '-lavfi', graph, *output],
               env)


def expect_scores(what, want, log, done):
    global checks
    checks += 1
    if done.returncode:
        raise Failure(f'{what}: ended with {done.returncode}:\n{done.stderr[-3000:]}')
    got = scores_of(log)
    if got != want:
        for mine, theirs in zip(got['frames'], want['frames']):
            if mine != theirs:
                raise Failure(f'{what}:\n{mine}\nwhere the command has\n{theirs}')
        raise Failure(f'{what}: {len(got["frames"])} frames, {got["pooled"]}\nwhere the command has {want["pooled"]}')


def expect_failure(what, done, *said):
    global checks
    checks += 1
    if done.returncode == 0:
        raise Failure(f'{what}: ended well')
    if done.returncode < 0:
        raise Failure(f'{what}: ended by signal {-done.returncode}')
    for text in said:
        if text not in done.stderr:
            raise Failure(f'{what}: did not say {text!r}:\n{done.stderr[-3000:]}')


def score(what, clip, want, graph, words=(), env=None, program=None, said=''):
    if os.path.exists(f'{WORK}/log.json'):
        os.remove(f'{WORK}/log.json')
    done = ffmpeg([*words, *clip.inputs()], graph, env, program)
    expect_scores(what, want, 'log.json', done)
    if said not in done.stderr:
        raise Failure(f'{what}: did not say {said!r}:\n{done.stderr[-3000:]}')


def upload(form, name='libvmaf_vulkan', extra=''):
    return (f'[0:v]format={form},hwupload[d];[1:v]format={form},hwupload[r];'
            f'[d][r]{name}={options("log.json", extra)}')


def on_the_cpu(clips):
    for name, clip in clips.items():
        want = command_scores(clip)
        graph = f'[0:v][1:v]libvmaf={options("log.json")}'
        score(f'libvmaf, {name}', clip, want, graph)
        score(f'libvmaf with threads, {name}', clip, want, graph + ':n_threads=2')
        if clip.depth == 8:
            score(f'libvmaf of unmodified FFmpeg, {name}', clip, want, graph, program=UNMODIFIED)
    clip = clips['yuv420p']
    score('backend=cpu over the environment', clip, command_scores(clip),
          f'[0:v][1:v]libvmaf={options("log.json", ":backend=cpu")}', env={'VMAF_BACKEND': 'vulkan:no such device'})


def on_a_device(clips):
    for name in 'yuv420p', 'yuv422p10le', 'yuv444p':
        clip = clips[name]
        want = command_scores(clip)
        graph = f'[0:v][1:v]libvmaf={options("log.json")}'
        for extra in ':vulkan_device=0', ':backend=vulkan:vulkan_device=0:cuda_device=-1':
            score(f'libvmaf{extra}, {name}', clip, want, graph + extra, said='VMAF runs on ')
        if clip.depth == 8:
            score(f'VMAF_BACKEND and unmodified FFmpeg, {name}', clip, want, graph, program=UNMODIFIED,
                  env={'VMAF_BACKEND': 'vulkan:0', 'VMAF_LOG': 'info'}, said='ulkan')
        score(f'VMAF_BACKEND, {name}', clip, want, graph, env={'VMAF_BACKEND': 'vulkan:0'})


def in_software(clip):
    """A software device is used only if it is named or allowed, and says so at every log level."""
    listed = run([VMAF, '--list_devices', '--backend', 'vulkan']).stdout
    device = re.search(r'^0: (.*)\n   backend: vulkan\n   type: software', listed, re.M)
    if not device:
        return
    graph, denied = f'[0:v][1:v]libvmaf={options("log.json")}', {'VMAF_ALLOW_SOFTWARE': '0'}
    for extra in ':vulkan_device=0', ':backend=vulkan', ':backend=vulkan:vulkan_device=0', ':vulkan_device=all':
        expect_failure(f'software by {extra}', ffmpeg(clip.inputs(), graph + extra, denied), 'software device', 'VMAF_ALLOW_SOFTWARE')
    for backend in 'vulkan', 'vulkan:0':
        expect_failure(f'software by VMAF_BACKEND={backend}', ffmpeg(clip.inputs(), graph, {**denied, 'VMAF_BACKEND': backend},
                                                                     UNMODIFIED), 'software device')
    name = device.group(1).split()[0]
    score('software by its name', clip, command_scores(clip), f'{graph}:vulkan_device={name}', ('-loglevel', 'quiet'), denied,
          said='is a software device: a CPU computes the scores')


def on_its_frames(clips):
    for clip in clips.values():
        want = command_scores(clip)
        for form in clip.uploads:
            what = f'libvmaf_vulkan, {form} {clip.w}x{clip.h}'
            score(what, clip, want, upload(form), DEVICE, said='VMAF runs on ')
    clip = clips['yuv420p']
    score('libvmaf_vulkan with another backend in the environment', clip, command_scores(clip), upload('yuv420p'), DEVICE,
          env={'VMAF_BACKEND': 'cuda:no such device'})


def on_cuda_frames(clips):
    """Scores frames of the fake CUDA driver, which the tests of the library may have built."""
    driver = {'LD_LIBRARY_PATH': FAKE_CUDA, 'EMULATED_STRICT': '1'}
    words = ['-init_hw_device', 'cuda=cu:0', '-filter_hw_device', 'cu']
    if 'libvmaf_cuda' not in run([FFMPEG, '-hide_banner', '-filters']).stdout or not os.path.isdir(FAKE_CUDA):
        print('libvmaf_cuda was not run: it needs ffnvcodec, and the fake driver of the tests.')
        return
    for clip in clips.values():
        want = command_scores(clip)
        for form in clip.uploads:
            if form not in CUDA_FORMATS:
                continue
            score(f'libvmaf_cuda, {form} {clip.w}x{clip.h}', clip, want, upload(form, 'libvmaf_cuda'), words, env=driver)
    clip = clips['yuv420p']
    score('libvmaf_cuda, nv12 and yuv420p', clip, command_scores(clip), '[0:v]format=nv12,hwupload[d];[1:v]hwupload[r];'
          f'[d][r]libvmaf_cuda={options("log.json")}', words, env=driver)
    expect_failure('CUDA frames of RGB', ffmpeg([*words, *clip.inputs()], upload('rgb0', 'libvmaf_cuda'), driver),
                   'cannot score frames of the format')


def one_frame_for_both(clip):
    """Scores a picture against itself in one AVVkFrame, and uses one reference in two filters."""
    want = command_scores(clip, dist=clip.ref)
    graph = f'[1:v]hwupload,split[d][r];[d][r]libvmaf_vulkan={options("log.json")}'
    score('libvmaf_vulkan, the same frames twice', clip, want, graph, DEVICE)

    done = ffmpeg([*DEVICE, *clip.inputs()],
                  '[0:v]hwupload,split[d1][d2];[1:v]hwupload,split=3[r1][r2][r3];'
                  f'[d1][r1]libvmaf_vulkan={options("one.json")},hwdownload,format=yuv420p[o1];'
                  f'[r3][r2]libvmaf_vulkan={options("two.json")},hwdownload,format=yuv420p[o2];'
                  '[d2]hwdownload,format=yuv420p[o3]',
                  output=['-map', '[o1]', '-f', 'framecrc', 'one.crc', '-map', '[o2]', '-f', 'framecrc', 'two.crc',
                          '-map', '[o3]', '-f', 'framecrc', 'three.crc'])
    expect_scores('two filters on one device, the first', command_scores(clip), 'one.json', done)
    expect_scores('two filters on one device, the second', want, 'two.json', done)
    contents = [open(f'{WORK}/{name}.crc', encoding='utf-8').read() for name in ('one', 'two', 'three')]
    if contents[0] != contents[2] or contents[1] == contents[0] or len(contents[0].splitlines()) < FRAMES:
        raise Failure('libvmaf_vulkan does not hand its frames on as they were')


def failures(clip, device):
    two = '[0:v][1:v]'
    plain = [*clip.inputs()]
    log = options('log.json')
    expect_failure('an unknown backend', ffmpeg(plain, f'{two}libvmaf={log}:backend=abacus'), "unknown backend 'abacus'",
                   'vulkan')
    expect_failure('a device of another backend', ffmpeg(plain, f'{two}libvmaf={log}:backend=cpu:vulkan_device=0'),
                   'vulkan_device is set')
    expect_failure('two devices', ffmpeg(plain, f'{two}libvmaf={log}:cuda_device=0:vulkan_device=0'), 'choose one')
    expect_failure('no such device', ffmpeg(plain, f'{two}libvmaf={log}:vulkan_device=nosuchdevice'))
    expect_failure('a log that cannot be written', ffmpeg(plain, f'{two}libvmaf={options("no/such/folder.json")}'),
                   'could not write the log')
    expect_failure('VMAF_BACKEND without such a device', ffmpeg(plain, f'{two}libvmaf={log}', program=UNMODIFIED,
                                                               env={'VMAF_BACKEND': 'vulkan:no such device'}))
    if not device:
        return
    words = [*DEVICE, *plain]
    expect_failure('two formats', ffmpeg(words, '[0:v]format=yuv420p,hwupload[d];[1:v]format=nv12,hwupload[r];'
                                         f'[d][r]libvmaf_vulkan={log}'), 'same format')
    expect_failure('a format that cannot be read', ffmpeg(words, upload('rgba')), 'cannot score frames of the format rgba')
    expect_failure('two sizes', ffmpeg(words, '[0:v]crop=64:64,hwupload[d];[1:v]hwupload[r];'
                                       f'[d][r]libvmaf_vulkan={log}'), 'width must match')


def has_device():
    done = run([FFMPEG, '-hide_banner', '-v', 'error', '-init_hw_device', 'vulkan=vk:0'])
    return 'Device creation failed' not in done.stderr and 'Failed to set value' not in done.stderr


def main():
    os.makedirs(WORK, exist_ok=True)
    clips = {name: Clip(name) for name in CLIPS}
    device = has_device()
    on_the_cpu(clips)
    failures(clips['yuv420p'], device)
    on_cuda_frames(clips)
    if device:
        on_a_device(clips)
        on_its_frames(clips)
        in_software(clips['yuv420p'])
        one_frame_for_both(clips['yuv420p'])
    else:
        print('No Vulkan device: libvmaf_vulkan was not run.')
    print(f'{checks} runs of {FFMPEG}: all as the command has it.')


try:
    main()
except Failure as failure:
    sys.exit(f'FAILED: {failure}')
