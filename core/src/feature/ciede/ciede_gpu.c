/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ciede on the GPU: one pass, in the variant that suits the device. */
#include "feature/ciede/ciede.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "feature/ciede/ciede_dsp.h"
#include "feature/ciede/ciede_math.h"
#include "feature/ciede/ciede_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(CiedeParams, CIEDE_PARAMS);

/* Groups that fill a large GPU; in small pictures each of them takes fewer rows. */
enum { ENOUGH_GROUPS = 2000, MIN_STEPS = 2, MAX_STEPS = 32 };

static unsigned group_rows(const FrameShape *shape)
{
    const unsigned strips = gpu_groups(shape->w[0], CIEDE_TILE_W);
    const unsigned steps = shape->h[0] * strips / (CIEDE_GROUP_H * ENOUGH_GROUPS);
    return CIEDE_GROUP_H * (steps < MIN_STEPS ? MIN_STEPS : steps > MAX_STEPS ? MAX_STEPS : steps);
}

/* What a double loses as a float. */
static float low_part(double value)
{
    return (float)(value - (double)(float)value);
}

static void put(float *point, const double terms[CIEDE_TERMS])
{
    for (unsigned n = 0; n < 3; n++) {
        point[2 * n] = (float)terms[n];
        point[2 * n + 1] = low_part(terms[n]);
    }
    point[6] = (float)terms[3];
    point[7] = (float)terms[4];
}

/* The bits of a double, rounded to a multiple of `unit`. */
static uint64_t rounded_bits(double value, uint64_t unit)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (bits + unit / 2) & ~(unit - 1);
}

static void put_doubles(float *point, const double terms[CIEDE_TERMS])
{
    const uint64_t fourth = rounded_bits(terms[3], 1 << 20),
                   fifth = rounded_bits(terms[4], UINT64_C(1) << 32);
    const uint64_t third = rounded_bits(terms[2], 1 << 12) | (uint32_t)fourth >> 20;
    const uint32_t upper[] = { (uint32_t)(fourth >> 32), (uint32_t)(fifth >> 32) };
    memcpy(point, terms, 2 * sizeof(*terms));
    memcpy(point + 4, &third, sizeof(third));
    memcpy(point + 6, upper, sizeof(upper));
}

/* The terms of a curve's series at x; they are added to what is there. */
typedef void SeriesAt(double x, double terms[CIEDE_TERMS]);

static void light_at(double v, double terms[CIEDE_TERMS])
{
    const double base = (v + CURVE_OFFSET) * CURVE_SCALE;
    double share = 1.0; /* the binomial, and what base has of v */
    for (unsigned n = 0; n < CIEDE_TERMS; n++) {
        terms[n] += share * pow(base, CURVE_POWER - n);
        share *= (CURVE_POWER - n) / (n + 1.0) * CURVE_SCALE;
    }
}

static void arc_at(double slope, double terms[CIEDE_TERMS])
{
    const double angle = atan2(1.0, slope), length = hypot(1.0, slope);
    terms[0] += atan(slope);
    for (unsigned n = 1; n < CIEDE_TERMS; n++)
        terms[n] += (n % 2 ? 1.0 : -1.0) * sin(n * angle) / (n * pow(length, n));
}

/* Of weight * cos(times * x + shift) */
static void wave_at(double x, double weight, double times, double shift, double terms[CIEDE_TERMS])
{
    for (unsigned n = 0; n < CIEDE_TERMS; n++) {
        terms[n] += weight * cos(times * x + shift + n * (CIEDE_PI / 2.0));
        weight *= times / (n + 1.0);
    }
}

static void sine_at(double x, double terms[CIEDE_TERMS])
{
    wave_at(x, 1.0, 1.0, -CIEDE_PI / 2.0, terms);
    terms[0] = sin(x); /* exactly 0 at 0 */
}

static void hue_at(double hue, double terms[CIEDE_TERMS])
{
    terms[0] += 1.0;
    wave_at(hue, -0.17, 1.0, -CIEDE_PI / 6.0, terms);
    wave_at(hue, 0.24, 2.0, 0.0, terms);
    wave_at(hue, 0.32, 3.0, CIEDE_PI / 30.0, terms);
    wave_at(hue, -0.20, 4.0, -7.0 * CIEDE_PI / 20.0, terms);
}

static void bell_at(double x, double terms[CIEDE_TERMS])
{
    double term = exp(-x);
    for (unsigned n = 0; n < CIEDE_TERMS; n++, term *= -1.0 / n)
        terms[n] += term;
}

static void fill_curve(float *table, unsigned first, unsigned count, double steps, SeriesAt *at)
{
    for (unsigned i = 0; i < count; i++) {
        double terms[CIEDE_TERMS] = { 0 };
        at(i / steps, terms);
        put(table + (size_t)(first + i) * CIEDE_POINT_FLOATS, terms);
        put_doubles(table + (size_t)(CIEDE_POINTS + first + i) * CIEDE_POINT_FLOATS, terms);
    }
}

