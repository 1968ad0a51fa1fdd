#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests the command on other processors, C libraries and compilers. It must compile without a
warning, its static library must export exactly the API, and no multiplication may be fused with an
addition. For generated clips it must give the same reports as on this machine, byte for byte, and,
if the reference's figures are beside this repository (../shared), those figures.

usage: platforms_test.py TREE BUILD WORKDIR [PLATFORM]...
  BUILD   a build of this tree for this machine

A platform whose compiler or libraries are missing is left out, with a message that names them.
"""
import concurrent.futures
import os
import re
import shlex
import shutil
import subprocess
import sys

tree, native, work = (os.path.abspath(path) for path in sys.argv[1:4])
chosen = sys.argv[4:]
SHARED = os.path.join(tree, '..', 'shared')
SYNTHCLIP = f'{native}/test/synth/synthclip'
LEAN = ('--auto-features=disabled --default-library=static -Denable_docs=false -Dwarning_level=3 -Dwerror=true '
        '-Db_lto=false').split()

# Name: compiler, the command that runs its programs, exact. The build uses a cross file if there is
# one. Models call exp, whose last bits differ between C libraries. Where exact is False, because
# they may differ from this machine's, model scores are compared to six digits, as reports usually
# print them.
PLATFORMS = {
    'aarch64': ('aarch64-linux-gnu-gcc', 'qemu-aarch64 -L /usr/aarch64-linux-gnu', True),
    'riscv64': ('riscv64-linux-gnu-gcc', 'qemu-riscv64 -L /usr/riscv64-linux-gnu', True),
    's390x': ('s390x-linux-gnu-gcc', 'qemu-s390x -L /usr/s390x-linux-gnu', True),
    'i686': ('i686-linux-gnu-gcc', '/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib', False),
    'musl': ('musl-gcc', '', False),
    'clang': ('clang', '', True),
    'android': ('aarch64-linux-android28-clang', 'qemu-aarch64 -L /usr/aarch64-linux-gnu', True),
}
# Debian has no headers of Android's C library. If the compiler of Google's NDK is not in PATH, Debian's clang takes its
# place, for arm64 with Android's macros and glibc: that tests the cross file and the code that the macros choose.
STAND_IN = '#!/bin/sh\nexec {clang} --target=aarch64-linux-gnu -D__ANDROID__ -D__ANDROID_API__=28 "$@"\n'
# For these the same compiler makes the same code of the widest vectors as for this machine.
SAME_VECTORS = ('i686', 'musl')
# Instructions that fuse. CIEDE's vector code uses them on purpose (feature/ciede/ciede_simd.c), and
# so does VIF's logarithm, whose result does not depend on it (feature/vif/vif_simd_row.c).
FUSED = re.compile(r'\t(fml[as]|fn?m(add|sub)(\.[sd])?|vfn?m(add|sub)\w*|w?f?m[as][de]br?|[vw]fn?m[as]\w*)\s')
FUSING = ('to_lab', 'columns', 'add_row')

# Name: the arguments of synthclip. Most sizes are odd, and all are large enough for the pyramids of
# the features.
CLIPS = {
    'mix_8': 'mix 218 178 420 8 2',
    'blur_10': 'blur 217 177 420 10 2',
    'noise_12': 'noise 219 176 444 12 2',
    'shift_16': 'shift 218 177 422 16 2',
    'gray_8': 'mix 217 177 400 8 2',
}
# Features that do not support the format.
UNFIT = {'gray_8': ('ciede', 'psnr_hvs', 'speed_chroma'), 'shift_16': ('psnr_hvs',)}
MODELS = ('vmaf_v0.6.1', 'vmaf_v0.6.1neg', 'vmaf_float_v0.6.1', 'vmaf_b_v0.6.3', 'vmaf_v1.0.16_3d0h')
# Small clips of the reference's figures, because emulators are slow.
GOLDEN = ('mix_1_frame', 'blur_64x64', 'shift_131x75_10', 'extreme_128x96_16')

problems = []
skipped = []


def complain(platform, text):
    problems.append(f'{platform}: {text}')
    print(problems[-1], flush=True)


def run(words, log=None, **more):
    done = subprocess.run(words, capture_output=True, text=True, errors='replace', **more)
    if log:
        with open(log, 'a') as file:
            file.write(f'$ {shlex.join(words)}\n{done.stdout}{done.stderr}')
    return done


def tool(compiler, name):
    """Returns the compiler's own tool of this name, or the name itself."""
    own = run([compiler, '-print-prog-name=' + name]).stdout.strip()
    return own or name


# ---- clips ----

def write_y4m(raw, path, words):
    _, width, height, layout, depth, frames = words.split()
    colour = ('mono' if layout == '400' else layout + ('p' if depth != '8' else '')) + (depth if depth != '8' else '')
    with open(raw, 'rb') as file:
        data = file.read()
    size = len(data) // int(frames)
    with open(path, 'wb') as file:
        file.write(f'YUV4MPEG2 W{width} H{height} F25:1 Ip C{colour}\n'.encode())
        for start in range(0, len(data), size):
            file.write(b'FRAME\n' + data[start:start + size])


