/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The per-pixel functions of ciede's kernels, compiled for the CPU. */
#ifndef TEST_GPU_CIEDE_PIXELS_H
#define TEST_GPU_CIEDE_PIXELS_H

#include <stdint.h>

#include "feature/ciede/ciede.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The forms of the kernels: with doubles or with pairs of floats, for devices that fuse multiply
 * and add and for those that do not. */
enum PixelForm { PIXEL_F64, PIXEL_FUSED_F64, PIXEL_FUSED, PIXEL_SPLIT, PIXEL_FORMS };

/* The colour difference of two pixels (Y, Cb, Cr). Returns whether the result is certain. */
int pixel_difference(enum PixelForm form, const CiedeRange *range, const float *curves,
                     const uint16_t ref[3], const uint16_t dist[3], float *difference);

#ifdef __cplusplus
}
#endif

#endif
