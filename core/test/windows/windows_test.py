#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that the build for Windows, run by Wine, does the same as the native build, to the byte.

usage: windows_test.py WINDOWS NATIVE TOP [PART]...
  WINDOWS   the folder that scripts/windows-build made. What needs FFmpeg is tested if it has FFmpeg
  NATIVE    a build for this machine
  TOP       this repository
  PART      a function below; without any, all that take a short time; `long`: all, also `cli` and, with FFmpeg, `bundle`

Exits with 77 (skipped) without Wine. Wine keeps its files (WINEPREFIX) in WINDOWS/wine.
"""
import concurrent.futures
import glob
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile

windows, native, top = (os.path.abspath(p) for p in sys.argv[1:4])
with_ffmpeg = glob.glob(windows + '/ffmpeg/*.done')
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


def program(name, args, **options):
    done = wine([f'{windows}/install/bin/{name}.exe'] + args, cwd=work, **options)
    # Wine's own services may print that they fail without a display.
    done.stderr = re.sub(rb'^wine: .*\n', b'', done.stderr, flags=re.M)
    return done


def vmaf(args, **options):
    return program('vmaf', args, **options)


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


def programs():
    """All programs start, and their help is that of the native ones."""
    for name in ('vmaf-tune', 'vmaf-shard', 'vmaf-mcp'):
        for option in ('--help', '--version', '--no-such-option'):
            ours, theirs = program(name, [option]), run([f'{native}/tools/{name}', option])
            check((ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr),
                  f'{name} {option}: {ours.returncode}, {ours.stdout[-200:]} {ours.stderr[-200:]}')


def long_paths():
    """Windows takes 260 characters; longer paths need a prefix."""
    folder = '/'.join(['a folder with a long name ' + 'ß' * 40] * 7)
    os.makedirs(f'{work}/{folder}')
    shutil.copy(work + '/ref_mix.y4m', f'{work}/{folder}/ref.y4m')
    for place in (folder, folder.replace('/', '\\')):
        ours = vmaf(['-r', place + '/ref.y4m', '-d', 'dist_mix.y4m', '-q', '--json', '-o', place + '/report.json'])
        check(ours.returncode == 0, f'a long path: {ours.returncode}, {ours.stderr.decode(errors="replace")[-300:]}')
    vmaf_native(['-r', folder + '/ref.y4m', '-d', 'dist_mix.y4m', '-q', '--json', '-o', 'native.json'])
    check(sorted(os.listdir(f'{work}/{folder}')) == ['ref.y4m', 'report.json'], f'{os.listdir(f"{work}/{folder}")}')
    check(neutral(read(folder + '/report.json')) == neutral(read('native.json')), 'the report at a long path differs')


def meter():
    """On a console, a line shows how far the run is."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(['wine', windows + '/install/bin/vmaf.exe', '-r', 'ref_mix.y4m', '-d', 'dist_mix.y4m', '--threads', '1'],
                             cwd=work, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    text = b''
    try:
        while piece := os.read(ours, 65536):
            text += piece
    except OSError:  # the console has closed
        pass
    os.close(ours)
    shown = re.sub(rb'\x1b\[1C', b' ', text)
    shown = re.sub(rb'\x1b\[[?0-9;]*[A-Za-z]', b'', shown)
    check(child.wait(timeout=LIMIT) == 0 and b'6/6' in shown, f'the meter of a console: {shown[-600:]}')


