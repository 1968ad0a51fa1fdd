/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sum of one pair of planes. */
#ifndef FEATURE_MOTION_MOTION_FRAME_H
#define FEATURE_MOTION_MOTION_FRAME_H

#include <stddef.h>

#include "engine/team.h"
#include "feature/common/strips.h"
#include "feature/motion/motion_dsp.h"

/* Of a frame; a smaller one is not worth waking other threads for. */
#define MOTION_SHARED_PIXELS (500 * 1000)

/* The same for all frames of a clip. */
typedef struct MotionSetup {
    unsigned w, h, bpc; /* at least 3x3 */
    MotionDsp dsp;
} MotionSetup;

/* Working memory of one pair at a time. */
typedef struct MotionFrame MotionFrame;
int motion_frame_create(MotionFrame **frame, const MotionSetup *setup);
void motion_frame_destroy(MotionFrame *frame);

/* planes[0] is the earlier one; strides in bytes. */
uint64_t motion_frame_measure(MotionFrame *frame, const MotionSetup *setup,
                              const void *const planes[2], const ptrdiff_t strides[2], Team *team);

#endif
