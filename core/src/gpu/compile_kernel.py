# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Compile kernels of the dialect (gpu/prelude) into images and pack those, or write SYCL sources of them.

Modes:
  info  INCLUDE OUT DEPFILE NAME=SOURCE[,-D...] ... -- CC...       the table of each kernel's needs
  spirv CC GLSLC SPIRV_VAL|- INCLUDE NAME OUT DEPFILE SOURCE [-D...]   SPIR-V 1.3
  ptx   CC CLANG INCLUDE NAME OUT DEPFILE SOURCE [-D...]               PTX for CUDA
  hip   CC CLANG ARCHS INCLUDE NAME OUT DEPFILE SOURCE [-D...]         AMD code objects and the text for hiprtc: with
                                                                       .ARCH and .hip in place of OUT's extension
  pack  NAME OUT IMAGE...                                           packs of such files, as a C array of that name,
                                                                       without the texts for hiprtc
  pack_texts NAME OUT IMAGE...                                      one pack of all texts for hiprtc among such files
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
    def escaped(path):
        return re.sub('([ #])', r'\\\1', path).replace('$', '$$')
    with open(depfile, 'w') as file:
        file.write('%s: %s\n' % (escaped(out), ' '.join(map(escaped, sorted(files)))))


def is_precise(words):
    """Return whether a module has an operation that must be rounded as written (`precise`)."""
    decorate, no_contraction, at = 71, 42, 5
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xffff
        if opcode == decorate and words[at + 2] == no_contraction:
            return True
        at += count
    return False


def without_names(words):
    """Return a module without the names and the sources, which only people read."""
    unread = (2, 3, 4, 5, 6, 7, 8, 317, 330)  # OpSourceContinued to OpLine, OpNoLine, OpModuleProcessed
    kept, at = list(words[:5]), 5
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xffff
        if opcode not in unread:
            kept += words[at:at + count]
        at += count
    return kept


