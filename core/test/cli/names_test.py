#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests unusual names (quotes, line breaks, markup, bytes that are not UTF-8) of videos, reports, models and folders:
the command writes a report that real parsers read, or refuses the name; it never dies of a signal.

usage: names_test.py VMAF SYNTHCLIP WORKDIR
"""
import csv
import json
import os
import subprocess
import sys
import xml.etree.ElementTree

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
NAMES = [b'a"b', b"a'b", b'<a>&amp;', b'a\nb', b'a\tb', b'a\x01\x1b[31m', b'a\x7f', b'\xff\xfe\xc0\xaf', b'\xed\xa0\x80', b'\xef\xbf\xbf',
         'ä€𝄞'.encode(), b'a b', b' ', b'%s%n%1000d', b'{1}{2}|', b',;"",', b'\\u0000', b'--', b'4k', b'xmlns', b'a' * 200,
         b'=', b'a]]>', b'</VMAF>', b'$(id)`id`']
FORMATS = ['--xml', '--json', '--csv', '--sub']


def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f'a key twice: {keys}'
    return dict(pairs)


def parse(path, kind):
    """Returns the number of frames. Raises an exception if the report is not valid in its format."""
    with open(path, 'rb') as file:
        data = file.read()
    if kind == '--xml':
        return len(xml.etree.ElementTree.fromstring(data).find('frames'))
    text = data.decode('utf-8')
    if kind == '--json':
        return len(json.loads(text, object_pairs_hook=unique)['frames'])
    if kind == '--csv':
        rows = list(csv.reader(text.splitlines(), strict=True))
        assert all(len(row) == len(rows[0]) for row in rows)
        return len(rows) - 1
    assert all(line.startswith('{') for line in text.splitlines())
    return len(text.splitlines())


def run(words, report, kind, must_work):
    if os.path.exists(report):
        os.remove(report)
    done = subprocess.run([vmaf.encode()] + [w if isinstance(w, bytes) else w.encode() for w in words], cwd=work,
                          capture_output=True, timeout=60, check=False)
    told = f'{words}: exit code {done.returncode}, {done.stderr[:500]}'
    assert done.returncode in ((0,) if must_work else (0, 1, 255)), told
    assert done.stdout == b'', told
    if done.returncode == 0:
        try:
            assert parse(report, kind) == 2, 'not two frames'
        except Exception as reason:
            sys.exit(f'{told}\n{kind}: {reason}')
    else:
        assert done.stderr.strip(), told
        assert not os.path.exists(report), told
    return done.returncode == 0


def main():
    os.makedirs(work, exist_ok=True)
    subprocess.run([synthclip, 'mix', '32', '32', '420', '8', '2', f'{work}/r', f'{work}/d'], check=True)
    shape = '-w 32 -h 32 -p 420 -b 8 --feature psnr'.split()
    runs = 0
    for name in NAMES:
        place = os.path.join(work.encode(), b'name-' + name.replace(b'/', b'_'))
        for kind in FORMATS:
            os.symlink(b'd', place)
            runs += run(['-r', 'r', '-d', place, *shape, '-n', '-o', 'report', kind], f'{work}/report', kind, True)
            os.remove(place)
            runs += run(['-r', 'r', '-d', 'd', *shape, '-n', '-o', place, kind], place, kind, True)
            os.remove(place)
            model = b'version=vmaf_v0.6.1:name=' + name.replace(b'\\', b'').replace(b':', b'\\:').replace(b'=', b'\\=')
            runs += run(['-r', 'r', '-d', 'd', *shape, '-o', 'report', kind, '--model', model], f'{work}/report', kind, False)
            path = b'path=' + place.replace(b':', b'\\:')
            run(['-r', 'r', '-d', 'd', *shape, '-o', 'report', kind, '--model', path], f'{work}/report', kind, False)
    print(f'{runs} reports were read back')
    assert runs > 2 * len(NAMES) * len(FORMATS), 'hardly a name was taken'


main()
