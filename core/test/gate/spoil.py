# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Copies a source file and replaces one word, which must occur exactly once.

usage: spoil.py IN OUT WORD OTHER
"""
import sys

source, out, word, other = sys.argv[1:5]
with open(source) as file:
    text = file.read()
if text.count(word) != 1:
    sys.exit(f'{source}: {word} occurs {text.count(word)} times, not once')
with open(out, 'w') as file:
    file.write(text.replace(word, other))
