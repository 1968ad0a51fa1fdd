# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Write build_id.c: a hash of the library's sources and of everything else that decides its code.

usage: build_id.py SOURCE_FOLDER OUT DEPFILE WORD...
"""
import hashlib
import os
import sys


def sources(folder):
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(('.c', '.h', '.cpp', '.py', '.build')):
                yield os.path.join(parent, name)


def main():
    folder, out, depfile, *words = sys.argv[1:]
    found = list(sources(folder))
    digest = hashlib.sha256('\0'.join(words).encode())
    for path in found:
        digest.update(os.path.relpath(path, folder).encode() + b'\0')
        with open(path, 'rb') as file:
            digest.update(hashlib.sha256(file.read()).digest())
    with open(out, 'w', encoding='utf-8') as file:
        file.write('#include "gpu/kernels.h"\n\nconst char build_id[] = "%s";\n' % digest.hexdigest())
    with open(depfile, 'w', encoding='utf-8') as file:
        file.write(out + ': ' + ' '.join(path.replace(' ', '\\ ') for path in found) + '\n')


main()
