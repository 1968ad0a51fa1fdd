# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Compiles one kernel of the dialect (gpu/prelude) and embeds it as a C array.

Modes:
  spirv GLSLC SPIRV_VAL|- INCLUDE NAME OUT DEPFILE SOURCE [-D...]   SPIR-V 1.3 words as a C array
  cuda  NVCC INCLUDE NAME=SOURCE[,-D...] ...                        compile check only
"""
import os
import struct
import subprocess
import sys
import tempfile


def run(command):
    status = subprocess.run(command).returncode
    if status:
        sys.exit(status)


def is_precise(words):
    """Whether some operation of a module must be rounded as written (`precise`)."""
    decorate, no_contraction, at = 71, 42, 5
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xffff
        if opcode == decorate and words[at + 2] == no_contraction:
            return True
        at += count
    return False


def read_words(path):
    with open(path, 'rb') as file:
        data = file.read()
    return struct.unpack('<%dI' % (len(data) // 4), data)


def spirv(glslc, spirv_val, include, name, out, depfile, source, *defines):
    """The optimiser forgets `precise` when it unrolls loops, and then reorders what it was to keep: modules
    that have the word are left to the driver, which does not."""
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, name + '.spv')
        for level in ('-O0', '-O'):
            run([glslc, '-std=460', '-fshader-stage=compute', '--target-env=vulkan1.1', level, '-Werror',
                 '-DGPU_GLSL', '-DKERNEL_NAME=' + name, *defines, '-I' + include,
                 '-MD', '-MF', depfile, '-MT', out, source, '-o', module])
            words = read_words(module)
            if is_precise(words):
                break
        if spirv_val != '-':
            run([spirv_val, '--target-env', 'vulkan1.1', module])
    with open(out, 'w') as file:
        file.write('static const uint32_t kernel_%s[] = {\n' % name)
        for i in range(0, len(words), 8):
            file.write('    ' + ' '.join('0x%08x,' % word for word in words[i:i + 8]) + '\n')
        file.write('};\n')


def cuda(nvcc, include, *kernels):
    for kernel in kernels:
        name, arguments = kernel.split('=', 1)
        source, *defines = arguments.split(',')
        print('nvcc', name, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            run([nvcc, '-x', 'cu', '-arch=sm_80', '-fmad=false', '-ptx', '-I' + include,
                 '-DKERNEL_NAME=' + name, *defines, source, '-o', os.path.join(folder, 'out.ptx')])


{'spirv': spirv, 'cuda': cuda}[sys.argv[1]](*sys.argv[2:])
