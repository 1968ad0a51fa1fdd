/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The row functions of ssimulacra2 in plain C: the truth. */
#include <math.h>
#include <string.h>

#include "base/simd_fn.h"
#include "feature/ssimulacra2/ssimulacra2.h"

typedef float f32;
typedef uint32_t u32;
#define DEVICE static inline
#define PRECISE
#define abs_f32(x) fabsf(x)
#define PICK_LESS(a, b, x, y) ((a) < (b) ? (x) : (y))
#define TIMES_SMALL(u, c) ((u) * (c))

static inline u32 bits_of_f32(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline f32 f32_of_bits(u32 bits)
{
    f32 x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

#include "feature/ssimulacra2/ssimulacra2_loops.h"
#include "feature/ssimulacra2/ssimulacra2_pixel.h"

/* ---- linear light ---- */

#define DEFINE_SAMPLES(bits, type)                                                                 \
    static void colour_##bits(float *const rgb[3], const void *luma, const float *u,               \
                              const float *v, unsigned n, const Ssimu2Matrix *m)                   \
    {                                                                                              \
        for (unsigned x = 0; x < n; x++) {                                                         \
            const f32 y = (f32)(((const type *)luma)[x] - m->black) * m->luma;                     \
            rgb[0][x] = ssimu2_light(ssimu2_clamp(y + m->red_v * v[x]));                           \
            rgb[1][x] = ssimu2_light(ssimu2_clamp((y - m->green_u * u[x]) - m->green_v * v[x]));   \
            rgb[2][x] = ssimu2_light(ssimu2_clamp(y + m->blue_u * u[x]));                          \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void grey_##bits(float *out, const void *samples, unsigned n, const Ssimu2Matrix *m)    \
    {                                                                                              \
        for (unsigned x = 0; x < n; x++)                                                           \
            out[x] = ssimu2_light(                                                                 \
                ssimu2_clamp((f32)(((const type *)samples)[x] - m->black) * m->luma));             \
    }

DEFINE_SAMPLES(8, uint8_t)
DEFINE_SAMPLES(16, uint16_t)

/* ---- scales ---- */

static void xyb(float *const out[3], const float *const rgb[3], unsigned n)
{
    for (unsigned x = 0; x < n; x++) {
        const f32 r = rgb[0][x], g = rgb[1][x], b = rgb[2][x];
        const f32 l = ssimu2_long(r, g, b), m = ssimu2_middle(r, g, b), s = ssimu2_short(r, g, b);
        out[0][x] = ssimu2_x(l, m);
        out[1][x] = ssimu2_y(l, m);
        out[2][x] = ssimu2_b(l, m, s);
    }
}

uint32_t ssimu2_mix_roots(void)
{
    u32 sum = 0;
    for (u32 bits = SSIMU2_ROOT_FIRST; bits < SSIMU2_ROOT_END; bits += SSIMU2_ROOT_STEP) {
        const u32 root = bits_of_f32(ssimu2_cube_root(f32_of_bits(bits)));
        sum += SSIMU2_ROOT_MIX(root);
    }
    return sum;
}

/* ---- error maps ---- */

static f32 across(const float *at)
{
    return ssimu2_blur(at[-4] + at[4], at[-3] + at[3], at[-2] + at[2], at[-1] + at[1], at[0]);
}

static void filter(Ssimu2Filtered out, const float *ref, const float *dist, unsigned n, bool ssim)
{
    float squares[SSIMU2_TILE + 2 * SSIMU2_REACH], products[SSIMU2_TILE + 2 * SSIMU2_REACH];
    for (unsigned x = 0; x < n; x++) {
        out[0][x] = across(ref + x);
        out[1][x] = across(dist + x);
    }
    if (!ssim)
        return;
    for (unsigned x = 0; x < n + 2 * SSIMU2_REACH; x++) {
        const f32 a = ref[(int)x - SSIMU2_REACH], d = dist[(int)x - SSIMU2_REACH];
        squares[x] = (a - d) * (a - d);
        products[x] = a * d;
    }
    for (unsigned x = 0; x < n; x++) {
        out[2][x] = across(squares + SSIMU2_REACH + x);
        out[3][x] = across(products + SSIMU2_REACH + x);
    }
}

static f32 down(const Ssimu2Filtered *const *rows, unsigned quantity, unsigned x)
{
    f32 at[SSIMU2_TAPS];
    for (unsigned k = 0; k < SSIMU2_TAPS; k++)
        at[k] = (*rows[k])[quantity][x];
    return across(at + SSIMU2_REACH);
}

static void add(Ssimu2Columns sums, unsigned map, unsigned x, f32 term)
{
    sums[map][x] += term;
    sums[map + 3][x] += ssimu2_fourth(term);
}

static void maps(Ssimu2Columns sums, const Ssimu2Filtered *const *rows, const float *ref,
                 const float *dist, unsigned n, bool ssim, bool edges)
{
    for (unsigned x = 0; x < n; x++) {
        const f32 of_ref = down(rows, 0, x), of_dist = down(rows, 1, x);
        if (ssim)
            add(sums, 0, x, ssimu2_ssim(of_ref, of_dist, down(rows, 2, x), down(rows, 3, x)));
        if (edges) {
            const f32 edge = ssimu2_edge(ref[x], of_ref, dist[x], of_dist);
            add(sums, 1, x, ssimu2_cut(edge));
            add(sums, 2, x, ssimu2_cut(-edge));
        }
    }
}

SIMD_DECLARE(ssimu2_dsp_init, Ssimu2Dsp *dsp, unsigned bpc, bool subsampled);

void ssimu2_dsp_init(Ssimu2Dsp *dsp, unsigned bpc, bool subsampled, unsigned cpu)
{
    *dsp = (Ssimu2Dsp){
        .chroma = chroma_function(bpc, subsampled),
        .colour = bpc > 8 ? colour_16 : colour_8,
        .grey = bpc > 8 ? grey_16 : grey_8,
        .xyb = xyb,
        .halve = halve,
        .filter = filter,
        .maps = maps,
    };
    SIMD_CALL(cpu, ssimu2_dsp_init, dsp, bpc, subsampled);
}
