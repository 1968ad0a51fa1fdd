/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The row functions of ssimulacra2 with vectors. The lanes of a vector hold neighbouring pixels,
 * each of which is computed as the scalar code does it. */
#include "base/simd.h"
#include "feature/ssimulacra2/ssimulacra2.h"
#include "feature/ssimulacra2/ssimulacra2_loops.h"

void SIMD_FN(ssimu2_dsp_init)(Ssimu2Dsp *dsp, unsigned bpc, bool subsampled);

typedef vf f32;
typedef v_u32 u32;
#define DEVICE V_INLINE
#define PRECISE
#define bits_of_f32(x) ((v_u32)(x))
#define f32_of_bits(x) ((vf)(x))
#define abs_f32(x) v_abs_f32(x)
#define PICK_LESS(a, b, x, y) v_select_f32(vm_gt_f32(LANES(b), LANES(a)), LANES(x), LANES(y))
#define LANES(x) _Generic((x), float : v_set_f32, vf : same)(x)
/* The upper halves of all lanes are 0, so the sum of two products is that of the lower halves. */
#define TIMES_SMALL(u, c) ((v_u32)v_madd16((vi)(u), v_set32(c)))

V_INLINE vf same(vf x)
{
    return x;
}

#include "feature/ssimulacra2/ssimulacra2_pixel.h"

/* ---- linear light ---- */

V_INLINE vf less_black(vi samples, int32_t black)
{
    return v_s32_to_f32(v_sub32(samples, v_set32(black)));
}

/* Loads two vectors of samples. */
V_INLINE void load_samples(vf luma[2], const void *row, unsigned x, int32_t black, int bytes)
{
    if (bytes == 1) {
        const vi samples = v_load_u8_to_16((const uint8_t *)row + x);
        luma[0] = less_black(v_widen_lo_s16(samples), black);
        luma[1] = less_black(v_widen_hi_s16(samples), black);
    } else {
        luma[0] = less_black(v_load_u16_to_32((const uint16_t *)row + x), black);
        luma[1] = less_black(v_load_u16_to_32((const uint16_t *)row + x + V32), black);
    }
}

V_INLINE void colour_block(float *const rgb[3], const float *u, const float *v, unsigned x, vf luma,
                           const Ssimu2Matrix *m)
{
    const vf y = luma * m->luma, cb = v_load_f32(u + x), cr = v_load_f32(v + x);
    v_store_f32(rgb[0] + x, ssimu2_light(ssimu2_clamp(y + m->red_v * cr)));
    v_store_f32(rgb[1] + x, ssimu2_light(ssimu2_clamp((y - m->green_u * cb) - m->green_v * cr)));
    v_store_f32(rgb[2] + x, ssimu2_light(ssimu2_clamp(y + m->blue_u * cb)));
}

V_INLINE void grey_block(float *out, unsigned x, vf luma, const Ssimu2Matrix *m)
{
    v_store_f32(out + x, ssimu2_light(ssimu2_clamp(luma * m->luma)));
}

