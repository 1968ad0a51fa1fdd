# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests the protocol of vmaf-mcp: valid messages, errors for bad ones, access to files, and the end of child processes.
usage: mcp_test.py VMAF_MCP VMAF SYNTHCLIP FOLDER"""
import base64
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from client import META, MODERN, PATIENCE, Client, modern  # noqa: E402
from inputs import Inputs  # noqa: E402

PROGRAM, VMAF, SYNTHCLIP, FOLDER = (os.path.abspath(path) for path in sys.argv[1:5])
VIDEOS = os.path.join(FOLDER, 'videos')
OUTSIDE = os.path.join(FOLDER, 'outside')
# Drivers leak memory of their own, so the sanitizer does not look for leaks in tests with drivers.
WITH_DRIVERS = os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
SIZE, FRAMES = 64, 12
LONG = {'reference': 'long.yuv', 'distorted': 'long.yuv', 'threads': 1,
        'raw': {'width': 1920, 'height': 1080, 'pixel_format': '420', 'bitdepth': 8}}
PAIR = {'reference': 'ref.y4m', 'distorted': 'dist.y4m'}
SLOW = {'reference': 'slow_ref.y4m', 'distorted': 'slow_dist.y4m'}  # two frames a second


def prepare():
    shutil.rmtree(FOLDER, ignore_errors=True)
    to, out = Inputs(SYNTHCLIP, VIDEOS), Inputs(SYNTHCLIP, OUTSIDE)
    os.chdir(FOLDER)  # where no other test writes
    ref, dist = to.clip('mix', str(SIZE), str(SIZE), '420', '8', str(FRAMES))
    worse = bytes(sample // 2 for sample in dist)
    for name, data in (('ref.y4m', ref), ('dist.y4m', dist), ('worse.y4m', worse), ('ünïcode ж.y4m', dist)):
        to.y4m(name, data)
    for name, data in (('slow_ref.y4m', ref), ('slow_dist.y4m', dist)):
        to.y4m(name, data, 'W64 H64 F2:1 Ip A1:1 C420jpeg')
    to.y4m('large.y4m', to.clip('mix', '256', '224', '420', '8', '2')[0], 'W256 H224 F30:1 Ip A1:1 C420jpeg', 256 * 224 * 3 // 2)
    out.y4m('secret.y4m', ref)
    Inputs(SYNTHCLIP, VIDEOS + '2').y4m('secret.y4m', ref)  # the folder's name begins with that of the allowed one
    to.y4m('short.y4m', dist[:len(dist) // 2])
    to.put('text.y4m', b'no video at all\n')
    to.put('bad_model.json', b'{"model_dict": [')
    # Minutes of black in a sparse file, for calls that are stopped before their end.
    with open(os.path.join(VIDEOS, 'long.yuv'), 'wb') as file:
        file.truncate(1920 * 1080 * 3 // 2 * 20000)
    os.mkfifo(os.path.join(VIDEOS, 'pipe.y4m'))
    os.mkdir(os.path.join(VIDEOS, 'folder'))
    os.symlink(os.path.join('..', 'ref.y4m'), os.path.join(VIDEOS, 'folder', 'inside.y4m'))
    os.symlink(os.path.join(OUTSIDE, 'secret.y4m'), os.path.join(VIDEOS, 'escape.y4m'))
    os.symlink(OUTSIDE, os.path.join(VIDEOS, 'way_out'))
    os.symlink('/dev/zero', os.path.join(VIDEOS, 'zero.yuv'))
    os.symlink('/proc/self/environ', os.path.join(VIDEOS, 'environ.yuv'))


def serve(*options):
    return Client(PROGRAM, '--allow', VIDEOS, *options)


def error_of(answer):
    assert set(answer) == {'jsonrpc', 'id', 'error'}, answer
    assert isinstance(answer['error']['message'], str) and answer['error']['message'], answer
    return answer['error']['code']


def failure(result):
    assert result.get('isError') is True, result
    return result['content'][0]['text']


def structured(result):
    assert 'isError' not in result, result
    assert json.loads(result['content'][0]['text']) == result['structuredContent']
    return result['structuredContent']


def until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


# ---- the protocol ----

def test_handshake():
    for version in ('2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'):
        client = serve()
        result = client.begin(version)
        assert result['protocolVersion'] == version, result
        assert result['capabilities'] == {'tools': {}} and result['serverInfo']['name'] == 'vmaf-mcp'
        answer, _ = client.ask('tools/list')
        newer = version >= '2025-06-18'
        for tool in answer['result']['tools']:
            assert ('outputSchema' in tool) == newer and ('title' in tool) == newer, (version, tool['name'])
            assert tool['inputSchema']['type'] == 'object' and tool['description']
        assert error_of(client.ask('initialize', {'protocolVersion': version})[0]) == -32600
        assert client.close() == 0
    client = serve()
    assert client.begin('1999-01-01')['protocolVersion'] == '2025-11-25'
    assert client.close() == 0


def test_before_handshake():
    client = serve()
    assert client.ask('ping')[0]['result'] == {}
    assert error_of(client.ask('tools/list')[0]) == -32602
    assert error_of(client.ask('tools/call', {'name': 'score', 'arguments': PAIR})[0]) == -32602
    assert error_of(client.ask('initialize')[0]) == -32602
    assert error_of(client.ask('initialize', {'protocolVersion': 5})[0]) == -32602
    assert client.begin()['protocolVersion'] == '2025-11-25'
    assert client.close() == 0


def test_without_handshake():
    client = serve()
    answer, _ = client.ask('server/discover', modern())
    result = answer['result']
    assert result['supportedVersions'] == [MODERN] and result['resultType'] == 'complete'
    assert result['_meta'][META + 'serverInfo']['name'] == 'vmaf-mcp'
    assert result['ttlMs'] >= 0 and result['cacheScope'] in ('public', 'private')
    result = client.ask('tools/list', modern())[0]['result']
    assert result['resultType'] == 'complete' and result['ttlMs'] >= 0 and len(result['tools']) >= 4
    result = client.ask('tools/call', modern(name='score', arguments=PAIR))[0]['result']
    assert result['resultType'] == 'complete' and structured(result)['frames'] == FRAMES
    for method in ('ping', 'initialize', 'logging/setLevel'):
        assert error_of(client.ask(method, modern())[0]) == -32601, method
    unknown = client.ask('tools/list', modern(_meta={META + 'protocolVersion': '2031-01-01'}))[0]
    assert error_of(unknown) == -32022
    assert unknown['error']['data'] == {'supported': [MODERN], 'requested': '2031-01-01'}
    assert error_of(client.ask('tools/list', {'_meta': {META + 'protocolVersion': MODERN}})[0]) == -32602
    assert error_of(client.ask('tools/list', {'_meta': {META + 'protocolVersion': 5}})[0]) == -32602
    assert error_of(client.ask('tools/list', {'_meta': 5})[0]) == -32602
    # A subscription stays open without notifications until it is cancelled.
    client.send({'jsonrpc': '2.0', 'id': 'ear', 'method': 'subscriptions/listen',
                 'params': modern(notifications={'toolsListChanged': True})})
    note = client.receive()
    assert note['method'] == 'notifications/subscriptions/acknowledged', note
    assert note['params'] == {'_meta': {META + 'subscriptionId': 'ear'}, 'notifications': {}}
    client.tell('notifications/cancelled', {'requestId': 'ear'})
    assert 'result' in client.ask('tools/list', modern())[0]
    # Both kinds of clients may use one pipe.
    assert client.begin('2025-06-18')['protocolVersion'] == '2025-06-18'
    assert 'resultType' not in client.ask('tools/list')[0]['result']
    assert client.close() == 0


def test_bad_messages():
    client = serve()
    client.begin()
    deep = b'[' * 100000
    for line in (b'{', b'nonsense', b'{"jsonrpc": "2.0", "id": 1', b'\xff\xfe\x00', b'{"a\\u0000": 1}', deep,
                 b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', b'{"id": 1e999}', b'"\xc3"', b'\x00'):
        client.send_bytes(line + b'\n')
        answer = client.receive()
        assert error_of(answer) == -32700 and answer['id'] is None, (line[:50], answer)
    for value, id in ((5, None), ('text', None), (None, None), ([], None), ([1], None), ({}, None),
                      ({'jsonrpc': '2.0'}, None), ({'jsonrpc': '2.0', 'id': 7}, 7),
                      ({'jsonrpc': '1.0', 'id': 7, 'method': 'ping'}, 7), ({'id': 7, 'method': 'ping'}, 7),
                      ({'jsonrpc': '2.0', 'id': 7, 'method': 5}, 7), ({'a': '\0'}, None),
                      ({'jsonrpc': '2.0', 'id': 7, 'method': 'ping\0'}, 7),
                      ({'jsonrpc': '2.0', 'id': 10**30, 'method': 'ping', 'params': {'x': [{'y': 'ref.y4m\0.png'}]}}, 10**30),
                      ({'jsonrpc': '2.0', 'id': 7, 'method': 'ping', 'params': [1]}, 7),
                      ({'jsonrpc': '2.0', 'id': 7, 'method': 'ping', 'params': 'x'}, 7),
                      ({'jsonrpc': '2.0', 'id': None, 'method': 'ping'}, None),
                      ({'jsonrpc': '2.0', 'id': 1.5, 'method': 'ping'}, None),
                      ({'jsonrpc': '2.0', 'id': {}, 'method': 'ping'}, None),
                      ({'jsonrpc': '2.0', 'id': True, 'method': 'ping'}, None),
                      ([{'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}], None)):
        client.send(value)
        answer = client.receive()
        assert error_of(answer) == -32600 and answer['id'] == id, (value, answer)
    for method in ('', 'tools', 'tools/LIST', 'resources/list', 'server/discover', 'x' * 5000):
        assert error_of(client.ask(method)[0]) in (-32601, -32602), method
    for params in ({}, {'name': 5}, {'name': None}, {'name': 'no_such_tool'}, {'name': ''}, {'name': 'ж' * 300},
                   {'name': 'score', 'arguments': []}, {'name': 'score', 'arguments': 'x'},
                   {'name': 'score', 'arguments': PAIR, '_meta': {'progressToken': {}}},
                   {'name': 'score', 'arguments': PAIR, '_meta': []}):
        assert error_of(client.ask('tools/call', params)[0]) == -32602, params
    assert error_of(client.ask('tools/list', {'cursor': 'x'})[0]) == -32602
    # Notifications, responses without a request, and empty lines get no answer.
    client.send_bytes(b'\n  \n\r\n\t\n')
    client.tell('notifications/cancelled', {'requestId': 12345})
    client.tell('notifications/cancelled', {'requestId': {}})
    client.tell('notifications/cancelled')
    client.tell('no/such/thing')
    client.send({'jsonrpc': '2.0', 'id': 3, 'result': {}})
    client.send({'jsonrpc': '2.0', 'id': 3, 'error': {}})
    # Any string or integer is a valid id and is returned unchanged.
    for id in (0, -1, 2**53, -2**63, 2**63 - 1, 2**63, -2**63 - 1, 2**64, 10**40, -10**40, '', 'ж', 'a' * 1000, '1', 'a\0b', '\0',
               '9' * 30, '"' + '9' * 30, '\\', '[99999999999999999999, 5]'):
        assert client.ask('ping', id=id)[0] == {'jsonrpc': '2.0', 'id': id, 'result': {}}
    text = failure(client.ask('tools/call', {'name': 'score', 'arguments': {**PAIR, 'threads': 2**70}})[0]['result'])
    assert 'threads' in text, text
    # Windows line ends, and a last line without a line end.
    client.send_bytes(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\r\n')
    assert client.answer(1)[0]['result'] == {}
    client.send_bytes(b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}')
    client.process.stdin.close()
    assert client.answer(2)[0]['result'] == {}
    assert client.process.wait(timeout=PATIENCE) == 0


def peak_memory(client):
    """Returns the peak memory in KiB."""
    with open(f'/proc/{client.process.pid}/status') as file:
        return int(file.read().split('VmHWM:')[1].split()[0])


def test_long_lines():
    client = serve()
    client.begin()
    before = peak_memory(client)
    client.send_bytes(b'x' * (40 << 20) + b'\n')
    answer = client.receive()
    assert error_of(answer) == -32600 and answer['id'] is None
    assert peak_memory(client) - before < 16 << 10, 'a line that is too long is kept'
    almost = {'jsonrpc': '2.0', 'id': 'a' * ((1 << 20) - 100), 'method': 'ping'}
    client.send(almost)
    assert client.receive()['id'] == almost['id']
    assert client.close() == 0


def test_batches():
    client = serve()
    client.begin('2025-03-26')
    batch = [{'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}, {'jsonrpc': '2.0', 'method': 'notifications/x'}, 5,
             {'jsonrpc': '2.0', 'id': 2, 'method': 'tools/call', 'params': {'name': 'score', 'arguments': PAIR}},
             {'jsonrpc': '2.0', 'id': 3, 'method': 'nothing'},
             {'jsonrpc': '2.0', 'id': 4, 'method': 'initialize', 'params': {'protocolVersion': '2025-03-26'}}]
    client.send(batch)
    answers = {answer['id']: answer for answer in client.receive()}
    assert set(answers) == {1, 2, 3, 4, None}
    assert answers[1]['result'] == {} and error_of(answers[None]) == -32600 and error_of(answers[3]) == -32601
    assert structured(answers[2]['result'])['frames'] == FRAMES and error_of(answers[4]) == -32600
    client.send([{'jsonrpc': '2.0', 'method': 'x'}])  # a notification, so no answer
    client.send([])
    assert error_of(client.receive()) == -32600
    assert client.close() == 0


def test_wrong_arguments():
    wrong = [{}, {'reference': 'ref.y4m'}, {'reference': 5, 'distorted': 'dist.y4m'}, {**PAIR, 'more': 1},
             {**PAIR, 'worst': -1}, {**PAIR, 'worst': 1.5}, {**PAIR, 'threads': 10**6}, {**PAIR, 'features': 'psnr'},
             {**PAIR, 'features': [5]}, {**PAIR, 'features': ['psnr'] * 17}, {**PAIR, 'raw': {}},
             {**PAIR, 'reference': ''}, {**PAIR, 'reference': 'x' * 5000}, {**PAIR, 'ж' * 100: 1},
             {**PAIR, 'raw': {'width': 64, 'height': 64, 'pixel_format': '411', 'bitdepth': 8}}]
    for version in ('2025-06-18', '2025-11-25'):
        client = serve()
        client.begin(version)
        for arguments in wrong:
            answer, _ = client.ask('tools/call', {'name': 'score', 'arguments': arguments})
            if version == '2025-06-18':
                assert error_of(answer) == -32602, arguments
            else:
                assert failure(answer['result']).startswith('arguments'), arguments
        assert structured(client.call('score', {**PAIR, 'worst': 2.0})[0])['frames'] == FRAMES
        assert client.close() == 0


# ---- tools ----

def report_of(*words):
    path = os.path.join(FOLDER, 'report.json')
    subprocess.check_call([VMAF, *words, '--json', '-o', path, '-q'], cwd=VIDEOS)
    with open(path) as file:
        return json.load(file)


def test_score():
    client = serve()
    client.begin()
    result = structured(client.call('score', {**PAIR, 'features': ['psnr', 'float_ssim'], 'worst': 3})[0])
    report = report_of('-r', 'ref.y4m', '-d', 'dist.y4m', '--feature', 'psnr', '--feature', 'float_ssim')
    pooled = report['pooled_metrics']
    assert set(result['pooled']) == {'vmaf', 'psnr_y', 'psnr_cb', 'psnr_cr', 'float_ssim'}
    for name, figures in result['pooled'].items():
        for pool, value in pooled[name].items():
            assert figures[pool] == value, (name, pool)
        assert figures['min'] <= figures['p1'] <= figures['p5'] <= figures['median'] <= figures['max']
    assert result['score'] == pooled['vmaf']['mean'] and result['metric'] == 'vmaf'
    scores = sorted((frame['metrics']['vmaf'], frame['frameNum']) for frame in report['frames'])
    assert [(row['score'], row['frame']) for row in result['worst']] == scores[:3]
    assert all(abs(row['time'] - row['frame'] / 30) < 1e-6 for row in result['worst']), result['worst']
    assert result['reference'] == 'ref.y4m' and result['distorted'] == 'dist.y4m'
    assert '/proc/' not in json.dumps(result) and 'messages' not in result
    short = structured(client.call('score', {**PAIR, 'distorted': 'short.y4m'})[0])
    assert short['frames'] == FRAMES // 2
    assert short['messages'] == ['"short.y4m" ended before "ref.y4m".'], short['messages']
    more = structured(client.call('score', {**PAIR, 'all_metrics': True, 'model': 'vmaf_v0.6.1neg',
                                            'frame_count': 5, 'skip_reference': 1, 'skip_distorted': 1})[0])
    report = report_of('-r', 'ref.y4m', '-d', 'dist.y4m', '-m', 'version=vmaf_v0.6.1neg', '--frame_cnt', '5',
                       '--frame_skip_ref', '1', '--frame_skip_dist', '1')
    assert more['frames'] == 5 and more['models'][0]['source'] == 'vmaf_v0.6.1neg'
    assert more['score'] == report['pooled_metrics']['vmaf']['mean']
    assert set(more['pooled']) == set(report['pooled_metrics'])
    large = {'reference': 'large.y4m', 'distorted': 'large.y4m'}
    told = structured(client.call('score', {**large, 'model': 'auto', 'display': '4k', 'enc_size': '224x150',
                                            'enc_bitdepth': 8, 'frame_count': 2})[0])
    report = report_of('-r', 'large.y4m', '-d', 'large.y4m', '-m', 'auto', '--display', '4k', '--enc_size', '224x150',
                       '--enc_bitdepth', '8', '--frame_cnt', '2')
    assert told['score'] == report['pooled_metrics']['vmaf']['mean']
    assert told['models'] == report['vmaf_turbo']['models'] and told['models'][0]['source'] == 'vmaf_v1.0.16_1d5h_2160'
    assert 'enc_width=224:enc_height=150:enc_bitdepth=8' in told['models'][0]['note'], told['models']
    for arguments in ({'model': 'auto', 'display': 'tv'}, {'display': '4k'}, {'enc_size': 'large'}, {'enc_bitdepth': 3}):
        assert failure(client.call('score', {**large, **arguments})[0])
    for arguments in ({'model': 'no_such_model'}, {'features': ['no_such_feature']}, {'features': ['-o/tmp/x']},
                      {'features': ['psnr=no_such=1']}, {'backend': 'no_such'}, {'backend': '--help'},
                      {'model': 'vmaf_v0.6.1:path=/etc/passwd'}, {'model': 'bad_model.json'}, {'model': 'ref.y4m'},
                      {'distorted': 'text.y4m'}, {'device': '99', 'backend': 'auto'}):
        text = failure(client.call('score', {**PAIR, **arguments})[0])
        assert text and '/proc/' not in text, (arguments, text)
    assert client.close() == 0
    assert client.relatives() == []


def can_search():
    """vmaf-tune needs ffmpeg to encode, and a build that reads what it encoded."""
    path = os.path.join(VIDEOS, 'encoded.mkv')
    return shutil.which('ffmpeg') and not subprocess.run(
        ['ffmpeg', '-v', 'error', '-y', '-i', os.path.join(VIDEOS, 'dist.y4m'), '-c:v', 'ffv1', path], check=False).returncode and \
        not subprocess.run([VMAF, '-q', path, path], capture_output=True, check=False).returncode


def test_other_metrics():
    """Metrics that are not models' have figures of their own, and can be targets."""
    client = serve()
    client.begin()
    names = ['xpsnr', 'ssimulacra2']
    report = report_of('-r', 'ref.y4m', '-d', 'dist.y4m', '--feature', 'xpsnr', '--feature', 'ssimulacra2')
    result = structured(client.call('score', {**PAIR, 'features': names})[0])
    assert result['whole_video'] == report['aggregate_metrics'] and set(result['whole_video']) == {'axpsnr_y', 'axpsnr_u', 'axpsnr_v'}
    assert set(result['pooled']) == {'vmaf', 'xpsnr_y', 'xpsnr_u', 'xpsnr_v', 'ssimulacra2'}
    assert result['pooled']['ssimulacra2']['p5'] == report['vmaf_turbo']['pooled']['ssimulacra2']['p5']
    same = structured(client.call('score', {'reference': 'ref.y4m', 'distorted': 'ref.y4m', 'features': names})[0])
    assert same['whole_video']['axpsnr_y'] is None and same['pooled']['ssimulacra2']['mean'] == 100
    assert 'whole_video' not in structured(client.call('score', PAIR)[0])
    if can_search():
        search = {'source': 'ref.y4m', 'encoder': 'libx264', 'preset': 'ultrafast', 'samples': 0, 'threads': 1}
        for metric, target in (('ssimulacra2', -20), ('xpsnr', 20)):
            found = structured(client.call('search_target', {**search, 'metric': metric, 'target': target})[0])
            assert found['metric'] == metric and found['reached'] and found['found']['score'] >= target, found
        assert 'its name is ssimulacra2' in failure(client.call('search_target', {**search, 'metric': 'ssimu2', 'target': 1})[0])
    assert client.close() == 0


