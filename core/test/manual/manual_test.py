# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests manual pages and completions: all options of --help are in them, formatters report no errors, and real shells
complete with them. Skips shells and formatters that are not installed."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.abspath(sys.argv[1])
PROGRAMS = {os.path.basename(path): os.path.abspath(path) for path in sys.argv[2:]}


def read(*names):
    with open(os.path.join(FOLDER, *names)) as file:
        return file.read()


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **more)


def help_of(program, *words):
    return run(PROGRAMS[program], *words, '--help').stdout


def commands(program):
    """Returns a program's commands with their help; a single one without a name if the program has no commands."""
    text = help_of(program)
    names = re.findall(r'^  ([a-z]+) ', text.split('\nCommands:\n')[1], re.M) if '\nCommands:\n' in text else []
    return {name: help_of(program, name) for name in names} or {'': text}


def options(text):
    """Returns the long and short names that --help prints."""
    found = re.findall(r'^  (?:-(\w),|   ) --([\w-]+)(?: (\S+))?', text, re.M)
    assert len(found) >= 2, text
    return found


def test_every_option():
    for program in PROGRAMS:
        man = read(f'{program}.1').replace('\\-', '-')
        for command, text in commands(program).items():
            for letter, name, value in options(text):
                shown = (f'\\fB-{letter}\\fR, ' if letter else '') + f'\\fB--{name}\\fR' + \
                    (f' \\fI{value}\\fR' if value else '')
                assert f'\n{shown}\n' in man, (program, command, shown)
                assert re.search(rf"[ ']--{name}[ ']", read(program)), (program, 'bash', name)
                assert re.search(rf"--{name}[=\[}}]", read(f'_{program}')), (program, 'zsh', name)
                seen = f" -n '__fish_seen_subcommand_from {command}'" if command else ''
                short = f' -s {letter}' if letter else ''
                assert f'complete -c {program}{seen}{short} -l {name} ' in read(f'{program}.fish'), (program, name)


def test_pages():
    for program in PROGRAMS:
        page = os.path.join(FOLDER, f'{program}.1')
        if shutil.which('mandoc'):
            done = run('mandoc', '-Tlint', '-Wstyle', page)
            assert not done.stdout + done.stderr, done.stdout + done.stderr
        if shutil.which('man') and shutil.which('groff'):
            done = run('man', '--warnings', '-E', 'UTF-8', '-l', page,
                       env={**os.environ, 'MANWIDTH': '80', 'LC_ALL': 'C.UTF-8', 'MAN_KEEP_FORMATTING': ''})
            assert done.returncode == 0 and not done.stderr, done.stderr
            for word in ('NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'EXAMPLES', program):
                assert word in done.stdout, (program, word)


def complete(shell, program, words, folder):
    """Returns what a shell offers for the last of the words."""
    if shell == 'bash':
        script = f'source "{FOLDER}/{program}"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n' \
                 f'_{program.replace("-", "_")}; printf "%s\\n" "${{COMPREPLY[@]}}"'
        # bash splits words at an equals sign.
        parts = [part for word in words for part in re.split(r'(?<=[^=])(=)', word, maxsplit=1)]
        parts = [part for i, part in enumerate(parts) if part or i == len(parts) - 1]
        done = run('bash', '--norc', '-c', script, 'bash', 'x', program, *parts, cwd=folder)
    else:
        line = ' '.join([program, *words])
        done = run('fish', '--no-config', '-c', f'source "{FOLDER}/{program}.fish"; complete -C "$argv[1]"', line,
                   cwd=folder, env={**os.environ, 'HOME': folder})
    assert done.returncode == 0 and not done.stderr, (shell, words, done.stderr)
    return {line.split('\t')[0].split('=')[-1].rstrip('/') for line in done.stdout.splitlines() if line}


def test_completion():
    models = [line.split()[0] for line in run(PROGRAMS['vmaf'], '--list_models').stdout.splitlines()[2:]]
    with tempfile.TemporaryDirectory() as folder:
        for name in ('a film.y4m', 'film.mkv'):
            open(os.path.join(folder, name), 'w').close()
        os.mkdir(os.path.join(folder, 'films'))
        for shell in ('bash', 'fish'):
            if not shutil.which(shell):
                continue

            def offers(program, *words):
                return complete(shell, program, words, folder)
            assert {'--model', '--feature', '--reference', '--help'} <= offers('vmaf', '--'), shell
            assert offers('vmaf', '--refe') == {'--reference'}
            assert {'film.mkv', 'films'} <= offers('vmaf', '-r', 'fil')
            assert {'film.mkv', 'films'} <= offers('vmaf', 'fil')
            assert offers('vmaf', '--pixel_format', '42') == {'420', '422'}
            assert offers('vmaf', '--pixel_format=42') == {'420', '422'}
            assert {'cpu', 'auto', 'vulkan', 'cuda'} <= offers('vmaf', '--backend', '')
            assert set(models) <= offers('vmaf', '--model', 'vmaf_')
            assert {'psnr', 'psnr_hvs'} <= offers('vmaf', 'a', 'b', '--feature', 'psnr')
            assert not offers('vmaf', '--width', '1')
            assert offers('vmaf-mcp', '--allow', 'fil') == {'films'}
            assert offers('vmaf-mcp', 'fil') == {'films'}
            assert offers('vmaf-mcp', '--max') == {'--max_bytes'}
            if 'vmaf-tune' in PROGRAMS:
                assert offers('vmaf-tune', 'se') == {'search'}
                assert offers('vmaf-tune', 'search', 'fil') >= {'film.mkv'}
                assert offers('vmaf-tune', 'search', 'film.mkv', '--targ') == {'--target'}
                assert not offers('vmaf-tune', 'compare', 'film.mkv', '--targ')
        # Only bash: both spellings, and files with blanks in their names.
        assert complete('bash', 'vmaf', ['--frame-c'], folder) == {'--frame-cnt'}
        assert complete('bash', 'vmaf', ['--pixel-format', '44'], folder) == {'444'}
        assert complete('bash', 'vmaf', ['a'], folder) == {'a film.y4m'}


def test_zsh():
    if not shutil.which('zsh'):
        return
    for program in PROGRAMS:
        path = os.path.join(FOLDER, f'_{program}')
        done = run('zsh', '-f', '-n', path)
        assert done.returncode == 0 and not done.stderr, done.stderr
        # The words that zsh's own function receives, after quotes and braces are removed.
        for command, text in commands(program).items():
            script = 'function _arguments { [[ $1 == -C ]] && { state=argument; line=($COMMAND); return; }; ' \
                     'print -rl -- "$@"; }\nsource "$1"'
            done = run('zsh', '-f', '-c', script, 'zsh', path, env={**os.environ, 'COMMAND': command})
            assert done.returncode == 0 and not done.stderr, done.stderr
            specs = done.stdout.splitlines()
            for letter, name, value in options(text):
                want = rf'\*--{name}' + ('=' if value else '') + r'\[.+\]' + (':.+:.+' if value else '')
                assert any(re.fullmatch(want, spec) for spec in specs), (program, command, name)
                if letter:
                    assert any(spec.startswith(f'*-{letter}') for spec in specs), (program, letter)


def main():
    for name in [name for name in globals() if name.startswith('test_')]:
        globals()[name]()
        print('passed', name, flush=True)


main()
