#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What README.md and docs/usage.md say is what the command does.

usage: docs_test.py VMAF TOP [--fix]
"""
import re
import subprocess
import sys

vmaf, top = sys.argv[1:3]
fix = '--fix' in sys.argv
failed = 0


def run(*args):
    return subprocess.run([vmaf, *args], capture_output=True, text=True, check=True).stdout


def complain(text):
    global failed
    failed += 1
    print(text)


def feature_table():
    """The table of features and backends, as the command lists them."""
    lines = ['| extractor | measures | CPU | Vulkan |', '| --- | --- | --- | --- |']
    for name, what, where in re.findall(r'^(\w+) +(\S.*) \[(.*)\]$', run('--list_features'), re.M):
        lines.append(f'| `{name}` | {what} | yes | {"yes" if "vulkan" in where else ""} |')
    return '\n' + '\n'.join(lines) + '\n'


def check_features():
    path = top + '/README.md'
    readme = open(path).read()
    before, table, after = re.fullmatch(r'(.*<!-- features[^>]*-->)(.*)(<!-- end of features.*)', readme, re.S).groups()
    if table == feature_table() or '[cpu, vulkan]' not in run('--list_features'):  # a build without Vulkan
        return
    if fix:
        open(path, 'w').write(before + feature_table() + after)
    else:
        complain('README.md: the table of features is out of date; docs_test.py --fix writes it anew')


def check_options():
    """Options that the documents mention exist."""
    options = set(re.findall(r'--(\w+)', run('--help')))
    for name in ('README.md', 'docs/usage.md'):
        for line in open(f'{top}/{name}'):
            if 'pkg-config' in line:
                continue
            for option in re.findall(r'(?<![\w-])--(\w+)', line):
                if option not in options | {'option'}:
                    complain(f'{name}: there is no --{option}')


check_features()
check_options()
sys.exit(1 if failed else 0)