/* Calls `block` for n samples of a row, a vector at a time; the last ones are copied first. */
#define FOR_SAMPLES(row, n, black, bytes, block)                                                   \
    do {                                                                                           \
        unsigned x = 0;                                                                            \
        vf lumas[2];                                                                               \
        for (; x + V16 <= (n);) {                                                                  \
            load_samples(lumas, row, x, black, bytes);                                             \
            for (unsigned half = 0; half < 2; half++, x += V32) {                                  \
                const vf luma = lumas[half];                                                       \
                block;                                                                             \
            }                                                                                      \
        }                                                                                          \
        if (x < (n)) {                                                                             \
            uint8_t rest[2 * V16] = { 0 };                                                         \
            memcpy(rest, (const uint8_t *)(row) + (size_t)x * (bytes), (size_t)((n)-x) * (bytes)); \
            load_samples(lumas, rest, 0, black, bytes);                                            \
            for (unsigned half = 0; x < (n); half++, x += V32) {                                   \
                const vf luma = lumas[half];                                                       \
                block;                                                                             \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define DEFINE_SAMPLES(bits, bytes)                                                                \
    static void colour_##bits(float *const rgb[3], const void *samples, const float *u,            \
                              const float *v, unsigned n, const Ssimu2Matrix *m)                   \
    {                                                                                              \
        FOR_SAMPLES(samples, n, m->black, bytes, colour_block(rgb, u, v, x, luma, m));             \
    }                                                                                              \
                                                                                                   \
    static void grey_##bits(float *out, const void *samples, unsigned n, const Ssimu2Matrix *m)    \
    {                                                                                              \
        FOR_SAMPLES(samples, n, m->black, bytes, grey_block(out, x, luma, m));                     \
    }

DEFINE_SAMPLES(8, 1)
DEFINE_SAMPLES(16, 2)

/* ---- XYB ---- */

static void xyb(float *const out[3], const float *const rgb[3], unsigned n)
{
    for (unsigned x = 0; x < n; x += V32) {
        const vf r = v_load_f32(rgb[0] + x), g = v_load_f32(rgb[1] + x);
        const vf b = v_load_f32(rgb[2] + x);
        const vf l = ssimu2_long(r, g, b), m = ssimu2_middle(r, g, b), s = ssimu2_short(r, g, b);
        v_store_f32(out[0] + x, ssimu2_x(l, m));
        v_store_f32(out[1] + x, ssimu2_y(l, m));
        v_store_f32(out[2] + x, ssimu2_b(l, m, s));
    }
}

/* ---- error maps ---- */

V_INLINE vf pair(const float *at, int k)
{
    return v_load_f32(at - k) + v_load_f32(at + k);
}

V_INLINE vf across(const float *at)
{
    return ssimu2_blur(pair(at, 4), pair(at, 3), pair(at, 2), pair(at, 1), v_load_f32(at));
}

static void filter(Ssimu2Filtered out, const float *ref, const float *dist, unsigned n, bool ssim)
{
    enum { LENGTH = SSIMU2_TILE + 2 * SSIMU2_REACH + SSIMU2_PAD };
    float squares[LENGTH], products[LENGTH];
    if (!ssim) {
        for (unsigned x = 0; x < n; x += V32) {
            v_store_f32(out[0] + x, across(ref + x));
            v_store_f32(out[1] + x, across(dist + x));
        }
        return;
    }
    for (unsigned x = 0; x < n + 2 * SSIMU2_REACH; x += V32) {
        const vf a = v_load_f32(ref - SSIMU2_REACH + x), d = v_load_f32(dist - SSIMU2_REACH + x);
        v_store_f32(squares + x, (a - d) * (a - d));
        v_store_f32(products + x, a * d);
    }
    for (unsigned x = 0; x < n; x += V32) {
        v_store_f32(out[0] + x, across(ref + x));
        v_store_f32(out[1] + x, across(dist + x));
        v_store_f32(out[2] + x, across(squares + SSIMU2_REACH + x));
        v_store_f32(out[3] + x, across(products + SSIMU2_REACH + x));
    }
}

V_INLINE vf row_pair(const Ssimu2Filtered *const *rows, unsigned quantity, unsigned x, int k)
{
    return v_load_f32((*rows[SSIMU2_REACH - k])[quantity] + x) +
           v_load_f32((*rows[SSIMU2_REACH + k])[quantity] + x);
}

V_INLINE vf down(const Ssimu2Filtered *const *rows, unsigned quantity, unsigned x)
{
    return ssimu2_blur(row_pair(rows, quantity, x, 4), row_pair(rows, quantity, x, 3),
                       row_pair(rows, quantity, x, 2), row_pair(rows, quantity, x, 1),
                       v_load_f32((*rows[SSIMU2_REACH])[quantity] + x));
}

V_INLINE void add(Ssimu2Columns sums, unsigned map, unsigned x, vf term)
{
    v_store_f32(sums[map] + x, v_load_f32(sums[map] + x) + term);
    v_store_f32(sums[map + 3] + x, v_load_f32(sums[map + 3] + x) + ssimu2_fourth(term));
}

V_INLINE void add_maps(Ssimu2Columns sums, const Ssimu2Filtered *const *rows, const float *ref,
                       const float *dist, unsigned n, int ssim, int edges)
{
    for (unsigned x = 0; x < n; x += V32) {
        const vf of_ref = down(rows, 0, x), of_dist = down(rows, 1, x);
        if (ssim)
            add(sums, 0, x, ssimu2_ssim(of_ref, of_dist, down(rows, 2, x), down(rows, 3, x)));
        if (edges) {
            const vf edge = ssimu2_edge(v_load_f32(ref + x), of_ref, v_load_f32(dist + x), of_dist);
            add(sums, 1, x, ssimu2_cut(edge));
            add(sums, 2, x, ssimu2_cut(-edge));
        }
    }
}

static void maps(Ssimu2Columns sums, const Ssimu2Filtered *const *rows, const float *ref,
                 const float *dist, unsigned n, bool ssim, bool edges)
{
    if (ssim && edges)
        add_maps(sums, rows, ref, dist, n, 1, 1);
    else if (ssim)
        add_maps(sums, rows, ref, dist, n, 1, 0);
    else
        add_maps(sums, rows, ref, dist, n, 0, 1);
}

SIMD_ONCE void SIMD_FN(ssimu2_dsp_init)(Ssimu2Dsp *dsp, unsigned bpc, bool subsampled)
{
    dsp->chroma = chroma_function(bpc, subsampled);
    dsp->colour = bpc > 8 ? colour_16 : colour_8;
    dsp->grey = bpc > 8 ? grey_16 : grey_8;
    dsp->xyb = xyb;
    dsp->halve = halve;
    dsp->filter = filter;
    dsp->maps = maps;
}
