/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pooling: one figure for a range of scores. Start from a zeroed Pool. */
#ifndef ENGINE_POOL_H
#define ENGINE_POOL_H

#include "libvmaf/libvmaf.h"

typedef struct Pool {
    unsigned count;
    double min, max, sum;
    double inverse_sum; /* of 1 / (score + 1) */
} Pool;

void pool_add(Pool *pool, double score); /* in index order: sums are rounded */

/* -EINVAL when nothing was added or the method is none. */
int pool_result(const Pool *pool, enum VmafPoolingMethod method, double *score);

#endif
