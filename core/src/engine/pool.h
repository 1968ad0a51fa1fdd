/* Pooling: one figure for a range of scores. */
#ifndef ENGINE_POOL_H
#define ENGINE_POOL_H

#include "engine/scores.h"
#include "libvmaf/libvmaf.h"

typedef struct Pool {
    unsigned count;
    double min, max, sum;
    double inverse_sum; /* of 1 / (score + 1) */
} Pool;

/* Gathers the scores of low…high inclusive, in index order; with `subsample` above 1 only those at its
 * multiples. -EINVAL when low > high, when a score is missing or when there is none to pool. */
int pool_column(Pool *pool, const ScoreColumn *column, unsigned low, unsigned high,
                unsigned subsample);

/* -EINVAL for a method that is none. */
int pool_result(const Pool *pool, enum VmafPoolingMethod method, double *score);

#endif
