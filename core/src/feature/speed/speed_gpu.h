/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED on the GPU: what chroma and temporal share. */
#ifndef FEATURE_SPEED_GPU_H
#define FEATURE_SPEED_GPU_H

#include "feature/speed/speed_frame.h"
#include "gpu/feature_gpu.h"

/* A plane of samples, or with is_change what leads from `from` to `minus`; without it `minus` is not looked at. */
typedef struct SpeedGpuInput {
    GpuBuf from, minus;
    unsigned stride; /* of both */
    bool is_change;
} SpeedGpuInput;

/* Plans `count` planes: of the reference and of the distorted picture, by turns. */
int speed_gpu_plan(GpuPlan *plan, SpeedSetup *setup, const SpeedGpuInput *inputs, unsigned count);
/* The score of the pair of planes of that number. */
SpeedScore speed_gpu_score(const SpeedSetup *setup, const void *readback, unsigned pair);

bool speed_score_same(const SpeedScore *a, const SpeedScore *b);

#endif
