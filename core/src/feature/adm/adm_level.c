/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Geometry and fixed-point parameters of the levels. */
#include "feature/adm/adm.h"

#include <math.h>

/* The smallest s with 2^s >= n, less `minus` but not below 0. */
static int ceil_log2(int64_t n, int minus)
{
    int s = 0;
    while (((int64_t)1 << s) < n)
        s++;
    return s > minus ? s - minus : 0;
}

/* A tenth of each side is left out of the sums. */
static int core_start(int n)
{
    return n < 15 ? 0 : (n - 5) / 10;
}

static void geometry_init(AdmLevel *l, int in_w, int in_h)
{
    l->in_w = in_w;
    l->in_h = in_h;
    l->w = (in_w + 1) / 2;
    l->h = (in_h + 1) / 2;
    l->left = core_start(l->w);
    l->top = core_start(l->h);
    l->right = l->w - l->left;
    l->bottom = l->h - l->top;
    l->x0 = l->left > 0 ? l->left - 1 : 0;
    l->x1 = l->right < l->w ? l->right + 1 : l->w;
}

/* Weights that do not fit lose their high bits, as they do in the reference's x86 build. */
static uint32_t weight_16_bits(double v)
{
    return fabs(v) < 2147483648.0 ? (uint16_t)(int32_t)v : 0;
}

static uint32_t weight_32_bits(double v)
{
    return (uint32_t)(int64_t)v;
}

static void fine_init(AdmLevel *l, const AdmCsf *csf)
{
    /* The reference rounds these up for its usual viewing distance, and the scores show it. */
    const bool usual = csf->mode == 0 && fabs(csf->view_dist * csf->display_height - 3240.0) < 1e-8;
    l->q[ADM_H] = l->q[ADM_V] = usual ? 36453 : weight_16_bits(l->weight.hv * 0x1p21);
    l->q[ADM_D] = usual ? 49417 : weight_16_bits(l->weight.d * 0x1p23);

    l->row = ceil_log2(l->h, 0);
    for (int b = 0; b < ADM_BANDS; b++) {
        const bool diagonal = b == ADM_D;
        l->threshold_up[b] = diagonal ? 12 : 10;
        l->square[b] = diagonal ? 30 : 29;
        l->cube[b] = ceil_log2(l->w, diagonal ? 3 : 4);
        l->scale[b] = (diagonal ? 57 : 52) - l->cube[b] - l->row;
    }
    l->plain_row = ceil_log2((int64_t)(l->right - l->left) * (l->bottom - l->top), 20);
    l->plain_scale = 18 - l->plain_row;
}

static void coarse_init(AdmLevel *l, int level)
{
    static const int scale[ADM_LEVELS] = { 0, 45, 39, 36 },
                     plain_scale[ADM_LEVELS] = { 0, 32, 27, 23 };
    l->q[ADM_H] = l->q[ADM_V] = weight_32_bits(l->weight.hv * 0x1p32);
    l->q[ADM_D] = weight_32_bits(l->weight.d * 0x1p32);

    l->row = ceil_log2(l->h, 0);
    for (int b = 0; b < ADM_BANDS; b++) {
        l->square[b] = 30;
        l->cube[b] = ceil_log2(l->w, 0);
        l->scale[b] = scale[level] - l->cube[b] - l->row;
    }
    l->plain_square = level == 2 ? 30 : 31;
    l->plain_cube = ceil_log2(l->right - l->left, 0);
    l->plain_row = ceil_log2(l->bottom - l->top, 0);
    l->plain_scale = plain_scale[level] - l->plain_cube - l->plain_row;
}

void adm_levels_init(AdmLevel level[ADM_LEVELS], const FrameShape *shape, const AdmOptions *options)
{
    const int v_shift[ADM_LEVELS] = { (int)shape->bpc, 0, 16, 16 };
    static const int h_shift[ADM_LEVELS] = { 16, 15, 16, 15 };
    int w = (int)shape->w[0], h = (int)shape->h[0];

    for (int i = 0; i < ADM_LEVELS; i++) {
        AdmLevel *const l = &level[i];
        *l = (AdmLevel){
            .v_shift = v_shift[i],
            .h_shift = h_shift[i],
            .in_bias = i == 0 ? 1 << (shape->bpc - 1) : 0,
            .gain_limit = options->gain_limit,
            .weight = adm_csf_fixed(&options->csf, i),
        };
        geometry_init(l, w, h);
        if (i == 0)
            fine_init(l, &options->csf);
        else
            coarse_init(l, i);
        w = l->w;
        h = l->h;
    }
}
