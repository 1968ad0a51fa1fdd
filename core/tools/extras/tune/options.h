/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command line of vmaf-tune, and its subcommands. */
#ifndef TUNE_OPTIONS_H
#define TUNE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/args.h"
#include "common/argv.h"
#include "encoder.h"
#include "job.h"
#include "devices.h"
#include "report/pooling.h"
#include "targets.h"

enum TuneAction {
    TUNE_COMPARE,
    TUNE_SEARCH,
    TUNE_CORPUS,
    TUNE_SHOTS,
    TUNE_LADDER,
    TUNE_HELP,
    TUNE_VERSION
};

extern const Subcommand tune_commands[]; /* indexed by TuneAction; a NULL name ends it */

typedef struct TuneOptions {
    const char *subject; /* the source video, or the list of videos */
    Encoder *encoders;
    size_t encoder_count;
    ScoringDevice *devices;
    size_t device_count;
    bool available; /* use the devices that work here; none is listed */
    bool allow_software, allow_scaled;
    Targets targets;
    double tolerance; /* a score this little above its target is close enough */
    /* Limits of a search: a share of the source's video, bytes, kbit/s. 0: none. */
    double max_share, max_bytes, max_bitrate;
    Pooling pooling;    /* pooling of the first metric */
    const char *metric; /* the first metric */
    Metrics metrics;
    Argv score_words; /* options for the vmaf command */
    const char *output, *json, *html, *svg, *resume, *lines, *cache;
    double cache_bytes;
    const char *anchor;
    const char *ffmpeg, *temp;
    unsigned threads, encodes, samples;
    double sample_seconds, time_limit;
    bool overwrite, quiet, two_pass, zones;
    double sizes[RANGE_MAX], rates[RANGE_MAX]; /* for a ladder: heights, and kbit/s */
    size_t size_count, rate_count;
    unsigned target_steps; /* rungs of a ladder */
    const char *playlist;
    unsigned least_frames; /* least number of frames of a shot */
} TuneOptions;

/* Parse the command line. Prints errors and returns -EINVAL or -ENOMEM. Free the options in any
 * case. For TUNE_HELP, *command is the subcommand asked about, or NULL. */
int tune_options_parse(TuneOptions *options, int argc, char **argv, enum TuneAction *action,
                       const Subcommand **command);
void tune_options_free(TuneOptions *options);

/* 0, or -EINVAL after saying so, if an output file is the source or another output file. */
int tune_outputs_check(const TuneOptions *options);

void tune_print_help(const Subcommand *command, FILE *file);

/* The subcommands. Each prints its errors and returns 0, -EINTR after a signal, -ERANGE if no
 * setting reaches the targets, -EFBIG if those that do need more than the limit, or another
 * negative errno. */

int tune_compare(Workshop *shop, const TuneOptions *options);
int tune_search(Workshop *shop, const TuneOptions *options);
int tune_corpus(Workshop *shop, const TuneOptions *options);
int tune_shots(Workshop *shop, const TuneOptions *options);
int tune_ladder(Workshop *shop, const TuneOptions *options);

#endif
