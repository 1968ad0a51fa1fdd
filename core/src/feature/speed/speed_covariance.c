/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* By definition an entry is a sum over all windows, in raster order, of the product of two places less their means, and
 * there are 325 of them. But two places that lie alike to each other sum the same products, up to the border: there are 41
 * ways to lie. So those sums are made, borders are put right, means are taken off afterwards. That rounds in other places
 * than the definition; a bound on both errors tells where this could show in single precision, and such entries, one in
 * some thousands, are made by definition. */
#include "feature/speed/speed_covariance.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { MARGIN = SPEED_EDGE - 1 };

struct SpeedCovariance {
    const SpeedSetup *setup;
    size_t pitch;
    double *
        wide; /* the plane, as far as there are blocks, with MARGIN zeros before and more behind each row */
};

/* Sums over a window for each of its first columns in a block, by lag. */
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

/* Means of a row of places: five chains of additions, in raster order. */
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

/* An entry by its definition. */
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

/* The plane in double; returns the sum of its squares. */
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

/* Sums of products of row y and the one `down` below it: the windows that begin in each column. */
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

/* The windows that begin in row r, for each r, with the row `down` below. Most rows are in all of them. */
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

/* What entries are decided by. */
typedef struct Judge {
    const float *plane;
    float mean[SPEED_BLOCK];
    double total[SPEED_BLOCK];
    double slack; /* how far two sums of an entry may lie apart */
} Judge;

/* A sum of n products is off by n half units, of which each is at most that of the sum of their sizes; and by Cauchy no
 * such sum exceeds that of all squares, but for what the means' own rounding adds. By definition there are n products;
 * here fewer additions lead to a sum, and few more take the means off. A quarter more covers what is of second order. */
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
    if (setup->blocks_x == 1 || setup->blocks_y == 1) { /* nothing but border */
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
