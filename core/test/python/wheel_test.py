# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Installs the wheel without a network in a new virtual environment, and scores with it there, where no tools and no
libraries of the system's FFmpeg are in reach. The scores are those of the command.

usage: wheel_test.py WHEEL WORKDIR VMAF SYNTHCLIP
"""
import json
import os
import shutil
import subprocess
import sys
import zipfile

wheel, work, vmaf, synthclip = (os.path.abspath(path) for path in sys.argv[1:5])
# Debian's Python, which finds Debian's numpy.
python = '/usr/bin/python3' if os.path.exists('/usr/bin/python3') else sys.executable
# No network, and an empty file in the place of each of FFmpeg's libraries.
ALONE = ['unshare', '--net', '--mount', 'sh', '-c', 'for library in $(ldconfig -p | sed -n "s/^[[:space:]]*lib\\(av\\|sw\\)[a-z]*[.]so.* => //p"); '
         'do mount --bind /dev/null "$library" || exit 1; done; exec "$@"', 'sh']

SCRIPT = '''
import ctypes, json, sys
import numpy, vmaf_turbo
for number in range(57, 65):
    try:
        ctypes.CDLL(f'libavformat.so.{number}')
        sys.exit(f"the system's libavformat.so.{number} is in reach")
    except OSError:
        pass
ref, dist, raw_ref, raw_dist = sys.argv[1:5]
result = vmaf_turbo.score(raw_ref, raw_dist, features='psnr', width=176, height=144, pixel_format=420, bitdepth=8)
with vmaf_turbo.Scorer(features='psnr') as scorer:
    for frames in zip(*(numpy.fromfile(path, 'u1').reshape(-1, 176 * 144 * 3 // 2) for path in (raw_ref, raw_dist))):
        scorer.add(*([f[:25344].reshape(144, 176), f[25344:31680].reshape(72, 88), f[31680:].reshape(72, 88)]
                     for f in frames))
    own = scorer.result()
assert all((own.frames[name] == result.frames[name]).all() for name in result.frames), 'file and frames differ'
videos = vmaf_turbo.score(ref, dist, features='psnr')
print(json.dumps([vmaf_turbo.__file__, *({name: list(values) for name, values in one.frames.items()} for one in (result, videos))]))
'''


def skip(why):
    print(f'skipped: the wheel was not tried: {why}')
    sys.exit(77)


def run(*words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f'{words}: {done.returncode}\n{done.stdout[-4000:]}')
    return done.stdout


def wanted(*words):
    """The scores of the command, by metric."""
    run(vmaf, *words, '-q', '--json', '-o', f'{work}/report.json', '--precision', 'max', '--feature', 'psnr')
    found = {}
    with open(f'{work}/report.json', encoding='utf-8') as file:
        for frame in json.load(file)['frames']:
            for name, value in frame['metrics'].items():
                found.setdefault(name, []).append(value)
    return found


def main():
    for module, package in ('numpy', 'python3-numpy'), ('ensurepip', 'python3-venv'):
        if subprocess.run([python, '-c', f'import {module}'], capture_output=True, check=False).returncode:
            skip(f'needs {module} (Debian: {package})')
    if os.getuid() or subprocess.run(['unshare', '--net', '--mount', 'true'], capture_output=True, check=False).returncode:
        skip('needs root and the right to mount')
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    ref, dist, raw_ref, raw_dist = (f'{work}/{name}' for name in ('ref.mp4', 'dist.mp4', 'ref.yuv', 'dist.yuv'))
    source = ['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=1']
    for crf, path in (4, ref), (38, dist):
        if not shutil.which('ffmpeg') or subprocess.run([*source, '-c:v', 'libx264', '-crf', str(crf), path], check=False).returncode:
            skip('needs ffmpeg with libx264')
    run(synthclip, 'mix', '176', '144', '420', '8', '4', raw_ref, raw_dist)

    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        if archive.testzip() or not {'vmaf_turbo/native/lib/libvmaf.so.3', 'vmaf_turbo/py.typed'} <= names:
            sys.exit(f'{wheel} is not whole')
        if not any(name.endswith('/licenses/LGPL-2.1.txt') for name in names):
            sys.exit(f'{wheel} has no licence of FFmpeg')
    plain = {name: value for name, value in os.environ.items() if not name.startswith(('VMAF_', 'PYTHON', 'PIP_'))}
    place = f'{work}/a venv'
    run(python, '-m', 'venv', '--system-site-packages', place)
    run(*ALONE, f'{place}/bin/python', '-m', 'pip', 'install', '--no-index', '--no-deps', wheel, env=plain)
    out = run(*ALONE, 'env', 'PATH=/nowhere', f'{place}/bin/python', '-c', SCRIPT, ref, dist, raw_ref, raw_dist, cwd='/', env=plain)
    used, raw, videos = json.loads(out)
    if not used.startswith(place):
        sys.exit(f'{used} is not the installed package')
    for got, want in ((raw, wanted('-r', raw_ref, '-d', raw_dist, '-w', '176', '-h', '144', '-p', '420', '-b', '8')),
                      (videos, wanted(ref, dist))):
        if got != want:
            sys.exit(f'{got}\nwhere the command has\n{want}')
    print(f'{os.path.basename(wheel)}: {os.path.getsize(wheel) >> 10} KiB, installs without a network, and has the command\'s scores')
    shutil.rmtree(work)


if __name__ == '__main__':
    main()
