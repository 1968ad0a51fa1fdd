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


def forbid_contraction(words):
    """Decorates every float operation as NoContraction: the optimiser forgets to when it unrolls loops,
    and then drivers may simplify what `precise` was to keep."""
    decorate, member_decorate, no_contraction = 71, 72, 42
    float_operations = (127, 129, 131, 133, 136)  # negate, add, subtract, multiply, divide
    targets, done, end, at = [], set(), 5, 5
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xffff
        if opcode in (decorate, member_decorate):
            end = at + count
            if opcode == decorate and words[at + 2] == no_contraction:
                done.add(words[at + 1])
        elif opcode in float_operations:
            targets.append(words[at + 2])
        at += count
    added = [word for target in targets if target not in done
             for word in (3 << 16 | decorate, target, no_contraction)]
    return words[:end] + added + words[end:]


def spirv(glslc, spirv_val, include, name, out, depfile, source, *defines):
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, name + '.spv')
        run([glslc, '-std=460', '-fshader-stage=compute', '--target-env=vulkan1.1', '-O', '-Werror',
             '-DGPU_GLSL', '-DKERNEL_NAME=' + name, *defines, '-I' + include,
             '-MD', '-MF', depfile, '-MT', out, source, '-o', module])
        with open(module, 'rb') as file:
            data = file.read()
        words = forbid_contraction(list(struct.unpack('<%dI' % (len(data) // 4), data)))
        with open(module, 'wb') as file:
            file.write(struct.pack('<%dI' % len(words), *words))
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
