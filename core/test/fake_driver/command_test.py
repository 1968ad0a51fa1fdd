#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests the command on a fake CUDA or HIP driver. It finds devices by each of their names, and its
scores equal the CPU's. Whichever call of the driver fails, hangs or loses the device, the command
ends in time and without a signal, either with the right report or with an error and no report.

usage: command_test.py VMAF DRIVERS BACKEND [half]
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time

vmaf, drivers = (os.path.abspath(p) for p in sys.argv[1:3])
backend = sys.argv[3]
quick = 'half' in sys.argv[4:]  # of the faults; the nightly run has all
WIDTH, HEIGHT, FRAMES = 64, 48, 80  # two rounds of the ring, so that graphs are used even on a busy machine
LONGEST = 300  # time limit of a run in seconds; usual runs take less than a tenth of it
failures = 0


def run(folder, *arguments, longest=LONGEST, **environment):
    """Runs the command. Returns its exit status, its standard error and its scores, or None in
    place of the scores if there is no report."""
    report = os.path.join(folder, 'out.json')
    if os.path.exists(report):
        os.remove(report)
    base = {**os.environ, 'LD_LIBRARY_PATH': drivers, 'EMULATED_STRICT': '1',
            'VMAF_CACHE_DIR': os.path.join(folder, 'cache')}
    try:
        result = subprocess.run([vmaf, '-r', 'r.yuv', '-d', 'd.yuv', '-w', str(WIDTH), '-h', str(HEIGHT), '-p', '420',
                                 '-b', '8', '--no_prediction', '--feature', 'psnr', '--feature', 'motion',
                                 '--feature', 'vif', '--json', '-o', 'out.json', '-q', *arguments],
                                cwd=folder, env={**base, **environment}, stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True, errors='replace', timeout=longest)
    except subprocess.TimeoutExpired:
        return None, 'did not end in %d seconds' % longest, None
    scores = None
    if os.path.exists(report):
        with open(report) as file:
            scores = [frame['metrics'] for frame in json.load(file)['frames']]
    return result.returncode, result.stderr, scores


def fail(what, said):
    global failures
    failures += 1
    print('FAILED: %s\n%s' % (what, said), flush=True)


def check_equal(folder, wanted, what, *arguments, **environment):
    status, said, scores = run(folder, '--backend', backend, *arguments, **environment)
    if status != 0 or scores != wanted:
        fail('%s: status %s' % (what, status), said)


def check_fault(folder, wanted, fault):
    status, said, scores = run(folder, '--backend', backend, EMULATED_FAULT=fault)
    right = status == 0 and scores == wanted
    refused = status is not None and (0 < status < 99 or status == 255)
    if not right and not (refused and said.strip() and (scores is None or scores == wanted[:len(scores)])):
        fail('%s: status %s' % (fault, status), said)


def check_devices(folder, wanted):
    for choice in ('0', '1', 'Emulated Two', '0123456789abcdeffedcba9876543210', '0000:b3:00.0'):
        check_equal(folder, wanted, '--device ' + choice, '--device', choice)
    status, said, scores = run(folder, '--backend', backend, '--device', '2')
    if not status or scores is not None:
        fail('unknown device: status %s' % status, said)
    status, said, scores = run(folder, '--backend', backend, EMULATED_DEVICES='')
    if not status or scores is not None or 'no device' not in said:
        fail('no device: status %s' % status, said)


def check_compiler(folder, wanted):
    """Checks an AMD device for which the build has no code: HIP's real compiler makes the code.
    Debian has that compiler in the same library as the rest of HIP."""
    try:
        real = ctypes.CDLL('libamdhip64.so.5')
        real.hiprtcCompileProgram
    except (OSError, AttributeError):
        print("HIP's compiler is not installed: not tested")
        return
    path = next(line.split()[-1] for line in open('/proc/self/maps') if 'libamdhip64.so' in line)
    compiler = os.path.join(folder, 'compiler')
    os.mkdir(compiler)
    os.symlink(path, os.path.join(compiler, 'libhiprtc.so.5'))
    missing = run(folder, '--backend', backend, EMULATED_ARCH='gfx906')
    if not missing[0] or missing[2] is not None or 'hiprtc' not in missing[1]:
        fail('no code for the device: status %s' % missing[0], missing[1])
    check_equal(folder, wanted, 'code made by hiprtc', longest=600, EMULATED_ARCH='gfx906',
                LD_LIBRARY_PATH=drivers + ':' + compiler)


