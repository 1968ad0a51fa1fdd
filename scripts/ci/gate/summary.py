# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The gate's results, as text, JSON and Markdown."""
import json


class Line:
    """The comparison of one clip and option set on one device."""

    def __init__(self, clip, number, side, specs):
        self.clip, self.number, self.side, self.specs = clip, number, side, specs
        self.features = list(dict.fromkeys(spec.split('=')[0] for spec in specs))
        self.values = self.frames = self.on_cpu = 0
        self.problem = None
        self.compared = set()  # features of which the device itself measured a frame, with a finite score

    def print(self):
        head = f'{self.clip:10}  {self.number}  {self.side.title()[:28]:28}  '
        names = ' '.join(self.features)
        if self.problem:
            print(f'{head}     -      -  FAIL          {names}\n    {self.problem}', flush=True)
        else:
            print(f'{head}{self.values:6}  {self.on_cpu:5}  equal         {names}', flush=True)


def describe_side(side):
    device = side.device
    return {'backend': side.backend} | ({} if not device else {
        key: value for key, value in (('device', device.name), ('device_type', device.type), ('device_index', device.index),
                                      ('device_uuid', device.uuid), ('device_pci', device.pci)) if value is not None})


def as_json(first, others, lines, problems, places):
    return json.dumps({
        'agree': not problems and not any(line.problem for line in lines),
        'places': places,
        'first': describe_side(first),
        'others': [describe_side(side) for side in others],
        'problems': problems,
        'lines': [{'clip': line.clip, 'set': line.number, 'side': others.index(line.side), 'features': line.specs,
                   'frames': line.frames, 'values': line.values, 'frames_on_cpu': line.on_cpu,
                   'agree': not line.problem} | ({'problem': line.problem} if line.problem else {}) for line in lines],
    }, indent=2) + '\n'


def cell(text):
    return str(text).replace('|', '\\|').replace('\n', ' ')


def as_markdown(first, others, lines, problems, places):
    failed = [line for line in lines if line.problem]
    how = f'to {places} decimal places' if places is not None else 'to the last bit'
    text = [f'### Gate: {first.title()} against {", ".join(side.title() for side in others)}', '']
    text += [f'- {cell(problem)}' for problem in problems]
    text += [f'{len(failed)} of {len(lines)} comparisons failed.' if failed else
             f'{len(lines)} comparisons, all equal {how}.' if lines and not problems else 'The gate failed.', '',
             '| clip | set | device | values | measured again on the CPU | verdict |', '| --- | --- | --- | --- | --- | --- |']
    text += [f'| {cell(line.clip)} | {line.number} | {cell(line.side.title())} | {line.values} | {line.on_cpu} | '
             f'{"FAIL: " + cell(line.problem) if line.problem else "equal"} |' for line in lines]
    return '\n'.join(text) + '\n'
