# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A client of vmaf-mcp for the tests: sends valid and invalid messages, and keeps the answers."""
import json
import os
import queue
import signal
import subprocess
import threading
import uuid

MODERN = '2026-07-28'
META = 'io.modelcontextprotocol/'
PATIENCE = 300  # seconds until a test gives up; no test depends on the speed of the machine


class Client:
    def __init__(self, program, *options, **environment):
        self.mark = f'VMAF_MCP_TEST={uuid.uuid4()}'
        name, value = self.mark.split('=')
        self.process = subprocess.Popen([program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, name: value, **environment})
        self.messages = queue.Queue()
        self.errors = []
        self.next_id = 1000
        for stream, keep in ((self.process.stdout, self.messages.put), (self.process.stderr, self.errors.append)):
            threading.Thread(target=self._read, args=(stream, keep), daemon=True).start()

    @staticmethod
    def _read(stream, keep):
        for line in stream:
            keep(line)
        keep(None)

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(json.dumps(message).encode() + b'\n')

    def receive(self):
        """Returns the next message, or None if the server has closed its output."""
        line = self.messages.get(timeout=PATIENCE)
        if line is None:
            return None
        message = json.loads(line)  # every line must be a message
        for part in message if isinstance(message, list) else [message]:
            assert part['jsonrpc'] == '2.0', part
        return message

    def ask(self, method, params=None, id=None):
        """Sends a request. Returns its answer and the notifications before it."""
        if id is None:
            self.next_id += 1
            id = self.next_id
        message = {'jsonrpc': '2.0', 'id': id, 'method': method}
        if params is not None:
            message['params'] = params
        self.send(message)
        return self.answer(id)

    def answer(self, id):
        notes = []
        while True:
            message = self.receive()
            assert message is not None, 'the server has gone: ' + self.said()
            if 'method' in message:
                notes.append(message)
                continue
            assert message['id'] == id, (id, message)
            return message, notes

    def tell(self, method, params=None):
        self.send({'jsonrpc': '2.0', 'method': method, **({'params': params} if params is not None else {})})

    def begin(self, version='2025-11-25'):
        answer, _ = self.ask('initialize', {'protocolVersion': version, 'capabilities': {},
                                            'clientInfo': {'name': 'test', 'version': '1'}})
        self.tell('notifications/initialized')
        return answer['result']

    def call(self, tool, arguments, **meta):
        """Calls a tool. Returns its result and its progress notifications."""
        params = {'name': tool, 'arguments': arguments}
        if meta:
            params['_meta'] = meta
        answer, notes = self.ask('tools/call', params)
        assert 'result' in answer, answer
        return answer['result'], notes

    def start(self, tool, arguments, id, **meta):
        """Sends a call without waiting for the answer."""
        self.send({'jsonrpc': '2.0', 'id': id, 'method': 'tools/call',
                   'params': {'name': tool, 'arguments': arguments, '_meta': meta}})

    def relatives(self):
        """Returns the processes that the server has started, and their children."""
        found = []
        for name in os.listdir('/proc'):
            if not name.isdigit() or int(name) == self.process.pid:
                continue
            try:
                with open(f'/proc/{name}/environ', 'rb') as file:
                    if self.mark.encode() in file.read().split(b'\0'):
                        found.append(int(name))
            except OSError:
                pass
        return found

    def said(self):
        return b''.join(line for line in self.errors if line).decode(errors='replace')

    def close(self):
        """Ends the server by closing its input. Returns its exit code."""
        self.process.stdin.close()
        return self.process.wait(timeout=PATIENCE)

    def kill(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(timeout=PATIENCE)


def modern(**params):
    """Returns parameters for a request that needs no handshake."""
    meta = {META + 'protocolVersion': MODERN, META + 'clientCapabilities': {}, **params.pop('_meta', {})}
    return {**params, '_meta': meta}
