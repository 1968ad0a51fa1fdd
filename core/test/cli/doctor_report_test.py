#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests `vmaf --doctor --report`, which tries every feature at every depth, on the emulated CUDA
device: as it is, and when it is lost after the trial, in features with many kernels.

usage: doctor_report_test.py VMAF WORKDIR EMULATED_DRIVERS
"""
import json
import os
import shutil
import subprocess
import sys

vmaf, work, drivers = (os.path.abspath(p) for p in sys.argv[1:4])
shutil.rmtree(work, ignore_errors=True)
os.makedirs(os.path.join(work, 'root'))
path = os.path.join(work, 'report.json')
env = {name: value for name, value in os.environ.items() if not name.startswith(('VK_', 'VMAF_', 'EMULATED_'))}
env.update(VMAF_DOCTOR_ROOT=os.path.join(work, 'root'), VMAF_CACHE_DIR=os.path.join(work, 'cache'), LD_LIBRARY_PATH=drivers,
           EMULATED_DEVICES='Alpha 1|0123456789abcdeffedcba9876543210|0000:b3:00.0')
wrong = 0


def check(what, good, *details):
    global wrong
    if not good:
        wrong += 1
        print('not so:', what, *details, flush=True)


for fault in ('', 'cuLaunchKernel:26:719'):
    done = subprocess.run([vmaf, '--doctor', '--backend', 'cuda', '--report', '-q', '-o', path], text=True,
                          env={**env, 'EMULATED_FAULT': fault}, capture_output=True, timeout=800)
    with open(path, encoding='utf-8') as file:
        cuda = next(b for b in json.load(file)['backends'] if b['name'] == 'cuda')
    if not cuda['built']:
        print('this build has no CUDA')
        sys.exit(77)
    device = cuda['devices'][0]
    survey = device['survey']
    failed = [f for f in survey['features'] if f['verdict'] == 'failed']
    equal = [f for f in survey['features'] if f['verdict'] == 'equal']
    check(f'the counts with {fault}', len(failed) == survey['failed'] and len(equal) == survey['equal'] and
          len(failed) + len(equal) + survey['not_measured'] == len(survey['features']), survey)
    check(f'the verdict with {fault}', (done.returncode == 0) == device['works'] == (not fault) == (not failed), done)
    check(f'equal ones with {fault}', all(f['scores'] > 0 and f['frames_on_cpu'] < 3 and f['figures'] and
          all(g['device'] == g['cpu'] for g in f['figures'].values()) for f in equal), equal)
    if not fault:
        check('all depths', {(f['extractor'], f['bits']) for f in survey['features']} >=
              {(name, bits) for name in ('vif', 'cambi', 'float_adm') for bits in (8, 10, 12, 16)})
        check('the speed', survey['speed']['device_fps'] > 0 and survey['speed']['cpu_fps'] > 0, survey['speed'])
    else:
        check('the reason', f"{failed[0]['extractor']} at {failed[0]['bits']} bits" in device['problem'] and
              'lost' in failed[0]['problem'], device)
    check(f'the text with {fault}', f'{len(equal)} of {len(equal) + len(failed)} trials' in done.stdout, done.stdout)
    check(f'the trial passes with {fault}', bool(device.get('extractors')), device)

print(f'{wrong} problems')
sys.exit(wrong != 0)
