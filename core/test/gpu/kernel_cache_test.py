# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that kernels from the kernel cache have the same bytes as compiled ones, and never belong
to another source or command.

usage: kernel_cache_test.py COMPILE_KERNEL INCLUDE SOURCE CLANG CC
"""
import os
import subprocess
import sys
import tempfile

script, include, source, clang = (os.path.abspath(path) for path in sys.argv[1:5])
cc = sys.argv[5]
problems = []


def compile_ptx(folder, text, cache, *defines):
    """Compiles a kernel. Returns the image file, the files that it depends on, and the number of
    images in the cache."""
    out, depfile = os.path.join(folder, 'out.h'), os.path.join(folder, 'out.d')
    environment = {name: value for name, value in os.environ.items() if name != 'VMAF_KERNEL_CACHE'}
    if cache:
        environment['VMAF_KERNEL_CACHE'] = cache
    subprocess.run([sys.executable, script, 'ptx', cc, clang, include, 'psnr_sse_8', out, depfile, text, '-DKERNEL_psnr_sse',
                    *defines], check=True, env=environment)
    with open(out) as file, open(depfile) as depends:
        return file.read(), depends.read().split(), len(os.listdir(cache)) if cache else 0


def check(what, fine):
    if not fine:
        problems.append(what)


with tempfile.TemporaryDirectory() as folder:
    cache = os.path.join(folder, 'cache')
    plain = compile_ptx(folder, source, None, '-DHBD=0')
    first = compile_ptx(folder, source, cache, '-DHBD=0')
    again = compile_ptx(folder, source, cache, '-DHBD=0')
    check('the cache changes the image', plain[0] == first[0] == again[0])
    check('the cache changes the dependencies', sorted(plain[1]) == sorted(first[1]) == sorted(again[1]))
    check('the cache does not hold exactly one copy of the image', first[2] == again[2] == 1)
    for name in os.listdir(cache):
        with open(os.path.join(cache, name), 'a') as file:
            file.write('.kept\n')
    check('the image in the cache is not used', '.kept' in compile_ptx(folder, source, cache, '-DHBD=0')[0])
    check('the image in the cache is used although the defines differ', '.kept' not in compile_ptx(folder, source, cache, '-DHBD=1')[0])
    with open(source) as file:
        text = file.read()
    # A copy of the source in another folder with the same include folder.
    moved = os.path.join(folder, 'moved.kernel.h')
    with open(moved, 'w') as file:
        file.write(text)
    check('the image in the cache is not used for a copy of the source in another folder', '.kept' in compile_ptx(folder, moved, cache, '-DHBD=0')[0])
    with open(moved, 'w') as file:
        file.write(text + '\nextern int more;\n')
    check('the image in the cache is used although the source differs', '.kept' not in compile_ptx(folder, moved, cache, '-DHBD=0')[0])
    spaced = os.path.join(folder, 'two words')
    os.mkdir(spaced)
    with open(os.path.join(spaced, 'moved.kernel.h'), 'w') as file:
        file.write(text)
    compile_ptx(folder, os.path.join(spaced, 'moved.kernel.h'), None, '-DHBD=0')
    with open(os.path.join(folder, 'out.d')) as file:
        check('a space in a path is not escaped', ' ' + spaced.replace(' ', '\\ ') + '/moved.kernel.h' in file.read())

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
