#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests --lines: the lines of pairs, windows and the summary, from files, pipes and files that grow.

usage: lines_test.py VMAF SYNTHCLIP WORKDIR SCHEMA [libav]

libav: the command reads other videos than Y4M, too.

Every figure is compared with == with the JSON report of a run without --lines. The schema is checked if
python3-jsonschema is there, and memory unless a sanitizer is in the command (which the environment variable
LINES_MEMORY=off says).
"""
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import threading
import time

from inputs import Inputs

try:
    import jsonschema
except ImportError:
    jsonschema = None

vmaf, synthclip, work, schema = (os.path.abspath(p) for p in sys.argv[1:5])
PAIRS, RATE = 60, 25
HEADER = f'W64 H64 F{RATE}:1 Ip A1:1 C420jpeg'
RAW = '-w 64 -h 64 -p 420 -b 8'.split()
failed = 0


def complain(text):
    global failed
    failed += 1
    print('wrong:', text)


def run(*args, **more):
    """Returns the status, the lines of standard output as objects, and standard error."""
    done = subprocess.run([vmaf, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **more)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def report_of(*args):
    subprocess.check_call([vmaf, *args, '-q', '-o', 'report.json'])
    return json.load(open('report.json'))


def of_type(lines, name, video=0):
    return [line for line in lines if line['type'] == name and line['video'] == video]


def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def check_order(lines, what):
    if lines[0]['type'] != 'start' or lines[-1]['type'] != 'summary':
        complain(f'{what}: begins with {lines[0]["type"]} and ends with {lines[-1]["type"]}')
    if any(line['type'] in ('start', 'summary') for line in lines[1:-1]):
        complain(f'{what}: start or summary in the middle')


def check_frames(lines, report, what, video=0):
    """The lines of pairs are those of the report, score by score."""
    frames = of_type(lines, 'frame', video)
    if [line['frame'] for line in frames] != [frame['frameNum'] for frame in report['frames']]:
        complain(f'{what}: other frames than in the report')
    for line, frame in zip(frames, report['frames']):
        if line['metrics'] != {name: value for name, value in frame['metrics'].items() if name in line['metrics']}:
            complain(f'{what}: frame {line["frame"]} has other scores than in the report')
        left_out = set(frame['metrics']) - set(line['metrics'])
        if any('_0' not in name for name in left_out):  # the members of a collection
            complain(f'{what}: frame {line["frame"]} lacks {left_out}')


def check_summary(lines, report, what, video=0, percentiles=False):
    ends = lines[-1]['videos'][video]
    if (ends['video'], ends['failed'], ends['complete']) != (video, False, True):
        complain(f'{what}: the summary says {ends}')
    if ends['frames'] != len(report['frames']):
        complain(f'{what}: the summary has {ends["frames"]} frames')
    for name, figures in ends['metrics'].items():
        if any(figures[key] != value for key, value in report['pooled_metrics'][name].items()):
            complain(f'{what}: {name} has other figures than in the report')
        detailed = report['vmaf_turbo']['pooled'][name]
        if percentiles and any(figures[key] != detailed[key] for key in ('stddev', 'p1', 'p5', 'p10', 'median')):
            complain(f'{what}: {name} has other percentiles than in the report')
        if not percentiles and set(figures) != {'mean', 'harmonic_mean', 'min', 'max'}:
            complain(f'{what}: {name} has the figures {list(figures)}')
    if ends['aggregate'] != report['aggregate_metrics']:
        complain(f'{what}: the figures of the whole video differ: {ends["aggregate"]}')


def check_windows(lines, length, what, in_frames=False, video=0):
    """Each window has the pairs of its time, and figures made of their scores; it follows its last pair."""
    frames, windows = of_type(lines, 'frame', video), of_type(lines, 'window', video)
    groups = {}
    for n, line in enumerate(frames):
        number = n // length if in_frames else int((line['time'] - frames[0]['time'] + 1e-9) / length)
        groups.setdefault(number, []).append(line)
    if [window['window'] for window in windows] != list(groups):
        complain(f'{what}: windows {[window["window"] for window in windows]}, expected {list(groups)}')
    for window in windows:
        group = groups[window['window']]
        ends = [group[0]['frame'], group[-1]['frame'], len(group), group[0]['time'], group[-1]['time']]
        if [window[key] for key in ('first', 'last', 'frames', 'begin', 'end')] != ends:
            complain(f'{what}: window {window["window"]} has other pairs')
        for name, figures in window['metrics'].items():
            scores = [line['metrics'][name] for line in group]
            if (figures['min'], figures['max'], figures['mean']) != (min(scores), max(scores), mean(scores)):
                complain(f'{what}: {name} has other figures in window {window["window"]}')
        if set(window['metrics']) != set(group[0]['metrics']):
            complain(f'{what}: window {window["window"]} lacks a metric')
        if lines.index(window) < lines.index(group[-1]):
            complain(f'{what}: window {window["window"]} comes before its last pair')
        after = lines[lines.index(group[-1]) + 1:lines.index(window)]
        if any(line['type'] == 'frame' and line['video'] == video for line in after):
            complain(f'{what}: window {window["window"]} comes late')


def write_inputs():
    to = Inputs(synthclip, work)
    ref, dist = to.clip('blur', '64', '64', '420', '8', str(PAIRS))
    other = to.clip('quant', '64', '64', '420', '8', str(PAIRS))[1]
    for name, data in (('r', ref), ('d', dist), ('e', other)):
        to.put(name + '.yuv', data)
        to.y4m(name + '.y4m', data, HEADER)
    return dist


def check_files():
    every = ['--feature', 'psnr=enable_apsnr=true', '--precision', 'max']
    cases = {
        'default model': every,
        'no threads': every + ['--threads', '0'],
        'every third': every + ['--subsample', '3'],
        'collection': ['--model', 'vmaf_b_v0.6.3', '--precision', 'max'],
        'five frames of motion': ['-n', '--feature', 'motion=motion_five_frame_window=true', '--precision', 'max'],
        'features': ['-n', '--precision', 'max', '--feature', 'float_ssim', '--feature', 'xpsnr', '--feature', 'float_motion'],
    }
    for what, args in cases.items():
        report = report_of('r.y4m', 'd.y4m', *args)
        status, lines, _ = run('r.y4m', 'd.y4m', '--lines', '--window', '0.7s', *args)
        if status:
            complain(f'{what}: status {status}')
        check_order(lines, what)
        check_frames(lines, report, what)
        check_windows(lines, 0.7, what)
        check_summary(lines, report, what)
        all_lines.extend(lines)
    # With a report, all scores are kept, and the summary has percentiles, too.
    status, lines, _ = run('r.y4m', 'd.y4m', '--lines', '--window', '25', '-o', 'beside.json', *every)
    report = json.load(open('beside.json'))
    check_frames(lines, report, 'beside a report')
    check_windows(lines, 25, 'beside a report', in_frames=True)
    check_summary(lines, report, 'beside a report', percentiles=True)
    if status or report['frames'] != report_of('r.y4m', 'd.y4m', *every)['frames']:
        complain('the report beside --lines differs')
    all_lines.extend(lines)


def check_several():
    args = ['r.y4m', 'd.y4m', 'e.y4m', '--lines', '--window', '20', '--precision', 'max']
    status, lines, _ = run(*args)
    if status or len(of_type(lines, 'frame', 1)) != PAIRS:
        complain(f'several videos: status {status}')
    check_order(lines, 'several')
    for video, name in enumerate(('d.y4m', 'e.y4m')):
        report = report_of('r.y4m', name, '--precision', 'max')
        check_frames(lines, report, name, video)
        check_windows(lines, 20, name, True, video)
        check_summary(lines, report, name, video)


def check_limits():
    low, high = ('--fail_under', '10'), ('--fail_under', '99.5')
    for limit, expected in ((low, 0), (high, 2), (('--fail_under', '10:min'), 0), (('--fail_under', '99:harmonic_mean'), 2),
                            (('--fail_under', '10:p5'), 0), (('--fail_under', '99.5:p5'), 2),
                            (('--feature', 'psnr', '--fail_under', 'psnr_y:99'), 2),
                            (('--feature', 'psnr', '--fail_under', 'psnr_y:9'), 0),
                            (('--model', 'vmaf_b_v0.6.3', '--fail_under', '99.5'), 2)):
        status, lines, errors = run('r.y4m', 'd.y4m', '--lines', *limit)
        if status != expected or (expected and 'below' not in errors):
            complain(f'{limit}: status {status}: {errors}')
        check_order(lines, limit)


def check_short():
    """A video that ends early: the summary says so."""
    with open('short.y4m', 'wb') as file:
        file.write(open('d.y4m', 'rb').read()[:len(HEADER) + 11 + 20 * (64 * 96 + 6)])
    status, lines, _ = run('r.y4m', 'short.y4m', '--lines', '--fail_under', '1')
    end = lines[-1]['videos'][0]
    if status != 3 or end['frames'] != 20 or end['complete'] or 'ended' not in end['incomplete_reason']:
        complain(f'a short video: status {status}, {end}')
    all_lines.extend(lines)


def check_usage():
    for args, words in ((['--window', '2s'], '--window is for --lines'), (['--lines', '-o', '-'], 'standard output'),
                        (['--lines', '--json'], 'standard output'), (['--lines', '--window', '0'], '--window'),
                        (['--lines', '--window', 'soon'], '--window'), (['--follow', '3'], '--follow'),
                        (['--lines', '--shard', '1/2', '-o', 'p.json'], 'whole runs')):
        done = subprocess.run([vmaf, 'r.y4m', 'd.y4m', *args], capture_output=True, text=True)
        if done.returncode != 1 or words not in done.stderr or done.stdout or done.stderr.count('\n') != 1:
            complain(f'{args}: status {done.returncode}: {done.stderr}')
    done = subprocess.run([vmaf, '-r', 'r.yuv', '-d', 'd.yuv', *RAW, '--lines', '--window', '1s'], capture_output=True, text=True)
    if done.returncode != 255 or '--window 50' not in done.stderr:
        complain(f'raw video with a window in seconds: {done.returncode}: {done.stderr}')


def next_line(child, seconds=60):
    if not select.select([child.stdout], [], [], seconds)[0]:
        complain('no line came')
        return {'type': 'none'}
    return json.loads(child.stdout.readline())


def check_live(dist):
    """A line is there while the pipe is silent, once the frame after it was written (motion looks at that one)."""
    child = subprocess.Popen([vmaf, '-r', 'r.yuv', '-d', '-', *RAW, '--lines', '--threads', '2'], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, bufsize=0)
    size = 64 * 96
    child.stdin.write(dist[:10 * size])
    lines = [next_line(child) for _ in range(10)]  # the start and 9 pairs
    if [line.get('frame') for line in lines[1:]] != list(range(9)):
        complain(f'live: {[line.get("frame") for line in lines]}')
    if select.select([child.stdout], [], [], 0.3)[0]:
        complain('live: a line without its frame')
    child.stdin.write(dist[10 * size:11 * size])
    if next_line(child).get('frame') != 9:
        complain('live: the next pair has no line')
    child.send_signal(signal.SIGTERM)  # ends with what was scored
    rest = [json.loads(line) for line in child.stdout]
    if child.wait() != 143 or rest[-1]['type'] != 'summary' or rest[-1]['videos'][0]['frames'] != 11 or \
            'SIGTERM' not in rest[-1]['videos'][0]['incomplete_reason']:
        complain(f'live: stopped with {child.returncode}, {rest[-1:]}')
    child.stdin.close()
    all_lines.extend(lines + rest)


def check_broken(dist):
    """A consumer that goes away, at the first line or later, and a full disk, end the run with one line."""
    for count in (0, 1, 5):
        child = subprocess.Popen([vmaf, '-r', 'r.yuv', '-d', '-', *RAW, '--lines'], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        if count:
            child.stdin.write(dist[:12 * 64 * 96])
        for _ in range(count):
            next_line(child)
        child.stdout.close()
        child.stdin.write(dist[:10 * 64 * 96])  # the input stays open: the run must not wait for its end
        try:
            status = child.wait(60)
        except subprocess.TimeoutExpired:
            complain('the run goes on without a consumer')
            child.kill()
            child.wait()
            continue
        errors = child.stderr.read().decode()
        if status != 255 or errors != 'could not write to standard output: Broken pipe\n':
            complain(f'no consumer after {count} lines: status {status}: {errors}')
    if os.path.exists('/dev/full'):
        done = subprocess.run([vmaf, 'r.y4m', 'd.y4m', '--lines'], stdout=open('/dev/full', 'wb'), stderr=subprocess.PIPE, text=True)
        if done.returncode != 255 or done.stderr != 'could not write to standard output: No space left on device\n':
            complain(f'full disk: status {done.returncode}: {done.stderr}')
    # Room for some lines only.
    def little():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    with open('little', 'wb') as file:
        done = subprocess.run([vmaf, 'r.y4m', 'd.y4m', '--lines'], stdout=file, stderr=subprocess.PIPE, text=True, preexec_fn=little)
    if done.returncode != 255 or done.stderr != 'could not write to standard output: File too large\n':
        complain(f'no room: status {done.returncode}: {done.stderr}')


def check_growing():
    """A file that grows while it is read, byte by byte across frames, and one that stops."""
    data = open('d.y4m', 'rb').read()
    with open('grows.y4m', 'wb') as file:
        file.write(data[:3000])
    child = subprocess.Popen([vmaf, 'r.y4m', 'grows.y4m', '--lines', '--follow', '2s', '--precision', 'max'],
                             stdout=subprocess.PIPE, bufsize=0)
    def grow():
        with open('grows.y4m', 'ab', buffering=0) as file:
            for at in range(3000, len(data), 10007):
                file.write(data[at:at + 10007])
                time.sleep(0.01)
    writer = threading.Thread(target=grow)
    writer.start()
    lines = [json.loads(line) for line in child.stdout]
    writer.join()
    report = report_of('r.y4m', 'd.y4m', '--precision', 'max')
    if child.wait():
        complain(f'a growing file: status {child.returncode}')
    check_frames(lines, report, 'a growing file')
    check_summary(lines, report, 'a growing file')
    begin = time.monotonic()
    status, lines, _ = run('r.y4m', 'd.y4m', '--follow', '300ms', '--lines')
    if status or len(of_type(lines, 'frame')) != PAIRS or time.monotonic() - begin < 0.3:
        complain('a file that stopped growing')


def check_mp4():
    """Streamable forms of mp4 through a pipe and as a file that grows; others get a message that names the remedy."""
    def ffmpeg(*args):
        subprocess.check_call(['ffmpeg', '-v', 'error', '-nostdin', '-y', *args])
    ffmpeg('-i', 'e.y4m', '-vf', 'scale=320:240,noise=c0s=60:c0f=t', '-c:v', 'mpeg4', '-q:v', '2', '-g', '12', 'late.mp4')
    forms = {'front.mp4': '+faststart', 'fragments.mp4': '+frag_keyframe+empty_moov', 'moof.mp4': '+frag_keyframe+default_base_moof'}
    for name, flags in forms.items():
        ffmpeg('-i', 'late.mp4', '-c', 'copy', '-movflags', flags, name)
    ffmpeg('-i', 'late.mp4', '-c', 'copy', '-bsf:v', 'dump_extra=freq=keyframe', 'stream.ts')
    report = report_of('late.mp4', 'late.mp4', '--precision', 'max', '--sync', 'index')
    for name in (*forms, 'stream.ts'):
        with subprocess.Popen(['cat', name], stdout=subprocess.PIPE) as cat:
            status, lines, errors = run('-', 'late.mp4', '--lines', '--precision', 'max', '--sync', 'index', stdin=cat.stdout)
        if status:
            complain(f'{name} through a pipe: status {status}: {errors}')
        check_frames(lines, report, f'{name} through a pipe')
        status, lines, errors = run(name, name, '--lines', '--follow', '200ms')
        if status or len(of_type(lines, 'frame')) != PAIRS:
            complain(f'{name} with --follow: status {status}: {errors}')
    with subprocess.Popen(['cat', 'late.mp4'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as cat:
        status, _, errors = run('late.mp4', '-', '--lines', stdin=cat.stdout)
    if status != 255 or 'moov atom' not in errors or 'frag_keyframe' not in errors or 'faststart' not in errors:
        complain(f'an mp4 whose index comes last: status {status}: {errors}')
    status, _, errors = run('front.mp4', 'late.mp4', '--lines', '--follow', '200ms')
    if status != 255 or 'moov atom' not in errors:
        complain(f'the same with --follow: status {status}: {errors}')


def resident(pid):
    for line in open(f'/proc/{pid}/status'):
        if line.startswith('RssAnon:'):
            return int(line.split()[1])
    return 0


def check_memory():
    """40,000 small frames through pipes: after the first few the command takes no more memory. The same with a report
    takes about two megabytes more, so the check would notice."""
    size, block, blocks = 16 * 24, 200, 200
    if os.path.exists('fifo'):
        os.remove('fifo')
    os.mkfifo('fifo')
    child = subprocess.Popen([vmaf, '-r', 'fifo', '-d', '-', '-w', '16', '-h', '16', '-p', '420', '-b', '8', '-n', '--feature', 'psnr',
                              '--feature', 'float_moment', '--threads', '1', '--lines', '--window', '500'],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    frames = os.urandom(size) * block
    def write():
        with open('fifo', 'wb', buffering=0) as ref:
            for _ in range(blocks):
                ref.write(frames)
                child.stdin.write(frames)
        child.stdin.close()
    writer = threading.Thread(target=write)
    writer.start()
    sizes, count = [], 0
    for line in os.fdopen(os.dup(child.stdout.fileno()), 'rb'):
        count += line.startswith(b'{"type":"frame"')
        if count % 4000 == 0 and line.startswith(b'{"type":"frame"'):
            sizes.append(resident(child.pid))
    writer.join()
    print(f'memory in KiB, each 4,000 frames: {sizes[:-1]}')
    if child.wait() or count != block * blocks:
        complain(f'{count} frames of {block * blocks}, status {child.returncode}')
    # The scores of these frames, if they were kept, would take twice as much. Threads may use pages of theirs late.
    if sizes[-2] - sizes[0] > 768:
        complain(f'memory grew from {sizes[0]} to {sizes[-2]} KiB')


def check_schema():
    if not jsonschema:
        print('the schema is not checked: needs python3-jsonschema')
        return
    validator = jsonschema.Draft7Validator(json.load(open(schema)))
    validator.check_schema(validator.schema)
    for line in all_lines:
        if not validator.is_valid(line):
            complain(f'not by the schema: {json.dumps(line)[:300]}')
    kinds = {line['type']: line for line in all_lines}
    for kind, line in kinds.items():
        for field in line:
            if field.startswith('window_'):
                continue
            if validator.is_valid({key: value for key, value in line.items() if key != field}):
                complain(f'the schema does not miss {field} of {kind}')
        if validator.is_valid(dict(line, surprise=1)):
            complain(f'the schema takes any field in {kind}')
    if set(kinds) != {'start', 'frame', 'window', 'summary'}:
        complain(f'kinds of lines: {list(kinds)}')


all_lines = []
os.makedirs(work, exist_ok=True)
os.chdir(work)
distorted = write_inputs()
check_files()
check_several()
check_limits()
check_short()
check_usage()
check_live(distorted)
check_broken(distorted)
check_growing()
if 'libav' in sys.argv[5:] and shutil.which('ffmpeg'):
    check_mp4()
if os.path.exists('/proc/self/status') and os.environ.get('LINES_MEMORY') != 'off':
    check_memory()
check_schema()
print(f'{len(all_lines)} lines, {failed} wrong')
sys.exit(1 if failed else 0)
