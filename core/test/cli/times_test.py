#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests when frames are shown, as the command, its JSON report and its page say: at the times that ffprobe gives for
the reference's frames, whatever the distorted video's rate, offset or gaps. Frames without times are counted.

usage: times_test.py VMAF SYNTHCLIP WORKDIR
"""
import json
import os
import re
import shutil
import subprocess
import sys

import inputs
import shown

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
FRAMES = 60
MICROSECOND = 1.5e-6  # a time is rounded once here and once by ffprobe
problems = []

shutil.rmtree(work, ignore_errors=True)
files = inputs.Inputs(synthclip, work)
os.chdir(work)
CLIP = dict(zip('rd', files.clip('mix', '64', '64', '420', '8', str(FRAMES))))


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


def run(*args):
    done = subprocess.run([vmaf, *args], capture_output=True, text=True, timeout=300, check=False)
    check(' '.join(args), done.returncode == 0, 'failed:', done.stderr)
    return done


def report(*args):
    """Returns the object vmaf_turbo and the frames of a run's report."""
    if os.path.exists('out.json'):
        os.remove('out.json')
    run(*args, '-o', 'out.json', '--no_prediction', '--feature', 'psnr')
    read = json.load(open('out.json'))
    return read['vmaf_turbo'], read['frames']


def times_are(title, expected, *args):
    """Checks the times of a run's report."""
    details, frames = report(*args)
    times = details.get('times')
    check(title, times and len(times) == len(frames) == len(expected), args, len(frames), len(expected), times)
    if times:
        off = [i for i, (a, b) in enumerate(zip(times, expected)) if abs(a - b) > MICROSECOND]
        check(title, not off, args, 'frames', off[:5], [times[i] for i in off[:5]], [expected[i] for i in off[:5]])
    return details


def clock(text):
    """Seconds of 1:02:03.450."""
    hours, minutes, seconds = text.split(':')
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


# ---- videos without times: frames are counted at the reference's rate ----

for side in 'rd':
    files.put(side + '.yuv', CLIP[side])
    for rate in ('25:1', '50:1', '30000:1001'):
        files.y4m(f'{side}{rate.split(":")[0]}.y4m', CLIP[side], f'W64 H64 F{rate} Ip A1:1 C420jpeg')
