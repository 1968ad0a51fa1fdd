/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where the beginning of one video lies in another: told from very small pictures of the frames. */
#ifndef TOOLS_INPUT_THUMBS_H
#define TOOLS_INPUT_THUMBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/picture.h"

/* The mean luma of each part of a frame. */
enum { THUMB_SIDE = 16, THUMB_PARTS = THUMB_SIDE * THUMB_SIDE };
typedef struct Thumb {
    float part[THUMB_PARTS];
} Thumb;

/* Frames from one on, without a gap. */
typedef struct Thumbs {
    Thumb *at;
    unsigned count;
} Thumbs;

void thumb_of_picture(Thumb *thumb, const VmafPicture *pic);

typedef struct ThumbsFit {
    bool sure;
    int offset;   /* frame n of the first is frame n + offset of the second */
    int rival;    /* the offset that fits second best */
    double times; /* how often the difference of the best fits into that of the second best */
} ThumbsFit;

/* Brightness and contrast may differ, as a whole. Changes the thumbs, which may be used again. Not sure: when two offsets fit about equally
 * well, or none does. */
ThumbsFit thumbs_fit(Thumbs *first, Thumbs *second);

#endif
