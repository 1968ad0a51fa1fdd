/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The pointwise part of float_vif. */
#ifndef FEATURE_FLOAT_VIF_DSP_H
#define FEATURE_FLOAT_VIF_DSP_H

#include <stddef.h>

/* Channels that are filtered: both pictures and their products. */
enum { VIF_REF, VIF_DIS, VIF_REF2, VIF_DIS2, VIF_REF_DIS, VIF_CHANNELS };

typedef struct FloatVifConstants {
    double noise;      /* variance of the visual noise, vif_sigma_nsq */
    float noise_up;    /* the least float that is not below it */
    float flat_weight; /* noise^2 / 255^2 */
    float gain_limit;
} FloatVifConstants;

typedef struct FloatVifDsp {
    /* Information of each of n pixels in the distorted (num) and in the reference picture (den). */
    void (*information)(float *num, float *den, float *const filtered[VIF_CHANNELS],
                        const FloatVifConstants *c, size_t n);
} FloatVifDsp;

void float_vif_dsp_init(FloatVifDsp *dsp, unsigned cpu);

#endif
