#!/usr/bin/env python3
"""What README.md and docs/usage.md say is what the command does.

usage: docs_test.py VMAF TOP
"""
import re
import subprocess
import sys

vmaf, top = sys.argv[1:3]
failed = 0


def run(*args):
    return subprocess.run([vmaf, *args], capture_output=True, text=True, check=True).stdout


def complain(text):
    global failed
    failed += 1
    print(text)


def check_features():
    """The table of features and backends."""
    readme = open(top + '/README.md').read()
    table = re.search(r'<!-- features.*?-->(.*?)<!-- end', readme, re.S).group(1)
    told = {m[0]: m[1].strip() == 'yes' for m in re.findall(r'\| `(\w+)` \|[^|]*\| yes \|([^|]*)\|', table)}
    true = {m[0]: m[1] == 'cpu, gpu' for m in re.findall(r'^(\w+) .*\[(cpu|cpu, gpu)\]$', run('--list_features'), re.M)}
    for name in sorted(told.keys() | true.keys()):
        if told.get(name) != true.get(name):
            complain(f'README.md, {name}: on a GPU {told.get(name)}, in truth {true.get(name)}')


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
