/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/adm/adm.h"

#include <stdbool.h>
#include <stdlib.h>

/* Arithmetic right shift, rounded by adding half a unit first; a shift by 0 changes nothing. */
static inline int64_t round_shift(int64_t v, int n)
{
    return n == 0 ? v : (v + ((int64_t)1 << (n - 1))) >> n;
}

/* Wrap-around to two's complement is part of the metric. */
static inline int32_t wrap16(int64_t v)
{
    return (int16_t)(uint16_t)v;
}

static inline int32_t wrap32(int64_t v)
{
    return (int32_t)(uint32_t)v;
}

/* ---- Rows of any type. The type is a constant in every call, so each call becomes a plain
 * loop. */

enum RowType { ROW_U8, ROW_U16, ROW_I16, ROW_I32 };

static inline int32_t row_get(const void *row, enum RowType type, int x)
{
    switch (type) {
    case ROW_U8:
        return ((const uint8_t *)row)[x];
    case ROW_U16:
        return ((const uint16_t *)row)[x];
    case ROW_I16:
        return ((const int16_t *)row)[x];
    default:
        return ((const int32_t *)row)[x];
    }
}

static inline void row_set(void *row, enum RowType type, int x, int32_t v)
{
    if (type == ROW_I16)
        ((int16_t *)row)[x] = (int16_t)v;
    else
        ((int32_t *)row)[x] = v;
}

/* ---- Wavelet split */

static const int32_t lo_tap[ADM_TAPS] = ADM_LO, hi_tap[ADM_TAPS] = ADM_HI;

static inline int32_t filter4(const int32_t tap[ADM_TAPS], const int64_t p[ADM_TAPS], int shift)
{
    const int64_t sum = tap[0] * p[0] + tap[1] * p[1] + tap[2] * p[2] + tap[3] * p[3];
    return (int32_t)round_shift(sum, shift);
}

/* Extends a row by one position before and two after it, so that the taps need no checks. */
static void extend_row(int32_t *row, int n)
{
    row[-1] = row[1];
    row[n] = row[n - 1];
    row[n + 1] = row[n - 2];
}

static inline void split_vertical(const AdmLevel *l, const void *const rows[ADM_TAPS],
                                  enum RowType type, int32_t *lo, int32_t *hi)
{
    const void *const r0 = rows[0], *const r1 = rows[1], *const r2 = rows[2], *const r3 = rows[3];
    const int n = l->in_w, shift = l->v_shift;
    const int64_t bias = l->in_bias;
    for (int x = 0; x < n; x++) {
        const int64_t p[ADM_TAPS] = { row_get(r0, type, x) - bias, row_get(r1, type, x) - bias,
                                      row_get(r2, type, x) - bias, row_get(r3, type, x) - bias };
        lo[x] = filter4(lo_tap, p, shift);
        hi[x] = filter4(hi_tap, p, shift);
    }
    extend_row(lo, n);
    extend_row(hi, n);
}

static inline void split_horizontal(const AdmLevel *l, const int32_t *row,
                                    const int32_t tap[ADM_TAPS], void *band, enum RowType type,
                                    int from, int to)
{
    const int shift = l->h_shift;
    for (int x = from; x < to; x++) {
        const int32_t *const s = row + 2 * x;
        const int64_t p[ADM_TAPS] = { s[-1], s[0], s[1], s[2] };
        row_set(band, type, x, filter4(tap, p, shift));
    }
}

static inline void split_row(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work,
                             void *a, void *const detail[ADM_BANDS], enum RowType in,
                             enum RowType out)
{
    int32_t *const lo = work, *const hi = lo + l->in_w + 2 * ADM_MARGIN / (int)sizeof(*lo);
    split_vertical(l, rows, in, lo, hi);
    if (a)
        split_horizontal(l, lo, lo_tap, a, out, 0, l->w);
    if (detail) {
        split_horizontal(l, hi, lo_tap, detail[ADM_H], out, l->x0, l->x1);
        split_horizontal(l, lo, hi_tap, detail[ADM_V], out, l->x0, l->x1);
        split_horizontal(l, hi, hi_tap, detail[ADM_D], out, l->x0, l->x1);
    }
}

static void split_row_8(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                        void *const detail[ADM_BANDS])
{
    split_row(l, rows, work, a, detail, ROW_U8, ROW_I16);
}

static void split_row_16(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                         void *const detail[ADM_BANDS])
{
    split_row(l, rows, work, a, detail, ROW_U16, ROW_I16);
}

static void split_row_1(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                        void *const detail[ADM_BANDS])
{
    split_row(l, rows, work, a, detail, ROW_I16, ROW_I32);
}

static void split_row_2(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                        void *const detail[ADM_BANDS])
{
    split_row(l, rows, work, a, detail, ROW_I32, ROW_I32);
}

/* ---- Decoupling */

