/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ciede on the GPU: one kernel, in the variant that suits the device. */
#include "feature/ciede/ciede.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "feature/ciede/ciede_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(CiedeParams, CIEDE_PARAMS);

/* ENOUGH_WORKGROUPS workgroups fill a large GPU. In small pictures each workgroup takes fewer
 * rows. */
enum { ENOUGH_WORKGROUPS = 2000, MIN_STEPS = 2, MAX_STEPS = 32 };

static unsigned workgroup_rows(const FrameShape *shape)
{
    const unsigned strips = gpu_workgroups(shape->w[0], CIEDE_TILE_W);
    const unsigned steps = shape->h[0] * strips / (CIEDE_GROUP_H * ENOUGH_WORKGROUPS);
    return CIEDE_GROUP_H * (steps < MIN_STEPS ? MIN_STEPS : steps > MAX_STEPS ? MAX_STEPS : steps);
}

/* The difference between a double and the float nearest to it. */
static float low_part(double value)
{
    return (float)(value - (double)(float)value);
}

/* Stores a point for kernels that work in pairs of floats. */
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

/* Stores a point for kernels that work in doubles; ciede_tile.h describes the format. */
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

/* Adds the terms of a curve's Taylor series at x to `terms`. */
typedef void SeriesAt(double x, double terms[CIEDE_TERMS]);

static void light_at(double v, double terms[CIEDE_TERMS])
{
    const double base = (v + CURVE_OFFSET) * CURVE_SCALE;
    double share = 1.0; /* binomial coefficient, times a power of the slope of base */
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

/* The curve weight * cos(times * x + shift). */
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

void ciede_fill_curves(float *table)
{
    fill_curve(table, CIEDE_LIGHTS, CIEDE_LIGHT_COUNT, 1024.0, light_at);
    fill_curve(table, CIEDE_ARCS, CIEDE_ARC_COUNT, 256.0, arc_at);
    fill_curve(table, CIEDE_SINES, CIEDE_SINE_COUNT, 128.0, sine_at);
    fill_curve(table, CIEDE_HUES, CIEDE_HUE_COUNT, 256.0, hue_at);
    fill_curve(table, CIEDE_BELLS, CIEDE_BELL_COUNT, 64.0, bell_at);
}

static int make_curves(GpuPlan *plan, GpuBuf *curves)
{
    float *table = mem_array(CIEDE_CURVE_FLOATS, sizeof(*table));
    if (!table)
        return -ENOMEM;
    ciede_fill_curves(table);
    *curves = gpu_table(plan, table, CIEDE_CURVE_FLOATS * sizeof(*table));
    mem_free(table);
    return 0;
}

/* ---- the plan ---- */

enum { DIFFERENCES }; /* number of the buffer that settle fetches */

static size_t workgroup_count(const FrameShape *shape)
{
    return (size_t)gpu_workgroups(shape->w[0], CIEDE_TILE_W) *
           gpu_workgroups(shape->h[0], workgroup_rows(shape));
}

static size_t pixel_count(const FrameShape *shape)
{
    return (size_t)shape->w[0] * shape->h[0];
}

/* Room in the list of pixels. About one pixel in a thousand is listed. */
static uint32_t list_size(const FrameShape *shape)
{
    return (uint32_t)(1024 + pixel_count(shape) / 128);
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
        .tiles_x = gpu_workgroups(shape->w[0], CIEDE_TILE_W),
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
        .rows = workgroup_rows(shape),
        .list_at = (uint32_t)(CIEDE_SUM_WORDS * workgroup_count(shape)),
        .list_size = list_size(shape),
    };
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const unsigned across = gpu_workgroups(f->shape.w[0], CIEDE_TILE_W),
                   down = gpu_workgroups(f->shape.h[0], workgroup_rows(&f->shape));
    const size_t words = CIEDE_SUM_WORDS * workgroup_count(&f->shape) +
                         (size_t)CIEDE_LISTED_WORDS * list_size(&f->shape);
    const GpuBuf sums = gpu_result(plan, words * sizeof(uint32_t), false);
    const GpuBuf differences = gpu_scratch(plan, pixel_count(&f->shape) * sizeof(uint32_t)),
                 listed = gpu_scratch_zeroed(plan, sizeof(uint32_t));
    GpuBuf curves;
    const int err = make_curves(plan, &curves);
    if (err)
        return err;
    const char *const kernels[] = {
        gpu_by_depth(f, "ciede_8_fused", "ciede_16_fused"),
        gpu_by_depth(f, "ciede_8", "ciede_16"),
    };
    gpu_keep(plan, differences, DIFFERENCES);
    const CiedeParams params = make_params(&f->shape, plan);
    /* Both variants are launched; the one that does not suit the device returns at once. */
    for (unsigned i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
        gpu_pass(plan, &(GpuPass){
                           .kernel = kernels[i],
                           GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_ref(plan, 1), gpu_ref(plan, 2),
                                            gpu_dist(plan, 0), gpu_dist(plan, 1), gpu_dist(plan, 2),
                                            curves, sums, differences, listed),
                           GPU_PASS_PARAMS(&params),
                           .workgroups = { across, down },
                       });
    return 0;
}

