#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests the catalogue page of many reports: its data, links, baseline and limits.

usage: catalogue_test.py VMAF WORKDIR
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse

import titles

vmaf, work = (os.path.abspath(p) for p in sys.argv[1:3])
COUNT, FRAMES = 60, 40
FIELDS = ['name', 'key', 'page', 'metric', 'score', 'p5', 'low', 'low_time', 'before', 'before_p5', 'change', 'codec', 'width', 'height',
          'rate', 'seconds', 'frames', 'incomplete', 'codes']
failed = checks = 0


def check(title, good, got=''):
    global failed, checks
    checks += 1
    if not good:
        failed += 1
        print(f'{title}: {got!r}')


def run(*args):
    done = subprocess.run([vmaf, *args], capture_output=True, text=True)
    return done.returncode, done.stderr, done.stdout


def data_of(text):
    found = re.search(r'<script type=application/json id=data>(.*?)</script>', text, re.S)
    data = json.loads(found.group(1))
    data['titles'] = [dict(zip(FIELDS, values)) for values in data['titles']]
    return data


def page(path):
    return data_of(open(path, encoding='utf-8').read())


def percentile(values, percent):
    values = sorted(values)
    rank = percent * (len(values) - 1) / 100
    below = int(rank)
    return values[below] + (values[min(below + 1, len(values) - 1)] - values[below]) * (rank - below)


def near(a, b):
    return a is not None and b is not None and abs(a - b) < 1e-4  # the page has seven digits


def check_titles(data, where, drops=None):
    check(f'{where}: all titles, in order', [t['key'] for t in data['titles']] == sorted(map(titles.name_of, range(COUNT))))
    for number in range(COUNT):
        title = next(t for t in data['titles'] if t['key'] == titles.name_of(number))
        scores = titles.scores_of(number, FRAMES, (drops or {}).get(number, 0))
        good = near(title['score'], sum(scores) / FRAMES) and near(title['p5'], percentile(scores, 5)) and \
            near(title['low'], min(scores)) and near(title['low_time'] * 25, scores.index(min(scores)))
        check(f'{where}: figures of title {number}', good, title)
        check(f'{where}: facts of title {number}', title['codec'] == ('h264', 'hevc', 'av1')[number % 3] and title['frames'] == FRAMES and
              title['rate'] == 300000 + number * 811 % 5000000 and near(title['seconds'], FRAMES / 25), title)


def check_links(data, folder):
    for title in data['titles']:
        path = os.path.normpath(os.path.join(folder, urllib.parse.unquote(title['page'])))
        want = os.path.join(work, 'new', title['key'])
        want = want[:-4] + 'html' if os.path.exists(want[:-4] + 'html') else want
        if title['key'] == titles.name_of(3):
            want = os.path.join(work, 'new', 'show 000', 'pages.html')
        check(f'the link of {title["key"]}', path == want and os.path.exists(path), title['page'])


os.makedirs(work, exist_ok=True)
os.chdir(work)
for folder in ('new', 'old', 'empty', 'deep'):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
worse = {number: 3.0 for number in range(0, COUNT, 10)}
for n in range(COUNT):
    more = {'warnings': [{'code': 'range', 'input': 'distorted', 'text': 'a'}, {'code': 'hdr', 'text': 'b'},
                         {'code': 'range', 'input': 'reference', 'text': 'c'}]} if n == 5 else {}
    if n == 6:
        more = {'complete': False, 'incomplete_reason': 'the distorted video ended early'}
    if n == 3:  # the page of a run with several videos
        more = {'options': [{'name': 'html', 'value': 'elsewhere/pages.html'}]}
    titles.write('new', n, titles.report(n, FRAMES, worse.get(n, 0), **more))
    if n != 11:
        titles.write('old', n, titles.report(n, FRAMES))
for name in ('show 000/pages.html', 'show 000/episode 01.html', 'show 000/episode 07 #5 50%?.html'):
    open(os.path.join('new', name), 'w').close()
named = [os.path.join('new', titles.name_of(n)) for n in range(COUNT)]

