/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "output/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/pool.h"

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two scores nearest to the rank, on a straight line. */
static double percentile(const double *sorted, size_t count, unsigned percent)
{
    const double rank = (double)percent * (double)(count - 1) / 100.0;
    const size_t below = (size_t)rank;
    const double part = rank - (double)below, low = sorted[below];
    const double high = sorted[part > 0.0 ? below + 1 : below];
    return low == high ? low : low + (high - low) * part; /* infinite scores: no 0 times infinity */
}

static double deviation(const double *scores, size_t count, double mean)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (scores[i] - mean) * (scores[i] - mean);
    return sqrt(sum / (double)count);
}

int statistics_take(const double *scores, size_t count, VmafStatistics *out)
{
    double *const sorted = mem_array(count, sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    Pool pool = { 0 };
    bool numbers = true;
    for (size_t i = 0; i < count; i++) {
        pool_add(&pool, scores[i]);
        numbers = numbers && !isnan(scores[i]);
    }
    pool_result(&pool, VMAF_POOL_METHOD_MIN, &out->min);
    pool_result(&pool, VMAF_POOL_METHOD_MAX, &out->max);
    pool_result(&pool, VMAF_POOL_METHOD_MEAN, &out->mean);
    pool_result(&pool, VMAF_POOL_METHOD_HARMONIC_MEAN, &out->harmonic_mean);
    out->stddev = deviation(scores, count, out->mean);
    memcpy(sorted, scores, count * sizeof(*sorted));
    if (numbers) /* there is no order among others */
        qsort(sorted, count, sizeof(*sorted), compare);
    for (unsigned i = 0; i <= 100; i++)
        out->percentile[i] = numbers ? percentile(sorted, count, i) : (double)NAN;
    mem_free(sorted);
    return 0;
}
