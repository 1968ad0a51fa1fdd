/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The options of the vmaf command, in groups: a group is a table of rows that begins with its heading and ends
 * with an empty row; a row sets what it stands for in the Options. An option more is a row and its
 * function. */
#ifndef TOOLS_OPTION_OPTION_H
#define TOOLS_OPTION_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/args.h"
#include "vmaf/options.h"

extern const Arg video_options[];   /* video.c: the videos, raw ones */
extern const Arg align_options[];   /* align.c: how videos are decoded and brought together */
extern const Arg sync_options[];    /* sync.c: which frames of them */
extern const Arg compute_options[]; /* compute.c: models and features */
extern const Arg part_options[];    /* part.c: pieces of a video, and their report */
extern const Arg output_options[];  /* output.c: reports, scores, progress */
extern const Arg place_options[];   /* place.c: threads, instruction sets, devices */
extern const Arg about_options[];   /* about.c: what is done instead of scoring */

/* Stands in place_options for --NAME_device and --no_NAME of each backend of the library. */
#define EACH_BACKEND (-1)
/* The rows for it, at most `max`; returns their number. */
unsigned backend_options(Arg *rows, unsigned max);

/* All of them in one table, made at the first call. */
const Arg *option_table(void);

/* Is it a row of this group? */
bool option_is_in(const Arg *group, const char *name);

/* A default, as if it had been given. 0, -EINVAL or -ENOMEM. */
int option_add_model(Options *options, const char *spec);

/* Says what is wrong with the command line and where help is. Returns -EINVAL. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
int bad_value(const Arg *arg, const char *value, const char *wanted);

/* Numbers are in C notation. A mask may be negative: -1 is all bits. They say what is wrong. */
int parse_mask(const Arg *arg, const char *value, uint64_t *out);
int parse_number(const Arg *arg, const char *value, unsigned *out);

#endif
