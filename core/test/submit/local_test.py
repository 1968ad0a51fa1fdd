#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-shard on this machine.

usage: local_test.py VMAF_SHARD VMAF SYNTHCLIP WORKDIR [EMULATED_DRIVERS]

Merged reports equal those of a single run, byte for byte. Existing parts are not scored again
unless they are damaged. Parts of something else are refused. However a run ends, no file is
incomplete and no process is left.
"""
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import time

shard, vmaf, synthclip, work = (os.path.abspath(path) for path in sys.argv[1:5])
drivers = os.path.abspath(sys.argv[5]) if len(sys.argv) > 5 else None
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shard_inputs  # noqa: E402

PAIR = ('-r', 'ref.y4m', '-d', 'dist.y4m')
LONG_FRAME = 1920 * 1080 * 3 // 2
LIMIT = 300  # seconds until the test gives up waiting
problems = []

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
LINUX = sys.platform.startswith('linux')
if LINUX:  # become the parent of orphaned processes, so that the test sees them all
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


def run(*words, **more):
    return subprocess.run([shard, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, **more)


def submit(name, *words, **more):
    return run('submit', *PAIR, '-o', name, '--backends', 'cpu', *words, **more)


def part(folder, index, count):
    return os.path.join(folder, f'part-{index:05}-of-{count:05}.json')


def files(folder):
    return sorted(os.listdir(folder))


def times(folder):
    return {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in files(folder)}


def children():
    """Returns the running descendants of this process."""
    found = []
    for name in os.listdir('/proc') if LINUX else ():
        try:
            with open(f'/proc/{name}/stat') as file:
                fields = file.read().rsplit(')', 1)[1].split()
            if name.isdigit() and int(fields[1]) == os.getpid() and fields[0] not in 'ZX':
                found.append(int(name))
        except (OSError, ValueError):
            pass
    return found


def wait_until(condition):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def the_report_of_one_run():
    for count, words, output in ((1, (), ()), (3, ('--feature', 'psnr'), ('--pool', 'p5')),
                                 (7, ('--feature', 'psnr_hvs', '--subsample', '3'), ('--precision', 'max')),
                                 (40, ('--model', 'version=vmaf_b_v0.6.3'), ('--csv',))):
        report = f'merged-{count}.{"csv" if "--csv" in output else "json"}'
        shard_inputs.single(vmaf, report, *words, output=output)
        done = submit(report, '-n', str(count), '--', *words, *output)
        check(f'{count} parts {words}', done.returncode == 0 and shard_inputs.is_single(report), done.stderr)
        last = ((done.stdout + done.stderr).strip().splitlines() or [''])[-1]
        check('it ends with a score', re.search(r': [0-9.]+(, ci.p95.*)?$', last), last)
    check('the folder has plan.json and the parts, and nothing else', files('merged-3.json.parts') ==
          [os.path.basename(part('', i, 3)) for i in range(3)] + ['plan.json'], files('merged-3.json.parts'))
    # On all devices of this machine, and on the host backend: scores are the same everywhere.
    shard_inputs.single(vmaf, 'devices.csv')
    for places in ((), ('--backends', 'cpu,host')):
        done = run('submit', *PAIR, '-o', 'devices.csv', '--fresh', '-n', '6', *places)
        if places and 'is not a scoring device' in done.stderr:
            print('this build has no host backend: not tested')
            continue
        check(f'on {places or "all devices"}', done.returncode == 0 and shard_inputs.is_single('devices.csv'), done.stderr)
        check('each device scores parts', not places or ('done on cpu,' in done.stderr and 'done on host,' in done.stderr),
              done.stderr)
    shard_inputs.single(vmaf, 'default.json')
    done = submit('default.json')
    check('a default number of parts', done.returncode == 0 and shard_inputs.is_single('default.json'), done.stderr)


def devices_that_are_missing():
    """A device that is named must be able to score."""
    done = run('submit', *PAIR, '-o', 'missing.json', '-n', '2', '--backends', 'cpu,cuda:No such card')
    check('nothing starts', done.returncode == 255 and '  cuda:No such card: ' in done.stderr and 'nothing was started' in done.stderr and
          not os.path.exists('missing.json.parts'), done.stderr)
    for asked, code, rest in (('cuda:No such card', 255, 'cannot score on cuda:No such card'), ('nonsense', 1, 'VMAF_BACKEND'), ('cpu', 0, '')):
        done = run('submit', *PAIR, '-o', 'asked.json', '-n', '2', env={**os.environ, 'VMAF_BACKEND': asked})
        check('the environment asks', done.returncode == code and rest in done.stderr and
              os.path.exists('asked.json.parts') == (code == 0), asked, done.stderr)
    done = run('submit', *PAIR, '-n', '2', '--engine', 'kubernetes', '--image', 'none', '--dry-run', env={**os.environ, 'VMAF_BACKEND': 'cuda'})
    check('the environment does not reach other machines', done.returncode == 1 and 'write --backend after' in done.stderr, done.stderr)
    done = run('submit', *PAIR, '-n', '2', '--backends', 'available', '--parts', 'available.parts')
    check('those that are available', done.returncode == 0 and 'scoring on ' in done.stderr, done.stderr)
    check('scores are printed without a report, too', 'vmaf_v0.6.1: ' in (done.stdout + done.stderr).strip().splitlines()[-1], done.stderr)


def on_gpus():
    """Two emulated cards of one driver are found and get one process each. A card that fails is no
    longer used."""
    if not drivers:
        return
    env = {**os.environ, 'LD_LIBRARY_PATH': drivers, 'XDG_CACHE_HOME': os.path.join(work, 'cache')}
    done = submit_anywhere('cards.csv', '--dry-run', env=env)
    places = [line.split()[2].rstrip(',') for line in done.stdout.splitlines() if line.startswith('# on ')]
    if places == ['cpu']:
        print('this build cannot use the fake drivers: not tested')
        return
    check('each card once, and the CPU', [place.split(':')[-1] for place in places] == ['0', '1', 'cpu'], places)
    shard_inputs.single(vmaf, 'cards.csv')
    done = submit_anywhere('cards.csv', env=env)
    check('all devices', done.returncode == 0 and shard_inputs.is_single('cards.csv') and
          all(f'done on {place},' in done.stderr for place in places), done.stderr)
    # Kernels fail on both cards: soon they get no more parts, and the CPU scores all.
    launch = 'cuLaunchKernel' if places[0].startswith('cuda') else 'hipModuleLaunchKernel'
    done = submit_anywhere('cards.csv', '--fresh', '-n', '26', env={**env, 'EMULATED_FAULT': f'{launch}:1:700'})
    check('cards that fail are no longer used', done.returncode == 0 and shard_inputs.is_single('cards.csv') and
          any(f'no longer using {place}:' in done.stderr for place in places[:2]), done.stderr)


def submit_anywhere(name, *words, **more):
    return run('submit', *PAIR, '-n', '8', *words, '-o', name, **more)


def only_what_is_missing():
    folder = 'again.json.parts'
    shard_inputs.single(vmaf, 'again.json')
    submit('again.json', '-n', '4')
    before = times(folder)
    # One part is missing, one is cut off, and one belongs to something else.
    os.remove(part(folder, 0, 4))
    with open(part(folder, 1, 4), 'r+') as file:
        file.truncate(os.path.getsize(part(folder, 1, 4)) // 2)
    shutil.copy(part(folder, 3, 4), part(folder, 2, 4))
    os.remove('again.json')
    done = run('status', folder)
    check('three are missing', (done.returncode, done.stdout) == (2, '1 of 4 parts are done; missing: 0-2\n'), done.stdout)
    done = run('merge', *PAIR, '-n', '4', '--parts', folder, '-o', 'again.json')
    check('no merge without them', done.returncode == 2 and 'missing: 0-2' in done.stderr and not os.path.exists('again.json'),
          done.stderr)
    # A merge that waits gets the missing parts.
    waiting = subprocess.Popen([shard, 'merge', *PAIR, '-n', '4', '--parts', folder, '-o', 'waited.json', '--wait', '300'],
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    done = submit('again.json')  # takes the number of parts from plan.json
    said = waiting.communicate(timeout=LIMIT)[1]
    check('the merge waits', waiting.returncode == 0 and os.path.exists('waited.json'), said)
    check('the missing parts are scored again', done.returncode == 0 and
          re.search('^3 of 4 parts to score, on .*; the others were measured before, on the CPU$', done.stderr, re.M) and shard_inputs.is_single('again.json'),
          done.stderr)
    check('the existing part is not scored again', times(folder)[os.path.basename(part('', 3, 4))] == before[os.path.basename(part('', 3, 4))])
    done = run('part', *PAIR, '-n', '4', '--parts', folder, env={**os.environ, 'JOB_COMPLETION_INDEX': '2'})
    check('`part` does not score an existing part again', done.returncode == 0 and 'already' in done.stderr, done.stderr)


def parts_of_something_else():
    folder = 'mine.json.parts'
    submit('mine.json', '-n', '2')
    before = times(folder)
    for title, words in (('another number', (*PAIR, '-n', '3')), ('another video', ('-r', 'ref.y4m', '-d', 'other.y4m', '-n', '2')),
                         ('another model', (*PAIR, '-n', '2', '--', '--model', 'version=vmaf_v0.6.1neg'))):
        for command in (('submit', '--backends', 'cpu', '-o', 'mine.json'), ('part', '--index', '0'), ('merge', '-o', 'mine.json')):
            cut = words.index('--') if '--' in words else len(words)
            done = run(*command, '--parts', folder, *words[:cut], *words[cut:])
            check(f'{title}, {command[0]}: refused', done.returncode == 1 and 'something else' in done.stderr, done.stderr)
    written = os.stat('dist.y4m').st_mtime_ns
    within_its_second = written - written % 10**9 + (written + 10**6) % 10**9
    for title, time_ns in (('a video that has changed', 10**9), ('one that has within a second', within_its_second)):
        os.utime('dist.y4m', ns=(time_ns, time_ns))
        done = submit('mine.json', '-n', '2')
        check(f'{title}: refused', done.returncode == 1 and 'modified' in done.stderr, done.stderr)
    check('the parts are unchanged', times(folder) == before)
    done = submit('mine.json', '-n', '3', '--fresh', '--', '--feature', 'psnr')
    check('--fresh starts over', done.returncode == 0 and len(files(folder)) == 4, done.stderr, files(folder))
    os.remove('mine.json')
    shard_inputs.single(vmaf, 'mine.json', '--feature', 'psnr')
    done = submit('mine.json', '--', '--feature', 'psnr')
    check('the scores of the new options are right', shard_inputs.is_single('mine.json'), done.stderr)
    # Without plan.json, each part itself says what it belongs to.
    os.remove(os.path.join(folder, 'plan.json'))
    os.remove('mine.json')
    shard_inputs.single(vmaf, 'mine.json', '--model', 'version=vmaf_v0.6.1neg')
    done = submit('mine.json', '-n', '3', '--', '--model', 'version=vmaf_v0.6.1neg')
    check('parts of another model are scored again', '3 of 3 parts to score' in done.stderr and shard_inputs.is_single('mine.json'), done.stderr)
    submit('theirs.json', '-n', '3')
    shutil.copy(part('theirs.json.parts', 1, 3), folder)
    done = submit('mine.json', '-n', '3', '--', '--model', 'version=vmaf_v0.6.1neg')
    check('one such part is scored again', '1 of 3 parts to score' in done.stderr and shard_inputs.is_single('mine.json'), done.stderr)
    done = submit('switches.json', '-n', '2', '--', '--no_cuda', '--allow_software', '--from_start', '--frame-cnt', '5', '--range=match')
    check('options of all kinds are recognised', done.returncode == 0, done.stderr)
    done = submit('colours.json', '-n', '2', '--', '--color_range=full', '--color_primaries', 'bt709', '--color_trc', 'bt709',
                  '--color_matrix', 'bt709')
    check('colours are recognised', done.returncode == 0, done.stderr)


def what_fails():
    done = run('submit', '-r', 'ref.y4m', '-d', 'nowhere.y4m', '-n', '2', '-o', 'none.json', '--backends', 'cpu', '--retries', '1')
    check('a failure is reported', done.returncode == 255 and '2 of 2 parts failed' in done.stderr and done.stderr.count('nowhere') >= 2,
          done.stderr)
    check('failed parts are tried again', done.stderr.count('trying again') == 2, done.stderr)
    check('no report', not os.path.exists('none.json'))
    done = submit('low.json', '-n', '2', '--', '--fail_under', '100')
    check('--fail_under applies to the whole video', done.returncode == 2 and os.path.exists('low.json'), done.returncode, done.stderr)


def is_scoring(folder):
    """Has the process of a part read frames? By then it has written all it writes before
    scoring."""
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as words, open(f'/proc/{pid}/io') as counts:
                if {b'part', folder.encode()} <= set(words.read().split(b'\0')):
                    return int(counts.readline().split()[1]) > 4 * LONG_FRAME
        except OSError:
            pass
    return False


def slow_start(name, *words):
    """Starts a run with slow parts, and waits until it scores its first part."""
    process = subprocess.Popen([shard, 'submit', '-r', 'long.yuv', '-d', 'long.yuv', '-n', '2', '-o', name, '--backends', 'cpu', *words,
                                '--', '-w', '1920', '-h', '1080', '-p', '420', '-b', '8'], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    check('the run starts', wait_until(lambda: os.path.exists(f'{name}.parts/plan.json')))
    check('the run scores', not LINUX or wait_until(lambda: is_scoring(f'{name}.parts')))
    return process


def stopped():
    with open('long.yuv', 'wb') as file:
        file.truncate(LONG_FRAME * 20000)  # a sparse file, which needs no disk space
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        name = f'stopped-{number.name}.json'
        process = slow_start(name)
        process.send_signal(number)
        said = process.communicate(timeout=LIMIT)[1]
        want = -number if number == signal.SIGKILL else 128 + number
        check(f'{number.name}: it ends', process.returncode == want, process.returncode, said)
        check(f'{number.name}: no process is left', wait_until(lambda: not children()), children())
        check(f'{number.name}: nothing is half-written', files(f'{name}.parts') == ['plan.json'] and not os.path.exists(name),
              files(f'{name}.parts'))
    os.remove('long.yuv')


shard_inputs.make_clips(synthclip)
the_report_of_one_run()
devices_that_are_missing()
on_gpus()
only_what_is_missing()
parts_of_something_else()
what_fails()
stopped()
print('\n'.join(problems))
sys.exit(1 if problems else 0)
