# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Prints rows as lines of a terminal and as a Markdown table. A row is a dict; missing values are left blank."""

# Heading, width, the row's key, format.
COLUMNS = (
    ('size', 10, 'size', '{}'), ('bits', 4, 'depth', '{}'), ('feature', 15, 'feature', '{}'),
    ('threads', 7, 'threads', '{}'), ('backend', 7, 'backend', '{}'), ('pairs', 5, 'pairs', '{}'),
    ('fps', 8, 'fps', '{:.1f}'), ('scoring', 8, 'scoring_fps', '{:.1f}'), ('cycles/px', 9, 'cycles', '{:.1f}'),
    ('B/px', 4, 'bytes', '{}'), ('MiB', 5, 'memory', '{:.0f}'),
    ('their fps', 9, 'their_fps', '{:.1f}'), ('their cycles', 12, 'their_cycles', '{:.1f}'),
    ('their MiB', 9, 'their_memory', '{:.0f}'), ('speed-up', 8, 'ratio', '{:.2f}x'),
    ('scores', 8, 'difference', '{}'), ('kernels, us', 11, 'kernels', '{:.1f}'),
    ('a frame, us', 11, 'frame', '{:.1f}'),
    ('upload bound', 12, 'bound_upload', '{:.0f}'), ('memory bound', 12, 'bound_memory', '{:.0f}'),
    ('arithmetic bound', 16, 'bound_operations', '{:.0f}'), ('of bound', 8, 'share', '{:.0%}'),
)


def used(keys):
    """Returns the columns that rows of a run may fill."""
    return [column for column in COLUMNS if column[2] in keys]


def cells(row, columns):
    return ['' if row.get(key) is None else form.format(row[key]) for _, _, key, form in columns]


def line(words, columns):
    return '  '.join(word.rjust(width) for word, (_, width, _, _) in zip(words, columns))


def heading(columns):
    return line([name for name, *_ in columns], columns)


def markdown(rows, columns):
    lines = ['| ' + ' | '.join(name for name, *_ in columns) + ' |', '|' + '---|' * len(columns)]
    lines += ['| ' + ' | '.join(cells(row, columns)) + ' |' for row in rows]
    return '\n'.join(lines) + '\n'