def make_clips():
    os.makedirs(f'{work}/clips/synth', exist_ok=True)
    for name, words in CLIPS.items():
        sides = [f'{work}/clips/{name}_{side}.yuv' for side in ('ref', 'dist')]
        subprocess.check_call([SYNTHCLIP, *words.split(), *sides])
        for side in sides:
            write_y4m(side, side[:-4] + '.y4m', words)
    subprocess.check_call([SYNTHCLIP, '--all', f'{work}/clips/synth'])


def input_words(name, kind):
    words = ['-r', f'{work}/clips/{name}_ref.{kind}', '-d', f'{work}/clips/{name}_dist.{kind}']
    if kind == 'yuv':
        _, width, height, layout, depth, _ = CLIPS[name].split()
        words += ['-w', width, '-h', height, '-p', layout, '-b', depth]
    return words


# ---- runs ----

def cases():
    """Yields the name of each case, the command's arguments, and whether it scores a model."""
    listed = run([f'{native}/tools/vmaf', '--list_features']).stdout
    features = re.findall(r'^([a-z]\w*) {2,}', listed, re.M)
    for name in CLIPS:
        for kind in ('y4m', 'yuv') if name in ('mix_8', 'blur_10') else ('y4m',):
            words = [word for feature in features if feature not in UNFIT.get(name, ()) for word in ('--feature', feature)]
            yield f'{name}.{kind}, features', input_words(name, kind) + ['-n'] + words, False
    for model in MODELS:
        name = 'mix_8' if model != 'vmaf_v0.6.1neg' else 'blur_10'
        yield f'{name}, {model}', input_words(name, 'y4m') + ['--model', f'version={model}'], True


def report_of(command, words, out):
    """Returns the report without details of the machine and the run's speed, and the error, if
    any."""
    done = run(command + words + ['-q', '--backend', 'cpu', '--threads', '2', '--json', '-o', out])
    if done.returncode:
        return None, f'exit {done.returncode}: {done.stderr.strip()[-300:]}'
    with open(out) as file:
        text = file.read()
    text = re.sub(r',\n  "vmaf_turbo": \{\n.*?\n  \}(?=\n\}\n$)', '', text, flags=re.S)
    return re.sub(r'("fps": |"instruction_set": )[^,\n]*', r'\1', text), ''


def compare(platform, command, exact, wanted):
    same = 0
    for name, words, with_model in cases():
        precise = exact or not with_model
        key = (name, precise)
        words = words + (['--precision', 'max'] if precise else [])
        if key not in wanted:
            wanted[key], why = report_of([f'{native}/tools/vmaf'], words, f'{work}/native.json')
            if wanted[key] is None:
                complain('this machine', f'{name}: {why}')
        got, why = report_of(command, words, f'{work}/{platform}/report.json')
        if got is None:
            complain(platform, f'{name}: {why}')
        elif got != wanted[key]:
            pairs = zip(got.splitlines(), (wanted[key] or '').splitlines())
            complain(platform, f'{name}: ' + next((f'{a.strip()}, not {b.strip()}' for a, b in pairs if a != b), 'length'))
        else:
            same += 1
    return same


