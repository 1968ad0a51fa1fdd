/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The passes of VIF on a GPU: each stage sums up one scale and halves it for the next. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "feature/vif/vif.h"
#include "gpu/feature_gpu.h"

/* As in vif.kernel.h. */
#define GROUP_COLUMNS 128
#define HALVE_COLUMNS 60
#define HALVE_ROWS 8
#define STATS_ROWS 16
#define WORDS_PER_SCALE 8

/* Below it the last scale is one sample wide or high, where the borders follow rules of their own.
 */
#define GPU_MIN_SIZE 16

typedef struct HalveParams {
    uint32_t width, height, stride, mean_shift;
} HalveParams;

typedef struct StatsParams {
    uint32_t width, height, stride, mean_shift, square_shift, rows_per_group;
    uint32_t gain_whole;
    float gain;
    uint32_t gain_lo, gain_hi, gain_square_lo, gain_square_hi;
} StatsParams;

/* One scale as the kernels see it. */
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

static void plan_stats(const Feature *f, GpuPlan *plan, unsigned scale, const ScalePlanes *planes,
                       GpuBuf log_table, GpuBuf sums)
{
    static const char *const kernels[2][VIF_SCALES + 1] = {
        { "vif_stats_0_8", "vif_stats_1", "vif_stats_2", "vif_stats_3", "vif_stats_0_16" },
        { "vif_stats_0_8_fractional", "vif_stats_1_fractional", "vif_stats_2_fractional",
          "vif_stats_3_fractional", "vif_stats_0_16_fractional" },
    };
    static const unsigned reach[VIF_SCALES] = { 8, 4, 2, 1 };
    const VifOptions *const options = f->options;
    const double gain = options->gain_limit;
    StatsParams params = {
        .width = planes->width,
        .height = planes->height,
        .stride = planes->stride,
        .mean_shift = scale == 0 ? f->shape.bpc : 16,
        .square_shift = scale == 0 ? 2 * (f->shape.bpc - 8) : 16,
        .rows_per_group = STATS_ROWS,
        .gain_whole = floor(gain) == gain ? (uint32_t)gain : 0,
        .gain = (float)gain,
    };
    split_double(gain, &params.gain_lo, &params.gain_hi);
    split_double(gain * gain, &params.gain_square_lo, &params.gain_square_hi);
    gpu_pass(
        plan,
        &(GpuPass){
            .kernel =
                kernels[floor(gain) != gain][scale == 0 && f->shape.bpc > 8 ? VIF_SCALES : scale],
            .buffers = { planes->source[0], planes->source[1], log_table, sums },
            .buffer_count = 4,
            .params = &params,
            .params_size = sizeof(params),
            .groups = { gpu_groups(planes->width, GROUP_COLUMNS - 2 * reach[scale]),
                        gpu_groups(planes->height, STATS_ROWS), 1 },
        });
}

/* Adds the pass that makes the planes of `scale` and turns *planes into them. */
static void plan_halve(const Feature *f, GpuPlan *plan, unsigned scale, ScalePlanes *planes)
{
    static const char *const kernels[VIF_SCALES] = { NULL, NULL, "vif_halve_2", "vif_halve_3" };
    const uint32_t width = planes->width / 2, height = planes->height / 2;
    const GpuBuf half = gpu_scratch(plan, (size_t)width * height * sizeof(uint32_t));
    const HalveParams params = {
        .width = planes->width,
        .height = planes->height,
        .stride = planes->stride,
        .mean_shift = scale == 1 ? f->shape.bpc : 16,
    };
    gpu_pass(plan,
             &(GpuPass){
                 .kernel = scale == 1 ? gpu_by_depth(f, "vif_halve_1_8", "vif_halve_1_16")
                                      : kernels[scale],
                 .buffers = { planes->source[0], planes->source[1], half },
                 .buffer_count = 3,
                 .params = &params,
                 .params_size = sizeof(params),
                 .groups = { gpu_groups(width, HALVE_COLUMNS), gpu_groups(height, HALVE_ROWS), 1 },
             });
    *planes = (ScalePlanes){ { half, half }, width, height, width };
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const VifOptions *const options = f->options;
    if (f->shape.w[0] < GPU_MIN_SIZE || f->shape.h[0] < GPU_MIN_SIZE)
        return -ENOTSUP;
    uint16_t *const table = mem_alloc(VIF_LOG_ENTRIES * sizeof(*table));
    if (!table)
        return -ENOMEM;
    vif_log_table_fill(table);
    const GpuBuf log_table = gpu_table(plan, table, VIF_LOG_ENTRIES * sizeof(*table));
    mem_free(table);

    const GpuBuf sums =
        gpu_result(plan, (VIF_SCALES * WORDS_PER_SCALE + 1) * sizeof(uint32_t), true);
    ScalePlanes planes = { { gpu_ref(plan, 0), gpu_dist(plan, 0) },
                           f->shape.w[0],
                           f->shape.h[0],
                           gpu_plane_stride(plan, 0) };
    for (unsigned scale = 0; scale < VIF_SCALES; scale++) {
        const ScalePlanes current = planes;
        if (scale + 1 < VIF_SCALES)
            plan_halve(f, plan, scale + 1, &planes);
        if (scale > 0 || !options->skip_scale0)
            plan_stats(f, plan, scale, &current, log_table, sums);
        gpu_next_stage(plan);
    }
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const uint64_t *const sums = readback;
    const uint32_t unsettled = ((const uint32_t *)readback)[VIF_SCALES * WORDS_PER_SCALE];
    VifResult *const r = result;
    for (unsigned s = 0; s < VIF_SCALES; s++)
        r->scale[s] = (VifSums){
            .num_log = sums[4 * s],
            .den_log = sums[4 * s + 1],
            .flat_energy = sums[4 * s + 2],
            .flat_count = sums[4 * s + 3],
        };
    return unsettled ? -EAGAIN : 0;
}

const FeatureGpu vif_gpu = {
    .plan = plan_frame,
    .collect = collect,
};
