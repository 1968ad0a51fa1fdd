#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Opens a catalogue of 10,000 titles in a real browser, uses it, and takes screenshots. Part of `make test-jobs`.

usage: catalogue_test.py VMAF WORKDIR [--docs FOLDER]

Exits with 77 (skipped) if chromium is missing. --docs also writes new pictures for docs/reports.md, which needs ffmpeg.
"""
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import titles
from browser import Browser, find

vmaf, work = (os.path.abspath(p) for p in sys.argv[1:3])
docs = os.path.abspath(sys.argv[4]) if '--docs' in sys.argv else None
if not find():
    print('needs chromium')
    sys.exit(77)
COUNT, FRAMES = 10000, 24
failed = checks = 0


def check(title, good, got=''):
    global failed, checks
    checks += 1
    if not good:
        failed += 1
        print(f'{title}: {got!r}')


def drop_of(number):
    return 2.5 if number % 97 == 5 else -1.5 if number % 193 == 9 else 0


def rows():
    """Returns the texts of the cells of the rows that are drawn, from the first that is not above the window."""
    return browser.ask("[...document.querySelectorAll('.body .row')].filter((r) => r.getBoundingClientRect().top >= 0)"
                       ".map((r) => [...r.children].map((c) => c.textContent))")


def column(name):
    return browser.ask(f"[...document.querySelectorAll('.head > *')].findIndex((c) => c.dataset.column === {json.dumps(name)})")


def shown():
    return int(browser.ask('document.documentElement.dataset.shown'))


def click(selector):
    browser.ask(f'document.querySelector({json.dumps(selector)}).click()')
    browser.settle()


def find_titles(text):
    browser.ask("(() => { const f = document.querySelector('#find'); f.value = " + json.dumps(text) +
                "; f.dispatchEvent(new Event('input')); })()")
    browser.settle()


def number_in(text):
    return float(text.replace('−', '-').replace('+', ''))


def check_table(path):
    browser.shape(1280, 900)
    seconds = browser.open(f'file://{path}')
    browser.settle()
    print(f'opened in {seconds:.2f} s')
    check('the page opens within five seconds', seconds < 5, seconds)
    check('the page is ready', browser.ask('document.documentElement.dataset.ready') == 'yes', browser.complaints)
    check('all titles are shown', shown() == COUNT, shown())
    check('only visible rows exist', browser.ask("document.querySelectorAll('.body .row').length") < 80)
    worse = sum(drop_of(n) > 1 for n in range(COUNT))
    totals = browser.ask("Object.fromEntries([...document.querySelectorAll('#totals div')].map((d) => "
                         "[d.children[0].textContent, d.children[1].textContent]))")
    check('the totals', totals['titles'] == str(COUNT) and totals['worse'] == str(worse) and
          totals['better'] == str(sum(drop_of(n) < -1 for n in range(COUNT))), totals)
    change = column('change')
    first = rows()
    check('the largest drops come first', number_in(first[0][change]) <= number_in(first[5][change]) < -1, first[0])
    for name in ('score', 'p5', 'low', 'frames'):
        for turn in range(2):
            start = time.monotonic()
            click(f'[data-column={name}] button')
            spent = time.monotonic() - start
            values = [number_in(row[column(name)]) for row in rows()]
            down = browser.ask(f"document.querySelector('[data-column={name}]').getAttribute('aria-sort')") == 'descending'
            check(f'sorted by {name}', values == sorted(values, reverse=down) and len(values) > 5, values)
            check(f'sorting by {name} is quick', spent < 2, spent)
    click('[data-column=title] button')
    check('titles in order', rows()[0][0].startswith('episode 00.mp4') and rows()[0][0].endswith('show 000'), rows()[0])
    click('[data-column=title] button')
    check('titles in reverse', rows()[0][0].endswith(f'show {(COUNT - 1) // 20:03}'), rows()[0])


def check_scrolling():
    browser.ask('scrollTo(0, document.documentElement.scrollHeight)')
    browser.settle()
    last = rows()
    check('the last title can be reached', any(row[0].endswith('show 000') and row[0].startswith('episode 00') for row in last), last[-1:])
    browser.ask('scrollTo(0, document.documentElement.scrollHeight / 2)')
    browser.settle()
    check('rows fill the window anywhere', len(rows()) > 10 and browser.ask(
        "Math.max(...[...document.querySelectorAll('.body .row')].map((r) => r.getBoundingClientRect().bottom)) >= innerHeight"))
    browser.ask('scrollTo(0, 0)')
    browser.settle()


def check_filters(path):
    find_titles('AV1 003/')
    want = sum(n % 3 == 2 and 'show 003/' in titles.name_of(n) for n in range(COUNT))
    check('words find titles', shown() == want, (shown(), want))
    find_titles('no such title')
    check('nothing is found', shown() == 0 and 'No title' in browser.ask("document.querySelector('.body').textContent"))
    find_titles('')
    click('[data-kind=worse]')
    check('only worse titles', shown() == sum(drop_of(n) > 1 for n in range(COUNT)), shown())
    check('they are marked', browser.ask("document.querySelectorAll('.body .worse').length") == browser.ask(
        "document.querySelectorAll('.body .row').length"))
    click('[data-kind=worse]')
    bars = browser.ask("[...document.querySelectorAll('#bars button')].map((b) => [+b.dataset.from, +b.dataset.to, +b.title.split(': ')[1].split(' ')[0]])")
    check('the histogram has all titles', sum(bar[2] for bar in bars) == COUNT, bars)
    means = [sum(titles.scores_of(n, FRAMES, drop_of(n))) / FRAMES for n in range(COUNT)]
    wrong = [bar for bar in bars if bar[2] != sum(bar[0] <= mean < bar[1] for mean in means)]
    check('each bar has its titles', not wrong, wrong)
    tallest = max(range(len(bars)), key=lambda i: bars[i][2])
    click(f'#bars button:nth-child({tallest + 1})')
    check('a bar shows its titles', shown() == bars[tallest][2], (shown(), bars[tallest]))
    click('[data-column=p5] button')
    address = browser.ask('location.href')
    before = rows()
    browser.open(address)
    browser.settle()
    check('the address keeps what is shown', shown() == bars[tallest][2] and rows() == before, address)
    browser.open(f'file://{path}#find=%235+50%25&sort=-score')
    browser.settle()
    check('an address can ask', shown() == COUNT // 20 and browser.ask("document.querySelector('#find').value") == '#5 50%', shown())
    link = browser.ask("document.querySelector('.body a').href")
    browser.open(link)
    check('a link with odd characters leads to its page', browser.ask('document.title') == 'the page', link)
    check('the console shows no errors', not browser.complaints, browser.complaints)


def check_names(path):
    browser.open(f'file://{path}')
    browser.settle()
    browser.call('Accessibility.enable')
    nodes = [node for node in browser.call('Accessibility.getFullAXTree')['nodes'] if not node.get('ignored')]
    roles = {}
    for node in nodes:
        roles.setdefault(node.get('role', {}).get('value'), []).append(node.get('name', {}).get('value', ''))
    check('every control has a name', all(all(name for name in roles.get(role, [])) for role in ('button', 'link', 'searchbox', 'combobox')),
          {role: roles.get(role, [])[:5] for role in ('button', 'searchbox', 'combobox')})
    check('the table is one', roles.get('table') and len(roles.get('columnheader', [])) > 8 and len(roles.get('row', [])) > 10,
          {role: len(names) for role, names in roles.items()})
    browser.call('Accessibility.disable')


def look(path, name, **shape):
    browser.shape(**shape)
    browser.open(f'file://{path}')
    browser.settle()
    check(f'{name} is no wider than the window', browser.ask('document.documentElement.scrollWidth <= innerWidth'))
    check(f'{name}: nothing is cut off', browser.ask(
        "[...document.querySelectorAll('.body .row > :not(.title, .blank)')].every((c) => c.getBoundingClientRect().right <= innerWidth &&"
        " c.scrollWidth <= c.clientWidth)"))
    check(f'{name}: nothing covers the first row', browser.ask(
        "(() => { const a = document.querySelector('.body a'), b = a.getBoundingClientRect(); "
        "return document.elementFromPoint(b.left + 3, b.top + 8) === a; })()"))
    check(f'{name}: rows do not overlap', browser.ask(
        "(() => { const r = [...document.querySelectorAll('.body .row')].map((e) => e.getBoundingClientRect()); "
        "return r.every((b, i) => !i || Math.abs(b.top - r[i - 1].bottom) < 1); })()"))
    check(f'{name}: titles and scores are on their rows', browser.ask(
        "[...document.querySelectorAll('.body .row')].every((r) => { const b = r.getBoundingClientRect(); return [...r.querySelectorAll('.title, .score')]"
        ".every((c) => { const d = c.getBoundingClientRect(); return d.height > 0 && d.top >= b.top && d.bottom <= b.bottom; }); })"))
    browser.picture(f'{work}/{name}.png')


os.makedirs(work, exist_ok=True)
os.chdir(work)
for folder in ('new', 'old'):
    shutil.rmtree(folder, ignore_errors=True)
for n in range(COUNT):
    more = {'warnings': [{'code': 'range', 'input': 'distorted', 'text': 'a'}]} if n % 31 == 3 else {}
    titles.write('new', n, titles.report(n, FRAMES, drop_of(n), **more))
    if n % 1000 != 11:
        titles.write('old', n, titles.report(n, FRAMES))
    if n % 20 == 7:
        with open(os.path.join('new', titles.name_of(n)[:-4] + 'html'), 'w') as file:
            file.write('<title>the page</title>')
start = time.monotonic()
subprocess.check_call([vmaf, '--report', 'old', '--save_baseline', 'old.json', '-q'])
subprocess.check_call([vmaf, '--report', 'new', '--baseline', 'old.json', '--html', 'index.html', '-q'], stderr=subprocess.DEVNULL)
size = os.path.getsize('index.html')
print(f'{2 * COUNT} reports read and a page of {size / 1e6:.2f} MB written in {time.monotonic() - start:.1f} s')
check('the page is smaller than 3 MB', size < 3e6, size)
browser = Browser(f'{work}/profile')
try:
    check_table(f'{work}/index.html')
    check_scrolling()
    check_filters(f'{work}/index.html')
    check_names(f'{work}/index.html')
    look(f'{work}/index.html', 'catalogue-dark', width=1280, height=900, dark=True)
    look(f'{work}/index.html', 'catalogue-light', width=1280, height=800)
    look(f'{work}/index.html', 'catalogue-phone', width=390, height=844, dark=True, phone=True)
finally:
    browser.close()
if docs and not failed:
    for name in ('catalogue-light', 'catalogue-phone'):
        subprocess.check_call(['ffmpeg', '-v', 'error', '-y', '-i', f'{name}.png', '-vf',
                               'split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none',
                               f'{docs}/{name}.png'])
for folder in ('new', 'old'):
    shutil.rmtree(folder)
print(f'{checks} checks, {failed} wrong; pictures are in {work}')
sys.exit(1 if failed else 0)
