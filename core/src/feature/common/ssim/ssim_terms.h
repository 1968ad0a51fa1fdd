/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Functions that ssim_scalar.c and ssim_simd.c both compile: ssim_add, which compilers turn into
 * vector code by themselves, and ssim_terms, which vector code uses for short rows. */
#ifndef FEATURE_SSIM_TERMS_H
#define FEATURE_SSIM_TERMS_H

#include <math.h>

#include "feature/common/ssim/ssim_window.h"

/* (0.01 * 255)^2, (0.03 * 255)^2 and half of the latter, in single precision. They keep quotients
 * small where a neighbourhood is dark or flat. */
static const float ssim_c1 = (0.01f * 255.0f) * (0.01f * 255.0f);
static const float ssim_c2 = (0.03f * 255.0f) * (0.03f * 255.0f);
static const float ssim_c3 = (0.03f * 255.0f) * (0.03f * 255.0f) / 2.0f;

static void ssim_add(double *restrict sums, const float *restrict row, float tap, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sums[i] += (double)(row[i] * tap);
}

/* Operations are in single precision, except where an operand is cast to double. */
static void ssim_terms(const SsimTerms *out, const float *const maps[SSIM_MAPS], size_t n)
{
    const float *restrict a = maps[SSIM_A], *restrict b = maps[SSIM_B];
    const float *restrict aa = maps[SSIM_AA], *restrict bb = maps[SSIM_BB];
    const float *restrict ab = maps[SSIM_AB];
    double *restrict l = out->l, *restrict c = out->c, *restrict s = out->s;
    for (size_t i = 0; i < n; i++) {
        const float raw_a = aa[i] - a[i] * a[i], raw_b = bb[i] - b[i] * b[i];
        const float var_a = raw_a > 0.0f ? raw_a : 0.0f;
        const float var_b = raw_b > 0.0f ? raw_b : 0.0f;
        const float covar = ab[i] - a[i] * b[i];
        const float sd = sqrtf(var_a * var_b);
        const float luma = a[i] * a[i] + b[i] * b[i] + ssim_c1;
        const float contrast = var_a + var_b + ssim_c2;
        l[i] = (2.0 * (double)a[i] * (double)b[i] + (double)ssim_c1) / (double)luma;
        c[i] = (2.0 * (double)sd + (double)ssim_c2) / (double)contrast;
        const float together = covar < 0.0f && sd <= 0.0f ? 0.0f : covar;
        s[i] = (double)((together + ssim_c3) / (sd + ssim_c3));
    }
}

#endif
