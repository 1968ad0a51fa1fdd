/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED's statistics: the covariance of a plane's blocks, then the entropies of the blocks, which
 * give the score. */
#include "feature/speed/speed.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

/* ---- covariance ----
 *
 * By definition an entry is a sum over all windows, in raster order, of the product of two
 * positions in the window less their means, and there are 325 different entries. But two pairs of
 * positions with the same distance sum the same products, except at the border, and there are only
 * 41 distances. So the sums are made once for each distance, corrected for the border, and the
 * means are subtracted afterwards. That rounds differently than the definition. A bound on the
 * errors of both ways tells whether the difference could be visible in single precision; such
 * entries, one in some thousands, are computed by the definition. */

enum { MARGIN = SPEED_EDGE - 1 };

struct SpeedCovariance {
    const SpeedSetup *setup;
    size_t pitch;
    /* The part of the plane that has blocks. Each row has MARGIN zeros before it, and more behind
     * it. */
    double *wide;
};

/* Sums over a window for each column of a block at which it can begin, by lag. */
typedef double WindowSums[SPEED_EDGE][SPEED_LAG_ROW];

static unsigned windows_x(const SpeedSetup *setup)
{
    return SPEED_EDGE * setup->blocks_x - MARGIN;
}

static unsigned windows_y(const SpeedSetup *setup)
{
    return SPEED_EDGE * setup->blocks_y - MARGIN;
}

int speed_covariance_create(SpeedCovariance **out, const SpeedSetup *setup)
{
    const size_t rows = (size_t)SPEED_EDGE * setup->blocks_y;
    *out = NULL;
    SpeedCovariance *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->setup = setup;
    s->pitch = MARGIN + (size_t)SPEED_EDGE * setup->blocks_x + SPEED_LAG_ROW;
    s->wide = mem_array(rows * s->pitch, sizeof(*s->wide));
    if (!s->wide) {
        speed_covariance_destroy(s);
        return -ENOMEM;
    }
    memset(s->wide, 0, rows * s->pitch * sizeof(*s->wide));
    *out = s;
    return 0;
}

void speed_covariance_destroy(SpeedCovariance *s)
{
    if (!s)
        return;
    mem_free(s->wide);
    mem_free(s);
}

/* The means of a row of block positions: five sums, each in raster order. */
static void row_means(const SpeedSetup *setup, const float *from, float mean[SPEED_EDGE])
{
    const unsigned w = windows_x(setup), h = windows_y(setup);
    float sum[SPEED_EDGE] = { 0 };
    for (unsigned y = 0; y < h; y++, from += setup->small_w) {
        for (unsigned x = 0; x < w; x++) {
            for (unsigned c = 0; c < SPEED_EDGE; c++)
                sum[c] += from[x + c];
        }
    }
    for (unsigned c = 0; c < SPEED_EDGE; c++)
        mean[c] = sum[c] / (float)((size_t)w * h);
}

static void window_means(const SpeedSetup *setup, const float *plane, float mean[SPEED_BLOCK])
{
    for (unsigned r = 0; r < SPEED_EDGE; r++)
        row_means(setup, plane + (size_t)r * setup->small_w, mean + SPEED_EDGE * r);
}

/* An entry of the matrix by its definition. */
static float plain_entry(const SpeedSetup *setup, const float *plane, const float mean[SPEED_BLOCK],
                         unsigned a, unsigned b)
{
    const size_t pitch = setup->small_w;
    const unsigned w = windows_x(setup), h = windows_y(setup);
    const float *from_a = plane + a / SPEED_EDGE * pitch + a % SPEED_EDGE;
    const float *from_b = plane + b / SPEED_EDGE * pitch + b % SPEED_EDGE;
    const double mean_a = mean[a], mean_b = mean[b];
    double sum = 0.0;
    for (unsigned y = 0; y < h; y++, from_a += pitch, from_b += pitch) {
        for (unsigned x = 0; x < w; x++)
            sum += (from_a[x] - mean_a) * (from_b[x] - mean_b);
    }
    return (float)(sum / (double)((size_t)w * h));
}