int adm_aligned(int32_t ref_h, int32_t ref_v, int32_t dist_h, int32_t dist_v)
{
    /* The squared cosine of one degree. Sums are rounded to float before they are squared. */
    const double cos2 = 0.99969542026519775390625;
    const int64_t oh = ref_h, ov = ref_v, th = dist_h, tv = dist_v;
    const double dot = (float)(oh * th + ov * tv);
    const double oo = (float)(oh * oh + ov * ov);
    const double tt = (float)(th * th + tv * tv);
    return dot >= 0.0 && dot * dot >= cos2 * oo * tt;
}

/* t/o in Q15, limited to 0…1, from the reciprocal of the top 15 bits of o. */
static int32_t ratio(int32_t o, int32_t t)
{
    if (o == 0)
        return 32768;
    const uint32_t magnitude = o < 0 ? 0u - (uint32_t)o : (uint32_t)o;
    int excess = 0;
    while (magnitude >> excess >= 32768)
        excess++;
    const int32_t reciprocal = (1 << 30) / (int32_t)round_shift(magnitude, excess);
    const int64_t scaled = (int64_t)reciprocal * (o < 0 ? -(int64_t)t : t);
    const int64_t k = round_shift(scaled, 15 + excess);
    return k < 0 ? 0 : k > 32768 ? 32768 : (int32_t)k;
}

/* The restored component of t: o scaled by 0…1. If the gradients are aligned, the detail was
 * enhanced rather than replaced: then up to `gain_limit` times as much still counts. */
static int32_t restore(int32_t o, int32_t t, bool aligned, double gain_limit)
{
    const int32_t k = ratio(o, t);
    const int32_t r = (int32_t)(((int64_t)k * o + 16384) >> 15);
    if (!aligned || k == 0 || o == 0)
        return r;
    const double limit = r * gain_limit;
    if (o > 0)
        return (int32_t)(limit < t ? limit : t);
    return (int32_t)(limit > t ? limit : t);
}

static inline void decouple_row(const AdmLevel *l, const void *const ref[ADM_BANDS],
                                const void *const dist[ADM_BANDS], void *const restored[ADM_BANDS],
                                void *const additive[ADM_BANDS], enum RowType type)
{
    for (int x = l->x0; x < l->x1; x++) {
        int32_t o[ADM_BANDS], t[ADM_BANDS];
        for (int b = 0; b < ADM_BANDS; b++) {
            o[b] = row_get(ref[b], type, x);
            t[b] = row_get(dist[b], type, x);
        }
        const bool aligned = adm_aligned(o[ADM_H], o[ADM_V], t[ADM_H], t[ADM_V]);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int32_t r = restore(o[b], t[b], aligned, l->gain_limit);
            row_set(restored[b], type, x, r);
            row_set(additive[b], type, x, t[b] - r);
        }
    }
}

static void decouple_row_fine(const AdmLevel *l, const void *const ref[ADM_BANDS],
                              const void *const dist[ADM_BANDS], void *const restored[ADM_BANDS],
                              void *const additive[ADM_BANDS])
{
    decouple_row(l, ref, dist, restored, additive, ROW_I16);
}

static void decouple_row_coarse(const AdmLevel *l, const void *const ref[ADM_BANDS],
                                const void *const dist[ADM_BANDS], void *const restored[ADM_BANDS],
                                void *const additive[ADM_BANDS])
{
    decouple_row(l, ref, dist, restored, additive, ROW_I32);
}

/* ---- Masking */

static void weigh_row_fine(const AdmLevel *l, const void *const masker[ADM_BANDS],
                           uint32_t *const weighed[ADM_BANDS], int32_t *near, int32_t *own)
{
    static const int32_t half[ADM_BANDS] = { 16384, 16384, 65535 },
                         down[ADM_BANDS] = { 15, 15, 17 };
    (void)weighed;
    for (int x = l->x0; x < l->x1; x++) {
        near[x] = own[x] = 0;
        for (int b = 0; b < ADM_BANDS; b++) {
            const int16_t *const m = masker[b];
            const int64_t product = (int64_t)l->q[b] * m[x];
            const int32_t seen = abs(wrap16((product + half[b]) >> down[b]));
            const int32_t nb = wrap16((4369 * seen + 2048) >> 12);
            const int32_t centre = wrap16((8738 * seen + 2048) >> 12);
            near[x] += nb;
            own[x] += centre - nb;
        }
    }
}

/* The magnitude of a weighted coefficient, wrapped to 32 bits before the sign is dropped. */
static inline uint32_t weigh_coarse(uint32_t q, int32_t v)
{
    const uint64_t product = (uint64_t)q * (uint64_t)(int64_t)v + (1 << 27);
    const uint32_t weighed = (uint32_t)((int64_t)product >> 28);
    return weighed >> 31 ? 0u - weighed : weighed;
}

