# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Draws rows as SVG: bars of frames per second, and how far they are from their bounds.

usage: figures.py ROWS.json... ROOFLINE.svg      draws what `bench.py --json` wrote, of several machines if need be
"""
import json
import math
import sys

OURS, THEIRS, BOUND = '#2a6fdb', '#8d96a5', '#c2452d'


def label(row):
    return f'{row["size"]} {row["depth"]}-bit {row["feature"]} {row["backend"]} x{row["threads"]}'


def document(height, title, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="940" height="{height}" '
            'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n'
            f'<text x="300" y="24" font-size="14">{title}</text>\n' + '\n'.join(body) + '\n</svg>\n')


def bars(rows):
    """Returns an SVG with the frames per second of each row as horizontal bars, ours above
    theirs."""
    scale = 560 / max(max(row['fps'], row.get('their_fps') or 0) for row in rows)
    out, y = [], 40
    for row in rows:
        out.append(f'<text x="290" y="{y + 11}" text-anchor="end">{label(row)}</text>')
        for fps, colour in ((row['fps'], OURS), (row.get('their_fps'), THEIRS)):
            if fps is None:
                continue
            out.append(f'<rect x="300" y="{y}" width="{max(fps * scale, 1):.1f}" height="12" fill="{colour}"/>')
            out.append(f'<text x="{306 + fps * scale:.1f}" y="{y + 10}">{fps:.1f}</text>')
            y += 14
        y += 6
    return document(y + 10, 'frames per second (blue: vmaf-turbo, grey: reference)', out)


# ---- roofs ----

ROOFS = (('bound_upload', 'upload'), ('bound_memory', 'memory'), ('bound_operations', 'arithmetic'))
LEFT, WIDTH, STEP = 300, 600, 34


def points(row):
    """Returns the measured points of a row: frames a second, colour, size and name of each."""
    found = [(row.get('their_fps'), THEIRS, 4, 'reference'), (row['fps'], OURS, 4, 'whole run'),
             (row.get('scoring_fps') or None, OURS, 6, 'scoring')]
    return [point for point in found if point[0]]


def roofline(rows):
    """Draws a line for each row, with frames per second from left to right on a logarithmic axis.
    Strokes are bounds and dots are measured values; the area beyond the first bound cannot be
    reached."""
    rows = [row for row in rows if any(row.get(key) for key, _ in ROOFS)]
    if not rows:
        return None
    values = [value for row in rows for value in [point[0] for point in points(row)] +
              [row[key] for key, _ in ROOFS if row.get(key)]]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def across(value):
        return LEFT + WIDTH * (math.log10(value) - low) / max(high - low, 1)

    bottom = 62 + STEP * len(rows)
    out = []
    for power in range(low, high + 1):
        x = across(10.0 ** power)
        out.append(f'<line x1="{x:.1f}" y1="52" x2="{x:.1f}" y2="{bottom}" stroke="#e3e6ea"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{10.0 ** power:g}</text>')
    for i, row in enumerate(rows):
        y = 74 + STEP * i
        roofs = sorted((row[key], name) for key, name in ROOFS if row.get(key))
        end = across(roofs[0][0])
        out.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{label(row)}</text>')
        out.append(f'<line x1="{LEFT}" y1="{y}" x2="{end:.1f}" y2="{y}" stroke="#b9c7dd" stroke-width="3"/>')
        for place, (value, name) in enumerate(roofs):
            x = across(value)
            out.append(f'<line x1="{x:.1f}" y1="{y - 9}" x2="{x:.1f}" y2="{y + 9}" stroke="{BOUND}" stroke-width="2">'
                       f'<title>{name}: {value:.0f}</title></line>')
            out.append(f'<text x="{x + 3:.1f}" y="{y + (12 if place % 2 else -4)}" font-size="8" fill="{BOUND}">{name}</text>')
        for value, colour, size, word in points(row):
            out.append(f'<circle cx="{across(value):.1f}" cy="{y}" r="{size}" fill="{colour}">'
                       f'<title>{word}: {value:.1f}</title></circle>')
    out.append(f'<text x="{LEFT}" y="42">small blue dot: whole run; large: scoring alone; grey: reference; '
               'red strokes: bounds</text>')
    return document(bottom + 30, 'frames per second, and what bounds them', out)


def main(*paths):
    rows = []
    for path in paths[:-1]:
        with open(path) as file:
            rows += json.load(file)['rows']
    with open(paths[-1], 'w') as file:
        file.write(roofline(rows) or document(40, 'no bounds are known', []))


if __name__ == '__main__':
    main(*sys.argv[1:])
