/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The routines of FloatDsp in vectors. Every output is one chain of operations; a vector holds
 * neighbouring outputs. */
#include "base/simd.h"
#include "feature/common/float_loops.h"

void SIMD_FN(float_dsp_init)(FloatDsp *dsp, unsigned bpc);

/* Makes outputs x … x + vectors * V32 - 1. With eight vectors enough additions are in flight to
 * hide the latency of each. */
V_INLINE void weigh_block(float *out, const float *const *rows, const float *taps, unsigned count,
                          size_t x, const int vectors)
{
    vf sum[8];
    for (int v = 0; v < vectors; v++)
        sum[v] = v_set_f32(0.0f);
    for (unsigned k = 0; k < count; k++) {
        const vf tap = v_set_f32(taps[k]);
        const float *const row = rows[k] + x;
        for (int v = 0; v < vectors; v++)
            sum[v] = v_add_f32(sum[v], v_mul_f32(tap, v_load_f32(row + v * V32)));
    }
    for (int v = 0; v < vectors; v++)
        v_store_f32(out + x + v * V32, sum[v]);
}

static void weigh(float *out, const float *const *rows, const float *taps, unsigned count, size_t n)
{
    size_t x = 0;
    for (; x + 8 * V32 <= n; x += 8 * V32)
        weigh_block(out, rows, taps, count, x, 8);
    for (; x + 2 * V32 <= n; x += 2 * V32)
        weigh_block(out, rows, taps, count, x, 2);
    if (x < n && n >= 2 * V32) { /* the last vectors repeat columns already done: no input is ever
                                  * written */
        weigh_block(out, rows, taps, count, n - 2 * V32, 2);
        return;
    }
    for (; x < n; x++) {
        float sum = 0.0f;
        for (unsigned k = 0; k < count; k++)
            sum += taps[k] * rows[k][x];
        out[x] = sum;
    }
}

/* Adds row j of the window to the sums that it belongs to. All indices are known when this is
 * unrolled, so that the sums stay in registers. */
V_INLINE void group_step(vf sum[FLOAT_GROUP][2], const float *row, const float *taps, int j,
                         int count)
{
    const vf in[2] = { v_load_f32(row), v_load_f32(row + V32) };
    for (int i = 0; i < FLOAT_GROUP; i++) {
        if (j - i < 0 || j - i >= count)
            continue;
        const vf tap = v_set_f32(taps[j - i]);
        sum[i][0] = v_add_f32(sum[i][0], v_mul_f32(tap, in[0]));
        sum[i][1] = v_add_f32(sum[i][1], v_mul_f32(tap, in[1]));
    }
}

V_INLINE void group_block(float *const out[FLOAT_GROUP], const float *const *rows,
                          const float *taps, int count, size_t x)
{
    vf sum[FLOAT_GROUP][2];
    for (int i = 0; i < FLOAT_GROUP; i++)
        sum[i][0] = sum[i][1] = v_set_f32(0.0f);
    int j = 0;
    for (; j < FLOAT_GROUP - 1; j++)
        group_step(sum, rows[j] + x, taps, j, count);
    for (; j < count; j++) /* every sum uses this row */
        group_step(sum, rows[j] + x, taps + j - (FLOAT_GROUP - 1), FLOAT_GROUP - 1, FLOAT_GROUP);
    for (; j < count + FLOAT_GROUP - 1; j++)
        group_step(sum, rows[j] + x, taps, j, count);
    for (int i = 0; i < FLOAT_GROUP; i++) {
        v_store_f32(out[i] + x, sum[i][0]);
        v_store_f32(out[i] + x + V32, sum[i][1]);
    }
}

static void weigh_group(float *const out[FLOAT_GROUP], const float *const *rows, const float *taps,
                        unsigned count, size_t n)
{
    if (n < 2 * V32) {
        for (unsigned i = 0; i < FLOAT_GROUP; i++)
            weigh(out[i], rows + i, taps, count, n);
        return;
    }
    size_t x = 0;
    for (; x + 2 * V32 <= n; x += 2 * V32)
        group_block(out, rows, taps, (int)count, x);
    if (x < n)
        group_block(out, rows, taps, (int)count, n - 2 * V32);
}

V_INLINE void weigh4x2_block(float *out_a, float *out_b, const float *const *rows,
                             const float *taps_a, const float *taps_b, size_t x)
{
    vf a[2], b[2];
    for (int v = 0; v < 2; v++)
        a[v] = b[v] = v_set_f32(0.0f);
    for (unsigned k = 0; k < 4; k++) {
        for (int v = 0; v < 2; v++) {
            const vf in = v_load_f32(rows[k] + x + v * V32);
            a[v] = v_add_f32(a[v], v_mul_f32(v_set_f32(taps_a[k]), in));
            b[v] = v_add_f32(b[v], v_mul_f32(v_set_f32(taps_b[k]), in));
        }
    }
    for (int v = 0; v < 2; v++) {
        v_store_f32(out_a + x + v * V32, a[v]);
        v_store_f32(out_b + x + v * V32, b[v]);
    }
}

static void weigh4x2(float *out_a, float *out_b, const float *const *rows, const float *taps_a,
                     const float *taps_b, size_t n)
{
    if (n < 2 * V32) {
        weigh(out_a, rows, taps_a, 4, n);
        weigh(out_b, rows, taps_b, 4, n);
        return;
    }
    size_t x = 0;
    for (; x + 2 * V32 <= n; x += 2 * V32)
        weigh4x2_block(out_a, out_b, rows, taps_a, taps_b, x);
    if (x < n)
        weigh4x2_block(out_a, out_b, rows, taps_a, taps_b, n - 2 * V32);
}

SIMD_ONCE void SIMD_FN(float_dsp_init)(FloatDsp *dsp, unsigned bpc)
{
    dsp->load = bpc > 8 ? load_16 : load_8;
    dsp->weigh = weigh;
    dsp->weigh_group = weigh_group;
    dsp->weigh4x2 = weigh4x2;
    dsp->multiply = multiply;
    dsp->subtract = subtract;
    dsp->distance = distance;
    dsp->split = split;
}
