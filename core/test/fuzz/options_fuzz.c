/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Command lines with one argument on each line. They are parsed and checked, not executed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmaf/spec.h"
#include "fuzz.h"
#include "vmaf/options.h"

enum { WORDS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    char *const text = fuzz_text(data, size);
    char *words[WORDS_MAX + 1] = { "vmaf" };
    int count = 1;
    for (char *word = strtok(text, "\n"); word && count < WORDS_MAX; word = strtok(NULL, "\n"))
        words[count++] = word;
    if (!nowhere)
        nowhere = stderr = fopen("/dev/null", "w"); /* every bad input prints the usage */
    Options options;
    enum Action action;
    if (!options_parse(&options, count, words, &action) && action == ACTION_SCORE)
        for (size_t i = 0; i < options.feature_count; i++)
            check_feature(&options.features[i]);
    options_destroy(&options);
    free(text);
    return 0;
}
