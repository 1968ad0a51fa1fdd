/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds where the beginning of one video lies in another by comparing thumbnails of their frames.
 * Pure functions: any thread may call them. */
#ifndef TOOLS_INPUT_THUMBS_H
#define TOOLS_INPUT_THUMBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/picture.h"

/* A thumbnail: the mean luma of each of 16 x 16 cells of a frame, and of the two outermost rows or
 * columns at each edge. */
enum ThumbEdge { TOP_EDGE, BOTTOM_EDGE, LEFT_EDGE, RIGHT_EDGE, THUMB_EDGES };
enum { THUMB_SIDE = 16, THUMB_CELLS = THUMB_SIDE * THUMB_SIDE };
typedef struct Thumb {
    float cell[THUMB_CELLS];
    float edge[THUMB_EDGES];
} Thumb;

/* Consecutive frames of a video. */
typedef struct Thumbs {
    Thumb *at;
    unsigned count;
} Thumbs;

/* Looks at every `step`-th row, and at all rows of the edges. The means are rounded to what
 * thumb_print writes. */
void thumb_of_picture(Thumb *thumb, const VmafPicture *pic, unsigned step);

/* Write a thumbnail as hexadecimal digits, and read it back without a loss. False: the text is not
 * a thumbnail. */
enum { THUMB_TEXT = (THUMB_CELLS + THUMB_EDGES) * 4 + 1 };
void thumb_print(const Thumb *thumb, char text[THUMB_TEXT]);
bool thumb_parse(Thumb *thumb, const char *text);

typedef struct ThumbsFit {
    bool sure;    /* false: no offset fits well, or two fit about equally well */
    int offset;   /* frame n of the first video is frame n + offset of the second */
    int rival;    /* the second-best offset */
    double times; /* the second-best offset's difference divided by the best one's */
} ThumbsFit;

/* Finds the offset at which the two videos differ least. Overall brightness and contrast may
 * differ: the thumbnails are normalised in place, and may be passed again. */
ThumbsFit thumbs_fit(Thumbs *first, Thumbs *second);

#endif
