/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/simd_fn.h"
#include "feature/common/float_loops.h"

SIMD_DECLARE(float_dsp_init, FloatDsp *dsp, unsigned bpc);

static void weigh(float *out, const float *const *rows, const float *taps, unsigned count, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = 0.0f + taps[0] * rows[0][i];
    for (unsigned k = 1; k < count; k++) {
        for (size_t i = 0; i < n; i++)
            out[i] += taps[k] * rows[k][i];
    }
}

static void weigh_group(float *const out[FLOAT_GROUP], const float *const *rows, const float *taps,
                        unsigned count, size_t n)
{
    for (unsigned i = 0; i < FLOAT_GROUP; i++)
        weigh(out[i], rows + i, taps, count, n);
}

static void weigh4x2(float *out_a, float *out_b, const float *const *rows, const float *taps_a,
                     const float *taps_b, size_t n)
{
    weigh(out_a, rows, taps_a, 4, n);
    weigh(out_b, rows, taps_b, 4, n);
}

/* Each addition depends on the one before it, so eight rows together take the time of one or two.
 * Vector code would have to transpose the rows, which takes as long as it saves. */
static void eight_sums(float *sums, const float *const *rows, size_t n)
{
    const float *const a = rows[0], *const b = rows[1], *const c = rows[2], *const d = rows[3];
    const float *const e = rows[4], *const f = rows[5], *const g = rows[6], *const h = rows[7];
    float sa = 0.0f, sb = 0.0f, sc = 0.0f, sd = 0.0f, se = 0.0f, sf = 0.0f, sg = 0.0f, sh = 0.0f;
    for (size_t i = 0; i < n; i++) {
        sa += a[i];
        sb += b[i];
        sc += c[i];
        sd += d[i];
        se += e[i];
        sf += f[i];
        sg += g[i];
        sh += h[i];
    }
    const float all[8] = { sa, sb, sc, sd, se, sf, sg, sh };
    for (unsigned k = 0; k < 8; k++)
        sums[k] = all[k];
}

static void row_sums(float *sums, const float *const *rows, unsigned count, size_t n)
{
    unsigned k = 0;
    for (; k + 8 <= count; k += 8)
        eight_sums(sums + k, rows + k, n);
    for (; k < count; k++) {
        sums[k] = 0.0f;
        for (size_t i = 0; i < n; i++)
            sums[k] += rows[k][i];
    }
}

void float_dsp_init(FloatDsp *dsp, unsigned bpc, unsigned cpu)
{
    *dsp = (FloatDsp){
        .load = bpc > 8 ? load_16 : load_8,
        .weigh = weigh,
        .weigh_group = weigh_group,
        .weigh4x2 = weigh4x2,
        .multiply = multiply,
        .subtract = subtract,
        .distance = distance,
        .split = split,
        .row_sums = row_sums,
    };
    SIMD_CALL(cpu, float_dsp_init, dsp, bpc);
}