# A folder, and the same reports given one by one. There are more of them than a page compares by their curves.
code, said, out = run('--report', 'new', '--html', 'index.html')
check('a folder', code == 0 and f'{COUNT} titles: vmaf' in said and out == '', (code, said, out))
check_titles(page('index.html'), 'a folder', worse)
check_links(page('index.html'), work)
check('no baseline', not page('index.html')['baseline'] and all(t['before'] is None for t in page('index.html')['titles']))
warned = {t['key']: (t['codes'], t['incomplete']) for t in page('index.html')['titles'] if t['codes'] or t['incomplete']}
check('warnings', warned == {titles.name_of(5): ('range hdr', 0), titles.name_of(6): ('', 1)}, warned)
text = open('index.html', encoding='utf-8').read()
check('the page loads nothing', "default-src 'none'" in text and 'src=' not in text.replace('default-src=', ''))
code, said, _ = run('--report', *reversed(named), '--html', 'deep/index.html')
check('files', code == 0 and page('deep/index.html')['titles'] != [], (code, said))
check_titles(page('deep/index.html'), 'files', worse)
check_links(page('deep/index.html'), os.path.join(work, 'deep'))
code, said, out = run('--report', 'new', '-q', '--html', '-')
check('standard output', code == 0 and said == '' and [t['page'] for t in data_of(out)['titles']] ==
      [t['page'] for t in page('index.html')['titles']], (code, said))
code, _, out = run('--report', *named[:3], '--catalogue', '--html', '-', '-q')
check('a few files', [t['key'] for t in data_of(out)['titles']] == sorted(os.path.basename(name) for name in named[:3]))
code, _, out = run('--report', *named[:3], '--html', '-')
check('a few files without --catalogue are compared curve by curve', '"curves"' in out)

# The baseline, as a folder and as a file.
code, said, _ = run('--report', 'old', '--save_baseline', 'old.json')
saved = json.load(open('old.json'))
check('the stored baseline', code == 0 and saved['vmaf_baseline'] == 1 and len(saved['titles']) == COUNT - 1, (code, said))
total = 0.0
for score in titles.scores_of(1, FRAMES):
    total += score
check('with all digits', saved['titles'][titles.name_of(1)]['score'] == total / FRAMES, saved['titles'][titles.name_of(1)])
pages = []
for baseline in ('old', 'old.json'):
    code, said, _ = run('--report', 'new', '--baseline', baseline, '--html', 'against.html')
    check(f'{baseline} as a baseline', code == 0 and f'{COUNT - 1} of {COUNT} titles are in the baseline; {len(worse)} dropped by more than 1'
          in said and f'{titles.name_of(10)}: vmaf is' in said, (code, said))
    pages.append(page('against.html'))
    for number in range(COUNT):
        title = next(t for t in pages[-1]['titles'] if t['key'] == titles.name_of(number))
        before = titles.scores_of(number, FRAMES)
        if number == 11:
            check('a new title', title['before'] is None and title['change'] is None, title)
            continue
        now = titles.scores_of(number, FRAMES, worse.get(number, 0))
        change = min(sum(now) / FRAMES - sum(before) / FRAMES, percentile(now, 5) - percentile(before, 5))
        check(f'{baseline}: title {number}', near(title['before'], sum(before) / FRAMES) and near(title['before_p5'], percentile(before, 5)) and
              near(title['change'], change), (title, change))
check('both say the same', pages[0] == pages[1])
for drop, want in (('1', 2), ('2.5', 2), ('5', 0)):
    code, said, _ = run('--report', 'new', '--baseline', 'old.json', '--max_drop', drop)
    check(f'--max_drop {drop}', code == want, (code, said))
code, said, _ = run('--report', 'old', '--baseline', 'old.json', '--max_drop', '0.000001')
check('nothing dropped', code == 0, (code, said))

# Limits hold for every title.
lowest = min(range(COUNT), key=lambda number: sum(titles.scores_of(number, FRAMES, worse.get(number, 0))))
limit = sum(titles.scores_of(lowest, FRAMES, worse.get(lowest, 0))) / FRAMES
code, said, _ = run('--report', 'new', '-q', '--fail_under', str(limit + .001))
check('a limit that one title misses, and one is incomplete', code == 3 and titles.name_of(lowest) in said and 'incomplete' in said, (code, said))
code, said, _ = run('--report', 'new', '-q', '--fail_under', str(limit + .001), '--allow_partial')
check('a limit that one title misses', code == 2 and said.count('\n') == 1 and titles.name_of(lowest) in said, (code, said))
check('a limit that all reach', run('--report', 'new', '-q', '--fail_under', str(limit - .001), '--allow_partial')[:2] == (0, ''))

