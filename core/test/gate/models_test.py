# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that every built-in model runs completely on a device: none of its features stays on the
CPU, and the scores are equal. Checks the same for cambi's heat maps.

usage: models_test.py VMAF SYNTHCLIP BACKEND
"""
import json
import os
import re
import subprocess
import sys
import tempfile

VMAF, SYNTHCLIP, BACKEND = sys.argv[1:4]
CLIP = ('mix', 640, 480, '420', 8, 2)  # large enough for all models, at every scale they use
SKIPPED = 77


def run(folder, backend, *words):
    """Return the clip's report and the command's messages, or None if the backend has no device."""
    report = f'{folder}/{backend}.json'
    _, width, height, sampling, depth, _ = CLIP
    command = [VMAF, '-r', f'{folder}/ref.yuv', '-d', f'{folder}/dist.yuv', '-w', str(width), '-h', str(height), '-p',
               sampling, '-b', str(depth), '--json', '--precision', 'max', '-o', report, '--backend', backend, *words]
    if backend != 'cpu':
        command += ['--allow_software']
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and 'cannot run here' in done.stderr:
        return None, done.stderr
    if done.returncode:
        sys.exit(f'{" ".join(words)} on {backend}: exit {done.returncode}: {done.stderr}')
    return json.load(open(report)), done.stderr


def check_model(folder, model):
    words = ('-m', f'version={model}')
    device, said = run(folder, BACKEND, *words)
    if device is None:
        print(said)
        sys.exit(SKIPPED)
    left = [name for name, entry in device['backends'].items() if entry['backend'] != BACKEND]
    if left or not device['backends'] or 'on the CPU' in said or 'CPU:' in said:
        sys.exit(f'{model}: left on the CPU: {left}\n{said}')
    again = sum(entry['frames_on_cpu'] for entry in device['backends'].values())
    if again:
        sys.exit(f'{model}: {again} frames were measured again on the CPU')
    cpu, _ = run(folder, 'cpu', *words)
    for key in ('frames', 'pooled_metrics', 'aggregate_metrics'):
        if device[key] != cpu[key]:
            sys.exit(f'{model}: other {key} than on the CPU')
    print(f'{model}: {", ".join(device["backends"])}')


def paint_bands(folder):
    """Make a clip with steps of one code value that move from frame to frame, because synthclip's
    kinds have no banding."""
    _, width, height, _, _, frames = CLIP
    for name, step in (('ref', 53), ('dist', 29)):
        with open(f'{folder}/{name}.yuv', 'wb') as file:
            for frame in range(frames):
                for y in range(height):
                    file.write(bytes(51 + (x // 37 + y // step + frame) % 23 for x in range(width)))
                file.write(bytes([128]) * (width * height // 2))


def heat_maps(folder, backend, words):
    path = f'{folder}/maps_{backend}'
    report, _ = run(folder, backend, '-n', '--feature', f'cambi=heatmaps_path={path}{words}')
    files = {name: open(f'{path}/{name}', 'rb').read() for name in sorted(os.listdir(path))}
    return report, files


def check_heat_maps(folder, words, any_banding):
    cpu, wanted = heat_maps(folder, 'cpu', words)
    device, maps = heat_maps(folder, BACKEND, words)
    entry = device['backends']['cambi']
    if entry['backend'] != BACKEND or entry['frames_on_cpu']:
        sys.exit(f'heat maps: {entry}')
    if device['frames'] != cpu['frames']:
        sys.exit('heat maps: other scores than on the CPU')
    if len(maps) != 5 or any(any(data) for data in maps.values()) != any_banding:
        sys.exit(f'heat maps: {len(maps)} files, and that is not what the clip holds')
    if maps != wanted:
        sys.exit(f'other heat maps than on the CPU: {[name for name in wanted if maps.get(name) != wanted[name]]}')


def main():
    listed = subprocess.run([VMAF, '--list_models'], capture_output=True, text=True, check=True).stdout
    models = re.findall(r'^(vmaf_\S+)', listed, re.M)
    if len(models) < 10:
        sys.exit(f'few models are listed: {models}')
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SYNTHCLIP, *(str(word) for word in CLIP), f'{folder}/ref.yuv', f'{folder}/dist.yuv'], check=True)
        for model in models:
            check_model(folder, model)
        paint_bands(folder)
        check_heat_maps(folder, '', True)
        check_heat_maps(folder, ':full_ref=true:cambi_high_res_speedup=1080', True)
        check_heat_maps(folder, ':tvi_threshold=0.0001:cambi_vis_lum_threshold=300:max_log_contrast=0', False)


main()
