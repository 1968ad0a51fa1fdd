/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune: compares encoders and settings by size and quality. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "cache.h"
#include "shot_list.h"
#include "vmaf/command.h"
#include "common/interrupt.h"
#include "common/json_memory.h"
#include "libvmaf/libvmaf.h"
#include "common/message.h"
#include "common/child.h"

enum {
    EXIT_UNREACHED = 2, /* no setting reaches the targets */
    EXIT_OVER = 3,      /* those that reach them need more than the limit */
};

static void wake(void *children)
{
    children_wake(children);
}

/* The folder for temporary files: as given, else beside the output, else TMPDIR. free() it. */
static char *temp_parent(const TuneOptions *options)
{
    const char *const tmpdir = getenv("TMPDIR");
    if (options->temp)
        return strdup(options->temp);
    if (options->output)
        return path_folder(options->output);
    return strdup(tmpdir && *tmpdir ? tmpdir : "/tmp");
}

/* Choose the devices that score, and try each of them before anything is encoded. */
static int prepare_devices(Workshop *shop, TuneOptions *options)
{
    const DeviceParams params = { .threads = options->threads,
                                  .allow_software = options->allow_software,
                                  .self = shop->self,
                                  .children = shop->children };
    int err = 0;
    if (options->available)
        err = scoring_devices_find(&options->devices, &options->device_count,
                                   options->allow_software, shop->self, shop->children);
    if (!err)
        err = scoring_devices_prepare(options->devices, options->device_count, &params);
    if (!err)
        err = trial_run_all(&shop->trial, options->devices, &options->device_count,
                            options->available);
    /* Some may have been left out, or turned out to be the CPU: divide the threads anew. */
    if (!err &&
        (options->available || scoring_devices_have_auto(options->devices, options->device_count)))
        err = scoring_devices_prepare(options->devices, options->device_count, &params);
    shop->devices = options->devices;
    shop->device_count = options->device_count;
    last_resort_prepare(&shop->last_resort, options->threads);
    return err;
}

static int act(Workshop *shop, TuneOptions *options, enum TuneAction action)
{
    int err =
        encoders_check(options->encoders, options->encoder_count, options->ffmpeg, shop->children);
    if (!err)
        err = trial_create(&shop->trial, shop->temp);
    if (!err)
        err = prepare_devices(shop, options);
    if (err)
        return err;
    if (interrupt_signal())
        return -EINTR;
    switch (action) {
    case TUNE_COMPARE:
        return tune_compare(shop, options);
    case TUNE_SEARCH:
        return tune_search(shop, options);
    case TUNE_CORPUS:
        return tune_corpus(shop, options);
    case TUNE_SHOTS:
        return tune_shots(shop, options);
    case TUNE_LADDER:
        return tune_ladder(shop, options);
    default:
        return -EINVAL;
    }
}

static int work(TuneOptions *options, enum TuneAction action, const char *called)
{
    Workshop shop = { .ffmpeg = options->ffmpeg,
                      .encodes = options->encodes,
                      .score_words = options->score_words,
                      .metrics = options->metrics,
                      .pooling = options->pooling,
                      .time_limit = options->time_limit,
                      .allow_scaled = options->allow_scaled,
                      .quiet = options->quiet };
    char *const self = own_program_path(called), *const parent = temp_parent(options);
    shop.self = self;
    int err = self && parent ? children_create(&shop.children) : -ENOMEM;
    shop.trial = (Trial){ .self = self,
                          .children = shop.children,
                          .words = &options->score_words,
                          .metrics = &options->metrics };
    interrupt_watch();
    if (!err) {
        interrupt_call(wake, shop.children);
        err = temp_create(&shop.temp, parent);
    }
    if (!err && options->cache)
        err = cache_open(&shop.cache, options->cache, options->cache_bytes);
    if (!err)
        err = act(&shop, options, action);
    if (!err && json_memory_failed())
        err = -ENOMEM;
    interrupt_call(NULL, NULL);
    trial_free(&shop.trial);
    children_destroy(shop.children);
    temp_destroy(shop.temp);
    cache_close(shop.cache);
    free(self);
    free(parent);
    return err;
}

static int tune(int argc, char **argv)
{
    TuneOptions options;
    enum TuneAction action;
    const Subcommand *command;
    int err = tune_options_parse(&options, argc, argv, &action, &command);
    int result = err == -EINVAL ? EXIT_USAGE : EXIT_DONE;
    if (!err && action == TUNE_HELP)
        tune_print_help(command, stdout);
    else if (!err && action == TUNE_VERSION)
        printf("vmaf-tune of libvmaf %s\n", vmaf_version());
    else if (!err)
        err = tune_outputs_check(&options) ? -EINVAL : work(&options, action, argv[0]);
    if (err && !result)
        result = err == -ERANGE ? EXIT_UNREACHED : err == -EFBIG ? EXIT_OVER : EXIT_FAILED;
    if (err == -ENOMEM)
        say("out of memory");
    tune_options_free(&options);
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
    if (argc == 3 && !strcmp(argv[1], "--shots"))
        return shots_print_all(argv[2]);
    return tune(argc, argv);
}
