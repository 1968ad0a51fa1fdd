/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/message.h"
#include "engines.h"
#include "vmaf/command.h"

int index_of_engine(unsigned count, unsigned *index)
{
    static const char *const names[] = { "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX",
                                         "AWS_BATCH_JOB_ARRAY_INDEX", "PBS_ARRAY_INDEX" };
    const char *found = NULL;
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *const value = getenv(names[i]);
        if (!value || !*value)
            continue;
        char *end;
        const unsigned long number = strtoul(value, &end, 10);
        if (*value < '0' || *value > '9' || *end || number >= count) {
            say("%s is \"%s\", not a part number from 0 to %u", names[i], value, count - 1);
            return -EINVAL;
        }
        if (found && number != *index) {
            say("%s and %s name different parts; choose one with --index", found, names[i]);
            return -EINVAL;
        }
        found = names[i];
        *index = (unsigned)number;
    }
    if (!found)
        say("no part given; use --index, or run in an array job");
    return found ? 0 : -EINVAL;
}

static void add_words(Argv *argv, const Argv *words)
{
    for (size_t i = 0; i < words->count; i++)
        argv_add(argv, words->words[i]);
}

static int run(Argv *argv)
{
    if (argv->failed) {
        say("out of memory");
        argv_free(argv);
        return EXIT_FAILED;
    }
    const int code = vmaf_command((int)argv->count, argv->words);
    argv_free(argv);
    return code;
}

int run_part(ShardOptions *options)
{
    Split split;
    if (!options->has_index && index_of_engine(options->count, &options->index))
        return EXIT_USAGE;
    const int err = split_prepare(options, &split);
    if (err)
        return err == -EEXIST ? EXIT_USAGE : EXIT_FAILED;
    if (split_has(&split, options->index, NULL)) {
        say("part %u is done already", options->index);
        return EXIT_DONE;
    }
    Argv argv = { 0 };
    char *const path = split_part_path(&split, options->index);
    argv_add_all(&argv, (const char *const[]){ "vmaf", "--reference", options->reference,
                                               "--distorted", options->distorted, NULL });
    add_words(&argv, &options->words.scoring);
    add_words(&argv, &options->words.device);
    argv_add(&argv, "--shard");
    argv_addf(&argv, "%u/%u", options->index, options->count);
    argv_add(&argv, "--output");
    argv_add(&argv, path ? path : "");
    argv.failed |= !path;
    free(path);
    return run(&argv);
}

/* Print which parts are missing. Returns an exit code. */
static int miss_parts(const Split *split)
{
    unsigned count;
    char *const missing = split_missing(split, &count, NULL);
    if (missing)
        say("%u of %u parts are missing: %s; `vmaf-shard submit` scores them", count, split->count,
            missing);
    free(missing);
    return missing ? EXIT_MISSING : EXIT_FAILED;
}

/* Wait for parts that other processes still score. Returns an exit code. */
static int wait_for_parts(const ShardOptions *options, const Split *split)
{
    const time_t until = time(NULL) + (time_t)options->wait;
    for (unsigned i = 0; i < split->count; i++) {
        while (!split_has(split, i, NULL)) {
            if (time(NULL) >= until)
                return miss_parts(split);
            nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
        }
    }
    return EXIT_DONE;
}

int run_merge(const ShardOptions *options)
{
    Split split;
    const int err = split_check(options, &split);
    if (err && err != -ENOENT)
        return err == -EEXIST ? EXIT_USAGE : EXIT_FAILED;
    const int code = wait_for_parts(options, &split);
    if (code)
        return code;
    /* The first part may have created the record meanwhile. */
    if (err && split_check(options, &split))
        return EXIT_USAGE;
    Argv argv = { 0 };
    argv_add_all(&argv, (const char *const[]){ "vmaf", "--merge", NULL });
    for (unsigned i = 0; i < split.count; i++) {
        char *const path = split_part_path(&split, i);
        argv_add(&argv, path ? path : "");
        argv.failed |= !path;
        free(path);
    }
    add_words(&argv, &options->words.merge);
    if (options->output)
        argv_add_all(&argv, (const char *const[]){ "--output", options->output, NULL });
    vmaf_command_say_scores();
    return run(&argv);
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
    } else if (!options->words.scoring.count && !options->words.device.count) {
        return;
    }
    argv_add(argv, "--");
    add_words(argv, &options->words.scoring);
    add_words(argv, &options->words.device);
}

/* The merge also gets the scoring options, and checks them against the record of the split. */
void add_merge_words(Argv *argv, const ShardOptions *options, const char *program, unsigned wait)
{
    add_pair(argv, options, program, "merge");
    if (options->output)
        argv_add_all(argv, (const char *const[]){ "-o", options->output, NULL });
    if (wait) {
        argv_add(argv, "--wait");
        argv_addf(argv, "%u", wait);
    }
    if (!options->words.scoring.count && !options->words.merge.count)
        return;
    argv_add(argv, "--");
    add_words(argv, &options->words.scoring);
    add_words(argv, &options->words.merge);
}
