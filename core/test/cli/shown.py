# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs a command whose messages go to a pseudo-terminal. It shows the first pair as soon as that is scored, so tests
can wait for that on machines of any speed."""
import os
import pty
import select
import subprocess
import time


class Shown:
    def __init__(self, command):
        self.seen, self.ended = b'', False
        self.terminal, other = pty.openpty()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=other)
        os.close(other)

    def _read(self, until):
        """Reads the next output. False: the output has ended, or nothing came in time."""
        if self.ended or not select.select([self.terminal], [], [], max(0, until - time.monotonic()))[0]:
            return False
        try:
            chunk = os.read(self.terminal, 65536)
        except OSError:  # how Linux reports that the other side is closed
            chunk = b''
        self.seen += chunk
        self.ended = not chunk
        return not self.ended

    def wait_for_pair(self, seconds):
        """Waits until a pair is scored or the command ends."""
        until = time.monotonic() + seconds
        while b' frame' not in self.seen and self._read(until):
            pass

    def end(self, seconds):
        """Returns all output. Kills a command that does not end, and notes that in the output."""
        until = time.monotonic() + seconds
        while self._read(until):
            pass
        late = '' if self.ended else ' -- did not end'
        if late:
            self.process.kill()
        self.process.wait()
        os.close(self.terminal)
        return self.seen.decode(errors='replace') + late
