#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that parsers of XML, JSON and CSV read every name of a score back, with its score,
whatever characters the name contains.

usage: names_test.py IMPORT_NAMES WORKDIR
"""
import csv
import json
import os
import random
import re
import subprocess
import sys
import xml.dom.minidom
import xml.etree.ElementTree

program = os.path.abspath(sys.argv[1])
os.makedirs(sys.argv[2], exist_ok=True)
os.chdir(sys.argv[2])

GOOD = ['a', '_', '4k', '-', 'a b', ' ', 'a"b', "a'b", '<a>', '&', '&amp;', '&#10;', ']]>', '<!--', 'a=b', 'a,b', 'a;b', '\\',
        '\\u0000', '"', '""', '{}', '[', 'a:b', 'xml', 'xmlns', 'xmlns:a', 'XmlNs', '_x0034_k', '_x0034_', '_x005F_x0034_k',
        '_x', '_x0034', '__x0034__', 'x0034_', 'name', 'min', 'max', 'é', 'ıŀ', 'Щи', 'ώ', '模型', 'の', 'ー', '한', '×', '٣', '😀', '\u200d', '\ufffd', '\ufeff', '\ue000',
        'a' * 3000, 'VMAF_integer_feature_vif_scale0_score', 'psnr_y', 'framenum', '../../a', '%s%n', '$(a)', 'a\u2028b']
BAD = ['', 'a\n', 'a\rb', '\t', '\x01', '\x7f', 'a\x85', '\uffff', '\ufffe', 'frameNum', 'Frame', 'integer_vif_scale0']
BROKEN = [b'\xff', b'a\xc3', b'\xc0\xaf', b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'\xf8\x88\x80\x80\x80', b'a\x80b']


def random_names(seed, count):
    some = random.Random(seed)
    alphabet = '_x0034AaFf"<>&\'=:;,{}[]|%- .é×\u0370\u2070'
    return {''.join(some.choice(alphabet) for _ in range(some.randint(1, 9))) for _ in range(count)}


def unescape(name):
    return re.sub('_x([0-9A-F]{4,})_', lambda match: chr(int(match[1], 16)), name)


def check(what, got, want):
    if got != want:
        print(f'{what}: missing {sorted(want.items() - got.items())[:8]}, not wanted {sorted(got.items() - want.items())[:8]}')
    return got != want


def unique(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f'a key twice: {sorted(n for n in names if names.count(n) > 1)[:5]}'
    return dict(pairs)


names = GOOD + sorted(random_names(1, 2000) - set(GOOD)) + BAD
encoded = [name.encode('utf-8', 'surrogatepass') for name in names] + BROKEN
done = subprocess.run([program], input=b''.join(name + b'\0' for name in encoded), capture_output=True, check=True)
codes = [int(line) for line in done.stdout.split()]
accepted = {name: float(number) for number, (name, code) in enumerate(zip(names, codes)) if code == 0}
failed = 0
for name, code in zip(encoded, codes):
    if (code != 0) != (name in BROKEN or name.decode('utf-8', 'replace') in BAD):
        failed += 1
        print(f'the name {name}: {code}')
shown = {name if name != 'VMAF_integer_feature_vif_scale0_score' else 'integer_vif_scale0': score
         for name, score in accepted.items()}

xml.dom.minidom.parse('out.xml')
root = xml.etree.ElementTree.parse('out.xml').getroot()
frame = unique([(unescape(name), value) for name, value in root.find('frames/frame').attrib.items()])
assert frame.pop('frameNum') == '0'
failed += check('XML', {name: float(value) for name, value in frame.items()}, shown)
pooled = [metric.get('name') for metric in root.findall('pooled_metrics/metric')]
failed += check('XML, pooled', dict.fromkeys(pooled, 0), dict.fromkeys(shown, 0)) + (len(pooled) != len(shown))

report = json.load(open('out.json', encoding='utf-8'), object_pairs_hook=unique)
failed += check('JSON', report['frames'][0]['metrics'], shown)
failed += check('JSON, pooled', dict.fromkeys(report['pooled_metrics'], 0), dict.fromkeys(shown, 0))

head, row = csv.reader(open('out.csv', encoding='utf-8', newline=''))
failed += check('CSV', {name: float(value) for name, value in unique(list(zip(head, row))[1:-1]).items()}, shown)
print(f'{len(shown)} names, {failed} wrong')
sys.exit(1 if failed else 0)
