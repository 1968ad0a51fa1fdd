#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Break the library in known ways, one at a time, and see whether the tests notice.

usage: mutate.py TOP [PATTERN...]          try all rules, or those whose names match a pattern such as 'vif*'
       mutate.py --check TOP [PATTERN...]  only see whether every rule still fits the source
       mutate.py --fix TOP [PATTERN...]    the same, and let rules follow code that was moved or renamed
       mutate.py --show TOP RULE...        print what a rule changes, as a diff

The *.rules files in this folder hold the rules; rules.py says how to write one. The tree is copied to TOP/build-mutate
and broken and built there; the working tree is never touched. Fails if a mutation survives, does not apply or does not
build. A mutation whose tests cannot run on this machine is listed as not run.
"""
import difflib
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys

from rules import Malformed, Sources, Stale, read_rules

KILLED, SURVIVED, NOT_RUN = 'killed', 'SURVIVED', 'not run here'
NO_MATCH, NO_BUILD = 'DOES NOT APPLY', 'DOES NOT BUILD'
FAILED = ('FAIL', 'TIMEOUT', 'ERROR', 'INTERRUPT', 'UNEXPECTEDPASS')


def cpu_flags():
    try:
        return re.search(r'^(?:flags|Features)\s*:(.*)', open('/proc/cpuinfo').read(), re.M).group(1).split()
    except (OSError, AttributeError):
        return []


def write_if_new(path, content):
    """Write the file unless it has this content: its time stays, so that only changed files are built again."""
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
        """The result of the test: OK, FAIL, SKIP…; the worst one, if several tests have the name."""
        log = self.build + '/meson-logs/testlog-all.json'
        if os.path.exists(log):
            os.remove(log)
        subprocess.run(['meson', 'test', '-C', self.build, '--no-rebuild', '--quiet', '--setup', 'all', test],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        results = [json.loads(line)['result'] for line in open(log)]
        return next((result for result in results if result in FAILED), results[0])


def try_out(rule, tree, flags):
    if rule.missing(flags):
        return NOT_RUN, 'the CPU has no ' + ', '.join(rule.missing(flags))
    try:
        broken = Sources(tree.folder).mutated(rule)
    except Stale as why:
        return NO_MATCH, str(why)
    sound = {name: tree.read(name) for name in broken}
    try:
        for name, text in broken.items():
            tree.write(name, text.encode())
        if not tree.make(rule.tests):
            return NO_BUILD, ''
        skipped = 0
        for test in rule.tests:
            result = tree.result(test)
            if result in FAILED:
                return KILLED, f'by "{test}"'
            skipped += result == 'SKIP'
    finally:
        for name, content in sound.items():
            tree.write(name, content)
    return (NOT_RUN, 'its tests are skipped') if skipped == len(rule.tests) else (SURVIVED, '')


def rewrite(path, lines):
    """Replace the values in these lines: {number: value}."""
    with open(path, encoding='utf-8') as file:
        text = file.read().split('\n')
    for number, value in lines.items():
        text[number - 1] = text[number - 1].partition(':')[0] + ': ' + value
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(text))


def check(rules, top, fix):
    """Report rules that no longer fit the source, and those whose code has moved; with `fix`, update the latter."""
    sources, stale, moved = Sources(top), 0, 0
    for rule in rules:
        texts, lines = {}, {}
        try:
            for edit in rule.edits:
                other = fix and not sources.is_defined(edit, texts) and sources.renamed(edit, texts)
                if other:
                    print(f'{rule.name}: `{edit.anchor}` of {edit.file} is now `{other[1]}` of {other[0]}')
                    edit.file, edit.anchor = other
                    lines.update(zip(edit.lines, other))
                name = sources.locate(edit, texts)
                if name != edit.file:
                    print(f'{rule.name}: moved: the rule says {edit.file}, `{edit.anchor}` is in {name}')
                    moved += 1
                    lines[edit.lines[0]] = name
                texts[name] = edit.apply(texts.get(name, sources.read(name)), name)
        except Stale as why:
            stale += 1
            print(f'{rule.name}: {NO_MATCH}: {why}')
            continue
        if fix and lines:
            rewrite(rule.path, lines)
    advice = 'their rules are updated' if fix else '--fix updates their rules'
    print(f'{len(rules)} mutations, {stale} do not apply' + (f', {moved} moved ({advice})' if moved else ''))
    if stale:
        print('CONTRIBUTING.md says how to adapt a rule to changed code')
    return 1 if stale else 0


def show(rules, top):
    sources, status = Sources(top), 0
    for rule in rules:
        print(f'{rule.name}: {rule.breaks}', flush=True)
        try:
            for name, text in sources.mutated(rule).items():
                sys.stdout.writelines(difflib.unified_diff(
                    sources.read(name).splitlines(True), text.splitlines(True), 'a/' + name, 'b/' + name))
        except Stale as why:
            print(f'{NO_MATCH}: {why}')
            status = 1
    return status


def are_sound(tree, tests):
    """Check that the tests exist and pass without any mutation: a test that always fails proves nothing."""
    unknown = [test for test in tests if test not in tree.needed]
    if unknown:
        print('no such test: ' + '; '.join(unknown))
        return False
    if not tree.make(tests):
        return False
    failing = [test for test in tests if tree.result(test) in FAILED]
    if failing:
        print('fails without any mutation: ' + '; '.join(failing))
    return not failing


def load_rules(patterns):
    here = os.path.dirname(os.path.abspath(__file__))
    rules = [rule for path in sorted(glob.glob(here + '/*.rules')) for rule in read_rules(path)]
    names = [rule.name for rule in rules]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Malformed('more than one rule is called ' + ', '.join(twice))
    return [rule for rule in rules if any(fnmatch.fnmatch(rule.name, pattern) for pattern in patterns)]


def try_all(rules, top):
    flags = cpu_flags()
    tree = Tree(top)
    tree.copy()
    tree.setup()
    if not are_sound(tree, sorted({test for rule in rules for test in rule.tests})):
        return 1
    counts = {}
    for rule in rules:
        verdict, detail = try_out(rule, tree, flags)
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f'{verdict:14} {rule.name}: {rule.breaks}' + (f' ({detail})' if detail else ''), flush=True)
    print(', '.join(f'{count} {verdict}' for verdict, count in counts.items()))
    return 0 if set(counts) <= {KILLED, NOT_RUN} else 1


def main(args):
    action = args.pop(0) if args[:1] and args[0].startswith('--') else None
    if not args or action not in (None, '--check', '--fix', '--show'):
        sys.exit(__doc__)
    top = os.path.abspath(args[0])
    try:
        rules = load_rules(args[1:] or ['*'])
    except Malformed as why:
        sys.exit(str(why))
    if not rules:
        sys.exit('no such mutation')
    if action in ('--check', '--fix'):
        return check(rules, top, action == '--fix')
    return show(rules, top) if action else try_all(rules, top)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