static void weigh_row_coarse(const AdmLevel *l, const void *const masker[ADM_BANDS],
                             uint32_t *const weighed[ADM_BANDS], int32_t *near, int32_t *own)
{
    for (int x = l->x0; x < l->x1; x++) {
        near[x] = own[x] = 0;
        for (int b = 0; b < ADM_BANDS; b++) {
            const int32_t *const m = masker[b];
            const int64_t seen = weighed[b][x] = weigh_coarse(l->q[b], m[x]);
            /* A thirtieth and a fifteenth. The rounding subtracts half a unit rather than adding
             * it. */
            const int32_t nb = (int32_t)((143165577 * seen - ((int64_t)1 << 31)) >> 32);
            const int32_t centre = (int32_t)((286331153 * seen - ((int64_t)1 << 31)) >> 32);
            near[x] += nb;
            own[x] += centre - nb;
        }
    }
}

static inline int32_t threshold_at(const AdmMaskRows *mask, int x)
{
    int64_t sum = mask->own[x];
    for (int row = 0; row < 3; row++)
        sum += (int64_t)mask->near[row][x - 1] + mask->near[row][x] + mask->near[row][x + 1];
    return wrap32(sum);
}

/* ---- Energies */

/* The cube of the amount by which a weighted magnitude exceeds the threshold. */
static inline uint64_t masked_cube(const AdmLevel *l, int b, uint32_t magnitude, int32_t threshold)
{
    const int32_t above = (int32_t)(magnitude - ((uint32_t)threshold << l->threshold_up[b]));
    if (above <= 0)
        return 0;
    const int32_t square = wrap32(round_shift((int64_t)above * above, l->square[b]));
    return (uint64_t)round_shift((int64_t)square * above, l->cube[b]);
}

static void energy_row_fine(const AdmLevel *l, const void *const signal[ADM_BANDS],
                            const AdmMaskRows *mask, int64_t sum[ADM_BANDS])
{
    uint64_t total[ADM_BANDS] = { 0 };
    for (int x = l->left; x < l->right; x++) {
        const int32_t threshold = threshold_at(mask, x);
        for (int b = 0; b < ADM_BANDS; b++) {
            const uint32_t magnitude = (uint32_t)abs(((const int16_t *)signal[b])[x]);
            total[b] += masked_cube(l, b, l->q[b] * magnitude, threshold);
        }
    }
    for (int b = 0; b < ADM_BANDS; b++)
        sum[b] = (int64_t)total[b];
}

static void energy_row_coarse(const AdmLevel *l, const void *const signal[ADM_BANDS],
                              const AdmMaskRows *mask, int64_t sum[ADM_BANDS])
{
    uint64_t total[ADM_BANDS] = { 0 };
    for (int x = l->left; x < l->right; x++) {
        const int32_t threshold = threshold_at(mask, x);
        for (int b = 0; b < ADM_BANDS; b++)
            total[b] += masked_cube(l, b, ((const uint32_t *)signal[b])[x], threshold);
    }
    for (int b = 0; b < ADM_BANDS; b++)
        sum[b] = (int64_t)total[b];
}

static void plain_row_fine(const AdmLevel *l, const void *const ref[ADM_BANDS],
                           int64_t sum[ADM_BANDS])
{
    for (int b = 0; b < ADM_BANDS; b++) {
        const int16_t *const o = ref[b];
        sum[b] = 0;
        for (int x = l->left; x < l->right; x++) {
            const int64_t m = abs(o[x]);
            sum[b] += m * m * m;
        }
    }
}

static void plain_row_coarse(const AdmLevel *l, const void *const ref[ADM_BANDS],
                             int64_t sum[ADM_BANDS])
{
    /* A whole unit is added before the square is shifted, as in the reference. */
    const int64_t unit = (int64_t)1 << l->plain_square;
    for (int b = 0; b < ADM_BANDS; b++) {
        const int32_t *const o = ref[b];
        uint64_t total = 0;
        for (int x = l->left; x < l->right; x++) {
            const int64_t m = llabs(o[x]);
            total += (uint64_t)round_shift(((m * m + unit) >> l->plain_square) * m, l->plain_cube);
        }
        sum[b] = (int64_t)total;
    }
}

void adm_dsp_init_scalar(AdmDsp *dsp, unsigned bpc)
{
    *dsp = (AdmDsp){
        .split_row = { bpc > 8 ? split_row_16 : split_row_8, split_row_1, split_row_2,
                       split_row_2 },
        .decouple_row = { decouple_row_fine, decouple_row_coarse },
        .weigh_row = { weigh_row_fine, weigh_row_coarse },
        .energy_row = { energy_row_fine, energy_row_coarse },
        .plain_row = { plain_row_fine, plain_row_coarse },
    };
}

void adm_dsp_init(AdmDsp *dsp, const AdmLevel level[ADM_LEVELS], unsigned bpc, unsigned cpu)
{
    adm_dsp_init_scalar(dsp, bpc);
    SIMD_CALL_ICL(cpu, adm_split_init, dsp, bpc);
    SIMD_CALL(cpu, adm_decouple_init, dsp, level);
    SIMD_CALL(cpu, adm_energy_init, dsp, level);
}
