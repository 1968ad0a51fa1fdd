#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Check that the tests that mutation rules name exist, and that `make test` runs them, or at least `make nightly`.

usage: names_test.py BUILD     a build folder that has all backends and FFmpeg's libraries
"""
import glob
import json
import os
import sys

from rules import read_rules

with open(os.path.join(sys.argv[1], 'meson-info', 'intro-tests.json'), encoding='utf-8') as file:
    suites = {test['name']: {suite.split(':')[-1] for suite in test['suite']} for test in json.load(file)}
problems = []
for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), '*.rules'))):
    for rule in read_rules(path):
        for test in rule.tests:
            if test not in suites:
                problems.append(f'{rule.name}: there is no test "{test}"')
            elif suites[test] & {'job', 'single'}:
                problems.append(f'{rule.name}: neither make test nor make nightly runs "{test}"')
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
