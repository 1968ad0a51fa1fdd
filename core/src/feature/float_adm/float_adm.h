/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of float_adm: ADM in single precision. A frame's result is the energies of
 * each wavelet level. */
#ifndef FEATURE_FLOAT_ADM_H
#define FEATURE_FLOAT_ADM_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/feature.h"
#include "feature/common/adm_csf.h"
#include "feature/common/float_rows.h"

/* ---- Row routines: the pointwise steps, over rows of wavelet coefficients */

enum { ADM_H, ADM_V, ADM_D, ADM_BANDS };

typedef struct FloatAdmDsp {
    /* Splits the distorted picture's detail into what is left of the reference's (restored) and
     * what was added (additive). Writes |weight * …| of both, and of the reference's detail
     * (own). */
    void (*decouple)(float *const restored[ADM_BANDS], float *const additive[ADM_BANDS],
                     float *const own[ADM_BANDS], const float *const ref[ADM_BANDS],
                     const float *const dis[ADM_BANDS], const float weight[ADM_BANDS],
                     double gain_limit, size_t n);

    /* The amount that a coefficient adds to the masking of its neighbours. */
    void (*spread)(float *out, const float *weighted, size_t n);

    /* Masking threshold: for each band, the sum of the spread values around a position (rows above,
     * here, below, read from -1 to n), and a larger share of the weighted value at the position. */
    void (*threshold)(float *out, const float *spread[ADM_BANDS][3],
                      const float *const weighted[ADM_BANDS], size_t n);

    /* max(signal - threshold, 0)^3. */
    void (*excess_cubed)(float *out, const float *signal, const float *threshold, size_t n);
    /* max(signal - threshold, 0)^power. */
    void (*excess_raised)(float *out, const float *signal, const float *threshold, float power,
                          size_t n);
} FloatAdmDsp;

/* Fills the table with the best routines that `cpu` (enum CpuFlag) allows. */
void float_adm_dsp_init(FloatAdmDsp *dsp, unsigned cpu);

/* ---- The feature */

/* The three sums: restored detail beyond its mask, the reference's detail, and additive impairment
 * beyond its mask. */
enum AdmEnergy { ADM_NUM, ADM_DEN, ADM_AIM, ADM_ENERGIES };

/* The range of an axis that is summed: the border is left out. */
typedef struct AdmCore {
    unsigned begin, end;
} AdmCore;

typedef struct FloatAdmLevel {
    unsigned src_w, src_h; /* size of the plane that is split */
    unsigned w, h;         /* size of its bands */
    AdmCore x, y;
    float weight[ADM_BANDS]; /* contrast sensitivity */
} FloatAdmLevel;

/* The feature's state: constants of a clip. */
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

/* ---- Frame routine */

/* Create and destroy the working memory of one measure at a time, and measure a pair of pictures
 * (the members of FeatureDef). The sums of a level that the setup skips are 0. */
int float_adm_frame_create(const Feature *f, void **frame);
void float_adm_frame_destroy(void *frame);
int float_adm_frame_measure(const Feature *f, void *frame, const FramePair *pair, void *result,
                            Team *team);

extern const struct FeatureGpu float_adm_gpu; /* float_adm_gpu.c */

#endif
