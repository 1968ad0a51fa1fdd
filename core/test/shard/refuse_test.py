#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests errors in parts: each gives one line that names the parts, and no report.

usage: refuse_test.py VMAF SYNTHCLIP WORKDIR

Covers parts that are missing, duplicate, overlapping, cut off or changed; parts of other videos,
options, models and versions; parts that were killed; and how a part learns its number.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import time

import shards
from shards import check, run

USAGE, FAIL, BELOW = 1, 255, 2
ref, dist = shards.clip('clip', 'mix', 64, 64, 420, 8, 12)
other, _ = shards.clip('other', 'noise', 64, 64, 420, 8, 12)
VIDEOS = ['-r', ref, '-d', dist]


def refused(what, words, *parts, status=FAIL, args=('--merge',), **env):
    """Checks that a merge of the parts, or the command with `args`, fails with one line that
    contains all `words`, and writes no report."""
    if os.path.exists('report.json'):
        os.remove('report.json')
    done = run(*args, *parts, '-o', 'report.json', **env)
    lines = done.stderr.strip().split('\n')
    check(f'{what}: it is not refused', done.returncode == status, f'{done.returncode}: {done.stderr}')
    check(f'{what}: not in one line that says {words}', len(lines) == 1 and all(word in lines[0] for word in words), done.stderr)
    check(f'{what}: there is a report', not os.path.exists('report.json'))


whole = shards.parts(VIDEOS, 3, name='p')
refused('a gap', ['part 1/3 is missing'], 'p0.json', 'p2.json')
refused('no end', ['part 2/3 is missing'], 'p0.json', 'p1.json')
shutil.copy('p1.json', 'copy.json')
refused('twice', ['p1.json and copy.json', 'part 1/3'], *whole, 'copy.json')
refused('the same file twice', ['p1.json and p1.json'], *whole, 'p1.json')

# Parts of --frames.
for first, last in ((0, 4), (5, 8), (9, 11), (4, 8), (9, 99)):
    done = run(*VIDEOS, '--frames', f'{first}-{last}', '-o', f'f{first}-{last}.json')
    check(f'frames {first}-{last} failed', done.returncode == 0, done.stderr)
refused('frames before', ['frames 0-4 are missing', 'f5-8.json'], 'f5-8.json', 'f9-11.json')
refused('frames between', ['frames 5-8 are missing', 'f9-11.json'], 'f0-4.json', 'f9-11.json')
refused('frames behind', ['after 8 are missing', 'f5-8.json'], 'f0-4.json', 'f5-8.json')
refused('an overlap', ['f0-4.json', 'f4-8.json', 'overlap'], 'f0-4.json', 'f4-8.json', 'f9-11.json')
refused('both', ['f9-11.json and f9-99.json', 'frames 9-11'], 'f0-4.json', 'f5-8.json', 'f9-11.json', 'f9-99.json')
refused('shards and frames', ['p0.json', 'f5-8.json'], 'p0.json', 'f5-8.json', 'f9-11.json')
done = run('--merge', 'f9-99.json', 'f0-4.json', 'f5-8.json', '-o', 'by_frames.json')
check('parts by frames are not merged', done.returncode == 0, done.stderr)
four = shards.parts(VIDEOS, 4, name='q')
refused('another number of parts', ['p0.json', 'q1.json', '3', '4'], 'p0.json', 'q1.json')

# Parts of another run.
for what, args, words in (
        ('another option', [*VIDEOS, '--subsample', '2'], ['options', 'subsample']),
        ('another feature', [*VIDEOS, '--feature', 'psnr'], ['options', 'psnr']),
        ('another precision', [*VIDEOS, '--precision', 'max'], ['options', 'precision']),
        ('another limit', [*VIDEOS, '--fail_under', '99'], ['options', 'fail_under']),
        ('the model has changed', [*VIDEOS, '--model', 'version=vmaf_v0.6.1neg'], ['options', 'vmaf_v0.6.1neg']),
        ('another reference', ['-r', other, '-d', dist], ['different inputs', 'other_r.y4m'])):
    done = run(*args, '--shard', '1/3', '-o', 'x1.json')
    check(f'{what}: the part failed', done.returncode == 0, done.stderr)
    refused(what, ['p0.json', 'x1.json', *words], 'p0.json', 'x1.json', 'p2.json')


