# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Builds the wheel, installs it without a network in a new virtual environment, and scores with it there. The scores are
those of the command. A second wheel of the same build has the same bytes.

usage: wheel_test.py TREE BUILD VMAF SYNTHCLIP [MESON OPTION]...
"""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile

tree, build, vmaf, synthclip = (os.path.abspath(path) for path in sys.argv[1:5])
# Debian's Python, which finds Debian's numpy.
python = '/usr/bin/python3' if os.path.exists('/usr/bin/python3') else sys.executable
for module, package in ('numpy', 'python3-numpy'), ('ensurepip', 'python3-venv'):
    if subprocess.run([python, '-c', f'import {module}'], capture_output=True, check=False).returncode:
        print(f'skipped: the wheel was not tried: needs {module} (Debian: {package})')
        sys.exit(77)

SCRIPT = '''
import json, sys
import numpy, vmaf_turbo
ref, dist = sys.argv[1:3]
result = vmaf_turbo.score(ref, dist, features='psnr', width=176, height=144, pixel_format=420, bitdepth=8)
with vmaf_turbo.Scorer(features='psnr') as scorer:
    for frames in zip(*(numpy.fromfile(path, 'u1').reshape(-1, 176 * 144 * 3 // 2) for path in (ref, dist))):
        scorer.add(*([f[:25344].reshape(144, 176), f[25344:31680].reshape(72, 88), f[31680:].reshape(72, 88)]
                     for f in frames))
    own = scorer.result()
assert all((own.frames[name] == result.frames[name]).all() for name in result.frames), 'file and frames differ'
print(json.dumps([vmaf_turbo.__file__, {name: list(values) for name, values in result.frames.items()}]))
'''


def run(*words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f'{words}: {done.returncode}\n{done.stdout[-4000:]}')
    return done.stdout


def digest(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()


run(f'{tree}/scripts/wheel', build, f'{build}/dist', *sys.argv[5:])
wheel, = glob.glob(f'{build}/dist/*.whl')
run(f'{tree}/scripts/wheel', build, f'{build}/again', *sys.argv[5:])
if digest(wheel) != digest(f'{build}/again/{os.path.basename(wheel)}'):
    sys.exit('the second wheel has other bytes')
with zipfile.ZipFile(wheel) as archive:
    if archive.testzip() or not {'vmaf_turbo/native/vmaf', 'vmaf_turbo/py.typed'} <= set(archive.namelist()):
        sys.exit(f'{wheel} is not whole')

place = f'{build}/venv'
shutil.rmtree(place, ignore_errors=True)
run(python, '-m', 'venv', '--system-site-packages', place)
plain = {name: value for name, value in os.environ.items() if not name.startswith(('VMAF_', 'PYTHON', 'PIP_'))}
run(f'{place}/bin/pip', 'install', '--no-index', '--no-deps', wheel, env=plain)
ref, dist, report = (f'{build}/{name}' for name in ('ref.yuv', 'dist.yuv', 'report.json'))
run(synthclip, 'mix', '176', '144', '420', '8', '4', ref, dist)
run(vmaf, '-r', ref, '-d', dist, '-w', '176', '-h', '144', '-p', '420', '-b', '8', '-q', '--json', '-o', report, '--precision',
    'max', '--feature', 'psnr')
# Without the tools and libraries of the system in reach.
used, got = json.loads(run(f'{place}/bin/python', '-c', SCRIPT, ref, dist, cwd='/', env={**plain, 'PATH': '/nowhere'}))
if not used.startswith(place):
    sys.exit(f'{used} is not the installed package')
with open(report, encoding='utf-8') as file:
    want = {}
    for frame in json.load(file)['frames']:
        for name, value in frame['metrics'].items():
            want.setdefault(name, []).append(value)
if got != want:
    sys.exit(f'{got}\nwhere the command has\n{want}')
print(f'{os.path.basename(wheel)}: {os.path.getsize(wheel) >> 10} KiB, installs without a network, and has the command\'s scores')
