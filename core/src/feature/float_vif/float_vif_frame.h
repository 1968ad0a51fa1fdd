/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_vif in single precision: what a picture pair gives at each of four scales. */
#ifndef FEATURE_FLOAT_VIF_FRAME_H
#define FEATURE_FLOAT_VIF_FRAME_H

#include <stdbool.h>

#include "engine/feature.h"
#include "feature/common/float_filter.h"
#include "feature/common/resample.h"
#include "feature/float_vif/float_vif_dsp.h"

enum { FLOAT_VIF_SCALES = 4 };

typedef struct FloatVifSetup {
    unsigned bpc;
    unsigned src_w, src_h; /* of the picture, before it is prescaled */
    unsigned w[FLOAT_VIF_SCALES], h[FLOAT_VIF_SCALES];
    FloatFilter filter[FLOAT_VIF_SCALES];
    Resampler *prescale; /* NULL: none */
    bool skip_scale0;
    FloatVifConstants constants;
    FloatDsp dsp;
    FloatVifDsp vif_dsp;
} FloatVifSetup;

typedef struct FloatVifResult {
    float num[FLOAT_VIF_SCALES], den[FLOAT_VIF_SCALES];
} FloatVifResult;

/* Working memory of one measure. `setup` must outlive it. */
typedef struct FloatVifFrame FloatVifFrame;
int float_vif_frame_create(FloatVifFrame **out, const FloatVifSetup *setup);
void float_vif_frame_destroy(FloatVifFrame *v);

/* Scale 0 is left alone when the setup skips it. */
void float_vif_frame_measure(FloatVifFrame *v, const VmafPicture *ref, const VmafPicture *dist,
                             FloatVifResult *result);

extern const struct FeatureGpu float_vif_gpu; /* float_vif_gpu.c */

#endif
