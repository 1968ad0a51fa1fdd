/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The GPU passes that float_ssim and float_ms_ssim share: the sums of SSIM's window. */
#ifndef FEATURE_SSIM_GPU_H
#define FEATURE_SSIM_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feature/common/ssim/ssim_tile.h"
#include "feature/common/ssim/ssim_window.h"
#include "gpu/feature_gpu.h"

/* Both pictures: planes of samples, or images of floats, at one scale or at several, each half the
 * size of the one before. */
typedef struct SsimImage {
    GpuBuf picture[2];
    uint32_t w, h, stride; /* those of the first scale; the others have no gaps between rows */
    float step;            /* difference between neighbouring sample values */
    bool is_f32;
    unsigned scales;
} SsimImage;

/* Half of a side, rounded up. */
static inline unsigned ssim_gpu_halved(unsigned side)
{
    return (side + 1) / 2;
}

/* The luma planes of the frame. */
SsimImage ssim_gpu_luma(const Feature *f, GpuPlan *plan);
/* New images of floats, which passes will fill; the scales are stored one behind the other. */
SsimImage ssim_gpu_float_image(GpuPlan *plan, unsigned w, unsigned h, unsigned scales);

/* Rows of window positions per workgroup, for an image of `scales` scales. The first is w x h; all
 * must be at least as large as the window. */
unsigned ssim_gpu_rows(unsigned w, unsigned h, unsigned scales);
/* Size of the sums of one scale of w x h, in bytes. */
size_t ssim_gpu_sums_size(unsigned w, unsigned h, unsigned rows);
/* Adds the pass over an image. The sums of its scales begin at byte `offset` of the result.
 * `wanted` has bit SSIM_LCS, SSIM_L and so on set for the sums that will be used. */
void ssim_gpu_plan_window(const Feature *f, GpuPlan *plan, const SsimImage *image, unsigned wanted,
                          GpuBuf result, size_t offset);

/* Adds up the sums that the pass left for the tiles of one scale. Returns -EAGAIN if the order of
 * the CPU's additions may matter in one of the `used` sums. */
int ssim_gpu_collect(const void *sums, unsigned w, unsigned h, unsigned rows, unsigned used,
                     SsimSums *out);

/* True if the `used` sums of a scale are as equal as these passes promise. */
bool ssim_gpu_same(const SsimSums *a, const SsimSums *b, unsigned w, unsigned h, unsigned used);

#endif
