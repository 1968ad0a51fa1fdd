/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of float_vif: VIF in single precision. A frame's result is a numerator and a
 * denominator for each of four scales. */
#ifndef FEATURE_FLOAT_VIF_H
#define FEATURE_FLOAT_VIF_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/feature.h"
#include "feature/common/float_rows.h"
#include "feature/common/resample.h"

/* ---- Row routine: the pointwise step */

/* The channels that are filtered: both pictures and their products. */
enum { VIF_REF, VIF_DIS, VIF_REF2, VIF_DIS2, VIF_REF_DIS, VIF_CHANNELS };

/* Coefficients of log2(1 + y), 0 <= y < 1, highest power first. */
#define VIF_LOG2_POLY                                                                              \
    {                                                                                              \
        -0.012671635276421f, 0.064841182402670f, -0.157048836463065f, 0.257167726303123f,          \
            -0.353800560300520f, 0.480131410397451f, -0.721314327952201f, 1.442694803896991f, 0.0f \
    }

typedef struct FloatVifConstants {
    double noise;      /* variance of the visual noise, option vif_sigma_nsq */
    float noise_up;    /* the smallest float that is not below it */
    float flat_weight; /* noise^2 / 255^2 */
    float gain_limit;
} FloatVifConstants;

typedef struct FloatVifDsp {
    /* Information of each of n pixels in the distorted (num) and in the reference picture (den). */
    void (*information)(float *num, float *den, float *const filtered[VIF_CHANNELS],
                        const FloatVifConstants *c, size_t n);
} FloatVifDsp;

/* Fills the table with the best routine that `cpu` (enum CpuFlag) allows. */
void float_vif_dsp_init(FloatVifDsp *dsp, unsigned cpu);

/* ---- The feature */

enum { FLOAT_VIF_SCALES = 4 };

/* The feature's state: constants of a clip. */
typedef struct FloatVifSetup {
    unsigned bpc;
    unsigned src_w, src_h; /* size of the picture before it is prescaled */
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

/* ---- Frame routine */

/* Create and destroy the working memory of one measure at a time, and measure a pair of pictures
 * (the members of FeatureDef). If the setup skips scale 0, its sums are 0. */
int float_vif_frame_create(const Feature *f, void **frame);
void float_vif_frame_destroy(void *frame);
int float_vif_frame_measure(const Feature *f, void *frame, const FramePair *pair, void *result,
                            Team *team);

extern const struct FeatureGpu float_vif_gpu; /* float_vif_gpu.c */

#endif
