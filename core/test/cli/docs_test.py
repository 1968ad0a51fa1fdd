#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that README.md and docs/usage.md describe the command as it is.

usage: docs_test.py VMAF TOP [--fix]
"""
import os
import re
import subprocess
import sys

vmaf, top = sys.argv[1:3]
fix = '--fix' in sys.argv
failed = 0
# The text of --help is enough for these.
UNEXPLAINED = {'reference', 'distorted', 'width', 'height', 'pixel_format', 'bitdepth', 'no_prediction', 'output',
               'quiet', 'version', 'no_metal'}


def run(*args):
    return subprocess.run([vmaf, *args], capture_output=True, text=True, check=True).stdout


def complain(text):
    global failed
    failed += 1
    print(text)


def feature_table():
    """Makes the table of features from --list_features. Features with GPU code run on every GPU backend."""
    lines = ['| extractor | measures | CPU | GPU |', '| --- | --- | --- | --- |']
    for name, what, where in re.findall(r'^(\w+) +(\S.*) \[(.*)\]$', run('--list_features'), re.M):
        lines.append(f'| `{name}` | {what} | yes | {"" if where == "cpu" else "yes"} |')
    return '\n' + '\n'.join(lines) + '\n'


def check_features():
    path = top + '/README.md'
    readme = open(path).read()
    before, table, after = re.fullmatch(r'(.*<!-- features[^>]*-->)(.*)(<!-- end of features.*)', readme, re.S).groups()
    if table == feature_table() or '[cpu, ' not in run('--list_features'):  # a build without any GPU backend
        return
    if fix:
        open(path, 'w').write(before + feature_table() + after)
    else:
        complain('README.md: the table of features is out of date; docs_test.py --fix writes it anew')


def check_options():
    """Checks that the options in the documents exist."""
    options = {name.replace('-', '_') for name in re.findall(r'--(\w[\w-]*)', run('--help'))}
    for name in ('README.md', 'docs/usage.md', 'docs/reports.md', 'docs/backends/README.md'):
        for line in open(f'{top}/{name}'):
            if re.search('pkg-config|vmaf-tune|ffmpeg-build', line):
                continue
            for option in re.findall(r'(?<![\w-])--(\w[\w-]*)', line):
                if option.replace('-', '_') not in options | {'option'}:
                    complain(f'{name}: there is no --{option}')


def check_backends():
    """Checks that every backend has a page, and that every option of its own is explained."""
    text = run('--help')
    names = re.findall(r'--(\w+)_device ', text)
    pages = open(f'{top}/docs/backends/README.md').read()
    for name in names:
        page = f'{name}/overview.md' if os.path.isdir(f'{top}/docs/backends/{name}') else f'{name}.md'
        if not os.path.exists(f'{top}/docs/backends/{page}') or f'[`{name}`]({page})' not in pages:
            complain(f'docs/backends/README.md: no page on {name}')
    usage = open(f'{top}/docs/usage.md').read()
    for option in re.findall(r'^ +(?:-\w, )?--(\w[\w-]*)', text, re.M):
        own = any(option in (f'{name}_device', f'no_{name}') for name in names)
        if not own and f'--{option}' not in usage + pages and option not in UNEXPLAINED:
            complain(f'docs/usage.md: nothing on --{option}')


def check_links():
    """Checks that links between the documents lead to files, and that headings are where links expect them."""
    for folder, _, names in [(top, [], ['README.md', 'CONTRIBUTING.md']), *os.walk(f'{top}/docs')]:
        for name in (name for name in names if name.endswith('.md')):
            path = os.path.join(folder, name)
            text = re.sub(r'^```.*?^```$|^    [^\n]*$', '', open(path).read(), flags=re.M | re.S)
            for link in re.findall(r'\]\(([^)\s]+)\)', text):
                target, _, heading = link.partition('#')
                if ':' in target:
                    continue
                to = os.path.join(folder, target) if target else path
                if not os.path.exists(to):
                    complain(f'{path}: {link} leads nowhere')
                elif heading and to.endswith('.md') and heading not in headings(to):
                    complain(f'{path}: {link} has no such heading')


def headings(path):
    """Returns the anchors of a document: those of its headings, and its own."""
    text = open(path).read()
    found = re.findall(r'^#+ (.*)$', text, re.M)
    return set(re.findall(r'<a id="([^"]*)">', text)) | {re.sub(r'[^\w -]', '', title.lower()).replace(' ', '-') for title in found}


def check_papers():
    """Checks that the names of the design papers lead to files of this tree."""
    name = 'docs/development/from-the-design-papers.md'
    for line in open(f'{top}/{name}'):
        cells = line.split(' | ')
        if line.startswith('| ') and len(cells) > 2:
            ours = line if cells[1].startswith('the same') else ' '.join(cells[1:])
            for path in re.findall(r'`((?:core|docs|scripts|dev|ffmpeg-patches|\.github)/[\w./-]+)`', ours):
                if not os.path.exists(f'{top}/{path}'):
                    complain(f'{name}: there is no {path}')


check_features()
check_options()
check_links()
check_papers()
check_backends()
sys.exit(1 if failed else 0)