def check_faults(folder, wanted):
    """Makes the first and the last call of each driver function fail."""
    calls = os.path.join(folder, 'calls')
    check_equal(folder, wanted, 'counting', EMULATED_CALLS=calls)
    with open(calls) as file:
        counts = [line.split() for line in file]
    for number, (function, count) in enumerate(counts):
        if 'CtxPush' in function:
            continue  # without a context nothing can be freed
        for i, nth in enumerate(sorted({1, int(count)})):
            for j, what in enumerate(('2', 'lost')):
                if not quick or (number + i + j) % 2:
                    check_fault(folder, wanted, '%s:%d:%s' % (function, nth, what))
    print('%d functions failed in turn' % len(counts))


def check_hangs(folder, wanted):
    """Checks work that never ends: the command gives up the device and frees no memory to which the
    device may still write."""
    calls = os.path.join(folder, 'calls')
    with open(calls) as file:
        counts = dict(line.split() for line in file)
    hanging = [f for f in counts if any(w in f for w in ('Launch', 'EventRecord', 'Memcpy', 'Memset'))]
    for function in hanging:
        for nth in sorted({1, int(counts[function])})[-1 if quick else 0:]:
            fault = '%s:%s:hang' % (function, nth)
            status, said, scores = run(folder, '--backend', backend, EMULATED_FAULT=fault, VMAF_GPU_TIMEOUT='1')
            refused = status is not None and (0 < status < 99 or status == 255)
            if not (status == 0 and scores == wanted) and not (refused and 'given up' in said):
                fail('%s: status %s' % (fault, status), said)
    if not any('GraphLaunch' in function for function in hanging):
        fail('no graph was launched', '')


def write_y4m(folder):
    """Writes the videos as Y4M."""
    size = WIDTH * HEIGHT * 3 // 2
    for name in 'rd':
        with open(os.path.join(folder, name + '.yuv'), 'rb') as raw, \
                open(os.path.join(folder, name + '.y4m'), 'wb') as file:
            file.write(b'YUV4MPEG2 W%d H%d F25:1\n' % (WIDTH, HEIGHT))
            for _ in range(FRAMES):
                file.write(b'FRAME\n' + raw.read(size))


def command(folder, *arguments, **environment):
    return subprocess.Popen([vmaf, *arguments, '--backend', backend, '--no_prediction', '-q', '--feature', 'psnr',
                             '--feature', 'motion', '--feature', 'vif'], cwd=folder,
                            env={**os.environ, 'LD_LIBRARY_PATH': drivers, 'EMULATED_STRICT': '1',
                                 'VMAF_CACHE_DIR': os.path.join(folder, 'cache'), **environment},
                            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors='replace')


def scores_of(path):
    with open(path) as file:
        return [frame['metrics'] for frame in json.load(file)['frames']]


def driver_of(process):
    """The driver that a process has loaded; None: it has loaded none."""
    with open('/proc/%d/maps' % process.pid) as maps:
        return next((line for line in maps if drivers in line), None)


