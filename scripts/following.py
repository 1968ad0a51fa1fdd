#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Compares an installed libvmaf with ours and prints what it has that ours lacks or has otherwise.

usage: following.py PREFIX [--ours BUILD]

PREFIX is where libvmaf is installed (/usr/local): its headers, its library and its vmaf command are compared, each if it
is there. BUILD is our build folder (build). Compared are the declarations of the public headers (functions, values of
enums, fields of structs), the exported functions, the options of the command, and the names of built-in models.
Exit status: 0 nothing is new, 1 something is, 2 nothing could be compared, also if PREFIX holds vmaf-turbo itself.
"""
import argparse
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def without_comments(text):
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'//[^\n]*', ' ', text)
    return re.sub(r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', ' ', text, flags=re.M)


def fields(body):
    """Returns the names of a struct's fields, in order."""
    body = re.sub(r'\(\s*\*\s*(\w+)\s*\)\s*\([^)]*\)', r' \1', body)  # pointers to functions
    return re.findall(r'(\w+)\s*(?:\[[^\]]*\]\s*)*[;,]', body)


def constants(body):
    """Yields the names of an enum with their values, as far as the text tells them."""
    value = 0
    for entry in body.split(','):
        name, given = (entry.split('=') + [''])[:2]
        if not name.strip():
            continue
        try:
            value = int(given, 0) if given.strip() else value
        except ValueError:
            value = None
        yield name.strip(), given.strip() if value is None else value
        value = None if value is None else value + 1


def declarations(folder, instead=None):
    """Returns what the headers of a folder declare: {name: text}. `instead`: a file to read for that of its name."""
    found = {}
    for path in sorted(glob.glob(f'{folder}/*.h')):
        if instead and os.path.basename(path) == os.path.basename(instead):
            path = instead
        with open(path, encoding='utf-8', errors='replace') as file:
            text = without_comments(file.read())
        for body in re.findall(r'\benum\s*\w*\s*\{([^}]*)\}', text):
            found.update((f'enum value {name}', str(value)) for name, value in constants(body))
        for tag, body in re.findall(r'\bstruct\s+(\w+)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}', text):
            found[f'struct {tag}'] = ' '.join(fields(body))
        for name, words in re.findall(r'\b(vmaf_\w+)\s*\(([^;{]*)\)\s*;', text):
            types = [re.sub(r'\s*\b\w+$', '', ' '.join(word.replace('*', ' * ').split())) if ' ' in word.strip() else word
                     for word in words.split(',')]
            found[f'function {name}'] = ', '.join(type_.replace('enum ', '').replace('struct ', '').strip() for type_ in types)
    return found


def exported(library):
    """Returns the functions of the API that a library exports."""
    listed = subprocess.run(['nm', '-D', '--defined-only', library], capture_output=True, text=True, check=False)
    names = [line.split()[-1] for line in listed.stdout.splitlines() if line.split()[1:2] == ['T']]
    return {name.split('@')[0] for name in names if name.startswith('vmaf_')}


def is_ours(library):
    with open(library, 'rb') as file:
        return b'vmaf-turbo' in file.read()


def models(library):
    with open(library, 'rb') as file:
        return {name.decode() for name in re.findall(rb'\bvmaf_(?:4k_|float_|b_)*v\d+\.\d+\.\d+(?:_?[a-z0-9]+)*\b', file.read())}


def options(command):
    done = subprocess.run([command, '--help'], capture_output=True, text=True, check=False)
    return {word.replace('-', '_') for word in re.findall(r'--([a-z][a-z0-9_-]+)', done.stdout + done.stderr)}


def first(*patterns):
    return next((path for pattern in patterns for path in sorted(glob.glob(pattern)) if os.path.exists(path)), None)


def new(theirs, ours, kind):
    return [f'{kind} {name}' for name in sorted(theirs - ours)]


def header_changes(theirs, ours):
    for name in sorted(theirs):
        if name not in ours:
            yield f'{name}: {theirs[name]}' if theirs[name] else name
        elif name.startswith('enum value') and theirs[name] != ours[name]:
            yield f'{name} is {theirs[name]}, ours {ours[name]}'
        elif name.startswith('struct') and theirs[name] != ours[name]:
            yield f'{name} has the fields {theirs[name]}; ours {ours[name]}'
        elif name.startswith('function') and theirs[name].count(',') != ours[name].count(','):
            yield f'{name} takes ({theirs[name]}), ours ({ours[name]})'


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][len('usage: '):])
    parser.add_argument('prefix')
    parser.add_argument('--ours', default=f'{HERE}/build')
    args = parser.parse_args()
    compared, found = [], []
    library = first(*(f'{args.prefix}/{lib}/libvmaf.so' for lib in ('lib', 'lib64', 'lib/*-linux-gnu', 'src')))
    headers = first(f'{args.prefix}/include/libvmaf', f'{args.prefix}/include')
    if headers and glob.glob(f'{headers}/*.h'):
        compared.append(headers)
        found += header_changes(declarations(headers),
                                declarations(f'{HERE}/core/include/libvmaf', first(f'{args.ours}/src/picture.h')))
    ours = first(f'{args.ours}/src/libvmaf.so')
    if library and is_ours(library):
        print(f'{library} is vmaf-turbo, which replaces libvmaf: install libvmaf in a folder of its own', file=sys.stderr)
        return 2
    if library and ours:
        compared.append(library)
        # Their library exports internals, too: only functions that a header declares are API.
        declared = {name.split()[1] for name in declarations(headers)} if headers else exported(library)
        found += new(exported(library) & declared, exported(ours), 'exported function')
        found += new(models(library), models(ours), 'model')
    command, our_command = first(f'{args.prefix}/bin/vmaf', f'{args.prefix}/tools/vmaf'), first(f'{args.ours}/tools/vmaf')
    if command and our_command:
        compared.append(command)
        found += new(options(command), options(our_command), 'option')
    if not compared:
        print(f'{args.prefix} has no headers, no library and no vmaf command that could be compared', file=sys.stderr)
        return 2
    for line in found:
        print(line)
    print(f'compared: {", ".join(compared)}; {len(found) or "nothing"} new')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
