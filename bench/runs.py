# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs vmaf commands in turns, times them, and compares their scores."""
import json
import os
import re
import statistics
import subprocess
import tempfile
import time


class Failed(Exception):
    """A run failed, or differs from another one where it must not."""


def own_environment(more=None):
    """The environment of a measured command: without VMAF_BACKEND, which would move runs on the CPU to a GPU."""
    return {**{name: value for name, value in os.environ.items() if name != 'VMAF_BACKEND'}, **(more or {})}


class Run:
    """One run of a command: wall and CPU seconds, peak memory, its report and its output."""

    def __init__(self, command, environment=None):
        with tempfile.NamedTemporaryFile(suffix='.json') as log:
            command = [*command, '-q', '--json', '-o', log.name]
            start = time.monotonic()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env=own_environment(environment))
            self.text = process.stderr.read().decode(errors='replace')
            _, status, usage = os.wait4(process.pid, 0)
            self.wall = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            process.stderr.close()
            if process.returncode:
                raise Failed(f'{" ".join(command)}\nexit {process.returncode}: {self.text}')
            self.cpu = usage.ru_utime + usage.ru_stime
            self.memory = usage.ru_maxrss / 1024
            with open(log.name) as file:
                self.report = json.load(file)


def in_turns(commands, rounds, seconds):
    """Runs the commands in turns (first, second, first, second), so that a disturbance of the machine affects all of them.
    Runs `rounds` rounds, and more while they take less than `seconds`, up to ten."""
    runs = [[] for _ in commands]
    spent = 0.0
    while len(runs[0]) < rounds or (spent < seconds and len(runs[0]) < 10):
        for command, done in zip(commands, runs):
            done.append(Run(command))
            spent += done[-1].wall
    return runs


def median(values):
    return statistics.median(values)


def scores(run):
    """Returns {(frame, metric): score}."""
    return {(frame['frameNum'], name): value for frame in run.report['frames'] for name, value in frame['metrics'].items()}


def difference(ours, theirs):
    """Returns the largest difference between scores of two reports. A score that one report lacks (NaN, infinity), the
    other must lack, too."""
    mine, other = scores(ours), scores(theirs)
    shared = mine.keys() & other.keys()
    if not shared:
        raise Failed('the reports have no score in common')
    if {frame for frame, _ in mine} != {frame for frame, _ in other}:
        raise Failed('the reports are not of the same frames')
    worst = 0.0
    for key in shared:
        a, b = mine[key], other[key]
        if (a is None) != (b is None):
            raise Failed(f'frame {key[0]}, {key[1]}: {a} and {b}')
        if a is not None:
            worst = max(worst, abs(a - b))
    return worst


def kernel_times(text):
    """Returns microseconds a frame for each feature, from the output of a run with VMAF_GPU_PROFILE=1, in which passes run
    one after another. The self-test may have printed such lines for a few frames before."""
    best, most, times = {}, 0, {}
    for name, microseconds, frames in re.findall(r'^gpu profile: (?:(\w+) +stage \d+ \w+ +([\d.]+) us|(\d+) frames)', text, re.M):
        if not frames:
            times[name] = times.get(name, 0.0) + float(microseconds)
            continue
        if int(frames) > most:
            best, most = times, int(frames)
        times = {}
    return best


def frame_time(text):
    """Returns the microseconds of a single frame, from the output of a run with VMAF_GPU_PROFILE=frames."""
    found = re.findall(r'^gpu profile: (\d+) frames by themselves, ([\d.]+) us each', text, re.M)
    return max(((int(frames), float(microseconds)) for frames, microseconds in found), default=(0, None))[1]
