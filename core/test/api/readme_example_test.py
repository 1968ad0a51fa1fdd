#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that the C program in README.md compiles as pasted, links, and scores ten pairs.

usage: readme_example_test.py README FOLDER INCLUDE LIBRARY -- CC...
"""
import os
import re
import subprocess
import sys

# The function that the reader of README.md has to supply. This one gives ten pairs of equal grey
# pictures.
READ_PAIR = '''
#include <string.h>
#include <libvmaf/libvmaf.h>
int read_pair(VmafPicture *ref, VmafPicture *dist);
int read_pair(VmafPicture *ref, VmafPicture *dist)
{
    static int pairs;
    VmafPicture *const pictures[] = { ref, dist };
    if (pairs++ == 10)
        return 0;
    for (int i = 0; i < 2; i++) {
        if (vmaf_picture_alloc(pictures[i], VMAF_PIX_FMT_YUV420P, 8, 64, 64))
            return 0;
        for (int p = 0; p < 3; p++)
            for (unsigned y = 0; y < pictures[i]->h[p]; y++)
                memset((char *)pictures[i]->data[p] + (size_t)y * pictures[i]->stride[p], 128, pictures[i]->w[p]);
    }
    return 1;
}
'''


def main():
    split = sys.argv.index('--')
    readme, folder, include, library = sys.argv[1:split]
    compiler = sys.argv[split + 1:]
    blocks = re.findall(r'^```c\n(.*?)^```$', open(readme).read(), re.M | re.S)
    if len(blocks) != 1:
        sys.exit(f'README.md should have one C program, not {len(blocks)}')
    os.makedirs(folder, exist_ok=True)
    for name, text in (('example.c', blocks[0]), ('read_pair.c', READ_PAIR)):
        with open(f'{folder}/{name}', 'w') as file:
            file.write(text)
    subprocess.run([*compiler, '-std=c99', '-Wall', '-Wextra', '-Werror', f'-I{include}', f'{folder}/example.c', f'{folder}/read_pair.c',
                    library, f'-Wl,-rpath,{os.path.dirname(os.path.abspath(library))}', '-o', f'{folder}/example'], check=True)
    run = subprocess.run([f'{folder}/example'], capture_output=True, text=True)
    print(run.stdout, run.stderr)
    score = float(run.stdout) if run.returncode == 0 else -1
    sys.exit(0 if 95 < score <= 100 else f'exit status {run.returncode}, score {score}: equal pictures score above 95')


main()
