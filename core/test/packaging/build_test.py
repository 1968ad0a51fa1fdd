#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Builds and installs the library as packagers do, and checks that each option has its effect.

usage: build_test.py SOURCE WORKDIR
"""
import os
import re
import shutil
import subprocess
import sys

from lines import LINES

source, work = (os.path.abspath(p) for p in sys.argv[1:3])
# Build no backends: they take long, and other tests cover them.
FEW = '-Denable_cuda=false -Denable_hip=false -Denable_sycl=false -Denable_vulkan=disabled -Dhost=disabled -Dlibav=disabled'
PROGRAM = '''#include <libvmaf/libvmaf.h>
#include <libvmaf/model.h>
#include <stdio.h>
int main(void)
{
    VmafContext *vmaf;
    VmafModel *model = NULL;
    VmafModelConfig config = { .name = "vmaf" };
    if (vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_NONE }))
        return 1;
    printf("model %d float %d float model %d\\n", !vmaf_model_load(&model, &config, "vmaf_v0.6.1"),
           !vmaf_use_feature(vmaf, "float_vif", NULL), !vmaf_model_load(&model, &config, "vmaf_float_v0.6.1"));
    return vmaf_close(vmaf);
}
'''
problems = []


def check(what, fine, *more):
    if not fine:
        problems.append(f'{what}: {" ".join(str(m) for m in more)}')


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f'{words}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}')
    return done.stdout


def install(name, options):
    """Sets up, builds and installs. Returns the build folder and the folder of the installation."""
    build, prefix = f'{work}/{name}', f'{work}/{name}-installed'
    run('meson', 'setup', build, source, f'--prefix={prefix}', '--libdir=lib', *(options + ' ' + FEW).split())
    run('ninja', '-C', build, 'install')
    return build, prefix


def ask(name, prefix, static):
    """Builds a program with the installed library. Returns what the program prints about it."""
    path = f'{work}/{name}-program'
    with open(path + '.c', 'w') as file:
        file.write(PROGRAM)
    env = {**os.environ, 'PKG_CONFIG_PATH': f'{prefix}/lib/pkgconfig', 'LD_LIBRARY_PATH': f'{prefix}/lib'}
    flags = run('pkg-config', '--cflags', '--libs', *(['--static'] if static else []), 'libvmaf', env=env).split()
    run('cc', '-o', path, path + '.c', *flags)
    return run(path, env=env).strip()


def exists(prefix, path):
    return os.path.exists(f'{prefix}/{path}')


def check_missing_compilers():
    """A backend whose compiler is missing is named, with the reason, in the summary and in what `make` prints."""
    bare = f'{work}/bare'
    os.makedirs(bare)
    for folder in os.get_exec_path():
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            if 'clang' not in name and name != 'glslc' and not os.path.lexists(f'{bare}/{name}'):
                os.symlink(f'{folder}/{name}', f'{bare}/{name}')
    for named, options, said, banner in (
            ('bare-plain', '-Dsycl_compiler=no-such-compiler',
             ('vulkan +: off .needs glslc', 'cuda +: off .needs clang', 'hip +: off .needs clang 19', 'sycl +: off .needs',
              'host +: '), ('VULKAN', 'CUDA', 'HIP')),
            ('bare-few', FEW,
             ('vulkan +: off .-Denable_vulkan=disabled', 'cuda +: off .-Denable_cuda=false', 'hip +: off .-Denable_hip=false',
              'sycl +: off .-Denable_sycl=false', 'host +: off .-Dhost=disabled'), ())):
        text = run('meson', 'setup', f'{work}/{named}', source, '-Denable_tests=false', *options.split(),
                   env={**os.environ, 'PATH': bare, 'CC': 'gcc', 'CXX': 'g++'})
        for line in said:
            check(f'summary of {named}', re.search(f'^ +{line}', text, re.M), line, text[-1500:])
        shown = open(f'{work}/{named}/src/gpu/backend/missing_backends.txt').read()
        check(f'banner of {named}', [word for word in ('VULKAN', 'CUDA', 'HIP', 'SYCL') if f'HAS NO {word} ' in shown] ==
              list(banner) and bool(shown) == bool(banner), shown)


def main():
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)

    # A static library for FFmpeg and no command.
    build, prefix = install('static', LINES['FFmpeg builds'] + ' -Denable_tools=false')
    check('enable_tools=false', not exists(prefix, 'bin'), os.listdir(prefix))
    check('enable_tests=false', not os.path.exists(f'{build}/test'))
    check('enable_docs=false', not exists(prefix, 'share'), os.listdir(prefix))
    check('static', exists(prefix, 'lib/libvmaf.a') and not exists(prefix, 'lib/libvmaf.so'))
    symbols = run('nm', f'{build}/src/libvmaf_core.a')
    check('enable_avx512=true', '_avx512' in symbols)
    # FFmpeg's configure does not pass --static to pkg-config. If there is only the static library,
    # it must work without.
    for static in (True, False):
        found = ask('static', prefix, static)
        check('models and float', found == 'model 1 float 1 float model 1', found)

    # The smallest library: scalar code, integer features and no model.
    build, prefix = install('small', '--default-library=shared -Denable_asm=false -Denable_float=false -Dbuilt_in_models=false')
    check('enable_docs=true', exists(prefix, 'share/doc/libvmaf/docs/usage.md') and exists(prefix, 'share/doc/libvmaf/README.md'))
    check('enable_tools=true', exists(prefix, 'bin/vmaf'))
    symbols = run('nm', f'{build}/src/libvmaf_core.a')
    check('enable_asm=false', not any(name in symbols for name in ('_sse41', '_avx2', '_avx512', '_neon')))
    found = ask('small', prefix, False)
    check('no models, no float', found == 'model 0 float 0 float model 0', found)
    env = {**os.environ, 'LD_LIBRARY_PATH': f'{prefix}/lib'}
    clip = [f'{work}/r.yuv', f'{work}/d.yuv']
    for path in clip:
        with open(path, 'wb') as file:
            file.write(bytes(x * 7 % 256 for x in range(64 * 64 * 3 // 2)))
    words = f'{prefix}/bin/vmaf {clip[0]} {clip[1]} -w 64 -h 64 -p 420 -b 8'.split()
    report = run(*words, *'-n --feature vif --backend cpu --json -o -'.split(), env=env)
    # The extractors of the v1 models need no floating-point extractors.
    features = [word for name in ('adm', 'cambi=enc_width=220:enc_height=220', 'motion', 'speed_chroma', 'speed_temporal')
                for word in ('--feature', name)]
    large = [f'{work}/large_r.yuv', f'{work}/large_d.yuv']
    for path in large:
        with open(path, 'wb') as file:
            file.write(bytes(x * 7 % 256 for x in range(256 * 256 * 3 // 2)))
    found = run(f'{prefix}/bin/vmaf', *large, *'-w 256 -h 256 -p 420 -b 8 -n --json -o -'.split(), *features, env=env)
    check('v1 without float', all(f'"{name}' in found for name in ('speed_chroma', 'speed_temporal', 'cambi', 'integer_adm3')),
          found[-600:])
    check('scalar code runs', '"instruction_set": "scalar"' in report or 'scalar' in report, report[-600:])
    done = subprocess.run(words, env=env, capture_output=True, text=True)
    check('no model', done.returncode == 255 and 'no built-in models' in done.stderr, done)

    check_missing_compilers()

    for problem in problems:
        print(problem)
    print(f'packaging: {len(problems)} problems')
    shutil.rmtree(work, ignore_errors=True)
    sys.exit(1 if problems else 0)


main()
