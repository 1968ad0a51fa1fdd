/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/mem.h"
#include "feature/common/mirror.h"
#include "feature/motion/motion_frame.h"

static const StripsKind strips_kind = {
    .widest = MOTION_STRIP,
    .step = MOTION_STRIP_STEP,
    .pairs = MOTION_PAIRS,
    .pair_size = MOTION_PAIR_WORDS * sizeof(uint32_t),
    .columns_size = 2 * MOTION_ROW_WORDS * sizeof(int16_t),
    .sums = 1,
    .shared_pixels = MOTION_SHARED_PIXELS,
};

struct MotionFrame {
    Strips *strips;
};

typedef struct Pass {
    const MotionSetup *setup;
    const uint8_t *plane[2];
    ptrdiff_t stride[2];
} Pass;

static void load_pair(const void *pass, const Strip *s, void *pair, int y)
{
    const Pass *p = pass;
    const MotionSetup *setup = p->setup;
    const size_t skip = (size_t)s->from * (setup->bpc > 8 ? 2 : 1);
    const void *rows[2][2];
    for (int picture = 0; picture < 2; picture++) {
        for (int i = 0; i < 2; i++)
            rows[picture][i] = p->plane[picture] +
                               mirror_index_far(y + i, (int)setup->h) * p->stride[picture] + skip;
    }
    setup->dsp.join(pair, rows[0], rows[1], s->to - s->from);
}

/* Row y of both pictures, which a later pair will read. */
static void fetch_row(const Pass *p, const Strip *s, int y)
{
    const int size = p->setup->bpc > 8 ? 2 : 1;
    for (int picture = 0; picture < 2 && y < (int)p->setup->h; picture++)
        strip_fetch(p->plane[picture] + y * p->stride[picture] + s->from * size,
                    (size_t)((s->to - s->from) * size));
}

static void sum_rows(const void *pass, const Strip *s, const void *const *pairs, int y)
{
    const Pass *p = pass;
    const MotionSetup *setup = p->setup;
    const uint32_t *const ring[MOTION_PAIRS] = { pairs[0], pairs[1], pairs[2] };
    int16_t *columns = (int16_t *)s->columns + MOTION_MARGIN;

    fetch_row(p, s, y + MOTION_REACH + STRIPS_FETCH);
    fetch_row(p, s, y + 1 + MOTION_REACH + STRIPS_FETCH);
    setup->dsp.blur_columns(columns - (s->x0 - s->from), ring, s->to - s->from, (int)setup->bpc);
    for (int row = 0; row < 2 && y + row < (int)setup->h; row++, columns += MOTION_ROW_WORDS) {
        strip_mirror(s, columns, 2, MOTION_PITCH, MOTION_REACH);
        *s->sums += setup->dsp.blur_row(columns, s->x1 - s->x0);
    }
}

uint64_t motion_frame_measure(MotionFrame *frame, const MotionSetup *setup,
                              const void *const planes[2], const ptrdiff_t strides[2], Team *team)
{
    const Pass p = {
        .setup = setup,
        .plane = { planes[0], planes[1] },
        .stride = { strides[0], strides[1] },
    };
    const StripsPlane plane = {
        .w = (int)setup->w,
        .h = (int)setup->h,
        .reach = MOTION_REACH,
        .pair_reach = MOTION_REACH,
        .load = load_pair,
        .sum = sum_rows,
        .arg = &p,
    };
    uint64_t sad;
    strips_sweep(frame->strips, &plane, &sad, team);
    return sad;
}

int motion_frame_create(MotionFrame **out, const MotionSetup *setup)
{
    MotionFrame *frame = *out = mem_zalloc(sizeof(*frame));
    if (!frame)
        return -ENOMEM;
    const int err = strips_create(&frame->strips, &strips_kind, (int)setup->w, (int)setup->h);
    if (err) {
        motion_frame_destroy(frame);
        *out = NULL;
    }
    return err;
}

void motion_frame_destroy(MotionFrame *frame)
{
    if (!frame)
        return;
    strips_destroy(frame->strips);
    mem_free(frame);
}
