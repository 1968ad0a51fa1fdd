/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "feature/common/mirror.h"
#include "feature/speed/speed.h"

enum { DECIMATION = 16 };

/* log2(2 pi e): entropy of a Gaussian of unit variance, twice */
static const double gauss_entropy = 0x1.06073a671183dp+2;

/* What is known of a plane's blocks. */
typedef struct Blocks {
    bool singular;
    float *entropy, *variance;
} Blocks;

struct Speed {
    const SpeedPlan *plan;
    FloatRows *rows;
    float *line, *smoothed;
    size_t pitch;           /* of the reduced plane */
    float *reduced, *plane; /* before and after mean removal */
    double *vectors;        /* windows' samples less their means, position by position */
    size_t block_pitch;
    float *samples, *solved, *work; /* blocks as columns */
    Blocks blocks[2];
};

static size_t window_count(const SpeedPlan *plan)
{
    const size_t edge = SPEED_EDGE;
    return (edge * plan->blocks_x - (edge - 1)) * (edge * plan->blocks_y - (edge - 1));
}

static int allocate(Speed *s)
{
    const SpeedPlan *plan = s->plan;
    const size_t n = (size_t)plan->blocks_x * plan->blocks_y;
    s->pitch = plan->small_w;
    s->block_pitch = (n + 15) / 16 * 16;
    s->line = float_line_alloc(plan->w > plan->src_w ? plan->w : plan->src_w);
    s->smoothed = float_line_alloc(plan->small_w);
    s->reduced = mem_array(s->pitch * plan->small_h, sizeof(float));
    s->plane = mem_array(s->pitch * plan->small_h, sizeof(float));
    s->vectors = mem_aligned_alloc(window_count(plan) * SPEED_ROW * sizeof(double));
    s->samples = mem_array(SPEED_BLOCK * s->block_pitch, sizeof(float));
    s->solved = mem_array(SPEED_BLOCK * s->block_pitch, sizeof(float));
    s->work = mem_array(SPEED_BLOCK * s->block_pitch, sizeof(float));
    for (unsigned i = 0; i < 2; i++) {
        s->blocks[i].entropy = mem_array(n, sizeof(float));
        s->blocks[i].variance = mem_array(n, sizeof(float));
        if (!s->blocks[i].entropy || !s->blocks[i].variance)
            return -ENOMEM;
    }
    if (!s->line || !s->smoothed || !s->reduced || !s->plane || !s->vectors || !s->samples ||
        !s->solved || !s->work)
        return -ENOMEM;
    memset(s->vectors, 0, window_count(plan) * SPEED_ROW * sizeof(double));
    const FloatRowsParams params = {
        .dsp = &plan->dsp,
        .w = plan->src_w,
        .h = plan->src_h,
        .bpc = plan->bpc,
        .offset = -128.0f,
        .window = plan->reduce.count,
        .resampler = plan->prescale,
    };
    return float_rows_create(&s->rows, &params);
}

int speed_create(Speed **out, const SpeedPlan *plan)
{
    *out = NULL;
    Speed *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->plan = plan;
    const int err = allocate(s);
    if (err) {
        speed_destroy(s);
        return err;
    }
    *out = s;
    return 0;
}

void speed_destroy(Speed *s)
{
    if (!s)
        return;
    float_rows_destroy(s->rows);
    float_line_free(s->line);
    float_line_free(s->smoothed);
    mem_free(s->reduced);
    mem_free(s->plane);
    mem_aligned_free(s->vectors);
    mem_free(s->samples);
    mem_free(s->solved);
    mem_free(s->work);
    for (unsigned i = 0; i < 2; i++) {
        mem_free(s->blocks[i].entropy);
        mem_free(s->blocks[i].variance);
    }
    mem_free(s);
}

