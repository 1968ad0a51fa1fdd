#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests --pairs: each pair of a list gets the report that it would get alone, a failure of one does not affect the others,
and the exit code tells of all.

usage: pairs_test.py VMAF SYNTHCLIP WORKDIR
"""
import json
import os
import re
import signal
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
LIMIT = 300  # seconds after which a run counts as hanging
USAGE, BELOW, UNJUDGED, FAIL = 1, 2, 3, 255
problems = []
files = inputs.Inputs(synthclip, work)
os.chdir(work)
ref, dist = files.clip('mix', '64', '64', '420', '8', '3')
for name, data in {'r': ref, 'x': dist, 'cut': dist[:2 * inputs.FRAME + 9]}.items():
    files.y4m(f'{name}.y4m', data)
files.y4m('wide.y4m', ref, header='W32 H128 F25:1 Ip A1:1 C420jpeg')


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


def run(args, code=0, stdin=''):
    done = subprocess.run([vmaf, *args], input=stdin, capture_output=True, text=True, timeout=LIMIT, check=False)
    check(' '.join(args), done.returncode == code, f'exit code {done.returncode} and not {code}:', done.stderr)
    return done.stdout, done.stderr


def report(path):
    if not os.path.exists(path):
        return f'there is no {path}'
    return re.sub(r'(fps|elapsed)(=|": )[^ ,]*', '', open(path).read())


def pairs(lines, args=(), code=0, name='list'):
    for path in os.listdir('.'):
        if path.startswith('out'):
            os.remove(path)
    with open(name, 'w', newline='') as file:
        file.write(lines)
    return run(['--pairs', name, *args], code)


# ---- each has the report it would have alone ----

OPTIONS = ['--feature', 'psnr', '--threads', '2']
lines = '# a comment\n\nr.y4m\tx.y4m\tout1.json\nwide.y4m\twide.y4m\tout2.xml\r\nx.y4m\tr.y4m\tout3.json'
pairs(lines, OPTIONS)
got = [report(name) for name in ('out1.json', 'out2.xml', 'out3.json')]
pairs('r.y4m\tx.y4m\tout.html\n')
check('a page', '<html' in report('out.html'))
for (a, b, name), found in zip((('r', 'x', 'out1.json'), ('wide', 'wide', 'out2.xml'), ('x', 'r', 'out3.json')), got):
    run(['-r', f'{a}.y4m', '-d', f'{b}.y4m', '-o', name, *OPTIONS])
    check(f'{name}:', report(name) == found, 'not as it is alone')

# ---- printed scores name their video; the list comes through a pipe ----

_, said = run(['--pairs', '-', '--no_prediction', '--feature', 'psnr', '-q'], stdin='r.y4m\tx.y4m\nx.y4m\tr.y4m\n')
names = [line.split(':')[0] for line in said.splitlines()]
check('scores:', names.count('x.y4m') == names.count('r.y4m') == len(names) // 2 > 0, said)

# ---- one fails, and the others are scored ----

for bad in ('r.y4m\tnone.y4m', 'r.y4m', '\tx.y4m', 'r.y4m\tx.y4m\tout4.json\tmore', 'r.y4m\t-', 'r.y4m\twide.y4m',
            'r.y4m\tx.y4m\tout1.json', 'r.y4m\tx.y4m\tnone/out.json', 'r.y4m\tcut.y4m'):
    _, said = pairs(f'r.y4m\tx.y4m\tout1.json\n{bad}\nr.y4m\tx.y4m\tout3.json\n', code=FAIL)
    check(f'{bad!r}:', 'list:2: ' in said and '2 of 3 pairs scored, 1 failed' in said, said)
    check(f'{bad!r}:', os.path.exists('out1.json') and os.path.exists('out3.json') and not os.path.exists('out4.json'))
for again, words in (('./out1.json', 'an earlier pair has the same report'), ('../pairs/out1.json', 'an earlier pair'),
                     ('list', 'overwrite the list'), ('./list', 'overwrite the list')):
    again = again.replace('../pairs', os.path.join('..', os.path.basename(work)))
    _, said = pairs(f'r.y4m\tx.y4m\tout1.json\nr.y4m\tr.y4m\t{again}\n', code=FAIL)
    check(again, words in said, said)
_, said = pairs('\n# nothing\n', code=FAIL)
check('empty:', 'names no pair' in said, said)
_, said = run(['--pairs', 'no such list'], FAIL)
check('no list:', 'no such list' in said, said)
_, said = run(['--pairs', '.'], FAIL)
check('a folder:', 'could not be read' in said, said)

# ---- files of other editors ----

for end in ('\n', '\r\n'):
    pairs(f'\ufeffr.y4m\tx.y4m{end}', ['-q'])
    pairs(f'\ufeff# a comment{end}{end}r.y4m\tx.y4m', ['-q'])
for text in ('r.y4m\tx.y4m\rr.y4m\tr.y4m\r', 'r.y4m\tx.y4m\0\n', '\0\n'):
    _, said = pairs(text, code=FAIL)
    check('odd characters:', 'list:1: the line has a zero byte or' in said, said)

# ---- limits hold for each ----

_, said = pairs('r.y4m\tr.y4m\nr.y4m\tx.y4m\nr.y4m\tr.y4m\n', ['--fail-under', '97'], BELOW)
check('below:', 'below --fail_under: 1;' in said and 'x.y4m' in said, said)
pairs('r.y4m\tr.y4m\n', ['--fail-under', '97'])
files.y4m('short.y4m', ref[:2 * inputs.FRAME])
pairs('r.y4m\tx.y4m\nr.y4m\tshort.y4m\n', ['--fail-under', '97'], UNJUDGED)

# ---- lines of JSON: each pair begins and ends its own ----

said, _ = pairs('r.y4m\tx.y4m\nx.y4m\tr.y4m\n', ['--lines'])
kinds = [json.loads(line) for line in said.splitlines()]
check('lines:', [line['type'] for line in kinds if line['type'] != 'frame'] == 2 * ['start', 'summary'], said)
check('lines:', [line['distorted'] for line in kinds if 'distorted' in line] == [['x.y4m'], ['r.y4m']], said)

# ---- what it cannot be combined with ----

for words in (['r.y4m', 'x.y4m'], ['-r', 'r.y4m'], ['-o', 'out'], ['--html', 'out.html'], ['--pairs', 'list'],
              ['--shard', '1/2', '-o', 'out'], ['--require', 'hardware'],
              ['--feature', 'cambi:heatmaps_path=maps']):
    _, said = run(['--pairs', 'list', *words], USAGE)
    check(f'{words}:', said.count('\n') == 1, said)

# ---- a signal ends the list ----

signal.signal(signal.SIGINT, signal.SIG_DFL)  # our parent may ignore the signal
process = subprocess.Popen([vmaf, '--pairs', '-', '-q'], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
process.stdin.write('r.y4m\tx.y4m\n')
process.stdin.flush()
first = process.stderr.readline()
check('a line is scored before the next comes:', first.startswith('x.y4m: '), first)
process.send_signal(signal.SIGINT)
check('SIGINT:', process.wait(LIMIT) in (-signal.SIGINT, 128 + signal.SIGINT), process.returncode)
process.stdin.close()

for problem in problems:
    print('FAILED:', problem)
sys.exit(1 if problems else 0)
