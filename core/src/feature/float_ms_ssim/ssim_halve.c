/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_ms_ssim/ssim_halve.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/common/float_rows.h"

enum { REACH = HALVE_TAPS / 2 };

/* The low-pass is the same under both reflections: a quarter of it says all. It is a filter in two
 * dimensions: applied along rows and columns one after the other it would round differently. */
static const float quarter[REACH + 1][REACH + 1] = {
    { 0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f },
    { -0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f },
    { -0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f },
    { 0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f },
    { 0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f },
};

static unsigned fold(unsigned k)
{
    return k <= REACH ? k : HALVE_TAPS - 1 - k;
}

/* The edge sample is repeated. */
static unsigned reflect(int i, int n)
{
    return (unsigned)(i < 0 ? -1 - i : i < n ? i : 2 * n - 1 - i);
}

static unsigned half(unsigned n)
{
    return n / 2 + (n & 1);
}

int ssim_halve_init(SsimHalve *halve, const FloatDsp *rows, const SsimDsp *dsp, unsigned w,
                    unsigned h)
{
    *halve = (SsimHalve){ .rows = rows, .dsp = dsp, .w = w, .h = h };
    halve->line = float_line_alloc(w);
    bool failed = !halve->line;
    for (unsigned k = 0; k < HALVE_TAPS; k++) {
        halve->even[k] = mem_aligned_alloc((half(w) + REACH) * sizeof(float));
        halve->odd[k] = mem_aligned_alloc((half(w) + REACH) * sizeof(float));
        failed |= !halve->even[k] || !halve->odd[k];
    }
    return failed ? -ENOMEM : 0;
}

void ssim_halve_free(SsimHalve *halve)
{
    float_line_free(halve->line);
    for (unsigned k = 0; k < HALVE_TAPS; k++) {
        mem_aligned_free(halve->even[k]);
        mem_aligned_free(halve->odd[k]);
    }
}

void ssim_halve_start(SsimHalve *halve)
{
    halve->taken = halve->given = 0;
}

void ssim_halve_push(SsimHalve *halve, const float *row)
{
    const unsigned slot = halve->taken++ % HALVE_TAPS;
    const int w = (int)halve->w;
    float *line = halve->line;
    memcpy(line, row, halve->w * sizeof(float));
    for (int i = 1; i <= REACH; i++) {
        line[-i] = line[reflect(-i, w)];
        line[w - 1 + i] = line[reflect(w - 1 + i, w)];
    }
    /* What is 4 samples left of an output's centre is even[0] for the first output. */
    halve->rows->split(halve->even[slot], halve->odd[slot], line - REACH, half(halve->w) + REACH);
}

bool ssim_halve_pull(SsimHalve *halve, float *out)
{
    const unsigned y = 2 * halve->given;
    if (y >= halve->h || halve->taken < (y + REACH < halve->h ? y + REACH + 1 : halve->h))
        return false;
    const float *rows[HALVE_TAPS * HALVE_TAPS];
    float taps[HALVE_TAPS * HALVE_TAPS];
    for (unsigned r = 0, i = 0; r < HALVE_TAPS; r++) {
        const unsigned slot = reflect((int)(y + r) - REACH, (int)halve->h) % HALVE_TAPS;
        for (unsigned c = 0; c < HALVE_TAPS; c++, i++) {
            rows[i] = (c & 1 ? halve->odd[slot] : halve->even[slot]) + c / 2;
            taps[i] = quarter[fold(r)][fold(c)];
        }
    }
    halve->dsp->weigh(out, rows, taps, HALVE_TAPS * HALVE_TAPS, half(halve->w));
    halve->given++;
    return true;
}
