/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The wavelet split of adm in vectors: all products are 16 by 16 bits, two at a time.
 *
 * A 32-bit value is filtered in halves: x = 65536 high + low + 32768, with both halves in int16_t.
 * The sums of either half's products fit 32 bits, and so do the results. The taps of `lo` sum to
 * 46342 and those of `hi` to 0, so the 32768 adds 23171 units to the high half's sum, or
 * nothing. */
#include "feature/adm/adm.h"

#include "base/simd.h"

#define TAP_SUM 46342

typedef struct Taps {
    vi first, second; /* pairs for v_madd16 */
    int high_start;   /* start of the high half's sum */
} Taps;

V_INLINE Taps taps_lo(void)
{
    static const int16_t t[ADM_TAPS] = ADM_LO;
    return (Taps){ v_set_pair16(t[0], t[1]), v_set_pair16(t[2], t[3]), TAP_SUM / 2 };
}

V_INLINE Taps taps_hi(void)
{
    static const int16_t t[ADM_TAPS] = ADM_HI;
    return (Taps){ v_set_pair16(t[0], t[1]), v_set_pair16(t[2], t[3]), 0 };
}

/* start plus the four products. Each lane of an argument holds a pair of neighbouring samples. */
V_INLINE vi filter4(const Taps *t, vi start, vi first, vi second)
{
    return v_acc_sum(
        v_acc_madd16(v_acc_madd16(v_acc_from(start), first, t->first), second, t->second));
}

/* The filtered 32-bit value from pairs of halves, rounded by `shift`, which is 15 or 16. */
V_INLINE vi filter4_halves(const Taps *t, int shift, const vi high[2], const vi low[2])
{
    const vi h = filter4(t, v_set32(t->high_start), high[0], high[1]);
    const vi l = filter4(t, v_set32(1 << (shift - 1)), low[0], low[1]);
    return v_add32(v_shl32(h, 16 - shift), v_shr_s32(l, shift));
}

/* ---- the rows between the passes ---- */

/* Rows of int16_t with margins, of the low and of the high filter. Above level 0 they come in
 * halves. */
enum { LO, HI, FILTERS };
enum { HIGH, LOW, HALVES };

typedef struct Work {
    int16_t *row[FILTERS][HALVES];
} Work;

static Work work_rows(const AdmLevel *l, void *work)
{
    Work w;
    for (int i = 0; i < FILTERS * HALVES; i++)
        w.row[i / HALVES][i % HALVES] =
            (int16_t *)work + i * (l->in_w + 2 * ADM_MARGIN / (int)sizeof(int16_t));
    return w;
}

static void extend_row(int16_t *row, int n)
{
    row[-1] = row[1];
    row[n] = row[n - 1];
    row[n + 1] = row[n - 2];
}

/* ---- vertical passes, V16 columns at a time ---- */

enum RowType { ROW_U8, ROW_U16, ROW_S16, ROW_S32 };

V_INLINE vi load_samples(const void *row, enum RowType type, int x, vi bias)
{
    switch (type) {
    case ROW_U8:
        return v_load_u8_to_16((const uint8_t *)row + x);
    case ROW_U16:
        return v_sub16(v_load((const uint16_t *)row + x), bias);
    default:
        return v_load((const int16_t *)row + x);
    }
}

/* Level 0: centred samples of 16 bits, results of 16 bits. */
V_INLINE void vertical_fine(const AdmLevel *l, const void *const rows[ADM_TAPS], enum RowType type,
                            const Work *w, int x, int filters)
{
    const vi bias = v_set16((int16_t)l->in_bias);
    const vi s0 = load_samples(rows[0], type, x, bias), s1 = load_samples(rows[1], type, x, bias);
    const vi s2 = load_samples(rows[2], type, x, bias), s3 = load_samples(rows[3], type, x, bias);
    const vi first[2] = { v_zip_lo16(s0, s1), v_zip_hi16(s0, s1) };
    const vi second[2] = { v_zip_lo16(s2, s3), v_zip_hi16(s2, s3) };
    /* Bytes are centred in the sum; for `hi` that makes no difference. */
    const int centre = type == ROW_U8 ? TAP_SUM * l->in_bias : 0, half = 1 << (l->v_shift - 1);

    for (int f = 0; f < filters; f++) {
        const Taps t = f == LO ? taps_lo() : taps_hi();
        const vi start = v_set32(f == LO ? half - centre : half);
        const vi a = v_shr_s32(filter4(&t, start, first[0], second[0]), l->v_shift);
        const vi b = v_shr_s32(filter4(&t, start, first[1], second[1]), l->v_shift);
        v_store(w->row[f][HIGH] + x, v_pack_s32(a, b));
    }
}

