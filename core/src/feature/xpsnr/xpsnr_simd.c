/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The tile functions of xpsnr with vectors. A tile is taken in blocks of V16 (wide lanes: V32)
 * columns, each from its first row to its last. The lanes of a block's sum have 32 bits, which the
 * rows of a tile cannot overflow: 64 * 24 * 32768 in the high-pass, 64 * 2 * 4095^2 in squares.
 *
 * The high-pass fits 16-bit lanes up to 10 bits a sample, and differences fit them up to 12. */
#include "base/simd.h"
#include "feature/xpsnr/xpsnr.h"

void SIMD_FN(xpsnr_dsp_init)(XpsnrDsp *dsp, unsigned bpc, unsigned order, bool large);

/* ---- blocks at the left and right edge of a plane ---- */

enum {
    PAD = 4, /* columns that a block may read on either side */
    EDGE_ROWS = XPSNR_TILE_ROWS + 5,
    EDGE_COLUMNS = V16 + 2 * PAD,
};

/* A copy of the rows of one block, with zeros beyond the edges of the plane. */
typedef struct Edge {
    const void *row[EDGE_ROWS];
    uint8_t samples[EDGE_ROWS][EDGE_COLUMNS * sizeof(uint16_t)];
} Edge;

V_INLINE int is_inside(unsigned x, unsigned columns, unsigned w, unsigned reach)
{
    return x >= reach && x + columns + reach <= w;
}

/* Copies rows[from] to rows[to - 1], and returns them such that column x is at PAD. With
 * `repeat`, column w of an odd width is a copy of the one before it. */
static XpsnrRows copy_edge(Edge *edge, XpsnrRows rows, int from, int to, unsigned x, unsigned w,
                           int bytes, int repeat)
{
    const unsigned first = x < PAD ? 0 : x - PAD;
    const unsigned end = x + V16 + PAD < w ? x + V16 + PAD : w, size = (unsigned)bytes;
    for (int y = from; y < to; y++) {
        uint8_t *const copy = memset(edge->samples[y - from], 0, sizeof(edge->samples[0]));
        uint8_t *const at = copy + (first + PAD - x) * size;
        const uint8_t *const row = rows[y];
        memcpy(at, row + (size_t)first * size, (size_t)(end - first) * size);
        if (repeat && w % 2 && x + V16 + PAD > w)
            memcpy(at + (end - first) * size, row + (size_t)(w - 1) * size, size);
        edge->row[y - from] = copy;
    }
    return edge->row - from;
}

/* Returns all ones in the lanes of 16 bits that hold columns from `border` to w - 1 - border. With
 * `cells`, a lane is set if the even column at or before it is. */
static vi inner_columns(unsigned x, unsigned w, unsigned border, int cells)
{
    uint16_t mask[V16];
    for (unsigned i = 0; i < V16; i++) {
        const unsigned column = cells ? (x + i) / 2 * 2 : x + i;
        mask[i] = column >= border && column + border < w ? 0xffff : 0;
    }
    return v_load(mask);
}

/* ---- samples and sums ---- */

V_INLINE const void *sample_at(const void *row, unsigned x, int bytes)
{
    return (const uint8_t *)row + (size_t)x * (size_t)bytes;
}

V_INLINE vi load16(const void *row, unsigned x, int bytes)
{
    const void *const at = sample_at(row, x, bytes);
    return bytes == 1 ? v_load_u8_to_16(at) : v_load(at);
}

/* Loads samples of 16 bits as signed numbers. */
V_INLINE vi load32(const void *row, unsigned x)
{
    return v_load_s16_to_32(sample_at(row, x, 2));
}

/* Adds lanes that hold two columns each. */
V_INLINE void add_pairs(uint64_t *sums, vi pairs)
{
    v_store(sums, v_add64(v_load(sums), v_widen_sum_u32(pairs)));
}