/* One row of the reduced plane. Only what decimation keeps is filtered. */
static void reduce_row(Speed *s, unsigned y)
{
    const SpeedPlan *plan = s->plan;
    const FloatFilter *filter = &plan->reduce;
    const unsigned reach = filter_reach(filter);
    const float *window[FILTER_MAX_TAPS];
    for (unsigned k = 0; k < filter->count; k++) {
        const int at = mirror_index((int)(DECIMATION * y + k) - (int)reach, (int)plan->h);
        window[k] = float_rows_get(s->rows, (unsigned)at);
    }
    plan->dsp.weigh(s->line, window, filter->taps, filter->count, plan->w);
    float_line_reflect(s->line, plan->w, reach);
    for (unsigned x = 0; x < plan->small_w; x++) {
        const float *from = s->line + DECIMATION * x - reach;
        float sum = 0.0f;
        for (unsigned k = 0; k < filter->count; k++)
            sum += filter->taps[k] * from[k];
        s->reduced[y * s->pitch + x] = sum;
    }
}

static void remove_mean(Speed *s, unsigned y)
{
    const SpeedPlan *plan = s->plan;
    const FloatFilter *filter = &plan->local;
    const int reach = (int)filter_reach(filter);
    const float *window[FILTER_MAX_TAPS];
    for (unsigned k = 0; k < filter->count; k++)
        window[k] =
            s->reduced + (size_t)mirror_index((int)(y + k) - reach, (int)plan->small_h) * s->pitch;
    plan->dsp.weigh(s->line, window, filter->taps, filter->count, plan->small_w);
    float_filter_across(&plan->dsp, filter, s->smoothed, s->line, plan->small_w);
    plan->dsp.subtract(s->plane + y * s->pitch, s->reduced + y * s->pitch, s->smoothed,
                       plan->small_w);
}

static void reduce(Speed *s, const SpeedInput *input)
{
    float_rows_bind_difference(s->rows, input->from, input->from_stride, input->minus,
                               input->minus_stride);
    for (unsigned y = 0; y < s->plan->small_h; y++)
        reduce_row(s, y);
    for (unsigned y = 0; y < s->plan->small_h; y++)
        remove_mean(s, y);
}

/* Mean of each of the 25 shifted windows. */
static void window_means(const Speed *s, unsigned w, unsigned h, float mean[SPEED_BLOCK])
{
    memset(mean, 0, SPEED_BLOCK * sizeof(*mean));
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++) {
            const float *at = s->plane + y * s->pitch + x;
            for (unsigned r = 0; r < SPEED_EDGE; r++) {
                for (unsigned c = 0; c < SPEED_EDGE; c++)
                    mean[SPEED_EDGE * r + c] += at[r * s->pitch + c];
            }
        }
    }
    for (unsigned a = 0; a < SPEED_BLOCK; a++)
        mean[a] /= (float)((size_t)w * h);
}

static void covariance(Speed *s, SpeedMatrix out)
{
    const unsigned w = SPEED_EDGE * (s->plan->blocks_x - 1) + 1;
    const unsigned h = SPEED_EDGE * (s->plan->blocks_y - 1) + 1;
    const size_t n = (size_t)w * h;
    float mean[SPEED_BLOCK];
    window_means(s, w, h, mean);
    double *v = s->vectors;
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++, v += SPEED_ROW) {
            const float *at = s->plane + y * s->pitch + x;
            for (unsigned a = 0; a < SPEED_BLOCK; a++)
                v[a] = (double)at[a / SPEED_EDGE * s->pitch + a % SPEED_EDGE] - (double)mean[a];
        }
    }
    double sums[SPEED_BLOCK][SPEED_ROW];
    s->plan->speed_dsp.products(sums, s->vectors, n);
    memset(out, 0, sizeof(SpeedMatrix));
    for (unsigned a = 0; a < SPEED_BLOCK; a++) {
        for (unsigned b = 0; b <= a; b++)
            out[a][b] = out[b][a] = (float)(sums[a][b] / (double)n);
    }
}

/* Blocks as columns: row a holds their a-th samples. */
static void gather_blocks(Speed *s)
{
    const unsigned nx = s->plan->blocks_x, ny = s->plan->blocks_y;
    for (unsigned a = 0; a < SPEED_BLOCK; a++) {
        float *out = s->samples + a * s->block_pitch;
        for (unsigned by = 0; by < ny; by++) {
            const float *row = s->plane + (SPEED_EDGE * by + a / SPEED_EDGE) * s->pitch;
            for (unsigned bx = 0; bx < nx; bx++)
                *out++ = row[SPEED_EDGE * bx + a % SPEED_EDGE];
        }
    }
}

