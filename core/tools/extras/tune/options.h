/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command line of vmaf-tune. */
#ifndef TUNE_OPTIONS_H
#define TUNE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/args.h"
#include "common/argv.h"
#include "encoder.h"
#include "job.h"
#include "place.h"
#include "report/pooling.h"

enum TuneAction { TUNE_COMPARE, TUNE_SEARCH, TUNE_CORPUS, TUNE_HELP, TUNE_VERSION };

extern const Subcommand tune_commands[]; /* by TuneAction; ends with a name of NULL */

typedef struct TuneOptions {
    const char *subject; /* the source, or the list */
    Encoder *encoders;
    size_t encoder_count;
    Place *places;
    size_t place_count;
    bool has_target;
    double target;
    Pooling pooling;
    const char *metric;
    Argv score_words; /* for the vmaf command */
    const char *output, *json, *html, *svg, *resume;
    const char *anchor;
    const char *ffmpeg, *temp;
    unsigned threads, encodes, samples;
    double sample_seconds, time_limit;
    bool overwrite, quiet;
} TuneOptions;

/* Says what is wrong: -EINVAL or -ENOMEM. In any case there is something to free. For TUNE_HELP
 * *command is the one asked about, or NULL. */
int tune_options_parse(TuneOptions *options, int argc, char **argv, enum TuneAction *action,
                       const Subcommand **command);
void tune_options_free(TuneOptions *options);

void tune_print_help(const Subcommand *command, FILE *file);

/* The subcommands. Each says what goes wrong and returns 0, -EINTR when a signal came, -ERANGE when a target cannot
 * be reached, or another negative errno. */

int tune_compare(Workshop *shop, const TuneOptions *options);
int tune_search(Workshop *shop, const TuneOptions *options);
int tune_corpus(Workshop *shop, const TuneOptions *options);

#endif
