#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests HTML pages, pooled figures and score limits: of runs and of stored reports.

usage: report_test.py VMAF SYNTHCLIP WORKDIR
"""
import base64
import json
import os
import re
import select
import shutil
import signal
import statistics
import subprocess
import sys

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
RAW = ['-w', '64', '-h', '64', '-p', '420', '-b', '8']
failed = checks = 0


def check(title, good, got=''):
    global failed, checks
    checks += 1
    if not good:
        failed += 1
        print(f'{title}: {got!r}')


def run(*args, **more):
    done = subprocess.run([vmaf, *args], capture_output=True, text=True, **more)
    return done.returncode, done.stderr, done.stdout


def page(path):
    """Returns the page, and the data that its script draws."""
    text = open(path, encoding='utf-8').read()
    return text, json.loads(re.search(r'<script type=application/json id=data>(.*?)</script>', text, re.S).group(1))


def scores(curve):
    """Decodes the values of a curve."""
    codes = base64.b64decode(curve['codes'])
    width = curve['high'] - curve['low']
    return [curve['low'] + int.from_bytes(codes[i:i + 2], 'little') / 65534 * width for i in range(0, len(codes), 2)]


def check_pools():
    code, said, _ = run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--precision', 'max', '-o', 'a.json')
    frames = [f['metrics']['vmaf'] for f in json.load(open('a.json'))['frames']]
    code, said, out = run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--precision', 'max', '--pool', 'mean,median', '--pool',
                          'min,max,p0,p100,harmonic_mean', '--feature', 'psnr')
    lines = dict(line.split(': ') for line in said.splitlines())
    check('--pool works', code == 0 and out == '', (code, said, out))
    label = 'vmaf_v0.6.1'
    check('median', float(lines[label + ' median']) == statistics.median(frames), lines)
    for name, want in (('min', min(frames)), ('p0', min(frames)), ('max', max(frames)), ('p100', max(frames))):
        check(name, float(lines[f'{label} {name}']) == want, lines)
    pooled = json.load(open('a.json'))['pooled_metrics']['vmaf']
    check('mean', float(lines[label]) == pooled['mean'], lines)
    check('harmonic mean', float(lines[label + ' harmonic_mean']) == pooled['harmonic_mean'], lines)
    check('features are pooled, too', 'psnr_y median' in lines and 'psnr_y' in lines, lines)
    _, said, _ = run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--pool', 'p5', '--model', 'version=vmaf_b_v0.6.3')
    check('collections are pooled, too', re.search(r'vmaf_b_v0.6.3 p5: \S+, ci.p95: \[', said), said)
    for bad in ('p101', 'average', '', 'mean,', 'mean,,p5'):
        code, said, _ = run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--pool', bad)
        check('an invalid --pool', code == 1 and 'harmonic_mean' in said, said)


def check_limits():
    both = ['-r', 'r.yuv', '-d', 'a.yuv', '-d', 'b.yuv', *RAW]
    code, said, _ = run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--fail-under', '1')
    check('a limit that is reached', code == 0 and 'below' not in said, (code, said))
    code, said, _ = run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--fail-under', '1', '--fail-under', '99.5:p5', '-o', 'o.xml')
    check('a limit that is not reached', code == 2 and len(said.splitlines()) == 1, (code, said))
    check('its message', re.fullmatch(r'vmaf_v0.6.1: its p5 is [\d.]+, below 99.5\n', said), said)
    check('the report is written although the limit is not reached', os.path.exists('o.xml'))
    code, said, _ = run(*both, '--fail_under', '99.5:min', '-o', 'o.json')
    check('the limit applies to each video', code == 2 and [line.split(':')[0] for line in said.splitlines()] == ['a.yuv', 'b.yuv'], said)
    code, said, _ = run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--fail-under', '99.5', '--model', 'version=vmaf_v0.6.1',
                        '--model', 'version=vmaf_b_v0.6.3:name=b', '-o', 'o.xml')
    check('the limit applies to each model', code == 2 and said.count('below') == 2, said)
    for bad in ('x', '93:', '93:p101', 'nan', ''):
        code, said, _ = run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--fail-under', bad)
        check('an invalid limit', code == 1 and 'fail_under' in said, (code, said))
    code, said, _ = run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, '-n', '--feature', 'psnr', '--fail-under', '9')
    check('a limit without models', code == 1, (code, said))
    code, said, _ = run('-r', 'r.yuv', '-d', 'cut.yuv', *RAW, '--fail-under', '99.9')
    check('an error takes precedence over the limit', code == 255, (code, said))
    run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, '-o', 'a.json')
    code, said, _ = run('--report', 'a.json', '--fail-under', '99.5:median')
    check('a stored report does not reach the limit', code == 2 and 'vmaf_v0.6.1: its median is' in said, (code, said))
    code, said, out = run('--report', 'a.json', '--pool', 'p5', '--fail-under', '1')
    check('a stored report reaches the limit', code == 0 and out.startswith('vmaf_v0.6.1 p5: ') and not said, (code, said, out))


def check_named_limits():
    """Two models of one name are told apart, by their metrics."""
    two = ['--model', 'vmaf_v0.6.1:name=one', '--model', 'vmaf_v0.6.1:name=neg:vif.vif_enhn_gain_limit=1']
    run('-r', 'r.yuv', '-d', 'a.yuv', *RAW, *two, '-o', 'two.json')
    pooled = {name: json.load(open('two.json'))['pooled_metrics'][name]['mean'] for name in ('one', 'neg')}
    _, said, out = run('--report', 'two.json')
    lines = dict(line.split(': ') for line in out.splitlines())
    check('labels', said == '' and list(lines) == ['vmaf_v0.6.1 (one)', 'vmaf_v0.6.1 (neg)'] and
          all(abs(float(a) - b) < 2e-6 for a, b in zip(lines.values(), pooled.values())), (out, pooled))
    between = (pooled['one'] + pooled['neg']) / 2
    for source in (['-r', 'r.yuv', '-d', 'a.yuv', *RAW, *two, '-o', 'o.json'], ['--report', 'two.json']):
        for limit, want in ((f'one={between}', 0), (f'neg={between}', 2), (f'{between}', 2), (f'vmaf_v0.6.1={between}', 2),
                            (f'one={between}:min', 2)):
            code, said, _ = run(*source, '--fail-under', limit)
            check(f'{source[0]} with the limit {limit}', code == want and ('(neg): its mean is' in said) == (want and ':min' not in limit),
                  (code, said))
    code, said, _ = run('--report', 'two.json', '--fail-under', 'other=1')
    check('a limit for no model of a stored report', code == 255 and 'has no model or metric that is called "other"' in said, (code, said))


def check_outputs():
    """A page is known by its name, and a format without a path means standard output."""
    pair = ['-r', 'r.yuv', '-d', 'a.yuv', *RAW]
    code, said, out = run(*pair, '-o', 'named.html')
    check('-o NAME.html is a page', code == 0 and open('named.html').read(15) == '<!DOCTYPE html>' and 'vmaf_v0.6.1: ' in said, said)
    code, _, _ = run(*pair, '-o', 'named.HTM', '-o', 'named.json')
    check('a page and a report', code == 0 and open('named.HTM').read(15) == '<!DOCTYPE html>' and json.load(open('named.json')), code)
    given = [o['name'] for o in json.load(open('named.json'))['vmaf_turbo']['options']]
    check('its options', given.count('html') == 1 and given.count('output') == 1, given)
    run(*pair, '-o', 'forced.html', '--xml')
    check('a format that was given counts', open('forced.html').read(5) == '<VMAF')
    for word, start in (('json', '{'), ('xml', '<VMAF'), ('csv', 'Frame,'), ('sub', '{0}')):
        code, said, out = run(*pair, '--' + word)
        check(f'--{word} without -o', code == 0 and out.startswith(start) and said.startswith('vmaf_v0.6.1: '), (code, said, out[:60]))
    code, said, out = run('--report', 'a.json')
    check('scores of a stored report', out.startswith('vmaf_v0.6.1: ') and said == '', (said, out))
    code, said, out = run('-r', 'r.yuv', '-d', 'a.yuv', *RAW)
    check('scores of raw video, as libvmaf prints them', said.startswith('vmaf_v0.6.1: ') and out == '', (said, out))
    if not shutil.which('ffmpeg') or subprocess.run(['ffmpeg', '-v', 'error', '-y', '-f', 'rawvideo', '-s', '64x64', '-i', 'a.yuv',
                                                     '-c:v', 'ffv1', 'a.mkv'], check=False).returncode:
        return
    if run('a.mkv', 'a.mkv', '-n', '--feature', 'psnr')[0]:
        return  # a build that reads no files
    code, said, out = run('a.mkv', 'a.mkv', '--feature', 'psnr')
    check('scores of files', code == 0 and [line.split(':')[0] for line in out.splitlines()] ==
          ['vmaf_v0.6.1', 'psnr_y', 'psnr_cb', 'psnr_cr'] and 'v0.6.1' not in said, (code, said, out))
    code, said, out = run('a.mkv', 'a.mkv', '--html', '-')
    check('a page on standard output has no scores before it', out.startswith('<!DOCTYPE') and 'vmaf_v0.6.1: ' in said, said)
    with open('/dev/full', 'w', encoding='utf-8') as full:
        done = subprocess.run([vmaf, 'a.mkv', 'a.mkv'], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    check('lost scores', done.returncode == 255 and 'could not write to standard output' in done.stderr, done)


def check_page_of_a_run():
    code, said, _ = run('-r', 'r.yuv', '-d', 'a.yuv', '-d', 'b.yuv', *RAW, '--feature', 'psnr', '--html', 'run.html',
                        '--precision', 'max', '-o', 'run.json')
    check('a run writes a page', code == 0 and said == '', (code, said))
    text, data = page('run.html')
    reports = [json.load(open(f'run.{i}.json')) for i in (1, 2)]
    names = [{c['metric'] for c in data['curves'] if c['video'] == v} for v in (0, 1)]
    check('the page has every metric of every video', all(len(n) == len(r['frames'][0]['metrics']) for n, r in zip(names, reports)),
          names)
    check('the page names the videos', data['videos'] == ['a.yuv', 'b.yuv'], data['videos'])
    for video, report in enumerate(reports):
        curve = next(c for c in data['curves'] if c['video'] == video and c['metric'] == 0)
        want = [f['metrics']['vmaf'] for f in report['frames']]
        check('a curve has the scores', max(abs(a - b) for a, b in zip(scores(curve), want)) < 0.01 and len(want) == curve['count'])
        check('a curve has the lowest and the highest score', (curve['low'], curve['high']) == (min(want), max(want)), curve['low'])
        check('the headline has the mean', f"<b>{report['pooled_metrics']['vmaf']['mean']:.2f}</b>" in text)
    check('the page loads nothing from the network', not re.search(r'(src|href)=(?!"data:|"#)|url\(|@import|https?://', text))
    check('the page forbids loading anything', "default-src 'none'" in text)
    check('the page names the instruction set', 'AVX' in text or 'scalar' in text or 'NEON' in text, '')
    pictures = re.findall(r'src="data:image/png;base64,([^"]*)"', text)
    if pictures or 'without libpng' not in text:
        check('pictures of eight frames of each video, with those of the reference', len(pictures) == 32, len(pictures))
        check('the pictures are PNG', all(base64.b64decode(p)[:8] == b'\x89PNG\r\n\x1a\n' for p in pictures))
    links = [int(n) for n in re.findall(r'<figure data-frame=(\d+)>.*?href="#frame=\1"', text, re.S)]
    worst = min(reports[0]['frames'], key=lambda f: f['metrics']['vmaf'])['frameNum']
    check('links to the worst frames', len(links) == 16 and links[0] == worst, links)


def check_ranking():
    """Several videos are ranked, and no page looks better than its run was."""
    first = json.load(open('run.1.json'))
    turbo = first['vmaf_turbo']
    turbo['warnings'] = [{'code': 'range', 'input': 'distorted', 'text': 'has <full> range'},
                         {'code': 'hdr', 'input': 'reference', 'text': 'is HDR'}, {'code': 'no_gpu', 'text': 'none'}]
    turbo['inputs']['distorted'].update(codec='h264', bytes=1250000, bit_rate=2000000)
    json.dump(first, open('warned.json', 'w'))
    turbo.update(warnings=[], complete=False, incomplete_reason='a.yuv ended 5 frames early')
    json.dump(first, open('incomplete.json', 'w'))
    code, said, _ = run('--report', 'run.2.json', 'incomplete.json', 'warned.json', '--html', 'ranked.html')
    text, _ = page('ranked.html')
    ranking = re.search(r'<section id=ranking>(.*?)</section>', text, re.S)[1]
    means = [json.load(open(name))['pooled_metrics']['vmaf']['mean'] for name in ('run.2.json', 'warned.json')]
    best = [2, 0, 1] if means[1] > means[0] else [0, 2, 1]
    check('the best score comes first, an incomplete run last', re.findall(r'<tr data-video=(\d)>', ranking) == [str(b) for b in best],
          ranking)
    row = re.search(r'<tr data-video=2>.*', ranking)[0]
    for word in ('h264', '64×64', '1.25 MB', '2.00 Mbit/s', '<td>30', f'<b>{means[1]:.2f}</b>', 'data-code="range"', 'no gpu'):
        check('a row of the ranking', word in row, (word, row))
    check('bit rates of raw video come from the size of the file', '1.84 MB' not in ranking and 'kB' in ranking, ranking)
    cards = re.findall(r'<article.*?</article>', text, re.S)
    check('each kind of warning is a mark on the card', [re.findall(r'data-code="?(\w+)', c) for c in cards] ==
          [[], ['incomplete'], ['range', 'hdr', 'no_gpu']], cards)
    check('the card says what is missing', 'Incomplete: a.yuv ended 5 frames early' in cards[1] and ' incomplete">' in cards[1], cards[1])
    rows = re.findall(r'<tr data-video=(\d)>.*?<td class=word>(.*?)<td class=word>(.*?)<td class=text>(.*?)</tr>',
                      re.search(r'<section id=warnings>(.*?)</section>', text, re.S)[1])
    check('each warning is a line of the table', rows == [
        ('1', 'the run', 'incomplete', 'a.yuv ended 5 frames early'), ('2', 'distorted', 'range', 'has &lt;full&gt; range'),
        ('2', 'reference', 'hdr', 'is HDR'), ('2', 'the run', 'no gpu', 'none')], rows)
    text, _ = page('run.html')
    check('no warnings, no table', '<section id=warnings>' not in text and 'class=mark' not in text.split('</style>')[1])
    check('one reference is named once', text.count('compared with r.yuv') == 1)
    first['vmaf_turbo']['inputs']['reference']['path'] = 'other.yuv'
    json.dump(first, open('other.json', 'w'))
    run('--report', 'run.2.json', 'other.json', '--html', 'two.html')
    cards = re.findall(r'<article.*?</article>', page('two.html')[0], re.S)
    check('two references are on the cards', 'with r.yuv' in cards[0] and 'with other.yuv' in cards[1], cards)


def check_page_of_reports():
    code, said, _ = run('--report', 'run.1.json', 'run.2.json', '--html', 'stored.html')
    check('stored reports make a page', code == 0 and said == '', (code, said))
    check('the page has the same pictures as that of the run', open('stored.html').read().count('<figure') == 16)
    os.makedirs('elsewhere', exist_ok=True)
    report = json.load(open('run.1.json'))
    del report['vmaf_turbo']
    json.dump(report, open('elsewhere/plain.json', 'w'))
    code, said, _ = run('--report', 'elsewhere/plain.json', '--html', 'plain.html')
    text, data = page('plain.html')
    check('a plain report', code == 0 and ('No pictures: the report does not name its videos' in text or
                                           'built without libpng' in text), said)
    check('the page of a plain report has all curves', len(data['curves']) == len(report['frames'][0]['metrics']), len(data['curves']))
    # a report next to its videos finds them from any working directory
    code, said, _ = run('--report', os.path.join(work, 'run.1.json'), '--html', '../beside.html', cwd='elsewhere')
    check('a report beside its videos', code == 0 and 'No pictures' not in open('beside.html').read() or
          'without libpng' in open('beside.html').read(), said)
    os.rename('a.yuv', 'gone.yuv')
    code, said, _ = run('--report', 'run.1.json', '--html', 'gone.html')
    os.rename('gone.yuv', 'a.yuv')
    text = open('gone.html').read()
    check('a video that was removed', code == 0 and said == '' and 'a.yuv: No such file or directory' in text or
          'without libpng' in text, said)
    with open('a.yuv', 'rb') as video:
        code, said, _ = run('-r', 'r.yuv', '-d', '-', *RAW, '--html', 'pipe.html', stdin=video)
    check('a video from standard input', code == 0 and ('came through standard input' in open('pipe.html').read() or
                                           'without libpng' in open('pipe.html').read()), said)
    code, _, out = run('--report', 'run.1.json', '--html', '-')
    check('a page on standard output', code == 0 and out.endswith('</body></html>\n'))


def check_stop():
    """A run that is stopped writes a page of what it scored, marked as incomplete."""
    process = subprocess.Popen([vmaf, '-r', 'r.yuv', '-d', '-', *RAW, '--progress', '--html', 'stopped.html'],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    video, frame = open('a.yuv', 'rb').read(), 64 * 64 * 3 // 2
    for i in range(29):  # the input is long enough: the run prints one line a second until the test sees it
        process.stdin.write(video[i * frame:(i + 1) * frame])
        process.stdin.flush()
        if select.select([process.stderr], [], [], 0.2)[0]:
            break
    process.send_signal(signal.SIGINT)
    # Keep the input open until the command ends, because the end of the video would end the run.
    said = process.stderr.read().decode()
    process.wait()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    text = open('stopped.html').read()
    check('a run that is stopped', process.returncode == 130 and 'which are in stopped.html' in said, (process.returncode, said))
    check('its page says that it is incomplete', '<p class=warn>Incomplete: stopped by SIGINT</p>' in text)


def check_refusals():
    open('list.json', 'w').write('[1, 2]')
    open('deep.json', 'w').write('{"frames": ' + '[' * 100000)
    open('cut.json', 'w').write(open('run.1.json').read()[:-100])
    before = open('run.1.json').read()
    for args, code, words in (
            (['--report'], 1, 'needs JSON reports'),
            (['--report', 'run.1.json', '-r', 'r.yuv'], 1, 'leave out -r'),
            (['--report', 'none.json'], 255, 'No such file'),
            *((['--report', 'run.1.json', *more], 1, f'{more[0]} is for scoring')
              for more in (['--shots'], ['--pairs', 'none'], ['--subsample', '2'], ['--shard', '0/2'], ['--model', 'vmaf_b_v0.6.3'])),
            (['--report', 'list.json'], 255, 'is not a JSON report'),
            (['--report', 'deep.json'], 255, 'is not a JSON report'),
            (['--report', 'cut.json'], 255, 'is not a JSON report'),
            (['--report', 'r.yuv'], 255, 'is not a JSON report'),
            (['--report', 'run.1.json', '--html', 'run.1.json'], 255, 'would overwrite it'),
            (['--report', 'run.1.json', '--html', 'no/such/page.html'], 255, 'could not write'),
            (['-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--html', 'no/such/page.html'], 255, 'could not open'),
            (['-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--html', 'a.yuv'], 255, 'would overwrite it'),
            (['-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--html', 'x', '-o', 'x'], 1, 'have the same path: x'),
            (['-r', 'r.yuv', '-d', 'a.yuv', *RAW, '--html', './x', '-o', 'x'], 255, './x and x are one file'),
            (['-r', 'r.yuv', '-d', 'a.yuv', '-d', 'r.yuv', *RAW, '-o', 'x.json', '--html', 'x.2.json'], 255, 'are one file')):
        got, said, out = run(*args)
        check(' '.join(args), got == code and words in said and len(said.splitlines()) == 1 and out == '', (got, said))
    check('the reports are unchanged', open('run.1.json').read() == before)
    check('no temporary file stays', not [n for n in os.listdir('.') if n.endswith('.tmp')], os.listdir('.'))


os.makedirs(work, exist_ok=True)
os.chdir(work)
for kind, name in (('blur', 'a.yuv'), ('noise', 'b.yuv')):
    subprocess.check_call([synthclip, kind, '64', '64', '420', '8', '30', 'r.yuv', name])
open('cut.yuv', 'wb').write(open('a.yuv', 'rb').read()[:64 * 64 * 3 + 1000])
check_pools()
check_limits()
check_named_limits()
check_outputs()
check_page_of_a_run()
check_ranking()
check_page_of_reports()
check_stop()
check_refusals()
print(f'{checks} checks, {failed} wrong')
sys.exit(1 if failed else 0)
