/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The passes that float_ssim and float_ms_ssim have in common on a GPU: the window's sums. */
#ifndef FEATURE_SSIM_GPU_H
#define FEATURE_SSIM_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feature/common/ssim/ssim_tile.h"
#include "feature/common/ssim/ssim_window.h"
#include "gpu/feature_gpu.h"

/* Both pictures at one size: planes of samples, or of floats. */
typedef struct SsimImage {
    GpuBuf picture[2];
    uint32_t w, h, stride;
    float step; /* from one sample value to the next */
    bool is_f32;
} SsimImage;

SsimImage ssim_gpu_luma(const Feature *f, GpuPlan *plan);
/* An image of floats, to be filled by a pass. */
SsimImage ssim_gpu_float_image(GpuPlan *plan, unsigned w, unsigned h);

/* Bytes of the result for an image of w x h, at least as large as the window. */
size_t ssim_gpu_sums_size(unsigned w, unsigned h);
/* Adds the pass over an image; its sums begin at byte `offset` of the result. */
void ssim_gpu_plan_window(const Feature *f, GpuPlan *plan, const SsimImage *image, GpuBuf result,
                          size_t offset);

/* Adds up what the pass left. -EAGAIN: the order of the CPU's additions may show in one of the sums that
 * are `used` (bits of SSIM_LCS and so on). */
int ssim_gpu_collect(const void *sums, unsigned w, unsigned h, unsigned used, SsimSums *out);

/* Whether two sums over an image are as equal as this promises. */
bool ssim_gpu_same(const SsimSums *a, const SsimSums *b, unsigned w, unsigned h);

#endif
