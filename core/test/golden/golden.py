#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Compare the command with recorded reports and scores of the reference, in ../shared beside this
repository.

usage: golden.py VMAF SYNTHCLIP WORKDIR TOP

Exits with 77 (skipped) without ../shared/golden. The synthetic clips are generated here; everything
else comes from there.
"""
import json
import os
import re
import subprocess
import sys

vmaf, synthclip, work, top = (os.path.abspath(p) for p in sys.argv[1:5])
shared = os.path.join(top, '..', 'shared')
golden = os.path.join(shared, 'golden')
failures = 0


def complain(text):
    global failures
    failures += 1
    if failures <= 40:
        print(text)


def prepare():
    """Prepare a folder with synth/ and real/ in which the recorded commands can run."""
    os.makedirs(work + '/synth', exist_ok=True)
    subprocess.check_call([synthclip, '--all', work + '/synth'])
    real = work + '/real'
    if not os.path.islink(real):
        os.symlink(os.path.join(shared, 'clips', 'real'), real)


def neutral(text):
    """Return the report without the values that differ between runs or versions."""
    text = re.sub(r'(<VMAF version=|"version": )"[^"]*"', r'\1""', text)
    return re.sub(r'(fps="|"fps": )[^",\n]*', r'\1', text)


def without_details(name, text):
    """Return our report without the object at its end, which the reference does not write."""
    plain = re.sub(r',\n  "vmaf_turbo": \{\n.*?\n  \}(?=\n\}\n$)', '', text, flags=re.S)
    if (plain == text) == name.endswith('.json'):
        complain(f'{name}: only JSON has vmaf_turbo')
    return plain


def expected(name, text):
    """Return the reference's report with its layout errors corrected as in ours."""
    if name.endswith('.json'):  # the line break after a null is missing
        text = re.sub(r'null,        "', 'null,\n        "', text)
        text = re.sub(r'null      }', 'null\n      }', text)
    return neutral(text)


def columns_sorted(text, skip='$.'):
    """Return the rows of a CSV with the columns sorted by name, without those that match `skip`."""
    rows = [line.split(',') for line in text.strip().split('\n')]
    order = sorted((i for i, name in enumerate(rows[0]) if not re.search(skip, name)), key=lambda i: rows[0][i])
    return [[row[i] for i in order] for row in rows]


def without_csf_1(name, text):
    """Return the report without integer ADM's scores with adm_csf_mode=1. They overflow, and the
    reference's vector code overflows differently than its scalar code. Ours follows the scalar
    code, whose scores are in golden/adm, but these reports come from the vector code."""
    if name.endswith('.csv'):
        return columns_sorted(text, skip='_csf_1_')
    text = re.sub(r'(name="\w+_csf_1_egl_1").*', r'\1', text)
    text = re.sub(r'("\w+_csf_1_egl_1": \{)[^}]*', r'\1', text)
    return re.sub(r'(_csf_1_egl_1"?[:=] ?"?)[\d.]+', r'\1', text)


def check_outputs():
    """Compare every recorded report byte for byte."""
    out = work + '/out'
    cases = json.load(open(golden + '/cli/outputs.json'))['cases']
    for case in cases:
        args = [out if arg == case['file'] else arg for arg in case['args']]
        run = subprocess.run([vmaf] + args, cwd=work, capture_output=True, text=True)
        if run.returncode != case['exit']:
            complain(f"{case['file']}: exit {run.returncode}: {run.stderr[-300:]}")
            continue
        got = neutral(without_details(case['file'], open(out).read()))
        want = expected(case['file'], open(f"{golden}/cli/{case['file']}").read())
        os.remove(out)
        if 'features_only' in case['file']:
            got, want = without_csf_1(case['file'], got), without_csf_1(case['file'], want)
        if 'threads2' in case['file']:  # there the reference writes columns in arbitrary order
            got, want = columns_sorted(got), columns_sorted(want)
        if got != want:
            complain(f"{case['file']}: differs")
    print(f'{len(cases)} reports compared')


def check_names():
    """Compare the metric names of each extractor's configurations, and their order."""
    names = json.load(open(golden + '/cli/names.json'))['names']
    clip = ['-r', 'synth/mix_352x288_10_ref.yuv', '-d', 'synth/mix_352x288_10_dist.yuv', '-w', '352', '-h', '288',
            '-p', '420', '-b', '10', '--frame_cnt', '2', '-n', '--csv', '-o', 'names.csv']
    for feature, want in names.items():
        run = subprocess.run([vmaf] + clip + ['--feature', feature], cwd=work, capture_output=True, text=True)
        if run.returncode:
            complain(f'{feature}: exit {run.returncode}: {run.stderr[-300:]}')
            continue
        got = open(work + '/names.csv').readline().strip().split(',')[1:-1]
        if got != want:
            complain(f'{feature}: {got}, not {want}')
    print(f'{len(names)} lists of names compared')


def y4m(name, clip, header, frame):
    data = open(f'{work}/real/{clip}', 'rb').read(2 * frame)
    with open(f'{work}/{name}', 'wb') as file:
        file.write(f'YUV4MPEG2 W576 H324 F24:1 Ip {header}\n'.encode())
        for i in (0, frame):
            file.write(b'FRAME\n' + data[i:i + frame])


def check_depths():
    """Check videos of different depths: the one with the lower depth is widened."""
    frame = 576 * 324 * 3 // 2
    for side, hrc in (('r', '00'), ('d', '01')):
        y4m(side + '8.y4m', f'src01_hrc{hrc}_576x324.yuv', 'C420jpeg', frame)
        y4m(side + '10.y4m', f'src01_hrc{hrc}_576x324.yuv420p10le.yuv', 'C420p10', 2 * frame)
    for ref, dist, want in (('r10.y4m', 'd8.y4m', 'common_bitdepth.csv'),
                            ('r8.y4m', 'd10.y4m', 'common_bitdepth_swapped.csv')):
        subprocess.run([vmaf, '-r', ref, '-d', dist, '--aom_ctc', 'v6.0', '--csv', '-o', 'out.csv'], cwd=work)
        if open(work + '/out.csv').read() != open(f'{golden}/cli/{want}').read():
            complain(f'{want}: differs')


def check_values():
    """Compare every recorded score to the last bit."""
    run = subprocess.run([sys.executable, golden + '/check.py', vmaf, '--clips', work])
    if run.returncode:
        complain('scores differ')


if not os.path.isdir(golden):
    print('no reference figures beside the repository: skipped')
    sys.exit(77)
prepare()
check_outputs()
check_names()
check_depths()
check_values()
print(f'{failures} failures')
sys.exit(1 if failures else 0)
