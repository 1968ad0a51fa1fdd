#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""`vmaf --doctor --report` finds a damaged kernel: a command that is linked with one, and that has no self-test, must
report the feature at every depth with the figures that differ, and must report no other one.

usage: report_test.py VMAF_SPOILT BACKEND
"""
import json
import os
import subprocess
import sys
import tempfile

vmaf, backend = os.path.abspath(sys.argv[1]), sys.argv[2]
problems = []


def check(what, good, *details):
    if not good:
        problems.append(what)
        print('not so:', what, *details, flush=True)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'report.json')
    done = subprocess.run([vmaf, '--doctor', '--backend', backend, '--allow_software', '--report', '-q', '-o', path],
                          capture_output=True, text=True)
    findings = json.load(open(path))
devices = next(one for one in findings['backends'] if one['name'] == backend)['devices']
if not devices:
    print(f'no {backend} device')
    sys.exit(77)
check('the exit status', done.returncode == 255 and not findings['well'], done)
for device in devices:
    if 'survey' not in device:
        continue
    survey = device['survey']
    failed = [(one['extractor'], one['bits']) for one in survey['features'] if one['verdict'] == 'failed']
    check('the trial', not device['works'] and 'wrong score' in device['problem'], device['problem'])
    check('what failed', failed == [('vif', bits) for bits in (8, 10, 12, 16)], failed)
    check('the counts', survey['failed'] == 4 and survey['equal'] > 50 and survey['not_tried'] == 0, survey)
    for one in survey['features']:
        figures = one.get('figures', {}).values()
        equal = all(figure['device'] == figure['cpu'] for figure in figures)
        check(f'figures of {one["extractor"]} at {one["bits"]}', one['verdict'] == 'not measured' or
              bool(figures) and equal == (one['verdict'] == 'equal'), one)
check('a device was surveyed', any('survey' in device for device in devices), devices)
print(f'{len(problems)} problems')
sys.exit(1 if problems else 0)