def golden(platform, command):
    check = f'{SHARED}/golden/check.py'
    if not os.path.exists(check):
        return 'no reference figures here'
    script = f'{work}/{platform}/vmaf.sh'
    with open(script, 'w') as file:
        file.write(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    os.chmod(script, 0o755)
    words = [sys.executable, check, script, '--clips', f'{work}/clips']
    for clip in GOLDEN:
        words += ['--clip', clip]
    done = run(words)
    if done.returncode:
        complain(platform, 'reference figures:\n' + done.stdout[-2000:] + done.stderr[-500:])
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else 'nothing compared'


# ---- builds ----

def jansson(compiler, prefix, log):
    """Builds jansson from Debian's source for the compiler. Returns True if it is available."""
    if os.path.exists(f'{prefix}/lib/pkgconfig/jansson.pc'):
        return True
    source = f'{work}/jansson'
    if not os.path.exists(f'{source}/CMakeLists.txt') and run(
            [f'{tree}/scripts/debian-source', 'jansson', source, f'{work}/apt']).returncode:
        return False
    build = prefix + '-build'
    for words in (['cmake', '-S', source, '-B', build, '-G', 'Ninja', '-DCMAKE_SYSTEM_NAME=Linux',
                   f'-DCMAKE_C_COMPILER={compiler}', '-DCMAKE_BUILD_TYPE=Release', f'-DCMAKE_INSTALL_PREFIX={prefix}',
                   '-DCMAKE_INSTALL_LIBDIR=lib', '-DCMAKE_POSITION_INDEPENDENT_CODE=ON', '-DJANSSON_BUILD_DOCS=OFF',
                   '-DJANSSON_WITHOUT_TESTS=ON', '-DJANSSON_EXAMPLES=OFF'], ['ninja', '-C', build, 'install']):
        if run(words, log).returncode:
            sys.exit(f'jansson cannot be built with {compiler}: see {log}')
    return True


def stand_in():
    """Puts a stand-in for the NDK's compilers into PATH, unless they are there."""
    if shutil.which(PLATFORMS['android'][0]) or not shutil.which('clang') or not shutil.which('aarch64-linux-gnu-gcc'):
        return
    folder = f'{work}/android/bin'
    os.makedirs(folder, exist_ok=True)
    for end in ('', '++'):
        path = f'{folder}/{PLATFORMS["android"][0]}{end}'
        with open(path, 'w') as file:
            file.write(STAND_IN.format(clang='clang' + end))
        os.chmod(path, 0o755)
    os.environ['PATH'] = folder + os.pathsep + os.environ['PATH']


def missing(compiler, runner):
    for name in (compiler, runner.split()[0] if runner else '', 'ninja', 'meson'):
        if name and not shutil.which(name):
            return f'needs {name}'
    return None


def build(platform, compiler):
    """Builds for a platform. Returns '' if that worked, a message if something is missing, or None
    after reporting a problem."""
    folder, log = f'{work}/{platform}/core', f'{work}/{platform}/log'
    env = dict(os.environ)
    words = ['meson', 'setup', folder, f'{tree}/core', *LEAN]
    if platform in SAME_VECTORS:
        words.append('-Denable_avx512=false')
    if platform != 'clang':
        if not shutil.which('cmake') or not jansson(compiler, f'{work}/{platform}/needs', log):
            return 'needs cmake and Debian\'s source of jansson'
        packages = f'{work}/{platform}/needs/lib/pkgconfig'
        if os.path.exists(f'{tree}/core/cross/{platform}.txt'):
            words += ['--cross-file', f'{tree}/core/cross/{platform}.txt', f'-Dpkg_config_path={packages}']
        else:
            env['PKG_CONFIG_LIBDIR'] = packages
            env['CC'] = compiler
    else:
        env['CC'] = compiler
    targets = ['tools/vmaf'] + (['test/dsp/dsp_check'] if platform == 'aarch64' else [])
    if not os.path.exists(f'{folder}/build.ninja'):
        if run(words, log, env=env).returncode:
            complain(platform, f'meson setup failed: see {log}')
            return None
    done = run(['ninja', '-C', folder, *targets], log, env=env)
    if done.returncode:
        wrong = [line for line in done.stdout.splitlines() if re.search(r'error|warning', line)]
        complain(platform, 'does not build:\n' + '\n'.join(wrong[:20]) + f'\nsee {log}')
        return None
    return ''


def check_library(platform, compiler):
    library = f'{work}/{platform}/core/src/libvmaf.a'
    done = run([sys.executable, f'{tree}/core/test/api/symbols_test.py', tool(compiler, 'nm'), 'static', library,
                f'{tree}/core/test/api/symbols.txt'])
    if done.returncode:
        complain(platform, 'symbols of the static library: ' + done.stdout + done.stderr[-300:])
    function = ''
    fused = set()
    for line in run([tool(compiler, 'objdump'), '-d', '--no-show-raw-insn', library]).stdout.splitlines():
        start = re.match(r'[0-9a-f]+ <(.+)>:$', line)
        if start:
            function = start.group(1)
        elif FUSED.search(line) and function.split('.')[0] not in FUSING:
            fused.add(function)
    if not function:
        complain(platform, 'the library could not be disassembled')
    for name in sorted(fused)[:10]:
        complain(platform, f'{name} has fused multiplications and additions')


def check(platform, compiler, runner, exact, wanted):
    check_library(platform, compiler)
    if platform == 'android' and not os.path.exists(f'{work}/android/bin'):
        print('android: built by the NDK; its programs cannot run here', flush=True)
        return
    command = runner.split() + [f'{work}/{platform}/core/tools/vmaf']
    if platform == 'aarch64':
        done = run(runner.split() + [f'{work}/{platform}/core/test/dsp/dsp_check', '--short'])
        if done.returncode:
            complain(platform, 'vector code:\n' + (done.stdout + done.stderr)[-2000:])
    same = compare(platform, command, exact, wanted)
    print(f'{platform}: {same} reports the same as here; {golden(platform, command)}', flush=True)


def main():
    os.makedirs(work, exist_ok=True)
    stand_in()
    make_clips()
    wanted = {}
    checks = []
    # Emulators are slow and use one core: a platform is checked while the next one is built.
    with concurrent.futures.ThreadPoolExecutor(1) as beside:
        for platform, (compiler, runner, exact) in PLATFORMS.items():
            if chosen and platform not in chosen:
                continue
            why = missing(compiler, runner)
            if not why:
                os.makedirs(f'{work}/{platform}', exist_ok=True)
                why = build(platform, compiler)
            if why is None:
                continue
            if why:
                skipped.append(platform)
                print(f'{platform}: not checked: {why}', flush=True)
                continue
            checks.append(beside.submit(check, platform, compiler, runner, exact, wanted))
        for done in checks:
            done.result()
    print(f'platforms: {len(problems)} problems' + (f'; not checked: {", ".join(skipped)}' if skipped else ''))
    sys.exit(1 if problems else 0)


main()
