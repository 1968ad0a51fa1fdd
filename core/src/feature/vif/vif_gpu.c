/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The passes of vif on a GPU. Each scale is one stage, which sums the scale and halves it for the
 * next; the last two scales share a stage, since the last one halves for itself. Small pictures
 * have passes of their own. */
#include "feature/vif/vif.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "feature/vif/vif_tile.h"
#include "gpu/feature_gpu.h"

/* ---- Pictures under 16 samples wide or high */

GPU_PARAMS(VifSmallPackParams, VIF_SMALL_PACK_PARAMS);
GPU_PARAMS(VifSmallHalveParams, VIF_SMALL_HALVE_PARAMS);
GPU_PARAMS(VifSmallStatsParams, VIF_SMALL_STATS_PARAMS);

/* In smaller pictures borders are reflected twice, and the last scale may be one sample wide or
 * high. */
#define SMALL_SIZE 16

/* Words of the result for each sample. */
enum { SAMPLE_WORDS = 3 };

typedef struct SmallPlane {
    GpuBuf pictures; /* both pictures in one word */
    uint32_t w, h;
} SmallPlane;

static bool is_small(const Feature *f)
{
    return f->shape.w[0] < SMALL_SIZE || f->shape.h[0] < SMALL_SIZE;
}

static bool is_counted(const Feature *f, unsigned scale)
{
    const VifOptions *const options = f->options;
    return scale > 0 || !options->skip_scale0;
}

static size_t scale_samples(const Feature *f, unsigned scale)
{
    return is_counted(f, scale) ? (size_t)(f->shape.w[0] >> scale) * (f->shape.h[0] >> scale) : 0;
}

static SmallPlane small_new_plane(GpuPlan *plan, uint32_t w, uint32_t h)
{
    return (SmallPlane){ gpu_scratch(plan, (size_t)w * h * sizeof(uint32_t)), w, h };
}

static SmallPlane small_plan_pack(const Feature *f, GpuPlan *plan)
{
    const SmallPlane packed = small_new_plane(plan, f->shape.w[0], f->shape.h[0]);
    const VifSmallPackParams params = {
        .width = packed.w,
        .height = packed.h,
        .stride = gpu_plane_stride(plan, 0),
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = gpu_by_depth(f, "vif_small_pack_8", "vif_small_pack_16"),
                       GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_dist(plan, 0), packed.pictures),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(packed.w, VIF_SMALL_W),
                                       gpu_workgroups(packed.h, VIF_SMALL_H) },
                   });
    return packed;
}

static SmallPlane small_plan_halve(const Feature *f, GpuPlan *plan, unsigned scale,
                                   const SmallPlane *from)
{
    const SmallPlane half = small_new_plane(plan, from->w / 2, from->h / 2);
    const VifSmallHalveParams params = {
        .width = from->w,
        .height = from->h,
        .scale = scale,
        .mean_shift = scale == 1 ? f->shape.bpc : 16,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = "vif_small_halve",
                       GPU_PASS_BUFFERS(from->pictures, half.pictures),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(half.w, VIF_SMALL_W),
                                       gpu_workgroups(half.h, VIF_SMALL_H) },
                   });
    return half;
}

static void small_plan_stats(const Feature *f, GpuPlan *plan, unsigned scale, const SmallPlane *now,
                             const SmallPlane *before, GpuBuf moments, size_t first)
{
    const VifSmallStatsParams params = {
        .width = now->w,
        .height = now->h,
        .before_w = before->w,
        .before_h = before->h,
        .scale = scale,
        .mean_shift = scale == 0 ? f->shape.bpc : 16,
        .square_shift = scale == 0 ? 2 * (f->shape.bpc - 8) : 16,
        .first = (uint32_t)first,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = "vif_small_stats",
                       GPU_PASS_BUFFERS(now->pictures, before->pictures, moments),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(now->w, VIF_SMALL_W),
                                       gpu_workgroups(now->h, VIF_SMALL_H) },
                   });
}