/* Copies the plane into `wide`; returns the sum of its squares. */
static double widen(SpeedCovariance *s, const float *plane)
{
    const SpeedSetup *setup = s->setup;
    double squares = 0.0;
    for (unsigned y = 0; y < SPEED_EDGE * setup->blocks_y; y++) {
        const float *from = plane + (size_t)y * setup->small_w;
        double *to = s->wide + y * s->pitch + MARGIN;
        for (unsigned x = 0; x < SPEED_EDGE * setup->blocks_x; x++) {
            to[x] = from[x];
            squares += to[x] * to[x];
        }
    }
    return squares;
}

/* Sums of the products of row y with the row `down` below it, for windows that begin at each column
 * of a block. */
static void row_sums(const SpeedCovariance *s, unsigned y, unsigned down, WindowSums sums)
{
    const unsigned w = windows_x(s->setup);
    const double *a = s->wide + y * s->pitch + MARGIN, *b = a + down * s->pitch - MARGIN;
    s->setup->speed_dsp.lags(sums[0], a, b, w);
    for (unsigned c = 0; c + 1 < SPEED_EDGE; c++) {
        for (unsigned k = 0; k < SPEED_LAGS; k++)
            sums[c + 1][k] = sums[c][k] - a[c] * b[c + k] + a[c + w] * b[c + w + k];
    }
}

static void add(WindowSums to, WindowSums sums)
{
    for (unsigned c = 0; c < SPEED_EDGE; c++) {
        for (unsigned k = 0; k < SPEED_LAGS; k++)
            to[c][k] += sums[c][k];
    }
}

/* Adds up these sums over all rows of the windows that begin in row r of a block, for each r. Most
 * rows are part of all these windows. */
static void correlate(const SpeedCovariance *s, unsigned down, WindowSums total[SPEED_EDGE])
{
    const unsigned h = windows_y(s->setup), last = SPEED_EDGE - 1 - down;
    WindowSums inner = { { 0 } }, sums;
    memset(total, 0, SPEED_EDGE * sizeof(*total));
    for (unsigned y = 0; y < h + last; y++) {
        row_sums(s, y, down, sums);
        if (y >= last && y < h) {
            add(inner, sums);
            continue;
        }
        for (unsigned r = 0; r <= last; r++) {
            if (y >= r && y < r + h)
                add(total[r], sums);
        }
    }
    for (unsigned r = 0; r <= last; r++)
        add(total[r], inner);
}

/* Sums of the samples of each window. */
static void window_totals(const SpeedCovariance *s, double total[SPEED_BLOCK])
{
    const unsigned w = windows_x(s->setup), h = windows_y(s->setup);
    memset(total, 0, SPEED_BLOCK * sizeof(*total));
    for (unsigned y = 0; y < h + MARGIN; y++) {
        const double *row = s->wide + y * s->pitch + MARGIN;
        double sum = 0.0;
        for (unsigned x = 0; x < w; x++)
            sum += row[x];
        for (unsigned c = 0; c < SPEED_EDGE; c++) {
            for (unsigned r = 0; r < SPEED_EDGE; r++)
                total[SPEED_EDGE * r + c] += y >= r && y < r + h ? sum : 0.0;
            sum += row[c + w] - row[c];
        }
    }
}

/* The data that decide whether a sum is good enough for an entry. */
typedef struct Judge {
    const float *plane;
    float mean[SPEED_BLOCK];
    double total[SPEED_BLOCK];
    double slack; /* upper bound for the difference of the two sums of an entry */
} Judge;

/* A sum of n products has an error of at most n half units in the last place of the sum of their
 * magnitudes. By Cauchy's inequality no such sum exceeds the sum of all squares, except for what
 * the rounding of the means adds. The definition adds n products; here a sum takes fewer additions,
 * plus a few to subtract the means. The factor 1.25 covers errors of second order. */
static double slack_of(const SpeedSetup *setup, double squares)
{
    const double w = windows_x(setup), h = windows_y(setup);
    return 1.25 * (w * h + 3.0 * (w + h) + 100.0) * (DBL_EPSILON / 2.0) * squares;
}

