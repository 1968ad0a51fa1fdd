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

/* To be called in the order of the frames: sums are rounded, so the order shows. */
void pool_add(Pool *pool, double score);

/* -EINVAL when nothing was added or there is no such method. */
int pool_result(const Pool *pool, enum VmafPoolingMethod method, double *score);

#endif
