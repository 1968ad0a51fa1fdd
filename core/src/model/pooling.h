/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pooling: one figure for the scores of many frames. */
#ifndef MODEL_POOLING_H
#define MODEL_POOLING_H

#include "libvmaf/libvmaf.h"
#include "libvmaf/report.h"

/* The running sums of the scores added so far; starts zeroed. */
typedef struct Pooling {
    unsigned count;
    double min, max, sum;
    double inverse_sum; /* sum of 1 / (score + 1) */
} Pooling;

/* Call in the order of the frames: the sums are rounded, so the order shows in the result. */
void pooling_add(Pooling *pooling, double score);

/* -EINVAL when nothing was added or the method is unknown. */
int pooling_result(const Pooling *pooling, enum VmafPoolingMethod method, double *score);

/* Fills all fields of `out` except `size` from a list of scores. `count` must not be 0. -ENOMEM. */
int statistics_take(const double *scores, size_t count, VmafStatistics *out);

#endif
