# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Generates pairs of videos in files."""
import os
import subprocess
import threading

PIECE = 1 << 20


def lengthen(path, times):
    """Repeats a file. Several threads fill memory faster than one. They copy small pieces, because
    a large process here would count in the peak memory of the processes it starts."""
    size = os.path.getsize(path)
    file = os.open(path, os.O_RDWR)
    count = min(8, os.cpu_count() or 1)

    def copy(worker):
        for repeat in range(1 + worker, times, count):
            for at in range(0, size, PIECE):
                os.pwrite(file, os.pread(file, min(PIECE, size - at), at), repeat * size + at)

    workers = [threading.Thread(target=copy, args=(worker,)) for worker in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    os.close(file)


class Clip:
    """A pair of videos. `frames` frames are generated, and repeated until there are `pairs`
    pairs."""

    def __init__(self, synthclip, folder, size, depth, frames=0, pairs=0):
        self.size, self.depth = size, depth
        self.width, self.height = (int(n) for n in size.split('x'))
        self.pixels = self.width * self.height
        frames = frames or max(8, min(120, 80_000_000 // self.pixels))
        times = max(1, -(-pairs // frames))
        self.frames = frames * times
        self.paths = [f'{folder}/bench_{size}_{depth}_{side}.yuv' for side in ('ref', 'dist')]
        subprocess.run([synthclip, 'mix', str(self.width), str(self.height), '420', str(depth), str(frames), *self.paths],
                       check=True)
        for path in self.paths:
            lengthen(path, times)

    def words(self):
        return ['-r', self.paths[0], '-d', self.paths[1], '-w', str(self.width), '-h', str(self.height), '-p', '420', '-b',
                str(self.depth)]

    def remove(self):
        for path in self.paths:
            os.unlink(path)
