/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Notices, while pairs are scored, that their pictures would match better at another offset, or
 * that only one of the videos has black bars. Looks at a few short windows of the video, by the
 * comparison that --sync auto makes, and never changes what is scored. For one thread. */
#ifndef TOOLS_HINT_H
#define TOOLS_HINT_H

#include <stdbool.h>

#include "input/thumbs.h"
#include "input/video.h"

/* Pairs of frames in a window. */
enum { HINT_WINDOW = 48 };

/* A zeroed hint has seen nothing. */
typedef struct OffsetHint {
    Thumb ref[HINT_WINDOW], dist[HINT_WINDOW];
    unsigned count;  /* pairs in the window */
    unsigned window; /* the number of windows before this one */
    bool done;       /* no further pair is looked at */
    int offset;      /* frame n of the reference, as paired, matches frame n + offset of the
                      * distorted video; 0: no better offset was found */
    double times;    /* how many times better it matches than at any other offset */
    float brightest[SIDES][THUMB_EDGES]; /* maxima over all pairs that were looked at */
    float brightest_cell[SIDES];
} OffsetHint;

/* Looks at pair `number`, counted from 0. */
void hint_look(OffsetHint *hint, unsigned number, const VmafPicture *ref, const VmafPicture *dist);

/* For parts of a video: hint_wants tells whether a run of the whole video may look at this pair,
 * hint_thumbs makes the thumbnails that it would look at, and hint_look_thumbs looks at those that
 * a part has noted. */
bool hint_wants(uint64_t number);
void hint_thumbs(Thumb *ref, Thumb *dist, const VmafPicture *ref_pic, const VmafPicture *dist_pic);
void hint_look_thumbs(OffsetHint *hint, unsigned number, const Thumb *ref, const Thumb *dist);

/* True if one video has black bars at two opposite edges in all pairs that were looked at, and the
 * other has a picture there. *barred: that video. */
bool hint_bars(const OffsetHint *hint, enum Side *barred);

/* Call after the last pair, for a video shorter than a window. */
void hint_end(OffsetHint *hint);

#endif