static int small_plan(const Feature *f, GpuPlan *plan)
{
    size_t samples = 0, first = 0;
    for (unsigned s = 0; s < VIF_SCALES; s++)
        samples += scale_samples(f, s);
    const GpuBuf moments = gpu_result(plan, samples * SAMPLE_WORDS * sizeof(uint32_t), false);
    SmallPlane now = small_plan_pack(f, plan), before = now;
    gpu_next_stage(plan);
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        const SmallPlane half = s + 1 < VIF_SCALES ? small_plan_halve(f, plan, s + 1, &now) : now;
        if (is_counted(f, s))
            small_plan_stats(f, plan, s, &now, &before, moments, first);
        first += scale_samples(f, s) * SAMPLE_WORDS;
        before = now;
        now = half;
        gpu_next_stage(plan);
    }
    return 0;
}

static int small_collect(const Feature *f, const void *readback, void *result)
{
    const VifSetup *const setup = f->state;
    const uint32_t *words = readback;
    VifResult *const r = result;
    memset(r, 0, sizeof(*r));
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        const size_t samples = scale_samples(f, s);
        for (size_t i = 0; i < samples; i++, words += SAMPLE_WORDS)
            vif_add_pixel(&r->scale[s], (int32_t)words[0], (int32_t)words[1], (int32_t)words[2],
                          &setup->pixel);
    }
    return 0;
}

/* ---- All others */

GPU_PARAMS(VifHalveParams, VIF_HALVE_PARAMS);
GPU_PARAMS(VifStatsParams, VIF_STATS_PARAMS);

#define VIF_LAST_SCALE (VIF_SCALES - 1)

_Static_assert(VIF_SUMS_AT(VIF_SCALES) == VIF_UNSETTLED, "the result has a place for each scale");

/* One scale as the kernels see it: both pictures. */
typedef struct ScalePlanes {
    GpuBuf source[2];
    uint32_t width, height, stride;
} ScalePlanes;

static void split_double(double value, uint32_t *lo, uint32_t *hi)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    *lo = (uint32_t)bits;
    *hi = (uint32_t)(bits >> 32);
}

/* The slope is that of the logarithm in the middle of the run. The intercept is the lowest that
 * still reaches every value; a test shows that the line then stays below the next value
 * everywhere. */
void vif_log_lines_fill(uint32_t lines[][2], const uint16_t *table)
{
    for (uint32_t line = 0; line < VIF_LOG_LINES; line++) {
        const uint32_t first = VIF_LOG_FIRST + line * VIF_LOG_RUN;
        const double slope = 2048.0 / log(2.0) / (first + VIF_LOG_RUN / 2) * (1 << VIF_LOG_SHIFT);
        const uint32_t step = (uint32_t)(slope + 0.5);
        uint32_t base = 0;
        for (uint32_t x = first; x < first + VIF_LOG_RUN; x++) {
            const uint32_t wanted =
                ((uint32_t)table[x - VIF_LOG_FIRST] << VIF_LOG_SHIFT) - x * step;
            base = base > wanted ? base : wanted;
        }
        lines[line][0] = step;
        lines[line][1] = base;
    }
}

/* The planes of the next scale, which the pass on this scale fills. Allocates their buffer. */
static ScalePlanes halve_planes(GpuPlan *plan, const ScalePlanes *planes)
{
    const uint32_t width = planes->width / 2, height = planes->height / 2;
    const GpuBuf half = gpu_scratch(plan, (size_t)width * height * sizeof(uint32_t));
    return (ScalePlanes){ { half, half }, width, height, width };
}

static void plan_stats(const Feature *f, GpuPlan *plan, unsigned scale, const ScalePlanes *planes,
                       GpuBuf half, GpuBuf log_lines, GpuBuf sums)
{
    static const char *const kernels[2][VIF_SCALES + 1] = {
        { "vif_stats_0_8", "vif_stats_1", "vif_stats_2", "vif_stats_3", "vif_stats_0_16" },
        { "vif_stats_0_8_fractional", "vif_stats_1_fractional", "vif_stats_2_fractional",
          "vif_stats_3_fractional", "vif_stats_0_16_fractional" },
    };
    const VifOptions *const options = f->options;
    const double gain = options->gain_limit;
    const bool is_whole = floor(gain) == gain;
    VifStatsParams params = {
        .width = planes->width,
        .height = planes->height,
        .stride = planes->stride,
        .mean_shift = scale == 0 ? f->shape.bpc : 16,
        .square_shift = scale == 0 ? 2 * (f->shape.bpc - 8) : 16,
        .gain_whole = is_whole ? (uint32_t)gain : 0,
        .gain_room = is_whole ? UINT32_MAX / (uint32_t)gain : 0,
        .gain = (float)gain,
    };
    split_double(gain, &params.gain_lo, &params.gain_hi);
    split_double(gain * gain, &params.gain_square_lo, &params.gain_square_hi);
    gpu_pass(plan,
             &(GpuPass){
                 .kernel = kernels[!is_whole][scale == 0 && f->shape.bpc > 8 ? VIF_SCALES : scale],
                 GPU_PASS_BUFFERS(planes->source[0], planes->source[1], half, log_lines, sums),
                 GPU_PASS_PARAMS(&params),
                 .workgroups = { gpu_workgroups(planes->width, VIF_COLUMNS_AT(scale)),
                                 gpu_workgroups(planes->height, VIF_ROWS_AT(scale)) },
             });
}

