/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The pointwise parts of float_adm, over rows of wavelet coefficients. */
#ifndef FEATURE_FLOAT_ADM_DSP_H
#define FEATURE_FLOAT_ADM_DSP_H

#include <stddef.h>

enum { ADM_H, ADM_V, ADM_D, ADM_BANDS };

typedef struct FloatAdmDsp {
    /* Splits the distorted picture's detail into what is left of the reference's (restored) and
     * what came on top (additive). Gives |weight * …| of both, and of the reference's detail. */
    void (*decouple)(float *const restored[ADM_BANDS], float *const additive[ADM_BANDS],
                     float *const own[ADM_BANDS], const float *const ref[ADM_BANDS],
                     const float *const dis[ADM_BANDS], const float weight[ADM_BANDS],
                     double gain_limit, size_t n);

    /* What a coefficient adds to the masking of its neighbours. */
    void (*spread)(float *out, const float *weighted, size_t n);

    /* Masking threshold: of each band, the spread values around a place (rows above, here, below,
     * read from -1 to n) and, at the place itself, a larger share of the weighted value. */
    void (*threshold)(float *out, const float *spread[ADM_BANDS][3],
                      const float *const weighted[ADM_BANDS], size_t n);

    /* max(signal - threshold, 0), cubed. */
    void (*excess_cubed)(float *out, const float *signal, const float *threshold, size_t n);
    /* The same, raised to `power`. */
    void (*excess_raised)(float *out, const float *signal, const float *threshold, float power,
                          size_t n);
} FloatAdmDsp;

void float_adm_dsp_init(FloatAdmDsp *dsp, unsigned cpu);

#endif
