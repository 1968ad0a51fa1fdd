#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Turns texts, such as the style and the script of pages, into arrays of C, which the header declares.

usage: embed.py OUTPUT.c HEADER NAME=FILE...
"""
import sys

def constant(byte):
    return str(byte) if byte < 128 else f"'\\x{byte:02x}'"


# As characters, not as a string: standard C has no strings as long as these.
with open(sys.argv[1], 'w', encoding='utf-8') as out:
    out.write(f'#include "{sys.argv[2]}"\n')
    for pair in sys.argv[3:]:
        name, path = pair.split('=', 1)
        out.write(f'const char {name}[] = {{\n')
        for line in open(path, 'rb'):
            out.write(f'    {", ".join(constant(byte) for byte in line)},\n')
        out.write('    0,\n};\n')
