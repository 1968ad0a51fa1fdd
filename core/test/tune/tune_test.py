#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-tune with real encoders, on small clips.

usage: tune_test.py VMAF_TUNE VMAF WORKDIR [--all]

Scores equal those of the vmaf command on the same files. Searches find the right setting. An error
is one line. However the program ends, no temporary file is left. A corpus that is killed continues,
and has each result once. With --all: more of everything, and more kills. TUNE_ONLY=NAME,NAME in the environment runs
only these of the functions below.
"""
import ctypes
import fcntl
import html.parser
import json
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

tune, vmaf, work = (os.path.abspath(p) for p in sys.argv[1:4])
root = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..', '..'))
everything = '--all' in sys.argv[4:]
LIMIT = 1200  # seconds after which a run counts as hanging
USAGE, UNREACHED, OVER, FAILED = 1, 2, 3, 255
FAST = {'libx264': 'libx264:preset=ultrafast', 'libx265': 'libx265:preset=ultrafast:x265-params=log-level=none',
        'libsvtav1': 'libsvtav1:preset=12'}
problems = []

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)

ffmpeg = shutil.which('ffmpeg')
if not ffmpeg:
    print('ffmpeg is not installed')
    sys.exit(77)
listed = subprocess.run([ffmpeg, '-v', 'error', '-encoders'], capture_output=True, text=True).stdout
encoders = [e for e in FAST if f' {e} ' in listed]
if 'libx264' not in encoders:
    print('this ffmpeg has no libx264')
    sys.exit(77)

shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
os.environ['TMPDIR'] = work
# Become the parent of orphaned processes, so that the test sees every process left behind.
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


def clip(name, source='testsrc2', frames=24, size='160x90', more=()):
    subprocess.run([ffmpeg, '-v', 'error', '-nostdin', '-y', '-f', 'lavfi', '-i', f'{source}=size={size}:rate=24', *more,
                    '-frames:v', str(frames), '-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-qp', '0', '-preset', 'ultrafast',
                    f'file:{name}'], check=True)


def run(*args, **more):
    return subprocess.run([tune, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace',
                          timeout=LIMIT, **more)


def lines(text):
    return [line for line in text.split('\n') if line]


def left_behind():
    return [name for name in os.listdir('.') if name.startswith('.vmaf-tune-')]


def reap():
    """Collects orphaned child processes that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def alive(pid):
    try:
        with open(f'/proc/{pid}/stat') as file:
            return file.read().rsplit(')', 1)[1].split()[0] not in 'ZX'
    except OSError:
        return False


def wait_until(condition):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            return False
        reap()
        time.sleep(0.01)
    return True


def write_encoder(name, body):
    """Writes an encoder script, which takes INPUT OUTPUT SETTING."""
    with open(name, 'w') as file:
        file.write(f'#!{sys.executable}\nimport os, shutil, subprocess, sys, time\nsource, output, setting = sys.argv[1:4]\n'
                   f'def encode():\n    subprocess.run([{ffmpeg!r}, "-v", "error", "-nostdin", "-y", "-i", "file:" + source, "-c:v",'
                   ' "libx264", "-preset", "ultrafast", "-crf", setting, "file:" + output], check=True)\n' + body)
    os.chmod(name, 0o700)


clip('source.mkv')


def compares_what_the_command_scores():
    write_encoder('keep', 'encode()\nshutil.copy(output, f"kept-{setting}.mkv")\n')
    out = run('compare', 'source.mkv', '--encoders', FAST['libx264'], '--encoder-cmd', 'mine=./keep {input} {output} {crf}',
              '--crf', '20..44:8', '--encodes', '2', '--backends', 'cpu,cpu', '--json', 'o.json', '--svg', 'o.svg', '--html', 'o.html')
    check('compare', out.returncode == 0, out.returncode, out.stderr)
    check('compare says nothing on stderr', out.stderr == '', out.stderr)
    result = json.load(open('o.json'))
    check('the result describes the source', result['source']['frames'] == 24 and result['source']['width'] == 160 and
          abs(result['source']['seconds'] - 1) < 0.01, result['source'])
    points = result['points']
    check('all points are there, in order', [(p['encoder'], p['setting']) for p in points] ==
          [(e, s) for e in (FAST['libx264'], 'mine') for s in (20, 28, 36, 44)], points)
    for ours, theirs in zip(points[:4], points[4:]):
        check('the same encoder gives the same figures', ours['score'] == theirs['score'] and
              ours['bytes'] == theirs['bytes'], ours, theirs)
    for point in points[4:]:
        kept = f'kept-{point["setting"]:g}.mkv'
        subprocess.run([vmaf, '-r', 'source.mkv', '-d', kept, '--json', '-o', 'v.json', '-q', '--precision', 'max'],
                       check=True)
        pooled = json.load(open('v.json'))['pooled_metrics']['vmaf']
        for name in ('mean', 'harmonic_mean', 'min', 'max'):
            check(f'{name} equals that of the command', pooled[name] == point['pooled'][name], kept)
        check('the score is the mean', point['score'] == pooled['mean'])
        packets = subprocess.run([ffmpeg, '-v', 'error', '-nostdin', '-i', kept, '-c', 'copy', '-f', 'rawvideo', '-'],
                                 capture_output=True, check=True).stdout
        check('the size is that of the video stream', point['bytes'] == len(packets), point['bytes'], len(packets))
        seconds = result['source']['seconds']
        check('the bit rate follows from the size', abs(point['bitrate'] - len(packets) * 8 / seconds / 1000) < 1e-9, point['bitrate'])
    deltas = result['deltas'][0]
    check('equal encoders do not differ', all(abs(v) < 1e-9 for d in ('bd_rate', 'bd_quality')
                                              for v in deltas[d].values()), deltas)
    check('deltas have all kinds', set(deltas['bd_rate']) == {'cubic', 'pchip', 'akima'})
    check('the hull names points', result['hull'] and all(0 <= h < 8 for h in result['hull']), result['hull'])
    table = lines(out.stdout)
    check('the table is complete and has no control characters', '\033' not in out.stdout and len([t for t in table if ' cpu' in t]) == 8, out.stdout)
    svg = xml.etree.ElementTree.parse('o.svg').getroot()
    check('eight points are drawn', len([e for e in svg.iter() if e.tag.endswith('circle') and len(e)]) == 8)
    page = open('o.html').read()
    check('the page loads nothing', 'src=' not in page and 'href' not in page and '<script' not in page)


def pools_and_metrics():
    out = run('compare', 'source.mkv', '--encoders', FAST['libx264'], '--crf', '35', '--feature', 'psnr', '--metric',
              'psnr_y', '--pool', 'p10', '--json', '-')
    check('JSON on standard output, and nothing else', out.returncode == 0, out.stderr)
    result = json.loads(out.stdout)
    point = result['points'][0]
    check('psnr is scored', 15 < point['score'] < 60 and point['score'] == point['pooled']['p10'], point)
    out = run('compare', 'source.mkv', '--encoders', FAST['libx264'], '--crf', '35', '--metric', 'nonsense')
    check('an unknown metric', out.returncode == FAILED and 'no frame has a score "nonsense"; available: ' in out.stderr,
          out.stderr)


def metrics_choose_what_is_measured():
    """--metric alone measures the metric; that of xpsnr is FFmpeg's average of a video, also where frames are infinite."""
    write_encoder('keep', 'encode()\nshutil.copy(output, f"kept-{setting}.mkv")\n')
    aggregates = {'xpsnr_y': ['axpsnr_y'], 'xpsnr': ['axpsnr_y', 'axpsnr_u', 'axpsnr_v']}
    for metric in ('ssimulacra2', 'xpsnr_y', 'xpsnr'):
        out = run('compare', 'source.mkv', '--encoder-cmd', './keep {input} {output} {crf}', '--crf', '0,24,44', '--metric', metric,
                  '--json', 'o.json', '--html', 'o.html')
        check('compare by', out.returncode == 0, metric, out.stderr)
        check('the page has no inf', ('>∞<' in open('o.html').read()) == (metric != 'ssimulacra2') and '>inf' not in open('o.html').read(), metric)
        for point in json.load(open('o.json'))['points']:
            kept = f'kept-{point["setting"]:g}.mkv'
            subprocess.run([vmaf, '-r', 'source.mkv', '-d', kept, '-n', '--feature', metric.split('_')[0], '-o', 'v.json', '-q',
                            '--precision', 'max'], check=True)
            report = json.load(open('v.json'))
            if metric == 'ssimulacra2':
                check('ssimulacra2 equals that of the command',
                      point['score'] == report['pooled_metrics']['ssimulacra2']['mean'], point)
                continue
            figures = [report['aggregate_metrics'][name] for name in aggregates[metric]]
            if None in figures:
                check('a lossless encode has no number', point['score'] is None and point['setting'] == 0, point, figures)
            else:
                check('the score is the least average', abs(point['score'] - min(figures)) < 1e-9, metric, point, figures)
            frames = [min(frame['metrics'][name[1:]] for name in aggregates[metric]) for frame in report['frames']
                      if None not in frame['metrics'].values()]
            check('the lowest frame', point['pooled']['min'] == min(frames, default=None), metric, point, frames)
            check('no model was measured', not point['models'], point)
    for metric, target in (('ssimulacra2', 50), ('xpsnr', 30)):
        out = run('search', 'source.mkv', '--encoder', FAST['libx264'], '--metric', metric, '--target', str(target), '--samples', '0',
                  '--tolerance', '0', '--json', '-')
        result = json.loads(out.stdout) if out.stdout else {}
        check('a target is reached', result.get('reached') and result['found']['score'] >= target, metric, out.stderr)
        missed = [t['score'] for t in result.get('tries', []) if t['setting'] == result['found']['setting'] + 0.25]
        check('and just so', missed and missed[0] < target, metric, result)
    for words, said in ((['--metric', 'ssimu2'], 'its name is ssimulacra2: --metric ssimulacra2'),
                        (['--metric', 'axpsnr_y'], 'the mean of xpsnr_y is that figure: --metric xpsnr_y')):
        out = run('compare', 'source.mkv', '--encoders', FAST['libx264'], '--crf', '35', *words)
        check('a name that is not ours', out.returncode == USAGE and said in out.stderr, out.stderr)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)


