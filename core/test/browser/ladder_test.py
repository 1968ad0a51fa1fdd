#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Plays the ladders of vmaf-tune in a browser: each rung, as the master playlist announces it.

usage: ladder_test.py VMAF_TUNE WORKDIR

Media Source Extensions take a rung's segments only if they are what CODECS says. Exit code 77: there is no browser or ffmpeg.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys

import browser

tune, work = (os.path.abspath(p) for p in sys.argv[1:3])
# Chromium has no decoder of HEVC of its own.
ENCODERS = ('libx264:preset=ultrafast', 'libsvtav1:preset=12', 'libvpx-vp9:cpu-used=8')
PLAY = '''new Promise((done) => {
  const video = document.createElement('video'), media = new MediaSource();
  if (!MediaSource.isTypeSupported(%(type)s)) return done('not supported');
  video.src = URL.createObjectURL(media);
  video.addEventListener('error', () => done('error: ' + video.error.message));
  media.addEventListener('sourceopen', () => {
    const buffer = media.addSourceBuffer(%(type)s), parts = %(parts)s;
    buffer.addEventListener('updateend', () => {
      if (parts.length) return buffer.appendBuffer(Uint8Array.from(atob(parts.shift()), (c) => c.charCodeAt(0)));
      media.endOfStream();
      video.addEventListener('seeked', () => done([video.videoWidth, video.videoHeight, video.buffered.end(0)]));
      video.currentTime = 0.4;
    });
    buffer.appendBuffer(Uint8Array.from(atob(parts.shift()), (c) => c.charCodeAt(0)));
  });
})'''
failed = 0


def check(what, good, *more):
    global failed
    failed += not good
    print('ok' if good else 'FAILED', what, *(more if not good else ()))


def make(encoder):
    folder = encoder.split(':')[0]
    os.makedirs(folder, exist_ok=True)
    subprocess.run([tune, 'ladder', 'film.mkv', '--encoder', encoder, '--sizes', '90,180', '--crf', '30,45', '--target-steps', '2', '-q',
                    '--model', 'version=vmaf_v0.6.1', '--json', folder + '/o.json', '--playlist', folder + '/master.m3u8'],
                   check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    command = json.load(open(folder + '/o.json'))['command'].replace('file:film.mkv', 'file:../film.mkv')
    subprocess.run(command, shell=True, check=True, cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder


def play(page, folder):
    rungs = re.findall(r'RESOLUTION=(\d+)x(\d+).*CODECS="([^"]*)".*\n(.*)', open(folder + '/master.m3u8').read())
    check('rungs of ' + folder, rungs)
    for width, height, codecs, name in rungs:
        listed = open(f'{folder}/{name}').read()
        files = re.findall(r'#EXT-X-MAP:URI="([^"]*)"', listed) + [line for line in listed.split('\n') if line.endswith('.m4s')]
        parts = [base64.b64encode(open(f'{folder}/{file}', 'rb').read()).decode() for file in files]
        kind = json.dumps(f'video/mp4; codecs="{codecs}"')
        played = page.ask(PLAY % {'type': kind, 'parts': json.dumps(parts)})
        check(f'{folder}/{name} plays as {codecs}', played[:2] == [int(width), int(height)] and abs(played[2] - 1) < 0.1, played)


if not browser.find() or not shutil.which('ffmpeg'):
    print('needs chromium and ffmpeg')
    sys.exit(77)
os.makedirs(work, exist_ok=True)
os.chdir(work)
subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25', '-f', 'lavfi', '-i', 'sine',
                '-t', '1', '-c:v', 'ffv1', '-c:a', 'flac', 'film.mkv'], check=True)
folders = [make(encoder) for encoder in ENCODERS]
page = browser.Browser(f'{work}/profile')
try:
    for folder in folders:
        play(page, folder)
finally:
    page.close()
sys.exit(1 if failed else 0)
