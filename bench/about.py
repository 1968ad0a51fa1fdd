# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What was compared: the version and the instruction set of both commands, and the ratio over all rows."""
import statistics


def best_of_cpu(information):
    """Returns the name of the best instruction set that /proc/cpuinfo lists for libvmaf's vector code, or None."""
    flags = information.replace('\n', ' ').split()
    for flag, name in (('avx512bw', 'AVX-512'), ('avx2', 'AVX2'), ('ssse3', 'SSSE3'), ('asimd', 'NEON')):
        if flag in flags:
            return name
    return None


def of_run(run, information):
    """Returns the version that a report names, and the instruction set: that of the report, else the CPU's best."""
    own = run.report.get('vmaf_turbo', {})
    sets = sorted({feature['instruction_set'] for feature in own.get('features', []) if feature.get('instruction_set')})
    places = sorted({feature['backend'] for feature in own.get('features', []) if feature.get('backend') != 'cpu'})
    best = best_of_cpu(information)
    guess = f'{best}, the best of this CPU (it does not say)' if best else 'unknown instruction set'
    return {'program': own.get('program', 'libvmaf'), 'version': run.report.get('version', 'of unknown version'),
            'instruction_set': ', '.join(sets + places) or guess}


def text(about):
    return f'{about["program"]} {about["version"]}, {about["instruction_set"]}'


def summary(rows, path):
    """Returns the lines at the end of a comparison; no lines if there was none."""
    ratios = sorted(row['ratio'] for row in rows if 'ratio' in row)
    if not ratios:
        return []
    return [f'Ours: {text(rows[0]["about"])}', f'Reference: {text(rows[0]["their_about"])}; {path}',
            f'Ratio: {statistics.median(ratios):.2f}x (median of {len(ratios)} row{"s" if len(ratios) > 1 else ""}, '
            f'{ratios[0]:.2f}x to {ratios[-1]:.2f}x)']
