# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Does what docs/install.md says, in fresh systems. A comment before a block of commands names where it is run:

    <!-- run in: bookworm trixie noble; with: tree -->

        sudo apt-get install -y make
        ...

The commands are run there in a folder that has what `with` names (tree: the source; release: the tarball of `make release`; wheel:
the file of `make wheel`) and two videos, reference.mp4 and distorted.mp4. The last line of what they print must be the score.

usage: install_test.py TREE WORKDIR VMAF [FILTER]...
  VMAF     a build of this tree: its score is the expected one
  FILTER   only blocks whose system and `with` these words name, such as `noble release`

Exit status 77: some systems could not be had here; the message names them.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

tree, work, vmaf = (os.path.abspath(path) for path in sys.argv[1:4])
chosen = set(sys.argv[4:])
MACHINE = {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(os.uname().machine, os.uname().machine)
# Debian's releases come from where this machine's packages come from.
UBUNTU = 'deb [trusted=yes] http://archive.ubuntu.com/ubuntu {0} main universe'
PLACES = {'bullseye': 'Debian 11', 'bookworm': 'Debian 12', 'trixie': 'Debian 13', 'noble': 'Ubuntu 24.04', 'musl': 'musl alone'}


def run(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', check=False, **more)


def blocks(text):
    """(system, what is needed, commands) of each block that is run."""
    for systems, needs, indented in re.findall(r'<!-- run in: ([\w ]+); with: (\w+) -->\n\n((?:    .*\n|\n(?=    ))+)', text):
        commands = '\n'.join(line[4:] for line in indented.splitlines())
        for system in systems.split():
            if not chosen - {system, needs} or chosen >= {system, needs}:
                yield system, needs, commands


def mirror():
    text = ''
    for path in glob.glob('/etc/apt/sources.list.d/debian.sources') + glob.glob('/etc/apt/sources.list'):
        with open(path, encoding='utf-8') as file:
            text += file.read()
    return re.findall(r'https?://[^ \n]*/debian/?(?=[ \n])', text)[:1]


def system_of(name, root):
    """Makes a fresh system. Returns False if it cannot be had here."""
    shutil.rmtree(root, ignore_errors=True)
    if name != 'musl':
        source = [UBUNTU.format(name)] if name in ('noble',) else mirror()
        return not run(['mmdebstrap', '--quiet', '--variant=apt', '--include=xz-utils', name, root, *source]).returncode
    if run([f'{tree}/scripts/debian-files', 'bookworm', MACHINE, root, f'{work}/apt', 'musl', 'busybox-static']).returncode:
        return False
    for folder in 'usr/bin', 'usr/local/bin', 'proc', 'dev', 'tmp', 'opt', 'root':
        os.makedirs(f'{root}/{folder}', exist_ok=True)
    return not run(['chroot', root, '/bin/busybox', '--install', '-s', '/usr/bin']).returncode and \
        not os.symlink('busybox', f'{root}/bin/sh')


def inside(root, script, folder):
    """Runs commands as root, with the kernels that other builds of this machine have compiled."""
    cache = os.environ.get('VMAF_KERNEL_CACHE', f'{tree}/build-kernels')
    os.makedirs(cache, exist_ok=True)
    os.makedirs(f'{root}/kernels', exist_ok=True)
    return run(['unshare', '--mount', 'sh', '-c', 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && '
                'mount --bind "$3" "$0/kernels" && exec chroot "$0" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin '
                'HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive VMAF_KERNEL_CACHE=/kernels sh -e -c "cd $2 && $1"', root, script,
                folder, cache])


def fill(folder, needs):
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


def main():
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
        todo = list(blocks(file.read()))
    failed, left_out = 0, [] if todo else ['every block: none has these words']
    for system, needs, commands in todo:
        root, folder = f'{work}/{system}', '/root/here'
        if not system_of(system, root):
            left_out.append(f'{system}: it cannot be had here')
            continue
        os.makedirs(root + folder)
        reason = fill(root + folder, needs)
        if reason:
            left_out.append(f'{system}: {reason}')
            continue
        for path in reference, distorted:
            shutil.copy(path, root + folder)
        done = inside(root, commands.replace('sudo ', ''), folder)
        got = (done.stdout.strip().splitlines() or [''])[-1]
        if done.returncode or got != want:
            failed += 1
            print(f'{PLACES[system]}, {needs}: {done.returncode}; {got!r} and not {want!r}\n{done.stdout[-3000:]}', flush=True)
        else:
            print(f'{PLACES[system]}, {needs}: {want}', flush=True)
        shutil.rmtree(root, ignore_errors=True)
    shutil.rmtree(work, ignore_errors=True)
    for reason in left_out:
        print(f'left out: {reason}')
    return 1 if failed else 77 if left_out else 0


if __name__ == '__main__':
    sys.exit(main())
