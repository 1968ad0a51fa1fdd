#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Write figures/ssimulacra2.txt and figures/stills.txt from the figures that the executable specification gave, which are
beside this repository (../shared/golden-more/ssimulacra2).

usage: make_ssimulacra2.py TOP
"""
import glob
import json
import os
import sys

top = os.path.abspath(sys.argv[1])
shared = os.path.join(top, '..', 'shared')
manifest = json.load(open(shared + '/clips/clips.json'))


def block(path):
    """Return the text of a case; empty for videos that are not generated, and for still pictures."""
    with open(path) as file:
        case = json.load(file)
    if 'clip' not in case or manifest[case['clip']]['ref'].startswith('real/'):
        return ''
    lines = [f'clip {case["clip"]}', f'args --feature {case["features"][0]} --no_prediction']
    lines += [' '.join([name] + ['%.17g' % frame[name] for frame in case['frames']]) for name in case['frames'][0]]
    return '\n'.join(lines) + '\n'


blocks = [block(path) for path in sorted(glob.glob(shared + '/golden-more/ssimulacra2/*--*.json'))]
with open(os.path.join(top, 'core', 'test', 'golden', 'figures', 'ssimulacra2.txt'), 'w') as file:
    file.write('\n'.join(text for text in blocks if text))


def still(path):
    """Return a line for a generated pair of RGB stills: its kind and shape, the beginnings of both hashes, the score."""
    with open(path) as file:
        case = json.load(file)
    if isinstance(case['definition'][1], int) and len(case['definition']) == 4:
        return ' '.join([*map(str, case['definition']), *(case['sha256'][side][:16] for side in ('ref', 'dist')),
                         repr(case['frames'][0]['ssimulacra2'])]) + '\n'
    return ''


with open(os.path.join(top, 'core', 'test', 'golden', 'figures', 'stills.txt'), 'w') as file:
    file.write(''.join(still(path) for path in sorted(glob.glob(shared + '/golden-more/ssimulacra2/rgb--*.json'))))
