/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Resizes planes of floats, row by row. A Resampler holds the positions and weights of each axis,
 * which are computed once; it does not change after that, so several threads may use it. */
#ifndef FEATURE_COMMON_RESAMPLE_H
#define FEATURE_COMMON_RESAMPLE_H

#include "gpu/feature_gpu.h"

enum ResampleMethod {
    RESAMPLE_NEAREST,
    RESAMPLE_BILINEAR,
    RESAMPLE_BICUBIC,
    RESAMPLE_LANCZOS4,
};

enum { RESAMPLE_MAX_TAPS = 9 };

/* Returns the method of that name, as options spell it, or -EINVAL. */
int resample_method(const char *name);

typedef struct Resampler Resampler;

int resampler_create(Resampler **out, enum ResampleMethod method, unsigned src_w, unsigned src_h,
                     unsigned dst_w, unsigned dst_h);
void resampler_destroy(Resampler *rs);

enum ResampleMethod resampler_method(const Resampler *rs);
unsigned resampler_width(const Resampler *rs);
unsigned resampler_height(const Resampler *rs);

/* Lists the source rows that output row `y` needs, top to bottom (a row may occur twice), and
 * returns how many there are: at most RESAMPLE_MAX_TAPS. They all lie within that many neighbouring
 * rows. */
unsigned resampler_rows(const Resampler *rs, unsigned y, unsigned *rows);

/* The source positions of a column or a row of the output, and their weights. Bilinear has two
 * positions, and only the weight of the second one; nearest has no weight. */
typedef struct ResampleTaps {
    unsigned count;
    unsigned at[RESAMPLE_MAX_TAPS];
    float weight[RESAMPLE_MAX_TAPS];
} ResampleTaps;

void resampler_column_taps(const Resampler *rs, unsigned x, ResampleTaps *out);
void resampler_row_taps(const Resampler *rs, unsigned y, ResampleTaps *out);

/* Computes output row `y` from the source rows that resampler_rows() lists. */
void resampler_row(const Resampler *rs, float *out, unsigned y, const float *const *rows);

/* ---- on a GPU ---- */

/* Parameters and the table for kernels that include resample_device.h. */
typedef struct ResampleGpu {
    GpuBuf positions;
    uint32_t taps, way;
} ResampleGpu;

/* Makes them for a resampler; NULL means that the plane keeps its size. */
int resample_plan(GpuPlan *plan, const Resampler *resampler, ResampleGpu *out);

#endif
