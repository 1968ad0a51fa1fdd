#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Writes text files, such as the style and the script of HTML pages, as C arrays.

HEADER declares the arrays.

usage: embed.py OUTPUT.c HEADER NAME=FILE...
"""
import sys

def constant(byte):
    return str(byte) if byte < 128 else f"'\\x{byte:02x}'"


# Single characters instead of a string literal: standard C limits the length of literals.
with open(sys.argv[1], 'w', encoding='utf-8') as out:
    out.write(f'#include "{sys.argv[2]}"\n')
    for pair in sys.argv[3:]:
        name, path = pair.split('=', 1)
        out.write(f'const char {name}[] = {{\n')
        for line in open(path, 'rb'):
            out.write(f'    {", ".join(constant(byte) for byte in line)},\n')
        out.write('    0,\n};\n')
