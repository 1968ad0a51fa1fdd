# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Compile kernels of the dialect (gpu/prelude) and embed them as C arrays or strings, or write SYCL sources of them.

Modes:
  info  INCLUDE OUT DEPFILE NAME=SOURCE[,-D...] ... -- CC...       the table of each kernel's needs
  spirv CC GLSLC SPIRV_VAL|- INCLUDE NAME OUT DEPFILE SOURCE [-D...]   SPIR-V 1.3 words as a C array
  ptx   CC CLANG INCLUDE NAME OUT DEPFILE SOURCE [-D...]               PTX for CUDA as a C string
  hip   CC CLANG ARCHS INCLUDE NAME OUT DEPFILE SOURCE [-D...]         a bundle of AMD code objects as a C array,
                                                                       and the source for hiprtc as a C string
  probe ptx|hip CLANG ARCHS|-                                       test whether that clang can do it; the exit status tells
  sycl  INCLUDE BUILD_C TABLE_CPP CPP,... DEPFILE NAME=SOURCE[,-D...] ... -- CC...   sources of the SYCL plugin

ARCHS are AMD's names, comma-separated: gfx90a,gfx1030. CC, the C compiler, preprocesses in a fraction of the time that
the others take to start; it is one word, in which spaces separate arguments.

With VMAF_KERNEL_CACHE=FOLDER in the environment, the compilers' output is kept there for the next build folder.
"""
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile


def run(command):
    status = subprocess.run(command).returncode
    if status:
        sys.exit(status)


def compiler_flags(command):
    """Return the arguments that affect the output. Include folders do not: the text read from them is in the key."""
    return [word for word in command[1:] if not word.startswith('-I')]


def compiled(command, source, text, module):
    """Write the compiled source to `module`, from the cache if the same preprocessed text was compiled before."""
    cache = os.environ.get('VMAF_KERNEL_CACHE')
    if not cache:
        run([*command, source, '-o', module])
        return
    compiler = os.path.realpath(shutil.which(command[0]))
    about = os.stat(compiler)
    key = hashlib.sha256(repr((compiler, about.st_size, about.st_mtime_ns, compiler_flags(command))).encode())
    # Comments are gone by now; the blank lines that they leave must not count either.
    key.update(' '.join(text.split()).encode())
    kept = os.path.join(cache, key.hexdigest())
    try:
        shutil.copyfile(kept, module)
    except FileNotFoundError:
        run([*command, source, '-o', module])
        os.makedirs(cache, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            shutil.copyfile(module, os.path.join(folder, 'new'))
            os.replace(os.path.join(folder, 'new'), kept)


def preprocess(cc, include, source, defines, language='c'):
    """Return the preprocessed text, with the preprocessor's line markers, and the files that it came from."""
    text = subprocess.run([*cc, '-E', '-x', language, '-I' + include, *defines, source], stdout=subprocess.PIPE, text=True)
    if text.returncode:
        sys.exit(text.returncode)
    return text.stdout, set(re.findall(r'^# \d+ "([^"<]+)"', text.stdout, re.M))


def preprocess_image(cc, include, out, depfile, source, defines, language, files=()):
    """Return the preprocessed text without line markers, and write the depfile of `out`, which also depends on `files`."""
    text, used = preprocess(cc.split(), include, source, defines, language)
    write_depfile(depfile, out, used.union(files))
    return re.sub(r'^# \d+ ".*$', '', text, flags=re.M)


def write_depfile(depfile, out, files):
    with open(depfile, 'w') as file:
        file.write('%s: %s\n' % (out, ' '.join(sorted(files))))


def is_precise(words):
    """Return whether a module has an operation that must be rounded as written (`precise`)."""
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


def spirv(cc, glslc, spirv_val, include, name, out, depfile, source, *defines):
    """Compile a kernel to SPIR-V. The optimiser drops `precise` when it unrolls loops, and then reorders operations. So
    modules with `precise` are not optimised here; the driver optimises them correctly."""
    defines = ['-DGPU_GLSL', '-DKERNEL_NAME=' + name, *defines]
    # The preprocessor leaves unknown directives alone in assembly; GLSL has some.
    text = preprocess_image(cc, include, out, depfile, source, defines, 'assembler-with-cpp')
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, name + '.spv')
        # Without the word in the text no operation is precise.
        for level in ('-O0', '-O') if re.search(r'\bprecise\b', text) else ('-O',):
            compiled([glslc, '-std=460', '-fshader-stage=compute', '--target-env=vulkan1.1', level, '-Werror', *defines,
                      '-I' + include], source, text, module)
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