/* Level 1: samples of 16 bits, results of 32. */
V_INLINE void vertical_1(const void *const rows[ADM_TAPS], const Work *w, int x, int filters)
{
    const vi s0 = v_load((const int16_t *)rows[0] + x), s1 = v_load((const int16_t *)rows[1] + x);
    const vi s2 = v_load((const int16_t *)rows[2] + x), s3 = v_load((const int16_t *)rows[3] + x);
    const vi first[2] = { v_zip_lo16(s0, s1), v_zip_hi16(s0, s1) };
    const vi second[2] = { v_zip_lo16(s2, s3), v_zip_hi16(s2, s3) };
    const vi mask = v_set32(0xffff);

    for (int f = 0; f < filters; f++) {
        const Taps t = f == LO ? taps_lo() : taps_hi();
        const vi a = filter4(&t, v_zero(), first[0], second[0]);
        const vi b = filter4(&t, v_zero(), first[1], second[1]);
        const vi low = v_pack_u32(v_and(a, mask), v_and(b, mask));
        v_store(w->row[f][HIGH] + x, v_pack_s32(v_shr_s32(a, 16), v_shr_s32(b, 16)));
        v_store(w->row[f][LOW] + x, v_xor(low, v_set16(INT16_MIN)));
    }
}

/* Levels 2 and 3: samples and results of 32 bits. */
V_INLINE void vertical_2(const void *const rows[ADM_TAPS], const Work *w, int x, int filters)
{
    const vi flip = v_set16(INT16_MIN);
    vi high[2][2], low[2][2];
    for (int i = 0; i < 2; i++) {
        for (int p = 0; p < 2; p++) {
            const vi s0 = v_load((const int32_t *)rows[2 * p] + x + i * V32);
            const vi s1 = v_load((const int32_t *)rows[2 * p + 1] + x + i * V32);
            high[i][p] = v_blend_odd16(v_shr_u32(s0, 16), s1);
            low[i][p] = v_xor(v_blend_odd16(s0, v_shl32(s1, 16)), flip);
        }
    }
    for (int f = 0; f < filters; f++) {
        const Taps t = f == LO ? taps_lo() : taps_hi();
        const vi a = filter4_halves(&t, 16, high[0], low[0]);
        const vi b = filter4_halves(&t, 16, high[1], low[1]);
        v_store(w->row[f][HIGH] + x, v_pack_high16(a, b));
        v_store(w->row[f][LOW] + x, v_xor(v_pack_low16(a, b), flip));
    }
}

V_INLINE void vertical_step(const AdmLevel *l, const void *const rows[ADM_TAPS], enum RowType type,
                            const Work *w, int x, int filters)
{
    if (type == ROW_S32)
        vertical_2(rows, w, x, filters);
    else if (type == ROW_S16)
        vertical_1(rows, w, x, filters);
    else
        vertical_fine(l, rows, type, w, x, filters);
}

/* Prefetches these columns of the two rows below into the second cache. The next row of the bands
 * reads them, and rows lie too far apart for the hardware to predict. The nearest cache would not
 * keep them until then, because the rest of the row passes through it first. */
#define SECOND_CACHE 2
V_INLINE void fetch_below(const void *const rows[ADM_TAPS], enum RowType type, int x)
{
    static const uint8_t size[] = { [ROW_U8] = 1, [ROW_U16] = 2, [ROW_S16] = 2, [ROW_S32] = 4 };
    const uintptr_t last = (uintptr_t)rows[3], stride = last - (uintptr_t)rows[2];
    const uintptr_t at = last + (uintptr_t)x * size[type];
    __builtin_prefetch((const void *)(at + stride), 0, SECOND_CACHE);
    __builtin_prefetch((const void *)(at + 2 * stride), 0, SECOND_CACHE);
}

/* The columns that the detail bands need get both filters; the others get only `lo`, and only if
 * the low-pass band is wanted. The last step ends with the row and repeats columns already done. */
V_INLINE void vertical_row(const AdmLevel *l, const void *const rows[ADM_TAPS], enum RowType type,
                           const Work *w, bool low, bool detail)
{
    const int from = 2 * align_column(l->x0, V16) - 1, to = 2 * l->x1 + 1;
    const int last = l->in_w > V16 ? l->in_w - V16 : 0;
    for (int x = 0; x < last + V16; x += V16) {
        const int at = x < last ? x : last;
        fetch_below(rows, type, at);
        if (detail && at + V16 > from && at < to)
            vertical_step(l, rows, type, w, at, 2);
        else if (low)
            vertical_step(l, rows, type, w, at, 1);
    }
    for (int f = 0; f < FILTERS; f++) {
        extend_row(w->row[f][HIGH], l->in_w);
        if (type >= ROW_S16)
            extend_row(w->row[f][LOW], l->in_w);
    }
}

/* ---- horizontal passes ---- */

/* Neighbouring pairs for the taps of V32 columns, from column x on. */
typedef struct Pairs {
    vi first, second;
} Pairs;