static float entry(const SpeedSetup *setup, const Judge *judge, unsigned a, unsigned b, double sum)
{
    const double n = (double)windows_x(setup) * windows_y(setup);
    const double mean_a = judge->mean[a], mean_b = judge->mean[b];
    sum += n * mean_a * mean_b - mean_b * judge->total[a] - mean_a * judge->total[b];
    const float low = (float)((sum - judge->slack) / n), high = (float)((sum + judge->slack) / n);
    return low == high ? low : plain_entry(setup, judge->plane, judge->mean, a, b);
}

void speed_covariance_plainly(const SpeedSetup *setup, const float *plane, SpeedMatrix out)
{
    float mean[SPEED_BLOCK];
    window_means(setup, plane, mean);
    memset(out, 0, sizeof(SpeedMatrix));
    for (unsigned a = 0; a < SPEED_BLOCK; a++) {
        for (unsigned b = 0; b <= a; b++)
            out[a][b] = out[b][a] = plain_entry(setup, plane, mean, a, b);
    }
}

void speed_covariance(SpeedCovariance *s, const float *plane, SpeedMatrix out)
{
    const SpeedSetup *setup = s->setup;
    if (setup->blocks_x == 1 || setup->blocks_y == 1) { /* all windows touch the border */
        speed_covariance_plainly(setup, plane, out);
        return;
    }
    Judge judge = { .plane = plane, .slack = slack_of(setup, widen(s, plane)) };
    window_means(setup, plane, judge.mean);
    window_totals(s, judge.total);
    memset(out, 0, sizeof(SpeedMatrix));
    for (unsigned down = 0; down < SPEED_EDGE; down++) {
        WindowSums total[SPEED_EDGE];
        correlate(s, down, total);
        for (unsigned r = 0; r + down < SPEED_EDGE; r++) {
            for (unsigned c = 0; c < SPEED_EDGE; c++) {
                const unsigned a = SPEED_EDGE * r + c, row = SPEED_EDGE * (r + down);
                for (unsigned other = down ? 0 : c; other < SPEED_EDGE; other++) {
                    const double sum = total[r][c][other + MARGIN - c];
                    out[a][row + other] = out[row + other][a] =
                        entry(setup, &judge, row + other, a, sum);
                }
            }
        }
    }
}

/* ---- entropies ---- */

/* log2(2 pi e): twice the entropy of a Gaussian of unit variance */
static const double gauss_entropy = 0x1.06073a671183dp+2;

/* Statistics of a plane's blocks. `singular`: its covariance matrix is singular. */
typedef struct Blocks {
    bool singular;
    float *entropy, *variance;
} Blocks;

struct SpeedBlocks {
    const SpeedSetup *setup;
    SpeedCovariance *covariance;
    size_t block_pitch;
    float *samples, *solved, *work; /* blocks as columns */
    Blocks blocks[2];
};

static int allocate(SpeedBlocks *s)
{
    const SpeedSetup *setup = s->setup;
    const size_t n = (size_t)setup->blocks_x * setup->blocks_y;
    s->block_pitch = (n + 15) / 16 * 16;
    s->samples = mem_array(SPEED_BLOCK * s->block_pitch, sizeof(float));
    s->solved = mem_array(SPEED_BLOCK * s->block_pitch, sizeof(float));
    s->work = mem_array(SPEED_BLOCK * s->block_pitch, sizeof(float));
    for (unsigned i = 0; i < 2; i++) {
        s->blocks[i].entropy = mem_array(n, sizeof(float));
        s->blocks[i].variance = mem_array(n, sizeof(float));
        if (!s->blocks[i].entropy || !s->blocks[i].variance)
            return -ENOMEM;
    }
    if (!s->samples || !s->solved || !s->work)
        return -ENOMEM;
    return speed_covariance_create(&s->covariance, setup);
}

int speed_blocks_create(SpeedBlocks **out, const SpeedSetup *setup)
{
    *out = NULL;
    SpeedBlocks *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->setup = setup;
    const int err = allocate(s);
    if (err) {
        speed_blocks_destroy(s);
        return err;
    }
    *out = s;
    return 0;
}

