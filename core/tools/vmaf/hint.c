/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "hint.h"

/* At the offset that is proposed, pictures must differ this many times less than at any other. */
#define MARGIN 2.0
/* Fewer pairs than this say nothing. */
#define PAIRS_MIN 12
/* Rows of a picture to look at, about. */
#define ROWS 256

/* The first pair of a window. Later windows are farther apart: where a video begins with a still,
 * the first ones decide nothing, and a long still must not cost much. */
static unsigned start_of(unsigned window)
{
    unsigned start = 0;
    for (unsigned i = 0; i < window; i++)
        start += 2 * HINT_WINDOW << (i < 16 ? i : 16);
    return start;
}

/* Decides by the window, unless it is unclear. */
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
    hint->window++;
}

void hint_look(OffsetHint *hint, unsigned number, const VmafPicture *ref, const VmafPicture *dist)
{
    if (hint->done || number < start_of(hint->window))
        return;
    const unsigned step = ref->h[0] / ROWS + 1;
    thumb_of_picture(&hint->ref[hint->count], ref, step);
    thumb_of_picture(&hint->dist[hint->count], dist, step);
    if (++hint->count == HINT_WINDOW)
        judge(hint);
}

void hint_end(OffsetHint *hint)
{
    if (!hint->done && hint->count >= PAIRS_MIN)
        judge(hint);
    hint->done = true;
}
