# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Examines the kernel images of this build instruction by instruction: floats are rounded as the
source says, never fused, flushed or approximate, and workgroup sizes are those that the host code
launches.

usage: images_test.py ptx DUMP_IMAGES COMPILE_KERNEL CLANG PTXAS     PTXAS may be -
       images_test.py amd DUMP_IMAGES COMPILE_KERNEL CLANG
       images_test.py hiprtc DUMP_IMAGES COMPILE_KERNEL CLANG        compiles the texts with the hiprtc found on this
                                                                     machine, without a GPU

AMD's code is disassembled by the tools that belong to CLANG, because tools of another version may
not know an architecture. The test looks for them when it runs, because they may have been installed
after the build was set up.

Each check must also notice errors in images that are spoilt on purpose.
"""
import collections
import ctypes
import importlib.util
import os
import re
import struct
import subprocess
import sys
import tempfile

Kernel = collections.namedtuple('Kernel', 'name across down buffers params')
SKIPPED = 77
# Kernels that fuse on purpose, and the number of fused instructions they may have. Kernels that
# only test whether the device fuses have one.
FUSES = {'ciede_8': 1, 'ciede_16': 1, 'ciede_8_fused': 1000, 'ciede_16_fused': 1000, 'ciede_8_fused_f64': 1000,
         'ciede_16_fused_f64': 1000, 'ssim_window_8_f64': 20, 'ssim_window_16_f64': 20, 'ssim_window_f32_f64': 20,
         'vif_stats_0_8_f64': 1000, 'vif_stats_0_16_f64': 1000, 'vif_stats_1_f64': 1000}
# Beginnings of the names of kernels that use recip_near or rsqrt_near.
HURRIES = ('adm_', 'ciede_8_fused_f64', 'ciede_16_fused_f64', 'ssim_window_', 'vif_stats_')
EMPTY = ('ciede_8_f64', 'ciede_16_f64')  # the other kernel of ciede does their work
NEAR = ('div.approx.ftz.f32', 'rsqrt.approx.ftz.f32')
DOUBLES = '_f64'  # the end of the names of kernels that use doubles
FUSED_KERNEL = '''
extern "C" __attribute__((global)) void fused(float *x) { x[3] = x[0] * x[1] + x[2]; }
'''
FUSED = Kernel('fused', 1024, 1, 1, 0)


class Wrong(Exception):
    pass


def demand(fact, *words):
    if not fact:
        raise Wrong(' '.join(map(str, words)))


def arguments_size(kernel):
    """Returns the size of a kernel's arguments: addresses, then parameters. A struct that begins
    with an address has a size that is a multiple of 8."""
    return (8 * kernel.buffers + kernel.params + 7) // 8 * 8


def must_fail(check, what, *arguments):
    try:
        check(*arguments)
    except Wrong:
        return
    sys.exit('the check does not notice: ' + what)


# PTX

def check_ptx(kernel, text):
    code = re.sub(r'//.*', '', text)
    version = re.findall(r'^\.version (\d+)\.(\d+)$', code, re.M)
    demand(len(version) == 1 and tuple(map(int, version[0])) <= (5, 0), 'version', version)
    demand(re.findall(r'^\.target (.*)$', code, re.M) == ['sm_52'], 'target')
    entry = re.findall(r'\.entry (\w+)\(\s*\.param \.align 8 \.b8 \w+\[(\d+)\]\s*\)', code)
    demand(entry == [(kernel.name, str(arguments_size(kernel)))], 'entry', entry)
    bound = re.findall(r'\.maxntid (\d+), (\d+), (\d+)', code)
    demand(bound == [(str(kernel.across * kernel.down), '1', '1')], 'group', bound)
    demand('.f64' not in code or kernel.name.endswith(DOUBLES), 'double')
    demand('.func' not in code and '.extern' not in code, 'calls')
    for instruction in re.findall(r'^\s*(?:@!?%p\d+ )?([a-z]\w*(?:\.\w+)+)', code, re.M):
        word, *kinds = instruction.split('.')
        if instruction in NEAR and kernel.name.startswith(HURRIES):
            continue
        demand('ftz' not in kinds, instruction)
        demand('approx' not in kinds and 'full' not in kinds, instruction)
        if 'f32' not in kinds and 'f64' not in kinds:
            continue
        demand(word in ('abs', 'add', 'cvt', 'div', 'fma', 'ld', 'max', 'min', 'mov', 'mul', 'neg', 'rcp', 'selp',
                        'setp', 'sqrt', 'st', 'sub'), instruction)
        if word in ('add', 'sub', 'mul', 'div', 'rcp', 'sqrt', 'fma'):
            demand('rn' in kinds, instruction)
    fused = len(re.findall(r'\bfma\.', code))
    demand(fused <= FUSES.get(kernel.name, 0), fused, 'fused')


def changed(text, before, after):
    spoilt = re.sub(before, after, text, count=1)
    if spoilt == text:
        sys.exit('nothing to spoil: ' + before)
    return spoilt


def spoil_ptx(kernel, text):
    """Spoils the PTX of a kernel that adds, multiplies and divides, in ways that the check must
    notice."""
    for before, after in [
            (r'\badd\.rn\.f32', 'fma.rn.f32'), (r'\badd\.rn\.f32', 'add.rn.ftz.f32'), (r'\badd\.rn\.f32', 'add.f32'),
            (r'\bmul\.rn\.f32', 'mul.rz.f32'), (r'\bdiv\.rn\.f32', 'div.approx.f32'), (r'\bdiv\.rn\.f32', 'div.full.f32'),
            (r'\bsqrt\.rn\.f32', 'sqrt.approx.f32'), (r'\babs\.f32', 'lg2.rn.f32'), (r'\.reg \.f32', '.reg .f64'),
            (r'\.version .*', '.version 8.7'), (r'\.entry \w', '.entry _'), (r'\.maxntid ', '.maxntid 1'),
            (r'\.b8 (\w+_param_0)\[', r'.b8 \1[1'), (r'\.target .*', '.target sm_90')]:
        must_fail(check_ptx, after, kernel, changed(text, before, after))


def spoil_doubles_ptx(kernel, text):
    for before, after in [(r'\b(add|sub|mul)\.rn\.f64', r'\1.rz.f64'), (r'\b(add|sub|mul)\.rn\.f64', 'fma.rn.f64'),
                          (r'\b(add|sub|mul)\.rn\.f64', 'sqrt.approx.ftz.f64')]:
        must_fail(check_ptx, after, kernel, changed(text, before, after))
    must_fail(check_ptx, 'doubles', kernel._replace(name='plain'), changed(text, r'\.entry \w+', '.entry plain'))


def test_ptx(kernels, folder, compiler, clang, ptxas):
    for kernel in kernels:
        path = os.path.join(folder, kernel.name + '.ptx')
        with open(path) as file:
            text = file.read()
        check_ptx(kernel, text)
        if kernel.name == 'ssim_window_f32':
            spoil_ptx(kernel, text)
        if kernel.name == 'ssim_halve_8' + DOUBLES:
            spoil_doubles_ptx(kernel, text)
        if ptxas != '-':
            subprocess.run([ptxas, '-arch=sm_90', path, '-o', os.devnull], check=True)
    out = compile_fused(folder, clang, compiler.PTX)
    with open(out) as file:
        must_fail(check_ptx, 'a product and a sum made one', FUSED, file.read())
    print('%d kernels%s' % (len(kernels), '' if ptxas == '-' else ', taken by ptxas'))


def compile_fused(folder, clang, flags):
    source, out = os.path.join(folder, 'fused.cu'), os.path.join(folder, 'fused.out')
    with open(source, 'w') as file:
        file.write(FUSED_KERNEL)
    subprocess.run([clang, *flags, '-ffp-contract=fast', source, '-o', out], check=True)
    return out


# AMD

def tools_of(clang):
    """Returns the paths of llvm-objdump and llvm-readelf in the compiler's folder. Skips the test
    if they are not there."""
    folder = os.path.dirname(os.path.realpath(clang))
    tools = [os.path.join(folder, name) for name in ('llvm-objdump', 'llvm-readelf')]
    if not all(map(os.path.exists, tools)):
        print('needs llvm-objdump and llvm-readelf in %s (Debian: llvm-19)' % folder)
        sys.exit(SKIPPED)
    return tools


def said_of_each(paths, tool, option):
    """Returns the tool's output for each file, from one process for all of them. For a single file
    the tools do not print its name."""
    said = subprocess.run([tool, option, *paths], check=True, stdout=subprocess.PIPE, text=True).stdout
    if len(paths) == 1:
        return [said]
    heads = [re.search(r'^(File: )?%s(:\tfile format .*)?$' % re.escape(path), said, re.M) for path in paths]
    demand(all(heads), tool, 'is silent on a file')
    return [said[head.end():end] for head, end in zip(heads, [head.start() for head in heads[1:]] + [len(said)])]


def read_objects(paths, tools):
    """Yields disassembly, metadata and the bytes of the kernel descriptors of each object. All
    objects must be of one architecture, because the disassembler uses that of the first one for
    all."""
    objdump, readelf = tools
    for path, disassembly, notes in zip(paths, said_of_each(paths, objdump, '-d'), said_of_each(paths, readelf, '-sSnW')):
        descriptors = {}
        for address, size, name in re.findall(r'^ *\d+: ([0-9a-f]+) +(\d+) OBJECT .* (\w+)\.kd$', notes, re.M):
            section = re.search(r'\.rodata +PROGBITS +([0-9a-f]+) ([0-9a-f]+)', notes)
            with open(path, 'rb') as file:
                file.seek(int(address, 16) - int(section[1], 16) + int(section[2], 16))
                descriptors[name] = file.read(int(size))
        yield disassembly, notes, descriptors


def read_object(path, tools):
    return next(read_objects([path], tools))


def check_amd(kernel, disassembly, notes, descriptors):
    demand(list(descriptors) == [kernel.name], 'kernels', list(descriptors))
    descriptor = descriptors[kernel.name]
    demand(len(descriptor) == 64, 'descriptor of', len(descriptor), 'bytes')
    arguments, = struct.unpack_from('<I', descriptor, 8)
    mode, = struct.unpack_from('<I', descriptor, 48)
    demand(mode >> 12 & 15 == 0, 'rounds not to nearest')
    demand(mode >> 16 & 3 == 3, 'tiny floats become 0')

    def note(name):
        return int(re.search(r'\.%s: +(\d+)' % name, notes)[1])
    demand(note('kernarg_segment_size') == arguments == arguments_size(kernel), 'arguments of', arguments, 'bytes')
    demand(note('max_flat_workgroup_size') == kernel.across * kernel.down, 'group')

    count = collections.Counter(re.findall(r'\b[vs]_(?:dual_|pk_)?([a-z][a-z0-9_]*?)(?:_e32|_e64|_sdwa|_dpp)?\b', disassembly))
    demand(sum(count.values()) > 10 or kernel.name in EMPTY, 'no instructions')
    doubles = kernel.name.endswith(DOUBLES)
    demand(mode >> 18 & 3 == 3 or not doubles, 'tiny doubles become 0')
    for name in count:
        demand(('f64' not in name or doubles) and 'f16' not in name and 'legacy' not in name, name)
        demand(not re.match(r'(rsq|exp|log|sin|cos)_', name) or (name == 'rsq_f32' and kernel.name.startswith(HURRIES)), name)
    # The compiler may fuse only inside quotients and roots, which it makes of several instructions:
    # it fuses five for a rounded float quotient, two for a root, and two for a 64-bit integer
    # quotient.
    fused = sum(n for name, n in count.items() if re.match(r'(fma|mad|mac)[a-z]*_f32', name) or 'mix' in name)
    long_quotients = count['rcp_f32'] - count['div_fixup_f32']
    allowed = 5 * count['div_fixup_f32'] + 2 * count['sqrt_f32'] + 2 * long_quotients + FUSES.get(kernel.name, 0)
    demand(fused <= allowed, fused, 'fused, where', allowed, 'may be')
    # The conversion of a double to a 64-bit integer has one fused instruction. cvt_u32_f64, which
    # converts the lower half, shows that there is a conversion.
    fused = sum(n for name, n in count.items() if re.match(r'(fma|mad|mac)[a-z]*_f64', name))
    demand(fused <= count['cvt_u32_f64'] + FUSES.get(kernel.name, 0), fused, 'doubles fused')


def spoil_amd(kernel, disassembly, notes, descriptors):
    def descriptor(at, bits):
        data = bytearray(descriptors[kernel.name])
        data[at] ^= bits
        return {kernel.name: bytes(data)}

    for line in ['v_fma_f32 v0, v1, v2, v3', 'v_fmac_f32_e32 v0, v1, v2', 'v_mac_f32_e32 v0, v1, v2',
                 'v_pk_fma_f32 v0, v1, v2', 's_fmac_f32 s0, s1, s2', 'v_add_f64 v0, v1, v2', 'v_rsq_f32_e32 v0, v1',
                 'v_dual_add_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v4, v5']:
        must_fail(check_amd, line, kernel, disassembly + '\t' + line + '\n', notes, descriptors)
    for what, changed in [('rounding', descriptor(49, 0x10)), ('tiny floats', descriptor(50, 0x01)),
                          ('arguments', descriptor(8, 0x08)), ('name', {'other': descriptors[kernel.name]})]:
        must_fail(check_amd, what, kernel, disassembly, notes, changed)
    must_fail(check_amd, 'group', kernel._replace(across=kernel.across + 1), disassembly, notes, descriptors)


def spoil_doubles_amd(kernel, disassembly, notes, descriptors):
    for line in ['v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]', 'v_fmac_f64_e32 v[0:1], v[2:3], v[4:5]',
                 'v_rsq_f64_e32 v[0:1], v[2:3]']:
        times = 1 + disassembly.count('cvt_u32_f64')
        must_fail(check_amd, line, kernel, disassembly + ('\t' + line + '\n') * times, notes, descriptors)


def check_fused_amd(folder, clang, compiler, arch, tools):
    out = compile_fused(folder, clang, [*compiler.HIP, '--offload-arch=' + arch])
    must_fail(check_amd, 'a product and a sum made one', FUSED, *read_object(out, tools))


def test_amd(kernels, folder, compiler, clang):
    tools = tools_of(clang)
    archs = sorted({name.split('.')[1] for name in os.listdir(folder) if '.gfx' in name})
    demand(archs, 'no code objects')
    for arch in archs:
        objects = [os.path.join(folder, kernel.name + '.' + arch) for kernel in kernels]
        for kernel, parts in zip(kernels, read_objects(objects, tools)):
            demand('amdgcn-amd-amdhsa--' + arch + '\n' in parts[1], 'target', arch)
            check_amd(kernel, *parts)
            if kernel.name == 'psnr_sse_8':
                spoil_amd(kernel, *parts)
            if kernel.name == 'ssim_halve_8' + DOUBLES:
                spoil_doubles_amd(kernel, *parts)
        check_fused_amd(folder, clang, compiler, arch, tools)
    print('%d kernels for %s' % (len(kernels), ', '.join(archs)))


# hiprtc

def compile_at_run_time(library, name, text, options):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    demand(library.hiprtcCreateProgram(ctypes.byref(program), text, name.encode(), 0, None, None) == 0, 'create', name)
    values = (ctypes.c_char_p * len(options))(*options)
    status = library.hiprtcCompileProgram(program, len(options), values)
    library.hiprtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value + 1)
    library.hiprtcGetProgramLog(program, log)
    demand(status == 0, 'hiprtc:', name, log.value.decode())
    library.hiprtcGetCodeSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    library.hiprtcGetCode(program, code)
    library.hiprtcDestroyProgram(ctypes.byref(program))
    return code.raw


def test_hiprtc(kernels, folder, compiler, clang):
    tools = tools_of(clang)
    library = None
    for name in ('libhiprtc.so', 'libamdhip64.so.7', 'libamdhip64.so.6', 'libamdhip64.so.5', 'libamdhip64.so'):
        try:
            found = ctypes.CDLL(name)
            library = library or (found if hasattr(found, 'hiprtcCreateProgram') else None)
        except OSError:
            continue
    if not library:
        print('no hiprtc on this machine (Debian: libamdhip64-5)')
        sys.exit(SKIPPED)
    objects = []
    for kernel in kernels:
        with open(os.path.join(folder, kernel.name + '.hip'), 'rb') as file:
            text = file.read()
        code = compile_at_run_time(library, kernel.name, text,
                                   [b'--offload-arch=gfx1030', b'-O3', b'-ffp-contract=off'])
        objects.append(os.path.join(folder, kernel.name + '.object'))
        with open(objects[-1], 'wb') as file:
            file.write(code)
    for kernel, parts in zip(kernels, read_objects(objects, tools)):
        check_amd(kernel, *parts)
    print('%d kernels for gfx1030' % len(kernels))


def main(kind, dump_images, compile_kernel, clang, *tools):
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location('compile_kernel', compile_kernel)
    compiler = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(compiler)
    with tempfile.TemporaryDirectory() as folder:
        lines = subprocess.run([dump_images, folder], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        kernels = [Kernel(name, *map(int, rest)) for name, *rest in map(str.split, lines)]
        demand(len(kernels) > 0, 'no kernels')
        {'ptx': test_ptx, 'amd': test_amd, 'hiprtc': test_hiprtc}[kind](kernels, folder, compiler, clang, *tools)


main(*sys.argv[1:])
