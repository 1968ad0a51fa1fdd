# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests the tarball for any Linux that scripts/release writes.

usage: release_test.py TREE WORKDIR                          how archives, launchers and the bill of materials are written
       release_test.py TREE WORKDIR VMAF [MESON OPTION]...   the same, and a whole release: built twice, in two places, it has the
                                                             same bytes; it scores in systems with glibc 2.31 and with musl,
                                                             and nothing else, as VMAF, a build of this tree, does here

Exit status 77: a part could not be tried here.
"""
import glob
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

tree, work = (os.path.abspath(path) for path in sys.argv[1:3])
problems = []


def load():
    loader = importlib.machinery.SourceFileLoader('release', f'{tree}/scripts/release')
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('release', loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


release = load()


def check(good, problem):
    if not good:
        problems.append(problem)
        print(problem, flush=True)


def skip(why):
    print(f'skipped: the release was not tried: {why}')
    sys.exit(1 if problems else 77)


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', check=False, **more)


def digest(path):
    return hashlib.sha256(release.read(path)).hexdigest()


# ---- how files are written ----

def archives(folder):
    """Two archives of the same files have the same bytes, whatever the order; and they hold what they should."""
    one = release.Release('x86_64', folder, 'system', [])
    files = {'b/two': (b'2', 0o755), 'a': (b'1', 0o644), 'b/link': ('two', None)}
    paths = [f'{folder}/{name}/x-1.tar.xz' for name in 'pq']
    for path, order in zip(paths, (list, lambda names: list(reversed(list(names))))):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        one.archive(path, {name: files[name] for name in order(files)}, 'w:xz')
    check(digest(paths[0]) == digest(paths[1]), 'the same files give archives with other bytes')
    with tarfile.open(paths[0]) as tar:
        got = {member.name: (member.mode, member.uid, member.mtime == one.time) for member in tar}
    check(got == {'x-1': (0o755, 0, True), 'x-1/a': (0o644, 0, True), 'x-1/b': (0o755, 0, True), 'x-1/b/link': (0o777, 0, True),
                  'x-1/b/two': (0o755, 0, True)}, f'an archive has other members: {got}')


def launchers(folder):
    """The launcher finds its program through links, keeps the arguments, and prefers glibc."""
    for libc in 'glibc', 'musl':
        os.makedirs(f'{folder}/top/libexec/vmaf-turbo/{libc}', exist_ok=True)
        path = f'{folder}/top/libexec/vmaf-turbo/{libc}/vmaf'
        release.write(path, f'#!/bin/sh\nprintf "%s|" {libc} "$@"\n')
        os.chmod(path, 0o755)
    os.makedirs(f'{folder}/top/bin', exist_ok=True)
    os.makedirs(f'{folder}/a link', exist_ok=True)
    for name, target in ('a link/vmaf', '../one'), ('one', f'{folder}/top/bin/vmaf'):
        os.path.lexists(f'{folder}/{name}') or os.symlink(target, f'{folder}/{name}')
    for loaders, want in ((('/bin/sh', '/bin/sh'), 'glibc'), (('/nowhere', '/bin/sh'), 'musl')):
        release.write(f'{folder}/top/bin/vmaf', release.LAUNCHER % (*loaders, 'this machine'))
        os.chmod(f'{folder}/top/bin/vmaf', 0o755)
        for path in 'top/bin/vmaf', 'one', 'a link/vmaf':
            got = run(f'{folder}/{path}', 'a b', '*').stdout
            check(got == f'{want}|a b|*|', f'{path} ran {got}, not {want}')
        got = run('vmaf', env={'PATH': f'{folder}/a link:/usr/bin:/bin'}).stdout
        check(got == f'{want}|', f'vmaf in PATH ran {got}, not {want}')
    release.write(f'{folder}/top/bin/vmaf', release.LAUNCHER % ('/nowhere', '/nowhere', 'this machine'))
    done = run(f'{folder}/one')
    check(done.returncode == 127 and 'neither glibc nor musl' in done.stdout, f'without a C library: {done}')


def loaders():
    one = release.Release('aarch64', f'{work}/unit', 'system', [])
    old = b'x\0/lib/ld-linux-aarch64.so.1\0y'
    new = one.for_musl(old)
    check(new == b'x\0/lib/ld-musl-aarch64.so.1\0\0y' and len(new) == len(old), f'another loader is written as {new}')


def spaces():
    done = run(f'{tree}/scripts/release', '--out', f'{work}/unit/a b')
    check(done.returncode == 1 and 'name another folder with --out' in done.stdout, f'a folder with a space: {done.stdout}')


# ---- a whole release ----

def bill_of(path, top):
    """Checks the SBOM against SPDX 2.3's rules that matter, and against the files."""
    bill = json.loads(release.read(path))
    check(bill['spdxVersion'] == 'SPDX-2.3' and bill['dataLicense'] == 'CC0-1.0', 'the SBOM is not SPDX 2.3')
    ids = [item['SPDXID'] for item in [bill] + bill['packages'] + bill['files']]
    check(len(ids) == len(set(ids)) and all(re.fullmatch(r'SPDXRef-[A-Za-z0-9.-]+', name) for name in ids), 'the SBOM has bad names')
    for relation in bill['relationships']:
        check(relation['spdxElementId'] in ids and relation['relatedSpdxElement'] in ids, f'the SBOM relates nothing: {relation}')
    names = {package['name'] for package in bill['packages']}
    check(names == {'vmaf-turbo', *release.NEEDS}, f'the SBOM has the packages {names}')
    listed = {one['fileName']: {sum_of['algorithm']: sum_of['checksumValue'] for sum_of in one['checksums']} for one in bill['files']}
    there = set()
    for folder, _, files in os.walk(top):
        for name in files:
            full = f'{folder}/{name}'
            inside = './' + os.path.relpath(full, top)
            if not os.path.islink(full) and not inside.endswith('sbom.spdx.json'):
                there.add(inside)
                check(listed.get(inside, {}).get('SHA256') == digest(full), f'the SBOM has another checksum of {inside}')
    check(there == set(listed), f'the SBOM and the tarball differ in {sorted(there ^ set(listed))[:5]}')
    for package in names - {'vmaf-turbo'}:
        check(os.path.getsize(f'{top}/share/doc/vmaf-turbo/licences/{package}.txt') > 500, f'there is no licence of {package}')