def read_words(path):
    with open(path, 'rb') as file:
        data = file.read()
    return struct.unpack('<%dI' % (len(data) // 4), data)


def write_words(path, words):
    with open(path, 'wb') as file:
        file.write(struct.pack('<%dI' % len(words), *words))


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
        write_words(module, without_names(words))
        if spirv_val != '-':
            run([spirv_val, '--target-env', 'vulkan1.1', module])
        shutil.copyfile(module, out)


# Floats are rounded as written. clang must not find a CUDA kit: with one, newer clangs choose a PTX version that older
# drivers refuse. The windows of some kernels must be unrolled completely to stay in registers.
CLANG = ['-std=c++17', '--cuda-device-only', '-O3', '-ffp-contract=off', '-mllvm', '-unroll-threshold=3000']
PTX = [*CLANG, '-x', 'cuda', '--cuda-gpu-arch=sm_52', '--cuda-path=/nonexistent', '-nocudainc', '-nocudalib', '-S']
# Version 4 is the newest code object version that the runtimes of 2022 load.
HIP = [*CLANG, '-x', 'hip', '-nogpuinc', '-nogpulib', '--no-gpu-bundle-output', '-mcode-object-version=4']
BARE = 'gpu/prelude/bare.h'


def read_bare(include):
    with open(os.path.join(include, BARE)) as file:
        return file.read()


def ptx(cc, clang, include, name, out, depfile, source, *defines):
    defines = ['-DKERNEL_NAME=' + name, *defines]
    text = preprocess_image(cc, include, out, depfile, source, defines, 'c++', [os.path.join(include, BARE)])
    compiled([clang, *PTX, '-I' + include, '-include', BARE, *defines], source, read_bare(include) + text, out)
    with open(out) as file:
        code = file.read()
    with open(out, 'w') as file:
        file.write(re.sub(r'\s*\n\s*', '\n', re.sub('//.*', '', code)).lstrip())


def hip(cc, clang, archs, include, name, out, depfile, source, *defines):
    defines = ['-DGPU_HIP', '-DKERNEL_NAME=' + name, *defines]
    text = preprocess_image(cc, include, out, depfile, source, defines, 'c++', [os.path.join(include, BARE)])
    stem = os.path.splitext(out)[0]
    for arch in archs.split(','):
        compiled([clang, *HIP, '--offload-arch=' + arch, '-I' + include, '-include', BARE, *defines], source,
                 read_bare(include) + text, stem + '.' + arch)
    with open(stem + '.hip', 'w') as file:
        file.write('#pragma clang fp contract(off)\n' + re.sub(r'\s*\n\s*', '\n', text.lstrip()))


# kernel_image.c reads this one setting. lc = 0 (a byte is predicted without the bits before it) packs code as well as
# the usual 3 and takes the least memory.
LZMA = {'preset': 9 | 1 << 31, 'lc': 0, 'lp': 0, 'pb': 2, 'dict_size': 1 << 24}


# The rarest first: an image that has it comes after all images that do not.
VARIANTS = ('views', 'twice', 'large', 'f32', '16', 'fractional', 'fused', 'f64')


def image_name(path):
    """Return KERNEL, or "KERNEL ARCH" for a code object of one architecture."""
    kernel, extension = os.path.splitext(os.path.basename(path))
    return kernel + (' ' + extension[1:] if extension.startswith('.gfx') else '')


def pack_of(path):
    """Return the same for all images that are in one pack: the variants of a kernel, for related architectures."""
    kernel, extension = os.path.splitext(os.path.basename(path))
    return ' '.join(word for word in kernel.split('_') if word not in ('8', *VARIANTS)), extension[:5]


def variant(path):
    """Sort by this. A pack is unpacked from its beginning, so the variants that most runs need come first."""
    words = os.path.splitext(os.path.basename(path))[0].split('_')
    return [word in words for word in VARIANTS]


def image_hash(data):
    """Return what kernel_image_hash() of kernel_image.c does."""
    value, limit = len(data), (1 << 64) - 1
    for word, in struct.iter_unpack('<Q', data + bytes(-len(data) % 8)):
        value = (value ^ word) * 0x9e3779b97f4a7c15 & limit
        value ^= value >> 32
    return value


def c_pack(name, paths):
    """Return the C text of the arrays of a pack, and of the pack itself."""
    import lzma  # not at the top: builds without images need no Python with this module
    names, images, data = '', '', b''
    for path in sorted(paths, key=variant):
        with open(path, 'rb') as file:
            image = file.read()
        names += '"%s\\0" ' % image_name(path)
        images += '    { %d, %d, 0x%xu },\n' % (len(data), len(image), image_hash(image))
        data += image
    packed = lzma.compress(data, lzma.FORMAT_RAW, filters=[{'id': lzma.FILTER_LZMA1, **LZMA}])
    lines = ''.join('    %s,\n' % ','.join(map(str, packed[i:i + 32])) for i in range(0, len(packed), 32))
    return ('static const PackedImage %s_images[] = {\n%s};\nstatic const uint8_t %s_data[] = {\n%s};\n\n'
            % (name, images, name, lines),
            '    { %s, %s_images, %s_data, sizeof(%s_data) },\n' % (names.rstrip(), name, name, name))


def is_text(path):
    return path.endswith('.hip')


def write_packs(name, out, packs):
    made = [c_pack('%s_%d' % (name, i), images) for i, images in enumerate(packs.values())]
    with open(out, 'w') as file:
        file.write('/* Generated by the build. */\n%sstatic const ImagePack %s[] = {\n%s    { .names = NULL },\n};\n'
                   % (''.join(arrays for arrays, _ in made), name, ''.join(entry for _, entry in made)))


def pack(name, out, *paths):
    packs = {}
    for path in paths:
        if not is_text(path):
            packs.setdefault(pack_of(path), []).append(path)
    write_packs(name, out, packs)


def pack_texts(name, out, *paths):
    """Pack all texts together, since most of each is the prelude. hiprtc takes far longer than they do to unpack."""
    write_packs(name, out, {'texts': filter(is_text, paths)})


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
    # The compiler reads a header of the system, too, which lies elsewhere on each machine.
    own = {path for path in used if os.path.isfile(path) and not os.path.relpath(path, include).startswith('..')}
    build = digest(include, kernels, own)
    for cpp, body in zip(cpps, bodies):
        with open(cpp, 'w') as file:
            file.write(body)
    with open(table_cpp, 'w') as file:
        file.write('// Generated by the build.\n#include "gpu/backend/sycl/plugin/kernel.h"\n\n%s\n'
                   'const SyclKernel *const sycl_kernels[] = {\n%s    nullptr,\n};\n'
                   'const char *const sycl_kernels_build = "%s";\n' % (declarations, entries, build))
    with open(build_c, 'w') as file:
        file.write('/* Generated by the build. */\n#include "gpu/backend/sycl/device.h"\n\n'
                   'const char *const sycl_build = "%s";\n' % build)
    write_depfile(depfile, build_c, used)


if __name__ == '__main__':
    {'info': info, 'spirv': spirv, 'ptx': ptx, 'hip': hip, 'pack': pack, 'pack_texts': pack_texts, 'sycl': sycl, 'probe': probe}[sys.argv[1]](*sys.argv[2:])
