/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What ciede's kernels make of a pixel, on the CPU. */
#ifndef TEST_GPU_CIEDE_PIXELS_H
#define TEST_GPU_CIEDE_PIXELS_H

#include <stdint.h>

#include "feature/ciede/ciede.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In double and in pairs of floats, on devices that fuse products and sums, and on those that do not. */
enum PixelForm { PIXEL_F64, PIXEL_FUSED_F64, PIXEL_FUSED, PIXEL_SPLIT, PIXEL_FORMS };

/* The difference of two pixels, Y, Cb and Cr each; returns whether it is sure. */
int pixel_difference(enum PixelForm form, const CiedeRange *range, const float *curves,
                     const uint16_t ref[3], const uint16_t dist[3], float *difference);

#ifdef __cplusplus
}
#endif

#endif