def shards():
    """Child processes score the parts, and the merged report is that of a single run."""
    parts = 'Teile 日本'
    pair = ['-r', 'ref_mix.y4m', '-d', 'dist_mix.y4m']
    ours = program('vmaf-shard', ['submit', '--engine', 'local', '--count', '3', '--parts', parts, '-o', 'merged.json'] + pair)
    check(ours.returncode == 0, f'vmaf-shard: {ours.returncode}, {ours.stderr.decode(errors="replace")}')
    theirs = vmaf(pair + ['--json', '-o', 'single.json', '-q'])
    check(theirs.returncode == 0 and neutral(read('merged.json')) == neutral(read('single.json')), 'the merged report differs')
    check(len(os.listdir(f'{work}/{parts}')) == 4, f'parts: {os.listdir(f"{work}/{parts}")}')
    again = program('vmaf-shard', ['submit', '--engine', 'local', '--count', '3', '--parts', parts, '--fresh', '-o', 'merged.json'] + pair)
    check(again.returncode == 0, f'vmaf-shard --fresh: {again.returncode}, {again.stderr}')


def running(mark):
    """The processes of this machine whose command line has the mark."""
    found = []
    for path in glob.glob('/proc/[0-9]*/cmdline'):
        try:
            with open(path, 'rb') as file:
                words = file.read()
        except OSError:
            continue
        if mark.encode() in words and b'wine' not in words.split(b'\0')[0].split(b'/')[-1][:4] and b'python' not in words:
            found.append(int(path.split('/')[2]))
    return found


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)
    return condition()