/* Adds lanes that hold one column each. */
V_INLINE void add_columns(uint64_t *sums, vi columns)
{
    uint64_t pairs[V64];
    v_store(pairs, v_widen_sum_u32(columns));
    for (int i = 0; i < V64; i++)
        sums[i / 2] += pairs[i];
}

/* ---- the high-pass ---- */

V_INLINE vi blur16(const void *row, unsigned x, int bytes, vi center)
{
    return v_add16(v_add16(load16(row, x - 1, bytes), load16(row, x + 1, bytes)),
                   v_add16(center, center));
}

V_INLINE vi spatial_block16(XpsnrRows rows, unsigned n, unsigned x, vi inner, int bytes)
{
    const vi ones = v_set16(1), sixteen = v_set16(16);
    vi center = load16(rows[0], x, bytes), here = blur16(rows[0], x, bytes, center);
    vi above = blur16(rows[-1], x, bytes, load16(rows[-1], x, bytes));
    vacc sum = v_acc_zero();
    for (unsigned y = 0; y < n; y++) {
        const vi next = load16(rows[y + 1], x, bytes);
        const vi below = blur16(rows[y + 1], x, bytes, next);
        const vi blurred = v_add16(v_add16(above, below), v_add16(here, here));
        const vi f = v_abs_s16(v_sub16(v_mul16(center, sixteen), blurred));
        sum = v_acc_madd16(sum, v_and(f, inner), ones);
        above = here;
        here = below;
        center = next;
    }
    return v_acc_sum(sum);
}

V_INLINE vi blur32(const void *row, unsigned x, vi center)
{
    return v_add32(v_add32(load32(row, x - 1), load32(row, x + 1)), v_add32(center, center));
}

V_INLINE vi spatial_block32(XpsnrRows rows, unsigned n, unsigned x, vi inner)
{
    vi center = load32(rows[0], x), here = blur32(rows[0], x, center);
    vi above = blur32(rows[-1], x, load32(rows[-1], x)), sum = v_zero();
    for (unsigned y = 0; y < n; y++) {
        const vi next = load32(rows[y + 1], x), below = blur32(rows[y + 1], x, next);
        const vi blurred = v_add32(v_add32(above, below), v_add32(here, here));
        sum = v_add32(sum, v_and(v_abs_s32(v_sub32(v_shl32(center, 4), blurred)), inner));
        above = here;
        here = below;
        center = next;
    }
    return sum;
}

V_INLINE void spatial(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0, unsigned x1,
                      unsigned w, int bytes, int wide)
{
    const unsigned step = wide ? V32 : V16;
    for (unsigned x = x0; x < x1; x += step, sums += step / 4) {
        XpsnrRows at = rows;
        unsigned column = x;
        vi inner = v_set32(-1);
        Edge edge;
        if (!is_inside(x, step, w, 1)) {
            at = copy_edge(&edge, rows, -1, (int)n + 1, x, w, bytes, 0);
            column = PAD;
            inner = inner_columns(x, w, 1, 0);
        }
        if (wide)
            add_columns(sums, spatial_block32(at, n, column, v_widen_lo_s16(inner)));
        else
            add_pairs(sums, spatial_block16(at, n, column, inner, bytes));
    }
}

static void spatial_8(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0, unsigned x1,
                      unsigned w)
{
    spatial(sums, rows, n, x0, x1, w, 1, 0);
}

static void spatial_10(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0, unsigned x1,
                       unsigned w)
{
    spatial(sums, rows, n, x0, x1, w, 2, 0);
}

static void spatial_16(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0, unsigned x1,
                       unsigned w)
{
    spatial(sums, rows, n, x0, x1, w, 2, 1);
}

/* ---- the high-pass of large pictures ---- */

/* Adds three pairs of columns of a row, or of the sum of two rows, with the taps of row 0, 1 or 2;
 * rows 5, 4 and 3 have the same. */