def test_compare():
    client = serve()
    client.begin()
    videos = ['worse.y4m', 'text.y4m', 'dist.y4m', 'missing.y4m', 'ünïcode ж.y4m']
    result, notes = client.call('compare', {'reference': 'ref.y4m', 'distorted': videos}, progressToken='t')
    check_progress(notes, 't')
    rows = structured(result)['results']
    assert len(rows) == 5 and {row['distorted'] for row in rows} == set(videos)
    scores = [row['score'] for row in rows[:3]]
    assert scores == sorted(scores, reverse=True) and rows[2]['distorted'] == 'worse.y4m'
    assert [row['distorted'] for row in rows[3:]] == ['text.y4m', 'missing.y4m']
    assert all('score' not in row and row['error'] for row in rows[3:])
    for row in rows[:3]:
        report = report_of('-r', 'ref.y4m', '-d', row['distorted'])
        assert row['score'] == report['pooled_metrics']['vmaf']['mean']
    # Without an unusable video, all are scored in one run, with the same figures.
    result, notes = client.call('compare', {'reference': 'ref.y4m', 'distorted': videos[::2]}, progressToken=1)
    together = structured(result)['results']
    for row in rows[:3] + together:
        del row['fps']
    assert sorted(together, key=str) == sorted(rows[:3], key=str)
    check_progress(notes, 1)
    assert failure(client.call('compare', {'reference': 'ref.y4m', 'distorted': ['text.y4m']})[0])
    assert failure(client.call('compare', {'reference': 'missing.y4m', 'distorted': ['dist.y4m', 'ref.y4m']})[0])
    assert client.close() == 0


