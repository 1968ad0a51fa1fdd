#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The gate between backends for VIF, under the name that the design papers give it.

usage: cross_backend_vif_diff.py [--build FOLDER] [OPTION...]

Runs cross_backend_diff --feature vif with the vmaf and the synthclip of the build folder (default: build, beside scripts)
and with the OPTIONs, which are those of cross_backend_diff: --backends cpu,vulkan, --device WORD, --places N, --ref FILE
--dist FILE, … Its exit status is that of cross_backend_diff.
"""
import os
import sys

here = os.path.dirname(os.path.realpath(__file__))


def main():
    words, build = sys.argv[1:], os.path.join(here, '..', '..', 'build')
    if '-h' in words or '--help' in words:
        print(__doc__.strip())
        return
    if '--build' in words:
        at = words.index('--build')
        if at + 1 == len(words):
            sys.exit('--build needs a folder')
        build = words[at + 1]
        del words[at:at + 2]
    programs = [os.path.join(build, name) for name in ('tools/vmaf', 'test/synth/synthclip')]
    missing = [program for program in programs if not os.access(program, os.X_OK)]
    if missing:
        print(f'there is no {missing[0]}: run `make build` and `ninja -C build test/synth/synthclip`, or give --build FOLDER',
              file=sys.stderr)
        sys.exit(3)
    gate = os.path.join(here, 'cross_backend_diff')
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, gate, *programs, '--feature', 'vif', *words])


main()