def symbols(top, musl):
    """No file needs a newer glibc than 2.31, or a function that musl does not have."""
    has = set(re.findall(r'^\S+ \S (\w+)', run('nm', '-D', '--defined-only', musl).stdout, re.M))
    files = glob.glob(f'{top}/libexec/*/*/*') + glob.glob(f'{top}/lib/ffmpeg/*') + [f'{top}/lib/libvmaf.so.3']
    check(len(files) == 13 and len(has) > 1000, f'there are {len(files)} programs and libraries')
    for path in files:
        needs = run('nm', '-D', '--undefined-only', path).stdout
        newest = max(tuple(map(int, version.split('.'))) for version in re.findall(r'@GLIBC_([\d.]+)', needs))
        check(newest <= (2, 31), f'{path} needs glibc {newest}')
        missing = set(re.findall(r'^\s+U (\w+)@GLIBC', needs, re.M)) - has
        check(not missing, f'musl lacks what {path} needs: {missing}')
        dynamic = run('readelf', '-d', path).stdout
        libraries = set(re.findall(r'NEEDED.*\[(.*)\]', dynamic))
        bad = {name for name in libraries if not re.fullmatch(r'lib(vmaf|av\w+|c|m|dl|pthread|rt)\.so\.\d+', name)}
        check(not bad, f'{path} needs {bad}')
    extra = [name for name in re.findall(r'^\S+ [^Uw] (\w+)', run('nm', '-D', '--defined-only', f'{top}/lib/libvmaf.so.3').stdout, re.M)
             if not name.startswith('vmaf_')]
    check(not extra, f'libvmaf.so.3 offers other names: {extra[:5]}')


def inside(root, *words):
    return run('unshare', '--mount', 'sh', '-c', 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i PATH=/usr/bin:/bin "$@"',
               root, *words)


def clips(folder):
    """Videos of several formats, if this machine can encode them; Y4M of them is what the native build scores."""
    source = ['ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=1', '-f', 'lavfi', '-i', 'sine=d=1']
    wanted = {'ref.mp4': 'libx264 -qp 0 -c:a aac', 'h264.mp4': 'libx264 -crf 38 -c:a aac', 'hevc.mkv': 'libx265 -crf 38',
              'av1.webm': 'libaom-av1 -cpu-used 8 -crf 50 -an', 'vp9.webm': 'libvpx-vp9 -crf 50 -b:v 0 -an', 'mpeg2.ts': 'mpeg2video',
              'prores.mov': 'prores_ks', 'ffv1.mkv': 'ffv1'}
    return [name for name, codec in wanted.items() if not run(*source, '-c:v', *codec.split(), f'{folder}/{name}').returncode]


