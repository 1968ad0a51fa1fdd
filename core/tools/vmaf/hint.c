/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "hint.h"

/* At the offset that is proposed, pictures must differ this many times less than at any other. */
#define MARGIN 2.0
/* With fewer pairs than this, no offset is proposed. */
#define PAIRS_MIN 12
/* About this many rows of a picture are looked at. */
#define ROWS 256
/* Mean luma, at 8 bits, up to which an edge may be of a black bar, and from which it cannot be. */
#define BLACK 24.0f
#define BRIGHT 40.0f
/* The number of windows: the last one begins at frame 50 million. */
#define WINDOWS 20

/* The first pair of a window. Later windows are farther apart, because a video may begin with a
 * long still picture, in which no window decides anything. */
static unsigned start_of(unsigned window)
{
    return 2 * HINT_WINDOW * ((1u << window) - 1);
}

/* Decides by the pairs of the window, if they are clear enough. */
static void judge(OffsetHint *hint)
{
    Thumbs ref = { hint->ref, hint->count }, dist = { hint->dist, hint->count };
    const ThumbsFit fit = thumbs_fit(&ref, &dist);
    hint->done = fit.sure;
    if (fit.sure && fit.times >= MARGIN) {
        hint->offset = fit.offset;
        hint->times = fit.times;
    }
    hint->count = 0;
    hint->done |= ++hint->window == WINDOWS;
}

static bool is_seen(const OffsetHint *hint, unsigned number)
{
    return !hint->done && number >= start_of(hint->window);
}

bool hint_wants(uint64_t number)
{
    unsigned window = 0;
    while (window < WINDOWS && number >= start_of(window + 1))
        window++;
    return window < WINDOWS && number - start_of(window) < HINT_WINDOW;
}

void hint_thumbs(Thumb *ref, Thumb *dist, const VmafPicture *ref_pic, const VmafPicture *dist_pic)
{
    const unsigned step = ref_pic->h[0] / ROWS + 1;
    thumb_of_picture(ref, ref_pic, step);
    thumb_of_picture(dist, dist_pic, step);
}

static void note_brightest(OffsetHint *hint, enum Side side, const Thumb *thumb)
{
    for (unsigned edge = 0; edge < THUMB_EDGES; edge++)
        if (thumb->edge[edge] > hint->brightest[side][edge])
            hint->brightest[side][edge] = thumb->edge[edge];
    for (unsigned i = 0; i < THUMB_CELLS; i++)
        if (thumb->cell[i] > hint->brightest_cell[side])
            hint->brightest_cell[side] = thumb->cell[i];
}

bool hint_bars(const OffsetHint *hint, enum Side *barred)
{
    for (enum Side side = SIDE_REF; side < SIDES; side++) {
        const float *const own = hint->brightest[side];
        const float *const other = hint->brightest[side == SIDE_REF ? SIDE_DIST : SIDE_REF];
        *barred = side;
        for (unsigned edge = TOP_EDGE; edge < THUMB_EDGES; edge += 2)
            if (own[edge] <= BLACK && own[edge + 1] <= BLACK &&
                hint->brightest_cell[side] >= BRIGHT && other[edge] >= BRIGHT &&
                other[edge + 1] >= BRIGHT)
                return true;
    }
    return false;
}

static void count_pair(OffsetHint *hint)
{
    note_brightest(hint, SIDE_REF, &hint->ref[hint->count]);
    note_brightest(hint, SIDE_DIST, &hint->dist[hint->count]);
    if (++hint->count == HINT_WINDOW)
        judge(hint);
}

void hint_look(OffsetHint *hint, unsigned number, const VmafPicture *ref, const VmafPicture *dist)
{
    if (!is_seen(hint, number))
        return;
    hint_thumbs(&hint->ref[hint->count], &hint->dist[hint->count], ref, dist);
    count_pair(hint);
}

void hint_look_thumbs(OffsetHint *hint, unsigned number, const Thumb *ref, const Thumb *dist)
{
    if (!is_seen(hint, number))
        return;
    hint->ref[hint->count] = *ref;
    hint->dist[hint->count] = *dist;
    count_pair(hint);
}

void hint_end(OffsetHint *hint)
{
    if (!hint->done && hint->count >= PAIRS_MIN)
        judge(hint);
    hint->done = true;
}
