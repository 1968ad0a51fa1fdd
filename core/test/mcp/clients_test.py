# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs clients_test.mjs: lets npm install the protocol's SDK beside the build, and makes videos for
it. Passes with a message if there is no npm, or if npm cannot install the SDK.
usage: clients_test.py BUILD"""
import os
import shutil
import subprocess
import sys

BUILD = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(BUILD, 'test', 'mcp', 'clients')
VIDEOS = os.path.join(FOLDER, 'videos')
PACKAGES = {'@modelcontextprotocol/sdk': 18, '@modelcontextprotocol/client': 20}  # and the version of node they need

sys.path.insert(0, os.path.join(HERE, '..', 'cli'))
from inputs import Inputs  # noqa: E402


def skip(why):
    print(f'Clients of vmaf-mcp were not tried: {why}.')
    sys.exit(0)


def install():
    if not shutil.which('node') or not shutil.which('npm'):
        skip('that needs node and npm')
    version = subprocess.run(['node', '--version'], capture_output=True, text=True, check=True).stdout.strip()
    wanted = [name for name, least in PACKAGES.items() if int(version.lstrip('v').split('.')[0]) >= least]
    if not wanted:
        skip(f'node {version} is too old for them')
    os.makedirs(FOLDER, exist_ok=True)
    if all(os.path.isdir(os.path.join(FOLDER, 'node_modules', name)) for name in wanted):
        return
    with open(os.path.join(FOLDER, 'package.json'), 'w') as file:
        file.write('{"private": true}\n')
    try:
        done = subprocess.run(['npm', 'install', '--no-fund', '--no-audit', '--ignore-scripts', *wanted], cwd=FOLDER,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        skip('npm does not come to an end')
    if done.returncode:
        skip(f'npm could not install them ({done.stderr.strip().splitlines()[-1:]})')


def make_videos():
    to = Inputs(os.path.join(BUILD, 'test', 'synth', 'synthclip'), VIDEOS)
    ref, dist = to.clip('mix', '64', '64', '420', '8', '60')
    to.y4m('ref.y4m', ref)
    to.y4m('dist.y4m', dist)
    for name, data in (('slow_ref.y4m', ref), ('slow_dist.y4m', dist)):
        to.y4m(name, data, 'W64 H64 F2:1 Ip A1:1 C420jpeg')
    with open(os.path.join(VIDEOS, 'long.yuv'), 'wb') as file:
        file.truncate(1920 * 1080 * 3 // 2 * 20000)  # a sparse file, which needs no disk space


def can_encode():
    if not shutil.which('ffmpeg'):
        return False
    listed = subprocess.run(['ffmpeg', '-hide_banner', '-encoders'], capture_output=True, text=True).stdout
    return ' libx264 ' in listed


install()
make_videos()
tune = os.path.join(BUILD, 'tools', 'vmaf-tune')
subprocess.run(['node', os.path.join(HERE, 'clients_test.mjs'), os.path.join(BUILD, 'tools', 'vmaf-mcp'), VIDEOS,
                tune if can_encode() else '-'], cwd=FOLDER, check=True, timeout=3600)
