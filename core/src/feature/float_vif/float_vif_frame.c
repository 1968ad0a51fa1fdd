/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/float_vif/float_vif.h"

enum { PRODUCTS = VIF_CHANNELS - VIF_REF2 };

/* Both pictures at one scale: at scale 0 rows come from `source`, below it from planes of our
 * own. */
typedef struct Level {
    size_t pitch;
    float *plane[2];
} Level;

typedef struct FloatVifFrame {
    const FloatVifSetup *setup;
    FloatRows *source[2];
    Level level[FLOAT_VIF_SCALES]; /* level[0] has no planes */
    /* Products of the last rows, as many as a group of rows needs. Row y is in slot y % slots. */
    unsigned slots;
    size_t product_pitch;
    float *products[PRODUCTS];
    float *line[VIF_CHANNELS][FLOAT_GROUP]; /* filtered vertically */
    float *filtered[VIF_CHANNELS];          /* filtered both ways */
    float *even, *odd;                      /* the even and odd samples of a line, for halving */
    FloatTotal num, den;
} FloatVifFrame;

static size_t pitch_of(unsigned w)
{
    const size_t step = MEM_ALIGN / sizeof(float), page = 4096 / sizeof(float);
    const size_t pitch = (w + step - 1) / step * step;
    return pitch % page ? pitch : pitch + step;
}

static int create_sources(FloatVifFrame *v)
{
    const FloatVifSetup *setup = v->setup;
    const FloatRowsParams params = {
        .dsp = &setup->dsp,
        .w = setup->src_w,
        .h = setup->src_h,
        .bpc = setup->bpc,
        .offset = -128.0f,
        .window = setup->filter[0].count + FLOAT_GROUP - 1,
        .resampler = setup->prescale,
    };
    for (unsigned i = 0; i < 2; i++) {
        const int err = float_rows_create(&v->source[i], &params);
        if (err)
            return err;
    }
    return 0;
}

static int allocate(FloatVifFrame *v)
{
    const FloatVifSetup *setup = v->setup;
    const unsigned w = setup->w[0];
    for (unsigned s = 1; s < FLOAT_VIF_SCALES; s++) {
        Level *level = &v->level[s];
        level->pitch = pitch_of(setup->w[s]);
        for (unsigned i = 0; i < 2; i++) {
            level->plane[i] = mem_aligned_alloc(level->pitch * setup->h[s] * sizeof(float));
            if (!level->plane[i])
                return -ENOMEM;
        }
    }
    v->slots = setup->filter[0].count + FLOAT_GROUP - 1;
    v->product_pitch = pitch_of(w);
    for (unsigned c = 0; c < PRODUCTS; c++) {
        v->products[c] = mem_aligned_alloc(v->slots * v->product_pitch * sizeof(float));
        if (!v->products[c])
            return -ENOMEM;
    }
    for (unsigned c = 0; c < VIF_CHANNELS; c++) {
        v->filtered[c] = float_line_alloc(w);
        if (!v->filtered[c])
            return -ENOMEM;
        for (unsigned i = 0; i < FLOAT_GROUP; i++) {
            v->line[c][i] = float_line_alloc(w);
            if (!v->line[c][i])
                return -ENOMEM;
        }
    }
    v->even = float_line_alloc(w);
    v->odd = float_line_alloc(w);
    if (!v->even || !v->odd || float_total_init(&v->num, &setup->dsp, w) ||
        float_total_init(&v->den, &setup->dsp, w))
        return -ENOMEM;
    return create_sources(v);
}

int float_vif_frame_create(const Feature *f, void **out)
{
    *out = NULL;
    FloatVifFrame *v = mem_zalloc(sizeof(*v));
    if (!v)
        return -ENOMEM;
    v->setup = f->state;
    const int err = allocate(v);
    if (err) {
        float_vif_frame_destroy(v);
        return err;
    }
    *out = v;
    return 0;
}

void float_vif_frame_destroy(void *frame)
{
    FloatVifFrame *const v = frame;
    if (!v)
        return;
    for (unsigned i = 0; i < 2; i++) {
        float_rows_destroy(v->source[i]);
        for (unsigned s = 1; s < FLOAT_VIF_SCALES; s++)
            mem_aligned_free(v->level[s].plane[i]);
    }
    for (unsigned c = 0; c < PRODUCTS; c++)
        mem_aligned_free(v->products[c]);
    for (unsigned c = 0; c < VIF_CHANNELS; c++) {
        float_line_free(v->filtered[c]);
        for (unsigned i = 0; i < FLOAT_GROUP; i++)
            float_line_free(v->line[c][i]);
    }
    float_line_free(v->even);
    float_line_free(v->odd);
    float_total_free(&v->num);
    float_total_free(&v->den);
    mem_free(v);
}

static const float *level_row(FloatVifFrame *v, unsigned scale, unsigned i, unsigned y)
{
    if (scale == 0)
        return float_rows_get(v->source[i], y);
    return v->level[scale].plane[i] + y * v->level[scale].pitch;
}

static float *product_row(FloatVifFrame *v, unsigned c, unsigned y)
{
    return v->products[c] + (y % v->slots) * v->product_pitch;
}

static void make_products(FloatVifFrame *v, unsigned scale, unsigned y)
{
    const FloatDsp *dsp = &v->setup->dsp;
    const unsigned w = v->setup->w[scale];
    const float *ref = level_row(v, scale, 0, y), *dis = level_row(v, scale, 1, y);
    dsp->multiply(product_row(v, 0, y), ref, ref, w);
    dsp->multiply(product_row(v, 1, y), dis, dis, w);
    dsp->multiply(product_row(v, 2, y), ref, dis, w);
}

