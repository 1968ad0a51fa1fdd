# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Controls a headless Chromium through a pipe with its DevTools protocol. Needs no other software
than Python and the browser."""
import base64
import json
import os
import select
import shutil
import subprocess
import time


def find():
    """Returns the browser's path, or None if there is no browser."""
    return next((found for name in ('chromium', 'chromium-browser', 'google-chrome') if (found := shutil.which(name))), None)


class Browser:
    """A browser with one page. `complaints` collects console messages and script errors."""

    def __init__(self, profile):
        to_read, self.out = os.pipe()
        self.inp, to_write = os.pipe()
        fds = [os.dup2(to_read, 200), os.dup2(to_write, 201)]
        # The browser reads commands from file descriptor 3 and writes answers to 4.
        self.process = subprocess.Popen(
            ['bash', '-c', 'exec 3<&200 4>&201; exec "$@"', 'bash', find(), '--headless=new', '--no-sandbox', '--disable-gpu',
             '--disable-dev-shm-usage', '--hide-scrollbars', '--no-first-run', '--remote-debugging-pipe',
             f'--user-data-dir={profile}', 'about:blank'],
            pass_fds=fds, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (to_read, to_write, *fds):
            os.close(fd)
        self.rest, self.number, self.session, self.complaints, self.loaded = b'', 0, None, [], []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log'):
            self.call(domain + '.enable')
        self.call('Page.setLifecycleEventsEnabled', enabled=True)

    def close(self):
        try:
            self.session = None
            self.call('Browser.close')
        except (OSError, RuntimeError):
            self.process.kill()
        self.process.wait(60)

    def receive(self, seconds=240):
        """Returns the next message. Raises RuntimeError if none comes in time."""
        end = time.monotonic() + seconds
        while b'\0' not in self.rest:
            if not select.select([self.inp], [], [], max(0, end - time.monotonic()))[0]:
                raise RuntimeError('the browser does not answer')
            chunk = os.read(self.inp, 1 << 20)
            if not chunk:
                raise RuntimeError('the browser has gone')
            self.rest += chunk
        message, self.rest = self.rest.split(b'\0', 1)
        return json.loads(message)

    def note(self, message):
        method, params = message.get('method'), message.get('params', {})
        if method in ('Runtime.exceptionThrown', 'Runtime.consoleAPICalled', 'Log.entryAdded'):
            self.complaints.append(params)
        if method == 'Page.lifecycleEvent' and params['name'] == 'load':
            self.loaded.append(params['loaderId'])

    def call(self, method, **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        data = json.dumps(message).encode() + b'\0'
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.receive()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']
            self.note(answer)

    def shape(self, width, height, dark=False, phone=False):
        """Sets the size of the window, and whether the system prefers dark colours or is a
        phone."""
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.call('Emulation.setTouchEmulationEnabled', enabled=phone)
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme',
                                                           'value': 'dark' if dark else 'light'}])

    def open(self, url):
        """Opens the address and waits until the page is loaded. Returns how many seconds it
        took."""
        for place in ('about:blank', url):  # a change of only the #frame would not load the page again
            start = time.monotonic()
            loader = self.call('Page.navigate', url=place)['loaderId']
            while loader not in self.loaded:  # events of an earlier page may come late
                self.note(self.receive())
        return time.monotonic() - start

    def ask(self, script):
        """Returns the value of a JavaScript expression. If it is a promise, waits for it."""
        result = self.call('Runtime.evaluate', expression=script, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(f'{script}: {result["exceptionDetails"]}')
        return result['result'].get('value')

    def settle(self):
        """Waits until the page has handled earlier events and drawn itself."""
        self.ask('new Promise((r) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => r(1)))))')

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type='mouse' + kind, x=x, y=y, **more)

    def key(self, name):
        codes = {'ArrowLeft': 37, 'ArrowRight': 39, 'ArrowDown': 40}
        for kind in ('rawKeyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=name, code=name, windowsVirtualKeyCode=codes[name])
        self.settle()

    def drag(self, x, y, to):
        """Drags the mouse from x to `to` at height y. If `to` equals x, this is a click."""
        self.mouse('Moved', x, y)
        self.mouse('Pressed', x, y, button='left', clickCount=1)
        for part in (.5, 1):
            if to != x:
                self.mouse('Moved', x + (to - x) * part, y, button='left')
        self.mouse('Released', to, y, button='left', clickCount=1)
        self.settle()

    def picture(self, path):
        data = self.call('Page.captureScreenshot', format='png')['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))