def spoil(path, to, change):
    with open(path) as file:
        text = change(file.read())
    with open(to, 'w') as file:
        file.write(text)


spoil('p1.json', 'x1.json', lambda text: text.replace('"ended": false', '"ended": true'))
refused('changed by hand', ['x1.json', 'changed'], 'p0.json', 'x1.json', 'p2.json')
spoil('p1.json', 'x1.json', lambda text: text + ' ')
refused('appended to', ['x1.json', 'cut off'], 'p0.json', 'x1.json', 'p2.json')
size = os.path.getsize('p1.json')
for keep in (size - 1, size - 40, size // 2, 40, 3, 0):
    spoil('p1.json', 'x1.json', lambda text: text[:keep])
    refused(f'cut off after {keep} bytes', ['x1.json', 'cut off' if keep > 20 else 'not a part file'], 'p0.json', 'x1.json', 'p2.json')
refused('a report', ['by_frames.json', 'not a part file'], 'p0.json', 'by_frames.json')
refused('nothing', ['none.json', 'No such file'], 'p0.json', 'none.json')
refused('a folder', ['.', 'directory'], 'p0.json', '.')
refused('a device', ['/dev/null', 'not a regular file'], 'p0.json', '/dev/null')

# Forged part files must do no harm.
shards.forge('p1.json', 'x1.json', lambda text: text)
done = run('--merge', 'p0.json', 'x1.json', 'p2.json', '-o', 'report.json')
check('a part file with a checksum computed here is not accepted', done.returncode == 0, done.stderr)
for what, words, change in (
        ('another version of vmaf', ['versions', 'p0.json', 'x1.json'], lambda text: text.replace('"version": "', '"version": "x')),
        ('another version of the file', ['x1.json', 'another version'], lambda text: text.replace('"vmaf_part": 3', '"vmaf_part": 1')),
        ('another picture format', ['x1.json', 'different pictures'], lambda text: text.replace('"scored": {"width": 64', '"scored": {"width": 62')),
        ('values that are missing', ['x1.json', 'values'], lambda text: re.sub(r'(\n    \[6,\d+,6,6,\[)-?\d+,', r'\1', text)),
        ('a frame without a number', ['x1.json', 'values'], lambda text: re.sub(r'(\n    \[6,\d+,)6,6', r'\1 6', text)),
        ('a frame before the first', ['x1.json', 'values'], lambda text: re.sub(r'(\n    \[6,\d+,)6,6', r'\1 6,-6', text)),
        ('a row that is missing', ['x1.json', 'values'], lambda text: re.sub(r'\n    \[6,.*', '', text)),
        ('no values', ['x1.json', 'missing'], lambda text: text.replace('"values"', '"nothing"')),
        ('a frame less than it says', ['missing'], lambda text: text.replace('"count": 4, ', '').replace('"count": 4,', '"count": 3,')),
        ('a frame more than it says', ['overlap'], lambda text: text.replace('"count": 4,', '"count": 5,')),
        ('an end too early', ['x1.json', 'p2.json', 'end with'], lambda text: text.replace('"ended": false', '"ended": true')),
        ('numbers that are none', ['x1.json', 'missing'], lambda text: text.replace('"first": 4', '"first": "4"')),
        ('brackets', ['x1.json', 'broken'], lambda text: text.replace('"edges": [', '"edges": [' + '[' * 100000)),
        ('thumbnails that are none', ['x1.json', 'thumbnails'],
         lambda text: re.sub('"thumbs": .*', '"thumbs": [[5, "0123", 7]],', text)),
        ('other kinds of values', ['p0.json', 'x1.json', 'features'], lambda text: text.replace('"kinds": "i', '"kinds": "r'))):
    shards.forge('p1.json', 'x1.json', change)
    refused(what, words, 'p0.json', 'x1.json', 'p2.json')

for what, option in (('a page', '["html", "evil.html"]'), ('help', '["help", null]'),
                     ('heatmaps', '["feature", "cambi=heatmaps_path=evil"]')):
    for i in range(3):
        shards.forge(f'p{i}.json', f'x{i}.json', lambda text: text.replace('"options": [', f'"options": [{option}, '))
    refused(f'a part that asks for {what}', ['x0.json'], 'x0.json', 'x1.json', 'x2.json')
check('a part has files written', not os.path.exists('evil.html') and not os.path.exists('evil'))

# A video was replaced by one of the same size and path, with the same first and last bytes.
long_ref, long_dist = shards.clip('long', 'mix', 128, 128, 420, 8, 24)
pair = shards.parts(['-r', long_ref, '-d', long_dist], 2, name='l')
data = bytearray(open(long_dist, 'rb').read())
for i in range(1 << 16, len(data) - (1 << 16)):
    if data[i] not in b'FRAME\n':
        data[i] ^= 1
open(long_dist, 'wb').write(data)
done = run('-r', long_ref, '-d', long_dist, '--shard', '1/2', '-o', 'l1.json')
check('a part of the replaced video failed', done.returncode == 0, done.stderr)
refused('a video that was replaced', ['l0.json', 'l1.json', 'different pictures', 'distorted'], *pair)

# A model file was replaced.
MODEL = ('{"model_dict": {"model_type": "LIBSVMNUSVR", "norm_type": "none", "feature_names": ["psnr_y"], "model": "svm_type nu_svr\\n'
         'kernel_type rbf\\ngamma 0.0004\\nnr_class 2\\ntotal_sv 1\\nrho 1\\nSV\\n1 1:2 \\n"}}')
with open('model.json', 'w') as file:
    file.write(MODEL)
shards.same('a model in a file', [*VIDEOS, '--model', 'path=model.json'], 3)
by_file = shards.parts([*VIDEOS, '--model', 'path=model.json'], 2, name='m')
with open('model.json', 'w') as file:
    file.write(MODEL.replace('0.0004', '0.0005'))
refused('a model that was replaced', ['m0.json', 'the model has changed'], *by_file)
done = run(*VIDEOS, '--model', 'path=model.json', '--shard', '1/2', '-o', 'm1.json')
check('a part with another model failed', done.returncode == 0, done.stderr)
refused('parts of two models', ['m0.json', 'm1.json', 'models'], *by_file)
os.remove('model.json')
done = run('--merge', *by_file, '-o', 'report.json')
check('a missing model file is not reported', done.returncode == FAIL and 'model' in done.stderr, done.stderr)

# How a part learns its number.
refused('parts count from 0', ['counted from 0', '3/4'], *VIDEOS, '--shard', '4/4', args=(), status=USAGE)
for text in ('0/0', '1', '/2', '1/', 'a/b', '-1/2', '1/2/3', '0/99999999999', ''):
    refused(f'--shard {text}', ['--shard'], *VIDEOS, f'--shard={text}', args=(), status=USAGE)
for text in ('1', '2-1', '-', 'a-b', '0-99999999999'):
    refused(f'--frames {text}', ['--frames'], *VIDEOS, f'--frames={text}', args=(), status=USAGE)
refused('both kinds', ['one part'], *VIDEOS, '--shard', '0/2', '--frames', '0-1', args=(), status=USAGE)
refused('several videos', ['one distorted video'], *VIDEOS, '-d', dist, '--shard', '0/2', args=(), status=USAGE)
refused('a page of a part', ['--merge'], *VIDEOS, '--shard', '0/2', '--html', 'page.html', args=(), status=USAGE)
refused('heatmaps', ['heatmaps'], *VIDEOS, '--shard', '0/2', '--feature', 'cambi=heatmaps_path=.', args=(), status=USAGE)
refused('--from_start alone', ['--shard'], *VIDEOS, '--from_start', args=(), status=USAGE)
refused('a merge with videos', ['--merge'], *whole, *VIDEOS, status=USAGE)
for option, value in (('subsample', '2'), ('frame_cnt', '2'), ('feature', 'psnr'), ('model', 'version=vmaf_v0.6.1neg'), ('threads', '1')):
    refused(f'a merge with --{option}', [f'--{option} is only for the parts'], *whole, f'--{option}', value, status=USAGE)
done = run(*VIDEOS, '--shard', '0/2')
check('a part without a file is not refused', done.returncode == USAGE and '-o' in done.stderr, done.stderr)
done = subprocess.run(f'cat {ref} | "{shards.vmaf}" -r - -d {dist} --shard 0/2 -o x.json', shell=True, capture_output=True,
                      text=True)
check('a pipe is not refused', done.returncode == FAIL and 'pipe' in done.stderr, done.stderr)
with open(ref, 'rb') as whole_video, open('cut.y4m', 'wb') as cut:
    cut.write(whole_video.read()[:-100])
done = run('-r', 'cut.y4m', '-d', dist, '--shard', '2/3', '-o', 'cut.json')
check('a part of a cut video is written', done.returncode == FAIL and not os.path.exists('cut.json'), done.stderr)
for env, expected in (
        ({'SLURM_ARRAY_TASK_ID': '2', 'SLURM_ARRAY_TASK_COUNT': '3', 'SLURM_ARRAY_TASK_MIN': '0'}, (2, 3)),
        ({'SLURM_ARRAY_TASK_ID': '3', 'SLURM_ARRAY_TASK_COUNT': '3', 'SLURM_ARRAY_TASK_MIN': '1'}, (2, 3)),
        ({'SLURM_ARRAY_TASK_ID': '3', 'SLURM_ARRAY_TASK_COUNT': '1', 'SLURM_ARRAY_TASK_MIN': '3', 'VMAF_SHARD_COUNT': '5'}, (3, 5)),
        ({'AWS_BATCH_JOB_ARRAY_INDEX': '1', 'AWS_BATCH_JOB_ARRAY_SIZE': '4'}, (1, 4)),
        ({'JOB_COMPLETION_INDEX': '1', 'VMAF_SHARD_COUNT': '2'}, (1, 2)),
        ({'PBS_ARRAY_INDEX': '0', 'VMAF_SHARD_COUNT': '2'}, (0, 2)),
        ({'PBS_ARRAYID': '4', 'VMAF_SHARD_COUNT': '6'}, (4, 6))):
    done = run(*VIDEOS, '--shard', 'auto', '-o', 'auto.json', **env)
    found = json.load(open('auto.json'))['shard'] if done.returncode == 0 else done.stderr
    check(f'--shard auto with {env}', found == {'index': expected[0], 'count': expected[1]}, found)
for env, word in (({}, 'Slurm'), ({'JOB_COMPLETION_INDEX': '1'}, 'VMAF_SHARD_COUNT'),
                  ({'JOB_COMPLETION_INDEX': '2', 'VMAF_SHARD_COUNT': '2'}, 'outside'),
                  ({'SLURM_ARRAY_TASK_ID': 'x', 'SLURM_ARRAY_TASK_COUNT': '3'}, 'SLURM_ARRAY_TASK_ID'),
                  ({'SLURM_ARRAY_TASK_ID': '1'}, 'SLURM_ARRAY_TASK_COUNT')):
    refused(f'--shard auto with {env}', [word], *VIDEOS, '--shard', 'auto', args=(), status=USAGE, **env)

# Killed at any moment, a run leaves no part file or a complete one, and no other file.
slow_ref, slow_dist = shards.clip('slow', 'mix', 320, 240, 420, 8, 24)
shutil.rmtree('killed', ignore_errors=True)
os.mkdir('killed')
for wait in (0.0, 0.05, 0.1, 0.2, 0.3):
    child = subprocess.Popen([shards.vmaf, '-r', slow_ref, '-d', slow_dist, '--shard', '0/2', '-o', 'killed/part.json', '--threads', '1'],
                             stderr=subprocess.DEVNULL)
    time.sleep(wait)
    child.kill()
    child.wait()
    left = [name for name in os.listdir('killed') if not name.startswith('.')]
    check('a killed run leaves an incomplete file', left in ([], ['part.json']), str(left))
    if left:
        json.load(open('killed/part.json'))
child = subprocess.Popen([shards.vmaf, '-r', slow_ref, '-d', slow_dist, '--shard', '1/2', '-o', 'killed/stopped.json', '--feature', 'cambi'],
                         stderr=subprocess.PIPE, text=True)
time.sleep(0.05)
child.send_signal(signal.SIGTERM)
said = child.communicate()[1]
check('a stopped run has another exit status', child.returncode in (0, 128 + signal.SIGTERM, -signal.SIGTERM), f'{child.returncode} {said}')
if os.path.exists('killed/stopped.json'):  # the signal came too late
    check('an incomplete part was written', json.load(open('killed/stopped.json'))['count'] == 12, said)

# Other options of a merge.
ref, dist = shards.clip('clip', 'mix', 64, 64, 420, 8, 12)
whole = shards.parts(VIDEOS, 3, name='p')
done = run('--merge', *whole, '--fail_under', '101')
check('--fail_under has no effect in a merge', done.returncode == BELOW, f'{done.returncode} {done.stderr}')
one = run(*VIDEOS, '-q')
done = run('--merge', *whole, '-q')
check('a merge prints other scores', done.returncode == 0 and done.stderr == one.stderr, f'{one.stderr}{done.stderr}')
done = run('--merge', *whole, '--html', 'page.html')
check('a merge makes no page', done.returncode == 0 and os.path.getsize('page.html') > 10000, done.stderr)
# The merge adds up where features ran: times are means over the frames of all parts.
FIGURES = {'p0.json': (3, 10.0), 'p1.json': (2, 70.0), 'p2.json': (0, 40.0)}  # frames on the CPU, microseconds
for name, (again, spent) in FIGURES.items():
    run(*VIDEOS, '--shard', f'{name[1]}/3', '--backend', 'cpu', '-o', name)

    def on_card(text):
        part = json.loads(text)
        for number, place in enumerate(part['places']):
            place.update(backend='vulkan', device='card', device_type='discrete', device_index=0, passes=7, launches=21 + number, frames=part['count'],
                         frames_on_cpu=again + number, device_us=spent + number)
        return json.dumps(part, indent=2, ensure_ascii=False)
    shards.forge(name, 'forged.json', on_card)
    os.replace('forged.json', name)
counts = [json.load(open(name))['count'] for name in FIGURES]
check('parts of different lengths are wanted', sum(counts) == 12 and all(counts), counts)
done = run('--merge', *FIGURES, '-o', 'cards.json')
check('parts of a card are not merged', done.returncode == 0, done.stderr)
for number, place in enumerate(json.load(open('cards.json'))['backends'].values()):
    mean = sum(count * (spent + number) for count, (_, spent) in zip(counts, FIGURES.values())) / 12
    check('merged places', (place['frames'], place['frames_on_cpu'], place['launches'], place['passes']) ==
          (12, 5 + 3 * number, 63 + 3 * number, 7) and abs(place['device_us'] - mean) < 0.006, f'{place}, mean {mean}')
whole = shards.parts(VIDEOS, 3, name='p')
# Parts may come from different machines.
if run(*VIDEOS, '--backend', 'host', '-q').returncode == 0:
    done = run(*VIDEOS, '--shard', '1/3', '--backend', 'host', '-o', 'p1.json')
    check('a part on a device failed', done.returncode == 0, done.stderr)
    done = run('--merge', *whole, '-o', 'mixed.json')
    check('parts of a CPU and of a device are not merged', done.returncode == 0, done.stderr)
    run(*VIDEOS, '-o', 'one.json')
    one, mixed = json.load(open('one.json')), json.load(open('mixed.json'))
    check('parts of a CPU and of a device give other scores', one['frames'] == mixed['frames'] and
          one['pooled_metrics'] == mixed['pooled_metrics'])
    check('the report does not name the device', {place['backend'] for place in mixed['backends'].values()} & {'cpu, host', 'host, cpu'},
          mixed['backends'])
    check('the report promises a device for frames of the CPU', {place['device_type'] for place in mixed['backends'].values()} == {'cpu'} and
          all('device_index' not in place for place in mixed['backends'].values()), mixed['backends'])
# The report must not overwrite a part or a video.
if not os.path.islink('link.json'):
    os.symlink('p2.json', 'link.json')
before = {path: open(path, 'rb').read() for path in (*whole, ref, dist)}
for option, path, what in (('-o', 'p0.json', 'one of the parts'), ('-o', './p0.json', 'one of the parts'), ('-o', 'link.json', 'one of the parts'),
                           ('--html', 'p1.json', 'one of the parts'), ('-o', ref, 'reference video'), ('--html', f'./{dist}', 'distorted video')):
    done = run('--merge', *whole, option, path)
    check(f'{option} {path} is not refused', done.returncode == FAIL and what in done.stderr, done.stderr)
check('a part or a video is overwritten', all(open(path, 'rb').read() == data for path, data in before.items()))
shards.finish()
