/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sums of planes on a GPU, in the order of FloatTotal (float_rows.h): the device sums each row from
 * left to right, the host adds the rows from the top down. */
#ifndef FEATURE_FLOAT_SUMS_GPU_H
#define FEATURE_FLOAT_SUMS_GPU_H

#include "gpu/feature_gpu.h"

/* Planes of floats, one after the other, rows without gaps: the terms to be summed. */
typedef struct FloatTerms {
    GpuBuf planes;
    uint32_t w, h, count;
} FloatTerms;

FloatTerms float_terms(GpuPlan *plan, unsigned w, unsigned h, unsigned count);

/* Size in bytes of the sums of the rows of all planes. */
size_t float_sums_size(unsigned h, unsigned count);

/* Adds the pass that sums rows. Its sums begin at float `first_sum` of the result. While a row is
 * summed, no partial sum may change its sign at magnitudes below 2^-63. */
void float_sums_plan(GpuPlan *plan, const FloatTerms *terms, GpuBuf result, unsigned first_sum);

/* The sum of one plane, from the sums of its h rows. */
float float_sums_total(const float *rows, unsigned h);

#endif
