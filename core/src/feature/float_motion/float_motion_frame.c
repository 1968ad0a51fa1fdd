/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/common/area.h"
#include "feature/float_motion/float_motion_frame.h"

/* A plane type, luma or chroma, of the two pictures. */
typedef struct PlanePair {
    unsigned w, h;
    FloatRows *rows[2];
    Resampler *half;
    size_t walked; /* row pitch with which the halving reads the store */
} PlanePair;

struct FloatMotionFrame {
    const FloatMotionSetup *setup;
    PlanePair luma, chroma;
    float *line, *blurred[2];
    FloatTotal total;
    /* For the halving, both blurred planes as a whole, at the pitch of luma. */
    size_t pitch;
    float *store[2];
    float *half_row[2];
};

static size_t round_up_8(unsigned w)
{
    return ((size_t)w + 7) & ~(size_t)7;
}

static int plane_pair_init(PlanePair *pair, const FloatMotionSetup *setup, unsigned p)
{
    pair->w = setup->shape.w[p];
    pair->h = setup->shape.h[p];
    pair->walked = round_up_8(pair->w);
    const FloatRowsParams params = {
        .dsp = &setup->dsp,
        .w = pair->w,
        .h = pair->h,
        .bpc = setup->shape.bpc,
        .offset = -128.0f,
        .window = setup->blur->count,
    };
    for (unsigned i = 0; i < 2; i++) {
        const int err = float_rows_create(&pair->rows[i], &params);
        if (err)
            return err;
    }
    if (!setup->half_size)
        return 0;
    return resampler_create(&pair->half, RESAMPLE_BILINEAR, pair->w, pair->h, (pair->w + 1) / 2,
                            (pair->h + 1) / 2);
}

static void plane_pair_free(PlanePair *pair)
{
    float_rows_destroy(pair->rows[0]);
    float_rows_destroy(pair->rows[1]);
    resampler_destroy(pair->half);
}

static int allocate(FloatMotionFrame *m)
{
    const FrameShape *shape = &m->setup->shape;
    m->pitch = round_up_8(shape->w[0]);
    m->line = float_line_alloc(shape->w[0]);
    if (!m->line)
        return -ENOMEM;
    for (unsigned i = 0; i < 2; i++) {
        m->blurred[i] = float_line_alloc(shape->w[0]);
        if (!m->blurred[i])
            return -ENOMEM;
        if (!m->setup->half_size)
            continue;
        m->half_row[i] = float_line_alloc((shape->w[0] + 1) / 2);
        m->store[i] = mem_array(m->pitch * shape->h[0], sizeof(float));
        if (!m->half_row[i] || !m->store[i])
            return -ENOMEM;
    }
    int err = float_total_init(&m->total, &m->setup->dsp, shape->w[0]);
    if (!err)
        err = plane_pair_init(&m->luma, m->setup, 0);
    if (!err && m->setup->planes > 1)
        err = plane_pair_init(&m->chroma, m->setup, 1);
    return err;
}

int float_motion_frame_create(FloatMotionFrame **out, const FloatMotionSetup *setup)
{
    *out = NULL;
    FloatMotionFrame *m = mem_zalloc(sizeof(*m));
    if (!m)
        return -ENOMEM;
    m->setup = setup;
    const int err = allocate(m);
    if (err) {
        float_motion_frame_destroy(m);
        return err;
    }
    *out = m;
    return 0;
}

void float_motion_frame_destroy(FloatMotionFrame *m)
{
    if (!m)
        return;
    float_line_free(m->line);
    for (unsigned i = 0; i < 2; i++) {
        float_line_free(m->blurred[i]);
        float_line_free(m->half_row[i]);
        mem_free(m->store[i]);
    }
    float_total_free(&m->total);
    plane_pair_free(&m->luma);
    plane_pair_free(&m->chroma);
    mem_free(m);
}

static const float *blur_row(FloatMotionFrame *m, const PlanePair *pair, unsigned i, unsigned y)
{
    const FloatFilter *blur = m->setup->blur;
    if (blur->count == 1)
        return float_rows_get(pair->rows[i], y);
    float_filter_row(&m->setup->dsp, blur, m->blurred[i], m->line, pair->rows[i], y, pair->w,
                     pair->h);
    return m->blurred[i];
}

/* Keeps a blurred row for the halving. Past the plane's width the store reads as zero. */
static void keep_row(FloatMotionFrame *m, const PlanePair *pair, unsigned i, unsigned y,
                     const float *row)
{
    float *to = m->store[i] + y * m->pitch;
    memcpy(to, row, pair->w * sizeof(*to));
    memset(to + pair->w, 0, (m->pitch - pair->w) * sizeof(*to));
}

static float full_size(FloatMotionFrame *m, const PlanePair *pair)
{
    float_total_start(&m->total, pair->w);
    for (unsigned y = 0; y < pair->h; y++) {
        const float *row[2];
        for (unsigned i = 0; i < 2; i++) {
            row[i] = blur_row(m, pair, i, y);
            if (pair->half)
                keep_row(m, pair, i, y, row[i]);
        }
        m->setup->dsp.distance(float_total_row(&m->total), row[0], row[1], pair->w);
        float_total_add(&m->total);
    }
    return float_total_finish(&m->total) / (float)plane_area(pair->w, pair->h);
}

/* The reference steps through a chroma plane by chroma's own pitch although it lies at luma's: its
 * rows here start where that walk finds them. */
static float half_size(FloatMotionFrame *m, const PlanePair *pair)
{
    const unsigned w = resampler_width(pair->half), h = resampler_height(pair->half);
    float_total_start(&m->total, w);
    for (unsigned y = 0; y < h; y++) {
        unsigned at[RESAMPLE_MAX_TAPS];
        const unsigned count = resampler_rows(pair->half, y, at);
        for (unsigned i = 0; i < 2; i++) {
            const float *rows[RESAMPLE_MAX_TAPS];
            for (unsigned k = 0; k < count; k++)
                rows[k] = m->store[i] + at[k] * pair->walked;
            resampler_row(pair->half, m->half_row[i], y, rows);
        }
        m->setup->dsp.distance(float_total_row(&m->total), m->half_row[0], m->half_row[1], w);
        float_total_add(&m->total);
    }
    return float_total_finish(&m->total) / (float)plane_area(w, h);
}

double float_motion_frame_measure(FloatMotionFrame *m, const VmafPicture *before,
                                  const VmafPicture *now)
{
    double step = 0.0;
    for (unsigned p = 0; p < m->setup->planes; p++) {
        const PlanePair *pair = p ? &m->chroma : &m->luma;
        float_rows_bind(pair->rows[0], before->data[p], before->stride[p]);
        float_rows_bind(pair->rows[1], now->data[p], now->stride[p]);
        float score = full_size(m, pair);
        if (pair->half)
            score += half_size(m, pair);
        step += score;
    }
    return step;
}
