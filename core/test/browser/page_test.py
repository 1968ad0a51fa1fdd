#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Opens HTML reports in a real browser, uses them, and takes screenshots. Part of `make test-jobs`.

usage: page_test.py VMAF WORKDIR VMAF_TUNE [--docs FOLDER]

Exits with 77 (skipped) if chromium or ffmpeg is missing. --docs also writes new pictures for
docs/reports.md and docs/tune.md.
"""
import json
import math
import os
import random
import shutil
import subprocess
import sys

from browser import Browser, find

vmaf, work, tune = (os.path.abspath(p) for p in sys.argv[1:4])
docs = os.path.abspath(sys.argv[5]) if '--docs' in sys.argv else None
if not find() or not shutil.which('ffmpeg'):
    print('needs chromium and ffmpeg')
    sys.exit(77)
failed = checks = 0


def check(title, good, got=''):
    global failed, checks
    checks += 1
    if not good:
        failed += 1
        print(f'{title}: {got!r}')


def text_of(chart):
    """Returns the text of the figures below drawing number `chart`, counted from 0."""
    return browser.ask(f"document.querySelectorAll('.chart output')[{chart}].textContent")


def data(name):
    return browser.ask(f'document.documentElement.dataset.{name}')


def plot(part):
    """Returns a position inside the first drawing; `part` is its distance from the left, 0 to 1."""
    browser.ask("document.querySelector('.chart').scrollIntoView({ block: 'center' })")
    box = browser.ask("(() => { const b = document.querySelector('.chart .plot').getBoundingClientRect();"
                      " return [b.left, b.top, b.width, b.height]; })()")
    return box[0] + box[2] * part, box[1] + box[3] / 2


def count(selector):
    return browser.ask(f'document.querySelectorAll({json.dumps(selector)}).length')


def curve():
    return browser.ask("document.querySelector('.curve').getAttribute('d')")


def check_use(path, last):
    """Points, drags, clicks and follows links, as a reader does."""
    browser.shape(1300, 1000)
    browser.open(f'file://{path}')
    check('the page is ready', data('ready') == 'yes')
    check('every curve is drawn', count('.curve') == int(data('curves')) and browser.ask(
        "[...document.querySelectorAll('.curve')].every((p) => p.getAttribute('d').startsWith('M'))"), data('curves'))
    check('the page is no wider than the window', browser.ask('document.documentElement.scrollWidth <= innerWidth'))
    whole, all_of_it = curve(), f'0 {last}'
    check('all frames are shown at first', data('view') == all_of_it, data('view'))
    browser.mouse('Moved', *plot(.5))
    browser.settle()
    check('pointing selects the frame below the pointer', abs(int(data('cursor')) - last / 2) <= last / 400 + 1, data('cursor'))
    check('every drawing marks the selected frame', browser.ask(
        "[...document.querySelectorAll('.chart')].every((c) => c.querySelector('output').textContent && "
        "c.querySelector('.cursor').getAttribute('d'))"))
    seen = data('cursor'), text_of(0)
    x, y = plot(.25)
    browser.drag(x, y, plot(.75)[0])
    first, end = (int(n) for n in data('view').split())
    check('dragging zooms', max(abs(first - last / 4), abs(end - last * 3 / 4)) <= last / 500 + 2, data('view'))
    check('zooming redraws the curve', curve() != whole)
    browser.ask("document.querySelector('[data-do=all]').click()")
    browser.settle()
    check('the button shows all frames again', data('view') == all_of_it and curve() == whole, data('view'))
    x, y = plot(.3)
    browser.drag(x, y, x)
    check('a click puts the frame into the address', browser.ask('location.hash') == '#frame=' + data('cursor'), data('cursor'))
    link = browser.ask("document.querySelector('figure a').getAttribute('href')")
    browser.ask("document.querySelector('figure a').click()")
    browser.settle()
    first, end = (int(n) for n in data('view').split())
    check('the link of a picture zooms to its frame', browser.ask('location.hash') == link and first <= int(link[7:]) <= end and
          end - first <= 500, (link, data('view')))
    check('the picture of the linked frame is marked', count('figure.marked') >= 1)
    check('the console shows no errors', not browser.complaints, browser.complaints)
    return seen


def check_links(path, last):
    for frame, shown in ((last // 2, last // 2), (10 * last, last)):
        browser.open(f'file://{path}#frame={frame}')
        browser.mouse('Moved', 1, 1)
        browser.settle()
        check(f'an address with frame {frame}', data('cursor') == str(shown), data('cursor'))


def look(path, name, **shape):
    """Takes a screenshot of a page."""
    browser.shape(**shape)
    browser.open(f'file://{path}')
    browser.settle()
    wide = browser.ask('document.documentElement.scrollWidth')  # a phone's window grows with its page
    check(f'{name} is no wider than the window', wide <= shape['width'], wide)
    check(f'{name}: ranking and warnings are within the window', browser.ask(
        "[...document.querySelectorAll('#ranking td, #warnings td')].every((c) => c.getBoundingClientRect().right <= innerWidth)"))
    browser.picture(f'{work}/{name}.png')


def make_encodes():
    """Makes a video with many details that moves, and encodes it twice."""
    source = ('-f lavfi -i mandelbrot=size=854x480:rate=25:start_scale=1.2:end_scale=0.3:end_pts=150 -t 6 '
              '-vf eq=contrast=0.6,hue=h=40:s=0.6 -pix_fmt yuv420p')
    subprocess.check_call(['ffmpeg', '-v', 'error', '-y', *source.split(), 'ref.y4m'])
    for name, crf in (('good', 24), ('poor', 40)):
        subprocess.check_call(['ffmpeg', '-v', 'error', '-y', '-i', 'ref.y4m', '-c:v', 'libx264', '-preset', 'veryfast',
                               '-crf', str(crf), '-pix_fmt', 'yuv420p', f'{name}.mp4'])
        subprocess.check_call(['ffmpeg', '-v', 'error', '-y', '-i', f'{name}.mp4', '-pix_fmt', 'yuv420p', f'{name}.y4m'])


def make_film(path, frames=100000):
    """Writes a report of a video of more than an hour, in which a few single frames have low
    scores."""
    draw = random.Random(1)
    dips = {draw.randrange(frames): 20 + draw.random() * 40 for _ in range(40)}
    dips[77777] = 3.25
    with open(path, 'w') as file:
        file.write('{"version": "3.0.0", "fps": 100.0, "frames": [')
        for i in range(frames):
            score = dips.get(i, min(100, 92 + 4 * math.sin(i / 3000) + draw.gauss(0, 1)))
            metrics = {'integer_adm2': score / 100, 'integer_motion2': abs(draw.gauss(5, 3)), 'psnr_y': score / 2.2}
            metrics.update({f'integer_vif_scale{k}': score / 100 - k * .01 for k in range(4)}, vmaf=score)
            file.write(('' if i == 0 else ',\n') + json.dumps({'frameNum': i, 'metrics': metrics}))
        file.write('], "pooled_metrics": {}, "aggregate_metrics": {}}')


def check_encodes():
    subprocess.check_call([vmaf, 'ref.y4m', 'good.y4m', 'poor.y4m', '-q', '--feature', 'psnr', '--html', 'page.html', '-o',
                           'page.json'])
    report = json.load(open('page.1.json'))
    metrics = len(report['frames'][0]['metrics'])
    frame, shown = check_use(f'{work}/page.html', 149)
    check('a curve for each metric of each video', int(data('curves')) == 2 * metrics, data('curves'))
    want = ''.join('%.2f' % json.load(open(f'page.{i}.json'))['frames'][int(frame)]['metrics']['vmaf'] for i in (1, 2))
    check('the scores of the frame', shown == want, (frame, shown, want))
    check('all pictures are loaded', browser.ask("[...document.querySelectorAll('.pair img')].filter((i) => i.naturalWidth > 0).length")
          == 32)
    browser.ask("(() => { const s = document.querySelector('.pair input'); s.value = 20; s.dispatchEvent(new Event('input')); "
                "document.querySelector('.enlarge').click(); })()")
    check('the slider moves', browser.ask("document.querySelector('.pair').style.getPropertyValue('--at')") == '20%')
    browser.ask("document.querySelector('.pair input').focus()")
    for _ in range(2):
        browser.key('ArrowRight')
    check('a key moves the slider by one percent', browser.ask("document.querySelector('.pair').style.getPropertyValue('--at')") == '22%')
    check('a picture can be enlarged', count('figure.large') == 1)
    browser.ask("document.querySelector('.legend input').click()")
    browser.settle()
    check('videos can be hidden', count('.curve.off') == metrics)
    check('videos are ranked', browser.ask("[...document.querySelectorAll('#ranking tbody tr')].map((r) => +r.dataset.video)") == [0, 1])
    check_names()
    check_links(f'{work}/page.html', 149)
    check_maps()


def figure(score):
    return f'{score:.{4 if abs(score) < 1 else 2}f}'


def check_maps():
    """Maps lie over the pictures of the worst frames, one metric at a time."""
    subprocess.check_call([vmaf, 'ref.y4m', 'poor.y4m', '-q', '--feature', 'ssim', '--html', 'maps.html', '--heatmap', 'html', '-o',
                           'maps.json'])
    check('a page with maps keeps its promise', os.path.getsize('maps.html') < 8500000, os.path.getsize('maps.html'))
    frames = json.load(open('maps.json'))['frames']
    for width in (1300, 390):
        browser.shape(width, 900, phone=width == 390)
        browser.open(f'file://{work}/maps.html')
        shown = "[...document.querySelectorAll('.pair .map')].filter((m) => m.checkVisibility())"
        check('no map is shown at first', browser.ask(f'{shown}.length') == 0)
        check('the choice is named', browser.ask("document.querySelector('#map').labels.length") == 1)
        check('there is a choice for each metric', browser.ask("document.querySelector('#map').options.length") == 10)
        browser.ask("document.querySelector('#map').focus()")
        browser.key('ArrowDown')
        metric = browser.ask("document.querySelector('#map').value")
        check('a key chooses a map', metric.startswith('integer_'), metric)
        figures = count('.mapped')
        check('each picture has the map', browser.ask(f'{shown}.length') == figures, figures)
        check('the map covers the picture', browser.ask(f"{shown}.every((m) => {{ const a = m.getBoundingClientRect(), b = m.closest("
              "'.pair').querySelector('.reference').getBoundingClientRect(); return ['left', 'top', 'right', 'bottom'].every((s) => "
              "Math.abs(a[s] - b[s]) < 1) && m.naturalWidth > 0; })"))
        texts = browser.ask("[...document.querySelectorAll('figure')].map((f) => [+f.dataset.frame, f.querySelector('.mapped').textContent])")
        check('each frame has the score of the map', all(
            text == f'{metric} {figure(frames[n]["metrics"][metric])}' for n, text in texts), texts)
        check('the ends of the scale are told', browser.ask("[...document.querySelectorAll('#best, #lost')].map((e) => e.textContent)")
              == ['1', '0'])
        browser.ask("document.querySelector('#opacity').focus()")
        for _ in range(3):
            browser.key('ArrowRight')
        seen = browser.ask(f'getComputedStyle({shown}[0]).opacity')
        check('a key changes the opacity', abs(float(seen) - .73) < .001, seen)
        wide = browser.ask('document.documentElement.scrollWidth')
        check('the page with a map is no wider than the window', wide <= width, wide)
        check('the console shows no errors', not browser.complaints, browser.complaints)
        browser.ask("(() => { const c = document.querySelector('#map'); c.value = 'integer_vif_scale1'; c.dispatchEvent(new "
                    "Event('change')); document.activeElement.blur(); })()")
        browser.shape(width, 620, phone=width == 390)
        browser.ask("document.querySelector('#worst').scrollIntoView()")
        browser.settle()
        browser.picture(f'{work}/report-maps{"-phone" if width == 390 else ""}.png')


def check_names():
    """Every control has a name that says what it does, for readers who hear the page."""
    browser.call('Accessibility.enable')
    seen = {}
    for node in browser.call('Accessibility.getFullAXTree')['nodes']:
        role = node.get('role', {}).get('value')
        if role in ('button', 'slider', 'checkbox', 'toolbar', 'group', 'image') and not node.get('ignored'):
            seen.setdefault(role, []).append(node.get('name', {}).get('value', ''))
    for role, least in (('button', 20), ('slider', 15), ('checkbox', 2), ('toolbar', 1), ('image', 30)):
        check(f'there are {role}s', len(seen.get(role, [])) >= least, (role, seen.get(role)))
    groups = seen.pop('group', [])  # drawings, and <details>, whose names are summaries
    for role, names in seen.items():
        check(f'each {role} has a name in words', all(len(name) > 2 and any(c.isalpha() for c in name) for name in names), (role, names))
    drawings = [name for name in groups if 'mean' in name and 'lowest' in name]
    check('the drawings tell their scores', len(drawings) == count('.chart'), groups)
    browser.call('Accessibility.disable')


def check_marks():
    """The marks of all frame axes are at round times, and where those times are."""
    marks = browser.ask("[...document.querySelector('.chart .xs').children].map((m) => [parseFloat(m.style.left), m.textContent])")
    check('there are some marks', 3 <= len(marks) <= 14, marks)
    steps = {round((float(b[1]) - float(a[1])), 6) for a, b in zip(marks, marks[1:])}
    check('marks are as far apart as round numbers', len(steps) == 1 and str(steps.pop()).strip('.0') in ('1', '2', '5'), marks)


def check_clock(path, times):
    """The page of a report says these times: of a frame that is selected, and at the marks of the axis."""
    metrics = {'frames': [{'frameNum': 2 * i, 'metrics': {'vmaf': 50 + i % 40}} for i in range(len(times))], 'version': '1'}
    details = {'schema': 1, 'program': 'vmaf-turbo', 'version': '1', 'inputs': {}, 'times': times}
    with open(path, 'w') as file:
        json.dump({**metrics, 'vmaf_turbo': details}, file)
    subprocess.check_call([vmaf, '--report', path, '--html', 'clock.html'])
    for i in (0, 1, len(times) // 3, len(times) - 1):
        browser.open(f'file://{work}/clock.html#frame={2 * i}')
        browser.settle()
        ms = round(times[i] * 1000)
        want = f'frame {2 * i}, {ms // 60000}:{ms // 1000 % 60:02}.{ms % 1000:03}'
        told = browser.ask("document.querySelector('.where').textContent")
        check(f'{path}: the time of a frame', told == want, (told, want))
    browser.ask("document.querySelector('[data-do=all]').click()")
    browser.settle()
    marks = browser.ask("[...document.querySelector('.chart .xs').children].map((m) => [parseFloat(m.style.left), m.textContent])")
    check(f'{path}: there are marks', len(marks) > 2, marks)
    for left, text in marks:
        minutes, seconds = text.split(':')
        at = left / 100 * (len(times) - 1)
        i = min(int(at), len(times) - 2)
        there = times[i] + (at - i) * (times[i + 1] - times[i])
        check(f'{path}: a mark is at its time', abs(60 * int(minutes) + float(seconds) - there) < .01, (left, text, there))


def check_film():
    make_film('film.json')
    subprocess.check_call([vmaf, '--report', 'film.json', '--html', 'film.html'])
    size = os.path.getsize('film.html')
    check('the page of a long video is smaller than 5 MB', size < 5e6, size)
    check_use(f'{work}/film.html', 99999)
    check('the page of a long video has all curves', data('curves') == '8', data('curves'))
    browser.ask("document.querySelector('[data-do=all]').click()")
    browser.settle()
    check_marks()
    layers = [browser.ask(f"document.querySelector('.{layer}').getAttribute('d').length") for layer in ('range', 'band', 'curve')]
    check('many frames are a line in two bands', min(layers) > 1000 and max(layers) < 20000, layers)
    for _ in range(9):
        browser.ask("document.querySelector('[data-do=in]').click()")
    browser.settle()
    check_marks()
    layers = [browser.ask(f"document.querySelector('.{layer}').getAttribute('d').length") for layer in ('range', 'band', 'curve')]
    check('few frames are a line alone', layers[:2] == [0, 0] and layers[2] > 500, layers)
    browser.ask("document.querySelector('[data-do=all]').click()")
    browser.settle()
    check('the worst frame comes first', browser.ask("document.querySelector('figure').dataset.frame") == '77777')
    x, y = plot(.77777)
    browser.ask("document.querySelector('[data-do=all]').click()")
    browser.mouse('Moved', x, y)
    browser.settle()
    check('the pointer finds a dip among its neighbours', data('cursor') == '77777' and text_of(0) == '3.25',
          (data('cursor'), text_of(0)))
    check_links(f'{work}/film.html', 99999)


def check_many():
    """The page of fifteen videos, of which one has a long name, on a phone."""
    for i in range(15):
        name = 'word and_no_blank' * 6 if i == 3 else f'encode{i}'
        frames = [{'frameNum': n, 'metrics': {'vmaf': 60 + i + n % 9, 'integer_adm2': .9}} for n in range(40)]
        details = {'schema': 1, 'program': 'vmaf-turbo', 'version': '1', 'inputs': {
            side: {'path': path, 'kind': 'y4m', 'width': 64, 'height': 64} for side, path in (('reference', 'gone'), ('distorted', name))}}
        with open(f'many{i:02}.json', 'w') as file:
            json.dump({'version': '1', 'frames': frames, 'vmaf_turbo': details}, file)
    subprocess.check_call([vmaf, '--report', *(f'many{i:02}.json' for i in range(15)), '--html', 'many.html'])
    look(f'{work}/many.html', 'many', width=390, height=800, phone=True)
    check('a long name is there', 'no_blank' in browser.ask("document.body.textContent"))
    names = browser.ask("Math.max(...[...document.querySelectorAll('.wide tbody th:first-child')].filter((c) => c.closest('.wide').scrollWidth > 390)"
                        ".map((c) => c.getBoundingClientRect().width))")
    check('names of wide tables leave room for figures', 0 < names < 200, names)
    tools = browser.ask("document.querySelector('.tools').getBoundingClientRect().height")
    check('the tools leave room for drawings', tools < 200, tools)
    looks = browser.ask("[...document.querySelectorAll('.chart')][0].querySelectorAll('.curve').length && "
                        "[...document.querySelector('.chart').querySelectorAll('.curve')].map((c) => { const s = getComputedStyle(c); "
                        "return s.stroke + s.strokeDasharray; })")
    check('no two curves look the same', len(set(looks)) == 15, looks)


def check_comparison():
    """Checks the page on which vmaf-tune compares two encoders."""
    subprocess.check_call([tune, 'compare', 'ref.y4m', '--encoders', 'libx264:preset=ultrafast,libx264:preset=veryfast',
                           '--crf', '18..36:6', '--html', 'tune.html', '-o', 'tune.json'], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    browser.open(f'file://{work}/tune.html')
    browser.settle()
    check('the comparison has a drawing', count('svg') >= 1, count('svg'))
    check('the page loads nothing else', browser.ask("performance.getEntriesByType('resource').length") == 0)


def check_shots():
    """Checks the shots of a film with cuts, and the page of a ladder of it."""
    subprocess.check_call(['ffmpeg', '-v', 'error', '-nostdin', '-y', '-f', 'lavfi', '-i', 'testsrc2=size=480x270:rate=25:duration=2', '-f',
                           'lavfi', '-i', 'mandelbrot=size=480x270:rate=25', '-f', 'lavfi', '-i', 'life=size=480x270:rate=25:mold=10:ratio=.1',
                           '-filter_complex', '[0]trim=duration=2,format=yuv420p,split[a][d];[1]trim=duration=1.6,format=yuv420p[b];'
                           '[2]trim=duration=1.2,format=yuv420p[c];[d]hue=h=120,format=yuv420p[e];[a][b][c][e]concat=n=4', '-c:v', 'ffv1',
                           'cuts.mkv'], stderr=subprocess.DEVNULL)
    subprocess.check_call(['ffmpeg', '-v', 'error', '-nostdin', '-y', '-i', 'cuts.mkv', '-c:v', 'libx264', '-crf', '36', 'cuts.mp4'])
    subprocess.check_call([vmaf, 'cuts.mkv', 'cuts.mp4', '--shots', '-q', '--html', 'shots.html'])
    browser.shape(1100, 1000)
    browser.open(f'file://{work}/shots.html')
    bands = "document.querySelector('.large .shots').getAttribute('d')"
    check('every second shot is shaded', browser.ask(bands).count('M') == 2, browser.ask(bands))
    check('the worst shots have pictures', count('#shots figure .pair img') == 8, count('#shots figure .pair img'))
    check('all shots are listed', count('#shots tbody tr') == 4, count('#shots tbody tr'))
    whole = browser.ask(bands)
    x, y = plot(.1)
    browser.drag(x, y, plot(.4)[0])
    zoomed = browser.ask(bands)
    check('the shades follow a zoom', zoomed != whole and zoomed.count('M') == 1, (whole, zoomed))
    browser.ask("document.querySelector('#shots figcaption a').click()")
    browser.settle()
    check('a link leads to the lowest frame', data('cursor') == browser.ask("document.querySelector('#shots figure').dataset.frame"))
    check('no complaint', not browser.complaints, browser.complaints)
    subprocess.check_call([tune, 'ladder', 'cuts.mkv', '--encoder', 'libx264:preset=veryfast', '--sizes', '270,180,90', '--crf', '20..44:6',
                           '--target-steps', '4', '--html', 'ladder.html', '-q'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    browser.open(f'file://{work}/ladder.html')
    check('the page of a ladder has its rungs', count('td[data-label="peak kbit/s"]') >= 2, count('td[data-label="peak kbit/s"]'))


os.makedirs(work, exist_ok=True)
os.chdir(work)
make_encodes()
browser = Browser(f'{work}/profile')
try:
    check_encodes()
    check_film()
    check_clock('variable.json', [round(1.4 + .04 * i + .0007 * i * i, 6) for i in range(300)])
    check_clock('gaps.json', [round(.04 * i + 70 * (i > 100) + 65.535 * (i > 200), 6) for i in range(300)])
    check_clock('even.json', [round(i * 1001 / 30000 + 5.2, 6) for i in range(300)])
    check_comparison()
    check_shots()
    check_many()
    look(f'{work}/page.html', 'report-light', width=1100, height=1250)
    look(f'{work}/page.html', 'report-dark', width=1100, height=3400, dark=True)
    look(f'{work}/page.html', 'report-phone', width=390, height=1500, dark=True, phone=True)
    look(f'{work}/tune.html', 'tune', width=1000, height=900)
    look(f'{work}/film.html', 'film', width=1100, height=1400)
    look(f'{work}/shots.html', 'shots', width=1100, height=1500)
    look(f'{work}/ladder.html', 'ladder', width=1000, height=1000)
finally:
    browser.close()
if docs and not failed:
    for name in ('report-light', 'report-phone', 'report-maps', 'shots', 'tune', 'ladder'):
        subprocess.check_call(['ffmpeg', '-v', 'error', '-y', '-i', f'{name}.png', '-vf',
                               'split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none',
                               f'{docs}/{name}.png'])
print(f'{checks} checks, {failed} wrong; pictures are in {work}')
sys.exit(1 if failed else 0)
