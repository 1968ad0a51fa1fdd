/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CIEDE2000 differences of pixels. */
#ifndef FEATURE_CIEDE_DSP_H
#define FEATURE_CIEDE_DSP_H

#include <stddef.h>
#include <stdint.h>

/* A row of pixels, chroma at the size of luma. */
typedef struct CiedeRow {
    const uint16_t *y, *cb, *cr;
} CiedeRow;

/* From samples to signals: (sample - offset) * scale. Limited range at every depth. */
typedef struct CiedeRange {
    double luma_offset, luma_scale, chroma_offset, chroma_scale;
} CiedeRange;

static inline CiedeRange ciede_range(unsigned bpc)
{
    const double k = (double)(1u << (bpc - 8));
    return (CiedeRange){ 16.0 * k, 1.0 / (219.0 * k), 128.0 * k, 1.0 / (224.0 * k) };
}

typedef struct CiedeDsp {
    /* out[i] = difference of pixels i of the two rows, i < n. */
    void (*row)(float *out, const CiedeRow *ref, const CiedeRow *dist, size_t n,
                const CiedeRange *range);
} CiedeDsp;

void ciede_dsp_init(CiedeDsp *dsp, unsigned cpu);

/* The scalar code for one pixel: what all versions must agree with. */
float ciede_pixel(const CiedeRow *ref, const CiedeRow *dist, size_t i, const CiedeRange *range);

#endif
