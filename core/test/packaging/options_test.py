#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that the build accepts the options that packagers give, and the kinds of their values.

usage: options_test.py MESON SOURCE
"""
import json
import subprocess
import sys

from lines import LINES

meson, source = sys.argv[1:3]
KINDS = {'boolean': ('true', 'false')}
failed = 0
known = {option['name']: option for option in json.loads(
    subprocess.run([meson, 'introspect', '--buildoptions', f'{source}/meson.build'], capture_output=True, text=True,
                   check=True).stdout)}
for who, line in LINES.items():
    for word in line.split():
        name, value = word.lstrip('-').removeprefix('D').split('=')
        option = known.get(name.replace('-', '_'))
        allowed = option and (option.get('choices') or KINDS.get(option['type']) or (value,))
        if not option or value not in allowed:
            failed += 1
            print(f'{who}: {word} is not accepted; {option}')
sys.exit(1 if failed else 0)
