#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Break the library in known ways, one at a time, and see whether the tests notice.

usage: mutate.py TOP [PATTERN...]        all mutations, or those whose names match a pattern such as 'vif*'
       mutate.py --check TOP [PATTERN...]      only see whether every mutation still applies

A mutation is a patch in this folder. The lines before it say what it breaks, and which tests (meson's names, one a
line, the quickest first) one must fail then; `Needs:` names a CPU flag without which they cannot:

    Breaks: only the last strip mirrors the border
    Needs: avx512bw
    Test: dsp

The tree is copied to TOP/build-mutate and broken and built there; the working tree is never touched. Fails if a
mutation survives, does not apply or does not build. One whose tests cannot run on this machine is listed as not run.
"""
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys

KILLED, SURVIVED, NOT_RUN = 'killed', 'SURVIVED', 'not run here'
NO_PATCH, NO_BUILD = 'DOES NOT APPLY', 'DOES NOT BUILD'
FAILED = ('FAIL', 'TIMEOUT', 'ERROR', 'INTERRUPT', 'UNEXPECTEDPASS')


class Mutation:
    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-len('.patch')]
        text = open(path).read()
        header = text[:text.index('--- ')]
        self.breaks = ' '.join(re.findall(r'^Breaks: (.*)', header, re.M))
        self.needs = re.findall(r'^Needs: (.*)', header, re.M)
        self.tests = re.findall(r'^Test: (.*)', header, re.M)
        self.files = re.findall(r'^\+\+\+ b/(\S+)', text, re.M)
        if not (self.breaks and self.tests and self.files):
            sys.exit(f'{path}: needs the lines "Breaks:" and "Test:", and a patch')

    def missing(self, flags):
        return [need for need in self.needs if need not in flags]

    def patch(self, folder, *options):
        run = subprocess.run(['patch', '-p1', '-s', '-f', '--no-backup-if-mismatch', '-r', '-', '-i', self.path]
                             + list(options), cwd=folder, capture_output=True, text=True)
        return run.returncode == 0


def cpu_flags():
    try:
        return re.search(r'^(?:flags|Features)\s*:(.*)', open('/proc/cpuinfo').read(), re.M).group(1).split()
    except (OSError, AttributeError):
        return []


def write_if_new(path, content):
    """Untouched files keep their times, so that only what changed is built again."""
    try:
        if open(path, 'rb').read() == content:
            return
    except OSError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(content)


class Tree:
    """A copy of the tracked files as they are in the working tree, and its build folder."""

    def __init__(self, top):
        self.top = top
        self.folder = top + '/build-mutate/tree'
        self.build = top + '/build-mutate/build'

    def read(self, name):
        return open(f'{self.folder}/{name}', 'rb').read()

    def write(self, name, content):
        write_if_new(f'{self.folder}/{name}', content)

    def copy(self):
        listed = subprocess.check_output(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
                                         cwd=self.top, text=True)
        names = [name for name in listed.split('\0') if name and os.path.isfile(f'{self.top}/{name}')]
        kept = set(names)
        for folder, _, files in os.walk(self.folder):
            for name in files:
                path = os.path.join(folder, name)
                if os.path.relpath(path, self.folder) not in kept:
                    os.remove(path)
        for name in names:
            self.write(name, open(f'{self.top}/{name}', 'rb').read())
            os.chmod(f'{self.folder}/{name}', os.stat(f'{self.top}/{name}').st_mode)

    def setup(self):
        if not os.path.exists(self.build + '/build.ninja'):
            subprocess.run(['meson', 'setup', self.build, self.folder + '/core', '-Dhip_archs=gfx1030'],
                           check=True, stdout=subprocess.DEVNULL)
        subprocess.run(['ninja', '-C', self.build, 'build.ninja'], check=True, stdout=subprocess.DEVNULL)
        targets = {t['id']: t['filename'] for t in self.introspect('--targets')}
        self.needed = {}
        for test in self.introspect('--tests'):
            files = self.needed.setdefault(test['name'], set())
            for target in test['depends']:
                files.update(os.path.relpath(name, self.build) for name in targets.get(target, []))

    def introspect(self, what):
        return json.loads(subprocess.check_output(['meson', 'introspect', self.build, what], text=True))

    def make(self, tests):
        files = sorted(set().union(*(self.needed[test] for test in tests)))
        run = subprocess.run(['ninja', '-C', self.build] + files, capture_output=True, text=True)
        if run.returncode:
            print('\n'.join(line for line in run.stdout.splitlines() if ' error: ' in line))
        return run.returncode == 0

    def result(self, test):
        """What the test came to: OK, FAIL, SKIP…; the worst, where several have the name."""
        log = self.build + '/meson-logs/testlog-all.json'
        if os.path.exists(log):
            os.remove(log)
        subprocess.run(['meson', 'test', '-C', self.build, '--no-rebuild', '--quiet', '--setup', 'all', test],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        results = [json.loads(line)['result'] for line in open(log)]
        return next((result for result in results if result in FAILED), results[0])


def try_out(mutation, tree, flags):
    if mutation.missing(flags):
        return NOT_RUN, 'the CPU has no ' + ', '.join(mutation.missing(flags))
    if not all(os.path.exists(f'{tree.folder}/{name}') for name in mutation.files):
        return NO_PATCH, ''
    sound = {name: tree.read(name) for name in mutation.files}
    try:
        if not mutation.patch(tree.folder):
            return NO_PATCH, ''
        if not tree.make(mutation.tests):
            return NO_BUILD, ''
        skipped = 0
        for test in mutation.tests:
            result = tree.result(test)
            if result in FAILED:
                return KILLED, f'by "{test}"'
            skipped += result == 'SKIP'
    finally:
        for name, content in sound.items():
            tree.write(name, content)
    return (NOT_RUN, 'its tests are skipped') if skipped == len(mutation.tests) else (SURVIVED, '')


def check(mutations, top):
    if not shutil.which('patch'):
        print('SKIP: needs patch')
        return 77
    stale = [m.name for m in mutations if not m.patch(top, '--dry-run')]
    for name in stale:
        print(f'{name}: {NO_PATCH}')
    print(f'{len(mutations)} mutations, {len(stale)} do not apply')
    return 1 if stale else 0


def sound(tree, tests):
    """Tests that fail without any mutation prove nothing."""
    unknown = [test for test in tests if test not in tree.needed]
    if unknown:
        print('no such test: ' + '; '.join(unknown))
        return False
    if not tree.make(tests):
        return False
    failing = [test for test in tests if tree.result(test) in FAILED]
    if failing:
        print('fails as it is: ' + '; '.join(failing))
    return not failing


def main(args):
    only_check = args[:1] == ['--check']
    args = args[1:] if only_check else args
    if not args:
        sys.exit(__doc__)
    top, patterns = os.path.abspath(args[0]), args[1:] or ['*']
    here = os.path.dirname(os.path.abspath(__file__))
    mutations = [Mutation(path) for path in sorted(glob.glob(here + '/*.patch'))]
    mutations = [m for m in mutations if any(fnmatch.fnmatch(m.name, pattern) for pattern in patterns)]
    if only_check:
        return check(mutations, top)
    if not mutations:
        sys.exit('no such mutation')

    flags = cpu_flags()
    tree = Tree(top)
    tree.copy()
    tree.setup()
    if not sound(tree, sorted({test for m in mutations for test in m.tests})):
        return 1
    counts = {}
    for mutation in mutations:
        verdict, detail = try_out(mutation, tree, flags)
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f'{verdict:14} {mutation.name}: {mutation.breaks}' + (f' ({detail})' if detail else ''), flush=True)
    print(', '.join(f'{count} {verdict}' for verdict, count in counts.items()))
    return 0 if set(counts) <= {KILLED, NOT_RUN} else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
