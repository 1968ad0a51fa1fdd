# SPDX-License-Identifier: BSD-2-Clause-Patent
"""following_test.py SOURCE BUILD WORKDIR: scripts/following.py finds what another libvmaf has that ours lacks."""
import os
import shutil
import subprocess
import sys

source, build, work = (os.path.abspath(p) for p in sys.argv[1:4])
problems = []


def compare(prefix, status, *lines):
    done = subprocess.run([sys.executable, f'{source}/scripts/following.py', prefix, '--ours', build], capture_output=True,
                          text=True, check=False)
    said = done.stdout.splitlines()
    if done.returncode != status or sorted(said[:-1]) != sorted(lines):
        problems.append(prefix)
        print(f'{prefix}: exit status {done.returncode}, said:\n{done.stdout}{done.stderr}')


def change(name, before, after):
    path = f'{work}/other/include/libvmaf/{name}'
    with open(path, encoding='utf-8') as file:
        text = file.read()
    assert before in text, before
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text.replace(before, after, 1))


shutil.rmtree(work, ignore_errors=True)
for name in ('same', 'other'):
    os.makedirs(f'{work}/{name}/bin')
    os.makedirs(f'{work}/{name}/lib')
    shutil.copytree(f'{source}/core/include/libvmaf', f'{work}/{name}/include/libvmaf')
    shutil.copy(f'{build}/src/picture.h', f'{work}/{name}/include/libvmaf')
    with open(f'{build}/src/libvmaf.so', 'rb') as ours, open(f'{work}/{name}/lib/libvmaf.so', 'wb') as theirs:
        theirs.write(ours.read().replace(b'vmaf-turbo', b'vmaf-other'))
os.symlink(f'{build}/tools/vmaf', f'{work}/same/bin/vmaf')
compare(f'{work}/same', 0)

change('model.h', '#ifdef __cplusplus', 'int vmaf_model_dream(VmafModel *model, unsigned depth);\n#ifdef __cplusplus')
change('picture.h', '    VmafRef *ref;', '    unsigned hue[3]; VmafRef *ref;')
change('picture.h', 'VMAF_PIX_FMT_YUV400P\n', 'VMAF_PIX_FMT_YUV400P,\n    VMAF_PIX_FMT_YUV410P\n')
change('libvmaf.h', 'VMAF_EXPORT int vmaf_close(VmafContext *vmaf)', 'VMAF_EXPORT int vmaf_close(VmafContext *vmaf, int now)')
with open(f'{work}/other/lib/libvmaf.so', 'ab') as file:
    file.write(b'\0vmaf_v1.0.17_3d0h\0')
with open(f'{work}/other/bin/vmaf', 'w', encoding='utf-8') as file:
    file.write('#!/bin/sh\necho "  --reference PATH: a video"; echo "  --dream-depth N: a number"\n')
os.chmod(f'{work}/other/bin/vmaf', 0o755)
compare(f'{work}/other', 1, 'function vmaf_model_dream: VmafModel *, unsigned', 'enum value VMAF_PIX_FMT_YUV410P: 5',
        'struct VmafPicture has the fields pix_fmt bpc w h stride data hue ref priv; ours pix_fmt bpc w h stride data ref priv',
        'function vmaf_close takes (VmafContext *, int), ours (VmafContext *)', 'model vmaf_v1.0.17_3d0h', 'option dream_depth')
os.makedirs(f'{work}/empty/lib')
os.symlink('nowhere', f'{work}/empty/lib/libvmaf.so')
os.makedirs(f'{work}/ours/lib')
shutil.copy(f'{build}/src/libvmaf.so', f'{work}/ours/lib')
for name, words in (('empty', 'could be compared'), ('ours', 'is vmaf-turbo')):
    done = subprocess.run([sys.executable, f'{source}/scripts/following.py', f'{work}/{name}', '--ours', build],
                          capture_output=True, text=True, check=False)
    if done.returncode != 2 or words not in done.stderr:
        problems.append(name)
        print(f'{name}: exit status {done.returncode}, said: {done.stdout}{done.stderr}')
sys.exit(bool(problems))