def test_containers():
    """Files that need FFmpeg's libraries are read through a descriptor, if the build has these libraries."""
    if not can_search():
        return
    os.replace(os.path.join(VIDEOS, 'encoded.mkv'), os.path.join(VIDEOS, 'dist.mkv'))
    client = serve()
    client.begin()
    score = structured(client.call('score', PAIR)[0])
    assert structured(client.call('score', {**PAIR, 'distorted': 'dist.mkv'})[0])['pooled'] == score['pooled']
    shown, _ = client.call('worst_frames', {**PAIR, 'distorted': 'dist.mkv', 'count': 1})
    plain, _ = client.call('worst_frames', {**PAIR, 'count': 1})
    assert structured(shown)['worst'] == structured(plain)['worst']
    assert [part['data'] for part in shown['content'] if part['type'] == 'image'] == \
        [part['data'] for part in plain['content'] if part['type'] == 'image']
    assert client.close() == 0


def png_size(data):
    """Returns width and height of a PNG picture after checking all its checksums."""
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    at, kinds = 8, []
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        body, = struct.unpack('>I', data[at + 8 + length:at + 12 + length])
        assert zlib.crc32(data[at + 4:at + 8 + length]) == body
        kinds.append(kind)
        at += 12 + length
    assert kinds[0] == b'IHDR' and kinds[-1] == b'IEND' and b'IDAT' in kinds
    return struct.unpack('>II', data[16:24])


