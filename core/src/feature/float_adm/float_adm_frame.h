/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_adm in single precision: the energies of each wavelet level of a picture pair. */
#ifndef FEATURE_FLOAT_ADM_FRAME_H
#define FEATURE_FLOAT_ADM_FRAME_H

#include <stdbool.h>

#include "engine/feature.h"
#include "feature/common/adm_csf.h"
#include "feature/common/float_filter.h"
#include "feature/float_adm/float_adm_dsp.h"

/* What is added up: restored detail beyond its masking, the reference's detail, and additive
 * impairment beyond its masking. */
enum AdmEnergy { ADM_NUM, ADM_DEN, ADM_AIM, ADM_ENERGIES };

/* The part of an axis that counts: the border is left out. */
typedef struct AdmCore {
    unsigned begin, end;
} AdmCore;

typedef struct FloatAdmLevel {
    unsigned src_w, src_h; /* what is split */
    unsigned w, h;         /* its bands */
    AdmCore x, y;
    float weight[ADM_BANDS]; /* contrast sensitivity */
} FloatAdmLevel;

typedef struct FloatAdmSetup {
    unsigned bpc;
    FloatAdmLevel level[ADM_LEVELS];
    double gain_limit;
    float p_norm;
    bool bypass_masking, skip_level0;
    FloatDsp dsp;
    FloatAdmDsp adm_dsp;
} FloatAdmSetup;

typedef struct FloatAdmResult {
    float sum[ADM_LEVELS][ADM_ENERGIES][ADM_BANDS];
} FloatAdmResult;

/* Working memory of one measure. `setup` must outlive it. */
typedef struct FloatAdmFrame FloatAdmFrame;
int float_adm_frame_create(FloatAdmFrame **out, const FloatAdmSetup *setup);
void float_adm_frame_destroy(FloatAdmFrame *a);

/* A level that the setup skips is left alone. */
void float_adm_frame_measure(FloatAdmFrame *a, const VmafPicture *ref, const VmafPicture *dist,
                             FloatAdmResult *result);

extern const struct FeatureGpu float_adm_gpu; /* float_adm_gpu.c */

#endif
