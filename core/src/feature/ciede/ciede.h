/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What ciede's CPU and GPU code share. */
#ifndef FEATURE_CIEDE_H
#define FEATURE_CIEDE_H

#include <stddef.h>

typedef struct CiedeResult {
    double sum; /* of single-precision differences, in raster order */
} CiedeResult;

struct CiedeRow;
struct Feature;
/* Of n pixels, as the feature measures them. */
void ciede_differences(const struct Feature *f, float *out, const struct CiedeRow *ref,
                       const struct CiedeRow *dist, size_t n);

/* ---- ciede_gpu.c ---- */

extern const struct FeatureGpu ciede_gpu;

void ciede_fill_curves(float *table); /* CIEDE_CURVE_FLOATS of them, for the kernels */

#endif
