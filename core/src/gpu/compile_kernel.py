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


def spirv(glslc, spirv_val, include, name, out, depfile, source, *defines):
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, name + '.spv')
        run([glslc, '-std=460', '-fshader-stage=compute', '--target-env=vulkan1.1', '-O', '-Werror',
             '-DGPU_GLSL', '-DKERNEL_NAME=' + name, *defines, '-I' + include,
             '-MD', '-MF', depfile, '-MT', out, source, '-o', module])
        if spirv_val != '-':
            run([spirv_val, '--target-env', 'vulkan1.1', module])
        with open(module, 'rb') as file:
            data = file.read()
    words = struct.unpack('<%dI' % (len(data) // 4), data)
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