# Files that are no reports.
for name, content in (('notes.json', '{"a": 1}'), ('cut.json', '{"frames": [{"frameNum": 0, "met'), ('other.txt', 'x')):
    with open(os.path.join('new', name), 'w') as file:
        file.write(content)
os.symlink('..', 'new/up')  # a loop, which must not be followed
code, said, _ = run('--report', 'new', '--html', 'index.html')
check('other files in a folder are left out', code == 0 and '2 files are no reports' in said and len(page('index.html')['titles']) == COUNT,
      (code, said))
for args, status, words in ((['--report', 'new/notes.json', '--catalogue'], 255, 'notes.json is not a JSON report'),
                            (['--report', 'new', 'gone.json'], 255, 'gone.json'), (['--report', 'empty'], 255, 'no JSON reports in empty'),
                            (['--report', 'old', '--baseline', 'new/notes.json'], 255, '--save_baseline'),
                            (['--report', 'old', '--baseline', 'gone'], 255, 'gone'),
                            (['--report', 'old', '--max_drop', '1'], 1, '--baseline'),
                            (['--report', 'old', '--baseline', 'old', '--max_drop', 'x'], 1, '--max_drop'),
                            (['a.y4m', 'b.y4m', '--catalogue'], 1, '--report'),
                            (['--report', 'old', '--html', '/dev/full'], 255, 'No space left'),
                            (['--report', 'old', '--html', '/no/such/folder/x.html'], 255, 'could not write')):
    code, said, _ = run(*args)
    check(' '.join(args), code == status and words in said, (code, said))


# A folder that is watched.
def shown():
    """Returns the scores on the page of the watched folder, by title; None: there is no page yet."""
    try:
        return {title['key']: title['score'] for title in page('watched/index.html')['titles']}
    except FileNotFoundError:
        return None


def wait_for(what, wanted):
    for _ in range(600):
        if shown() == wanted or watch.poll() is not None:
            break
        time.sleep(.1)
    check(what, shown() == wanted, (shown(), wanted, watch.poll()))


def put(number, text):
    with open(f'watched/{number}.json', 'w') as file:
        file.write(text)


def watched(*numbers, drop=0.0):
    scores = {number: titles.scores_of(number, FRAMES, drop) for number in numbers}
    return {f'{number}.json': float(f'{sum(values) / FRAMES:.7g}') for number, values in scores.items()}


shutil.rmtree('watched', ignore_errors=True)
os.mkdir('watched')
watch = subprocess.Popen([vmaf, '--report', 'watched', '--html', 'watched/index.html', '--watch', '-q'], stderr=subprocess.PIPE, text=True)
try:
    text = [json.dumps(titles.report(number, FRAMES)).ljust(20000) for number in range(3)]
    put(0, text[0])
    wait_for('the first report', watched(0))
    put(1, text[1][:2000])
    put(2, text[2])
    wait_for('a report that is being written is left out', watched(0, 2))
    put(0, text[0][:1000])
    put(1, text[1])
    wait_for('one that is written again keeps its title', watched(0, 1, 2))
    put(0, json.dumps(titles.report(0, FRAMES, 5.0)).ljust(20000))
    wait_for('and changes when it is complete', {**watched(0, drop=5.0), **watched(1, 2)})
    os.remove('watched/1.json')
    wait_for('a report that went', {**watched(0, drop=5.0), **watched(2)})
    os.remove('watched/0.json')
    os.remove('watched/2.json')
    wait_for('the last report that went', {})
    watch.send_signal(signal.SIGTERM)
    check('a signal ends it', watch.wait(60) == 128 + signal.SIGTERM and watch.stderr.read() == '', watch.returncode)
    check('and leaves nothing behind', sorted(os.listdir('watched')) == ['index.html'], os.listdir('watched'))
finally:
    watch.kill()
for args, words in ((['--report', 'old', '--watch'], '--html'), (['--report', 'old', '--html', '-', '--watch'], '--html'),
                    (['--report', 'old', '--html', 'x.html', '--watch', '--fail_under', '3'], '--fail_under'),
                    (['a.y4m', 'b.y4m', '--watch'], '--report')):
    code, said, _ = run(*args)
    check(' '.join(args), code == 1 and words in said, (code, said))
code, said, _ = run('--report', 'old.json', '--html', 'x.html', '--watch')
check('a file is no folder', code == 255 and 'old.json is no folder' in said, (code, said))
print(f'{checks} checks, {failed} wrong')
sys.exit(1 if failed else 0)
