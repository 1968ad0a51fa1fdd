#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Rules still find code whose file, layout or comments have changed, and fail when their text is gone."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from rules import Malformed, Sources, Stale, read_rules  # noqa: E402

RULE = '''# comment
rule: one
breaks: The loop runs once too
    often.
needs: avx2
test: team
file: core/src/team.c
in: work
from: job < loop->jobs
to: job <= loop->jobs
'''
CODE = '''#define TRY(x)    \\
    do {          \\
        BARRIER();\\
        use(x);   \\
    } while (0)
static void work(struct Loop *loop);
static const struct Name names[] = { { "a", 1 }, { "b", 2 } };
static void idle(void)
{
    while (job < loop->jobs)
        ;
}
static void work(struct Loop *loop)
{
#if A
    if (a) {
#else
    if (b) {
#endif
        while (job /* the next */ < loop->jobs) // all
            run(job);
    }
}
KERNEL_MAIN
{
    run(1);
    run(1);
}
'''


class RulesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def put(self, name, text):
        path = f'{self.folder.name}/{name}'
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def mutated(self, rule, code=CODE, name='core/src/team.c'):
        self.put(name, code)
        found = read_rules(self.put('a.rules', rule))
        return Sources(self.folder.name).mutated(found[0])

    def edited(self, anchor, old, new, more=''):
        rule = RULE[:RULE.index('in:')] + f'in: {anchor}\nfrom: {old}\nto: {new}\n{more}'
        return self.mutated(rule)['core/src/team.c']

    def fails(self, words, *args):
        with self.assertRaises(Stale) as caught:
            self.mutated(*args)
        self.assertIn(words, str(caught.exception))

    def test_reads_a_rule(self):
        rule, = read_rules(self.put('a.rules', RULE))
        self.assertEqual((rule.name, rule.breaks), ('one', 'The loop runs once too often.'))
        self.assertEqual((rule.needs, rule.tests, len(rule.edits)), (['avx2'], ['team'], 1))

    def test_refuses_malformed_rules(self):
        for text in (RULE.replace('test: team\n', ''), RULE.replace('in: work\n', ''), RULE + 'frm: x\n', 'from: x\n',
                     RULE + 'occurrence: 2\n', RULE.replace('breaks', 'breaks that')):
            with self.assertRaises(Malformed):
                read_rules(self.put('a.rules', text))

    def test_changes_only_its_function(self):
        text = self.mutated(RULE)['core/src/team.c']
        self.assertEqual(text, CODE.replace('*/ < loop', '*/ <= loop'))

    def test_ignores_layout_and_comments(self):
        code = CODE.replace('< loop->jobs) // all', '<\n\n /* several\nlines */ loop\t-> jobs)')
        self.assertIn('<=\n\n /* several', self.mutated(RULE, code)['core/src/team.c'])

    def test_follows_moved_functions(self):
        self.put('core/src/team.c', CODE.replace('work', 'others'))
        self.assertEqual(list(self.mutated(RULE, CODE, 'core/src/engine/crew.c')), ['core/src/engine/crew.c'])

    def test_prefers_no_one_of_two(self):
        self.put('core/src/a.c', CODE)
        self.fails('in several files', RULE, CODE, 'core/src/b.c')

    def test_misses_its_text(self):
        self.fails('closest, in line 20: while (job', RULE, CODE.replace('run(job)', 'x').replace('< loop', '!= loop'))
        self.fails('defined neither', RULE, CODE.replace('work', 'labour'))
        code = CODE.replace('work', 'labour').replace('while (job <', 'while (job >')
        self.fails('its text is in `labour` of core/src/team.c', RULE, code)

    def test_counts_its_text(self):
        self.fails('2 times', RULE, CODE.replace('run(job)', 'job < loop->jobs'))
        with self.assertRaises(Stale):
            self.edited('KERNEL_MAIN', 'run(1);', '', 'occurrence: 1 of 3\n')
        text = self.edited('KERNEL_MAIN', 'run(1);', '', 'occurrence: 2 of 2\n')
        self.assertEqual(text, CODE.replace('    run(1);\n    run(1);\n', '    run(1);\n'))

    def test_finds_macros_and_tables(self):
        self.assertIn('        \\\n        use(x);   \\', self.edited('TRY', 'BARRIER();', ''))
        self.assertIn('BARRIER(); again();\\\n', self.edited('TRY', 'BARRIER();', '\n    BARRIER();\n    again();'))
        self.assertIn('{ "b", 3 }', self.edited('names', '"b", 2', '"b", 3'))
        self.assertIn('#if B', self.edited('whole file', '#if A', '#if B'))

    def test_keeps_words_apart(self):
        self.assertIn('    do while (job', self.edited('idle', 'while (job', 'do while (job'))
        self.assertIn('run(- -1);', self.mutated(RULE[:RULE.index('in:')] + 'in: f\nfrom: run(\nto: run(-\n',
                                                 'void f(void) { run(-1); }\n')['core/src/team.c'])

    def test_reads_python(self):
        code = 'X = [1,\n     2]\n\n\ndef f(a):\n    # X\n    return a  # f\n\n\ndef g(a):\n    return a\n'
        rule = RULE[:RULE.index('file:')] + 'file: core/a.py\nin: {}\nfrom: {}\nto: {}\n'
        self.assertIn('    return a + 1  # f', self.mutated(rule.format('f', 'return a', 'return a + 1'), code,
                                                           'core/a.py')['core/a.py'])
        self.assertIn('     3]', self.mutated(rule.format('X', '2', '3'), code, 'core/a.py')['core/a.py'])


if __name__ == '__main__':
    unittest.main()
