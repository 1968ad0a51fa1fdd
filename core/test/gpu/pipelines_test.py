# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Compiles every Vulkan kernel for AMD's chips with RADV, which needs no hardware for that, and prints the
registers that each kernel takes and how many of them are spilled to memory.

usage: pipelines_test.py PIPELINES CHIP... [--all] [--report FILE]

CHIP is an architecture of CHIPS below. Those that this release of Mesa does not know are left out with a line that
says so, unless all of them are unknown. With --all they must all be known. --report writes the whole table as Markdown.
Skipped without RADV.
"""
import argparse
import glob
import json
import os
import subprocess
import sys

SKIPPED = 77
# One chip of each generation, under the names that releases of Mesa have for it (RADV_FORCE_FAMILY).
CHIPS = {
    'gfx900': ['vega10'], 'gfx906': ['vega20'], 'gfx908': ['mi100', 'arcturus'], 'gfx90a': ['mi200', 'aldebaran'],
    'gfx1010': ['navi10'], 'gfx1030': ['navi21'], 'gfx1036': ['raphael_mendocino', 'gfx1036'],
    'gfx1100': ['navi31', 'gfx1100'], 'gfx1103': ['phoenix'], 'gfx1150': ['gfx1150'], 'gfx1201': ['gfx1201'],
}
# Spilled vector registers that a kernel may have on any chip. A few cost nothing that can be measured; many mean that
# a kernel has grown too large for one thread.
MAY_SPILL = 16
# Bytes of shared memory that we ask of every device (find_missing in instance.c).
SHARED_LIMIT = 32768


class Wrong(Exception):
    pass


def find_driver():
    """Returns the loader's file of RADV, or None."""
    for path in sorted(glob.glob('/usr/share/vulkan/icd.d/radeon_icd*.json') + glob.glob('/etc/vulkan/icd.d/radeon_icd*.json')):
        with open(path) as file:
            library = json.load(file)['ICD']['library_path']
        if '/' not in library or os.path.exists(os.path.join(os.path.dirname(path), library)):
            return path
    return None


def compile_for(pipelines, driver, name):
    """Returns the program's output for a chip, or None if RADV does not know the name."""
    environment = {**os.environ, 'RADV_FORCE_FAMILY': name, 'VK_DRIVER_FILES': driver, 'VK_ICD_FILENAMES': driver,
                   'MESA_SHADER_CACHE_DISABLE': 'true'}
    run = subprocess.run([pipelines], env=environment, capture_output=True, text=True)
    if run.returncode == SKIPPED or f'Unknown family: {name}' in run.stdout + run.stderr:
        return None
    if run.returncode:
        raise Wrong(f'{name}: exit {run.returncode}: {run.stderr.strip()[-500:]}')
    return run.stdout


def parse(text):
    """Returns the device's description, and each kernel's statistics by name."""
    device, kernels = None, {}
    for line in text.splitlines():
        name, *fields = line.split('\t')
        if name == 'device':
            device = ' '.join(fields)
        elif device:
            kernels[name] = {key: int(value) for key, value in (field.rsplit('=', 1) for field in fields)}
    return device, kernels


def check(chip, device, kernels, expected):
    """Raises unless RADV compiled all kernels for a null device and none spills much."""
    if not device or 'RADV' not in device:
        raise Wrong(f'{chip}: compiled by {device}, not by RADV')
    missing = expected - kernels.keys()
    if missing:
        raise Wrong(f'{chip}: not compiled: {" ".join(sorted(missing))}')
    for name, found in kernels.items():
        if not found.get('VGPRs') or not found.get('Code size'):
            raise Wrong(f'{chip}: no registers and no code are reported for {name}')
        if found['Spilled VGPRs'] > MAY_SPILL:
            raise Wrong(f'{chip}: {name} spills {found["Spilled VGPRs"]} vector registers; {MAY_SPILL} may be')
        if found['LDS size'] > SHARED_LIMIT:
            raise Wrong(f'{chip}: {name} takes {found["LDS size"]} bytes of shared memory; {SHARED_LIMIT} may be')


def must_fail(what, *arguments):
    try:
        check(*arguments)
    except Wrong:
        return
    sys.exit(f'the check does not notice {what}')


def spoil(chip, device, kernels, expected):
    """Spoils a good result in ways that the check must notice."""
    name, found = next(iter(kernels.items()))
    must_fail('a missing kernel', chip, device, {key: value for key, value in kernels.items() if key != name}, expected)
    must_fail('another compiler', chip, 'llvmpipe', kernels, expected)
    for field, value in {'VGPRs': 0, 'Code size': 0, 'Spilled VGPRs': MAY_SPILL + 1, 'LDS size': SHARED_LIMIT + 1}.items():
        must_fail(f'{field} {value}', chip, device, {**kernels, name: {**found, field: value}}, expected)


def cell(found):
    spilled = ''.join(f', {found["Spilled " + kind]} {kind} spilled' for kind in ('VGPRs', 'SGPRs') if found['Spilled ' + kind])
    return f'{found["VGPRs"]}/{found["SGPRs"]}{spilled}'


def write_table(file, results):
    """Writes vector and scalar registers of each kernel on each chip."""
    print('| kernel | ' + ' | '.join(results) + ' |\n| --- |' + ' --- |' * len(results), file=file)
    for name in next(iter(results.values()))[1]:
        print(f'| {name} | ' + ' | '.join(cell(kernels[name]) for _, kernels in results.values()) + ' |', file=file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('pipelines')
    parser.add_argument('chips', nargs='+', choices=CHIPS)
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--report')
    args = parser.parse_args()
    driver = find_driver()
    if not driver:
        print('skipped: RADV is not installed (Debian: mesa-vulkan-drivers)')
        return SKIPPED
    expected = set(subprocess.run([args.pipelines, '--names'], check=True, capture_output=True, text=True).stdout.split())
    if len(expected) < 50:
        raise Wrong(f'only {len(expected)} kernels')
    results = {}
    for chip in args.chips:
        said = next((text for text in (compile_for(args.pipelines, driver, name) for name in CHIPS[chip]) if text), None)
        if said:
            results[chip] = parse(said)
            check(chip, *results[chip], expected)
            spoil(chip, *results[chip], expected)
            continue
        if args.all:
            raise Wrong(f'this Mesa does not know {chip}')
        print(f'{chip}: unknown to this Mesa')
    if not results:
        print('skipped: this Mesa knows none of them')
        return SKIPPED
    for chip, (device, kernels) in results.items():
        spills = {name: found['Spilled VGPRs'] for name, found in kernels.items() if found['Spilled VGPRs']}
        print(f'{chip}: {len(kernels)} kernels by {device}; most registers: {max(found["VGPRs"] for found in kernels.values())}; '
              'spilled: ' + (', '.join(f'{name} {count}' for name, count in spills.items()) or 'none'))
    write_table(sys.stdout, results)
    if args.report:
        with open(args.report, 'w') as file:
            write_table(file, results)
    return 0


try:
    sys.exit(main())
except Wrong as problem:
    sys.exit(str(problem))