def check_overlap(folder, wanted):
    """The driver starts while the videos are opened: before a pipe has told anything."""
    pipe, report = os.path.join(folder, 'pipe'), os.path.join(folder, 'overlap.json')
    os.mkfifo(pipe)
    process = command(folder, 'pipe', 'd.y4m', '--json', '-o', report)
    end = time.monotonic() + LONGEST
    while process.poll() is None and not driver_of(process) and time.monotonic() < end:
        time.sleep(0.01)
    early = process.poll() is None and driver_of(process)
    with open(pipe, 'wb') as to, open(os.path.join(folder, 'r.y4m'), 'rb') as file:
        to.write(file.read())
    said = process.communicate(timeout=LONGEST)[1]
    if not early or process.returncode or scores_of(report) != wanted:
        fail('overlap: status %s, driver %s' % (process.returncode, early), said)
    # A video that cannot be read ends the run, whether or not the driver has started by then.
    for milliseconds in '0', '200':
        with open(os.path.join(folder, 'bad.mp4'), 'wb') as file:
            file.write(b'\x01nothing')
        process = command(folder, 'r.y4m', 'bad.mp4', EMULATED_START_MS=milliseconds)
        said = process.communicate(timeout=LONGEST)[1]
        if process.returncode != 255 or 'problem with distorted file: bad.mp4' not in said:
            fail('bad video: status %s' % process.returncode, said)


def check_pairs(folder, wanted):
    """Several pairs open the device once, whatever their sizes."""
    inits = []
    with open(os.path.join(folder, 'small.y4m'), 'wb') as file:
        file.write(b'YUV4MPEG2 W32 H32 F25:1\n' + 2 * (b'FRAME\n' + 1536 * b'a'))
    lines = ['r.y4m\td.y4m\tone.json\n', 'small.y4m\tsmall.y4m\tsmall.json\n', 'r.y4m\td.y4m\ttwo.json\n']
    for count in 1, 3:
        with open(os.path.join(folder, 'list'), 'w') as file:
            file.writelines(lines[:count])
        process = command(folder, '--pairs', 'list', EMULATED_CALLS=os.path.join(folder, 'pairs_calls'))
        said = process.communicate(timeout=LONGEST)[1]
        if process.returncode:
            fail('pairs: status %s' % process.returncode, said)
            return
        with open(os.path.join(folder, 'pairs_calls')) as file:
            inits.append([line for line in file if 'Init' in line.split()[0] or 'Retain' in line])
    if inits[0] != inits[1] or not inits[0]:
        fail('pairs: the driver was started again: %s %s' % tuple(inits), '')
    if any(scores_of(os.path.join(folder, name)) != wanted for name in ('one.json', 'two.json')):
        fail('pairs: other scores', said)
    # A device that starts while a video turns out to be bad is kept for the pair that needs it.
    with open(os.path.join(folder, 'list'), 'w') as file:
        file.writelines(3 * ['r.y4m\tbad.mp4\n'] + lines[2:])
    process = command(folder, '--pairs', 'list', EMULATED_CALLS=os.path.join(folder, 'pairs_calls'), EMULATED_START_MS='200')
    said = process.communicate(timeout=LONGEST)[1]
    with open(os.path.join(folder, 'pairs_calls')) as file:
        init = [line for line in file if 'Init' in line.split()[0] or 'Retain' in line]
    if process.returncode != 255 or init != inits[0] or scores_of(os.path.join(folder, 'two.json')) != wanted:
        fail('pairs with bad videos: status %s, driver %s' % (process.returncode, init), said)


with tempfile.TemporaryDirectory() as folder:
    for name, seed in (('r.yuv', 1), ('d.yuv', 2)):
        with open(os.path.join(folder, name), 'wb') as file:
            size = WIDTH * HEIGHT * 3 // 2 * FRAMES
            file.write(bytes((i * i * seed >> 5) + i & 255 for i in range(size)))
    status, said, wanted = run(folder, '--backend', 'cpu')
    if status or len(wanted) != FRAMES:
        sys.exit('the CPU: status %s\n%s' % (status, said))
    check_equal(folder, wanted, 'the first run, with a self-test')
    write_y4m(folder)
    check_overlap(folder, wanted)
    check_pairs(folder, wanted)
    check_devices(folder, wanted)
    check_faults(folder, wanted)
    check_hangs(folder, wanted)
    if backend == 'hip':
        check_compiler(folder, wanted)
sys.exit(1 if failures else 0)