def test_worst_frames():
    client = serve()
    client.begin()
    result, _ = client.call('worst_frames', {**SLOW, 'count': 3})
    told = structured(result)
    score = structured(client.call('score', SLOW)[0])
    assert told['score'] == score['score'] and told['pooled'] == score['pooled']
    assert told['worst'][0] == score['worst'][0]
    rows = {row['frame']: row['score'] for row in told['worst']}
    assert list(rows.values()) == sorted(rows.values()) and len(rows) == len(told['worst']) == 3
    assert all(row['time'] == row['frame'] / 2 for row in told['worst']), told['worst']
    late = structured(client.call('worst_frames', {**SLOW, 'count': 1, 'skip_reference': 3, 'skip_distorted': 3})[0])
    assert late['worst'][0]['time'] == (late['worst'][0]['frame'] + 3) / 2, late['worst']
    assert all(abs(a - b) >= 2 for a in rows for b in rows if a != b), rows  # a second apart
    images = [part for part in result['content'] if part['type'] == 'image']
    captions = [part['text'] for part in result['content'][1:] if part['type'] == 'text']
    if 'problem' in told:  # a build without libpng
        assert not images and 'libpng' in told['problem']
    else:
        assert len(images) == 6 and len(captions) == 3
        assert all(f'Frame {frame},' in caption for frame, caption in zip(rows, captions))
        assert {png_size(base64.b64decode(image['data'], validate=True)) for image in images} == {(SIZE, SIZE)}
        assert images[0]['data'] != images[1]['data']
    brief = structured(client.call('worst_frames', {**PAIR, 'count': 3})[0])  # shorter than a second
    assert [row['frame'] for row in brief['worst']] == [told['worst'][0]['frame']]
    same = client.call('worst_frames', {'reference': 'ref.y4m', 'distorted': 'ref.y4m', 'count': 1})[0]
    images = [part['data'] for part in same['content'] if part['type'] == 'image']
    assert not images or images[0] == images[1]
    assert failure(client.call('worst_frames', {**PAIR, 'distorted': 'escape.y4m'})[0])
    assert 'arguments' in failure(client.call('worst_frames', {**PAIR, 'count': 9})[0])
    assert client.close() == 0


