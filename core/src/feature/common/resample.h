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

unsigned resampler_width(const Resampler *rs);
unsigned resampler_height(const Resampler *rs);

/* Source rows that output row `y` needs, top to bottom (a row may come up twice): fills `rows` and
 * returns their number, RESAMPLE_MAX_TAPS at most. They lie within as many neighbouring rows. */
unsigned resampler_rows(const Resampler *rs, unsigned y, unsigned *rows);

/* Output row `y` from those source rows. */
void resampler_row(const Resampler *rs, float *out, unsigned y, const float *const *rows);

#endif
