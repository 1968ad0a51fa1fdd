/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The options of the vmaf command, in groups. A group is a table of rows that begins with its
 * heading and ends with an empty row; each row has a function that stores the option in an Options.
 * To add an option, add a row and its function. For the main thread. */
#ifndef TOOLS_OPTION_OPTION_H
#define TOOLS_OPTION_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/args.h"
#include "vmaf/options.h"

extern const Arg video_options[];   /* video.c: the videos, and raw video */
extern const Arg align_options[];   /* video.c: decoding, and differences between the videos */
extern const Arg colour_options[];  /* colour.c: colours, where files do not say */
extern const Arg sync_options[];    /* sync.c: which frames are compared */
extern const Arg compute_options[]; /* compute.c: models and features */
extern const Arg part_options[];    /* part.c: parts of a video, and merging them */
extern const Arg output_options[];  /* output.c: reports, scores, progress */
extern const Arg device_options[];  /* device.c: threads, instruction sets, devices */
extern const Arg about_options[];   /* table.c: what to do instead of scoring */

/* Stands in device_options for the rows --NAME_device and --no_NAME of each backend of the
 * library. */
#define EACH_BACKEND (-1)
/* Writes these rows, at most `max`; returns their number. */
unsigned backend_options(Arg *rows, unsigned max);

/* All options in one table, made at the first call. */
const Arg *option_table(void);

/* True if the group has an option of this name. */
bool option_is_in(const Arg *group, const char *name);

/* Adds a model as if --model had named it. 0, -EINVAL or -ENOMEM. */
int option_add_model(Options *options, const char *spec);

/* Applies VMAF_ALLOW_SOFTWARE=1, and VMAF_BACKEND=NAME[:DEVICE] where the command line chooses no
 * backend: a device that it chooses is one of that backend. Hides VMAF_BACKEND from the library,
 * which would otherwise apply it as well. -EINVAL, after a message: it names no backend. */
int options_apply_environment(Options *options);

/* Decides which backend --backend and --NAME_device choose together, whatever their order.
 * -EINVAL, after a message: they contradict each other. */
int options_settle_backend(Options *options);

/* Parses a length: `7` is in frames, `1.5s` and `40ms` are times. False: it is none. */
bool parse_length(const char *value, Length *length);
#define A_LENGTH "frames (7) or a time (1.5s, 40ms)" /* for messages */

/* Prints what is wrong with the command line, and where to find help. Returns -EINVAL. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
int bad_value(const Arg *arg, const char *value, const char *wanted);

/* Parse a number in C notation; a mask may be negative: -1 sets all bits. They print an error and
 * return -EINVAL if it is none. */
int parse_mask(const Arg *arg, const char *value, uint64_t *out);
int parse_number(const Arg *arg, const char *value, unsigned *out);

#endif
