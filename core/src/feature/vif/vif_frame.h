/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One frame through vif's pyramid: pictures in, sums out. */
#ifndef FEATURE_VIF_VIF_FRAME_H
#define FEATURE_VIF_VIF_FRAME_H

#include <stddef.h>

#include "engine/team.h"
#include "feature/common/strips.h"
#include "feature/vif/vif_dsp.h"

/* Of a scale; a smaller one is not worth waking other threads for. */
#define VIF_SHARED_PIXELS (100 * 1000)

/* The same for all frames of a clip. */
typedef struct VifSetup {
    unsigned w, h, bpc;
    bool skip_scale0;
    VifDsp dsp;
    VifPixelParams pixel;
} VifSetup;

/* Working memory of one frame at a time. */
typedef struct VifFrame VifFrame;
int vif_frame_create(VifFrame **frame, const VifSetup *setup);
void vif_frame_destroy(VifFrame *frame);

/* Both luma planes; strides in bytes. */
void vif_frame_measure(VifFrame *frame, const VifSetup *setup, const void *const planes[2],
                       const ptrdiff_t strides[2], VifResult *result, Team *team);

#endif