def orphans():
    """Child processes end with the program, whether it is asked to end or killed."""
    for number in (signal.SIGINT, signal.SIGKILL):
        name = f'black{number}.yuv'
        with open(f'{work}/{name}', 'wb') as film:
            film.truncate(640 * 360 * 3 // 2 * 100000)
        child = subprocess.Popen(
            ['wine', windows + '/install/bin/vmaf-shard.exe', 'submit', '-n', '2', '--parts', f'parts{number}', '-r', name,
             '-d', name, '--', '-w', '640', '-h', '360', '-p', '420', '-b', '8', '--feature', 'cambi'],
            cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        check(wait_until(lambda: len(running(name)) > 1), f'no child of vmaf-shard: {running(name)}')
        os.kill(child.pid, number)
        child.stderr.read()
        child.wait(timeout=LIMIT)
        check(wait_until(lambda: not running(name)), f'children outlive vmaf-shard after {number}: {running(name)}')
        for pid in running(name):
            os.kill(pid, signal.SIGKILL)
        os.remove(f'{work}/{name}')


def doctor():
    ours = vmaf(['--doctor', '--backend', 'cpu', '--json'])
    check(ours.returncode == 0, f'--doctor: {ours.returncode}, {ours.stdout} {ours.stderr}')
    found = json.loads(ours.stdout)
    check(found['well'] is True and found['system']['processors'] > 0, f'--doctor: {found}')
    check(bool(found['ffmpeg']['versions']) == bool(with_ffmpeg), f'--doctor: {found["ffmpeg"]}')


class Assistant:
    """A client of vmaf-mcp."""

    def __init__(self, folder):
        self.server = subprocess.Popen(['wine', windows + '/install/bin/vmaf-mcp.exe', '--allow', folder], cwd=work,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number = 0
        self.ask('initialize', protocolVersion='2025-06-18', capabilities={}, clientInfo={'name': 'test', 'version': '1'})

    def ask(self, method, **params):
        self.number += 1
        message = {'jsonrpc': '2.0', 'id': self.number, 'method': method, 'params': params}
        self.server.stdin.write((json.dumps(message) + '\n').encode())
        self.server.stdin.flush()
        while True:
            answer = json.loads(self.server.stdout.readline())
            if answer.get('id') == self.number:
                return answer

    def call(self, tool, **arguments):
        return self.ask('tools/call', name=tool, arguments=arguments)['result']

    def close(self):
        self.server.stdin.close()
        return self.server.wait(timeout=LIMIT)


def assistant():
    """vmaf-mcp over pipes, with names that are not ASCII."""
    folder = 'Vidéos 日本'
    os.makedirs(f'{work}/{folder}')
    for name in ('ref', 'dist'):
        shutil.copy(f'{work}/{name}_mix.y4m', f'{work}/{folder}/{name} ß.y4m')
    temporary = glob.glob(windows + '/wine/drive_c/users/*/Temp')[0]
    before = os.listdir(temporary)
    vmaf_native(['-r', 'ref_mix.y4m', '-d', 'dist_mix.y4m', '-q', '--json', '-o', 'native.json'])
    want = json.loads(read('native.json'))['pooled_metrics']['vmaf']['mean']
    client = Assistant(folder)
    pair = {'reference': 'ref ß.y4m', 'distorted': 'dist ß.y4m'}
    scored = client.call('score', **pair)
    check(abs(scored['structuredContent']['score'] - want) < 1e-6, f'score: {scored}')
    both = client.call('compare', reference='ref ß.y4m', distorted=['dist ß.y4m', 'ref ß.y4m'])
    check([row['distorted'] for row in both['structuredContent']['results']] == ['ref ß.y4m', 'dist ß.y4m'], f'compare: {both}')
    worst = client.call('worst_frames', **pair)
    check('isError' not in worst and worst['structuredContent']['score'] == scored['structuredContent']['score'], f'worst_frames: {worst}')
    for path in ('../ref_mix.y4m', 'Z:' + work + '/ref_mix.y4m', 'NUL', '..\\ref_mix.y4m'):
        refused = client.call('score', reference=path, distorted='dist ß.y4m')
        check(refused.get('isError') and 'no such file in the folders' in refused['content'][0]['text'], f'{path}: {refused}')
    with open(f'{work}/{folder}/no model.json', 'w', encoding='ascii') as file:
        file.write('{}')
    refused = client.call('score', model='no model.json', **pair)
    check(refused.get('isError') and 'no model.json' in refused['content'][0]['text'] and 'vmaf-mcp-' not in str(refused),
          f'a file that is no model: {refused}')
    check(client.close() == 0, 'vmaf-mcp did not end in order')
    check(os.listdir(temporary) == before, f'left over: {set(os.listdir(temporary)) - set(before)}')


ffmpeg = [windows + '/install/bin/ffmpeg.exe', '-nostdin', '-v', 'error', '-y']


def make_films():
    for side in ('ref', 'dist'):
        made = wine(ffmpeg + ['-i', f'{side}_mix.y4m', '-c:v', 'mpeg4', '-q:v', '3', f'{side} ß.mp4'], cwd=work)
        check(made.returncode == 0, f'ffmpeg.exe: {made.stderr}')


def videos():
    """With FFmpeg: mp4 files, and the filter of ffmpeg.exe."""
    make_films()
    pair = ['-r', 'ref ß.mp4', '-d', 'dist ß.mp4', '-q', '--json', '-o']
    ours, theirs = vmaf(pair + ['windows.json']), vmaf_native(pair + ['native.json'])
    check(ours.returncode == theirs.returncode == 0, f'mp4: {ours.stderr} {theirs.stderr}')
    check(neutral(read('windows.json')) == neutral(read('native.json')), 'the report of an mp4 differs')
    scored = wine(ffmpeg + ['-i', 'dist ß.mp4', '-i', 'ref ß.mp4', '-lavfi', 'libvmaf=log_path=filter.json:log_fmt=json', '-f', 'null', '-'],
                  cwd=work)
    check(scored.returncode == 0, f'the filter: {scored.stderr}')
    frames = [json.loads(read(name))['frames'] for name in ('filter.json', 'windows.json')]
    check(frames[0] == frames[1], f'the filter scores differently: {str(frames[0])[:300]}')


def tune():
    """With FFmpeg: vmaf-tune with a real encoder. What it found is what the command scores."""
    encoder = 'Z:' + windows + '/install/bin/ffmpeg.exe'
    found = program('vmaf-tune', ['search', 'ref_mix.y4m', '--encoder', 'mpeg4', '--target', '80', '--ffmpeg', encoder, '--backends',
                                  'cpu', '--json', 'tune.json', '-o', 'gefunden ß.mp4'])
    check(found.returncode == 0, f'vmaf-tune: {found.returncode}, {found.stdout} {found.stderr.decode(errors="replace")}')
    result = json.loads(read('tune.json'))
    score = result['output']['score']
    vmaf(['-r', 'ref_mix.y4m', '-d', 'gefunden ß.mp4', '-q', '--json', '-o', 'again.json'])
    again = json.loads(read('again.json'))['pooled_metrics']['vmaf']['mean']
    check(abs(score - again) < 1e-6 and again >= 80, f'vmaf-tune says {score}, and the command {again}')
    left = [name for name in os.listdir(work) if name.startswith('.vmaf')]
    check(not left, f'left over: {left}')


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
    for name in ('libvmaf-3.dll', 'vmaf.exe', 'vmaf-tune.exe', 'vmaf-shard.exe', 'vmaf-mcp.exe'):
        needs = names_of(['x86_64-w64-mingw32-objdump', '-p', f'{binaries}/{name}'], r'DLL Name: (.*)$')
        check({n.lower() for n in needs} <= {'kernel32.dll', 'msvcrt.dll', 'advapi32.dll'}, f'{name} needs {needs}')
    source = [top + '/core/test/windows/client.c', '-I' + top + '/core/include', '-O1', '-o']
    run(['cc'] + source + [work + '/client', native + '/src/libvmaf.a', '-ljansson', '-lpthread', '-lm', '-ldl'], check=True)
    run([compiler] + source + [work + '/client_static.exe', lib + '/libvmaf.a', '-static', f'-L{windows}/needs/lib', '-ljansson',
                               '-lpthread'], check=True)
    run([compiler] + source + [work + '/client_dll.exe', f'-L{lib}', '-l:libvmaf.dll.a'], check=True)
    shutil.copy(binaries + '/libvmaf-3.dll', work)
    want = run([work + '/client']).stdout
    clients = ['client_static', 'client_dll']
    linker = shutil.which('lld-link') or shutil.which('lld-link-19')
    if linker:  # Microsoft's kind of import library, by a linker of Microsoft's kind
        run([compiler, '-c'] + source + [work + '/client.o'], check=True)
        pieces = [run([compiler, '-print-file-name=' + name], check=True).stdout.decode().strip() for name in
                  ('crt2.o', 'libmingw32.a', 'libmingwex.a', 'libgcc.a', 'libmsvcrt.a', 'libkernel32.a')]
        linked = run([linker, '/lldmingw', '/alternatename:__image_base__=__ImageBase', '/subsystem:console', '/entry:mainCRTStartup', f'/out:{work}/client_lib.exe', work + '/client.o',
                      lib + '/vmaf.lib'] + pieces)
        check(linked.returncode == 0, f'vmaf.lib: {linked.stdout} {linked.stderr}')
        clients.append('client_lib')
    for client in clients:
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


def vulkan():
    """The Vulkan backend by Wine's driver, which needs a display, on this machine's software device."""
    args = ['-r', 'ref_mix.y4m', '-d', 'dist_mix.y4m', '--feature', 'psnr', '-q', '--json', '-o']
    if not shutil.which('xvfb-run'):
        print('vulkan: not run, needs xvfb-run')
        return
    subprocess.run(['wineserver', '-k'])  # the running server started without a display and cannot use one later
    done = run(['xvfb-run', '-a', 'wine', windows + '/install/bin/vmaf.exe', '--backend', 'vulkan', '--allow_software'] + args
               + ['vulkan.json'], cwd=work)
    subprocess.run(['wineserver', '-k'])
    if b'there is no device' in done.stderr or b'looking for devices failed' in done.stderr:
        print('vulkan: not run, Wine finds no device of Vulkan')
        return
    check(done.returncode == 0, f'Vulkan: {done.returncode}, {done.stderr}')
    vmaf_native(args + ['native.json'])
    scored, want = json.loads(read('vulkan.json')), json.loads(read('native.json'))
    check(scored['frames'] == want['frames'], 'Vulkan scores differently')
    places = {feature['backend'] for feature in scored['vmaf_turbo']['features']}
    check(places == {'vulkan'}, f'Vulkan: features ran on {places}')


# Tests in core/test/cli that also make sense on Windows.
CLI_TESTS = ('warnings', 'feature_limits')


def cli():
    """Long: tests of core/test/cli with the command that Wine runs."""
    wrapper = work + '/vmaf'
    with open(wrapper, 'w', encoding='ascii') as file:
        file.write(f'#!/bin/sh\nexec wine "{windows}/install/bin/vmaf.exe" "$@"\n')
    os.chmod(wrapper, 0o755)
    for name in CLI_TESTS:
        done = run([sys.executable, f'{top}/core/test/cli/{name}_test.py', wrapper, native + '/test/synth/synthclip', f'{work}/cli {name}'])
        check(done.returncode == 0, f'cli {name}: {done.stdout.decode()[-800:]} {done.stderr.decode()[-800:]}')


def bundle():
    """Long: the zip, which has the same bytes again, and its programs in a folder with spaces."""
    make_films()
    packs = []
    for folder in ('one', 'two'):
        done = run([top + '/scripts/windows-zip', top, windows, f'{work}/{folder}'])
        check(done.returncode == 0, f'windows-zip: {done.stderr}')
        packs.append({name: read(f'{folder}/{name}') for name in sorted(os.listdir(f'{work}/{folder}'))})
    check(packs[0] == packs[1] and len(packs[0]) == 4, f'the zips differ, or there are others: {list(packs[0])}')
    place = work + '/Program Files ß'
    path = glob.glob(work + '/one/*x86_64.zip')[0]
    with zipfile.ZipFile(path) as archive:
        archive.extractall(place)
    binaries = f'{place}/{os.path.basename(path)[:-4]}/bin/'
    args = ['-r', 'ref_mix.y4m', '-d', 'dist ß.mp4', '-q', '--json', '-o']
    ours, theirs = wine([binaries + 'vmaf.exe'] + args + ['zip.json'], cwd=work), vmaf_native(args + ['native.json'])
    check(ours.returncode == theirs.returncode == 0 and neutral(read('zip.json')) == neutral(read('native.json')),
          f'the program of the zip: {ours.returncode}, {ours.stderr}')
    for name in os.listdir(binaries):
        needs = names_of(['x86_64-w64-mingw32-objdump', '-p', binaries + name], r'DLL Name: (.*)$')
        system = glob.glob('/usr/lib/x86_64-linux-gnu/wine/x86_64-windows/*.dll')
        known = {os.path.basename(dll).lower() for dll in system} | {n.lower() for n in os.listdir(binaries)}
        check({n.lower() for n in needs} <= known, f'{name} needs {needs}')


# Start one Wine server for all following programs, instead of one for each.
subprocess.run(['wine', 'wineboot', '-i'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
subprocess.run(['wineserver', '-p'])
try:
    make_clips()
    parts = [same_reports, pipes, paths, long_paths, meter, interrupts, programs, shards, orphans, doctor, assistant, libraries, figures]
    parts += [videos, tune] if with_ffmpeg else []
    if sys.argv[4:] == ['long']:
        parts += [cli] + ([bundle] if with_ffmpeg else []) + [vulkan]
    elif sys.argv[4:]:
        parts = [globals()[name] for name in sys.argv[4:]]
    else:
        parts += [vulkan]
    for part in parts:
        start = time.monotonic()
        part()
        print(f'{part.__name__}: {time.monotonic() - start:.0f} s')
finally:
    subprocess.run(['wineserver', '-k'])
print('The build for Windows does the same as the native one.' if not failures else f'{failures} wrong')
sys.exit(1 if failures else 0)
