/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One frame through vif's pyramid: pictures in, sums out. */
#ifndef FEATURE_VIF_VIF_FRAME_H
#define FEATURE_VIF_VIF_FRAME_H

#include <stddef.h>

#include "engine/team.h"
#include "feature/vif/vif_dsp.h"

/* The same for all frames of a clip. */
typedef struct VifPlan {
    unsigned w, h, bpc;
    bool skip_scale0;
    VifDsp dsp;
    VifPixelParams pixel;
} VifPlan;

/* Working memory of one frame at a time. */
typedef struct VifFrame VifFrame;
int vif_frame_create(VifFrame **frame, const VifPlan *plan);
void vif_frame_destroy(VifFrame *frame);

/* Both luma planes; strides in bytes. */
void vif_frame_measure(VifFrame *frame, const VifPlan *plan, const void *const planes[2],
                       const ptrdiff_t strides[2], VifResult *result, Team *team);

#endif