PLAYLIST = b'#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nref.y4m\n#EXT-X-ENDLIST\n'
CONCAT = b"ffconcat version 1.0\nfile 'ref.y4m'\n"


def test_playlists():
    """Files that refer to other files are refused."""
    for name, data in (('list.m3u8', PLAYLIST), ('list.ffconcat', CONCAT)):
        with open(os.path.join(VIDEOS, name), 'wb') as file:
            file.write(data)
    client = serve()
    client.begin()
    for name in ('list.m3u8', 'list.ffconcat'):
        for tool in ('score', 'worst_frames'):
            assert failure(client.call(tool, {**PAIR, 'distorted': name})[0])
        search = {'source': name, 'encoder': 'libx264', 'target': 90}
        assert failure(client.call('search_target', search)[0])
    for search in ({'encoder': 'libx264:stats=x'}, {'encoder': '-y'}, {'encoder': 'a b'}, {'preset': 'x=y'}, {'metric': 'x=y'},
                   {'backend': 'cpu,x'}, {'source': '../outside/secret.y4m'}, {'model': '/etc/passwd'}):
        wrong = {'source': 'ref.y4m', 'encoder': 'libx264', 'target': 90, **search}
        assert failure(client.call('search_target', wrong)[0]), search
    assert client.close() == 0


def check_progress(notes, token):
    last = 0
    for note in notes:
        assert note['method'] == 'notifications/progress' and note['params']['progressToken'] == token
        assert note['params']['progress'] > last and note['params']['message']
        assert note['params'].get('total', 1e9) >= note['params']['progress']
        last = note['params']['progress']


def test_describe_model():
    client = serve()
    client.begin()
    models = structured(client.call('describe_model', {})[0])['models']
    listed = subprocess.run([VMAF, '--list_models'], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines()[2:]]
    assert [model['name'] for model in models] == names
    for name in names:
        model, = structured(client.call('describe_model', {'model': name})[0])['models']
        assert model['name'] == name and model['features'] and model['summary']
        assert model['collection'] == ('_b_' in name)
    assert 'built-in' in failure(client.call('describe_model', {'model': 'nothing'})[0])
    assert failure(client.call('describe_model', {'model': 'bad_model.json'})[0])
    assert client.close() == 0


