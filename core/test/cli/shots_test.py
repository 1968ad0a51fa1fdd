#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests --shots: where cuts are found, and the figures of each shot in reports, lines, parts, pages and limits.

usage: shots_test.py VMAF WORKDIR SCHEMA

Figures are compared with == with those of the frames. The schema is checked if python3-jsonschema is there.
"""
import json
import os
import random
import re
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

vmaf, work, schema = (os.path.abspath(p) for p in sys.argv[1:4])
WIDTH, HEIGHT, RATE = 64, 64, 25
# Frames, grey level and noise of the encode. One frame is a flash, which is no cut.
SCENES = [(24, 30, 2), (7, 120, 40), (12, 60, 4), (1, 220, 4), (12, 60, 4), (20, 180, 20)]
CUTS = [0, 24, 31, 56]
PAIRS = 76
failed = 0


def complain(text):
    global failed
    failed += 1
    print('wrong:', text)


def expect(what, found, wanted):
    if found != wanted:
        complain(f'{what}: {found}, expected {wanted}')


def write_videos():
    """A picture of blocks that moves, in another place and another level in each scene."""
    chance = random.Random(5)
    head = f'YUV4MPEG2 W{WIDTH} H{HEIGHT} F{RATE}:1 Ip A1:1 Cmono\n'.encode()
    with open('r.y4m', 'wb') as ref, open('d.y4m', 'wb') as dist, open('e.y4m', 'wb') as other:
        for file in (ref, dist, other):
            file.write(head)
        for number, (frames, level, noise) in enumerate(SCENES):
            place = 2 if number == 4 else number
            for n in range(frames):
                luma = bytes((level + ((x + n) // 8 * (5 + place) + y // 8 * (11 + 3 * place)) % 40) & 255
                             for y in range(HEIGHT) for x in range(WIDTH))
                ref.write(b'FRAME\n' + luma)
                dist.write(b'FRAME\n' + bytes(min(255, max(0, v + chance.randint(-noise, noise))) for v in luma))
                other.write(b'FRAME\n' + bytes(min(255, v + 3) for v in luma))


def run(*args):
    done = subprocess.run([vmaf, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def report_of(*args):
    status, _, said = run(*args, '-q', '-o', 'out.json')
    if status not in (0, 2):
        complain(f'vmaf {args} ended with {status}: {said}')
    return json.load(open('out.json'))


def percentile(values, percent):
    values = sorted(values)
    rank = percent / 100 * (len(values) - 1)
    low = int(rank)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (rank - low)


def total(values):
    result = 0.0
    for value in values:
        result += value
    return result


def check_shots(report, what, cuts=CUTS):
    """The shots are those of the video, and their figures those of their frames."""
    shots, times = report['vmaf_turbo'].get('shots', []), report['vmaf_turbo']['times']
    numbers = [frame['frameNum'] for frame in report['frames']]
    expect(f'{what}: cuts', [shot['first'] for shot in shots], cuts)
    expect(f'{what}: ends', [shot['last'] + 1 for shot in shots], cuts[1:] + [PAIRS])
    for shot in shots:
        frames = [frame['metrics'] for frame in report['frames'] if shot['first'] <= frame['frameNum'] <= shot['last']]
        expect(f'{what}: frames', shot['frames'], shot['last'] + 1 - shot['first'])
        for edge, number in (('begin', shot['first']), ('end', shot['last'])):
            if number in numbers:
                expect(f'{what}: {edge}', shot[edge], round(times[numbers.index(number)], 3))
        expect(f'{what}: metrics', sorted(shot['metrics']), sorted(frames[0]))
        for name, figures in shot['metrics'].items():
            scores = [frame[name] for frame in frames]
            wanted = {'mean': total(scores) / len(scores), 'min': min(scores), 'p5': percentile(scores, 5)}
            if figures['mean'] != wanted['mean'] or figures['min'] != wanted['min'] or \
                    abs(figures['p5'] - wanted['p5']) > 1e-12 * abs(wanted['p5']):
                complain(f'{what}: {name} is {figures} in the shot of frame {shot["first"]}, expected {wanted}')


def reports_have_shots():
    plain = report_of('r.y4m', 'd.y4m')
    expect('shots without --shots', 'shots' in plain['vmaf_turbo'], False)
    for more in ((), ('--threads', '3'), ('--subsample', '3'), ('--feature', 'psnr')):
        report = report_of('r.y4m', 'd.y4m', '--shots', '--precision', 'max', *more)
        check_shots(report, f'report {more}')
        if jsonschema:
            for error in jsonschema.Draft7Validator(json.load(open(schema))).iter_errors(report):
                complain(f'report {more}: {error.message}')
        if not more:
            expect('frames with and without --shots', [f['metrics'] for f in report['frames']],
                   [f['metrics'] for f in report_of('r.y4m', 'd.y4m', '--precision', 'max')['frames']])
    subprocess.check_call([vmaf, 'r.y4m', 'd.y4m', 'e.y4m', '--shots', '--precision', 'max', '-q', '-o', 'two.json'])
    for name in ('two.1.json', 'two.2.json'):
        check_shots(json.load(open(name)), name)


def limits_hold_for_each_shot():
    report = report_of('r.y4m', 'd.y4m', '--shots', '--feature', 'psnr', '--precision', 'max')
    for name, limit in (('vmaf', ''), ('psnr_y', 'psnr_y:')):
        means = [shot['metrics'][name]['mean'] for shot in report['vmaf_turbo']['shots']]
        overall = report['pooled_metrics'][name]['mean']
        worst = min(means)
        for by in (('r.y4m', 'd.y4m', '--feature', 'psnr', '-q', '-o', 'x.json'), ('--report', 'out.json')):
            text = f'{by} {name}'
            expect(f'{text}: just reached', run(*by, '--fail_under', f'{limit}{worst!r}:shot')[0], 0)
            status, _, said = run(*by, '--fail_under', f'{limit}{worst + 1e-6!r}:shot')
            expect(f'{text}: below', status, 2)
            if f'frames {CUTS[means.index(worst)]} to' not in said or 'of 4 shots' not in said:
                complain(f'{text}: says {said!r}')
            if worst + 0.01 < overall:
                expect(f'{text}: mean', run(*by, '--fail_under', f'{limit}{worst + 0.01!r}')[0], 0)
    report_of('r.y4m', 'd.y4m', '--subsample', '50', '--shots')
    for by in (('r.y4m', 'd.y4m', '--subsample', '50'), ('--report', 'out.json')):
        status, _, said = run(*by, '--fail_under', '1:shot')
        if status != 2 or '2 of 4 shots have no score' not in said:
            complain(f'{by}: a limit for shots without scores: {status} {said!r}')
    report_of('r.y4m', 'd.y4m')
    status, _, said = run('--report', 'out.json', '--fail_under', '1:shot')
    if status in (0, 2, 3) or 'with --shots' not in said:
        complain(f'a limit without shots: {status} {said!r}')
    status, said, err = run('r.y4m', 'd.y4m', '--shots')
    if len(re.findall(r'^  shot at 0:00:0', said + err, re.M)) != len(CUTS):
        complain(f'the worst shots are not printed: {err!r}')


def check_parts(edges, *more):
    whole = report_of('r.y4m', 'd.y4m', '--shots', *more)['vmaf_turbo']['shots']
    names = []
    for first, end in zip(edges, edges[1:]):
        names.append(f'part{first}.json')
        subprocess.check_call([vmaf, 'r.y4m', 'd.y4m', '--shots', '--frames', f'{first}-{end - 1}', '-q', *more,
                               '-o', names[-1]])
    expect(f'parts {edges} {more}', report_of('--merge', *names)['vmaf_turbo']['shots'], whole)


def parts_find_the_same():
    check_parts([0, 23, 24, PAIRS])
    for edges in ([0, 25, 43, 44, 45, PAIRS], [0, 1, 2, 3, 56, PAIRS]):
        check_parts(edges, '-n', '--feature', 'psnr')  # which looks at no frames before
    status, _, said = run('r.y4m', 'd.y4m', '--frames', f'0-{PAIRS - 1}', '-q', '-o', 'plain.json')
    status, _, said = run('--merge', 'plain.json', '--fail_under', '1:shot')
    if status in (0, 2, 3) or 'with' not in said or '--shots' not in said:
        complain(f'parts without --shots: {status} {said!r}')


def lines_have_shots():
    report = report_of('r.y4m', 'd.y4m', '--shots', '--precision', 'max')
    for more in ((), ('--threads', '3'), ('--threads', '0', '--model', 'version=vmaf_v0.6.1', '-o', 'x.json', '--fail_under', '1:shot'),
                 ('-n', '--feature', 'psnr', '--threads', '0')):
        status, out, said = run('r.y4m', 'd.y4m', '--shots', '--lines', '--precision', 'max', '-q', *more)
        lines = [json.loads(line) for line in out.splitlines()]
        expect(f'lines {more}: {said}', status, 0)
        shots = [line for line in lines if line['type'] == 'shot']
        expect(f'lines {more}: cuts', [line['first'] for line in shots], CUTS)
        for number, shot in enumerate(shots):
            before = lines[lines.index(shot) - 1]
            expect(f'lines {more}: shot {number} follows', (shot['shot'], before['type'], before['frame']),
                   (number, 'frame', shot['last']))
            frames = [line['metrics'] for line in lines if line['type'] == 'frame' and
                      shot['first'] <= line['frame'] <= shot['last']]
            expect(f'lines {more}: frames', len(frames), shot['frames'])
            for name, figures in shot['metrics'].items():
                scores = [frame[name] for frame in frames]
                expect(f'lines {more}: {name}', (figures['mean'], figures['min'], figures['max']),
                       (total(scores) / len(scores), min(scores), max(scores)))
        if not more:
            expect('lines and report', [shot['metrics']['vmaf']['mean'] for shot in shots],
                   [shot['metrics']['vmaf']['mean'] for shot in report['vmaf_turbo']['shots']])


def pages_show_shots():
    subprocess.check_call([vmaf, 'r.y4m', 'd.y4m', '--shots', '-q', '-o', 'out.json', '--precision', 'max', '--html', 'run.html'])
    subprocess.check_call([vmaf, '--report', 'out.json', '-q', '--html', 'stored.html'])
    for name in ('run.html', 'stored.html'):
        page = open(name).read()
        section = re.search(r'<section id=shots>.*?</section>', page, re.S)
        if not section:
            complain(f'{name} has no shots')
            continue
        shots = json.load(open('out.json'))['vmaf_turbo']['shots']
        means = sorted(shot['metrics']['vmaf']['mean'] for shot in shots)
        shown = [float(mean) for mean in re.findall(r'<b>([0-9.]+)</b></figcaption>', section[0])]
        expect(f'{name}: worst shots', shown, [round(mean, 2) for mean in means])
        expect(f'{name}: rows', section[0].count('<tr><th><a'), len(CUTS))
        expect(f'{name}: bands', re.findall(r'<path class=shots d="([^"]*)"', page)[0].count('M'), 2)
        expect(f'{name}: data', json.loads(re.search(r'id=data>(.*?)</script>', page, re.S)[1])['shots'], CUTS)
    subprocess.check_call([vmaf, 'r.y4m', 'd.y4m', '-q', '--html', 'run.html'])
    if 'id=shots' in open('run.html').read():
        complain('a page without --shots has shots')


os.makedirs(work, exist_ok=True)
os.chdir(work)
write_videos()
reports_have_shots()
limits_hold_for_each_shot()
parts_find_the_same()
lines_have_shots()
pages_show_shots()
print(f'{failed} wrong')
sys.exit(1 if failed else 0)
