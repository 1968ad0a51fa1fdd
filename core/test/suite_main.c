/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The main function of a suite: runs the test file that the first argument names.
 *
 * usage: PROGRAM TEST [ARGUMENT...]     without arguments, lists the tests */
#include <stdio.h>
#include <string.h>

#include "testing.h"

static TestFile *files;

void test_register(TestFile *file)
{
    file->next = files;
    files = file;
}

int main(int argc, char **argv)
{
    for (const TestFile *file = files; file; file = file->next) {
        if (argc < 2)
            printf("%s\n", file->name);
        else if (!strcmp(file->name, argv[1]))
            return file->main(argc - 1, argv + 1);
    }
    if (argc < 2)
        return 0;
    fprintf(stderr, "%s: no test \"%s\"; run it without arguments for a list\n", argv[0], argv[1]);
    return 2;
}
