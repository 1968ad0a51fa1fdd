/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Resizing planes on a GPU: what kernels with resample_device.h want to know. */
#ifndef FEATURE_COMMON_RESAMPLE_GPU_H
#define FEATURE_COMMON_RESAMPLE_GPU_H

#include "feature/common/resample.h"
#include "gpu/feature_gpu.h"

typedef struct ResampleGpu {
    GpuBuf positions;
    uint32_t taps, way;
} ResampleGpu;

/* NULL: the plane stays as it is. */
int resample_plan(GpuPlan *plan, const Resampler *resampler, ResampleGpu *out);

#endif
