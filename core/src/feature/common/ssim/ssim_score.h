/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_ssim and float_ms_ssim do alike with a score. */
#ifndef FEATURE_SSIM_SCORE_H
#define FEATURE_SSIM_SCORE_H

#include <math.h>
#include <stdbool.h>

#include "base/decimal.h"
#include "engine/picture.h"

typedef struct SsimOptions {
    bool enable_lcs, enable_db, clip_db;
    int scale; /* float_ssim only */
} SsimOptions;

#define SSIM_OPTIONS                                                                               \
    BOOL_OPTION(SsimOptions, enable_lcs, "enable_lcs", NULL, false,                                \
                "also output luminance, contrast and structure"),                                  \
        BOOL_OPTION(SsimOptions, enable_db, "enable_db", NULL, false, "output the score in dB"),   \
        BOOL_OPTION(SsimOptions, clip_db, "clip_db", NULL, false,                                  \
                    "with enable_db: cap the score by what the picture size allows")

/* The score as it is, or in dB. NaN, and what lies above 1, becomes the cap. */
static inline double ssim_score(double score, const SsimOptions *opt, const FrameShape *shape)
{
    if (!opt->enable_db)
        return score;
    double cap = INFINITY;
    if (opt->clip_db) {
        const double peak = (double)((1u << shape->bpc) - 1);
        const double mse = 0.5 / ((double)shape->w[0] * shape->h[0]);
        cap = ceil(10.0 * decimal_log(peak * peak / mse));
    }
    const double db = -10.0 * decimal_log(1.0 - score);
    return db < cap ? db : cap;
}

#endif
