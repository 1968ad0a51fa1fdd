/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vmaf command. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "gpu.h"
#include "list.h"
#include "options.h"
#include "score.h"

enum { EXIT_DONE = 0, EXIT_USAGE = 1, EXIT_FAILED = 255 };

static int act(enum Action action, const Options *options)
{
    switch (action) {
    case ACTION_HELP:
        options_print_help(stdout);
        break;
    case ACTION_VERSION:
        fprintf(stderr, "%s\n", vmaf_version());
        break;
    case ACTION_LIST_DEVICES:
        return gpu_list_devices();
    case ACTION_LIST_MODELS:
        list_models();
        break;
    case ACTION_LIST_FEATURES:
        list_features();
        break;
    case ACTION_SCORE:
        return score_videos(options);
    }
    return fflush(stdout) || ferror(stdout) ? -EIO : 0;
}

/* A reader that goes away makes a write fail; it is no reason to die without a word. */
static void survive_broken_pipes(void)
{
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN);
#endif
}

int main(int argc, char **argv)
{
    survive_broken_pipes();
    Options options;
    enum Action action;
    int result = EXIT_USAGE;
    const int err = options_parse(&options, argc, argv, &action);
    if (err == -ENOMEM)
        result = EXIT_FAILED;
    else if (!err)
        result = act(action, &options) ? EXIT_FAILED : EXIT_DONE;
    options_destroy(&options);
    return result;
}
