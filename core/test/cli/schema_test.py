#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks the command's JSON reports against docs/report.schema.json. Skipped without python3-jsonschema.

usage: schema_test.py VMAF SYNTHCLIP WORKDIR SCHEMA
"""
import copy
import json
import os
import subprocess
import sys

import inputs

try:
    import jsonschema
except ImportError:
    print('needs python3-jsonschema')
    sys.exit(77)

vmaf, synthclip, work, schema = (os.path.abspath(p) for p in sys.argv[1:5])
RAW = '-r r.yuv -d d.yuv -w 64 -h 64 -p 420 -b 8 -q --json -o out.json '
CASES = [
    '',
    '--model version=vmaf_b_v0.6.3 --model version=vmaf_v0.6.1:name=x --feature psnr=enable_apsnr=true --threads 2',
    '-n --feature psnr --frame_skip_ref 1 --backend cpu --subsample 2',
    '-n --feature psnr --precision max --frame_skip_dist 1',
]
validator = jsonschema.Draft7Validator(json.load(open(schema)))
validator.check_schema(validator.schema)
failed = 0


def complain(text):
    global failed
    failed += 1
    print(text)


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else values[middle - 1] + (values[middle] - values[middle - 1]) * 0.5


def check(report, args):
    for error in validator.iter_errors(report):
        complain(f'vmaf {args}: {list(error.absolute_path)}: {error.message}')
    if 'vmaf_turbo' not in report:
        complain(f'vmaf {args}: no vmaf_turbo')
    pooled = report['vmaf_turbo']['pooled']
    for name, old in report['pooled_metrics'].items():
        if any(pooled[name][key] != value for key, value in old.items()):
            complain(f'vmaf {args}: {name} is pooled twice, differently')
        if '--precision max' in args and pooled[name]['median'] != median(
                [frame['metrics'][name] for frame in report['frames']]):
            complain(f'vmaf {args}: {name} has another median')


def check_schema_refuses(report):
    """Checks that the schema rejects invalid reports."""
    def broken(change):
        other = copy.deepcopy(report)
        change(other)
        return not validator.is_valid(other)
    for change in (lambda r: r['vmaf_turbo'].update(schema=2), lambda r: r['vmaf_turbo'].pop('pooled'),
                   lambda r: r.update(surprise=1), lambda r: r['frames'][0].pop('frameNum'),
                   lambda r: r['vmaf_turbo']['inputs']['reference'].update(width='64')):
        if not broken(change):
            complain('the schema lets a broken report pass')


inputs.write_all(synthclip, work)
os.chdir(work)
for case in CASES:
    subprocess.check_call([vmaf] + (RAW + case).split())
    report = json.load(open('out.json'))
    check(report, case)
check_schema_refuses(report)
print(f'{len(CASES)} reports, {failed} wrong')
sys.exit(1 if failed else 0)