V_INLINE Pairs load_pairs(const int16_t *row, int x)
{
    return (Pairs){ v_load(row + 2 * x - 1), v_load(row + 2 * x + 1) };
}

/* Writes V16 columns of a band of level 0. */
V_INLINE void put_fine(void *band, int x, const Taps *t, const Pairs p[2])
{
    const vi half = v_set32(1 << 15);
    const vi a = filter4(t, half, p[0].first, p[0].second),
             b = filter4(t, half, p[1].first, p[1].second);
    v_store((int16_t *)band + x, v_pack_high16(a, b));
}

/* Writes V32 columns of a band of the other levels. */
V_INLINE void put_coarse(void *band, int x, const Taps *t, int shift, const Pairs p[HALVES])
{
    const vi high[2] = { p[HIGH].first, p[HIGH].second }, low[2] = { p[LOW].first, p[LOW].second };
    v_store((int32_t *)band + x, filter4_halves(t, shift, high, low));
}

/* Writes the bands that come from one row of the vertical pass; one of them may be NULL. */
V_INLINE void horizontal_row(int16_t *const row[HALVES], bool fine, int shift, void *lo_band,
                             void *hi_band, int from, int to)
{
    const Taps lo = taps_lo(), hi = taps_hi();
    for (int x = from; x < to; x += fine ? V16 : V32) {
        const Pairs p[2] = { load_pairs(row[HIGH], x),
                             fine ? load_pairs(row[HIGH], x + V32) : load_pairs(row[LOW], x) };
        if (lo_band && fine)
            put_fine(lo_band, x, &lo, p);
        else if (lo_band)
            put_coarse(lo_band, x, &lo, shift, p);
        if (hi_band && fine)
            put_fine(hi_band, x, &hi, p);
        else if (hi_band)
            put_coarse(hi_band, x, &hi, shift, p);
    }
}

V_INLINE void split_row(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                        void *const detail[ADM_BANDS], enum RowType type, int shift)
{
    const bool fine = type < ROW_S16;
    const Work w = work_rows(l, work);
    vertical_row(l, rows, type, &w, a != NULL, detail != NULL);
    if (!detail) {
        horizontal_row(w.row[LO], fine, shift, a, NULL, 0, l->w);
        return;
    }
    const int step = fine ? V16 : V32;
    const int x0 = align_column(l->x0, step), x1 = align_column(l->x1 + step - 1, step);
    if (a) {
        horizontal_row(w.row[LO], fine, shift, a, NULL, 0, x0);
        horizontal_row(w.row[LO], fine, shift, a, detail[ADM_V], x0, l->x1);
        horizontal_row(w.row[LO], fine, shift, a, NULL, x1, l->w);
    } else {
        horizontal_row(w.row[LO], fine, shift, NULL, detail[ADM_V], x0, l->x1);
    }
    horizontal_row(w.row[HI], fine, shift, detail[ADM_H], detail[ADM_D], x0, l->x1);
}

/* ---- one function per level ---- */

/* Pictures have no margin to read, so a row narrower than a vector is copied to a buffer that has
 * one. */
V_INLINE void split_picture_row(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work,
                                void *a, void *const detail[ADM_BANDS], enum RowType type)
{
    if (l->in_w >= V16) {
        split_row(l, rows, work, a, detail, type, 16);
        return;
    }
    uint16_t copy[ADM_TAPS][V16] = { 0 };
    const void *copies[ADM_TAPS];
    for (int t = 0; t < ADM_TAPS; t++) {
        memcpy(copy[t], rows[t], (size_t)l->in_w * (type == ROW_U8 ? 1 : 2));
        copies[t] = copy[t];
    }
    split_row(l, copies, work, a, detail, type, 16);
}

static void split_row_8(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                        void *const detail[ADM_BANDS])
{
    split_picture_row(l, rows, work, a, detail, ROW_U8);
}

static void split_row_16(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                         void *const detail[ADM_BANDS])
{
    split_picture_row(l, rows, work, a, detail, ROW_U16);
}

static void split_row_1(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                        void *const detail[ADM_BANDS])
{
    split_row(l, rows, work, a, detail, ROW_S16, 15);
}

static void split_row_2(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                        void *const detail[ADM_BANDS])
{
    split_row(l, rows, work, a, detail, ROW_S32, 16);
}

static void split_row_3(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                        void *const detail[ADM_BANDS])
{
    split_row(l, rows, work, a, detail, ROW_S32, 15);
}

SIMD_ONCE void SIMD_FN(adm_split_init)(AdmDsp *dsp, unsigned bpc)
{
    dsp->split_row[0] = bpc > 8 ? split_row_16 : split_row_8;
    dsp->split_row[1] = split_row_1;
    dsp->split_row[2] = split_row_2;
    dsp->split_row[3] = split_row_3;
}
