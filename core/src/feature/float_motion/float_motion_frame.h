/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The step from one picture to the next: blur both, take the mean absolute difference. */
#ifndef FEATURE_FLOAT_MOTION_FRAME_H
#define FEATURE_FLOAT_MOTION_FRAME_H

#include <stdbool.h>

#include "engine/feature.h"
#include "feature/common/float_filter.h"

typedef struct FloatMotionSetup {
    FrameShape shape;
    unsigned planes;         /* 1: luma; 3: chroma too */
    bool half_size;          /* add the measure of half-size planes */
    const FloatFilter *blur; /* one tap: none */
    FloatDsp dsp;
} FloatMotionSetup;

/* Working memory of one measure. `setup` must outlive it. */
typedef struct FloatMotionFrame FloatMotionFrame;
int float_motion_frame_create(FloatMotionFrame **out, const FloatMotionSetup *setup);
void float_motion_frame_destroy(FloatMotionFrame *m);

double float_motion_frame_measure(FloatMotionFrame *m, const VmafPicture *before,
                                  const VmafPicture *now);

#endif
