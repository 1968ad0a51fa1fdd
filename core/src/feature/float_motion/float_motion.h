/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The step from one picture to the next: blur both, take the mean absolute difference. */
#ifndef FEATURE_FLOAT_MOTION_H
#define FEATURE_FLOAT_MOTION_H

#include <stdbool.h>

#include "engine/feature.h"
#include "feature/common/float_filter.h"

typedef struct FloatMotionPlan {
    FrameShape shape;
    unsigned planes;         /* 1: luma; 3: chroma too */
    bool half_size;          /* add the measure of half-size planes */
    const FloatFilter *blur; /* one tap: none */
    FloatDsp dsp;
} FloatMotionPlan;

/* Working memory of one measure. `plan` must outlive it. */
typedef struct FloatMotion FloatMotion;
int float_motion_create(FloatMotion **out, const FloatMotionPlan *plan);
void float_motion_destroy(FloatMotion *m);

double float_motion_step(FloatMotion *m, const VmafPicture *before, const VmafPicture *now);

#endif
