/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif: what its parts share. A frame's measure is four integer sums per scale (VifSums), whatever
 * computed them. */
#ifndef FEATURE_VIF_VIF_H
#define FEATURE_VIF_VIF_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/feature.h"

#define VIF_SCALES 4
#define VIF_MIN_SIZE 8 /* below it a scale has no samples */

typedef struct VifOptions {
    bool debug, skip_scale0;
    double gain_limit;
} VifOptions;

/* Textured pixels add to the logarithms (units of 2^-11), flat ones to the rest. */
typedef struct VifSums {
    uint64_t num_log, den_log;
    uint64_t flat_energy, flat_count;
} VifSums;

typedef struct VifResult {
    VifSums scale[VIF_SCALES]; /* scale 0 is all zero when it is skipped */
} VifResult;

/* Variance of the visual noise, 2.0, in the units of all variances here (2^-16). */
#define VIF_NOISE (2 << 16)

/* round(2048 * log2 m) of m = 32768 + index, as the reference's single precision rounds it. */
#define VIF_LOG_ENTRIES 32768
void vif_log_table_fill(uint16_t table[VIF_LOG_ENTRIES]);

/* What the step from variances to sums needs besides them. */
typedef struct VifPixelParams {
    const uint16_t *log_table;
    double gain_limit;
} VifPixelParams;

/* Adds one pixel: variance of the reference and of the distorted picture (not negative),
 * covariance. */
void vif_add_pixel(VifSums *sums, int32_t var_ref, int32_t var_dis, int32_t cov,
                   const VifPixelParams *params);

/* The table as the kernels have it (vif_tile.h), VIF_LOG_LINES of them. */
void vif_log_lines_fill(uint32_t lines[][2], const uint16_t *table);

extern const FeatureGpu vif_gpu;

#endif
