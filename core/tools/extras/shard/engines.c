/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engines.h"

static void add_words(Argv *argv, const Argv *words)
{
    for (size_t i = 0; i < words->count; i++)
        argv_add(argv, words->words[i]);
}

static void add_pair(Argv *argv, const ShardOptions *options, const char *program,
                     const char *command)
{
    argv_add_all(argv, (const char *const[]){ program, command, "-r", options->reference, "-d",
                                              options->distorted, "-n", NULL });
    argv_addf(argv, "%u", options->count);
    argv_add_all(argv, (const char *const[]){ "--parts", options->parts, NULL });
}

void add_part_words(Argv *argv, const ShardOptions *options, const char *program, long index)
{
    add_pair(argv, options, program, "part");
    if (index >= 0) {
        argv_add(argv, "--index");
        argv_addf(argv, "%ld", index);
    } else if (!options->words.score.count && !options->words.place.count) {
        return;
    }
    argv_add(argv, "--");
    add_words(argv, &options->words.score);
    add_words(argv, &options->words.place);
}

/* The merge also gets the scoring options, and checks them against the record of the split. */
void add_merge_words(Argv *argv, const ShardOptions *options, const char *program, unsigned wait)
{
    add_pair(argv, options, program, "merge");
    argv_add_all(argv, (const char *const[]){ "-o", options->output, NULL });
    if (wait) {
        argv_add(argv, "--wait");
        argv_addf(argv, "%u", wait);
    }
    if (!options->words.score.count && !options->words.merge.count)
        return;
    argv_add(argv, "--");
    add_words(argv, &options->words.score);
    add_words(argv, &options->words.merge);
}