static int make_curves(GpuPlan *plan, GpuBuf *curves)
{
    float *table = mem_array(2 * CIEDE_POINTS, CIEDE_POINT_FLOATS * sizeof(*table));
    if (!table)
        return -ENOMEM;
    fill_curve(table, CIEDE_LIGHTS, CIEDE_LIGHT_COUNT, 1024.0, light_at);
    fill_curve(table, CIEDE_ARCS, CIEDE_ARC_COUNT, 256.0, arc_at);
    fill_curve(table, CIEDE_SINES, CIEDE_SINE_COUNT, 128.0, sine_at);
    fill_curve(table, CIEDE_HUES, CIEDE_HUE_COUNT, 256.0, hue_at);
    fill_curve(table, CIEDE_BELLS, CIEDE_BELL_COUNT, 64.0, bell_at);
    *curves = gpu_table(plan, table, 2 * CIEDE_POINTS * CIEDE_POINT_FLOATS * sizeof(*table));
    mem_free(table);
    return 0;
}

static CiedeParams make_params(const FrameShape *shape, const GpuPlan *plan)
{
    const CiedeRange range = ciede_range(shape->bpc);
    const double r_cr = R_FROM_CR * range.chroma_scale, b_cb = B_FROM_CB * range.chroma_scale;
    const double g_cb = G_FROM_CB * range.chroma_scale, g_cr = G_FROM_CR * range.chroma_scale;
    return (CiedeParams){
        .width = shape->w[0],
        .height = shape->h[0],
        .luma_stride = gpu_plane_stride(plan, 0),
        .chroma_w = shape->w[1],
        .chroma_h = shape->h[1],
        .chroma_stride = gpu_plane_stride(plan, 1),
        .subsampled = shape->pix_fmt != VMAF_PIX_FMT_YUV444P,
        .repeat = shape->pix_fmt == VMAF_PIX_FMT_YUV420P ? 2 : 1,
        .luma_offset = (float)range.luma_offset,
        .chroma_offset = (float)range.chroma_offset,
        .tiles_x = gpu_groups(shape->w[0], CIEDE_TILE_W),
        .luma_scale = (float)range.luma_scale,
        .luma_scale_low = low_part(range.luma_scale),
        .r_from_cr = (float)r_cr,
        .r_from_cr_low = low_part(r_cr),
        .g_from_cb = (float)g_cb,
        .g_from_cb_low = low_part(g_cb),
        .g_from_cr = (float)g_cr,
        .g_from_cr_low = low_part(g_cr),
        .b_from_cb = (float)b_cb,
        .b_from_cb_low = low_part(b_cb),
        .probe = 1.0f + 0x1p-12f,
        .rows = group_rows(shape),
    };
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const unsigned across = gpu_groups(f->shape.w[0], CIEDE_TILE_W),
                   down = gpu_groups(f->shape.h[0], group_rows(&f->shape));
    const GpuBuf sums = gpu_result(plan, (size_t)across * down * sizeof(uint64_t), false);
    GpuBuf curves;
    const int err = make_curves(plan, &curves);
    if (err)
        return err;
    const char *const kernels[] = {
        gpu_by_depth(f, "ciede_8_fused", "ciede_16_fused"),
        gpu_by_depth(f, "ciede_8", "ciede_16"),
    };
    const CiedeParams params = make_params(&f->shape, plan);
    for (unsigned i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) /* one leaves at once */
        gpu_pass(plan, &(GpuPass){
                           .kernel = kernels[i],
                           GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_ref(plan, 1), gpu_ref(plan, 2),
                                            gpu_dist(plan, 0), gpu_dist(plan, 1), gpu_dist(plan, 2),
                                            curves, sums),
                           GPU_PASS_PARAMS(&params),
                           .groups = { across, down },
                       });
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const uint64_t *sums = readback;
    const size_t count = (size_t)gpu_groups(f->shape.w[0], CIEDE_TILE_W) *
                         gpu_groups(f->shape.h[0], group_rows(&f->shape));
    CiedeResult *out = result;
    out->sum = 0.0;
    for (size_t i = 0; i < count; i++)
        out->sum += ldexp((double)sums[i], -CIEDE_SUM_BITS);
    return 0;
}

/* What the sum of a picture may be off by, as a share of it. A millionth of the differences have
 * another last bit than the CPU's: sums of ordinary pictures are within 1e-11 of it, those of tiny
 * ones with hardly any difference were seen 2e-9 off. The score is -20 * log10 of the mean, so it
 * moves by less than 1e-7. */
#define BOUND 1e-8

static bool same(const Feature *f, const void *a, const void *b)
{
    const double x = ((const CiedeResult *)a)->sum, y = ((const CiedeResult *)b)->sum;
    return fabs(x - y) <= BOUND * fabs(x);
}

const FeatureGpu ciede_gpu = { .plan = plan_frame, .collect = collect, .same = same };
