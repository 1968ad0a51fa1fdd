#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that the build for Windows, run by Wine, does the same as the native build, to the byte.

usage: windows_test.py WINDOWS NATIVE TOP
  WINDOWS   the folder that scripts/windows-build made
  NATIVE    a build for this machine
  TOP       this repository

Exits with 77 (skipped) without Wine. Wine keeps its files (WINEPREFIX) in WINDOWS/wine.
"""
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

windows, native, top = (os.path.abspath(p) for p in sys.argv[1:4])
work = windows + '/test'
compiler = 'x86_64-w64-mingw32-gcc'
LIMIT = 1200  # seconds after which a run counts as hanging
failures = 0
speechless = 0  # runs that failed without a message


def check(condition, text):
    global failures
    if not condition:
        failures += 1
        print(f'wrong: {text}')


if not shutil.which('wine') or not shutil.which(compiler):
    print('Not run: needs wine and ' + compiler)
    sys.exit(77)
os.environ.update(WINEPREFIX=windows + '/wine', WINEDEBUG='-all', VMAF_CACHE_DIR='')
os.environ.pop('DISPLAY', None)


def run(command, **options):
    return subprocess.run(command, capture_output=True, timeout=LIMIT, **options)


def wine(command, **options):
    """Runs a program with Wine. Our programs print why they fail, and Wine prints where they crash.
    Once a program failed without a message, and never again in 1,300 runs; the cause is unknown. So
    the first run that does this is reported and repeated; a second one counts as a failure."""
    global speechless
    done = run(['wine'] + command, **options)
    if done.returncode and not done.stdout and not done.stderr:
        speechless += 1
        print(f'exit {done.returncode} without a message: {command}')
        if speechless == 1:
            done = run(['wine'] + command, **options)
    return done


def vmaf(args, **options):
    done = wine([windows + '/install/bin/vmaf.exe'] + args, cwd=work, **options)
    # Wine's own services may print that they fail without a display.
    done.stderr = re.sub(rb'^wine: .*\n', b'', done.stderr, flags=re.M)
    return done


def vmaf_native(args, **options):
    return run([native + '/tools/vmaf'] + args, cwd=work, **options)


def read(name):
    with open(os.path.join(work, name), 'rb') as file:
        return file.read()


def neutral(report):
    """Returns the report without the values that differ between runs and machines."""
    report = re.sub(rb'("fps": |fps=")[0-9.e+-]*', rb'\1', report)
    return re.sub(rb',\n  "vmaf_turbo": \{\n.*?\n  \}(?=\n\}\n$)', b'', report, flags=re.S)


def write_y4m(name, raw, width, height, frames):
    size = width * height * 3 // 2
    pixels = read(raw)
    with open(os.path.join(work, name), 'wb') as file:
        file.write(b'YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n' % (width, height))
        for i in range(frames):
            file.write(b'FRAME\n' + pixels[i * size:(i + 1) * size])


def make_clips():
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    run([native + '/test/synth/synthclip', 'mix', '176', '144', '420', '8', '6', work + '/ref.yuv', work + '/dist.yuv'], check=True)
    for side in ('ref', 'dist'):
        write_y4m(f'{side}_mix.y4m', side + '.yuv', 176, 144, 6)


def same_reports():
    """Compares reports of files in all formats, and messages."""
    pair = ['-r', 'ref_mix.y4m', '-d', 'dist_mix.y4m', '--feature', 'psnr', '--feature', 'ciede', '-q']
    for name in ('a.json', 'a.xml', 'a.csv', 'a.sub'):
        kind = ['--' + name.split('.')[1]]
        ours = vmaf(pair + kind + ['--precision', 'max', '-o', 'windows_' + name])
        theirs = vmaf_native(pair + kind + ['--precision', 'max', '-o', 'native_' + name])
        check(ours.returncode == theirs.returncode == 0, f'{name}: {ours.returncode}, {ours.stderr}')
        check(neutral(read('windows_' + name)) == neutral(read('native_' + name)), f'{name} differs')
    for args in (pair, ['-r', 'ref_mix.y4m', '-d', 'nothing.y4m'], ['--no_such_option'], ['--help'], ['--version']):
        ours, theirs = vmaf(args), vmaf_native(args)
        check(ours.returncode == theirs.returncode, f'{args}: exit {ours.returncode}, not {theirs.returncode}')
        check(ours.stdout == theirs.stdout and ours.stderr == theirs.stderr,
              f'{args} says {ours.stdout[-200:]} {ours.stderr[-200:]}, not {theirs.stdout[-200:]} {theirs.stderr[-200:]}')


def pipes():
    """Pipes pass bytes unchanged, even newlines and Ctrl-Z."""
    args = ['-r', '-', '-d', 'dist_mix.y4m', '-q', '--json', '-o', '-']
    ours = vmaf(args, input=read('ref_mix.y4m'))
    theirs = vmaf_native(args, input=read('ref_mix.y4m'))
    check(ours.returncode == 0 and neutral(ours.stdout) == neutral(theirs.stdout) and b'\r' not in ours.stdout,
          f'piped: {ours.returncode}, {ours.stderr}')


def paths():
    folder = 'Größe 日本'
    os.makedirs(os.path.join(work, folder))
    shutil.copy(work + '/ref_mix.y4m', f'{work}/{folder}/référence.y4m')
    args = ['-r', folder + '/référence.y4m', '-d', 'dist_mix.y4m', '-q', '--json', '-o']
    for path in (folder + '/отчёт.json', folder + '\\отчёт 2.json'):
        for again in range(2):  # the second one replaces the first
            ours = vmaf(args + [path])
            check(ours.returncode == 0, f'{path}: {ours.returncode}, {ours.stderr.decode(errors="replace")}')
    vmaf_native(args + ['native.json'])
    for name in ('отчёт.json', 'отчёт 2.json'):
        there = os.path.exists(f'{work}/{folder}/{name}')
        check(there and neutral(read(f'{folder}/{name}')) == neutral(read('native.json')), f'{name} differs')
    check(sorted(os.listdir(f'{work}/{folder}')) == sorted(['référence.y4m', 'отчёт.json', 'отчёт 2.json']),
          f'left over: {os.listdir(f"{work}/{folder}")}')
    ours = vmaf(['-r', 'ref_mix.y4m', '-d', 'fehlt ß.y4m'])
    check('fehlt ß.y4m'.encode() in ours.stderr, f'message: {ours.stderr}')
    # A report must not overwrite a video, even if its name is spelt differently.
    ours = vmaf(['-r', 'ref_mix.y4m', '-d', 'dist_mix.y4m', '-o', './DIST_mix.y4m', '-q'])
    check(ours.returncode == 255 and read('dist_mix.y4m')[:9] == b'YUV4MPEG2', 'a video was replaced')


def interrupts():
    """The first Ctrl-C stops the run: the report contains the frames scored so far, and no file is
    left incomplete."""
    with open(work + '/black.yuv', 'wb') as film:
        film.truncate(640 * 360 * 3 // 2 * 100000)  # a sparse file that takes too long to score
    child = subprocess.Popen(['wine', windows + '/install/bin/vmaf.exe', '-r', 'black.yuv', '-d', 'black.yuv', '-w', '640', '-h', '360',
                              '-p', '420', '-b', '8', '--feature', 'cambi', '--threads', '1', '--progress', '--json', '-o',
                              'stopped.json'], cwd=work, stderr=subprocess.PIPE)
    line = child.stderr.readline()
    while line and not line.startswith(b'progress'):
        line = child.stderr.readline()
    check(line, 'it ended before it was stopped')
    child.send_signal(signal.SIGINT)
    text = child.stderr.read().decode(errors='replace')
    check(child.wait(timeout=LIMIT) == 130, f'Ctrl-C: exit {child.returncode}, {text}')
    check('stopped by Ctrl-C' in text, f'Ctrl-C: {text}')
    left = [name for name in os.listdir(work) if name.endswith('.tmp')]
    check(not left, f'left over: {left}')
    os.remove(work + '/black.yuv')
    report = json.loads(read('stopped.json'))
    check(report['partial'] == 'stopped by Ctrl-C' and report['frames'], f'the report of what was scored: {str(report)[:300]}')


def names_of(command, pattern):
    return sorted(set(re.findall(pattern, run(command, check=True).stdout.decode(), re.M)))


def libraries():
    """Both libraries export exactly the API, and programs can use them."""
    api = read(top + '/core/test/api/symbols.txt').decode().split()
    api = sorted(api + ['vmaf_sycl_import_d3d11_surface'])  # only on Windows
    lib, binaries = windows + '/install/lib', windows + '/install/bin'
    check(names_of(['x86_64-w64-mingw32-nm', lib + '/libvmaf.a'], r'^[0-9a-f]+ [A-TV-Z] (.*)$') == api,
          'the static library has other names than the API')
    exported = names_of(['x86_64-w64-mingw32-objdump', '-p', binaries + '/libvmaf-3.dll'],
                        r'^\s+\[\s*\d+\](?: \+base\[\s*\d+\]\s+[0-9a-f]+)? (\w+)$')
    check(exported == api, f'the DLL exports {set(exported) ^ set(api)}')
    for program in ('libvmaf-3.dll', 'vmaf.exe'):
        needs = names_of(['x86_64-w64-mingw32-objdump', '-p', f'{binaries}/{program}'], r'DLL Name: (.*)$')
        check({n.lower() for n in needs} <= {'kernel32.dll', 'msvcrt.dll', 'advapi32.dll'}, f'{program} needs {needs}')
    source = [top + '/core/test/windows/client.c', '-I' + top + '/core/include', '-O1', '-o']
    run(['cc'] + source + [work + '/client', native + '/src/libvmaf.a', '-ljansson', '-lpthread', '-lm', '-ldl'], check=True)
    run([compiler] + source + [work + '/client_static.exe', lib + '/libvmaf.a', '-static', f'-L{windows}/needs/lib', '-ljansson',
                               '-lpthread'], check=True)
    run([compiler] + source + [work + '/client_dll.exe', f'-L{lib}', '-l:libvmaf.dll.a'], check=True)
    shutil.copy(binaries + '/libvmaf-3.dll', work)
    want = run([work + '/client']).stdout
    for client in ('client_static', 'client_dll'):
        got = wine([f'{work}/{client}.exe'], cwd=work)
        check(want and got.stdout.replace(b'\r', b'') == want, f'{client}: {got.returncode}, {got.stdout}, not {want}')


def figures():
    """Compares scores with the tables of core/test/golden to the last bit."""
    core, test = windows + '/core', top + '/core'
    run([compiler, '-O1', '-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-include', test + '/windows/posix.h', '-w']
        + [f'-I{test}/{folder}' for folder in ('windows', 'include', 'src', 'tools', 'test/synth', 'test')]
        + ['-o', work + '/figures.exe', test + '/test/golden/figures_test.c', test + '/test/synth/synth.c',
           core + '/tools/libvmaf_tool.a', core + '/src/libvmaf_core.a', f'-L{windows}/needs/lib', '-ljansson', '-lexactmath',
           '-static', '-lpthread'], check=True)
    tables = ['adm', 'cambi', 'ciede', 'model', 'motion', 'psnr', 'psnr_hvs', 'speed', 'ssim', 'ssimulacra2', 'vif', 'xpsnr']

    def compare(case):
        table, way = case
        got = wine([work + '/figures.exe'] + way + [f'{test}/test/golden/figures/{table}.txt'])
        text = (got.stdout + got.stderr).decode()
        check(got.returncode == 0, f'{table} {way}: exit {got.returncode}\n{text[-1500:]}')
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compare, [(table, way) for table in tables for way in ([], ['--cpumask', '-1'])]))


# Start one Wine server for all following programs, instead of one for each.
subprocess.run(['wine', 'wineboot', '-i'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
subprocess.run(['wineserver', '-p'])
try:
    make_clips()
    for part in (same_reports, pipes, paths, interrupts, libraries, figures):
        start = time.monotonic()
        part()
        print(f'{part.__name__}: {time.monotonic() - start:.0f} s')
finally:
    subprocess.run(['wineserver', '-k'])
print('The build for Windows does the same as the native one.' if not failures else f'{failures} wrong')
sys.exit(1 if failures else 0)