/* Halves the picture when the statistics of scale 0 are not wanted. */
static void plan_halve(const Feature *f, GpuPlan *plan, const ScalePlanes *planes, GpuBuf half)
{
    const VifHalveParams params = {
        .width = planes->width,
        .height = planes->height,
        .stride = planes->stride,
        .mean_shift = f->shape.bpc,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = gpu_by_depth(f, "vif_halve_1_8", "vif_halve_1_16"),
                       GPU_PASS_BUFFERS(planes->source[0], planes->source[1], half),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(planes->width, VIF_COLUMNS_AT(0)),
                                       gpu_workgroups(planes->height, VIF_ROWS_AT(0)) },
                   });
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const VifOptions *const options = f->options;
    if (is_small(f))
        return small_plan(f, plan);
    const uint16_t *const table = ((const VifSetup *)f->state)->pixel.log_table;
    uint32_t lines[VIF_LOG_LINES][2];
    vif_log_lines_fill(lines, table);
    const GpuBuf log_lines = gpu_table(plan, lines, sizeof(lines));

    const GpuBuf sums = gpu_result(plan, VIF_RESULT_WORDS * sizeof(uint32_t), true);
    ScalePlanes planes = { { gpu_ref(plan, 0), gpu_dist(plan, 0) },
                           f->shape.w[0],
                           f->shape.h[0],
                           gpu_plane_stride(plan, 0) };
    for (unsigned scale = 0; scale < VIF_LAST_SCALE - 1; scale++) {
        const ScalePlanes half = halve_planes(plan, &planes);
        if (scale > 0 || !options->skip_scale0)
            plan_stats(f, plan, scale, &planes, half.source[0], log_lines, sums);
        else
            plan_halve(f, plan, &planes, half.source[0]);
        planes = half;
        gpu_next_stage(plan);
    }
    plan_stats(f, plan, VIF_LAST_SCALE - 1, &planes, planes.source[0], log_lines, sums);
    planes.width /= 2;
    planes.height /= 2;
    plan_stats(f, plan, VIF_LAST_SCALE, &planes, planes.source[0], log_lines, sums);
    return 0;
}

/* Adds the pixels that the kernels could not settle. -EAGAIN if there were too many for the
 * list. */
static int settle(const Feature *f, const uint32_t *words, VifResult *r)
{
    const VifSetup *const setup = f->state;
    const uint32_t count = words[VIF_UNSETTLED];
    for (uint32_t i = 0; i < count && i < VIF_UNSETTLED_MAX; i++) {
        const uint32_t *const pixel = words + VIF_UNSETTLED_AT(i);
        VifSums sums = { 0 };
        vif_add_pixel(&sums, (int32_t)pixel[1], (int32_t)pixel[2], (int32_t)pixel[3],
                      &setup->pixel);
        r->scale[pixel[0] % VIF_SCALES].num_log += sums.num_log;
    }
    return count > VIF_UNSETTLED_MAX ? -EAGAIN : 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const uint32_t *const words = readback;
    VifResult *const r = result;
    if (is_small(f))
        return small_collect(f, readback, result);
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        const uint32_t *const sums = words + VIF_SUMS_AT(s);
        r->scale[s] = (VifSums){
            .num_log = gpu_read_u64(sums + VIF_NUM_LOG),
            .den_log = gpu_read_u64(sums + VIF_DEN_LOG),
            .flat_energy = gpu_read_u64(sums + VIF_FLAT_ENERGY),
            .flat_count = gpu_read_u64(sums + VIF_FLAT_COUNT),
        };
    }
    return settle(f, words, r);
}

const FeatureGpu vif_gpu = {
    .plan = plan_frame,
    .collect = collect,
};
