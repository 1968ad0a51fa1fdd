/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ADM, fixed point: how much of the reference's detail survives in the distorted picture (adm2),
 * how much was added that does not belong there (aim), and both together (adm3).
 *
 * Four wavelet levels. At each, the distorted coefficients are split into a restored part (what is
 * left of the reference) and an additive part (what is not); each part is weighed by contrast
 * sensitivity, masked by the other, and its energy summed. */
#ifndef FEATURE_ADM_ADM_H
#define FEATURE_ADM_ADM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/feature.h"
#include "feature/adm/adm_dsp.h"
#include "feature/common/adm_csf.h"

typedef struct AdmOptions {
    bool debug, skip_scale0, skip_aim;
    AdmCsf csf;
    double dlm_weight, gain_limit, noise_weight, min_val;
} AdmOptions;

/* Energies of one level by band: sums over the core's rows, each row rounded first. */
typedef struct AdmSums {
    int64_t num[ADM_BANDS], den[ADM_BANDS], aim[ADM_BANDS];
} AdmSums;

/* What measure delivers, whatever computes it. */
typedef struct AdmResult {
    AdmSums level[ADM_LEVELS];
} AdmResult;

/* The same for all frames of a clip; the feature's state. */
typedef struct AdmSetup {
    AdmLevel level[ADM_LEVELS];
    AdmDsp dsp;
    atomic_flag told; /* that the viewing conditions are refused */
} AdmSetup;

/* Fills the geometry, weights and shifts of the four levels. */
void adm_levels_init(AdmLevel level[ADM_LEVELS], const FrameShape *shape,
                     const AdmOptions *options);

/* The scores of a frame, from its sums. */
typedef struct AdmScores {
    double adm2, aim, adm3;
    double num, den;
    double num_scale[ADM_LEVELS], den_scale[ADM_LEVELS];
} AdmScores;

AdmScores adm_scores(const AdmLevel level[ADM_LEVELS], const AdmOptions *options,
                     const FrameShape *shape, const AdmResult *result);

extern const FeatureDef feature_adm;
extern const FeatureGpu adm_gpu;

#endif
