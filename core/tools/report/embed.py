#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Turns the style and the script of pages into strings of C.

usage: embed.py OUTPUT.c NAME=FILE...
"""
import sys

with open(sys.argv[1], 'w', encoding='utf-8') as out:
    out.write('#include "report/made.h"\n')
    for pair in sys.argv[2:]:
        name, path = pair.split('=', 1)
        out.write(f'const char {name}[] =\n')
        for line in open(path, encoding='utf-8'):
            text = line.rstrip('\n').replace('\\', '\\\\').replace('"', '\\"').replace('?', '\\?')
            out.write(f'    "{text}\\n"\n')
        out.write('    ;\n')
