/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What ciede's CPU and GPU code share. */
#ifndef FEATURE_CIEDE_H
#define FEATURE_CIEDE_H

typedef struct CiedeResult {
    double sum; /* of single-precision differences, in raster order */
} CiedeResult;

extern const struct FeatureGpu ciede_gpu; /* ciede_gpu.c */

#endif
