#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Turns texts, such as the style and the script of pages, into strings of C, which the header declares.

usage: embed.py OUTPUT.c HEADER NAME=FILE...
"""
import sys

with open(sys.argv[1], 'w', encoding='utf-8') as out:
    out.write(f'#include "{sys.argv[2]}"\n')
    for pair in sys.argv[3:]:
        name, path = pair.split('=', 1)
        out.write(f'const char {name}[] =\n')
        for line in open(path, encoding='utf-8'):
            text = line.rstrip('\n').replace('\\', '\\\\').replace('"', '\\"').replace('?', '\\?')
            out.write(f'    "{text}\\n"\n')
        out.write('    ;\n')
