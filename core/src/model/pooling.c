/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/pooling.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/model.h"

/* The first index from `low` on that subsampling keeps. 64 bits wide, so that a loop can step past
 * the largest index. */
static uint64_t first_kept(unsigned low, unsigned step)
{
    return ((uint64_t)low + step - 1) / step * step;
}

static bool good_method(enum VmafPoolingMethod method)
{
    return method > VMAF_POOL_METHOD_UNKNOWN && method < VMAF_POOL_METHOD_NB;
}

int score_pool(ScoreStore *scores, const char *name, enum VmafPoolingMethod method, unsigned low,
               unsigned high, unsigned subsample, double *out)
{
    if (!name || !out || !good_method(method) || low > high)
        return -EINVAL;
    const unsigned step = subsample ? subsample : 1;
    Pooling pooling = { 0 };
    for (uint64_t i = first_kept(low, step); i <= high; i += step) {
        double score;
        const int err = scores_get(scores, name, (unsigned)i, &score);
        if (err < 0)
            return err;
        pooling_add(&pooling, score);
    }
    return pooling_result(&pooling, method, out);
}

int model_pool(VmafModel *model, ScoreStore *scores, enum VmafPoolingMethod method, unsigned low,
               unsigned high, unsigned subsample, double *out)
{
    if (!good_method(method) || low > high)
        return -EINVAL;
    const unsigned step = subsample ? subsample : 1;
    for (uint64_t i = first_kept(low, step); i <= high; i += step) {
        double score;
        const int err = model_predict(model, scores, (unsigned)i, false, &score);
        if (err < 0)
            return err;
    }
    return score_pool(scores, model->name, method, low, high, subsample, out);
}

int model_collection_pool(VmafModelCollection *collection, ScoreStore *scores,
                          enum VmafPoolingMethod method, unsigned low, unsigned high,
                          unsigned subsample, VmafModelCollectionScore *out)
{
    if (!good_method(method) || low > high)
        return -EINVAL;
    const unsigned step = subsample ? subsample : 1;
    VmafModelCollectionScore pooled = { .type = VMAF_MODEL_COLLECTION_SCORE_UNKNOWN };
    for (uint64_t i = first_kept(low, step); i <= high; i += step) {
        const int err = model_collection_predict(collection, scores, (unsigned)i, &pooled);
        if (err < 0)
            return err;
    }
    double *const figures[FIGURE_COUNT] = {
        [FIGURE_BAGGING] = &pooled.bootstrap.bagging_score,
        [FIGURE_STDDEV] = &pooled.bootstrap.stddev,
        [FIGURE_LO] = &pooled.bootstrap.ci.p95.lo,
        [FIGURE_HI] = &pooled.bootstrap.ci.p95.hi,
    };
    for (unsigned i = 0; i < FIGURE_COUNT; i++) {
        const int err =
            score_pool(scores, collection->figures[i], method, low, high, subsample, figures[i]);
        if (err < 0)
            return err;
    }
    *out = pooled;
    return 0;
}

void pooling_add(Pooling *pooling, double score)
{
    if (!pooling->count || score < pooling->min)
        pooling->min = score;
    if (!pooling->count || score > pooling->max)
        pooling->max = score;
    pooling->sum += score;
    pooling->inverse_sum += 1.0 / (score + 1.0);
    pooling->count++;
}

int pooling_result(const Pooling *pooling, enum VmafPoolingMethod method, double *score)
{
    if (!pooling->count)
        return -EINVAL;
    switch (method) {
    case VMAF_POOL_METHOD_MIN:
        *score = pooling->min;
        return 0;
    case VMAF_POOL_METHOD_MAX:
        *score = pooling->max;
        return 0;
    case VMAF_POOL_METHOD_MEAN:
        *score = pooling->sum / pooling->count;
        return 0;
    case VMAF_POOL_METHOD_HARMONIC_MEAN:
        *score = pooling->count / pooling->inverse_sum - 1.0;
        return 0;
    default:
        return -EINVAL;
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Interpolates linearly between the two scores nearest to the rank. */
static double percentile(const double *sorted, size_t count, unsigned percent)
{
    const double rank = (double)percent * (double)(count - 1) / 100.0;
    const size_t below = (size_t)rank;
    const double part = rank - (double)below, low = sorted[below];
    const double high = sorted[part > 0.0 ? below + 1 : below];
    /* Equal scores may be infinite: avoids 0 times infinity. */
    return low == high ? low : low + (high - low) * part;
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
    Pooling pooling = { 0 };
    bool numbers = true;
    for (size_t i = 0; i < count; i++) {
        pooling_add(&pooling, scores[i]);
        numbers = numbers && !isnan(scores[i]);
    }
    pooling_result(&pooling, VMAF_POOL_METHOD_MIN, &out->min);
    pooling_result(&pooling, VMAF_POOL_METHOD_MAX, &out->max);
    pooling_result(&pooling, VMAF_POOL_METHOD_MEAN, &out->mean);
    pooling_result(&pooling, VMAF_POOL_METHOD_HARMONIC_MEAN, &out->harmonic_mean);
    out->stddev = deviation(scores, count, out->mean);
    memcpy(sorted, scores, count * sizeof(*sorted));
    if (numbers) /* NaNs have no order */
        qsort(sorted, count, sizeof(*sorted), compare);
    for (unsigned i = 0; i <= 100; i++)
        out->percentile[i] = numbers ? percentile(sorted, count, i) : (double)NAN;
    mem_free(sorted);
    return 0;
}
