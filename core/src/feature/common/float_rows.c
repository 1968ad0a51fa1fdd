/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/float_rows.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "base/mem.h"
#include "feature/common/plane.h"

/* ---- FloatRows */

/* Rows y, y + slots, … share a slot, so any `slots` neighbouring rows are there together. */
typedef struct Ring {
    unsigned slots;
    size_t pitch;
    float *data;
    int64_t *held; /* row in each slot, -1 for none */
} Ring;

typedef struct Samples {
    const uint8_t *data;
    ptrdiff_t stride;
} Samples;

struct FloatRows {
    FloatRowsParams p;
    float scale;
    Samples from, minus;
    Ring plain, resampled;
    float *line; /* the row to subtract */
};

int float_rows_check_depth(const char *feature, unsigned bpc)
{
    if (bpc == 8 || bpc == 10 || bpc == 12 || bpc == 16)
        return 0;
    log_error("%s: %u-bit pictures are not supported: use 8, 10, 12 or 16 bits", feature, bpc);
    return -EINVAL;
}

/* The pitch in samples for rows of w. A pitch of whole pages would put a column of rows into one
 * set of the cache. */
static size_t padded(unsigned w)
{
    const size_t step = MEM_ALIGN / sizeof(float), page = 4096 / sizeof(float);
    const size_t pitch = (w + step - 1) / step * step;
    return pitch % page ? pitch : pitch + step;
}

static int ring_init(Ring *ring, unsigned slots, unsigned w)
{
    ring->slots = slots;
    ring->pitch = padded(w);
    ring->data = mem_aligned_alloc(slots * ring->pitch * sizeof(float));
    ring->held = mem_array(slots, sizeof(*ring->held));
    return ring->data && ring->held ? 0 : -ENOMEM;
}

static void ring_clear(Ring *ring)
{
    for (unsigned i = 0; i < ring->slots; i++)
        ring->held[i] = -1;
}

static void ring_free(Ring *ring)
{
    mem_aligned_free(ring->data);
    mem_free(ring->held);
}

/* The slot of row `y`. *fresh says that the caller must fill it. */
static float *ring_slot(Ring *ring, unsigned y, int *fresh)
{
    const unsigned slot = y % ring->slots;
    *fresh = ring->held[slot] != (int64_t)y;
    ring->held[slot] = y;
    return ring->data + slot * ring->pitch;
}

int float_rows_create(FloatRows **out, const FloatRowsParams *params)
{
    assert(params->w > 0 && params->h > 0 && params->window > 0);
    *out = NULL;
    FloatRows *rows = mem_zalloc(sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    rows->p = *params;
    rows->scale = ldexpf(1.0f, 8 - (int)params->bpc);
    const unsigned window = params->resampler ? RESAMPLE_MAX_TAPS : params->window;
    int err = ring_init(&rows->plain, window, params->w);
    if (!err && params->resampler)
        err = ring_init(&rows->resampled, params->window, resampler_width(params->resampler));
    rows->line = mem_aligned_alloc(padded(params->w) * sizeof(float));
    if (err || !rows->line) {
        float_rows_destroy(rows);
        return -ENOMEM;
    }
    *out = rows;
    return 0;
}

void float_rows_destroy(FloatRows *rows)
{
    if (!rows)
        return;
    ring_free(&rows->plain);
    ring_free(&rows->resampled);
    mem_aligned_free(rows->line);
    mem_free(rows);
}

void float_rows_bind(FloatRows *rows, const void *samples, ptrdiff_t stride)
{
    float_rows_bind_difference(rows, samples, stride, NULL, 0);
}

void float_rows_bind_difference(FloatRows *rows, const void *from, ptrdiff_t from_stride,
                                const void *minus, ptrdiff_t minus_stride)
{
    rows->from = (Samples){ from, from_stride };
    rows->minus = (Samples){ minus, minus_stride };
    ring_clear(&rows->plain);
    if (rows->p.resampler)
        ring_clear(&rows->resampled);
}

static const float *plain_row(FloatRows *rows, unsigned y)
{
    assert(rows->from.data && y < rows->p.h);
    const FloatDsp *dsp = rows->p.dsp;
    int fresh;
    float *row = ring_slot(&rows->plain, y, &fresh);
    if (!fresh)
        return row;
    dsp->load(row, rows->from.data + y * rows->from.stride, rows->p.w, rows->scale, rows->p.offset);
    if (rows->minus.data) {
        dsp->load(rows->line, rows->minus.data + y * rows->minus.stride, rows->p.w, rows->scale,
                  rows->p.offset);
        dsp->subtract(row, row, rows->line, rows->p.w);
    }
    return row;
}

const float *float_rows_get(FloatRows *rows, unsigned y)
{
    if (!rows->p.resampler)
        return plain_row(rows, y);
    assert(y < resampler_height(rows->p.resampler));
    int fresh;
    float *row = ring_slot(&rows->resampled, y, &fresh);
    if (!fresh)
        return row;
    unsigned at[RESAMPLE_MAX_TAPS];
    const float *source[RESAMPLE_MAX_TAPS];
    const unsigned count = resampler_rows(rows->p.resampler, y, at);
    for (unsigned k = 0; k < count; k++)
        source[k] = plain_row(rows, at[k]);
    resampler_row(rows->p.resampler, row, y, source);
    return row;
}

/* ---- FloatFilter */

/* Room on each side of a line: the longest reach, rounded up to the alignment. */
enum { LINE_MARGIN = 48 };

float *float_line_alloc(unsigned n)
{
    float *block = mem_aligned_alloc(((size_t)n + 2 * LINE_MARGIN) * sizeof(float));
    return block ? block + LINE_MARGIN : NULL;
}

void float_line_free(float *line)
{
    if (line)
        mem_aligned_free(line - LINE_MARGIN);
}

void float_line_reflect(float *line, unsigned n, unsigned reach)
{
    assert(reach < n && reach <= LINE_MARGIN);
    for (unsigned i = 1; i <= reach; i++) {
        line[-(ptrdiff_t)i] = line[i];
        line[n - 1 + i] = line[n - 1 - i];
    }
}

void float_filter_across(const FloatDsp *dsp, const FloatFilter *filter, float *out, float *line,
                         unsigned n)
{
    assert(filter->count % 2 == 1 && filter->count <= FILTER_MAX_TAPS);
    const unsigned reach = filter_reach(filter);
    const float *shifted[FILTER_MAX_TAPS];
    float_line_reflect(line, n, reach);
    for (unsigned k = 0; k < filter->count; k++)
        shifted[k] = line - reach + k;
    dsp->weigh(out, shifted, filter->taps, filter->count, n);
}

void float_filter_row(const FloatDsp *dsp, const FloatFilter *filter, float *out, float *line,
                      FloatRows *rows, unsigned y, unsigned w, unsigned h)
{
    const int reach = (int)filter_reach(filter);
    const float *window[FILTER_MAX_TAPS];
    for (unsigned k = 0; k < filter->count; k++)
        window[k] = float_rows_get(rows, (unsigned)mirror_index((int)(y + k) - reach, (int)h));
    dsp->weigh(line, window, filter->taps, filter->count, w);
    float_filter_across(dsp, filter, out, line, w);
}

/* ---- Gaussian taps */

static const double pi = 3.14159265358979323846;

/* Ratios of display to encoding height that the metrics' authors trained for. */
static const float factors[][2] = {
    { 1.0f, 1.0f },      { 1.0f, 2.0f },     { 3.0f, 2.0f },      { 2.0f, 1.0f },
    { 2.0f, 3.0f },      { 24.0f, 10.0f },   { 360.0f, 97.0f },   { 4.0f, 3.0f },
    { 3.5f, 3.0f },      { 3.75f, 3.0f },    { 4.25f, 3.0f },     { 5.0f, 3.0f },
    { 3.0f, 1.0f },      { 1.0f, 2.25f },    { 1.4746f, 1.0f },   { 1.54f, 1.0f },
    { 1.6f, 1.0f },      { 1.06667f, 1.0f }, { 0.711111f, 1.0f }, { 0.740740f, 1.0f },
    { 1.111111f, 1.0f },
};

bool gauss_factor_allowed(double factor)
{
    for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
        const float difference = (float)factor - factors[i][0] / factors[i][1];
        if (fabsf(difference) < 1e-3)
            return true;
    }
    return false;
}