/* Filters row `y` of both pictures with the next scale's filter and keeps every other sample. */
static void halve_row(FloatVifFrame *v, unsigned scale, unsigned y)
{
    const FloatVifSetup *setup = v->setup;
    const FloatFilter *filter = &setup->filter[scale + 1];
    const unsigned w = setup->w[scale], half = setup->w[scale + 1];
    const unsigned reach = filter_reach(filter);
    const float *rows[FILTER_MAX_TAPS];
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < filter->count; k++) {
            const int at = mirror_index((int)(y + k) - (int)reach, (int)setup->h[scale]);
            rows[k] = level_row(v, scale, i, (unsigned)at);
        }
        float *line = v->line[0][0];
        setup->dsp.weigh(line, rows, filter->taps, filter->count, w);
        float_line_reflect(line, w, reach);
        /* The samples at 2x - reach + k, x = 0, 1, … are one of the two halves, shifted. */
        setup->dsp.split(v->even, v->odd, line - reach, (w + 2 * reach) / 2);
        for (unsigned k = 0; k < filter->count; k++)
            rows[k] = (k & 1 ? v->odd : v->even) + k / 2;
        const Level *next = &v->level[scale + 1];
        setup->dsp.weigh(next->plane[i] + y / 2 * next->pitch, rows, filter->taps, filter->count,
                         half);
    }
}

/* Row y of channel c; y is reflected at the borders. */
static const float *channel_row(FloatVifFrame *v, unsigned scale, unsigned c, int y)
{
    const unsigned at = (unsigned)mirror_index(y, (int)v->setup->h[scale]);
    return c < VIF_REF2 ? level_row(v, scale, c, at) : product_row(v, c - VIF_REF2, at);
}

/* The vertical pass for rows y … y + count - 1: a whole group except at the end of the plane. */
static void filter_down(FloatVifFrame *v, unsigned scale, unsigned y, unsigned count)
{
    const FloatVifSetup *setup = v->setup;
    const FloatFilter *filter = &setup->filter[scale];
    const unsigned w = setup->w[scale];
    for (unsigned c = 0; c < VIF_CHANNELS; c++) {
        const float *rows[FILTER_MAX_TAPS + FLOAT_GROUP - 1];
        for (unsigned k = 0; k < filter->count + count - 1; k++)
            rows[k] = channel_row(v, scale, c, (int)(y + k) - (int)filter_reach(filter));
        if (count == FLOAT_GROUP) {
            setup->dsp.weigh_group(v->line[c], rows, filter->taps, filter->count, w);
            continue;
        }
        for (unsigned i = 0; i < count; i++)
            setup->dsp.weigh(v->line[c][i], rows + i, filter->taps, filter->count, w);
    }
}

/* Adds row i of the group to the totals of its scale. */
static void statistics_row(FloatVifFrame *v, unsigned scale, unsigned i)
{
    const FloatVifSetup *setup = v->setup;
    const unsigned w = setup->w[scale];
    for (unsigned c = 0; c < VIF_CHANNELS; c++)
        float_filter_across(&setup->dsp, &setup->filter[scale], v->filtered[c], v->line[c][i], w);
    setup->vif_dsp.information(float_total_row(&v->num), float_total_row(&v->den), v->filtered,
                               &setup->constants, w);
    float_total_add(&v->num);
    float_total_add(&v->den);
}

static void one_scale(FloatVifFrame *v, unsigned scale, FloatVifResult *result)
{
    const FloatVifSetup *setup = v->setup;
    const unsigned h = setup->h[scale], reach = filter_reach(&setup->filter[scale]);
    const bool counted = scale > 0 || !setup->skip_scale0, halved = scale + 1 < FLOAT_VIF_SCALES;
    unsigned multiplied = 0;
    float_total_start(&v->num, setup->w[scale]);
    float_total_start(&v->den, setup->w[scale]);
    for (unsigned y = 0; y < h; y += FLOAT_GROUP) {
        const unsigned count = h - y < FLOAT_GROUP ? h - y : FLOAT_GROUP;
        const unsigned needed = y + count + reach < h ? y + count + reach : h;
        for (; counted && multiplied < needed; multiplied++)
            make_products(v, scale, multiplied);
        if (counted)
            filter_down(v, scale, y, count);
        for (unsigned i = 0; counted && i < count; i++)
            statistics_row(v, scale, i);
        for (unsigned i = 0; halved && i < count; i += 2) {
            if ((y + i) / 2 < setup->h[scale + 1])
                halve_row(v, scale, y + i);
        }
    }
    result->num[scale] = float_total_finish(&v->num);
    result->den[scale] = float_total_finish(&v->den);
}

int float_vif_frame_measure(const Feature *f, void *frame, const FramePair *pair, void *result,
                            Team *team)
{
    FloatVifFrame *const v = frame;
    FloatVifResult *const r = result;
    float_rows_bind(v->source[0], pair->ref->data[0], pair->ref->stride[0]);
    float_rows_bind(v->source[1], pair->dist->data[0], pair->dist->stride[0]);
    for (unsigned s = 0; s < FLOAT_VIF_SCALES; s++)
        one_scale(v, s, r);
    return 0;
}
