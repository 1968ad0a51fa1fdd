# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Mutation rules: how they are written, and how a rule finds the code that it changes.

A rule is a block of `key: value` lines in a *.rules file of this folder:

    rule: strips-edge-repeated
    breaks: The left border repeats its sample.
    needs: avx2
    test: dsp
    file: core/src/feature/common/strips.c
    in: mirror_left
    from: mirror_index_far(-i, w)
    to: mirror_index_far(1 - i, w)

`breaks` says what goes wrong. Each `test` names a meson test, the quickest first; one of them must fail. `needs` is
optional and names a CPU flag. An edit is `file`, `in`, `from` and `to`: inside the definition of `in` (a function,
macro, table or type; for Python, meson and shell files a function or an assignment; or `whole file`), the text `from`
becomes `to`. A rule may have several edits; they are applied in order, and `file` and `in` hold until they are named
again. Long values continue on indented lines. A line that starts with `#` is a comment. An empty `to` deletes the text.

White space and comments do not count, neither here nor in the source. `from` must occur exactly once in the definition;
if it does not, add a neighbouring word, or write `occurrence: 2 of 3`. `file` is a hint: if the definition is not
there, all sources of core/ are searched for it.
"""
import difflib
import functools
import os
import re
import subprocess
import textwrap

from definitions import WHOLE_FILE, Code, code_of

SOURCES = ('.c', '.h', '.cpp', '.py', '.sh', '.build')


class Stale(Exception):
    """A rule that no longer fits the source; says why."""


class Malformed(Exception):
    """A rule that cannot be read."""


class Edit:
    """One change; `lines`: those of `file` and `in` in the rules file."""

    def __init__(self, file, anchor, old, lines):
        self.file, self.anchor, self.old, self.lines = file, anchor, old, lines
        self.new, self.occurrence = '', None

    def matches(self, code):
        """The tokens at which the old text begins inside the definitions, each listed once."""
        words = Code(self.old, code.is_c).words
        return sorted({i for first, end in code.spans(self.anchor) for i in code.find(words, first, end)})

    def choose(self, found):
        """The match that the rule means, or None if the number of matches is not the expected one."""
        wanted, count = self.occurrence or (1, 1)
        return found[wanted - 1] if len(found) == count >= wanted else None

    def apply(self, text, name):
        """Return the text of the file with the change made."""
        code = code_of(text, name)
        old, new = Code(self.old, code.is_c), Code(self.new, code.is_c)
        at = self.choose(self.matches(code))
        # The words that `from` and `to` share at both ends stay as they are, with their layout and comments.
        a = common(old.words, new.words)
        b = common(old.words[a:][::-1], new.words[a:][::-1])
        if a == len(old.words) == len(new.words):
            raise Stale('`from` and `to` say the same')
        last = at + len(old.words) - b
        if at + a < last:
            begin, end = code.starts[at + a], code.ends[last - 1]
        else:  # only an insertion
            begin = end = code.starts[last] if b else code.ends[last - 1]
        middle = ''
        if a < len(new.words) - b:
            inserts = begin == end
            middle = new.text[new.ends[a - 1] if inserts and not b and a else new.starts[a]:
                              new.starts[-b] if inserts and b else new.ends[-1 - b]]
        line = text.rfind('\n', 0, begin) + 1
        if text[line:(text + '\n').index('\n', line)].endswith('\\'):
            middle = re.sub(r'\s*\n\s*', ' ', middle)  # a macro ends where its line does
        else:
            middle = middle.replace('\n', '\n' + re.match(r'[ \t]*', text[line:]).group())
        before, behind = text[:begin], text[end:]
        if not middle and not before[line:].strip() and re.match(r'[ \t]*\n', behind):
            return before[:line] + behind[behind.index('\n') + 1:]
        # Two words that now touch must not become one word.
        expected = code.words[:at + a] + new.words[a:len(new.words) - b] + code.words[last:]
        padded = (before + left + middle + right + behind for left in ('', ' ') for right in ('', ' '))
        return next((text for text in padded if Code(text, code.is_c).words == expected), before + middle + behind)


def common(a, b):
    """The length of the common beginning of two lists."""
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n


class Rule:
    def __init__(self, name, path):
        self.name, self.path = name, path
        self.breaks, self.needs, self.tests, self.edits = '', [], [], []

    def missing(self, flags):
        return [need for need in self.needs if need not in flags]


def read_rules(path):
    """Read the rules of one file."""
    rules, entries = [], []
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            if line[:1] in ' \t\n':
                if line.strip() and entries:
                    entries[-1][2].append(line.rstrip('\n'))
            elif not line.startswith('#'):
                key, colon, value = line.rstrip('\n').partition(':')
                if not colon:
                    raise Malformed(f'{path}:{number}: expected "key: value", or an indented line that continues one')
                entries.append((number, key, [value.strip()]))
    for number, key, lines in entries:
        value = '\n'.join([lines[0]] + textwrap.dedent('\n'.join(lines[1:])).split('\n')).strip('\n')
        if key == 'rule':
            rules.append(Rule(value, path))
            file = anchor = ''
        elif not rules:
            raise Malformed(f'{path}:{number}: a rule begins with "rule: NAME"')
        elif key in ('breaks', 'needs', 'test'):
            if key == 'breaks':
                rules[-1].breaks = ' '.join(value.split())
            else:
                (rules[-1].needs if key == 'needs' else rules[-1].tests).append(value)
        elif key == 'file':
            file, file_line = value, number
        elif key == 'in':
            anchor, anchor_line = value, number
        elif key == 'from' and file and anchor and value:
            rules[-1].edits.append(Edit(file, anchor, value, (file_line, anchor_line)))
        elif key == 'to' and rules[-1].edits:
            rules[-1].edits[-1].new = value
        elif key == 'occurrence' and rules[-1].edits and re.fullmatch(r'[1-9]\d* of [1-9]\d*', value):
            rules[-1].edits[-1].occurrence = tuple(map(int, value.split(' of ')))
        else:
            raise Malformed(f'{path}:{number}: unexpected or empty "{key}"; see rules.py for what a rule is')
    for rule in rules:
        if not (rule.breaks and rule.tests and rule.edits):
            raise Malformed(f'{path}: rule {rule.name}: needs "breaks", "test", "file", "in", "from" and "to"')
    return rules


class Sources:
    """The source files below a folder; finds the code of a rule in them."""

    def __init__(self, top):
        self.top = top

    @functools.cached_property
    def names(self):
        """All source files of core/ except its tests."""
        try:
            run = subprocess.run(['git', 'ls-files', '--cached', '--others', '--exclude-standard', 'core'], cwd=self.top,
                                 capture_output=True, text=True)
            names = [] if run.returncode else run.stdout.splitlines()
        except FileNotFoundError:
            names = []  # git is not installed; the tree came as a tarball
        if not names:
            names = [os.path.relpath(os.path.join(folder, name), self.top)
                     for folder, _, files in os.walk(self.top + '/core') for name in files]
        return sorted(name for name in names if name.endswith(SOURCES) and not name.startswith('core/test/') and
                      os.path.isfile(f'{self.top}/{name}'))

    @functools.lru_cache(maxsize=None)
    def read(self, name):
        try:
            with open(f'{self.top}/{name}', encoding='utf-8', newline='') as file:
                return file.read()
        except (OSError, UnicodeDecodeError):
            return None

    def code(self, name, texts):
        text = texts.get(name, self.read(name))
        return text and code_of(text, name)

    def locate(self, edit, texts):
        """The file that the edit changes; Stale if no single one does. `texts`: files that were edited already."""
        code = self.code(edit.file, texts)
        names = [edit.file] if code and code.spans(edit.anchor) else []
        if not names or (edit.anchor == WHOLE_FILE and not edit.matches(code)):
            names = self.defining(edit, texts)
        fitting = [name for name in names if edit.choose(edit.matches(self.code(name, texts))) is not None]
        for part in (os.path.basename, os.path.dirname):  # prefer a file of that name, then one in that folder
            alike = [name for name in fitting if part(name) == part(edit.file)]
            fitting = alike if len(alike) == 1 else fitting
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise Stale(f'`{edit.anchor}` with this text is in several files: ' + ', '.join(fitting))
        if not names:
            raise Stale(f'`{edit.anchor}` is defined neither in {edit.file} nor elsewhere in core/' +
                        self.advice(edit, texts))
        raise Stale(self.difference(edit, names[0], texts))

    def is_defined(self, edit, texts):
        """True if any source file defines the name that the edit wants."""
        code = self.code(edit.file, texts)
        return bool(code and code.spans(edit.anchor) or self.defining(edit, texts))

    def defining(self, edit, texts):
        word = None if edit.anchor == WHOLE_FILE else edit.anchor
        names = [name for name in self.names if word is None or word in (self.read(name) or '')]
        found = [name for name in names if self.code(name, texts).spans(edit.anchor)]
        return [name for name in found if edit.matches(self.code(name, texts))] if word is None else found

    def difference(self, edit, name, texts):
        code = self.code(name, texts)
        found, wanted = edit.matches(code), Code(edit.old, code.is_c).words
        place = name if edit.anchor == WHOLE_FILE else f'`{edit.anchor}` of {name}'
        text = ' '.join(edit.old.split())
        if found:
            lines = ', '.join(str(code.text.count('\n', 0, code.starts[i]) + 1) for i in found)
            return f'{place} has this text {len(found)} times (lines {lines}): {text}'
        best = (0, None)
        for first, end in code.spans(edit.anchor):
            for i in range(first, end):
                if code.first[i]:
                    near = code.words[i:min(end, max(i + len(wanted), code.end_of_line(i)))]
                    ratio = difflib.SequenceMatcher(None, wanted, near, autojunk=False).ratio()
                    best = max(best, (ratio, i), key=lambda pair: pair[0])
        why = f'{place} lacks this text: {text}'
        if best[1] is not None:
            start = code.starts[best[1]]
            line = code.text[start:(code.text + '\n').index('\n', start)].strip()
            why += f'\n  closest, in line {code.text.count(chr(10), 0, start) + 1}: {line}'
        return why

    def renamed(self, edit, texts):
        """The only (file, definition) that has the text of the edit, or None; for an edit whose definition is gone."""
        exists = self.read(edit.file) is not None
        found = set()
        for name in [edit.file] if exists else self.names:
            code = self.code(name, texts)
            words = Code(edit.old, code.is_c).words if code else []
            if len(words) < 5 or not all(word in code.text for word in words):
                continue
            for i in code.find(words, 0, len(code.words)):
                around = [d for d in code.definitions if d[1] <= i and i + len(words) <= d[2]]
                found.add((name, min(around, key=lambda d: d[2] - d[1])[0] if around else WHOLE_FILE))
        return found.pop() if len(found) == 1 else None

    def advice(self, edit, texts):
        other = self.renamed(edit, texts)
        if not other:
            return ''
        return f'\n  its text is in `{other[1]}` of {other[0]}: if that is its new name, `--fix` adopts it'

    def mutated(self, rule):
        """The changed files: {file: its text with the mutation}."""
        texts = {}
        for edit in rule.edits:
            name = self.locate(edit, texts)
            texts[name] = edit.apply(texts.get(name, self.read(name)), name)
        return texts
