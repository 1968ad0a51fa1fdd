/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Totals of planes on a GPU, in the order that FloatTotal (float_rows.h) has: the device adds each row from
 * left to right, the host the rows from the top down. */
#ifndef FEATURE_FLOAT_SUMS_GPU_H
#define FEATURE_FLOAT_SUMS_GPU_H

#include "gpu/feature_gpu.h"

/* Planes of floats, one after the other, rows without gaps. */
typedef struct FloatTerms {
    GpuBuf planes;
    uint32_t w, h, count;
} FloatTerms;

FloatTerms float_terms(GpuPlan *plan, unsigned w, unsigned h, unsigned count);

/* Bytes of the result for the rows of all planes. */
size_t float_sums_size(unsigned h, unsigned count);

/* Adds the pass; its sums begin at float `first_sum` of the result. No sum may change its sign on its way
 * through numbers below 2^-63. */
void float_sums_plan(GpuPlan *plan, const FloatTerms *terms, GpuBuf result, unsigned first_sum);

/* The sum of one plane out of the sums of its h rows. */
float float_sums_total(const float *rows, unsigned h);

#endif