def scores(report):
    return [frame['metrics'] for frame in json.loads(release.read(report))['frames']]


def runs_in(root, system, top, videos, vmaf):
    os.makedirs(f'{root}/opt', exist_ok=True)
    for folder in 'proc', 'tmp', 'clips':
        os.makedirs(f'{root}/{folder}', exist_ok=True)
    shutil.copytree(top, f'{root}/opt/vmaf', symlinks=True)
    for name in videos:
        shutil.copy(f'{work}/clips/{name}', f'{root}/clips')
    for program in release.PROGRAMS:
        done = inside(root, f'/opt/vmaf/bin/{program}', '--version')
        check(not done.returncode and re.fullmatch(r'(vmaf-.* )?\d+\.\d+\.\d+\n', done.stdout), f'{program} in {system}: {done.stdout[-500:]}')
    for name in videos[1:]:
        arguments = '--json', '--precision', 'max', '--feature', 'psnr', '--feature', 'float_ssim', '-q', '-o'
        done = inside(root, '/opt/vmaf/bin/vmaf', '/clips/ref.mp4', f'/clips/{name}', *arguments, '/clips/report.json')
        here = run(vmaf, f'{work}/clips/ref.mp4', f'{work}/clips/{name}', *arguments, f'{work}/here.json')
        if done.returncode or here.returncode:
            check(False, f'{name} in {system}: {done.stdout[-500:]} {here.stdout[-500:]}')
            continue
        got, want = scores(f'{root}/clips/report.json'), scores(f'{work}/here.json')
        # Models call exp, whose last bit is not the same in every C library.
        exact = [{metric: value if metric != 'vmaf' else round(value, 9) for metric, value in frame.items()} for frame in got]
        check(exact == [{metric: value if metric != 'vmaf' else round(value, 9) for metric, value in frame.items()} for frame in want]
              and len(got) == 10, f'{name} in {system} has other scores than here')
    page = inside(root, '/opt/vmaf/bin/vmaf', '/clips/ref.mp4', '/clips/h264.mp4', '-q', '--html', '/clips/page.html')
    check(not page.returncode and b'data:image/png' in release.read(f'{root}/clips/page.html'), f'no pictures in a page in {system}')
    # By choice without FFmpeg's libraries.
    os.rename(f'{root}/opt/vmaf/lib/ffmpeg', f'{root}/opt/vmaf/lib/not-here')
    done = inside(root, '/opt/vmaf/bin/vmaf', '/clips/ref.mp4', '/clips/h264.mp4')
    check(done.returncode and 'libavformat' in done.stdout, f'without FFmpeg\'s libraries in {system}: {done.stdout[-500:]}')
    print(f'{system}: {len(videos) - 1} videos')


PROGRAM = '''#include <stdio.h>
#include <libvmaf/libvmaf.h>
int main(void)
{
    VmafModel *model;
    if (vmaf_model_load(&model, &(VmafModelConfig){ .name = "vmaf" }, "vmaf_v0.6.1"))
        return 1;
    vmaf_model_destroy(model);
    printf("%s\\n", vmaf_version());
    return 0;
}
'''


def links(top):
    """A program that is built with what the tarball has for developers."""
    release.write(f'{work}/program.c', PROGRAM)
    env = {**os.environ, 'PKG_CONFIG_LIBDIR': f'{top}/lib/pkgconfig', 'LD_LIBRARY_PATH': f'{top}/lib'}
    for kind, options in ('shared', []), ('static', ['--static']):
        flags = run('pkg-config', '--cflags', '--libs', *options, 'libvmaf', env=env).stdout.split()
        if kind == 'static':
            flags = [f'{top}/lib/libvmaf.a' if flag == '-lvmaf' else flag for flag in flags]
        done = run('gcc', '-o', f'{work}/program', f'{work}/program.c', *flags)
        done = done if done.returncode else run(f'{work}/program', env=env)
        check(not done.returncode and re.match(r'\d+\.\d+', done.stdout), f'a program with the {kind} library: {done.stdout[-1000:]}')
        uses = 'libvmaf.so' in run('readelf', '-d', f'{work}/program').stdout
        check(uses == (kind == 'shared'), f'the program is not linked with the {kind} library')


