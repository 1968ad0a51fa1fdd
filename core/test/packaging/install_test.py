# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Does what docs/install.md says, in fresh systems. A comment before each block of commands says where it is run:

    <!-- run in: bookworm trixie noble; with: tree -->

        sudo apt-get install -y make
        ...

The commands are run there in a folder that has what `with` names (tree: the source; release: the tarball of `make release`; wheel:
the file of `make wheel`) and two videos, reference.mp4 and distorted.mp4. Its name has a space. The last line of what they print
must be the score. `as: user` at the end of the comment has them run by a user who is not root and has no sudo: the first time they
must fail and name packages, and are repeated when these have been installed.

Other comments are `run by: make test-NAME`, if that test runs the same commands, and `not run: REASON`.

usage: install_test.py --check TREE                 only look whether each block has such a comment
       install_test.py TREE WORKDIR VMAF [FILTER]...
  VMAF     a build of this tree: its score is the expected one
  FILTER   only blocks whose system, `with` and `as` these words name, such as `noble release`

Exit status 77: some systems could not be had here; the message names them.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

MACHINE = {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(os.uname().machine, os.uname().machine)
# Debian's releases come from where this machine's packages come from.
UBUNTU = 'deb [trusted=yes] http://archive.ubuntu.com/ubuntu {0} main universe'
PLACES = {'bullseye': 'Debian 11', 'bookworm': 'Debian 12', 'trixie': 'Debian 13', 'noble': 'Ubuntu 24.04', 'musl': 'musl alone'}


def run(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', check=False, **more)


def blocks(text):
    """(comment, commands) of each block. A block without a comment of its own has an empty one."""
    for comment, indented in re.findall(r'(?:^<!-- ([^\n]*) -->\n\n|(?<=\n)\n)((?:    [^\n]*\n)+)', text, re.M):
        yield comment, '\n'.join(line[4:] for line in indented.splitlines())


def unmarked(text):
    """The first line of each block that does not say where it is run."""
    known = re.compile(r'run in: (\w+ ?)+; with: (tree|release|wheel)(; as: user)?|run by: make test(-\w+)*|not run: .+')
    return [commands.split('\n')[0] for comment, commands in blocks(text) if not known.fullmatch(comment)]


def to_run(text, chosen):
    """(system, what is needed, 'user' or 'root', commands) of each block that is run."""
    for comment, commands in blocks(text):
        found = re.fullmatch(r'run in: ([\w ]+); with: (\w+)(; as: user)?', comment)
        for system in found[1].split() if found else ():
            words = {system, found[2], 'user' if found[3] else 'root'}
            if not chosen - words:
                yield system, found[2], 'user' if found[3] else 'root', commands


def mirror():
    text = ''
    for path in glob.glob('/etc/apt/sources.list.d/debian.sources') + glob.glob('/etc/apt/sources.list'):
        with open(path, encoding='utf-8') as file:
            text += file.read()
    return re.findall(r'https?://[^ \n]*/debian/?(?=[ \n])', text)[:1]


def system_of(tree, work, name, root):
    """Makes a fresh system. Returns False if it cannot be had here."""
    shutil.rmtree(root, ignore_errors=True)
    if name != 'musl':
        source = [UBUNTU.format(name)] if name in ('noble',) else mirror()
        return not run(['mmdebstrap', '--quiet', '--variant=apt', '--include=xz-utils,passwd', name, root, *source]).returncode
    if run([f'{tree}/scripts/debian-files', 'bookworm', MACHINE, root, f'{work}/apt', 'musl', 'busybox-static']).returncode:
        return False
    for folder in 'usr/bin', 'usr/local/bin', 'proc', 'dev', 'tmp', 'opt', 'root':
        os.makedirs(f'{root}/{folder}', exist_ok=True)
    return not run(['chroot', root, '/bin/busybox', '--install', '-s', '/usr/bin']).returncode and \
        not os.symlink('busybox', f'{root}/bin/sh')


def inside(tree, root, script, folder, user=None):
    """Runs commands in the system, with the kernels that other builds of this machine have compiled."""
    cache = os.environ.get('VMAF_KERNEL_CACHE', f'{tree}/build-kernels')
    os.makedirs(cache, exist_ok=True)
    be = ''
    if user:  # a copy, which is the user's
        be = f'setpriv --reuid={user} --regid={user} --init-groups'
        run(['cp', '-r', cache, f'{root}/kernels'])
        run(['chroot', root, 'chown', '-R', f'{user}:', '/kernels'])
    else:
        os.makedirs(f'{root}/kernels', exist_ok=True)
    bind = 'true' if user else 'mount --bind "$3" "$0/kernels"'
    return run(['unshare', '--mount', 'sh', '-c', f'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && {bind} && '
                'exec chroot "$0" $4 env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin '
                'HOME="$(dirname "$2")" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive VMAF_KERNEL_CACHE=/kernels '
                'sh -e -c "cd \'$2\' && $1"', root, script, folder, cache, be])


def as_user(tree, root, script, folder):
    """Runs commands as a user without sudo, who has no compiler at first: the answer names the packages, which root installs."""
    run(['chroot', root, 'useradd', 'someone'])
    run(['chroot', root, 'chown', '-R', 'someone:', os.path.dirname(folder)])
    first = inside(tree, root, 'apt-get update -qq && apt-get install -qq -y make', '/root')
    if not first.returncode:
        first = inside(tree, root, script, folder, 'someone')
        packages = re.findall(r'^ +(apt-get install .*)', first.stdout, re.M)
        if first.returncode and packages:
            first = inside(tree, root, ' && '.join(f'{line} -qq -y' for line in packages), '/root')
            return first if first.returncode else inside(tree, root, script, folder, 'someone')
    first.returncode = first.returncode or 'no packages were missing'
    return first


def fill(tree, folder, needs):
    """Copies what a block needs into the folder. Returns the reason if it is not there."""
    if needs == 'tree':
        listed = subprocess.run(['git', '-C', tree, 'ls-files', '-z'], check=True, capture_output=True).stdout
        subprocess.run(f'tar -C "{tree}" --null --files-from=- -cf - | tar -C "{folder}" -xf -', shell=True, input=listed, check=True)
        return None
    found = glob.glob(f'{tree}/build-release/dist/*-linux-{os.uname().machine}.tar.xz' if needs == 'release' else
                      f'{tree}/build-release/dist/*_{os.uname().machine}.whl')
    for path in found:
        shutil.copy(path, folder)
    return None if found else f'there is no file of `make {needs}`'


def main(tree, work, vmaf, *chosen):
    for tool in 'mmdebstrap', 'unshare', 'ffmpeg':
        if os.getuid() or not shutil.which(tool) or run(['unshare', '--mount', 'true']).returncode:
            print(f'skipped: nothing was installed: needs root, mounts and {tool}')
            return 77
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    reference, distorted = f'{work}/reference.mp4', f'{work}/distorted.mp4'
    for words in (['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=1', '-qp', '0', reference], ['-i', reference, '-crf', '38', distorted]):
        if run(['ffmpeg', '-v', 'error', *words[:-1], '-c:v', 'libx264', words[-1]]).returncode:
            print('skipped: nothing was installed: this ffmpeg has no libx264')
            return 77
    want = run([vmaf, reference, distorted]).stdout.strip().splitlines()[-1]
    with open(f'{tree}/docs/install.md', encoding='utf-8') as file:
        todo = list(to_run(file.read(), set(chosen)))
    failed, left_out = 0, [] if todo else ['every block: none has these words']
    for system, needs, user, commands in todo:
        root, folder = f'{work}/{system}', '/home/someone/my videos' if user == 'user' else '/root/my videos'
        if not system_of(tree, work, system, root):
            left_out.append(f'{system}: it cannot be had here')
            continue
        os.makedirs(root + folder)
        reason = fill(tree, root + folder, needs)
        if reason:
            left_out.append(f'{system}: {reason}')
            continue
        for path in reference, distorted:
            shutil.copy(path, root + folder)
        done = as_user(tree, root, commands, folder) if user == 'user' else \
            inside(tree, root, commands.replace('sudo ', ''), folder)
        got = (done.stdout.strip().splitlines() or [''])[-1]
        if done.returncode or got != want:
            failed += 1
            print(f'{PLACES[system]}, {needs}, as {user}: {done.returncode}; {got!r} and not {want!r}\n{done.stdout[-3000:]}', flush=True)
        else:
            print(f'{PLACES[system]}, {needs}, as {user}: {want}', flush=True)
        shutil.rmtree(root, ignore_errors=True)
    shutil.rmtree(work, ignore_errors=True)
    for reason in left_out:
        print(f'left out: {reason}')
    return 1 if failed else 77 if left_out else 0


def check(tree):
    with open(f'{tree}/docs/install.md', encoding='utf-8') as file:
        bad = unmarked(file.read())
    for line in bad:
        print(f'docs/install.md does not say where this block is run: {line}')
    return 1 if bad else 0


if __name__ == '__main__':
    if sys.argv[1:2] == ['--check']:
        sys.exit(check(sys.argv[2]))
    sys.exit(main(*(os.path.abspath(path) for path in sys.argv[1:4]), *sys.argv[4:]))
