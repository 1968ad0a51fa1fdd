/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "vmaf/doctor/doctor.h"
#include "gpu.h"
#include "common/interrupt.h"
#include "list.h"
#include "common/message.h"
#include "options.h"
#include "report/show.h"
#include "score.h"
#include "vmaf/part/merge.h"

enum { EXIT_BELOW = 2 }; /* a score is, than --fail_under wants */

static int act(enum Action action, const Options *options)
{
    switch (action) {
    case ACTION_HELP:
        options_print_help(stdout);
        return finish_stdout();
    case ACTION_VERSION:
        return say_result("%s", vmaf_version()) ? 0 : -EIO;
    case ACTION_LIST_DEVICES: {
        const int err = gpu_list_devices(), lost = finish_stdout();
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
        return score_videos(options);
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
    Options options;
    enum Action action;
    int result = EXIT_USAGE;
    int err = options_parse(&options, argc, argv, &action);
    if (!err) {
        err = act(action, &options);
        result = err == SCORE_BELOW ? EXIT_BELOW : err ? EXIT_FAILED : EXIT_DONE;
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
