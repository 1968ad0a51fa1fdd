# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Generated pairs of videos, in files."""
import os
import subprocess
import threading

PIECE = 1 << 20


def lengthen(path, times):
    """Repeats a file, in small pieces: a large process here would show as the peak memory of those it starts."""
    size = os.path.getsize(path)
    with open(path, 'rb') as source, open(path, 'ab', buffering=0) as target:
        for _ in range(times - 1):
            source.seek(0)
            for at in range(0, size, PIECE):
                target.write(source.read(min(PIECE, size - at)))


class Clip:
    """A pair, made once: `frames` of its own, repeated until there are `pairs` of them."""

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
        if times > 1:
            workers = [threading.Thread(target=lengthen, args=(path, times)) for path in self.paths]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()

    def words(self):
        return ['-r', self.paths[0], '-d', self.paths[1], '-w', str(self.width), '-h', str(self.height), '-p', '420', '-b',
                str(self.depth)]

    def remove(self):
        for path in self.paths:
            os.unlink(path)