def test_list_backends():
    client = Client(PROGRAM, '--allow', VIDEOS, ASAN_OPTIONS=WITH_DRIVERS)
    client.begin()
    backends = structured(client.call('list_backends', {'timeout': 60})[0])['backends']
    assert backends[0]['name'] == 'cpu' and backends[0]['usable'] is True
    for backend in backends[1:]:
        # The tool `score` accepts exactly the devices that are listed as usable.
        taken = any(device['usable'] and device['type'] != 'software' for device in backend['devices'])
        assert backend['usable'] == taken, backend
        works = 'isError' not in client.call('score', {**PAIR, 'backend': backend['name']})[0]
        assert works == backend['usable'], backend
        for device in backend['devices']:
            named = client.call('score', {**PAIR, 'backend': backend['name'], 'device': device['name']})[0]
            assert ('isError' not in named) == device['usable'], (device, named)
        assert backend['usable'] or backend['problem'], backend
        for device in backend['devices']:
            assert device['usable'] or device['problem'], backend
    assert {'vulkan', 'cuda', 'hip'} <= {backend['name'] for backend in backends}
    assert client.close() == 0
    client = Client(PROGRAM, '--allow', VIDEOS, VMAF_ALLOW_SOFTWARE='1')
    client.begin()
    for backend in structured(client.call('list_backends', {'timeout': 60})[0])['backends'][1:]:
        assert backend['usable'] == any(device['usable'] for device in backend['devices']), backend
    assert client.close() == 0


def test_environment_asks_all_tools():
    """VMAF_BACKEND of the server holds for each tool that scores: what it asks for is used, or the call fails."""
    search = {'source': 'ref.y4m', 'encoder': 'libx264', 'target': 90}
    client = Client(PROGRAM, '--allow', VIDEOS, VMAF_BACKEND='vulkan:no such device', ASAN_OPTIONS=WITH_DRIVERS)
    client.begin()
    for tool, arguments in ('score', PAIR), ('worst_frames', PAIR), ('search_target', search):
        said = failure(client.call(tool, arguments)[0])
        assert 'no such device' in said or 'ffmpeg' in said, (tool, said)
    if can_search():
        assert structured(client.call('search_target', {**search, 'target': 5, 'samples': 0, 'backend': 'cpu'})[0])['reached']
    assert client.close() == 0
    client = serve()
    client.begin()
    for device, words in (('no such device', ('no such device', 'ffmpeg')), ('0,cpu', ('without a comma',))):
        said = failure(client.call('search_target', {**search, 'device': device})[0])
        assert any(word in said for word in words), said
    assert client.close() == 0


def test_bad_drivers():
    """A driver that hangs or crashes makes only its own backend unusable."""
    driver, folder = os.environ.get('BAD_DRIVER_FILE'), os.path.join(FOLDER, 'drivers')
    if not driver:
        return
    os.mkdir(folder)
    shutil.copy(driver, os.path.join(folder, 'libvulkan.so.1'))
    # The hang gets a short time limit; the crash gets all the time it needs.
    for how, seconds, problem in (('hang', 2, 'time limit'), ('crash', 600, 'signal 6')):
        client = Client(PROGRAM, VIDEOS, LD_LIBRARY_PATH=folder, BAD_DRIVER=how)
        client.begin()
        if how == 'hang':  # meanwhile, other calls work
            client.start('list_backends', {'timeout': 600}, 'slow')
            assert structured(client.call('score', PAIR)[0])['frames'] == FRAMES
            client.tell('notifications/cancelled', {'requestId': 'slow'})
            until(lambda: not client.relatives(), 'a cancelled call left processes behind')
        found = structured(client.call('list_backends', {'timeout': seconds})[0])['backends']
        backends = {backend['name']: backend for backend in found}
        assert backends['cpu']['usable'] and not backends['vulkan']['usable']
        assert problem in backends['vulkan']['problem'], backends['vulkan']
        assert client.relatives() == [] and client.close() == 0


# ---- files ----

def test_files():
    client = serve()
    client.begin()
    for path in ('folder/inside.y4m', './folder/../ref.y4m', os.path.join(VIDEOS, 'ref.y4m')):
        assert structured(client.call('score', {**PAIR, 'reference': path})[0])['reference'] == path
    secret = os.path.join(OUTSIDE, 'secret.y4m')
    outside = ('/etc/passwd', secret, '../outside/secret.y4m', 'escape.y4m', 'way_out/secret.y4m', 'zero.yuv',
               '/dev/zero', '/dev/stdin', 'environ.yuv', '/proc/self/environ', '/proc/self/fd/0', FOLDER, '/',
               'missing.y4m', 'ref.y4m/x', os.path.join(OUTSIDE, 'not_there.y4m'), 'file:ref.y4m',
               'concat:ref.y4m|dist.y4m', 'http://localhost/ref.y4m', '-', VIDEOS + '/../outside/secret.y4m', VIDEOS + '2/secret.y4m', '../videos2/secret.y4m')
    for path in outside:
        for arguments in ({**PAIR, 'reference': path}, {**PAIR, 'distorted': path}, {**PAIR, 'model': path}):
            text = failure(client.call('score', arguments)[0])
            assert 'no such file in the folders' in text, (path, text)
        assert failure(client.call('describe_model', {'model': path})[0])
    for path in ('pipe.y4m', 'folder', '.'):
        text = failure(client.call('score', {**PAIR, 'reference': path})[0])
        assert 'ordinary file' in text or 'no such file' in text, (path, text)
    assert client.close() == 0
    # Even with / allowed, only regular files can be read.
    client = Client(PROGRAM, '--allow', '/')
    client.begin()
    for path in ('/dev/zero', '/proc/self/environ', '/proc/version', '/sys/kernel/notes'):
        if os.path.exists(path):
            text = failure(client.call('describe_model', {'model': path})[0])
            assert 'not an ordinary file' in text, (path, text)
    assert structured(client.call('score', {key: os.path.join(VIDEOS, name) for key, name in PAIR.items()})[0])
    assert client.close() == 0
    client = serve('--max_bytes', '10K')
    client.begin()
    assert 'max_bytes' in failure(client.call('score', PAIR)[0])
    assert client.close() == 0


