# SPDX-License-Identifier: BSD-2-Clause-Patent
"""symbols_test.py NM KIND LIBRARY LIST...: checks that the library exports exactly the API in the lists.

KIND is `shared` (dynamic symbols) or `static` (global ones).
"""
import subprocess
import sys

nm, kind, library, *lists = sys.argv[1:]
command = [nm, '--defined-only'] + (['-D'] if kind == 'shared' else ['-g']) + [library]
lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
defined = {line.split()[2] for line in lines if len(line.split()) == 3}
expected = {symbol for path in lists for symbol in open(path).read().split()}

extra = sorted(defined - expected)
missing = sorted(expected - defined)
print('not API:', extra, 'missing:', missing)
sys.exit(bool(extra or missing))