/* ---- its results ---- */

/* The sum of differences, and data that show whether it depends on their order. */
typedef struct Total {
    double sum;
    unsigned least; /* smallest exponent (as stored in a float) of the differences that are not 0 */
    size_t listed;  /* pixels that are left to the CPU */
} Total;

static Total total_of(const FrameShape *shape, const uint32_t *readback)
{
    Total total = { .least = 255 };
    for (size_t i = workgroup_count(shape); i-- > 0; readback += CIEDE_SUM_WORDS) {
        const unsigned least = 255 - (readback[2] >> 24);
        total.sum += ldexp((double)gpu_read_u64(readback), -CIEDE_SUM_BITS);
        total.least = least < total.least ? least : total.least;
        total.listed += readback[2] & 0xffffff;
    }
    return total;
}

static void add(Total *total, float difference)
{
    uint32_t bits;
    memcpy(&bits, &difference, sizeof(bits));
    if (!bits)
        return;
    total->sum += difference;
    total->least = bits >> 23 < total->least ? bits >> 23 : total->least;
}

/* True if a double holds every intermediate sum exactly. All of them are multiples of the last
 * place of the smallest difference. Then no addition loses a bit, in any order. */
static bool is_exact(const Total *total)
{
    const int unit = (int)total->least - 150; /* the last place is worth 2^unit */
    int end;
    frexp(total->sum, &end); /* the sum is below 2^end */
    return unit >= -CIEDE_SUM_BITS && end - unit <= 53;
}

static const uint32_t *list_of(const FrameShape *shape, const void *readback)
{
    return (const uint32_t *)readback + CIEDE_SUM_WORDS * workgroup_count(shape);
}

/* Computes the differences of all listed pixels on the CPU. */
static int measure_listed(const Feature *f, const uint32_t *list, size_t count, float *differences)
{
    uint16_t *const samples = mem_array(6 * count + 1, sizeof(*samples));
    if (!samples)
        return -ENOMEM;
    uint16_t *const ref = samples, *const dist = samples + 3 * count;
    for (size_t i = 0; i < count; i++, list += CIEDE_LISTED_WORDS)
        for (unsigned p = 0; p < 3; p++) {
            ref[p * count + i] = (uint16_t)list[1 + p];
            dist[p * count + i] = (uint16_t)(list[1 + p] >> 16);
        }
    ciede_differences(f, differences, &(CiedeRow){ ref, ref + count, ref + 2 * count },
                      &(CiedeRow){ dist, dist + count, dist + 2 * count }, count);
    mem_free(samples);
    return 0;
}

/* Returns the differences of all listed pixels; free them with mem_free. Returns NULL and sets *err
 * to -ENOMEM, or to -EAGAIN if the list was too short. */
static float *settle_listed(const Feature *f, const void *readback, size_t listed, int *err)
{
    *err = listed > list_size(&f->shape) ? -EAGAIN : 0;
    float *const differences = *err ? NULL : mem_array(listed + 1, sizeof(*differences));
    if (!*err)
        *err = differences ? measure_listed(f, list_of(&f->shape, readback), listed, differences)
                           : -ENOMEM;
    if (!*err)
        return differences;
    mem_free(differences);
    return NULL;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    Total total = total_of(&f->shape, readback);
    int err;
    float *const differences = settle_listed(f, readback, total.listed, &err);
    for (size_t i = 0; !err && i < total.listed; i++)
        add(&total, differences[i]);
    mem_free(differences);
    if (!err && !is_exact(&total))
        err = -EAGAIN;
    *(CiedeResult *)result = (CiedeResult){ total.sum };
    return err;
}

/* Fetches all differences and adds them up in the CPU's order. */
static int settle(const Feature *f, const GpuFrame *frame, const void *readback, void *result)
{
    const uint32_t *const list = list_of(&f->shape, readback);
    const size_t listed = total_of(&f->shape, readback).listed, pixels = pixel_count(&f->shape);
    int err;
    float *const some = settle_listed(f, readback, listed, &err);
    float *const all = err ? NULL : mem_array(pixels, sizeof(*all));
    if (!err)
        err = all ? gpu_fetch(frame, DIFFERENCES, all, pixels * sizeof(*all)) : -ENOMEM;
    for (size_t i = 0; !err && i < listed; i++)
        all[list[CIEDE_LISTED_WORDS * i]] = some[i];
    double sum = 0.0;
    for (size_t i = 0; !err && i < pixels; i++)
        sum += all[i];
    *(CiedeResult *)result = (CiedeResult){ sum };
    mem_free(some);
    mem_free(all);
    return err;
}

const FeatureGpu ciede_gpu = { .plan = plan_frame, .collect = collect, .settle = settle };
