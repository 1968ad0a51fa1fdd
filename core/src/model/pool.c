/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* From the scores of frames to one figure. */
#include <errno.h>
#include <stdint.h>

#include "engine/pool.h"
#include "model/model.h"

/* Walks the indices of low..high that subsampling keeps; wider than the indices, so that it can
 * step past the last. */
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
    Pool pool = { 0 };
    for (uint64_t i = first_kept(low, step); i <= high; i += step) {
        double score;
        const int err = scores_get(scores, name, (unsigned)i, &score);
        if (err < 0)
            return err;
        pool_add(&pool, score);
    }
    return pool_result(&pool, method, out);
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
