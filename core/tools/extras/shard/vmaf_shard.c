/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-shard: scores a pair of videos in parts, on this machine or on many. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmaf/command.h"
#include "engines.h"
#include "common/interrupt.h"
#include "common/json_memory.h"
#include "libvmaf/libvmaf.h"
#include "common/message.h"
#include "common/child.h"
#include "common/temp.h"
#include "extras/tune/trial.h"
#include "split.h"

/* Parts per device of this machine: few, because each has a start-up cost, but enough that no
 * device waits long for the last part. */
#define PARTS_PER_DEVICE 4

static void wake(void *children)
{
    children_wake(children);
}

/* Print which parts exist. Returns an exit code. */
static int tell_status(const ShardOptions *options)
{
    const Split split = { .folder = options->parts, .count = split_count(options->parts) };
    unsigned count;
    if (!split.count) {
        say("%s holds no parts, or its plan.json cannot be read", options->parts);
        return EXIT_FAILED;
    }
    char *const missing = split_missing(&split, &count, NULL);
    if (!missing) {
        say("out of memory");
        return EXIT_FAILED;
    }
    if (count)
        printf("%u of %u parts are done; missing: %s\n", split.count - count, split.count, missing);
    else
        printf("all %u parts are done\n", split.count);
    free(missing);
    return count ? EXIT_MISSING : EXIT_DONE;
}

/* Try the devices that the user named before any part is scored. */
static int try_devices(ShardOptions *options, const char *self, Children *children)
{
    const char *const tmpdir = getenv("TMPDIR");
    TempFolder *temp;
    Trial trial = { .self = self, .children = children };
    int err = temp_create(&temp, tmpdir && *tmpdir ? tmpdir : "/tmp");
    if (err)
        return err;
    err = trial_create(&trial, temp);
    if (!err)
        err = trial_run_all(&trial, options->devices, &options->device_count, options->available);
    trial_free(&trial);
    temp_destroy(temp);
    return err;
}

/* Choose this machine's devices and, if the user gave no number, the number of parts. */
static int prepare_local(ShardOptions *options, const char *self, Children *children)
{
    int err = options->devices || options->available
                  ? 0
                  : scoring_devices_from_environment(&options->devices, &options->device_count);
    /* The trial tells which of the devices that nobody named is software. */
    options->available |= !options->devices && options->allow_software;
    const bool named = options->devices || options->available;
    const DeviceParams params = { .threads = options->threads,
                                  .allow_software = options->allow_software,
                                  .self = self,
                                  .children = children };
    if (!err && !options->devices)
        err = scoring_devices_find(&options->devices, &options->device_count,
                                   options->allow_software, self, children);
    if (!err)
        err = scoring_devices_prepare(options->devices, options->device_count, &params);
    if (!err && named && !options->dry_run)
        err = try_devices(options, self, children);
    /* Some may have been left out, or turned out to be the CPU: divide the threads anew. */
    if (!err &&
        (options->available || scoring_devices_have_auto(options->devices, options->device_count)))
        err = scoring_devices_prepare(options->devices, options->device_count, &params);
    if (err)
        return err;
    if (!options->count)
        options->count = options->fresh ? 0 : split_count(options->parts);
    if (!options->count)
        options->count = PARTS_PER_DEVICE * (unsigned)options->device_count;
    return interrupt_signal() ? -EINTR : 0;
}

/* Create or check the record of the split, unless its folder is on another machine. */
static int prepare_split(Submission *s)
{
    const ShardOptions *const options = s->options;
    const bool far = options->engine == ENGINE_KUBERNETES || options->engine == ENGINE_AWS_BATCH;
    int err = 0;
    if (far || (options->dry_run && options->fresh)) {
        s->split = (Split){ .folder = options->parts, .count = options->count, .options = options };
        return 0;
    }
    if (options->dry_run) {
        err = split_check(options, &s->split);
        return err == -ENOENT ? 0 : err;
    }
    if (options->fresh)
        err = split_remove(options->parts);
    return err ? err : split_prepare(options, &s->split);
}

static int submit(ShardOptions *options, const char *called)
{
    static int (*const engines[])(Submission *) = { [ENGINE_LOCAL] = shard_local,
                                                    [ENGINE_SLURM] = shard_slurm,
                                                    [ENGINE_KUBERNETES] = shard_kubernetes,
                                                    [ENGINE_AWS_BATCH] = shard_aws_batch };
    char *const self = own_program_path(called);
    Submission s = { .options = options, .self = self };
    int err = self ? children_create(&s.children) : -ENOMEM;
    interrupt_watch();
    if (!err) {
        interrupt_call(wake, s.children);
        if (options->engine == ENGINE_LOCAL)
            err = prepare_local(options, self, s.children);
    }
    if (!err)
        err = prepare_split(&s);
    if (!err)
        err = engines[options->engine](&s);
    interrupt_call(NULL, NULL);
    children_destroy(s.children);
    free(self);
    return err;
}

static int exit_code(int err)
{
    switch (err) {
    case 0:
        return EXIT_DONE;
    case -EINVAL:
    case -EEXIST:
        return EXIT_USAGE;
    case -ERANGE:
        return EXIT_MISSING;
    case -ENOMEM:
        say("out of memory");
    }
    return EXIT_FAILED;
}

static int shard(int argc, char **argv)
{
    ShardOptions options;
    enum ShardAction action;
    const Subcommand *command;
    int result = exit_code(shard_options_parse(&options, argc, argv, &action, &command));
    if (!result && (action == SHARD_PART || action == SHARD_MERGE)) {
        result = action == SHARD_PART ? run_part(&options) : run_merge(&options);
        shard_options_free(&options);
        return result;
    }
    if (!result && action == SHARD_HELP)
        shard_print_help(command, stdout);
    else if (!result && action == SHARD_VERSION)
        printf("vmaf-shard of libvmaf %s\n", vmaf_version());
    else if (!result && action == SHARD_STATUS)
        result = tell_status(&options);
    else if (!result)
        result = exit_code(submit(&options, argv[0]));
    shard_options_free(&options);
    return subcommand_end(result);
}

int main(int argc, char **argv)
{
    streams_prepare();
    json_memory_watch();
    /* The program runs itself with these options, as a child process. */
    if (argc > 1 && !strcmp(argv[1], "--vmaf"))
        return vmaf_command(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "--devices"))
        return scoring_devices_print_all();
    return shard(argc, argv);
}
