# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Kernels from the kernel cache are the same bytes as compiled ones, and never those of another source or command.

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
    """The header that is made of it, the files it hangs on, and how many images were kept."""
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
    check('the cache changes what it hangs on', sorted(plain[1]) == sorted(first[1]) == sorted(again[1]))
    check('the same image is kept twice, or not at all', first[2] == again[2] == 1)
    for name in os.listdir(cache):
        with open(os.path.join(cache, name), 'a') as file:
            file.write('// kept\n')
    check('the kept image is not used', '// kept' in compile_ptx(folder, source, cache, '-DHBD=0')[0])
    check('other words, the kept image', '// kept' not in compile_ptx(folder, source, cache, '-DHBD=1')[0])
    with open(source) as file:
        text = file.read()
    # Beside the source in another tree: what it includes is found there.
    moved = os.path.join(folder, 'moved.kernel.h')
    with open(moved, 'w') as file:
        file.write(text)
    check('another place, another image', '// kept' in compile_ptx(folder, moved, cache, '-DHBD=0')[0])
    with open(moved, 'w') as file:
        file.write(text + '\nextern int more;\n')
    check('another text, the kept image', '// kept' not in compile_ptx(folder, moved, cache, '-DHBD=0')[0])

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