def models_of_v1_know_the_encode():
    clip('wide.mkv', size='432x320', frames=6)
    write_encoder('half', 'subprocess.run([%r, "-v", "error", "-nostdin", "-y", "-i", "file:" + source, "-vf", "scale=288:214",'
                  ' "-c:v", "libx264", "-crf", setting, "file:" + output], check=True)\nshutil.copy(output, "kept-half.mkv")\n' % ffmpeg)
    # The last one chooses the model that needs the largest pictures. The trial of devices must use large enough ones, too.
    for words in (('--model', 'auto'), ('--model', 'vmaf_v1.0.16_3d0h_2160'), ('--model', 'auto', '--display', '4k_tv')):
        out = run('compare', 'wide.mkv', '--encoder-cmd', './half {input} {output} {crf}', '--crf', '35', '--allow-scaled', *words,
                  '--json', 'o.json')
        check('compare with v1', out.returncode == 0, words, out.stderr)
        point = json.load(open('o.json'))['points'][0]
        subprocess.run([vmaf, '-r', 'wide.mkv', '-d', 'kept-half.mkv', '--json', '-o', 'v.json', '-q', '--precision', 'max', *words],
                       check=True, stderr=subprocess.DEVNULL)
        report = json.load(open('v.json'))
        check('v1 as the command', point['score'] == report['pooled_metrics']['vmaf']['mean'], words, point)
        check('and the model is named', point['models'] == report['vmaf_turbo']['models'] and
              'enc_width=288:enc_height=214' in point['models'][0]['note'], point['models'])
    out = run('search', 'wide.mkv', '--encoder', FAST['libx264'], '--target', '1', '--crf', '40..40', '--model', 'auto',
              '--resume', 'v1.jsonl', '--json', '-')
    again = run('search', 'wide.mkv', '--encoder', FAST['libx264'], '--target', '1', '--crf', '40..40', '--model', 'auto',
                '--resume', 'v1.jsonl', '--json', '-')
    models = [json.loads(text.stdout)['tries'][0]['models'] for text in (out, again)] if out.stdout and again.stdout else [[], 1]
    check('a search names the model', models[0] and models[0][0]['source'] == 'vmaf_v1.0.16_3d0h' and models[0] == models[1],
          out.stderr, models)


def names_stay_names():
    names = ['-i.mkv', 'a\nb "c".mkv', "$(touch pwned);'x'.mkv", '<script>alert(1)<', 'pipe:0', 'colon:%03d.mkv']
    for name in names if everything else names[:2]:
        shutil.copy('source.mkv', './' + name)
        out = run('compare', '--encoder-cmd', f'x<img>&y={ffmpeg} -v error -y -i file:{{input}} -crf {{crf}} '
                  '-c:v libx264 -preset ultrafast {output}', '--crf', '40', '--json', 'o.json', '--html', 'o.html',
                  '--svg', 'o.svg', '--', name)
        check('hostile names', out.returncode == 0, repr(name), out.stderr)
        check('the name is kept', json.load(open('o.json'))['source']['path'] == name, repr(name))
        page = Page()
        page.feed(open('o.html').read())
        check('names add no tags to the page', not page.tags & {'script', 'img', 'a', 'b'}, page.tags)
        xml.etree.ElementTree.parse('o.svg')
        os.remove('./' + name)
    check('no shell ran', not os.path.exists('pwned'))


def what_is_wrong_is_said():
    x264 = FAST['libx264']
    with open('text.mkv', 'w') as file:
        file.write('no video\n' * 100)
    os.mkfifo('fifo')
    cases = [
        ((), USAGE, 'no command given; use '),
        (('dance',), USAGE, 'unknown command "dance"'),
        (('compare',), USAGE, 'compare needs a SOURCE'),
        (('compare', 'source.mkv'), USAGE, 'compare needs --encoders'),
        (('compare', 'source.mkv', '--encoders', x264), USAGE, 'needs settings for'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '1..1000000000'), USAGE, 'too large'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '0..51:0.001'), USAGE, 'more than 1024 settings'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '60'), USAGE, 'use 0 to 51'),
        (('compare', 'source.mkv', '--encoders', x264 + ',' + x264, '--crf', '30'), USAGE, 'is given twice'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '30', '--backends', 'gpu'), USAGE, 'is not a scoring device'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '30', '--anchor', 'x'), USAGE, 'is not one of the encoders'),
        (('compare', 'source.mkv', '--encoder-cmd', 'enc {crf}', '--crf', '30'), USAGE, 'lacks {output}'),
        (('compare', 'source.mkv', 'more', '--encoders', x264, '--crf', '30'), USAGE, 'unexpected "more"'),
        (('search', 'source.mkv', '--encoder', x264), USAGE, 'search needs --target'),
        (('search', 'source.mkv', '--encoder', x264, '--target', 'best'), USAGE, '--target takes SCORE'),
        (('search', 'source.mkv', '--encoder', x264, '--target', '95:p200'), USAGE, 'unknown pooling method'),
        (('search', 'source.mkv', '--encoder', x264, '--target', 'none:95'), FAILED, 'no frame has a score "none"'),
        (('search', 'source.mkv', '--encoder', 'libvpx-vp9', '--target', '95', '--crf', '20..34:0.25'), USAGE, 'use whole numbers from 0 to 63'),
        (('search', 'source.mkv', '--encoder', 'librav1e', '--target', '95', '--two-pass'), USAGE, 'cannot make two passes'),
        (('search', 'source.mkv', '--encoder', x264, '--max-size', '0%'), USAGE, '--max-size takes a share'),
        (('search', 'source.mkv', '--encoder', x264, '--max-bitrate', '4X'), USAGE, '--max-bitrate takes a number'),
        (('search', 'source.mkv', '--encoder', x264, '--target', '90', '--cache', 'text.mkv'), FAILED, 'choose another folder with --cache'),
        (('search', 'source.mkv', '--encoder', x264, '--target', '90', '--lines', 'no/lines'), FAILED, 'cannot write no/lines'),
        (('corpus', 'list', '--encoders', x264, '--crf', '30'), USAGE, 'corpus needs --output'),
        (('compare', 'none.mkv', '--encoders', x264, '--crf', '30'), FAILED, 'cannot read none.mkv: No such file'),
        (('compare', 'text.mkv', '--encoders', x264, '--crf', '30'), FAILED, 'ffmpeg finds no video in it'),
        (('compare', 'fifo', '--encoders', x264, '--crf', '30'), FAILED, 'not a regular file'),
        (('compare', '.', '--encoders', x264, '--crf', '30'), FAILED, 'not a regular file'),
        (('compare', 'source.mkv', '--encoders', 'libnone', '--crf', '30'), FAILED, 'this ffmpeg has no encoder "libnone"'),
        (('compare', 'source.mkv', '--encoders', 'ffv1', '--crf', '30'), FAILED, 'the quality option of encoder ffv1 is unknown'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '30', '--ffmpeg', './none'), FAILED, 'cannot find or run ./none'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '30', '--ffmpeg', 'true'), FAILED, 'does not list its encoders'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '30', '--html', 'no/o.html'), FAILED, 'cannot write no/o.html'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '30', '--json', '/dev/full'), FAILED, 'No space left'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '30', '--temp', 'no'), FAILED, 'choose another place with --temp'),
        (('search', 'source.mkv', '--encoder', x264, '--target', '90', '-o', 'text.mkv'), FAILED, 'exists already'),
        (('search', 'source.mkv', '--encoder', x264, '--target', '90', '-y', '-o', 'source.mkv'), FAILED, 'would overwrite what is read'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '30', '--json', 'source.mkv'), FAILED, 'would overwrite what is read'),
        (('ladder', 'source.mkv', '--encoder', x264, '--lines', 'source.mkv'), FAILED, 'would overwrite what is read'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '30', '--resume', 'source.mkv'), FAILED, 'would overwrite what is read'),
        (('compare', 'source.mkv', '--encoders', x264, '--crf', '30', '--json', 'new', '--html', 'new'), FAILED, '--json and --html have the same path: new'),
        (('corpus', 'none', '--encoders', x264, '--crf', '30', '-o', 'c'), FAILED, 'cannot read the list none'),
        (('corpus', '/dev/null', '--encoders', x264, '--crf', '30', '-o', 'c'), FAILED, 'is empty'),
        (('corpus', 'source.mkv', '--encoders', x264, '--crf', '30', '-o', 'text.mkv'), FAILED, 'line 1 of text.mkv was not written by vmaf-tune'),
        (('corpus', 'text.mkv', '--encoders', x264, '--crf', '30', '-o', 'text.mkv'), FAILED, 'would overwrite what is read'),
    ]
    for args, code, text in cases:
        out = run(*args)
        check('an error', out.returncode == code and text in out.stderr, args, out.returncode, out.stderr)
        check('the error is one line', len([l for l in lines(out.stderr) if not l.startswith('  ')]) == 1, args, out.stderr)
    os.remove('fifo')