void speed_blocks_destroy(SpeedBlocks *s)
{
    if (!s)
        return;
    speed_covariance_destroy(s->covariance);
    mem_free(s->samples);
    mem_free(s->solved);
    mem_free(s->work);
    for (unsigned i = 0; i < 2; i++) {
        mem_free(s->blocks[i].entropy);
        mem_free(s->blocks[i].variance);
    }
    mem_free(s);
}

/* Copies the blocks into columns: row a holds sample a of every block. */
static void gather_blocks(SpeedBlocks *s, const float *plane)
{
    const size_t pitch = s->setup->small_w;
    const unsigned nx = s->setup->blocks_x, ny = s->setup->blocks_y;
    for (unsigned a = 0; a < SPEED_BLOCK; a++) {
        float *out = s->samples + a * s->block_pitch;
        for (unsigned by = 0; by < ny; by++) {
            const float *row = plane + (SPEED_EDGE * by + a / SPEED_EDGE) * pitch;
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

static void block_statistics(const SpeedBlocks *s, const float eigenvalues[SPEED_BLOCK],
                             Blocks *blocks)
{
    const size_t n = (size_t)s->setup->blocks_x * s->setup->blocks_y;
    for (size_t i = 0; i < n; i++) {
        float variance = 0.0f, entropy = 0.0f;
        for (unsigned a = 0; a < SPEED_BLOCK; a++) {
            const size_t at = a * s->block_pitch + i;
            variance += s->solved[at] * s->samples[at] / (float)SPEED_BLOCK;
        }
        for (unsigned a = 0; a < SPEED_BLOCK; a++) {
            const float value = eigenvalues[a] < 0.0f ? 0.0f : eigenvalues[a];
            const float spread = value * variance + s->setup->sigma;
            entropy = (float)(entropy + (log2(spread) + gauss_entropy));
        }
        blocks->variance[i] = variance;
        blocks->entropy[i] = entropy;
    }
}

static void analyse(SpeedBlocks *s, const float *plane, Blocks *blocks)
{
    SpeedMatrix c;
    float eigenvalues[SPEED_BLOCK];
    speed_covariance(s->covariance, plane, c);
    gather_blocks(s, plane);
    if (!speed_eigenvalues(c, eigenvalues))
        log_warning("%s: the eigenvalue iteration did not converge", s->setup->feature);
    const size_t n = (size_t)s->setup->blocks_x * s->setup->blocks_y;
    blocks->singular =
        any_tiny(eigenvalues) || !speed_solve(c, s->samples, s->solved, s->work, s->block_pitch, n);
    if (blocks->singular)
        memset(s->solved, 0, SPEED_BLOCK * s->block_pitch * sizeof(float));
    block_statistics(s, eigenvalues, blocks);
}

/* The weights of the entropies of a block, for the reference and the distorted plane; r and d are
 * its variances. */
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

SpeedScore speed_blocks_score(SpeedBlocks *s, const float *ref, const float *dist)
{
    const SpeedSetup *setup = s->setup;
    const Blocks *r = &s->blocks[0], *d = &s->blocks[1];
    analyse(s, ref, &s->blocks[0]);
    analyse(s, dist, &s->blocks[1]);
    if (r->singular != d->singular)
        return (SpeedScore){ 0.0f, true };
    const size_t n = (size_t)setup->blocks_x * setup->blocks_y;
    float total = 0.0f;
    for (size_t i = 0; i < n; i++) {
        if (r->entropy[i] < setup->entropy_floor && d->entropy[i] < setup->entropy_floor)
            continue;
        double ref_weight, dist_weight;
        weights(setup->weight_mode, r->variance[i], d->variance[i], &ref_weight, &dist_weight);
        const float a = (float)(r->entropy[i] * log2(ref_weight));
        const float b = (float)(d->entropy[i] * log2(dist_weight));
        total += fabsf(a - b);
    }
    return (SpeedScore){ total / (float)n, r->singular };
}
