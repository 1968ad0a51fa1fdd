/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* --lines: writes a line of JSON for each pair to standard output as soon as its scores are there,
 * one for each window of pairs and for each shot, and a summary at the end. docs/lines.schema.json
 * describes them.
 *
 * The scores come from the threads that compute them. All calls are for the main thread. Functions
 * that return int return 0, or print what went wrong and return a negative errno. */
#ifndef TOOLS_LINES_H
#define TOOLS_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "libvmaf/libvmaf.h"
#include "libvmaf/report.h"
#include "options.h"
#include "scores.h"
#include "vmaf/part/part.h"

typedef struct Lines Lines;

/* True if a run with these options asks for nothing that needs the scores of all frames: then it
 * takes the memory of a few frames, however long the videos are. */
bool lines_are_bounded(const Options *options);

/* Writes the first line, about the run. */
int lines_create(Lines **lines, const Options *options);
void lines_destroy(Lines *lines); /* after the contexts are closed; NULL is fine */

/* Listens to the scores of a context, whose features and models are registered. `video`: the number
 * of the distorted video. */
int lines_watch(Lines *lines, unsigned video, VmafContext *vmaf, const Models *models);

/* Notes a pair that vmaf_read_pictures will get next. */
int lines_add(Lines *lines, unsigned video, unsigned index, const PairFrames *frames);

/* For --shots: pair `index` was looked at, after it was added. Only then the line of the pair
 * before is written. */
void lines_looked(Lines *lines, unsigned video, unsigned index);
/* A shot begins with this pair, whose line is not written yet. */
void lines_cut(Lines *lines, unsigned video, unsigned index);

/* The first pair of the video whose line is not written yet. */
unsigned lines_written(Lines *lines, unsigned video);

/* 0, or why lines are lost (negative errno). That was printed; nothing more is written then. */
int lines_error(Lines *lines);

/* `stop` is called once, by any thread, when a line cannot be written. NULL: nothing is. */
void lines_call(Lines *lines, void (*stop)(void *arg), void *arg);

/* After the context was flushed: writes the lines that remain. */
int lines_finish(Lines *lines, unsigned video);

/* The figures of a metric over all pairs so far, by its stored name; without percentiles and
 * standard deviation, which are NaN. False: not every line had it. */
bool lines_figures(Lines *lines, unsigned video, const char *metric, VmafStatistics *figures);

/* How the scoring of a video ended. */
typedef struct LinesEnd {
    bool failed;
    const char *incomplete; /* why pairs are missing; empty: none are */
    VmafContext *vmaf;      /* NULL: there is none */
} LinesEnd;

/* Writes the last line: the figures of each video. ends: one for each. */
int lines_summarise(Lines *lines, const LinesEnd *ends);

#endif
