/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "engine/pool.h"

void pool_add(Pool *pool, double score)
{
    if (!pool->count || score < pool->min)
        pool->min = score;
    if (!pool->count || score > pool->max)
        pool->max = score;
    pool->sum += score;
    pool->inverse_sum += 1.0 / (score + 1.0);
    pool->count++;
}

int pool_result(const Pool *pool, enum VmafPoolingMethod method, double *score)
{
    if (!pool->count)
        return -EINVAL;
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
