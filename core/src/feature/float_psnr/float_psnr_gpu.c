/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_psnr on the GPU: psnr's pass over luma. Up to 12 bits a square needs no rounding. */
#include <errno.h>

#include "feature/common/psnr/float_squares.h"
#include "feature/float_psnr/float_psnr.h"
#include "feature/psnr/psnr_gpu.h"

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const char *const exact = gpu_by_depth(f, "psnr_sse_8", "psnr_sse_16");
    psnr_gpu_plan_sums(f, plan, f->shape.bpc > 12 ? "float_psnr_sse_16" : exact);
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    uint64_t sse[3];
    psnr_gpu_collect_sums(f, readback, sse);
    ((FloatPsnrResult *)result)->sse = sse[0];
    return sse[0] < FLOAT_SQUARES_EXACT ? 0 : -EAGAIN;
}

const FeatureGpu float_psnr_gpu = { .plan = plan_frame, .collect = collect };
