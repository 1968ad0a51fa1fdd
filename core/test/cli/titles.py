# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Writes JSON reports of many titles, with scores that a test knows."""
import json
import os
import random


def scores_of(number, frames, drop=0.0):
    """Returns the scores of a title: each title has a level of its own."""
    draw = random.Random(number)
    level = min(97.0, max(30.0, draw.gauss(90, 6)))
    return [round(min(100.0, max(0.0, level + draw.gauss(0, 2) - drop)), 6) for _ in range(frames)]


def report(number, frames, drop=0.0, **more):
    """Returns a report. `more` replaces fields of the object vmaf_turbo."""
    scores = scores_of(number, frames, drop)
    codec, (width, height) = ('h264', 'hevc', 'av1')[number % 3], ((1920, 1080), (1280, 720), (960, 540))[number % 7 % 3]
    reference = {'path': f'/sources/title {number}.mov', 'width': 1920, 'height': 1080, 'bitdepth': 8, 'frame_rate': '25/1'}
    distorted = dict(reference, path=f'/encodes/show {number // 20:03}/episode {number % 20:02}.mp4', width=width, height=height,
                     codec=codec, bit_rate=300000 + number * 811 % 5000000, frames=frames)
    details = {'schema': 1, 'program': 'vmaf-turbo', 'version': '3.2.0', 'complete': True, 'warnings': [],
               'inputs': {'reference': reference, 'distorted': distorted}, 'times': [round(i / 25, 6) for i in range(frames)],
               'models': [{'metric': 'vmaf', 'source': 'vmaf_v0.6.1'}], 'features': [], 'options': [], **more}
    return {'version': '3.2.0', 'frames': [{'frameNum': i, 'metrics': {'vmaf': score}} for i, score in enumerate(scores)],
            'pooled_metrics': {}, 'aggregate_metrics': {}, 'vmaf_turbo': details}


def name_of(number):
    """Returns the path of a report inside its folder. Some names need care in addresses."""
    return f'show {number // 20:03}/episode {number % 20:02}{" #5 50%?" if number % 20 == 7 else ""}.json'


def write(folder, number, data):
    path = os.path.join(folder, name_of(number))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        json.dump(data, file)
    return path
