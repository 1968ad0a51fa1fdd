#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that CI's workflows and the recipes of package managers agree with the tree: the targets
of make, the options of the build and the symbols of the library.

usage: definitions_test.py MESON TREE SHELL
"""
import glob
import json
import os
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    print('skipped: needs python3-yaml')
    sys.exit(77)

meson, tree, shell = sys.argv[1:4]
problems = []


def check(what, fine):
    if not fine:
        problems.append(what)


def read(path):
    with open(os.path.join(tree, path)) as file:
        return file.read()


def files(pattern):
    return sorted(os.path.relpath(path, tree) for path in glob.glob(os.path.join(tree, pattern)))


# ---- instruction sets ----

# A CPU may have one extension of AVX-512 and not the next, so each that a file is compiled for must
# be looked for before its code runs.
detection = re.sub(r'has_(\w+)\(\)', r'"\1"', read('core/src/base/cpu.c'))
for flag in sorted(set(re.findall(r"'-m([a-z0-9.]+)'", read('core/src/meson.build')))):
    check(f'core/src/base/cpu.c does not look for {flag}', f'"{flag}"' in detection)

# ---- workflows ----

makefile = read('Makefile')
targets = {name for line in re.findall(r'^([a-z][a-z -]*):(?!=)', makefile, re.M) for name in line.split()}
job_names = ' '.join(re.findall(r'^(?:NIGHTLY_)?JOBS := \\\n((?:  \S+(?: \\)?\n)+)', makefile, re.M)).replace('\\', '').split()
check('the Makefile has no lists of jobs', job_names)
for name in job_names:
    check(f'the Makefile has no rule for its job {name}', name in targets)


def check_job(where, job):
    check(f'{where}: no timeout-minutes', isinstance(job.get('timeout-minutes'), int))
    check(f'{where}: no permissions', 'permissions' in job)
    check(f'{where}: may write', all(value == 'read' for value in job.get('permissions', {}).values()))
    for step in job['steps']:
        if 'uses' in step:
            check(f'{where}: {step["uses"]} is not pinned to a commit', re.fullmatch(r'[\w./-]+@[0-9a-f]{40}', step['uses']))
            if step['uses'].startswith('actions/checkout@'):
                check(f'{where}: the checkout keeps its token', step.get('with', {}).get('persist-credentials') is False)
        for word in re.findall(r'(?:^|[;&]\s*)make (?:-s )?(\S+)', step.get('run', ''), re.M):
            check(f'{where}: make has no target {word}', word in targets or step['run'] == 'make ${{ matrix.job }}')


workflows = files('.github/workflows/*.yml')
jobs = {}
for path in workflows:
    workflow = yaml.safe_load(read(path))
    check(f'{path}: permissions', workflow.get('permissions') == {'contents': 'read'})
    check(f'{path}: no concurrency', 'group' in workflow.get('concurrency', {}))
    for name, job in workflow['jobs'].items():
        jobs[name] = job
        check_job(f'{path}: {name}', job)
required = yaml.safe_load(read('.github/workflows/required.yml'))['jobs']
check('a job of required.yml is not required', set(required['required']['needs']) == set(required) - {'required'})
for name in ('linux', 'lavapipe-gate', 'sanitizers', 'arm64', 'job', 'windows', 'macos', 'moltenvk', 'cards'):
    check(f'no job {name}', name in jobs)

# A job on a machine with a card must fail if the card is not found.
demands = {machine['card']: machine['require'] for machine in jobs['cards']['strategy']['matrix']['include']}
check('a job on a card does not demand hardware', set(demands) == {'vmaf-arc', 'vmaf-amd', 'vmaf-nvidia'} and
      all('--require hardware' in require for require in demands.values()))
check('the job on Arc does not demand an Intel device', '--require Intel' in demands['vmaf-arc'])
for name in ('cards', 'moltenvk'):
    runs = ' '.join(step.get('run', '') for step in jobs[name]['steps'])
    check(f'{name}: nothing demands hardware before the gate', re.search(
        r'--doctor --backend .*(--require hardware|matrix\.require).*make gate', runs))

# ---- recipes ----

known = {option['name'] for option in json.loads(
    subprocess.run([meson, 'introspect', '--buildoptions', os.path.join(tree, 'core/meson.build')], capture_output=True,
                   text=True, check=True).stdout)}
recipes = files('packaging/*/*.in') + ['debian/rules', 'scripts/package', 'dev/Containerfile'] + workflows
for path in recipes:
    for option in re.findall(r'(?<![\w-])-D([a-z]\w*)=', read(path)):
        check(f'{path}: the build has no option {option}', option in known)
for path in files('packaging/*/*BUILD.in'):
    done = subprocess.run([shell, '-n', os.path.join(tree, path)], capture_output=True, text=True)
    check(f'{path}: {done.stderr}', not done.returncode)
json.loads(read('packaging/vcpkg/vcpkg.json.in'))

# ---- Debian ----

version = re.search(r"^  version: '(.*)'", read('core/meson.build'), re.M).group(1)
check('debian/changelog has another version', read('debian/changelog').startswith(f'vmaf-turbo ({version}+turbo'))
symbols = read('debian/libvmaf3.symbols').splitlines()
listed = [re.fullmatch(r' (\w+)@Base (\S+)', line).groups() for line in symbols[2:]]
exported = read('core/test/api/symbols.txt').split()
check('debian/libvmaf3.symbols: another library', symbols[0] == 'libvmaf.so.3 libvmaf3 #MINVER#')
for name in sorted(set(exported) ^ {name for name, _ in listed}):
    check(f'debian/libvmaf3.symbols and core/test/api/symbols.txt disagree about {name}', False)

for problem in problems:
    print(problem)
print(f'{len(workflows)} workflows, {len(recipes)} recipes, {len(listed)} symbols: {len(problems)} problems')
sys.exit(1 if problems else 0)