# Floats are rounded as written. clang must not find a CUDA kit: with one, newer clangs choose a PTX version that older
# drivers refuse. The windows of some kernels must be unrolled completely to stay in registers.
CLANG = ['-std=c++17', '--cuda-device-only', '-O3', '-ffp-contract=off', '-mllvm', '-unroll-threshold=3000']
PTX = [*CLANG, '-x', 'cuda', '--cuda-gpu-arch=sm_52', '--cuda-path=/nonexistent', '-nocudainc', '-nocudalib', '-S']
# Version 4 is the newest code object version that the runtimes of 2022 load.
HIP = [*CLANG, '-x', 'hip', '-nogpuinc', '-nogpulib', '--no-gpu-bundle-output', '-mcode-object-version=4']
BARE = 'gpu/prelude/bare.h'


def c_string(name, text):
    escaped = text.replace('\\', '\\\\').replace('"', '\\"')
    lines = ''.join('    "%s\\n"\n' % line for line in escaped.splitlines())
    return 'static const char %s[] =\n%s;\n' % (name, lines.rstrip('\n'))


def c_words(name, data):
    words = struct.unpack('<%dQ' % (len(data) // 8), data)
    lines = ''.join('    ' + ' '.join('0x%x,' % word for word in words[i:i + 6]) + '\n' for i in range(0, len(words), 6))
    return 'static const uint64_t %s[] = {\n%s};\n' % (name, lines)


def read_bare(include):
    with open(os.path.join(include, BARE)) as file:
        return file.read()


def ptx(cc, clang, include, name, out, depfile, source, *defines):
    defines = ['-DKERNEL_NAME=' + name, *defines]
    text = preprocess_image(cc, include, out, depfile, source, defines, 'c++', [os.path.join(include, BARE)])
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, name + '.ptx')
        compiled([clang, *PTX, '-I' + include, '-include', BARE, *defines], source, read_bare(include) + text, module)
        with open(module) as file:
            text = file.read()
    with open(out, 'w') as file:
        file.write(c_string('ptx_' + name, text))


def bundle(objects):
    """Return a bundle for hipModuleLoadData: a table of targets, then an object for each. The first, the host's, is empty."""
    entries = [('host-x86_64-unknown-linux--', b'')]
    entries += [('hipv4-amdgcn-amd-amdhsa--' + arch, data) for arch, data in objects]

    def aligned(size):
        return (size + 63) & ~63

    at = aligned(32 + sum(24 + len(target) for target, _ in entries))
    table, body = b'__CLANG_OFFLOAD_BUNDLE__' + struct.pack('<Q', len(entries)), b''
    for target, data in entries:
        table += struct.pack('<3Q', at + len(body), len(data), len(target)) + target.encode()
        body += data.ljust(aligned(len(data)), b'\0')
    return table.ljust(at, b'\0') + body


def hip(cc, clang, archs, include, name, out, depfile, source, *defines):
    defines = ['-DGPU_HIP', '-DKERNEL_NAME=' + name, *defines]
    text = preprocess_image(cc, include, out, depfile, source, defines, 'c++', [os.path.join(include, BARE)])
    objects = []
    with tempfile.TemporaryDirectory() as folder:
        for arch in archs.split(','):
            code = os.path.join(folder, arch)
            compiled([clang, *HIP, '--offload-arch=' + arch, '-I' + include, '-include', BARE, *defines], source,
                     read_bare(include) + text, code)
            with open(code, 'rb') as file:
                objects.append((arch, file.read()))
    preprocessed = '#pragma clang fp contract(off)\n' + re.sub(r'\n\s*\n', '\n', text.lstrip())
    with open(out, 'w') as file:
        file.write(c_words('hip_' + name, bundle(objects)))
        file.write(c_string('hip_source_' + name, preprocessed))


def probe(kind, clang, archs):
    """Compile a small kernel that needs what all kernels need: the target, and for AMD its linker."""
    tries = [PTX] if kind == 'ptx' else [[*HIP, '--offload-arch=' + arch] for arch in archs.split(',')]
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'probe.cu')
        with open(source, 'w') as file:
            file.write('extern "C" __attribute__((global)) void probe(int *out) { *out = 1; }\n')
        for arguments in tries:
            run([clang, *arguments, source, '-o', os.path.join(folder, 'out')])


