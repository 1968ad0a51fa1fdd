/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Samples of a long source: pieces that stand for the whole of it, cut without loss. They begin
 * where scenes do, some in scenes that need few bits and some in scenes that need many. One thread
 * at a time. */
#ifndef TUNE_SAMPLES_H
#define TUNE_SAMPLES_H

#include <stddef.h>

#include "job.h"

typedef struct Samples {
    Original *at; /* none: each try uses the whole source */
    char **files; /* their paths */
    double *from; /* seconds at which they begin */
    size_t count;
    double total; /* seconds of all of them */
} Samples;

/* Cut `count` samples of some seconds. Cuts none if they would cover most of the source. Prints
 * errors and returns a negative errno. Call samples_free in any case. */
int samples_cut(Samples *samples, const Original *source, Workshop *shop, unsigned count,
                double seconds);
void samples_free(Samples *samples);

/* Cut one piece of a source without loss: some seconds from a time after the beginning on, or this
 * many frames (0: count seconds) from a time on the file's own clock. Prints errors and returns a
 * negative errno. */
int piece_cut(const Original *source, Workshop *shop, double from, double seconds, uint64_t frames,
              const char *path);

/* ---- choosing them; pure functions ---- */

#define KEY_WIDTH 32
#define KEY_HEIGHT 18

/* A small picture of a key frame, and when it is shown. */
typedef struct KeyFrame {
    double time;
    unsigned char luma[KEY_WIDTH * KEY_HEIGHT];
} KeyFrame;

/* Do these key frames belong to different scenes? */
bool is_other_scene(const KeyFrame *a, const KeyFrame *b);

/* Choose when samples begin, in rising order. `starts` are times at which they may begin; they must
 * rise. Returns how many were found: fewer than `count` if there is no room for more. */
size_t samples_choose(const double *starts, size_t start_count, const Packets *packets,
                      double length, double seconds, size_t count, double *from);

#endif