V_INLINE vacc add_taps(vacc sum, vi before, vi at, vi after, int row)
{
    static const int16_t taps[3][3][2] = {
        { { 0, -1 }, { -1, -1 }, { -1, 0 } },
        { { -1, -2 }, { -3, -3 }, { -2, -1 } },
        { { -1, -3 }, { 12, 12 }, { -3, -1 } },
    };
    sum = v_acc_madd16(sum, before, v_set_pair16(taps[row][0][0], taps[row][0][1]));
    sum = v_acc_madd16(sum, at, v_set_pair16(taps[row][1][0], taps[row][1][1]));
    return v_acc_madd16(sum, after, v_set_pair16(taps[row][2][0], taps[row][2][1]));
}

V_INLINE vi load_both(XpsnrRows rows, int row, unsigned x, int bytes)
{
    return v_add16(load16(rows[row - 2], x, bytes), load16(rows[3 - row], x, bytes));
}

/* With `full`, samples take all 16 bits of a lane, and the sum of two does not fit a lane. */
V_INLINE vi spatial_large_block(XpsnrRows rows, unsigned n, unsigned x, vi inner, int bytes,
                                int full)
{
    vi sum = v_zero();
    for (unsigned y = 0; y < n; y += 2, rows += 2) {
        vacc f = v_acc_zero();
        for (int row = 0; row < (full ? 6 : 3); row++) {
            const void *const one = rows[row - 2];
            const vi before = full ? load16(one, x - 2, 2) : load_both(rows, row, x - 2, bytes);
            const vi at = full ? load16(one, x, 2) : load_both(rows, row, x, bytes);
            const vi after = full ? load16(one, x + 2, 2) : load_both(rows, row, x + 2, bytes);
            f = add_taps(f, before, at, after, row < 3 ? row : 5 - row);
        }
        sum = v_add32(sum, v_and(v_abs_s32(v_acc_sum(f)), inner));
    }
    return sum;
}

V_INLINE void spatial_large(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0, unsigned x1,
                            unsigned w, int bytes, int full)
{
    for (unsigned x = x0; x < x1; x += V16, sums += V64) {
        XpsnrRows at = rows;
        unsigned column = x;
        vi inner = v_set32(-1);
        Edge edge;
        if (!is_inside(x, V16, w, 3)) {
            at = copy_edge(&edge, rows, -2, (int)(n + n % 2) + 2, x, w, bytes, 1);
            column = PAD;
            inner = inner_columns(x, w, 2, 1);
        }
        add_pairs(sums, spatial_large_block(at, n, column, inner, bytes, full));
    }
}

static void spatial_large_8(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0, unsigned x1,
                            unsigned w)
{
    spatial_large(sums, rows, n, x0, x1, w, 1, 0);
}

static void spatial_large_12(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0, unsigned x1,
                             unsigned w)
{
    spatial_large(sums, rows, n, x0, x1, w, 2, 0);
}

static void spatial_large_16(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0, unsigned x1,
                             unsigned w)
{
    spatial_large(sums, rows, n, x0, x1, w, 2, 1);
}

/* ---- temporal differences ---- */

V_INLINE vi temporal_block16(XpsnrRows rows, const XpsnrRows earlier[2], unsigned n, unsigned x,
                             int bytes, int order)
{
    const vi ones = v_set16(1);
    vacc sum = v_acc_zero();
    for (unsigned y = 0; y < n; y++) {
        const vi before = load16(earlier[0][y], x, bytes);
        vi d = v_sub16(load16(rows[y], x, bytes), before);
        if (order > 1)
            d = v_add16(d, v_sub16(load16(earlier[1][y], x, bytes), before));
        sum = v_acc_madd16(sum, v_abs_s16(d), ones);
    }
    return v_acc_sum(sum);
}

