/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* usage: manual man|bash|zsh|fish PROGRAM */
#include "manual.h"

#include <string.h>

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(const ManualProgram *program, FILE *file);
    } kinds[] = {
        { "man", write_man }, { "bash", write_bash }, { "zsh", write_zsh }, { "fish", write_fish }
    };
    const ManualProgram *const program = argc == 3 ? manual_program(argv[2]) : NULL;
    for (size_t i = 0; program && i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (strcmp(argv[1], kinds[i].name) != 0)
            continue;
        kinds[i].write(program, stdout);
        return fflush(stdout) ? 1 : 0;
    }
    fputs("usage: manual man|bash|zsh|fish PROGRAM\n", stderr);
    return 1;
}
