#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Turns the text files of model/ into constant tables in C.

usage: gen_builtin.py OUTPUT.c FILE.txt...

Built-in models keep the order in which their files are given. Numbers are copied as text; the C
compiler converts them.
"""
import re
import sys

TYPES = {'nu_svr': 'MODEL_TYPE_NU_SVR', 'bootstrap': 'MODEL_TYPE_BOOTSTRAP',
         'residue_bootstrap': 'MODEL_TYPE_RESIDUE_BOOTSTRAP'}
NORMS = {'none': 'MODEL_NORM_NONE', 'linear_rescale': 'MODEL_NORM_LINEAR_RESCALE'}


def lines_of(path):
    with open(path, encoding='utf-8') as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                yield line.split()


def identifier(name):
    return re.sub(r'[^0-9A-Za-z]', '_', name)


def quoted(text):
    return '"%s"' % text.replace('\\', '\\\\').replace('"', '\\"')


def read_svrs(path, svrs):
    svr = None
    for words in lines_of(path):
        if words[0] == 'svr':
            svr = svrs[words[1]] = {'rows': []}
        elif words[0] in ('gamma', 'rho'):
            svr[words[0]] = words[1]
        else:
            svr['rows'].append(words)


def svr_tables(name, svr):
    rows, tag = svr['rows'], identifier(name)
    width = len(rows[0]) - 1
    assert all(len(row) == width + 1 for row in rows)
    return '\n'.join([
        'static const double coefficients_%s[] = {' % tag,
        '    ' + ', '.join(row[0] for row in rows),
        '};',
        'static const double vectors_%s[] = {' % tag,
        *('    %s,' % ', '.join(row[1:]) for row in rows),
        '};',
        'static const Svr svr_%s = {' % tag,
        '    .kernel = SVR_RBF, .gamma = %s, .rho = %s, .count = %d, .width = %d,' %
        (svr['gamma'], svr['rho'], len(rows), width),
        '    .coefficients = coefficients_%s, .vectors = vectors_%s,' % (tag, tag),
        '};', ''])


def transform_fields(words):
    fields = ['.enabled = %s' % {'on': 'true', 'off': 'false'}[words[0]]]
    for word in words[1:]:
        key, _, value = word.partition('=')
        if value:
            term = ('p0', 'p1', 'p2').index(key)
            fields += ['.has_p[%d] = true' % term, '.p[%d] = %s' % (term, value)]
        else:
            fields.append('.%s = true' % {'out_lte_in': key, 'out_gte_in': key}[key])
    return '.transform = {%s}' % ', '.join(fields)


def model_tables(path):
    """Returns the model's tables and its row in the list of models, both as C text."""
    fields, features, svrs, options = [], [], [], []
    for words in lines_of(path):
        key, rest = words[0], words[1:]
        if key == 'name':
            name, tag = rest[0], identifier(rest[0])
        elif key == 'summary':
            summary = ' '.join(rest)
        elif key == 'type':
            fields.append('.type = ' + TYPES[rest[0]])
        elif key == 'norm':
            fields.append('.norm = ' + NORMS[rest[0]])
        elif key == 'score':
            fields.append('.slope = %s, .intercept = %s' % tuple(rest))
        elif key == 'clip':
            fields.append('.clip_on = true, .clip_min = %s, .clip_max = %s' % tuple(rest))
        elif key == 'transform':
            fields.append(transform_fields(rest))
        elif key == 'chroma':
            fields.append('.chroma_on = true, .chroma = %s' % rest[0])
        elif key == 'svr':
            svrs.append('&svr_' + identifier(rest[0]))
        elif key == 'feature':
            table = 'NULL'
            if rest[3:]:
                table = 'options_%s_%d' % (tag, len(features))
                pairs = [quoted(part) for word in rest[3:] for part in word.split('=', 1)]
                options.append('static const char *const %s[] = {%s, NULL};' % (table, ', '.join(pairs)))
            features.append('    {%s, %s, %s, %s},' % (quoted(rest[0]), rest[1], rest[2], table))
        else:
            sys.exit('%s: unknown word %s' % (path, key))
    tables = options + ['static const BuiltinFeature features_%s[] = {' % tag, *features, '};',
                        'static const Svr *const svrs_%s[] = {%s};' % (tag, ', '.join(svrs)), '']
    row = ['.about = {%s, %s, %s}' % (quoted(name), quoted(summary), str(len(svrs) > 1).lower()),
           *fields,
           '.features = features_%s, .feature_count = %d' % (tag, len(features)),
           '.svrs = svrs_%s, .svr_count = %d' % (tag, len(svrs))]
    return '\n'.join(tables), '    {\n        %s,\n    },' % ',\n        '.join(row)


def main(output, paths):
    svrs, tables, rows = {}, [], []
    for path in paths:
        if next(lines_of(path))[0] == 'svr':
            read_svrs(path, svrs)
        else:
            text, row = model_tables(path)
            tables.append(text)
            rows.append(row)
    parts = ['/* Written by gen_builtin.py from model/: do not edit. */', '#include "model/model.h"', '',
             *(svr_tables(name, svr) for name, svr in svrs.items()), *tables,
             'const BuiltinTable builtin_tables[] = {', *(rows or ['    { .about = { 0 } },']), '};',
             'const unsigned builtin_table_count = %d;' % len(rows), '']
    with open(output, 'w', encoding='utf-8') as f:
        f.write('\n'.join(parts))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
