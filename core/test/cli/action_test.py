#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests the GitHub Action: its definition is consistent, and its script scores and judges as it
would on a runner.

usage: action_test.py VMAF SYNTHCLIP WORKDIR ACTION
"""
import os
import re
import shutil
import subprocess
import sys

vmaf, synthclip, work, action = (os.path.abspath(p) for p in sys.argv[1:5])
failed = checks = 0


def check(title, good, got=''):
    global failed, checks
    checks += 1
    if not good:
        failed += 1
        print(f'{title}: {got!r}')


def check_definition():
    try:
        import yaml
    except ImportError:
        print('action.yml is not read: needs python3-yaml')
        return
    text = open(f'{action}/action.yml', encoding='utf-8').read()
    definition = yaml.safe_load(text)
    steps = definition['runs']['steps']
    check('a composite action', definition['runs']['using'] == 'composite')
    check('each step runs or uses', all(('run' in s) != ('uses' in s) for s in steps), steps)
    check('each command has its shell', all('shell' in s for s in steps if 'run' in s), steps)
    check('what users write reaches commands as data only', not any('${{' in s.get('run', '') for s in steps))
    used = set(re.findall(r'inputs\.([\w-]+)', text))
    check('inputs that are used are declared', used == set(definition['inputs']), used ^ set(definition['inputs']))
    for step in steps:
        check('actions of others are pinned', re.fullmatch(r'[\w-]+/[\w-]+@[0-9a-f]{40}', step.get('uses', 'a/b@' + '0' * 40)), step)
    for word in re.findall(r'\$GITHUB_ACTION_PATH/(\w+)', text):
        check('its scripts are executable', os.access(f'{action}/{word}', os.X_OK), word)
    ids = {s['id'] for s in steps if 'id' in s}
    check('outputs come from steps', set(re.findall(r'steps\.(\w+)\.', text)) <= ids, ids)
    readme = open(f'{action}/README.md', encoding='utf-8').read()
    check('inputs are explained', all(f'`{name}`' in readme for name in definition['inputs']), definition['inputs'])


def check_build():
    """Checks that the build script uses only options that the build has."""
    options = set(re.findall(r"^option\('(\w+)'", open(f'{action}/../core/meson_options.txt', encoding='utf-8').read(), re.M))
    given = set(re.findall(r'-D(\w+)=', open(f'{action}/build', encoding='utf-8').read()))
    check('options of the build', given <= options | {'default_library'}, given - options)
    if shutil.which('shellcheck'):
        done = subprocess.run(['shellcheck', f'{action}/build'], capture_output=True, text=True, check=False)
        check('the build script', done.returncode == 0, done.stdout)


def run(pairs, limit='', **more):
    """Returns exit code, printed text, outputs and summary."""
    for name in ('output', 'summary'):
        open(name, 'w').close()
    shutil.rmtree('kept', ignore_errors=True)
    done = subprocess.run([f'{action}/score'], capture_output=True, text=True, check=False, env={
        **os.environ, 'VMAF': vmaf, 'PAIRS': pairs, 'FAIL_UNDER': limit, 'REPORT': 'kept', 'GITHUB_OUTPUT': 'output',
        'OPTIONS': '-w 64 -h 64 -p 420 -b 8', 'GITHUB_STEP_SUMMARY': 'summary', **more})
    return done.returncode, done.stdout + done.stderr, open('output').read(), open('summary').read()


def check_script():
    both = '# two lines\nr.yuv => a.yuv b.yuv\n\n"r.yuv" =>"with blank.yuv"\n'
    code, said, out, table = run(both, '1 1:p5')
    check('good encodes', code == 0 and out == 'passed=true\nreport=kept\n', (code, said, out))
    check('one page for each line and one report for each video', sorted(os.listdir('kept')) == [
        '01-a.1.json', '01-a.2.json', '01-a.html', '02-with_blank.1.json', '02-with_blank.html'], os.listdir('kept'))
    check('the summary has a table', len(re.findall(r'^\| .* \| r.yuv \| vmaf\\_v0.6.1 \| [\d.]+ \| [\d.]+ \| [\d.]+ \|$', table, re.M))
          == 3 and 'passed' in table, table)
    code, said, out, table = run('r.yuv => a.yuv\nr.yuv => b.yuv', '99.9:min')
    check('poor encodes', code == 0 and 'passed=false' in out and said.count('below 99.9') == 2, (code, said, out))
    check('poor encodes are in the summary', 'below the limit (99.9:min)' in table, table)
    code, said, out, table = run('r.yuv => nope.yuv\nr.yuv => a.yuv', '1')
    check('a video that is missing', code == 1 and 'passed=false' in out and 'no scores' in table, (code, out, table))
    check('a missing video does not affect the others', '02-a.html' in os.listdir('kept'), os.listdir('kept'))
    code, said, out, _ = run('r.yuv => a.yuv', MODEL='version=vmaf_v0.6.1neg')
    check('a model', code == 0 and 'vmaf\\_v0.6.1neg' in open('summary').read(), said)
    for limit in ('1', ''):
        code, said, out, table = run('r.yuv => short.yuv', limit)
        check('a cut encode', code == 0 and 'passed=false' in out and 'incomplete' in table and
              'ended before the reference: 2 of 3 frames' in table, (code, out, table))
        code, said, out, table = run('r.yuv => short.yuv', limit, OPTIONS='-w 64 -h 64 -p 420 -b 8 --allow-partial')
        check('a cut encode that is accepted', code == 0 and 'passed=true' in out and '2 of 3 frames' in table, (code, out, table))
    for bad in ('', 'r.yuv a.yuv', 'r.yuv =>', '=> a.yuv', 'r.yuv x => a.yuv', '"r.yuv => a.yuv'):
        code, said, out, _ = run(bad)
        check('bad pairs', code == 1 and said.startswith('pairs'), (bad, code, said))
    # A stranger chooses the names of files and their contents.
    for bad in ('r.yuv => ::error::x.yuv', '::stop-commands::x => a.yuv', 'r.yuv => "a\x1b[2J.yuv"', 'r.yuv => ##[error]x'):
        code, said, out, _ = run(bad)
        check('a path that is an order', code == 1 and out == '' and said.startswith('pairs, line 1: a path may not'), (code, said))
    code, said, out, _ = run('r.yuv => a.yuv', REPORT='kept\npassed=true')
    check('a folder with a newline', code == 1 and out == '' and 'control characters' in said, (code, said, out))
    shutil.copy('a.yuv', 'a|b`<b>.yuv')
    code, said, out, table = run('r.yuv => "a|b`<b>.yuv"')
    check('a name with marks of Markdown', code == 0 and '| a\\|b\\`\\<b\\>.yuv | r.yuv |' in table, table)
    check('only named files are opened', '--local_only' in said, said)
    code, said, out, table = run('r.yuv => a.yuv', MODEL='vmaf_4k_v0.6.1')
    check('warnings are in the summary', 'Warning: a.yuv: vmaf\\_4k\\_v0.6.1 was made for 3840x2160' in table, table)
    run('r.yuv => "$(touch evil)" `touch evil` ;touch evil', '1', MODEL='$(touch evil)')
    check('nothing goes through a shell', not os.path.exists('evil'))


os.makedirs(work, exist_ok=True)
os.chdir(work)
for kind, name in (('blur', 'a.yuv'), ('noise', 'b.yuv'), ('blur', 'with blank.yuv')):
    subprocess.check_call([synthclip, kind, '64', '64', '420', '8', '3', 'r.yuv', name])
with open('a.yuv', 'rb') as whole, open('short.yuv', 'wb') as short:
    short.write(whole.read()[:2 * 64 * 64 * 3 // 2])
check_definition()
check_script()
check_build()
print(f'{checks} checks, {failed} wrong')
sys.exit(1 if failed else 0)
