# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A command whose messages go to a terminal of ours. There it shows the first pair as soon as that is scored: what a test
can wait for, however slow the machine is."""
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
        """Takes what comes next. False: nothing more comes, or nothing came in time."""
        if self.ended or not select.select([self.terminal], [], [], max(0, until - time.monotonic()))[0]:
            return False
        try:
            chunk = os.read(self.terminal, 65536)
        except OSError:  # Linux' way to say that the other side is closed
            chunk = b''
        self.seen += chunk
        self.ended = not chunk
        return not self.ended

    def wait_for_pair(self, seconds):
        """Until a pair is scored, or the command ends."""
        until = time.monotonic() + seconds
        while b' frame' not in self.seen and self._read(until):
            pass

    def end(self, seconds):
        """All that was said. A command that does not end is killed, and that is said."""
        until = time.monotonic() + seconds
        while self._read(until):
            pass
        late = '' if self.ended else ' -- did not end'
        if late:
            self.process.kill()
        self.process.wait()
        os.close(self.terminal)
        return self.seen.decode(errors='replace') + late
