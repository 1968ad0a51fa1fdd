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

/* Both pictures: planes of samples, or of floats, at one size or at several, each half of the one before. */
typedef struct SsimImage {
    GpuBuf picture[2];
    uint32_t w, h, stride; /* of the first scale; others have no gaps between rows */
    float step;            /* from one sample value to the next */
    bool is_f32;
    unsigned scales;
} SsimImage;

/* Of a side; the odd sample counts. */
static inline unsigned ssim_gpu_halved(unsigned side)
{
    return (side + 1) / 2;
}

SsimImage ssim_gpu_luma(const Feature *f, GpuPlan *plan);
/* Images of floats, to be filled by passes: a scale lies behind the one before. */
SsimImage ssim_gpu_float_image(GpuPlan *plan, unsigned w, unsigned h, unsigned scales);

/* Rows of window positions that a group takes in an image of so many scales, the first w x h, all at least as large as the
 * window. */
unsigned ssim_gpu_rows(unsigned w, unsigned h, unsigned scales);
/* Bytes of the result for a scale of w x h. */
size_t ssim_gpu_sums_size(unsigned w, unsigned h, unsigned rows);
/* Adds the pass over an image; the sums of its scales begin at byte `offset` of the result. `parts`: bits of
 * SSIM_LCS and so on that will be used. */
void ssim_gpu_plan_window(const Feature *f, GpuPlan *plan, const SsimImage *image, unsigned parts,
                          GpuBuf result, size_t offset);

/* Adds up what the pass left of a scale. -EAGAIN: the order of the CPU's additions may show in one of the sums
 * that are `used`. */
int ssim_gpu_collect(const void *sums, unsigned w, unsigned h, unsigned rows, unsigned used,
                     SsimSums *out);

/* Whether two sums over a scale are as equal as this promises, where they are used. */
bool ssim_gpu_same(const SsimSums *a, const SsimSums *b, unsigned w, unsigned h, unsigned used);

#endif
