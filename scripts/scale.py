#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Computes and simulates the time and the cost of scoring many films on a cluster, for
docs/scale.md.

usage: scale.py [--films N] [--check DOCUMENT | --write DOCUMENT]

Prints the tables of the document. --check compares them with those in the document, --write
replaces those. The figures are the same in every run. The speeds were measured
(docs/benchmarks.md). All other values are assumptions, which are named constants below.
"""
import argparse
import heapq
import random
import re
import sys

# ---- measured: docs/benchmarks.md, default model, 8 bit, frames in memory ----
# frames a second while scoring; seconds of start-up
SPEED = {
    ('1080p', 'CPU core'): (49.9, 0.02),
    ('4K', 'CPU core'): (12.2, 0.02),
    ('1080p', 'H200'): (3870.0, 0.25),
    ('4K', 'H200'): (1495.0, 0.25),
}
PIXELS = {'1080p': 1920 * 1080, '4K': 3840 * 2160}

# ---- assumed ----
PRICE = {'CPU core': 0.045, 'H200': 4.00}  # per hour; the GPU's price includes CPU cores and memory
CORES = {'CPU core': 1, 'H200': 16}  # cores that decode for the device
DECODE = {'1080p': 250.0, '4K': 60.0}  # frames a second and core: one video, in software
BITRATE = {'1080p': (50e6, 5e6), '4K': (200e6, 16e6)}  # bits a second: mezzanine, encode
STORAGE = 20e9  # bytes a second that all workers together can read
FPS = 24.0
FEED = 55e9  # bytes a second from memory to a device


def coded_bytes(size):
    """Returns the bytes of a pair of frames in compressed files."""
    return sum(BITRATE[size]) / 8 / FPS


def decoding(size, device):
    """Returns how many pairs of frames a second the cores of a device decode."""
    return CORES[device] * DECODE[size] / 2


def pace(size, device, workers):
    """Returns the pairs a second that one of `workers` workers scores from compressed files, and
    the name of what limits it."""
    scoring = SPEED[size, device][0]
    if device == 'CPU core':  # one core does both
        paces = [(1 / (1 / scoring + 1 / decoding(size, device)), 'scoring')]
    else:
        paces = [(scoring, 'scoring'), (decoding(size, device), 'decoding')]
    return min(paces + [(STORAGE / workers / coded_bytes(size), 'storage')])


def cost_table():
    """Returns the table of how long scoring an hour of film takes, and what it costs."""
    rows = ['| size | device | frames/s, in memory | an hour of film | costs | frames/s, decoded | an hour of film | costs |',
            '|---|---|---|---|---|---|---|---|']
    for (size, device), (speed, start) in SPEED.items():
        cells = []
        for frames in (speed, pace(size, device, 1)[0]):
            seconds = 3600 * FPS / frames + start
            cells.append(f'{frames:,.0f} | {seconds:,.0f} s | {seconds / 3600 * PRICE[device]:.4f}')
        rows.append(f'| {size} | {device} | {" | ".join(cells)} |')
    return rows


def limit_table():
    """Returns the table of the data that one device needs to score at full speed."""
    rows = ['| size | device | raw files, read | PCIe in use | compressed files, read | cores that decode | devices that '
            f'{STORAGE / 1e9:.0f} GB/s feed |', '|---|---|---|---|---|---|---|']
    for (size, device), (speed, _) in SPEED.items():
        raw, luma = (speed * PIXELS[size] * 2 * bytes_a_pixel for bytes_a_pixel in (1.5, 1))
        coded = speed * coded_bytes(size)
        pcie = f'{100 * luma / FEED:.0f} %' if device != 'CPU core' else ''
        rows.append(f'| {size} | {device} | {raw / 1e9:.2f} GB/s | {pcie} | {coded / 1e6:,.0f} MB/s | {2 * speed / DECODE[size]:.1f} | '
                    f'{int(STORAGE / coded):,} |')
    return rows


# ---- the simulation ----
SEED = 20261115
FILM_HOURS = (0.35, 0.75, 1.6)  # episodes, long episodes, films; each length varies by SPREAD
SPREAD = 0.2
UHD_SHARE = 0.2
PART_FRAMES = 10000
LEAD_FRAMES = 5 + 60  # frames read before a part: features look back, and decoders begin at key frames
MERGE_SECONDS = 0.5  # for each film, when its parts are done
SUBMIT_SECONDS = 1.0  # for each job: queue, container, mount
FAILURE = 1e-7  # probability, for each second of work, that a node, disk or driver fails and the try is lost
STRAGGLER = 0.01  # probability that a try is slow
SLOWER = (2.0, 20.0)  # a slow try takes between 2 and 20 times as long
STOPPED = 3.0  # if slow tries are stopped, then after this many times the expected time
RETRIES = 5
FLEETS = (('CPU core', 1000), ('CPU core', 10000), ('H200', 32), ('H200', 128))
WAYS = ('one job', 'parts', 'parts, slow ones stopped')


class Cluster:
    """Workers, each of which takes the next try as soon as it is free."""

    def __init__(self, workers):
        self.free = [0.0] * workers
        self.busy = 0.0

    def run(self, seconds, ready=0.0):
        end = max(self.free[0], ready) + seconds
        heapq.heapreplace(self.free, end)
        self.busy += seconds
        return end


def spread(draw):
    """Returns a random factor of 1 - SPREAD to 1 + SPREAD, most often near 1."""
    return 1.0 + SPREAD * (sum(draw.random() for _ in range(3)) * 2 / 3 - 1)


class Run:
    """Simulates scoring all films of a catalogue on one fleet in one of WAYS."""

    def __init__(self, films, device, workers, way):
        self.catalogue, self.draw = random.Random(SEED), random.Random(SEED + 1)
        self.cluster = Cluster(workers)
        self.way, self.device = way, device
        self.pace = {size: pace(size, device, workers)[0] for size in PIXELS}
        self.jobs = self.lost = self.given_up = 0
        self.ideal = self.slowest = 0.0
        self.again = []  # failed tries go to the end of the queue
        for _ in range(films):
            self.add_film()
        while self.again:
            self.attempt(*self.again.pop(0))
        self.workers = workers
        self.days = max(self.cluster.free) / 86400

    def add_film(self):
        draw = self.catalogue
        size = '4K' if draw.random() < UHD_SHARE else '1080p'
        frames = int(FILM_HOURS[int(3 * draw.random())] * spread(draw) * 3600 * FPS)
        self.ideal += frames / self.pace[size]
        count, lead = (1, 0) if self.way == 'one job' else (-(-frames // PART_FRAMES), LEAD_FRAMES)
        work = SUBMIT_SECONDS + SPEED[size, self.device][1] + (frames / count + lead) / self.pace[size]
        self.jobs += count
        for _ in range(count):
            self.attempt(work, 0.0, RETRIES)
        if lead:
            self.cluster.run(MERGE_SECONDS)

    def attempt(self, work, ready, left):
        draw, took = self.draw, work
        if draw.random() < STRAGGLER:
            took *= SLOWER[0] + (SLOWER[1] - SLOWER[0]) * draw.random()
        stopped = self.way == WAYS[2] and took > STOPPED * work
        fails = stopped or draw.random() < FAILURE * took
        if fails:
            took = STOPPED * work if stopped else took * draw.random()
        done = self.cluster.run(took, ready)
        self.slowest = max(self.slowest, took)
        self.lost += fails
        if fails and left:
            self.again.append((work, done, left - 1))
        elif fails:
            self.given_up += 1

    def row(self):
        cluster = self.cluster
        names = f'| {self.workers:,} {self.device}{"s" if self.device == "CPU core" else ""} | {self.way} | {self.jobs:,} '
        slowest = f'{self.slowest / 3600:,.1f} h' if self.slowest >= 3600 else f'{self.slowest / 60:,.1f} min'
        return names + (f'| {self.lost:,} | {self.given_up} | {self.days:,.2f} | {self.ideal / self.workers / 86400:,.2f} | '
                        f'{100 * self.ideal / cluster.busy:.0f} % | {slowest} | {self.days * 24 * self.workers * PRICE[self.device]:,.0f} |')


def simulation_table(films):
    rows = ['| fleet | a film is | jobs | tries lost | given up | days | without losses | work that counts | longest try | cost |',
            '|---|---|---|---|---|---|---|---|---|---|']
    for device, workers in FLEETS:
        rows += [Run(films, device, workers, way).row() for way in WAYS]
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--films', type=int, default=1000000)
    parser.add_argument('--check')
    parser.add_argument('--write')
    options = parser.parse_args()
    tables = {'cost': cost_table(), 'limits': limit_table(),
              f'simulation of {options.films} films': simulation_table(options.films)}
    path = options.check or options.write
    if not path:
        print('\n\n'.join('\n'.join([f'{name}:'] + rows) for name, rows in tables.items()))
        return 0
    text = before = open(path, encoding='utf-8').read()
    for name, rows in tables.items():
        pattern = rf'(<!-- {name} -->\n).*?(<!-- end -->)'
        if not re.search(pattern, text, re.S):
            print(f'{path}: there is no table "{name}"')
            return 1
        text = re.sub(pattern, lambda found: found[1] + ''.join(f'{row}\n' for row in rows) + found[2], text, count=1, flags=re.S)
    if options.write:
        open(path, 'w', encoding='utf-8').write(text)
    elif text != before:
        print(f'{path}: its figures differ from those of {sys.argv[0]}; --write updates them')
        return 1
    return 0


sys.exit(main())