def encoders_that_fail_show_why():
    write_encoder('fail', 'if float(setting) > 30:\n    print("first\\nsecond \\033[2J third", file=sys.stderr)\n'
                  '    sys.exit(3)\nencode()\n')
    out = run('compare', 'source.mkv', '--encoder-cmd', './fail {input} {output} {crf}', '--encoders', FAST['libx264'],
              '--crf', '30,35,40,45', '--json', 'o.json', '--html', 'o.html')
    check('a failing encoder', out.returncode == FAILED, out.returncode)
    check('the last lines of its output', lines(out.stderr) == ['fail at crf 35: encoding failed: exit code 3', '  first',
                                                  '  second ?[2J third', '3 of 8 encodes failed or were skipped'],
          out.stderr)
    points = json.load(open('o.json'))['points']
    check('the others are there', [p.get('failed', False) for p in points] == [False, True, True, True] + [False] * 4,
          points)
    write_encoder('nothing', '')
    out = run('compare', 'source.mkv', '--encoder-cmd', './nothing {input} {output} {crf}', '--crf', '30')
    check('an encoder that writes nothing', out.returncode == FAILED and 'encoding failed' in out.stderr, out.stderr)
    out = run('compare', 'source.mkv', '--encoder-cmd', './none {input} {output} {crf}', '--crf', '30')
    check('no such encoder', out.returncode == FAILED and 'cannot run ./none: No such file' in out.stderr, out.stderr)


def write_script(name, body):
    """Writes a shell script around ffmpeg, which takes INPUT OUTPUT SETTING."""
    with open(name, 'w') as file:
        file.write(f'#!/bin/sh\nread_source() {{ {ffmpeg} -v error -nostdin -y "$@"; }}\n'
                   f'X264="-c:v libx264 -preset ultrafast -crf $3"\n{body}\n')
    os.chmod(name, 0o700)


LIARS = {
    'short': ('read_source -i "$1" $X264 -frames:v 10 "$2"', 'its encode has 10 frames, the source has 24'),
    'last': ('read_source -i "$1" $X264 -frames:v 23 "$2"', 'its encode has 23 frames, the source has 24'),
    'long': ('read_source -stream_loop 1 -i "$1" $X264 -frames:v 30 "$2"', 'its encode has 30 frames, the source has 24'),
    'shape': ('read_source -i "$1" $X264 -vf scale=80:46 "$2"', 'its encode is 80x46, the source is 160x90; if'),
    'slow': ('read_source -r 12 -i "$1" $X264 "$2"', 'its encode spreads the frames over 1.917 s, the source over 0.95'),
    'sound': ('read_source -f lavfi -i sine -t 1 -c:a flac "$2"', 'ffmpeg finds no video in the encoder\'s output'),
    'cover': ('read_source -f lavfi -i sine -i "$1" -map 0:a -map 1:v -frames:v 1 -t 1 -c:v mjpeg -pix_fmt yuvj420p "$2"',
              'its encode has 1 frame, the source has 24'),
    'empty': (': > "$2"', 'the encoder reported success, but its file is empty'),
    'absent': ('exit 0', 'the encoder reported success, but wrote no file'),
    'words': ('echo hello > "$2"', 'ffmpeg finds no video in the encoder\'s output'),
    'hole': ('read_source -i "$1" $X264 "$2"; dd if=/dev/zero of="$2" bs=1 seek=2200 count=40 conv=notrunc 2>/dev/null',
             'its encode is damaged: the video is damaged at frame'),
    'cut': ('read_source -i "$1" $X264 "$2"; head -c 9000 "$2" > "$2.part"; mv "$2.part" "$2"', 'frames, the source has 24'),
}


def encodes_of_anything_else_have_failed():
    for name, (body, _) in LIARS.items():
        write_script(name, body)
    out = run('compare', 'source.mkv', *[word for name in LIARS for word in ('--encoder-cmd', f'./{name} {{input}} {{output}} {{crf}}')],
              '--encoders', FAST['libx264'], '--crf', '35', '--json', 'o.json', '--html', 'o.html')
    check('liars fail the run', out.returncode == FAILED, out.returncode)
    points = json.load(open('o.json'))['points']
    check('the honest encoder is scored', [p['encoder'] for p in points if 'score' in p] == [FAST['libx264']], points)
    for name, (_, reason) in LIARS.items():
        said = [line for line in out.stderr.split('\n') if line.startswith(f'{name} at crf 35: encoding failed: ') and reason in line]
        check('what a liar did is named', len(said) == 1, name, out.stderr)
        point = next(p for p in points if p['encoder'] == name)
        check('and in the JSON', point['failed'] is True and reason in point['reason'], point)
        check('and on the page', reason.replace("'", '&#39;') in open('o.html').read() or reason in open('o.html').read(), name)
    write_script('shape', LIARS['shape'][0])
    out = run('compare', 'source.mkv', '--encoder-cmd', './shape {input} {output} {crf}', '--crf', '35', '--allow-scaled')
    check('another size may be allowed', out.returncode == 0, out.stderr)
    write_script('short', LIARS['short'][0])
    shutil.copy('source.mkv', 'old.mkv')
    out = run('search', 'source.mkv', '--encoder-cmd', './short {input} {output} {crf}', '--target', '80', '--crf', '20..40', '-y',
              '-o', 'old.mkv')
    check('a search keeps no stump', out.returncode == FAILED and open('old.mkv', 'rb').read() == open('source.mkv', 'rb').read(), out.stderr)
    write_script('later', 'case "$1" in *long.mkv) ' + LIARS['short'][0] + ';; *) read_source -i "$1" $X264 "$2";; esac')
    clip('long.mkv', frames=96)
    out = run('search', 'long.mkv', '--encoder-cmd', './later {input} {output} {crf}', '--target', '80', '--crf', '20..40', '-y',
              '--samples', '2', '--sample-time', '0.5', '-o', 'old.mkv')
    check('nor one of the whole video', out.returncode == FAILED and 'its encode has 10 frames, the source has 96' in out.stderr and
          open('old.mkv', 'rb').read() == open('source.mkv', 'rb').read(), out.stderr)