RAW = ['-w', '64', '-h', '64', '-p', '420', '-b', '8']
NTSC = [i * 1001 / 30000 for i in range(FRAMES)]
times_are('Y4M', NTSC, 'r30000.y4m', 'd30000.y4m')
times_are('Y4M of two rates, by number', [i / 25 for i in range(FRAMES)], 'r25.y4m', 'd50.y4m')
times_are('Y4M of two rates, the other way', [i / 50 for i in range(FRAMES)], 'r50.y4m', 'd25.y4m')
times_are('Y4M, skipped', NTSC[7:], 'r30000.y4m', 'd30000.y4m', '--frame_skip_ref', '7', '--frame_skip_dist', '7')
times_are('Y4M, offset', NTSC[5:], 'r30000.y4m', 'd30000.y4m', '--offset', '-5')
times_are('Y4M, every third', NTSC[::3], 'r30000.y4m', 'd30000.y4m', '--subsample', '3')
times_are('Y4M by time', [i / 25 for i in range(FRAMES // 2)], 'r25.y4m', 'd50.y4m', '--sync', 'nearest')
details, _ = report('r.yuv', 'd.yuv', *RAW)
check('raw video has no times', 'times' not in details, details.get('times'))

# ---- files with times ----


def ffmpeg(*args):
    subprocess.check_call(['ffmpeg', '-v', 'error', '-y', *args])


def usable():
    if not shutil.which('ffmpeg') or not shutil.which('ffprobe'):
        return False
    ffmpeg('-i', 'r25.y4m', '-c:v', 'ffv1', 'try.mkv')
    return not subprocess.run([vmaf, 'try.mkv', 'try.mkv', '-q'], capture_output=True, check=False).returncode


def shown_at(path):
    """When ffprobe says that the frames of a file are shown."""
    said = subprocess.check_output(['ffprobe', '-v', 'error', '-select_streams', 'v:0', '-show_frames', '-show_entries',
                                    'frame=best_effort_timestamp_time', '-of', 'csv=p=0', path], text=True)
    return [float(line.strip(',')) for line in said.split()]


def encode(name, source, *args):
    ffmpeg('-i', source, '-c:v', 'mpeg4', '-q:v', '3' if name[0] == 'r' else '20', *args, name)
    return name


def test_files():
    vary = ['-vf', "settb=1/1000,setpts='40*N+N*N+11*mod(N,2)'", '-fps_mode', 'passthrough', '-enc_time_base', '1:1000']
    for side in 'rd':
        encode(f'{side}.mp4', f'{side}25.y4m', '-bf', '2')
        encode(f'{side}.mkv', f'{side}30000.y4m')
        encode(f'{side}50.mp4', f'{side}50.y4m')
        encode(f'{side}.ts', f'{side}25.y4m', '-bf', '2')
        encode(f'{side}_vfr.mkv', f'{side}25.y4m', *vary)
        encode(f'{side}_late.mp4', f'{side}25.y4m', '-output_ts_offset', '5.2', '-copyts')
    for title, ref, dist in (('constant', 'r.mp4', 'd.mp4'), ('times in milliseconds', 'r.mkv', 'd.mkv'),
                             ('a transport stream', 'r.ts', 'd.ts'), ('a transport stream and a file', 'r.ts', 'd.mp4'),
                             ('variable', 'r_vfr.mkv', 'd_vfr.mkv'), ('late', 'r_late.mp4', 'd.mp4'),
                             ('late, against Y4M', 'r_late.mp4', 'd25.y4m')):
        times = shown_at(ref)
        check(f'{title}: ffprobe', len(times) == FRAMES, times)
        times_are(title, times, ref, dist)
        times_are(f'{title}, skipped', times[9:], ref, dist, '--frame_skip_ref', '9', '--frame_skip_dist', '9')
        times_are(f'{title}, offset', times[4:], ref, dist, '--offset', '-4')
        if title != 'variable':  # else some frames have several partners
            times_are(f'{title}, other offset', times[:-4], ref, dist, '--offset', '4')
        times_are(f'{title}, by number, every second', times[::2], ref, dist, '--sync', 'index', '--subsample', '2')
    check('a file does not begin at 0', shown_at('r_late.mp4')[0] > 5, shown_at('r_late.mp4')[:2])
    times_are('25 against 50', shown_at('r.mp4')[:30], 'r.mp4', 'd50.mp4', '--sync', 'nearest')
    details = times_are('50 against 25', shown_at('r50.mp4'), 'r50.mp4', 'd.mp4', '--sync', 'nearest')
    numbers = details['frame_numbers']
    check('50 against 25: numbers', list(numbers) == ['distorted'] and
          all(abs(n - i / 2) <= 0.5 for i, n in enumerate(numbers['distorted'])), numbers)
    details = times_are('both at 10', [shown_at('r.mp4')[n] for n in rounded(25, 10, 24)], 'r.mp4', 'd50.mp4', '--fps', '10',
                        '--frame_cnt', '24' if len(rounded(25, 10, 24)) == 24 else '12')
    check('both at 10: numbers', details['frame_numbers']['reference'] == rounded(25, 10, 24), details['frame_numbers'])


def rounded(rate, ticks, most):
    """The frames that are nearest to each tick while the distorted video of 50 frames a second lasts; of two, the
    earlier."""
    return [-(-(2 * i * rate - ticks) // (2 * ticks)) for i in range(min(most, FRAMES * ticks // 50))]


def test_places():
    """The same times on a terminal, on a page, from a stored report, and in merged parts."""
    for ref, dist, *options in (('r.mp4', 'd50.mp4', '--sync', 'nearest'), ('r_vfr.mkv', 'd_vfr.mkv'),
                                ('r.ts', 'd.ts', '--frame_skip_ref', '3', '--frame_skip_dist', '3')):
        times, skipped = shown_at(ref), 3 if options[:1] == ['--frame_skip_ref'] else 0
        terminal = shown.Shown([vmaf, ref, dist, *options, '-o', 'one.json', '--html', 'one.html']).end(120)
        worst = re.search(r'worst +frame (\d+) at ([\d:.]+): ', terminal)
        frames = json.load(open('one.json'))['frames']
        lowest = min(frames, key=lambda f: f['metrics']['vmaf'])['frameNum']
        check(f'{ref}: the terminal', worst and int(worst[1]) == lowest and
              abs(clock(worst[2]) - times[lowest + skipped]) < 0.001, terminal)
        page = open('one.html').read()
        told = re.findall(r'<a href="#frame=(\d+)">[^<]*</a> <span>([\d:.]+)</span>', page)
        check(f'{ref}: the page', len(told) == 8 and
              all(abs(clock(time) - times[int(frame) + skipped]) < 0.001 for frame, time in told), told)
        pictures = page.count('<img class=')
        check(f'{ref}: pictures', pictures == 16 or 'built without libpng' in page, pictures)
        run('--report', 'one.json', '--html', 'again.html')
        check(f'{ref}: a page of the report', re.findall(r'<figcaption>.*', open('again.html').read()) ==
              re.findall(r'<figcaption>.*', page))
        for i in range(3):
            run(ref, dist, *options, '--shard', f'{i}/3', *(['--from_start'] if 'vfr' in ref else []), '-o', f'part{i}.json')
        run('--merge', 'part0.json', 'part1.json', 'part2.json', '-o', 'merged.json')
        merged, one = (json.load(open(name))['vmaf_turbo'] for name in ('merged.json', 'one.json'))
        for field in ('times', 'frame_numbers'):
            check(f'{ref}: merged parts, {field}', merged.get(field) == one.get(field), merged.get(field))


def grey(level):
    return bytes([level]) * inputs.LUMA + b'\x80' * (inputs.LUMA // 2)


def test_pictures():
    """Pictures of frames that were paired by time are those of the frames that were compared."""
    files.y4m('g_r.y4m', b''.join(grey(20 + 4 * i) for i in range(30)), 'W64 H64 F25:1 Ip A1:1 C420jpeg')
    files.y4m('g_d.y4m', b''.join(grey(20 + 2 * i) for i in range(60)), 'W64 H64 F50:1 Ip A1:1 C420jpeg')
    page = run('g_r.y4m', 'g_d.y4m', '--sync', 'nearest', '--html', 'g.html', '-o', 'g.json')
    pictures = re.findall(r'<img class=(\w+) alt="\w+ frame (\d+)" src="data:image/png;base64,([^"]*)"', open('g.html').read())
    if not pictures:
        check('no pictures', 'built without libpng' in open('g.html').read(), page.stderr)
    seen = {}
    for side, frame, data in pictures:
        seen.setdefault(frame, {})[side] = data
    check('the two pictures of a pair are of the same grey', all(p['reference'] == p['distorted'] for p in seen.values()))
    check('pictures of different frames differ', len({p['reference'] for p in seen.values()}) == len(seen), len(seen))


test_pictures()
if usable():
    test_files()
    test_places()
else:
    print('files with times are not tested: there is no ffmpeg, or the command does not read its files')
print('\n'.join(problems) or f'{FRAMES} frames are shown when their files say')
sys.exit(bool(problems))
