/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Row loops that compilers turn into vector code by themselves. cambi_scalar.c and cambi_simd.c
 * both include this file and compile it with different flags. */
#include "feature/cambi/cambi.h"

static void widen_8(uint16_t *out, const uint8_t *in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint16_t)(in[i] << 2);
}

static void narrow_16(uint16_t *out, const uint16_t *in, size_t n, unsigned bpc)
{
    if (bpc <= 10) {
        const unsigned up = 10 - bpc;
        for (size_t i = 0; i < n; i++)
            out[i] = (uint16_t)(in[i] << up);
        return;
    }
    const unsigned down = bpc - 10, half = 1u << (down - 1);
    for (size_t i = 0; i < n; i++)
        out[i] = (uint16_t)((in[i] + half) >> down);
}

static void smooth(uint16_t *out, const uint16_t *row, const uint16_t *below, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        out[i] = (uint16_t)((row[i] + row[i + 1] + below[i] + below[i + 1]) >> 2);
    out[n - 1] = (uint16_t)((row[n - 1] + below[n - 1]) >> 1);
}

static void flat(uint8_t *out, const uint16_t *row, const uint16_t *below, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        out[i] = (row[i] == row[i + 1]) & (row[i] == below[i]);
    out[n - 1] = row[n - 1] == below[n - 1];
}

static void slide(uint8_t *sums, const uint8_t *enter, const uint8_t *leave, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sums[i] = (uint8_t)(sums[i] + enter[i] - leave[i]);
}

static void mask(uint8_t *out, const uint8_t *sums, unsigned needed, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t *s = sums + i - 3;
        out[i] = (uint8_t)(s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6]) > (uint8_t)needed;
    }
}

static void keep_even_16(uint16_t *out, const uint16_t *in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[2 * i];
}

static void keep_even_8(uint8_t *out, const uint8_t *in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[2 * i];
}

static uint16_t min_16(uint16_t a, uint16_t b)
{
    return a < b ? a : b;
}

static void mode3(uint16_t *out, const uint16_t *a, const uint16_t *b, const uint16_t *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint16_t p = a[i], q = b[i], r = c[i];
        const uint16_t rest = q == r ? q : min_16(min_16(p, q), r);
        out[i] = p == q || p == r ? p : rest;
    }
}

static void masked(uint16_t *out, const uint16_t *code, const uint8_t *masks, unsigned low,
                   unsigned span, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint16_t at = (uint16_t)(code[i] - low);
        out[i] = masks[i] && at <= span ? at : CAMBI_NO_CODE;
    }
}

static void cancel(uint16_t *a, uint16_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint16_t equal = a[i] == b[i] ? CAMBI_NO_CODE : 0;
        a[i] |= equal;
        b[i] |= equal;
    }
}

/* The contrast of one sample; `counts` points to the count of its code. */
static inline float contrast_of(const CambiRun *run, const uint16_t *counts)
{
    const unsigned own = counts[0];
    float best = 0.0f;
    for (unsigned d = run->first; d <= run->steps; d++) {
        const ptrdiff_t away = (ptrdiff_t)d * run->pitch;
        const unsigned above = counts[away], below = counts[-away];
        const unsigned other = above > below ? above : below;
        const float product = (float)(int)(cambi_step_weight[d] * own * other);
        const float value = product * run->reciprocal[own + other];
        best = value > best ? value : best;
    }
    return best;
}