static bool any_tiny(const float values[SPEED_BLOCK])
{
    for (unsigned i = 0; i < SPEED_BLOCK; i++) {
        if (values[i] < SPEED_EPSILON)
            return true;
    }
    return false;
}

static void block_statistics(const Speed *s, const float eigenvalues[SPEED_BLOCK], Blocks *blocks)
{
    const size_t n = (size_t)s->plan->blocks_x * s->plan->blocks_y;
    for (size_t i = 0; i < n; i++) {
        float variance = 0.0f, entropy = 0.0f;
        for (unsigned a = 0; a < SPEED_BLOCK; a++) {
            const size_t at = a * s->block_pitch + i;
            variance += s->solved[at] * s->samples[at] / (float)SPEED_BLOCK;
        }
        for (unsigned a = 0; a < SPEED_BLOCK; a++) {
            const float value = eigenvalues[a] < 0.0f ? 0.0f : eigenvalues[a];
            const float spread = value * variance + s->plan->sigma;
            entropy = (float)(entropy + (log2(spread) + gauss_entropy));
        }
        blocks->variance[i] = variance;
        blocks->entropy[i] = entropy;
    }
}

static void analyse(Speed *s, const SpeedInput *input, Blocks *blocks)
{
    SpeedMatrix c;
    float eigenvalues[SPEED_BLOCK];
    reduce(s, input);
    covariance(s, c);
    gather_blocks(s);
    if (!speed_eigenvalues(c, eigenvalues))
        log_warning("%s: the eigenvalues did not settle", s->plan->feature);
    const size_t n = (size_t)s->plan->blocks_x * s->plan->blocks_y;
    blocks->singular =
        any_tiny(eigenvalues) || !speed_solve(c, s->samples, s->solved, s->work, s->block_pitch, n);
    if (blocks->singular)
        memset(s->solved, 0, SPEED_BLOCK * s->block_pitch * sizeof(float));
    block_statistics(s, eigenvalues, blocks);
}

/* What the entropies of a block are weighted by: of the reference, and of the distorted plane. */
static void weights(int mode, float r, float d, double *ref, double *dist)
{
    const double one_r = 1.0f + r, one_d = 1.0f + d;
    const double half = 1.0 + (r + d) / 2.0;
    *ref = one_r;
    switch (mode) {
    case 1:
        *dist = one_r;
        break;
    case 2:
        *ref = *dist = one_d;
        break;
    case 3:
        *ref = *dist = half;
        break;
    case 4:
        *dist = half;
        break;
    case 5:
        *dist = 1.0 + (0.75 * r + 0.25 * d);
        break;
    case 6:
        *dist = 1.0 + (0.25 * r + 0.75 * d);
        break;
    default:
        *dist = one_d;
    }
}

SpeedScore speed_compare(Speed *s, const SpeedInput *ref, const SpeedInput *dist)
{
    const SpeedPlan *plan = s->plan;
    const Blocks *r = &s->blocks[0], *d = &s->blocks[1];
    analyse(s, ref, &s->blocks[0]);
    analyse(s, dist, &s->blocks[1]);
    if (r->singular != d->singular)
        return (SpeedScore){ 0.0f, true };
    const size_t n = (size_t)plan->blocks_x * plan->blocks_y;
    float total = 0.0f;
    for (size_t i = 0; i < n; i++) {
        if (r->entropy[i] < plan->entropy_floor && d->entropy[i] < plan->entropy_floor)
            continue;
        double ref_weight, dist_weight;
        weights(plan->weight_mode, r->variance[i], d->variance[i], &ref_weight, &dist_weight);
        const float a = (float)(r->entropy[i] * log2(ref_weight));
        const float b = (float)(d->entropy[i] * log2(dist_weight));
        total += fabsf(a - b);
    }
    return (SpeedScore){ total / (float)n, r->singular };
}
