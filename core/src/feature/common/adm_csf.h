/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Contrast sensitivity weights of ADM: how much a wavelet band counts at a level, under given
 * viewing conditions. */
#ifndef FEATURE_COMMON_ADM_CSF_H
#define FEATURE_COMMON_ADM_CSF_H

#define ADM_LEVELS 4

/* The viewing conditions, from the options of `adm` and `float_adm`. */
typedef struct AdmCsf {
    int mode;           /* adm_csf_mode */
    double view_dist;   /* adm_norm_view_dist: in picture heights */
    int display_height; /* adm_ref_display_height: in pixels */
    double scale;       /* adm_csf_scale: Barten's horizontal and vertical weights */
    double diag_scale;  /* adm_csf_diag_scale: Barten's diagonal weight */
} AdmCsf;

/* Weights of one level: `hv` for the horizontal and vertical bands, `d` for the diagonal one. */
typedef struct AdmCsfWeights {
    float hv, d;
} AdmCsfWeights;

/* Modes 0…3 of `adm`: Watson, Barten, and two tables for a few viewing conditions. For any other
 * condition the tables give -22, a marker that makes the score NaN, as in the reference. */
AdmCsfWeights adm_csf_fixed(const AdmCsf *csf, int level);

/* Modes 0…9 of `float_adm`: Watson, Barten, native; modes 3 and above are Watson again. */
AdmCsfWeights adm_csf_float(const AdmCsf *csf, int level);

#endif
