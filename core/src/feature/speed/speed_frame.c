/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED's frame routine: reduces both planes and subtracts their local mean. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/speed/speed.h"

enum { DECIMATION = 16 };

struct SpeedFrame {
    const SpeedSetup *setup;
    FloatRows *rows;
    float *line, *smoothed;
    size_t pitch;     /* row pitch of the reduced plane */
    float *reduced;   /* reduced plane, before the local mean is subtracted */
    float *planes[2]; /* afterwards: of the reference and of the distorted picture */
    SpeedBlocks *blocks;
};

static int allocate(SpeedFrame *s)
{
    const SpeedSetup *setup = s->setup;
    s->pitch = setup->small_w;
    s->line = float_line_alloc(setup->w > setup->src_w ? setup->w : setup->src_w);
    s->smoothed = float_line_alloc(setup->small_w);
    s->reduced = mem_array(s->pitch * setup->small_h, sizeof(float));
    for (unsigned i = 0; i < 2; i++)
        s->planes[i] = mem_array(s->pitch * setup->small_h, sizeof(float));
    if (!s->line || !s->smoothed || !s->reduced || !s->planes[0] || !s->planes[1])
        return -ENOMEM;
    const int err = speed_blocks_create(&s->blocks, setup);
    if (err)
        return err;
    const FloatRowsParams params = {
        .dsp = &setup->dsp,
        .w = setup->src_w,
        .h = setup->src_h,
        .bpc = setup->bpc,
        .offset = -128.0f,
        .window = setup->reduce.count,
        .resampler = setup->prescale,
    };
    return float_rows_create(&s->rows, &params);
}

int speed_frame_create(const Feature *f, void **out)
{
    *out = NULL;
    SpeedFrame *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->setup = f->state;
    const int err = allocate(s);
    if (err) {
        speed_frame_destroy(s);
        return err;
    }
    *out = s;
    return 0;
}

void speed_frame_destroy(void *frame)
{
    SpeedFrame *const s = frame;
    if (!s)
        return;
    float_rows_destroy(s->rows);
    float_line_free(s->line);
    float_line_free(s->smoothed);
    mem_free(s->reduced);
    mem_free(s->planes[0]);
    mem_free(s->planes[1]);
    speed_blocks_destroy(s->blocks);
    mem_free(s);
}

/* Computes row `y` of the reduced plane. Only samples that decimation keeps are filtered. */
static void reduce_row(SpeedFrame *s, unsigned y)
{
    const SpeedSetup *setup = s->setup;
    const FloatFilter *filter = &setup->reduce;
    const unsigned reach = filter_reach(filter);
    const float *window[FILTER_MAX_TAPS];
    for (unsigned k = 0; k < filter->count; k++) {
        const int at = mirror_index((int)(DECIMATION * y + k) - (int)reach, (int)setup->h);
        window[k] = float_rows_get(s->rows, (unsigned)at);
    }
    setup->dsp.weigh(s->line, window, filter->taps, filter->count, setup->w);
    float_line_reflect(s->line, setup->w, reach);
    for (unsigned x = 0; x < setup->small_w; x++) {
        const float *from = s->line + DECIMATION * x - reach;
        float sum = 0.0f;
        for (unsigned k = 0; k < filter->count; k++)
            sum += filter->taps[k] * from[k];
        s->reduced[y * s->pitch + x] = sum;
    }
}

/* Computes row `y` of `plane`: the reduced plane less its local mean. */
static void remove_mean(SpeedFrame *s, float *plane, unsigned y)
{
    const SpeedSetup *setup = s->setup;
    const FloatFilter *filter = &setup->local;
    const int reach = (int)filter_reach(filter);
    const float *window[FILTER_MAX_TAPS];
    for (unsigned k = 0; k < filter->count; k++)
        window[k] =
            s->reduced + (size_t)mirror_index((int)(y + k) - reach, (int)setup->small_h) * s->pitch;
    setup->dsp.weigh(s->line, window, filter->taps, filter->count, setup->small_w);
    float_filter_across(&setup->dsp, filter, s->smoothed, s->line, setup->small_w);
    setup->dsp.subtract(plane + y * s->pitch, s->reduced + y * s->pitch, s->smoothed,
                        setup->small_w);
}

static void reduce(SpeedFrame *s, const SpeedInput *input, float *plane)
{
    float_rows_bind_difference(s->rows, input->from, input->from_stride, input->minus,
                               input->minus_stride);
    for (unsigned y = 0; y < s->setup->small_h; y++)
        reduce_row(s, y);
    for (unsigned y = 0; y < s->setup->small_h; y++)
        remove_mean(s, plane, y);
}

SpeedScore speed_frame_measure(SpeedFrame *s, const SpeedInput *ref, const SpeedInput *dist)
{
    reduce(s, ref, s->planes[0]);
    reduce(s, dist, s->planes[1]);
    return speed_blocks_score(s->blocks, s->planes[0], s->planes[1]);
}