V_INLINE vi temporal_block32(XpsnrRows rows, const XpsnrRows earlier[2], unsigned n, unsigned x,
                             int order)
{
    vi sum = v_zero();
    for (unsigned y = 0; y < n; y++) {
        const vi before = load32(earlier[0][y], x);
        vi d = v_sub32(load32(rows[y], x), before);
        if (order > 1)
            d = v_add32(d, v_sub32(load32(earlier[1][y], x), before));
        sum = v_add32(sum, v_abs_s32(d));
    }
    return sum;
}

/* Sums over cells of 2x2 samples. Pairs of columns are added up in 32 bits, so nothing overflows at
 * any depth. */
V_INLINE vi temporal_large_block(XpsnrRows rows, const XpsnrRows earlier[2], unsigned n, unsigned x,
                                 int bytes, int order)
{
    const vi ones = v_set16(1), minus = v_set16(order > 1 ? -2 : -1);
    vi sum = v_zero();
    for (unsigned y = 0; y < n; y += 2) {
        vacc cell = v_acc_zero();
        for (unsigned row = y; row < y + 2; row++) {
            cell = v_acc_madd16(cell, load16(rows[row], x, bytes), ones);
            cell = v_acc_madd16(cell, load16(earlier[0][row], x, bytes), minus);
            if (order > 1)
                cell = v_acc_madd16(cell, load16(earlier[1][row], x, bytes), ones);
        }
        sum = v_add32(sum, v_abs_s32(v_acc_sum(cell)));
    }
    return sum;
}

enum { NARROW, WIDE, LARGE };

V_INLINE void temporal(uint64_t *sums, XpsnrRows rows, const XpsnrRows earlier[2], unsigned n,
                       unsigned x0, unsigned x1, unsigned w, int bytes, int order, int kind)
{
    const unsigned step = kind == WIDE ? V32 : V16;
    for (unsigned x = x0; x < x1; x += step, sums += step / 4) {
        XpsnrRows at = rows, before[2] = { earlier[0], earlier[1] };
        unsigned column = x;
        Edge edge[3];
        if (x + step > w) {
            at = copy_edge(&edge[0], at, 0, (int)n, x, w, bytes, kind == LARGE);
            for (int i = 0; i < order; i++)
                before[i] =
                    copy_edge(&edge[i + 1], before[i], 0, (int)n, x, w, bytes, kind == LARGE);
            column = PAD;
        }
        if (kind == WIDE)
            add_columns(sums, temporal_block32(at, before, n, column, order));
        else if (kind == NARROW)
            add_pairs(sums, temporal_block16(at, before, n, column, bytes, order));
        else
            add_pairs(sums, temporal_large_block(at, before, n, column, bytes, order));
    }
}

#define DEFINE_TEMPORAL(name, bytes, order, kind)                                                  \
    static void name(uint64_t *sums, XpsnrRows rows, const XpsnrRows earlier[2], unsigned n,       \
                     unsigned x0, unsigned x1, unsigned w)                                         \
    {                                                                                              \
        temporal(sums, rows, earlier, n, x0, x1, w, bytes, order, kind);                           \
    }

DEFINE_TEMPORAL(temporal_1_8, 1, 1, NARROW)
DEFINE_TEMPORAL(temporal_2_8, 1, 2, NARROW)
DEFINE_TEMPORAL(temporal_1_12, 2, 1, NARROW)
DEFINE_TEMPORAL(temporal_2_12, 2, 2, NARROW)
DEFINE_TEMPORAL(temporal_1_16, 2, 1, WIDE)
DEFINE_TEMPORAL(temporal_2_16, 2, 2, WIDE)
DEFINE_TEMPORAL(temporal_1_large_8, 1, 1, LARGE)
DEFINE_TEMPORAL(temporal_2_large_8, 1, 2, LARGE)
DEFINE_TEMPORAL(temporal_1_large_16, 2, 1, LARGE)
DEFINE_TEMPORAL(temporal_2_large_16, 2, 2, LARGE)

/* ---- squared errors ---- */

