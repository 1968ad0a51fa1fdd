/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/json_memory.h"
#include "common/message.h"
#include "gpu.h"
#include "libvmaf/device.h"
#include "libvmaf/inspect.h"
#include "options.h"
#include "show.h"

/* ---- --list_features and --list_models ---- */

static void print_row(const char *left, const char *help)
{
    if (help)
        printf("      %-38s %s\n", left, help);
    else
        printf("      %s\n", left);
}

static void print_option(const VmafOptionInfo *option)
{
    char text[160];
    switch (option->type) {
    case VMAF_OPTION_BOOL:
        snprintf(text, sizeof(text), "%s=%s", option->name,
                 option->default_number != 0.0 ? "true" : "false");
        break;
    case VMAF_OPTION_STRING:
        snprintf(text, sizeof(text), "%s=%s", option->name,
                 option->default_text ? option->default_text : "");
        break;
    default:
        snprintf(text, sizeof(text), "%s=%g [%g..%g]", option->name, option->default_number,
                 option->min, option->max);
        break;
    }
    print_row(text, option->help);
}

/* Prints the backends of this build: extractors with GPU code run on all of them. */
static void print_backends(void)
{
    const char *backend;
    for (unsigned i = 0; (backend = vmaf_backend_name(i)); i++)
        if (vmaf_backend_built(backend))
            printf(", %s", backend);
}

static void print_extractor(unsigned index, const VmafExtractorInfo *info)
{
    VmafMetricInfo metric = { .size = sizeof(metric) };
    VmafOptionInfo option = { .size = sizeof(option) };
    printf("%-16s %s [cpu", info->name, info->summary);
    if (info->has_gpu_code)
        print_backends();
    printf("]\n");
    if (info->has_map)
        printf("    has a map (--heatmap)\n");
    if (info->metric_count)
        printf("    metrics:\n");
    for (unsigned i = 0; !vmaf_extractor_metric(index, i, &metric); i++)
        print_row(metric.short_name, metric.help);
    if (info->option_count)
        printf("    options:\n");
    for (unsigned i = 0; !vmaf_extractor_option(index, i, &option); i++)
        print_option(&option);
    printf("\n");
}

static void list_features(void)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    printf("Extractors for --feature, with the metrics they make, their options, defaults and "
           "ranges.\n\n");
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
        print_extractor(i, &info);
}

static void list_models(void)
{
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    printf("Models for --model version=NAME.\n\n");
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++)
        printf("%-28s %s%s\n", info.name, info.summary, info.is_collection ? " (collection)" : "");
}

/* ---- the command ---- */

enum {
    EXIT_BELOW = 2,   /* a score is below --fail_under */
    EXIT_UNJUDGED = 3 /* --fail_under was given, but frames are missing */
};

static int run_action(enum Action action, const Options *options)
{
    switch (action) {
    case ACTION_HELP:
        options_print_help(stdout);
        return finish_stdout();
    case ACTION_VERSION:
        return say_result("%s", vmaf_version()) ? 0 : -EIO;
    case ACTION_LIST_DEVICES: {
        const int err = gpu_list_devices(options), lost = finish_stdout();
        return err ? err : lost;
    }
    case ACTION_LIST_MODELS:
        list_models();
        return finish_stdout();
    case ACTION_LIST_FEATURES:
        list_features();
        return finish_stdout();
    case ACTION_DOCTOR:
        return doctor(options);
    case ACTION_SCORE:
        interrupt_watch();
        return score_videos(options, NULL);
    case ACTION_PAIRS:
        interrupt_watch();
        return score_list(options);
    case ACTION_REPORT:
        return stored_show(options);
    case ACTION_MERGE:
        return merge_parts(options);
    }
    return -EINVAL;
}

int vmaf_command(int argc, char **argv)
{
    streams_prepare();
    json_memory_watch();
#ifdef _WIN32
    if (argc == 3 && !strcmp(argv[1], DOCTOR_JOB))
        return doctor_job(argv[2]);
#endif
    Options options;
    enum Action action;
    int result = EXIT_USAGE;
    int err = options_parse(&options, argc, argv, &action);
    if (!err) {
        err = run_action(action, &options);
        result = err == SCORE_BELOW      ? EXIT_BELOW
                 : err == SCORE_UNJUDGED ? EXIT_UNJUDGED
                 : err                   ? EXIT_FAILED
                                         : EXIT_DONE;
    }
    if (err == -ENOMEM) {
        say("out of memory");
        result = EXIT_FAILED;
    }
    if (interrupt_signal())
        result = EXIT_SIGNAL + interrupt_signal();
    options_destroy(&options);
    if (gpu_gave_up()) {
        fflush(NULL);
        _exit(result);
    }
    return result;
}
