# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Helpers for the tests of vmaf-shard: clips, reports of single runs, and comparing reports."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from inputs import Inputs  # noqa: E402


def make_clips(synthclip, frames=26):
    """Makes ref.y4m, dist.y4m and an unrelated other.y4m in the current folder."""
    to = Inputs(synthclip, '.')
    reference, distorted = to.clip('mix', '64', '64', '420', '8', str(frames))
    to.y4m('ref.y4m', reference)
    to.y4m('dist.y4m', distorted)
    to.y4m('other.y4m', bytes(reversed(distorted)))


def single(vmaf, report, *words, output=()):
    """Scores in a single run and keeps the report as one-PATH, though its options name PATH."""
    subprocess.run([vmaf, '-r', 'ref.y4m', '-d', 'dist.y4m', *words, '-o', report, *output], check=True,
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    os.rename(report, f'one-{report}')


def is_single(report):
    return os.path.exists(report) and bytes_of(report) == bytes_of(f'one-{report}')


def bytes_of(path):
    """Returns a report without its speed."""
    with open(path, 'rb') as file:
        return re.sub(rb'"(fps|elapsed|threads)": [0-9.]+|fps="[0-9.]+"', b'', file.read())