def test_nothing_is_written():
    """Options that write files are refused, both in arguments and in models."""
    options = {'feature_opts_dicts': [{}, {'heatmaps_path': 'maps'}]}
    for name, model in (('writer.json', {'model_dict': options}), ('writers.json', {'0': {}, '1': {'model_dict': options}}),
                        ('leading.json', {'model_dict': {'feature_opts_dicts': [{'x': '/tmp/y'}]}}),
                        ('trailing.json', {'model_dict': options})):
        with open(os.path.join(VIDEOS, name), 'w') as file:
            json.dump(model, file)
            file.write(' and more' if name == 'trailing.json' else '')  # the library ignores that
    client = serve()
    client.begin()
    before = sorted(os.listdir('.')), sorted(os.listdir(VIDEOS))
    for feature in ('cambi=heatmaps_path=maps', 'cambi=heatmaps\\_path=maps', 'cambi=full_ref=true:heatmaps_path=/tmp/maps',
                    'cambi=eotf=/tmp/maps'):
        assert 'writes files' in failure(client.call('score', {**PAIR, 'features': [feature]})[0]), feature
        assert 'writes files' in failure(client.call('worst_frames', {**PAIR, 'features': ['psnr', feature]})[0])
        both = {'reference': 'ref.y4m', 'distorted': ['dist.y4m', 'ref.y4m'], 'features': [feature]}
        assert 'writes files' in failure(client.call('compare', both)[0])
    for model in ('writer.json', 'writers.json', 'leading.json', 'trailing.json'):
        assert 'writes files' in failure(client.call('score', {**PAIR, 'model': model})[0]), model
        search = {'source': 'ref.y4m', 'encoder': 'libx264', 'target': 90, 'model': model}
        assert 'writes files' in failure(client.call('search_target', search)[0]), model
    assert structured(client.call('score', {**PAIR, 'features': ['psnr=reduced_hbd_peak=true']})[0])
    assert client.close() == 0
    assert before == (sorted(os.listdir('.')), sorted(os.listdir(VIDEOS)))


def test_model_in_use():
    """The model that was checked is the one that is used, even if its file is changed in place meanwhile."""
    path, maps = os.path.join(VIDEOS, 'changing.json'), os.path.join(FOLDER, 'maps')
    harmless = (b'{"model_dict": {"model_type": "LIBSVMNUSVR", "norm_type": "none", "feature_names": ["Cambi_feature_cambi_score"], '
                b'"feature_opts_dicts": [{}], "model": "svm_type nu_svr\\nkernel_type rbf\\ngamma 0.0004\\nnr_class 2\\n'
                b'total_sv 1\\nrho 1\\nSV\\n1 1:2 \\n"}}')
    writing = harmless.replace(b'{}', b'{"heatmaps_path": "%s"}' % maps.encode())
    size = len(writing) + 100
    with open(path, 'wb') as file:
        file.write(harmless.ljust(size))
    client = serve()
    client.begin()
    large = {'reference': 'large.y4m', 'distorted': 'large.y4m', 'model': 'changing.json'}
    assert structured(client.call('score', large)[0])['models'][0]['source'] == 'changing.json'
    file = os.open(path, os.O_WRONLY)
    for i in range(12):  # the file changes at another moment each time
        os.pwrite(file, harmless.ljust(size), 0)
        client.next_id += 1
        id = client.next_id
        client.send({'jsonrpc': '2.0', 'id': id, 'method': 'tools/call', 'params': {'name': 'score', 'arguments': large}})
        time.sleep(0.002 * i)
        os.pwrite(file, writing.ljust(size), 0)
        answer = client.answer(id)[0]['result']
        assert 'isError' not in answer or 'writes files' in failure(answer), answer
    os.close(file)
    assert client.close() == 0
    assert not os.path.exists(maps)


def test_pairing():
    """Offsets, rates, lengths and rectangles are arguments, and results tell what makes scores doubtful."""
    to = Inputs(SYNTHCLIP, VIDEOS)
    ref, dist = to.clip('mix', str(SIZE), str(SIZE), '420', '8', '40')
    frame = len(ref) // 40
    to.y4m('p_ref.y4m', ref, 'W64 H64 F25:1 Ip A1:1 C420jpeg')
    to.y4m('p_late.y4m', dist[3 * frame:], 'W64 H64 F25:1 Ip A1:1 C420jpeg')
    to.y4m('p_short.y4m', dist[:20 * frame], 'W64 H64 F25:1 Ip A1:1 C420jpeg')
    to.y4m('p_bad.y4m', bytes(255 - sample for sample in dist), 'W64 H64 F25:1 Ip A1:1 C420jpeg')
    to.y4m('p_double.y4m', b''.join(2 * dist[i * frame:(i + 1) * frame] for i in range(40)), 'W64 H64 F50:1 Ip A1:1 C420jpeg')
    client = serve()
    client.begin()

    def score(distorted, tool='score', **more):
        return structured(client.call(tool, {'reference': 'p_ref.y4m', 'distorted': distorted, **more})[0])

    plain, fixed = score('p_late.y4m'), score('p_late.y4m', offset='-3')
    assert 'offset_suspected' in [w['code'] for w in plain['warnings']] and plain['complete'] is False, plain
    assert fixed['score'] > plain['score'] + 5 and fixed['complete'] is True and not fixed['warnings'], fixed
    assert score('p_late.y4m', sync='auto')['score'] == fixed['score']
    assert score('p_ref.y4m', duration='7')['frames'] == 7
    assert score('p_double.y4m', sync='nearest')['frames'] == 40
    assert score('p_double.y4m', fps='10')['frames'] == 16
    assert score('p_ref.y4m', crop='32:32:16:16', features=['psnr'], frame_count=2)['frames'] == 2
    assert 'W:H:X:Y' in failure(client.call('score', {**PAIR, 'crop_distorted': 'x'})[0])
    # A video of which frames are missing is never the best.
    both = score(['p_short.y4m', 'p_bad.y4m'], 'compare')['results']
    assert [row['distorted'] for row in both] == ['p_bad.y4m', 'p_short.y4m'] and both[0]['score'] < both[1]['score'], both
    short = score(['p_short.y4m', 'p_late.y4m'], 'compare', offset='-3')['results']
    assert [row['distorted'] for row in short] == ['p_late.y4m', 'p_short.y4m'], short
    assert short[1]['complete'] is False and '20 of 37' in short[1]['incomplete_reason'], short[1]
    assert '/proc/' not in json.dumps([plain, both, short])
    assert client.close() == 0


