/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Resizes float planes, row by row. Positions and weights are tabulated once for each axis. */
#ifndef FEATURE_COMMON_RESAMPLE_H
#define FEATURE_COMMON_RESAMPLE_H

enum ResampleMethod {
    RESAMPLE_NEAREST,
    RESAMPLE_BILINEAR,
    RESAMPLE_BICUBIC,
    RESAMPLE_LANCZOS4,
};

enum { RESAMPLE_MAX_TAPS = 9 };

/* A method's name, as options spell it; -EINVAL when there is no such method. */
int resample_method(const char *name);

typedef struct Resampler Resampler;

int resampler_create(Resampler **out, enum ResampleMethod method, unsigned src_w, unsigned src_h,
                     unsigned dst_w, unsigned dst_h);
void resampler_destroy(Resampler *rs);

enum ResampleMethod resampler_method(const Resampler *rs);
unsigned resampler_width(const Resampler *rs);
unsigned resampler_height(const Resampler *rs);

/* Source rows that output row `y` needs, top to bottom (a row may come up twice): fills `rows` and
 * returns their number, RESAMPLE_MAX_TAPS at most. They lie within as many neighbouring rows. */
unsigned resampler_rows(const Resampler *rs, unsigned y, unsigned *rows);

/* What a column or a row of the output is made of: positions in the source, and their weights. Bilinear has
 * two positions, and the weight of the second one alone; nearest has no weight. */
typedef struct ResampleTaps {
    unsigned count;
    unsigned at[RESAMPLE_MAX_TAPS];
    float weight[RESAMPLE_MAX_TAPS];
} ResampleTaps;

void resampler_column_taps(const Resampler *rs, unsigned x, ResampleTaps *out);
void resampler_row_taps(const Resampler *rs, unsigned y, ResampleTaps *out);

/* Output row `y` from those source rows. */
void resampler_row(const Resampler *rs, float *out, unsigned y, const float *const *rows);

#endif
