/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vmaf/command.h"
#include "common/message.h"

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
            say("%s is \"%s\", and not a part from 0 to %u", names[i], value, count - 1);
            return -EINVAL;
        }
        if (found && number != *index) {
            say("%s and %s name different parts; --index says which", found, names[i]);
            return -EINVAL;
        }
        found = names[i];
        *index = (unsigned)number;
    }
    if (!found)
        say("which part? --index says so, or an engine that has arrays of jobs");
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
    Plan plan;
    if (!options->has_index && index_of_engine(options->count, &options->index))
        return EXIT_USAGE;
    const int err = plan_settle(options, &plan);
    if (err)
        return err == -EEXIST ? EXIT_USAGE : EXIT_FAILED;
    if (plan_has(&plan, options->index)) {
        say("part %u is there already", options->index);
        return EXIT_DONE;
    }
    Argv argv = { 0 };
    char *const path = plan_part(&plan, options->index);
    argv_add_all(&argv, (const char *const[]){ "vmaf", "--reference", options->reference,
                                               "--distorted", options->distorted, NULL });
    add_words(&argv, &options->words.score);
    add_words(&argv, &options->words.place);
    argv_add(&argv, "--shard");
    argv_addf(&argv, "%u/%u", options->index, options->count);
    argv_add(&argv, "--output");
    argv_add(&argv, path ? path : "");
    argv.failed |= !path;
    free(path);
    return run(&argv);
}

/* Print which parts are missing. Returns an exit code. */
static int miss_parts(const Plan *plan)
{
    unsigned count;
    char *const missing = plan_missing(plan, &count);
    if (missing)
        say("%u of %u parts are missing: %s; `vmaf-shard submit` scores them", count, plan->count,
            missing);
    free(missing);
    return missing ? EXIT_MISSING : EXIT_FAILED;
}

/* Wait for parts that other processes still score. Returns an exit code. */
static int wait_for_parts(const ShardOptions *options, const Plan *plan)
{
    const time_t until = time(NULL) + (time_t)options->wait;
    for (unsigned i = 0; i < plan->count; i++) {
        while (!plan_has(plan, i)) {
            if (time(NULL) >= until)
                return miss_parts(plan);
            nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
        }
    }
    return EXIT_DONE;
}

int run_merge(const ShardOptions *options)
{
    Plan plan;
    const int err = plan_check(options, &plan);
    if (err && err != -ENOENT)
        return err == -EEXIST ? EXIT_USAGE : EXIT_FAILED;
    const int code = wait_for_parts(options, &plan);
    if (code)
        return code;
    /* The first part may have created the record meanwhile. */
    if (err && plan_check(options, &plan))
        return EXIT_USAGE;
    Argv argv = { 0 };
    argv_add_all(&argv, (const char *const[]){ "vmaf", "--merge", NULL });
    for (unsigned i = 0; i < plan.count; i++) {
        char *const path = plan_part(&plan, i);
        argv_add(&argv, path ? path : "");
        argv.failed |= !path;
        free(path);
    }
    add_words(&argv, &options->words.merge);
    argv_add_all(&argv, (const char *const[]){ "--output", options->output, NULL });
    return run(&argv);
}
