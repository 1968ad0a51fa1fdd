#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Compare xpsnr with all figures of FFmpeg's filter, in ../shared/golden-more/xpsnr beside this
repository. The programs there make the clips and compare.

usage: xpsnr.py VMAF SYNTHCLIP WORKDIR TOP [ARG...]      arguments for the command

Exits with 77 (skipped) without these figures, or without numpy.
"""
import os
import subprocess
import sys

vmaf, synthclip, work, top = (os.path.abspath(p) for p in sys.argv[1:5])
golden = os.path.join(top, '..', 'shared', 'golden-more', 'xpsnr')
if not os.path.isdir(golden) or subprocess.call([sys.executable, '-c', 'import numpy'], stderr=subprocess.DEVNULL):
    sys.exit(77)
os.makedirs(work + '/synth', exist_ok=True)
subprocess.check_call([synthclip, '--all', work + '/synth'])
subprocess.check_call([sys.executable, golden + '/extra_clips.py', synthclip, work + '/extra'], stdout=subprocess.DEVNULL)
sys.exit(subprocess.call([sys.executable, golden + '/check.py', vmaf] + ['--arg=' + arg for arg in sys.argv[5:]],
                         env={**os.environ, 'SYNTH': work, 'EXTRA': work + '/extra'}))
