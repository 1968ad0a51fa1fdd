#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Writes the text files of this folder from the official model files (JSON).

usage: convert.py FOLDER_WITH_JSON_FILES

Run it only when the official files change; its output is committed. The formats are described in
docs/models.md. Numbers are written with the fewest digits that read back to the same double.
"""
import json
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

PHONE = '; with its transform, phones'
SUMMARIES = {
    'vmaf_v0.6.1': '1080p television at 3 picture heights, the long-time default' + PHONE,
    'vmaf_v0.6.1neg': 'v0.6.1 without credit for enhancement, to compare codecs',
    'vmaf_4k_v0.6.1': '4K television at 1.5 picture heights',
    'vmaf_4k_v0.6.1neg': '4k_v0.6.1 without credit for enhancement, to compare codecs',
    'vmaf_b_v0.6.3': '1080p television with a confidence interval from 20 more models',
    'vmaf_float_v0.6.1': 'v0.6.1 on the floating-point features',
    'vmaf_float_v0.6.1neg': 'v0.6.1neg on the floating-point features',
    'vmaf_float_4k_v0.6.1': '4k_v0.6.1 on the floating-point features',
    'vmaf_float_b_v0.6.3': 'b_v0.6.3 on the floating-point features',
    'vmaf_v1.0.16_3d0h': 'v1: 1080p at 3 picture heights, the standard choice of its generation',
    'vmaf_v1.0.16_5d0h': 'v1: phone, 1080p at 5 picture heights',
    'vmaf_v1.0.16_1d5h_2160': 'v1: 4K at 1.5 picture heights, the usual choice for 4K',
    'vmaf_v1.0.16_3d0h_2160': 'v1: 4K television at 3 picture heights; scores reach 110',
    'vmaf_v1.0.16_hfr_3d0h': 'v1: as 3d0h, for 50 or 60 frames a second',
    'vmaf_v1.0.16_hfr_5d0h': 'v1: as 5d0h, for 50 or 60 frames a second',
    'vmaf_v1.0.16_hfr_1d5h_2160': 'v1: as 1d5h_2160, for 50 or 60 frames a second',
    'vmaf_v1.0.16_hfr_3d0h_2160': 'v1: as 3d0h_2160, for 50 or 60 frames a second',
}
TYPES = {'LIBSVMNUSVR': 'nu_svr', 'BOOTSTRAP_LIBSVMNUSVR': 'bootstrap',
         'RESIDUEBOOTSTRAP_LIBSVMNUSVR': 'residue_bootstrap'}
ORIGIN = '# Figures of %s of Netflix VMAF, copyright (c) 2020 Netflix, Inc.,\n' \
         '# licence BSD-2-Clause-Patent: see NOTICE. Written by convert.py.\n'


def number(value):
    text = repr(float(value))
    return text[:-2] if text.endswith('.0') else text


def option(value):
    """Option text as the library keeps it: numbers in single precision, six digits."""
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, str):
        return value
    return '%g' % struct.unpack('f', struct.pack('f', value))[0]


def svr_text(name, svm, width):
    head, body = svm.split('\nSV\n')
    head = dict(line.split() for line in head.split('\n'))
    assert head['svm_type'] == 'nu_svr' and head['kernel_type'] == 'rbf' and head['nr_class'] == '2'
    rows = []
    for line in body.split('\n')[:int(head['total_sv'])]:
        coefficient, *pairs = line.split()
        values = {int(i): float(v) for i, v in (p.split(':') for p in pairs)}
        assert not values or max(values) <= width
        rows.append(' '.join([number(coefficient)] + [number(values.get(i + 1, 0)) for i in range(width)]))
    assert len(rows) == int(head['total_sv'])
    return '\nsvr %s\ngamma %s\nrho %s\n%s\n' % (name, number(head['gamma']), number(head['rho']),
                                                '\n'.join(rows))


def transform_words(t):
    words = ['on' if t.get('enabled', False) else 'off']
    words += ['%s=%s' % (k, number(t[k])) for k in ('p0', 'p1', 'p2') if k in t]
    words += [k for k in ('out_lte_in', 'out_gte_in') if t.get(k) == 'true']
    assert 'knots' not in t
    return ' '.join(words)


def model_text(name, m, svrs):
    options = m.get('feature_opts_dicts', [{}] * len(m['feature_names']))
    lines = ['name ' + name, 'summary ' + SUMMARIES[name], 'type ' + TYPES[m['model_type']],
             'norm ' + m['norm_type'],
             'score %s %s' % (number(m['slopes'][0]), number(m['intercepts'][0]))]
    for feature, slope, intercept, opts in zip(m['feature_names'], m['slopes'][1:],
                                               m['intercepts'][1:], options):
        lines.append(' '.join(['feature', feature, number(slope), number(intercept)] +
                              ['%s=%s' % (k, option(v)) for k, v in opts.items()]))
    if 'score_clip' in m:
        lines.append('clip %s %s' % tuple(map(number, m['score_clip'])))
    if 'score_transform' in m:
        lines.append('transform ' + transform_words(m['score_transform']))
    if 'chroma_correction_parameter' in m:
        lines.append('chroma ' + number(m['chroma_correction_parameter']))
    lines += ['svr ' + s for s in svrs]
    return '\n'.join(lines) + '\n'


def main(folder):
    svrs, files = {}, {}  # SVM text -> name; file name -> text
    for name in SUMMARIES:
        source = name + '.json'
        with open(os.path.join(folder, source)) as f:
            root = json.load(f)
        members = [root] if 'model_dict' in root else [root[str(i)] for i in range(len(root))]
        dicts = [m['model_dict'] for m in members]
        rest = [{k: v for k, v in d.items() if k != 'model'} for d in dicts]
        assert all(r == rest[0] for r in rest)  # members of a collection differ in the SVM only
        used = []
        for i, d in enumerate(dicts):
            if d['model'] not in svrs:
                family = name[len('vmaf_'):] if not name.startswith('vmaf_v1') else 'v1.0.16'
                label = family if len(dicts) == 1 else '%s_%02d' % (family, i)
                svrs[d['model']] = label
                path = 'svr/%s.txt' % family
                files.setdefault(path, ORIGIN % source)
                files[path] += svr_text(label, d['model'], len(d['feature_names']))
            used.append(svrs[d['model']])
        files[name + '.txt'] = ORIGIN % source + model_text(name, dicts[0], used)
    for path, text in files.items():
        with open(os.path.join(HERE, path), 'w') as f:
            f.write(text)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