/* Adds squared errors to sums of two columns each. */
V_INLINE void squares_block16(uint64_t *sums, XpsnrRows ref, XpsnrRows dist, unsigned n, unsigned x,
                              int bytes)
{
    vacc acc = v_acc_zero();
    for (unsigned y = 0; y < n; y++) {
        const vi d = v_sub16(load16(ref[y], x, bytes), load16(dist[y], x, bytes));
        acc = v_acc_madd16(acc, d, d);
    }
    uint32_t pairs[V32];
    v_store(pairs, v_acc_sum(acc));
    for (int i = 0; i < V32; i++)
        sums[i] += pairs[i];
}

V_INLINE void squares_block32(uint64_t *sums, XpsnrRows ref, XpsnrRows dist, unsigned n, unsigned x)
{
    vi sum = v_load(sums);
    for (unsigned y = 0; y < n; y++) {
        const vi a = v_load_u16_to_32(sample_at(ref[y], x, 2));
        const vi b = v_load_u16_to_32(sample_at(dist[y], x, 2));
        const vi even = v_sub32(a, b), odd = v_shr_u64(even, 32);
        sum = v_add64(sum, v_add64(v_mul_even_s32(even, even), v_mul_even_s32(odd, odd)));
    }
    v_store(sums, sum);
}

/* In a tile that is not whole, rows end at x1. */
V_INLINE void squares(uint64_t *sums, XpsnrRows ref, XpsnrRows dist, unsigned n, unsigned x0,
                      unsigned x1, int bytes, int wide)
{
    const unsigned step = wide ? V32 : V16;
    for (unsigned x = x0; x < x1; x += step, sums += step / 2) {
        XpsnrRows a = ref, b = dist;
        unsigned column = x;
        Edge edge[2];
        if (x + step > x1) {
            a = copy_edge(&edge[0], ref, 0, (int)n, x, x1, bytes, 0);
            b = copy_edge(&edge[1], dist, 0, (int)n, x, x1, bytes, 0);
            column = PAD;
        }
        if (wide)
            squares_block32(sums, a, b, n, column);
        else
            squares_block16(sums, a, b, n, column, bytes);
    }
}

static void squares_8(uint64_t *sums, XpsnrRows ref, XpsnrRows dist, unsigned n, unsigned x0,
                      unsigned x1)
{
    squares(sums, ref, dist, n, x0, x1, 1, 0);
}

static void squares_12(uint64_t *sums, XpsnrRows ref, XpsnrRows dist, unsigned n, unsigned x0,
                       unsigned x1)
{
    squares(sums, ref, dist, n, x0, x1, 2, 0);
}

static void squares_16(uint64_t *sums, XpsnrRows ref, XpsnrRows dist, unsigned n, unsigned x0,
                       unsigned x1)
{
    squares(sums, ref, dist, n, x0, x1, 2, 1);
}

SIMD_ONCE void SIMD_FN(xpsnr_dsp_init)(XpsnrDsp *dsp, unsigned bpc, unsigned order, bool large)
{
    if (bpc == 8) {
        dsp->spatial = large ? spatial_large_8 : spatial_8;
        dsp->squares = squares_8;
    } else {
        dsp->spatial = large      ? bpc > 12 ? spatial_large_16 : spatial_large_12
                       : bpc > 10 ? spatial_16
                                  : spatial_10;
        dsp->squares = bpc > 12 ? squares_16 : squares_12;
    }
    if (large)
        dsp->temporal = bpc == 8    ? order > 1 ? temporal_2_large_8 : temporal_1_large_8
                        : order > 1 ? temporal_2_large_16
                                    : temporal_1_large_16;
    else if (order > 1)
        dsp->temporal = bpc == 8 ? temporal_2_8 : bpc > 12 ? temporal_2_16 : temporal_2_12;
    else
        dsp->temporal = bpc == 8 ? temporal_1_8 : bpc > 12 ? temporal_1_16 : temporal_1_12;
}
