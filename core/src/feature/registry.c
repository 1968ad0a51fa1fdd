/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/feature.h"

extern const FeatureDef feature_adm;
extern const FeatureDef feature_cambi;
extern const FeatureDef feature_ciede;
extern const FeatureDef feature_float_adm;
extern const FeatureDef feature_float_ansnr;
extern const FeatureDef feature_float_moment;
extern const FeatureDef feature_float_motion;
extern const FeatureDef feature_float_ms_ssim;
extern const FeatureDef feature_float_psnr;
extern const FeatureDef feature_float_ssim;
extern const FeatureDef feature_float_vif;
extern const FeatureDef feature_motion;
extern const FeatureDef feature_null;
extern const FeatureDef feature_psnr;
extern const FeatureDef feature_psnr_hvs;
extern const FeatureDef feature_speed_chroma;
extern const FeatureDef feature_speed_temporal;
extern const FeatureDef feature_ssim;
extern const FeatureDef feature_ssimulacra2;
extern const FeatureDef feature_vif;
extern const FeatureDef feature_xpsnr;

#ifdef ALSO_REGISTER /* the tests add a feature of their own */
extern const FeatureDef ALSO_REGISTER;
#endif

/* In lookup order: a model gets a metric from the first feature that lists it. */
const FeatureDef *const feature_registry[] = {
#ifdef HAVE_FLOAT
    &feature_float_psnr,
    &feature_float_ansnr,
    &feature_float_adm,
    &feature_float_vif,
    &feature_float_motion,
    &feature_float_moment,
#endif
    &feature_speed_chroma,
    &feature_speed_temporal,
    &feature_float_ms_ssim,
    &feature_float_ssim,
    &feature_ciede,
    &feature_psnr,
    &feature_psnr_hvs,
    &feature_adm,
    &feature_motion,
    &feature_vif,
    &feature_cambi,
    &feature_null,
    &feature_ssim,
    &feature_xpsnr,
    &feature_ssimulacra2,
#ifdef ALSO_REGISTER
    &ALSO_REGISTER,
#endif
    NULL,
};