def split_kernel(kernel):
    """Split NAME=SOURCE[,-D...]."""
    name, arguments = kernel.split('=', 1)
    source, *defines = arguments.split(',')
    return name, source, defines




def info(include, out, depfile, *arguments):
    """Write the table of kernels: each one's needs, read from its source as preprocessed with GPU_INFO."""
    split = arguments.index('--')
    kernels, cc = arguments[:split], arguments[split + 1:]
    lines, used = [], set()
    for kernel in kernels:
        name, source, defines = split_kernel(kernel)
        text, files = preprocess(cc, include, source, ['-DGPU_INFO', *defines])
        used |= files
        without_lines = re.sub(r'^#.*$', '', text, flags=re.M)
        found = re.findall(r'KERNEL_INFO\[([^;\]]*);([^;\]]*);([^;\]]*);([^;\]]*)\]', without_lines)
        if len(found) != 1:
            sys.exit('%s: %d kernels in %s with %s' % (name, len(found), source, ' '.join(defines)))
        across, down, buffers, params = (eval(re.sub(r'(\d)[uU]', r'\1', ' '.join(f.split()))) for f in found[0])
        lines.append('    { "%s", { %d, %d }, %d, %d },\n' % (name, across, down, buffers, params))
    with open(out, 'w') as file:
        file.write('/* Generated by the build from the kernel sources. */\n#include "gpu/kernels.h"\n\n'
                   'const KernelInfo kernel_infos[] = {\n%s    { .name = NULL },\n};\n' % ''.join(lines))
    write_depfile(depfile, out, used)


def digest(include, kernels, files):
    """Return a hash of the sources that is the same on every machine."""
    h = hashlib.sha256()
    for kernel in kernels:
        name, source, defines = split_kernel(kernel)
        h.update(' '.join([name, *defines]).encode() + b'\0')
    for path in sorted(files, key=lambda path: os.path.relpath(path, include)):
        with open(path, 'rb') as file:
            h.update(os.path.relpath(path, include).encode() + b'\0' + file.read() + b'\0')
    return h.hexdigest()[:16]


def sycl(include, build_c, table_cpp, cpps, depfile, *arguments):
    """Write the sources of the SYCL plugin. Each file holds several kernels, since most of the compile time is spent on
    SYCL's headers. Each kernel is preprocessed by itself, so that its macros do not affect the next. The library and the
    plugin get the same hash of the sources, by which they recognise each other."""
    split = arguments.index('--')
    kernels, cc = arguments[:split], arguments[split + 1:]
    cpps = cpps.split(',')
    bodies = ['// Generated by the build from the kernel sources.\n#include "gpu/backend/sycl/plugin/kernel.h"\n' for cpp in cpps]
    plugin = os.path.join(include, 'gpu', 'backend', 'sycl', 'plugin')
    declarations, entries = '', ''
    used = {os.path.join(plugin, name) for name in os.listdir(plugin)}
    for i, kernel in enumerate(kernels):
        name, source, defines = split_kernel(kernel)
        text, files = preprocess(cc, include, source, ['-DGPU_SYCL', '-DKERNEL_NAME=' + name, *defines])
        used |= files
        bodies[i % len(cpps)] += 'namespace kernel_%s {\n%s\n}\n' % (name, text)
        declarations += 'namespace kernel_%s {\nextern const SyclKernel kernel;\n}\n' % name
        entries += '    &kernel_%s::kernel,\n' % name
    build = digest(include, kernels, {path for path in used if os.path.isfile(path)})
    for cpp, body in zip(cpps, bodies):
        with open(cpp, 'w') as file:
            file.write(body)
    with open(table_cpp, 'w') as file:
        file.write('// Generated by the build.\n#include "gpu/backend/sycl/plugin/kernel.h"\n\n%s\n'
                   'const SyclKernel *const sycl_kernels[] = {\n%s    nullptr,\n};\n'
                   'const char *const sycl_kernels_build = "%s";\n' % (declarations, entries, build))
    with open(build_c, 'w') as file:
        file.write('/* Generated by the build. */\n#include "gpu/backend/sycl/loader.h"\n\n'
                   'const char *const sycl_build = "%s";\n' % build)
    write_depfile(depfile, build_c, used)


if __name__ == '__main__':
    {'info': info, 'spirv': spirv, 'ptx': ptx, 'hip': hip, 'sycl': sycl, 'probe': probe}[sys.argv[1]](*sys.argv[2:])