unsigned gauss_length(unsigned scale, double factor)
{
    assert(scale <= 4);
    const float stretched = (float)((1u << (4 - scale)) + 1) * (float)factor;
    const unsigned length = (unsigned)ceilf(stretched) | 1;
    return length < 3 ? 3 : length;
}

void gauss_fill(float *taps, unsigned count, float deviation)
{
    assert(count % 2 == 1 && count <= FILTER_MAX_TAPS);
    const double s = deviation;
    const float height = (float)(1.0 / (s * sqrt(2.0 * pi)));
    float total = 0.0f;
    for (unsigned i = 0; i < count; i++) {
        const double x = (int)i - (int)(count / 2);
        const float bell = (float)exp(-0.5 * x / s * x / s);
        taps[i] = bell / height;
        total += taps[i];
    }
    for (unsigned i = 0; i < count; i++)
        taps[i] /= total;
}

/* ---- FloatTotal */

int float_total_init(FloatTotal *total, const FloatDsp *dsp, unsigned width)
{
    const size_t step = MEM_ALIGN / sizeof(float);
    const size_t pitch = (width + step - 1) / step * step;
    *total = (FloatTotal){ .dsp = dsp, .pitch = pitch };
    total->rows = mem_aligned_alloc(FLOAT_TOTAL_ROWS * pitch * sizeof(float));
    return total->rows ? 0 : -ENOMEM;
}

void float_total_free(FloatTotal *total)
{
    mem_aligned_free(total->rows);
}

void float_total_start(FloatTotal *total, unsigned width)
{
    assert(width <= total->pitch);
    total->width = width;
    total->waiting = 0;
    total->sum = 0.0f;
}

float *float_total_row(FloatTotal *total)
{
    assert(total->waiting < FLOAT_TOTAL_ROWS);
    return total->rows + total->waiting * total->pitch;
}

static void settle(FloatTotal *total)
{
    const float *rows[FLOAT_TOTAL_ROWS];
    float sums[FLOAT_TOTAL_ROWS];
    for (unsigned k = 0; k < total->waiting; k++)
        rows[k] = total->rows + k * total->pitch;
    total->dsp->row_sums(sums, rows, total->waiting, total->width);
    for (unsigned k = 0; k < total->waiting; k++)
        total->sum += sums[k];
    total->waiting = 0;
}

void float_total_add(FloatTotal *total)
{
    if (++total->waiting == FLOAT_TOTAL_ROWS)
        settle(total);
}

float float_total_finish(FloatTotal *total)
{
    settle(total);
    return total->sum;
}
