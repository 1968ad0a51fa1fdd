# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The tokens of a source text, without comments and white space, and the names that it defines.

C, C++ and kernel sources are read by their brackets; conditional code and macros are handled. Python, meson and shell
files are read by their indentation.
"""
import bisect
import functools
import re

WHOLE_FILE = 'whole file'
C_SKIPPED = r'(?P<skip>(?:\s|\\\n|/\*.*?\*/|//[^\n]*)+)'
HASH_SKIPPED = r'(?P<skip>(?:\s|\\\n|(?<!\S)\#[^\n]*)+)'
HASH_STRINGS = r"'''.*?'''|\"\"\".*?\"\"\"|"
WORDS = (r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\.?\d(?:[eEpP][+-]|[\w.])*|\w+'
         r'|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|&&|\|\||\#\#|[-+*/%&|^!=<>]=|.')
C_TOKENS = re.compile(C_SKIPPED + '|' + WORDS, re.S)
HASH_TOKENS = re.compile(HASH_SKIPPED + '|' + HASH_STRINGS + WORDS, re.S)
OPENING, CLOSING = '([{', ')]}'


class Code:
    """The tokens of a text: words[i] is text[starts[i]:ends[i]]; first[i] is true for the first one on a line."""

    def __init__(self, text, is_c):
        self.text, self.is_c = text, is_c
        self.words, self.starts, self.ends, self.first = [], [], [], []
        new_line = True
        for match in (C_TOKENS if is_c else HASH_TOKENS).finditer(text):
            if match.lastgroup == 'skip':
                gap = re.sub(r'\\\n|/\*.*?\*/', ' ', match.group(), flags=re.S) if is_c else match.group()
                new_line = new_line or '\n' in gap
                continue
            self.words.append(match.group())
            self.starts.append(match.start())
            self.ends.append(match.end())
            self.first.append(new_line)
            new_line = False

    def find(self, words, begin, end):
        """The indexes in [begin, end) at which these words begin."""
        found, n = [], len(words)
        for i in range(begin, end - n + 1):
            if self.words[i] == words[0] and self.words[i:i + n] == words:
                found.append(i)
        return found

    def end_of_line(self, i):
        """The first token of the next line. A line that ends in a backslash continues on the next one."""
        i += 1
        while i < len(self.words) and not self.first[i]:
            i += 1
        return i

    @functools.cached_property
    def definitions(self):
        """All definitions: (name, first token, token after the last)."""
        return self.c_definitions() if self.is_c else self.indented_definitions()

    def c_definitions(self):
        found, words = [], self.words
        depth, saved = 0, []  # depth of brackets: here, and at each open #if
        begin, head, is_function = None, [], False  # the declaration that is being read, its tokens at depth 0
        i = 0
        while i < len(words):
            word = words[i]
            if word == '#' and self.first[i]:
                end = self.end_of_line(i)
                directive = words[i + 1] if i + 1 < end else ''
                if directive == 'define' and i + 2 < end:
                    found.append((words[i + 2], i, end))
                elif directive in ('if', 'ifdef', 'ifndef'):
                    saved.append(depth)
                elif directive in ('else', 'elif') and saved:
                    depth = saved[-1]
                elif directive == 'endif' and saved:
                    saved.pop()
                i = end
                continue
            begin = i if begin is None else begin
            closed = word in CLOSING and depth == 1
            depth = max(depth - (word in CLOSING), 0)
            if depth == 0:
                head.append(i)
            if word == '{' and depth == 0:
                texts = [words[h] for h in head]
                if texts[-3:-1] == ['extern', '"C"']:  # its contents are at file scope
                    begin, head, i = None, [], i + 1
                    continue
                is_function = '=' not in texts and (
                    texts[-2:-1] == [')'] or not {'struct', 'union', 'enum'} & set(texts[-3:-1] + texts[:2]))
            depth += word in OPENING
            if (word == '}' and closed and is_function) or (word == ';' and depth == 0):
                found += self.names_of(head, is_function, i + 1)
                begin, head, is_function = None, [], False
            i += 1
        return found

    def names_of(self, head, is_function, end):
        """Definitions of the declaration with these tokens at depth 0, each from its name or type to `end`."""
        words, names = self.words, []
        if is_function:
            body = next(h for h in head if words[h] == '{')
            before = [h for h in head if h < body]
            named = [a for a, b in zip(before, before[1:])
                     if words[b] == '(' and re.match(r'\w', words[a]) and not words[a].startswith('__')]
            named = named[-1:] or before[-1:]
            return [(words[h], h, end) for h in named]
        is_prototype = not any(words[h] in '{=' for h in head) and any(words[h] == '(' for h in head)
        if is_prototype or words[head[0]] == 'extern':
            return []
        for a, b in zip(head, head[1:]):
            tag = words[a] in ('struct', 'union', 'enum') and any(words[h] == '{' for h in head)
            if tag and re.match(r'\w', words[b]):
                names.append(words[b])
            elif words[b] in ('=', '[', ';', ',') and re.match(r'[A-Za-z_]', words[a]):
                names.append(words[a])
        return [(name, head[0], end) for name in dict.fromkeys(names)]

    def indented_definitions(self):
        """Python, meson and shell: a line that defines a name, and the deeper indented lines below it."""
        heads = re.compile(r'^([ \t]*)(?:(?:async\s+)?(?:def|class)\s+(\w+)|(\w+)\s*(?:\(\)|\+?=(?!=)))', re.M)
        found = []
        for match in heads.finditer(self.text):
            end = len(self.text)
            for line in re.compile(r'^([ \t]*)(?=[^\s#])(.)', re.M).finditer(self.text, match.end()):
                if len(line.group(1)) <= len(match.group(1)) and line.group(2) not in CLOSING:
                    end = line.start()
                    break
            first = bisect.bisect_left(self.starts, match.end(1))
            found.append((match.group(2) or match.group(3), first, bisect.bisect_left(self.starts, end)))
        return found

    def spans(self, name):
        if name == WHOLE_FILE:
            return [(0, len(self.words))]
        return [(first, end) for known, first, end in self.definitions if known == name]


@functools.lru_cache(maxsize=64)
def code_of(text, name):
    return Code(text, not name.endswith(('.py', '.sh', '.build')))