def test_command_line():
    def run(*words):
        return subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE)
    for words in ((), ('--allow',), ('--allow', '/no/such/folder'), ('--allow', os.path.join(VIDEOS, 'ref.y4m')),
                  ('--jobs', '0', '.'), ('--jobs', 'x', '.'), ('--max_bytes', '5X', '.'), ('--max_bytes', '-1', '.'),
                  ('--max_bytes', '99999999T', '.'), ('--timeout', '1e9', '.'), ('--nothing',), ('--worker',),
                  ('--worker', 'nothing')):
        done = run(*words)
        assert done.returncode == 1 and done.stderr and not done.stdout, (words, done)
    assert run('--help').stdout.startswith('Usage: vmaf-mcp') and run('--version').stdout.startswith('vmaf-mcp ')
    assert run('--allow', VIDEOS, OUTSIDE, '--jobs', '1').returncode == 0
    client = Client(PROGRAM, VIDEOS, OUTSIDE)
    client.begin()
    assert structured(client.call('score', {**PAIR, 'reference': 'secret.y4m'})[0])['frames'] == FRAMES
    assert client.close() == 0


# ---- calls that are ended ----

def start_long(client, id, **meta):
    client.start('score', LONG, id, **meta)


def test_cancel():
    client = serve('--jobs', '1')
    client.begin()
    start_long(client, 'long', progressToken=7)
    check_progress([client.receive() for _ in range(3)], 7)  # the call is running
    start_long(client, 'queued')
    client.start('score', PAIR, 'short')
    assert error_of(client.ask('tools/call', {'name': 'score', 'arguments': PAIR}, id='queued')[0]) == -32600
    client.tell('notifications/cancelled', {'requestId': 'queued'})
    client.tell('notifications/cancelled', {'requestId': 'long', 'reason': 'test'})
    # The cancelled calls get no answer: the next answer belongs to the request after them.
    answer, notes = client.answer('short')
    assert structured(answer['result'])['frames'] == FRAMES
    assert all(note['params']['progressToken'] == 7 for note in notes)
    until(lambda: not client.relatives(), 'a cancelled call left processes behind')
    assert client.ask('ping')[0]['result'] == {}
    assert client.close() == 0


def test_crowd():
    client = serve('--jobs', '1')
    client.begin()
    start_long(client, 'long')
    until(client.relatives, 'the call does not begin')
    for number in range(65):
        client.start('score', PAIR, number)
    message = client.receive()
    assert message['id'] == 64 and 'too many' in failure(message['result']), message
    client.tell('notifications/cancelled', {'requestId': 'long'})
    assert sorted(client.receive()['id'] for _ in range(64)) == list(range(64))
    assert client.close() == 0


def test_timeout():
    client = serve('--timeout', '1')
    client.begin()
    assert 'time limit' in failure(client.call('score', LONG)[0])
    assert client.relatives() == []
    assert client.close() == 0


def test_end_of_input():
    client = serve()
    client.begin()
    for id in range(4):
        start_long(client, id)
    until(client.relatives, 'the calls do not begin')
    client.process.stdin.close()
    answers = [client.receive() for _ in range(4)]
    assert {error_of(answer) for answer in answers} == {-32603} and client.receive() is None
    assert client.process.wait(timeout=PATIENCE) == 0
    assert client.relatives() == []


def test_signals():
    for number, code in ((signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGINT, 128 + signal.SIGINT),
                         (signal.SIGKILL, -signal.SIGKILL)):
        client = serve()
        client.begin()
        start_long(client, 1)
        until(client.relatives, 'the call does not begin')
        assert client.kill(number) == code, number
        until(lambda: not client.relatives(), f'signal {number} left processes behind')


def test_deaf_client():
    """A client that does not read cannot keep the server from ending."""
    read, write = os.pipe()
    server = subprocess.Popen([PROGRAM, VIDEOS], stdin=subprocess.PIPE, stdout=write, stderr=subprocess.DEVNULL)
    begin = {'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'protocolVersion': '2025-11-25'}}
    server.stdin.write(json.dumps(begin).encode() + b'\n')
    for number in range(200):
        message = {'jsonrpc': '2.0', 'id': number, 'method': 'tools/list'}
        server.stdin.write(json.dumps(message).encode() + b'\n')
    server.stdin.flush()
    until(lambda: not select.select([], [write], [], 0)[1], 'it does not fill the pipe')
    server.terminate()
    assert server.wait(timeout=PATIENCE) == 128 + signal.SIGTERM
    os.close(read)
    os.close(write)
    server.stdin.close()


def main():
    prepare()
    names = sys.argv[5:] or [name for name in globals() if name.startswith('test_')]
    for name in names:
        globals()[name]()
        print('passed', name, flush=True)


main()