def odd_sources_are_encoded_whole():
    """Sources whose packets are not their frames, or whose frames have uneven times or are turned."""
    subprocess.run([ffmpeg, '-v', 'error', '-nostdin', '-y', '-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=30', '-vf',
                    "setpts='(N+0.45*random(1)+floor(N/10)*2)/30/TB',settb=1/1000", '-vsync', 'passthrough', '-enc_time_base', '1:1000',
                    '-frames:v', '30', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', 'uneven.mkv'], check=True)
    clip('gops.mp4', frames=48, more=('-g', '12'))
    subprocess.run([ffmpeg, '-v', 'error', '-nostdin', '-y', '-i', 'gops.mp4', '-c:v', 'libx264', '-g', '24', 'list.mp4'], check=True)
    subprocess.run([ffmpeg, '-v', 'error', '-nostdin', '-y', '-ss', '0.7', '-i', 'list.mp4', '-c', 'copy', 'edited.mp4'], check=True)
    subprocess.run([ffmpeg, '-v', 'error', '-nostdin', '-y', '-i', 'source.mkv', '-c', 'copy', '-metadata:s:v', 'rotate=90', 'turned.mp4'],
                   check=True)
    clip('sound.mkv', more=('-f', 'lavfi', '-i', 'sine', '-t', '3', '-c:a', 'flac'))
    write_script('whole', 'read_source -i "$1" $X264 "$2"')
    for name, kind in (('uneven.mkv', 'mkv'), ('edited.mp4', '264'), ('turned.mp4', '264'), ('sound.mkv', '264')):
        out = run('compare', name, '--encoders', FAST['libx264'], '--encoder-cmd', f'./whole {{input}} {{output.{kind}}} {{crf}}', '--crf', '35')
        check('an odd source', out.returncode == 0, name, out.stderr)
    out = run('compare', 'uneven.mkv', '--encoder-cmd', './whole {y4m} {output} {crf}', '--crf', '35')
    check('uneven times have no Y4M', out.returncode == FAILED and 'cannot decode uneven.mkv to Y4M, which has one frame rate' in out.stderr,
          out.stderr)


def missing_devices_end_the_run_before_it_starts():
    write_script('note', ': > started; read_source -i "$1" $X264 "$2"')
    mine = ('--encoder-cmd', './note {input} {output} {crf}', '--crf', '35')
    names = ['cuda', 'hip', 'sycl', 'vulkan']
    missing = [n for n in names if subprocess.run([vmaf, '-r', 'source.mkv', '-d', 'source.mkv', '--frame_cnt', '1', '--backend', n],
                                                  capture_output=True, check=False).returncode]
    if not missing:
        return
    out = run('compare', 'source.mkv', *mine, '--backends', ','.join(['cpu', *missing]))
    check('all are named, with a reason', out.returncode == FAILED and all(re.search(f'^  {n}: .{{8}}', out.stderr, re.M) for n in missing)
          and '--backends available' in out.stderr, out.stderr)
    check('nothing was encoded', not os.path.exists('started'))
    out = run('compare', 'source.mkv', *mine, '--backends', missing[0])
    check('one is one line', out.returncode == FAILED and len(lines(out.stderr)) == 1 and f'cannot score on {missing[0]}' in out.stderr,
          out.stderr)
    out = run('search', 'source.mkv', *mine[:2], '--target', '90', '--backends', missing[0])
    check('search asks, too', out.returncode == FAILED and f'cannot score on {missing[0]}' in out.stderr, out.stderr)
    with open('list', 'w') as file:
        file.write('source.mkv\n')
    out = run('corpus', 'list', *mine, '-o', 'c.jsonl', '--backends', missing[0])
    check('corpus asks, too', out.returncode == FAILED and f'cannot score on {missing[0]}' in out.stderr, out.stderr)
    for asked, rest in ((missing[0], 'cannot score on ' + missing[0]), ('nonsense', 'VMAF_BACKEND in the environment: "nonsense"')):
        out = run('search', 'source.mkv', *mine[:2], '--target', '90', env=dict(os.environ, VMAF_BACKEND=asked))
        check('the environment asks, too', out.returncode in (FAILED, USAGE) and rest in out.stderr, asked, out.stderr)
    check('still nothing was encoded', not os.path.exists('started'))
    out = run('compare', 'source.mkv', *mine, '--backends', 'cpu', env=dict(os.environ, VMAF_BACKEND=missing[0]))
    check('--backends counts more than the environment', out.returncode == 0, out.stderr)
    os.remove('started')
    out = run('compare', 'source.mkv', *mine, '--backends', 'available', '--json', 'o.json')
    check('what is available is used, and said', out.returncode == 0 and 'scoring on ' in out.stderr and 'cpu' in out.stderr, out.stderr)
    if missing == names:
        out = run('compare', 'source.mkv', *mine, '--backends', 'auto', '--json', 'o.json', '-q')
        check('auto that is the CPU is said', out.returncode == 0 and 'warning: auto found no GPU, so the CPU scores' in out.stderr and
              json.load(open('o.json'))['points'][0]['scored_on']['backend'] == 'cpu', out.stderr)
    for words in (('--model', 'version=nonsense'), ('--feature', 'nonsense'), ('--metric', 'nonsense')):
        os.remove('started') if os.path.exists('started') else None
        out = run('compare', 'source.mkv', *mine, *words)
        check('wrong options of scoring end the run early', out.returncode == FAILED and 'cannot score, so nothing was started: ' in out.stderr
              and 'nonsense' in out.stderr and not os.path.exists('started'), words, out.stderr)


def find_icd():
    """The file that tells Vulkan's loader about lavapipe. None: there is none, or it does not work."""
    folder = '/usr/share/vulkan/icd.d'
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name)
        if 'lvp' in name and not subprocess.run([vmaf, '-r', 'source.mkv', '-d', 'source.mkv', '--frame_cnt', '1', '--backend', 'vulkan',
                                                 '--allow_software'], capture_output=True, check=False,
                                                env=dict(os.environ, VK_ICD_FILENAMES=path)).returncode:
            return path
    return None


def a_device_that_dies_loses_nothing():
    """The encoder removes the driver at its third encode, when two encodes are scored."""
    icd = find_icd()
    if not icd:
        print('no lavapipe: devices that die are not tested')
        return
    write_script('vandal', 'echo "$3" >> runs; test "$3" != 40 || until test "$(wc -l < dies.jsonl)" = 2; do sleep 0.1; done\n'
                 'test "$3" != 40 || rm icd.json\nread_source -i "$1" $X264 "$2"')
    mine = ('--encoder-cmd', './vandal {input} {output} {crf}', '--crf', '20,30,40,45', '--allow-software', '--feature', 'null')
    here = dict(os.environ, VK_ICD_FILENAMES=os.path.abspath('icd.json'), CUDA_VISIBLE_DEVICES='', HIP_VISIBLE_DEVICES='-1')
    alone, none = None, 'the CPU, since no device of --backends is left'
    for backends, rest in (('vulkan', none), ('vulkan,cpu', 'cpu'), ('auto', none)):
        label = backends.split(',')[0]
        shutil.copy(icd, 'icd.json')
        open('runs', 'w').close()
        open('dies.jsonl', 'w').close()
        out = run('compare', 'source.mkv', *mine, '--backends', backends, '--json', 'o.json', '--resume', 'dies.jsonl', env=here)
        result = json.load(open('o.json'))
        check('all is scored', out.returncode == 0 and all('score' in p for p in result['points']), out.stderr, result)
        said = re.findall(f'warning: {label} is .*llvmpipe.* a software device', out.stderr)
        check('software is told once', len(said) == 1, out.stderr)
        check('what has no GPU code is told', all(p['scored_on']['on_cpu'] == (['null'] if p['scored_on']['backend'] == 'vulkan'
              else []) and not p['warnings'] for p in result['points']) and
              f'beside {label} these run on the CPU, because they have no GPU code: null\n' in out.stderr and
              '(software), on the CPU: null' in out.stdout, out.stderr, out.stdout, result['points'])
        check('no encode is lost', open('runs').read().split() == ['20', '30', '40', '45'], open('runs').read())
        places = [(p['scored_on']['backend'], p['scored_on']['software'], p['scored_on']['type']) for p in result['points']]
        check('each score tells where it is from', set(places) <= {('vulkan', True, 'cpu'), ('cpu', False, 'cpu')} and
              ('vulkan', True, 'cpu') in places and places[2:] == [('cpu', False, 'cpu')] * 2, places)
        check('the death is told at once, and at the end', f'its scores are computed again on {rest}' in out.stderr and
              f'{label} stopped working during the run' in out.stderr, out.stderr)
        dead = [d for d in result['devices'] if d['stopped']]
        check('and in the JSON', [d['label'] for d in dead] == [label] and
              sum(d['scored'] for d in result['devices']) == 4, result['devices'])
        scores = [p['score'] for p in result['points']]
        check('scores do not depend on it', scores == (alone or scores), scores, alone)
        alone = scores


def infinite_for_equal_pictures():
    """The trial before the first encode must not fail for metrics that are infinite for equal pictures."""
    out = run('compare', 'source.mkv', '--encoders', FAST['libx264'], '--crf', '35', '--feature', 'xpsnr', '--metric', 'xpsnr_y')
    check('xpsnr is a metric', out.returncode == 0 and ' xpsnr_y ' in out.stdout, out.stderr, out.stdout)


def warnings_are_passed_on():
    clip('full.mkv', more=('-color_range', 'pc'))
    write_script('limited', 'read_source -i "$1" $X264 -bsf:v h264_metadata=video_full_range_flag=0 -f h264 - | read_source -i - -c copy "$2"')
    mine = ('--encoder-cmd', './limited {input} {output} {crf}', '--encoders', FAST['libx264'])
    out = run('compare', 'full.mkv', *mine, '--crf', '35', '--json', 'o.json', '--html', 'o.html', '--resume', 'w.jsonl')
    again = run('compare', 'full.mkv', *mine, '--crf', '35', '--json', 'p.json', '--resume', 'w.jsonl')
    points = json.load(open('o.json'))['points']
    codes = {w['code'] for p in points for w in p['warnings']}
    check('the warnings of scoring are there', out.returncode == 0 and 'range' in codes, codes, out.stderr)
    check('on the table', '  ! ' in out.stdout and '\nwarning: ' in out.stdout, out.stdout)
    check('on the page', '<h2>Warnings</h2>' in open('o.html').read() and '⚠' in open('o.html').read())
    check('and kept for the next run', again.returncode == 0 and [p['warnings'] for p in json.load(open('p.json'))['points']] ==
          [p['warnings'] for p in points] and again.stdout == out.stdout, again.stdout)
    # vmaf-tune lacks the options that the vmaf command proposes when pictures are moved.
    clip('moving.mkv', source='mandelbrot')
    write_script('late', 'read_source -i "$1" -vf tpad=start=2:start_mode=clone -frames:v 24 $X264 "$2"')
    moved = run('compare', 'moving.mkv', '--encoder-cmd', './late {input} {output} {crf}', '--crf', '20', '--json', 'p.json')
    text = [w['text'] for w in json.load(open('p.json'))['points'][0]['warnings'] if w['code'] == 'offset_suspected']
    check('moved pictures', len(text) == 1 and text[0].endswith('2 frames later than they were compared; mend the encoder\'s command, which '
          'moves pictures in time') and text[0] in moved.stdout and '--sync' not in moved.stdout + moved.stderr, text, moved.stdout)
    out = run('search', 'full.mkv', *mine[:2], '--target', '50', '--crf', '34..36', '--json', 'o.json')
    check('search has them, too', '\nwarning: ' in '\n' + out.stderr and json.load(open('o.json'))['warnings'], out.stderr)


def other_scores_are_not_resumed():
    mine = ('source.mkv', '--encoders', FAST['libx264'], '--resume', 'models.jsonl')
    shutil.copy('source.mkv', 'kept.mkv')
    scores = []
    for words in ((), ('--model', 'version=vmaf_v0.6.1neg'), ('--feature', 'psnr', '--metric', 'psnr_y'), ('--pool', 'min'), ('--subsample', '5')):
        out = run('compare', *mine, '--crf', '42', *words, '--json', '-')
        scores.append(json.loads(out.stdout)['points'][0]['score'] if out.returncode == 0 else out.stderr)
    check('each way of scoring has its own score', len(set(scores)) == 5, scores)
    scores = []
    for words in ((), ('--model', 'version=vmaf_v0.6.1neg')):
        out = run('search', mine[0], '--encoder', *mine[2:], '--target', '1', '--crf', '42..42', *words, '--json', '-')
        scores.append(json.loads(out.stdout)['tries'][0]['score'] if out.returncode == 0 else out.stderr)
    check('also in a search', len(set(scores)) == 2, scores)


def the_printed_command_makes_the_same_file():
    shutil.copy('source.mkv', "it's one.mkv")
    out = run('search', "it's one.mkv", '--encoder', FAST['libx264'], '--target', '80', '--crf', '34..37', '-y', '-o', 'won.mkv',
              '--json', 'o.json')
    printed = [line for line in lines(out.stdout) if line.startswith('to encode the whole video like this: ')]
    check('the command is printed', out.returncode == 0 and len(printed) == 1, out.stdout, out.stderr)
    command = printed[0].split(': ', 1)[1] if printed else 'false'
    check('and in the JSON', json.load(open('o.json'))['command'] == command, command)
    won = subprocess.run([ffmpeg, '-v', 'error', '-i', 'won.mkv', '-c', 'copy', '-f', 'framecrc', '-'], capture_output=True, check=True).stdout
    os.remove('won.mkv')
    subprocess.run(['sh', '-c', command], check=False, capture_output=True, stdin=subprocess.DEVNULL)
    again = subprocess.run([ffmpeg, '-v', 'error', '-i', 'won.mkv', '-c', 'copy', '-f', 'framecrc', '-'], capture_output=True, check=False).stdout
    check('it makes the same packets', won == again, command)


def the_page_fits_a_telephone():
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../browser'))
    import browser
    if not browser.find():
        print('no browser: the width of the page is not tested')
        return
    write_script('short', LIARS['short'][0])
    out = run('compare', 'source.mkv', '--encoders', FAST['libx264'] + ':tune=film:x264-params=' + 'ref=1\\:' * 12 + 'ref=1', '--encoder-cmd',
              './short {input} {output} {crf}', '--encoder-cmd', f'{"averylongname" * 6}={ffmpeg} -y -i {{input}} -crf {{crf}} {{output}}',
              '--crf', '30,40', '--html', 'o.html')
    check('there is a page', os.path.exists('o.html'), out.stderr)
    page = browser.Browser(os.path.abspath('profile'))
    page.shape(390, 844, phone=True)
    page.open('file://' + os.path.abspath('o.html'))
    page.settle()
    wide = '[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > 390).map(e => e.outerHTML.slice(0, 80))'
    check('nothing is wider than the screen', page.ask('document.documentElement.scrollWidth') <= 390 and page.ask(wide) == [], page.ask(wide))
    page.close()
    shutil.rmtree('profile', ignore_errors=True)


def y4m_for_those_who_want_it():
    write_encoder('y4m', 'assert open(source, "rb").read(9) == b"YUV4MPEG2" and output.endswith(".mp4")\nencode()\n')
    out = run('compare', 'source.mkv', '--encoder-cmd', './y4m {y4m} {output.mp4} {crf}', '--crf', '30,40')
    check('Y4M, and the kind of file', out.returncode == 0, out.stderr)


def searches_end_where_they_should():
    for target in ('80', '70:p5', '101') if everything else ():
        out = run('search', 'source.mkv', '--encoder', FAST['libx264'], '--target', target, '--tolerance', '0', '--json', '-')
        result = json.loads(out.stdout)
        tries = {t['setting']: t['score'] for t in result['tries']}
        if target == '101':
            check('out of reach', out.returncode == UNREACHED and not result['reached'] and
                  'vmaf 101 cannot be reached with libx264:preset=ultrafast: crf 0 gives' in out.stderr, out.stderr)
            continue
        goal = float(target.split(':')[0])
        found = result['found']['setting']
        check('the target is reached', out.returncode == 0 and tries[found] >= goal, out.stderr, tries)
        check('the last setting that reaches it is chosen', tries[found + 0.25] < goal, found, tries)
        check('few settings are tried', len(tries) == len(result['tries']) <= 8, tries)
    clip('long.mkv', frames=96, more=('-f', 'lavfi', '-i', 'sine=frequency=440', '-t', '4', '-c:a', 'flac'))
    out = run('search', 'long.mkv', '--encoder', FAST['libx264'], '--target', '85', '--samples', '3', '--sample-time', '0.5',
              '-o', 'found.mkv', '--json', 'o.json')
    result = json.load(open('o.json'))
    check('samples and the whole video are encoded', out.returncode == 0 and result['samples'] == 3 and result['whole_encodes'] >= 1, out.stderr)
    subprocess.run([vmaf, '-r', 'long.mkv', '-d', 'found.mkv', '--json', '-o', 'v.json', '-q', '--precision', 'max'],
                   check=True)
    score = json.load(open('v.json'))['pooled_metrics']['vmaf']['mean']
    check('the output has the reported score', score >= 85 and score == result['output']['score'], score, result)
    streams = subprocess.run([ffmpeg, '-nostdin', '-hide_banner', '-i', 'found.mkv'], capture_output=True, text=True).stderr
    check('the output has the sound', 'Audio: flac' in streams, streams)
    out = run('search', 'long.mkv', '--encoder', FAST['libx264'], '--target', '85', '-o', 'found.webm')
    check('audio that a file cannot hold', out.returncode == FAILED and
          'cannot copy the audio of long.mkv to a file like found.webm' in out.stderr, out.stderr)
    if not everything:
        return
    out = run('search', 'source.mkv', '--encoder', FAST['libx264'], '--target', '80', '--crf', '44..45')
    check('the search stays within the bounds', out.returncode == UNREACHED and 'crf 44 gives' in out.stderr, out.stderr)


def read_json_lines(name):
    with open(name) as file:
        return [json.loads(line) for line in file]


def conditions_hold_together():
    """Several targets, limits of size and rate, steps of settings, two passes, and lines of JSON."""
    x264 = ('search', 'source.mkv', '--encoder', FAST['libx264'], '--json', 'o.json')
    targets = {('vmaf', 'mean'): 75, ('psnr_y', 'p5'): 26, ('ssimulacra2', 'mean'): 20}
    words = [word for (metric, pool), score in targets.items() for word in ('--target', f'{metric}:{score}:{pool}')]
    out = run(*x264, *words, '--crf', '20..48:0.5', '--tolerance', '0', '--lines', 'lines.jsonl')
    result = json.load(open('o.json'))
    check('several targets', out.returncode == 0 and result['end'] == 'found', out.stderr)
    def reaches(t):
        return all(one['score'] >= targets[one['metric'], one['pool']] for one in t['scores'])
    check('all are scored', all(len(t['scores']) == 3 for t in result['tries']), result['tries'])
    check('all hold', reaches(result['found']), result['found'])
    after = [t for t in result['tries'] if t['setting'] == result['found']['setting'] + 0.5]
    check('and not at the next step', len(after) == 1 and not reaches(after[0]), result)
    check('steps are honoured', all(t['setting'] * 2 == round(t['setting'] * 2) for t in result['tries']), result['tries'])
    events = read_json_lines('lines.jsonl')
    check('lines tell what happens', [e['event'] for e in events if e['event'] != 'progress'] ==
          ['start'] + ['try'] * len(result['tries']) + ['end'], events)
    check('and the end is the result', {k: v for k, v in events[-1].items() if k != 'event'} == result, events[-1])
    source = sum(p['bytes'] for p in [result['predicted']])
    check('the whole was tried, so that its size is known', abs(source / (result['found']['bitrate'] * 125) - 1) < 0.01, result['predicted'])
    rate = result['found']['bitrate']
    out = run(*x264, '--target', '75', '--max-bitrate', f'{rate * 0.5:.0f}k')
    check('more than the limit', out.returncode == OVER and 'needs more than the limit' in out.stderr and
          json.load(open('o.json'))['end'] == 'over', out.stderr)
    out = run(*x264, '--target', '75', '--max-size', '100%', '-o', 'capped.mkv', '-y')
    check('less than the limit', out.returncode == 0, out.stderr)
    out = run(*x264, '--max-bitrate', f'{rate:.3f}k', '--tolerance', '0')
    result = json.load(open('o.json'))
    rates = {t['setting']: t['bitrate'] for t in result['tries']}
    found = result['found']['setting']
    check('the best within a limit', out.returncode == 0 and rates[found] <= rate < rates[found - 0.25], out.stderr, rates)
    out = run('search', 'source.mkv', '--encoder', 'libx264:preset=ultrafast', '--two-pass', '--target', '75', '--json', 'o.json',
              '-o', 'twice.mkv', '-y')
    result = json.load(open('o.json'))
    check('two passes', out.returncode == 0 and result['option'] == 'b:v' and result['output']['score'] >= 75, out.stderr)
    check('and both in the command', '-pass 1 ' in result['command'] and '-pass 2 ' in result['command'], result['command'])
    if 'libsvtav1' in encoders:
        crf = '63' if run('search', 'source.mkv', '--encoder', FAST['libsvtav1'], '--target', '1', '--crf', '66..70:0.25').returncode else '70'
        out = run('search', 'source.mkv', '--encoder', FAST['libsvtav1'], '--target', '1')
        check('the last setting of SVT-AV1', out.returncode == 0 and f'crf {crf} reaches' in out.stdout, out.stdout, out.stderr)


def a_cache_saves_encodes():
    write_encoder('count', 'open("counted", "a").write(setting + "\\n")\nencode()\n')
    mine = ('--encoder-cmd', './count {input} {output} {crf}', '--cache', 'cache')
    search = ('search', 'source.mkv', *mine, '--target', '80', '--json', '-')
    first = json.loads(run(*search).stdout)
    runs = open('counted').read()
    check('all tries are encodes', len(runs.split()) == len(first['tries']) > 1, runs)
    shutil.copy('source.mkv', 'same.mkv')
    second = json.loads(run('search', 'same.mkv', *search[2:]).stdout)
    check('the same video under another name is not encoded again', open('counted').read() == runs, open('counted').read())
    check('with the same result', second['found']['score'] == first['found']['score'] and
          second['found']['scored_on'][0]['label'] == 'cache', second['found'])
    out = run(*search[:-4], '--target', '60', '--metric', 'psnr_y', '--target', '30', '--json', '-')
    check('another metric', out.returncode in (0, UNREACHED), out.stderr)
    check('scores kept encodes', not set(open('counted').read().split()) - set(runs.split()) or
          len(open('counted').read().split()) == len(set(open('counted').read().split())), open('counted').read())
    for name in os.listdir('cache'):
        with open(f'cache/{name}', 'r+b') as file:
            file.truncate(10)
    third = json.loads(run(*search).stdout)
    check('damaged entries are made again', third['found']['score'] == first['found']['score'], third['found'])
    run(*search[:-2], '--cache-size', '20k')
    check('the cache stays below its limit', sum(os.path.getsize(f'cache/{n}') for n in os.listdir('cache')) <= 20000, os.listdir('cache'))
    write_encoder('count', 'open("counted", "a").write(setting + "\\n")\nencode() \n')
    before = len(open('counted').read().split())
    run(*search)
    check('another program makes other encodes', len(open('counted').read().split()) > before)


def two_shots(name):
    """24 frames of one picture, 30 of another one, and sound."""
    subprocess.run([ffmpeg, '-v', 'error', '-nostdin', '-y', '-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=24:d=1', '-f', 'lavfi', '-i',
                    'mandelbrot=size=160x90:rate=24', '-f', 'lavfi', '-i', 'sine', '-filter_complex',
                    '[1:v]trim=end_frame=30[b];[0:v][b]concat,format=yuv420p[v]', '-map', '[v]', '-map', '2:a', '-t', '2.25', '-c:v', 'libx264',
                    '-qp', '0', '-preset', 'ultrafast', '-c:a', 'flac', name], check=True)


def shots_get_settings_of_their_own():
    two_shots('two.mkv')
    write_encoder('part', 'open("runs", "a").write(setting + "\\n")\nif os.path.exists("hang-" + setting):\n'
                  '    open("hanging", "w").close()\n    time.sleep(1000)\nencode()\n')
    args = ('shots', 'two.mkv', '--target', '80', '--crf', '20,32,44', '--json', 'o.json')
    for more in ((), ('--zones',)):
        out = run(*args, '--encoder', FAST['libx264'], '-o', 'joined.mkv', '-y', *more)
        result = json.load(open('o.json'))
        check('shots', out.returncode == 0, out.stderr)
        check('cuts are found', [(s['first'], s['frames']) for s in result['shots']] == [(0, 24), (24, 30)], result['shots'])
        check('settings differ', more or len({s['setting'] for s in result['shots']}) == 2, result['shots'])
        subprocess.run([vmaf, '-r', 'two.mkv', '-d', 'joined.mkv', '--json', '-o', 'v.json', '-q', '--precision', 'max'], check=True)
        report = json.load(open('v.json'))
        check('the whole has the reported score', report['pooled_metrics']['vmaf']['mean'] == result['output']['score'] >= 80 and
              len(report['frames']) == 54, result['output'])
        check('and fewer bits than one setting', more or result['output']['bitrate'] < result['one_setting']['bitrate'], result)
        streams = subprocess.run([ffmpeg, '-nostdin', '-hide_banner', '-i', 'joined.mkv'], capture_output=True, text=True).stderr
        check('the sound is there', 'Audio: flac' in streams, streams)
    mine = ('--encoder-cmd', './part {input} {output} {crf}', '--cache', 'shots-cache')
    if os.path.exists('runs'):
        os.remove('runs')
    if os.path.exists('hanging'):
        os.remove('hanging')
    open('hang-44', 'w').close()
    process = subprocess.Popen([tune, *args, *mine], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    check('an encoder hangs', wait_until(lambda: os.path.exists('hanging')))
    wait_until(lambda: len([n for n in os.listdir('shots-cache') if n.endswith('report')]) >= 1)
    process.kill()
    process.wait()
    os.remove('hang-44')
    kept = len([n for n in os.listdir('shots-cache') if n.endswith('about')])
    before = open('runs').read().split()
    out = run(*args, *mine, '-o', 'joined.mkv', '-y')
    check('a killed run goes on', out.returncode == 0 and kept >= 1, out.stderr)
    again = open('runs').read().split()[len(before):]
    check('finished encodes are not made again', again.count('20') + before.count('20') == 2, before, again)
    out = run(*args, '--encoder', FAST['libx264'], '--target', '101')
    check('one target', out.returncode == USAGE and 'shots needs one --target' in out.stderr, out.stderr)
    out = run('shots', 'two.mkv', '--target', '101', '--crf', '0,20', '--encoder', FAST['libx264'])
    check('out of reach', out.returncode == UNREACHED and 'vmaf 101 cannot be reached' in out.stderr, out.stderr)
    out = run(*args, *mine, '--zones')
    check('zones are for some', out.returncode == FAILED and 'takes no zones' in out.stderr, out.stderr)


def named_by_ffmpeg(playlist):
    """The codecs of a published rung, as ffmpeg's own writer of DASH calls them."""
    subprocess.run([ffmpeg, '-v', 'error', '-nostdin', '-y', '-i', playlist, '-map', '0:v', '-c', 'copy', '-f', 'dash', 'dash.mpd'], check=True)
    return re.search('codecs="([^"]*)"', open('dash.mpd').read())[1]


def check_master(path, rungs, sound):
    """The attributes of a master playlist are those of its rungs, and of their files."""
    listed = re.findall(r'#EXT-X-STREAM-INF:(.*)\n(.*)', open(path).read())
    check('the master playlist names them', [name for _, name in listed] == [r['playlist'] for r in rungs], listed)
    for (text, name), rung in zip(listed, rungs):
        attributes = {key: value.strip('"') for key, value in re.findall(r'([A-Z-]+)=("[^"]*"|[^,]*)', text)}
        file = os.path.join(os.path.dirname(path), name)
        check('rates', int(attributes['BANDWIDTH']) >= int(attributes['AVERAGE-BANDWIDTH']) >= rung['bitrate'] * 1000 and
              rung['peak_bitrate'] >= rung['bitrate'], attributes, rung)
        check('codecs', attributes['CODECS'] == rung['codecs'] + (',mp4a.40.2' if sound else ''), attributes, rung)
        found, stream = named_by_ffmpeg(file), subprocess.run(
            ['ffprobe', '-v', 'error', '-select_streams', 'v', '-show_entries', 'stream=codec_tag_string,level,width,height,r_frame_rate',
             '-of', 'json', file], capture_output=True, text=True).stdout
        stream = json.loads(stream)['streams'][0]
        if found == 'hvc1':  # it gives no more than that
            check('HEVC', attributes['CODECS'].startswith('hvc1.1.6.L%d.' % stream['level']) and stream['codec_tag_string'] == 'hvc1',
                  attributes, stream)
        else:
            check('as ffmpeg calls it', rung['codecs'] == found, rung['codecs'], found)
        num, den = map(int, stream['r_frame_rate'].split('/'))
        check('shape, rate and range', attributes['RESOLUTION'] == f'{stream["width"]}x{stream["height"]}' and
              attributes['FRAME-RATE'] == f'{num / den:.3f}' and attributes['VIDEO-RANGE'] == rung['video_range'] == 'SDR', attributes, stream)


def real_encoders_are_published():
    clip('small.mkv', frames=12, size='192x108')
    for encoder in (FAST['libx264'], FAST['libx265'], FAST['libsvtav1'], 'libaom-av1:cpu-used=8', 'libvpx-vp9:cpu-used=8'):
        folder = 'published-' + encoder.split(':')[0]
        os.makedirs(folder, exist_ok=True)
        out = run('ladder', 'small.mkv', '--encoder', encoder, '--sizes', '108', '--crf', '30,45', '--target-steps', '2', '--json', 'o.json',
                  '--model', 'version=vmaf_v0.6.1', '--playlist', folder + '/master.m3u8')
        check('a ladder of each encoder', out.returncode == 0, encoder, out.stderr)
        result = json.load(open('o.json'))
        made = subprocess.run(result['command'].replace('file:small.mkv', 'file:../small.mkv'), shell=True, cwd=folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        check('its command runs', made.returncode == 0, encoder, made.stderr[-500:])
        check_master(folder + '/master.m3u8', result['rungs'], False)


def the_example_of_the_docs_runs():
    """From a source to a published ladder: the commands of docs/tune.md, one after the other."""
    text = open(os.path.join(root, 'docs', 'tune.md')).read()
    block = re.search(r'### From a source to a published ladder.*?```console\n(.*?)```', text, re.S)[1]
    commands = re.sub(r'^\$ ', '', block, flags=re.M)
    check('every line is a command', all(line[:2] == '$ ' or line[:4] == '    ' for line in block.splitlines()), block)
    shutil.rmtree('example', ignore_errors=True)
    os.mkdir('example')
    path = os.pathsep.join([os.path.dirname(tune), os.path.dirname(vmaf), os.environ['PATH']])
    done = subprocess.run(['sh', '-ec', commands], cwd='example', env={**os.environ, 'PATH': path}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=LIMIT)
    check('the commands run', done.returncode == 0, done.stderr[-2000:])
    rungs = json.load(open('example/film.json'))['rungs']
    check_master('example/out/master.m3u8', rungs, True)
    titles = json.loads(re.search('id=data>(.*?)</script>', open('example/out/index.html').read(), re.S)[1])['titles']
    check('the catalogue has all rungs', len(titles) == len(rungs) == 4, titles)
    for rung in rungs:
        name = 'example/out/' + rung['playlist'][:-len('.m3u8')]
        report = json.load(open(name + '.json'))
        check('a rung has its score', abs(report['pooled_metrics']['vmaf']['mean'] - rung['score']) < 1e-4, rung, report['pooled_metrics'])
        check('and its shots', [shot['first'] for shot in report['vmaf_turbo']['shots']] == [0, 72], report['vmaf_turbo'].get('shots'))
        check('and a page with them', 'id=shots' in open(name + '.html').read(), name)


def ladders_are_published():
    # (Its video starts after its sound, as that of many files does.)
    clip('tall.mkv', frames=24, size='320x180', more=('-f', 'lavfi', '-i', 'sine', '-t', '1', '-c:a', 'flac', '-bsf:v',
                                                      'setts=pts=PTS+50:dts=DTS+50'))
    args = ('ladder', 'tall.mkv', '--encoder', FAST['libx264'], '--sizes', '90,180,360', '--crf', '24..44:10', '--model',
            'version=vmaf_v0.6.1', '--cache', 'ladder-cache', '--json', 'o.json')
    os.makedirs('published', exist_ok=True)
    out = run(*args, '--target-steps', '3', '--html', 'o.html', '--playlist', 'published/master.m3u8')
    check('a ladder', out.returncode == 0, out.stderr)
    result = json.load(open('o.json'))
    rungs = result['rungs']
    check('sizes above the source are left out', {p['encoder'][-4:] for p in result['points']} == {' 90p', '180p'}, result['points'])
    check('all sizes and settings', len(result['points']) == 6)
    check('rungs rise', rungs and all(a['bitrate'] < b['bitrate'] and a['score'] < b['score'] for a, b in zip(rungs, rungs[1:])), rungs)
    check('the page has them', open('o.html').read().count('data-label="peak kbit/s"') == len(rungs))
    made = subprocess.run(result['command'].replace('file:tall.mkv', 'file:../tall.mkv'), shell=True, cwd='published',
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    check('the command runs', made.returncode == 0, made.stderr[-500:])
    for rung in rungs:
        subprocess.run([vmaf, '-r', 'tall.mkv', '-d', 'published/' + rung['playlist'], '--json', '-o', 'v.json', '-q', '--precision', 'max',
                        '--scale', 'model', '--model', 'version=vmaf_v0.6.1'], check=True, stderr=subprocess.DEVNULL)
        report = json.load(open('v.json'))
        check('a rung as it was measured', report['pooled_metrics']['vmaf']['mean'] == rung['score'] and len(report['frames']) == 24, rung)
    check_master('published/master.m3u8', rungs, True)
    streams = subprocess.run([ffmpeg, '-nostdin', '-hide_banner', '-i', 'published/master.m3u8'], capture_output=True, text=True).stderr
    check('and can be played', streams.count('Video: h264') == streams.count('Audio: aac') == len(rungs), streams)
    rate = f"{rungs[0]['bitrate'] * 1.5:.0f}k"
    out = run(*args, '--rates', rate)
    rungs = json.load(open('o.json'))['rungs']
    check('a rung by its rate', out.returncode == 0 and len(rungs) == 1 and 0.6 < rungs[0]['bitrate'] * 1000 / (float(rate[:-1]) * 1000) < 1.6,
          out.stderr, rungs)
    for words, code, said in ((('--sizes', '91'), USAGE, '--sizes takes even numbers'), (('--rates', '4X'), USAGE, '--rates takes a number'),
                              (('--sizes', '720'), FAILED, 'tall.mkv has 180 rows, fewer than all sizes'),
                              (('--playlist', 'no/m.m3u8'), FAILED, 'cannot write no/m.m3u8')):
        out = run(*args, *words)
        check('what is wrong with a ladder', out.returncode == code and said in out.stderr and len(lines(out.stderr)) == 1, words, out.stderr)


SLOW = 'open("pids", "a").write(f"{os.getpid()}\\n")\nsubprocess.Popen(["sleep", "1000"])\n' \
       'child = subprocess.Popen(["sleep", "1000"])\nopen("pids", "a").write(f"{child.pid}\\nready\\n")\ntime.sleep(1000)\n'


def nothing_stays_behind():
    write_encoder('slow', SLOW)
    for number, name in ((signal.SIGINT, 'SIGINT'), (signal.SIGTERM, 'SIGTERM'), (signal.SIGHUP, 'SIGHUP'),
                         (signal.SIGKILL, None)):
        open('pids', 'w').close()
        process = subprocess.Popen([tune, 'compare', 'source.mkv', '--encoder-cmd', './slow {input} {output} {crf}', '--crf',
                                    '30,40', '--encodes', '2'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        check('both encoders run', wait_until(lambda: open('pids').read().count('ready') == 2))
        check('there is a folder', len(left_behind()) == 1, left_behind())
        process.send_signal(number)
        said = process.communicate(timeout=LIMIT)[1]
        pids = [int(p) for p in open('pids').read().split() if p != 'ready']
        check('no child is left', wait_until(lambda: not any(alive(p) for p in pids)), name, pids)
        if name:
            check('the exit code names the signal', process.returncode == 128 + number and said == f'stopped by {name}\n', said)
            check('no folder is left', not left_behind(), left_behind())
    open('.vmaf-tune-killed.tmp', 'w').close()
    with open('.vmaf-tune-living.tmp', 'w') as living:
        fcntl.flock(living, fcntl.LOCK_EX)
        run('compare', 'source.mkv', '--encoders', FAST['libx264'], '--crf', '45')
        check('the next run removes what a killed one left', left_behind() == ['.vmaf-tune-living.tmp'], left_behind())
    os.remove('.vmaf-tune-living.tmp')


def a_terminal_sees_it_live():
    leader, follower = pty.openpty()
    process = subprocess.Popen([tune, 'compare', 'source.mkv', '--encoders', FAST['libx264'], '--crf', '30,40'],
                               stdin=subprocess.DEVNULL, stdout=follower, stderr=follower)
    os.close(follower)
    seen = b''
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
    process.wait(timeout=LIMIT)
    os.close(leader)
    check('progress is drawn', b'source.mkv:   0%  0 of 2 done' in seen and b'encoding' in seen and b'\033[' in seen, seen)
    check('it ends at 100 %', b'source.mkv: 100%  2 of 2 done' in seen[seen.rindex(b'kbit/s'):], seen)
    check('the table is drawn', b'kbit/s' in seen and b'on the hull' in seen, seen)


def corpus(**more):
    return ['corpus', 'list', '--encoders', ','.join(FAST[e] for e in more.get('encoders', ['libx264'])), '--crf',
            more.get('crf', '30,36,42'), '-o', 'corpus.jsonl']


def read_corpus():
    with open('corpus.jsonl', 'rb') as file:
        text = file.read()
    whole = text[:text.rfind(b'\n') + 1]
    return [json.loads(line) for line in whole.decode().splitlines()]


def a_corpus_goes_on_after_any_kill():
    names = [f'c{i}.mkv' for i in range(6 if everything else 2)]
    for i, name in enumerate(names):
        clip(name, ('testsrc2', 'mandelbrot', 'testsrc')[i % 3], 12 + i)
    with open('list', 'w') as file:
        file.write('\n'.join(names + ['', names[0]]) + '\n')
    args = corpus(encoders=encoders if everything else ['libx264'])
    wanted = len(names) * 3 * (len(encoders) if everything else 1)
    random.seed(4)
    kept = []
    for _ in range(25 if everything else 2):
        process = subprocess.Popen([tune, *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.2, 2.5))
        process.send_signal(random.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)))
        process.wait(timeout=LIMIT)
        if os.path.exists('corpus.jsonl'):
            now = read_corpus()
            check('nothing is lost', now[:len(kept)] == kept)
            kept = now
            if random.random() < 0.5:  # as if the whole system had crashed
                with open('corpus.jsonl', 'ab') as file:
                    file.write(b'{"half":"a li')
    out = run(*args)
    check('the last run ends', out.returncode == 0, out.stderr)
    results = read_corpus()
    check('all results are there', len(results) == wanted, len(results), wanted)
    check('no result is there twice', len({r['key'] for r in results}) == wanted)
    check('existing results are kept', results[:len(kept)] == kept)
    with open('corpus.jsonl', 'a') as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        check('only one run can use a corpus at a time', 'another vmaf-tune is using corpus.jsonl' in run(*args).stderr)
    check('for each source, encoder and setting', len({(r['source'], r['encoder'], r['setting']) for r in results}) == wanted)
    before = open('corpus.jsonl').read()
    out = run(*args)
    check('nothing is done again', out.returncode == 0 and open('corpus.jsonl').read() == before and
          f'corpus.jsonl: 0 new results, {wanted + wanted // len(names)} kept, 0 failed' in out.stderr, out.stderr)
    check('no folder is left', not left_behind(), left_behind())
    reap()


def comparisons_and_searches_go_on_after_a_kill():
    write_encoder('count', 'open("runs", "a").write(setting + "\\n")\nif os.path.exists("hang-" + setting):\n'
                  '    open("hanging", "w").close()\n    time.sleep(1000)\nencode()\n')
    mine = ['--encoder-cmd', 'count=./count {input} {output} {crf}', '--resume', 'resume.jsonl']
    for args, hang in ((('compare', 'source.mkv', *mine, '--crf', '30,35,40'), '40'),
                       (('search', 'source.mkv', *mine, '--target', '80', '--crf', '20..40'), None)):
        for name in ('runs', 'resume.jsonl', 'hanging'):
            if os.path.exists(name):
                os.remove(name)
        whole = run(*args, '--json', '-')
        check('a whole run', whole.returncode == 0, whole.stderr)
        runs = open('runs').read().split()
        hang = hang or runs[-1]
        os.remove('runs')
        os.remove('resume.jsonl')
        open(f'hang-{hang}', 'w').close()
        process = subprocess.Popen([tune, *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        last = lambda: len(open('resume.jsonl').readlines()) == len(runs) - 1 if os.path.exists('resume.jsonl') else False
        check('the encoder hangs', wait_until(lambda: os.path.exists('hanging') and last()))
        process.kill()
        process.wait()
        os.remove(f'hang-{hang}')
        again = run(*args, '--json', '-')
        check('the next run continues', again.returncode == 0, again.stderr)
        check('only the interrupted encodes run twice', open('runs').read().split() == runs + [hang],
              open('runs').read())
        first, second = json.loads(whole.stdout), json.loads(again.stdout)
        for result in (first, second):
            del result['devices']  # counts the scores of one run
            for point in result.get('points', []) + result.get('tries', []) + [result.get('found', {}), result.get('predicted', {})]:
                for name in list(point):
                    if name.endswith(('_seconds', '_fps')):
                        del point[name]
        check('the results are the same', first == second, first, second)
        table = run(*args)
        check('all results are kept', table.returncode == 0 and open('runs').read().split() == runs + [hang], table.stderr)


def a_corpus_keeps_apart_what_differs():
    shutil.copy('c0.mkv', 'changing.mkv')
    with open('list', 'w') as file:
        file.write('changing.mkv\0none.mkv\0text.mkv\0')
    if os.path.exists('corpus.jsonl'):
        os.remove('corpus.jsonl')
    out = run(*corpus(crf='40'))
    check('unreadable sources are skipped', out.returncode == FAILED and
          'corpus.jsonl: 1 new results, 0 kept, 2 failed' in out.stderr, out.stderr)
    clip('changing.mkv', 'testsrc', 13)
    with open('list', 'w') as file:
        file.write('changing.mkv\n')
    run(*corpus(crf='40'))
    run(*corpus(crf='40'), '--pool', 'p5')
    run(*corpus(crf='40'), '--subsample', '2')
    run('corpus', 'list', '--encoders', FAST['libx264'], '--target', '70', '-o', 'corpus.jsonl')
    out = run('corpus', 'list', '--encoders', FAST['libx264'], '--target', '70', '-o', 'corpus.jsonl')
    check('each variant has its own result', len(read_corpus()) == 5, out.stderr)
    check('a search is kept as well', read_corpus()[4]['reached'] and '1 kept' in out.stderr, out.stderr)


def time_limits_hold():
    write_encoder('slow', 'time.sleep(1000)\n')
    out = run('compare', 'source.mkv', '--encoder-cmd', './slow {input} {output} {crf}', '--crf', '30', '--time-limit', '6')
    check('an encoder that takes too long', out.returncode == FAILED and 'time limit exceeded' in out.stderr, out.stderr)


def documents_say_what_there_is():
    text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../docs/tune.md')).read()
    there = set()
    for command in ('compare', 'search', 'corpus', 'shots', 'ladder'):
        there |= set(re.findall(r'--([a-z][a-z-]*)', run(command, '--help').stdout))
    own = set(re.findall(r'(?<![\w-])--([a-z][a-z-]*)', '\n'.join(l for l in text.splitlines() if 'encoder-cmd \'' not in l and not re.search('(^[$]|; do) vmaf ', l))))
    check('the document names options that exist', own <= there, own - there)
    check('the document names all options', there - own <= {'quiet', 'subsample', 'time-limit'}, there - own)


def three_encoders():
    out = run('compare', 'long.mkv', '--encoders', ','.join(FAST[e] for e in encoders), '--crf', '20..44:6', '--encodes', '2',
              '--backends', 'cpu,cpu', '--json', 'three.json', '--html', 'three.html', '--svg', 'three.svg')
    check('three encoders', out.returncode == 0, out.stderr)
    result = json.load(open('three.json'))
    check('all encodes', len(result['points']) == 5 * len(encoders))
    for delta in result['deltas']:
        check('deltas are numbers', all(isinstance(v, float) for v in delta['bd_rate'].values()), delta)
    for encoder in encoders:
        out = run('search', 'long.mkv', '--encoder', FAST[encoder], '--target', '80', '--samples', '2', '--sample-time', '1',
                  '-y', '-o', f'{encoder}.mp4', '--json', '-')
        check('a search with each', out.returncode == 0 and json.loads(out.stdout)['output']['score'] >= 80, encoder,
              out.stderr)


tests = [documents_say_what_there_is, compares_what_the_command_scores, metrics_choose_what_is_measured,
         models_of_v1_know_the_encode, names_stay_names, what_is_wrong_is_said, encoders_that_fail_show_why,
         encodes_of_anything_else_have_failed, odd_sources_are_encoded_whole, missing_devices_end_the_run_before_it_starts,
         a_device_that_dies_loses_nothing, infinite_for_equal_pictures, warnings_are_passed_on, other_scores_are_not_resumed,
         the_printed_command_makes_the_same_file, the_page_fits_a_telephone,
         searches_end_where_they_should, conditions_hold_together, a_cache_saves_encodes, shots_get_settings_of_their_own, ladders_are_published, nothing_stays_behind, a_corpus_goes_on_after_any_kill,
         comparisons_and_searches_go_on_after_a_kill]
if everything:
    tests += [pools_and_metrics, y4m_for_those_who_want_it, a_terminal_sees_it_live, a_corpus_keeps_apart_what_differs,
              time_limits_hold, three_encoders, real_encoders_are_published, the_example_of_the_docs_runs]
for test in [t for t in tests if not os.environ.get('TUNE_ONLY') or t.__name__ in os.environ['TUNE_ONLY'].split(',')]:
    start = time.monotonic()
    test()
    check('no temporary file is left', not left_behind(), test.__name__, left_behind())
    print(f'{test.__name__}: {time.monotonic() - start:.1f} s', flush=True)
for problem in problems:
    print('FAILED:', problem)
sys.exit(1 if problems else 0)
