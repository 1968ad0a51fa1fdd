/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The passes of VIF on a GPU: each stage sums up one scale and halves it for the next. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "feature/vif/vif.h"
#include "feature/vif/vif_frame.h"
#include "feature/vif/vif_small_gpu.h"
#include "feature/vif/vif_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(VifHalveParams, VIF_HALVE_PARAMS);
GPU_PARAMS(VifStatsParams, VIF_STATS_PARAMS);

_Static_assert(VIF_SUMS_AT(VIF_SCALES) == VIF_UNSETTLED, "the result has a place for each scale");

/* Rows of a group that adds up statistics: enough to make up for the filter's border. */
#define STATS_ROWS 16

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
    const VifOptions *const options = f->options;
    const double gain = options->gain_limit;
    VifStatsParams params = {
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
            GPU_PASS_BUFFERS(planes->source[0], planes->source[1], log_table, sums),
            GPU_PASS_PARAMS(&params),
            .groups = { gpu_groups(planes->width, VIF_STATS_COLUMNS(scale)),
                        gpu_groups(planes->height, STATS_ROWS) },
        });
}

/* Adds the pass that makes the planes of `scale` and turns *planes into them. */
static void plan_halve(const Feature *f, GpuPlan *plan, unsigned scale, ScalePlanes *planes)
{
    static const char *const kernels[VIF_SCALES] = { NULL, NULL, "vif_halve_2", "vif_halve_3" };
    const uint32_t width = planes->width / 2, height = planes->height / 2;
    const GpuBuf half = gpu_scratch(plan, (size_t)width * height * sizeof(uint32_t));
    const VifHalveParams params = {
        .width = planes->width,
        .height = planes->height,
        .stride = planes->stride,
        .mean_shift = scale == 1 ? f->shape.bpc : 16,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = scale == 1 ? gpu_by_depth(f, "vif_halve_1_8", "vif_halve_1_16")
                                            : kernels[scale],
                       GPU_PASS_BUFFERS(planes->source[0], planes->source[1], half),
                       GPU_PASS_PARAMS(&params),
                       .groups = { gpu_groups(width, VIF_HALVE_COLUMNS),
                                   gpu_groups(height, VIF_TILE_ROWS) },
                   });
    *planes = (ScalePlanes){ { half, half }, width, height, width };
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const VifOptions *const options = f->options;
    if (vif_is_small(f))
        return vif_small_plan(f, plan);
    const uint16_t *const table = ((const VifSetup *)f->state)->pixel.log_table;
    const GpuBuf log_table = gpu_table(plan, table, VIF_LOG_ENTRIES * sizeof(*table));

    const GpuBuf sums = gpu_result(plan, VIF_RESULT_WORDS * sizeof(uint32_t), true);
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

/* Adds the pixels that the kernels left open. */
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
    if (vif_is_small(f))
        return vif_small_collect(f, readback, result);
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
