#include <errno.h>

#include "engine/pool.h"

static void add(Pool *pool, double score)
{
    if (!pool->count || score < pool->min)
        pool->min = score;
    if (!pool->count || score > pool->max)
        pool->max = score;
    pool->sum += score;
    pool->inverse_sum += 1.0 / (score + 1.0);
    pool->count++;
}

int pool_column(Pool *pool, const ScoreColumn *column, unsigned low, unsigned high,
                unsigned subsample)
{
    *pool = (Pool){ 0 };
    const size_t step = subsample > 1 ? subsample : 1;
    for (size_t i = (low + step - 1) / step * step; i <= high; i += step) {
        if (i >= column->capacity || !column->written[i])
            return -EINVAL;
        add(pool, column->values[i]);
    }
    return pool->count ? 0 : -EINVAL;
}

int pool_result(const Pool *pool, enum VmafPoolingMethod method, double *score)
{
    switch (method) {
    case VMAF_POOL_METHOD_MIN:
        *score = pool->min;
        return 0;
    case VMAF_POOL_METHOD_MAX:
        *score = pool->max;
        return 0;
    case VMAF_POOL_METHOD_MEAN:
        *score = pool->sum / pool->count;
        return 0;
    case VMAF_POOL_METHOD_HARMONIC_MEAN:
        *score = pool->count / pool->inverse_sum - 1.0;
        return 0;
    default:
        return -EINVAL;
    }
}