def whole(vmaf, options):
    if os.getuid() or run('unshare', '--mount', 'true').returncode or not shutil.which('mmdebstrap'):
        skip('needs root, mounts and mmdebstrap')
    names = None
    for place in 'one', 'another-place':
        done = subprocess.run([f'{tree}/scripts/release', '--out', f'{work}/{place}', *options], check=False)
        if done.returncode:
            skip('it could not be built') if done.returncode == 77 else sys.exit('scripts/release failed')
        if subprocess.run([f'{tree}/scripts/wheel', '--out', f'{work}/{place}', *options], check=False).returncode:
            sys.exit('scripts/wheel failed')
        dist = f'{work}/{place}/dist'
        check(len(glob.glob(f'{dist}/*.whl')) == 1, f'there is no wheel in {dist}')
        check(not run('sha256sum', '--check', '--quiet', 'SHA256SUMS', cwd=dist).returncode, 'SHA256SUMS is wrong')
        sums = release.read(f'{dist}/SHA256SUMS')
        check(names in (None, sums), f'the second build has other bytes:\n{names}\n{sums}')
        names = sums
    tarball, = glob.glob(f'{dist}/*.tar.xz')
    with tarfile.open(tarball) as tar:
        tar.extractall(work)
    top = f'{work}/{os.path.basename(tarball)[:-len(".tar.xz")]}'
    for path in ('share/man/man1/vmaf.1', 'share/bash-completion/completions/vmaf-tune', 'share/zsh/site-functions/_vmaf',
                 'share/fish/vendor_completions.d/vmaf.fish', 'lib/libvmaf.a', 'include/libvmaf/libvmaf.h', 'share/doc/vmaf-turbo/LICENSE',
                 'share/doc/vmaf-turbo/NOTICE', 'share/doc/vmaf-turbo/licences/LGPL-2.1.txt'):
        check(os.path.getsize(f'{top}/{path}') > 100, f'{path} is missing')
    bill_of(f'{top}/share/doc/vmaf-turbo/sbom.spdx.json', top)
    paths = run('grep', '-rlF', tree, top).stdout
    check(not paths, f'a path of this machine is in {paths}')
    links(top)
    machine = os.uname().machine
    if run(f'{tree}/scripts/debian-files', 'bookworm', release.ARCHS[machine][0], f'{work}/musl', f'{work}/apt', 'musl',
           'busybox-static').returncode:
        skip('musl cannot be had here')
    symbols(top, glob.glob(f'{work}/musl/lib/*-musl/libc.so')[0])
    backends = run(f'{top}/bin/vmaf', '--list_devices').stdout
    for backend in 'cuda', 'hip', 'vulkan':
        check(f'{backend}: this libvmaf was built without' not in backends, f'{backend} is not built in: {backends}')
    os.makedirs(f'{work}/clips', exist_ok=True)
    videos = clips(f'{work}/clips') if shutil.which('ffmpeg') else []
    if len(videos) < 5:
        skip('needs ffmpeg and its encoders')
    for link, target in ('bin/sh', 'busybox'), ('usr/bin/env', '../../bin/busybox'):
        os.makedirs(os.path.dirname(f'{work}/musl/{link}'), exist_ok=True)
        os.symlink(target, f'{work}/musl/{link}')
    runs_in(f'{work}/musl', 'a system with musl alone', top, videos, vmaf)
    sources = glob.glob('/etc/apt/sources.list.d/debian.sources') + glob.glob('/etc/apt/sources.list')
    mirror = re.search(r'https?://[^ \n]*/debian/?(?=[ \n])', ''.join(release.read(path).decode() for path in sources))
    if run('mmdebstrap', '--quiet', '--variant=essential', 'bullseye', f'{work}/glibc', *([mirror[0]] if mirror else [])).returncode:
        skip('no Debian 11 to be had')
    runs_in(f'{work}/glibc', 'Debian 11 (glibc 2.31)', top, videos, vmaf)


shutil.rmtree(work, ignore_errors=True)
os.makedirs(f'{work}/unit')
archives(f'{work}/unit')
launchers(f'{work}/unit')
loaders()
spaces()
if len(sys.argv) > 3 and not problems:
    whole(os.path.abspath(sys.argv[3]), sys.argv[4:])
    shutil.rmtree(work, ignore_errors=True)
if problems:
    sys.exit(1)
print('The tarball of a release is written as it should be' + ('.' if len(sys.argv) <= 3 else ', and runs with glibc 2.31 and with musl.'))
