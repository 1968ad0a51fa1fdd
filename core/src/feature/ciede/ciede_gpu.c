/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ciede on the GPU: one pass. */
#include "feature/ciede/ciede.h"

#include <errno.h>
#include <math.h>

#include "feature/ciede/ciede_dsp.h"
#include "feature/ciede/ciede_math.h"
#include "feature/ciede/ciede_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(CiedeParams, CIEDE_PARAMS);

/* A double as two floats. */
static void put(float *table, unsigned i, double value)
{
    const float high = (float)value;
    table[2 * i] = high;
    table[2 * i + 1] = (float)(value - (double)high);
}

static void put_hue_weights(float *table)
{
    const double third = CIEDE_PI / 30.0, fourth = 7.0 * CIEDE_PI / 20.0;
    put(table, CIEDE_HUE_COS1, -0.17 * cos(CIEDE_PI / 6.0));
    put(table, CIEDE_HUE_SIN1, -0.17 * sin(CIEDE_PI / 6.0));
    put(table, CIEDE_HUE_COS2, 0.24);
    put(table, CIEDE_HUE_COS3, 0.32 * cos(third));
    put(table, CIEDE_HUE_SIN3, -0.32 * sin(third));
    put(table, CIEDE_HUE_COS4, -0.20 * cos(fourth));
    put(table, CIEDE_HUE_SIN4, -0.20 * sin(fourth));
}

static void fill_table(float *table, const CiedeRange *range)
{
    const double constants[CIEDE_HUE_COS1] = {
        [CIEDE_LUMA_SCALE] = range->luma_scale,
        [CIEDE_CHROMA_SCALE] = range->chroma_scale,
        [CIEDE_R_FROM_CR] = R_FROM_CR,
        [CIEDE_G_FROM_CB] = G_FROM_CB,
        [CIEDE_G_FROM_CR] = G_FROM_CR,
        [CIEDE_B_FROM_CB] = B_FROM_CB,
        [CIEDE_CURVE_FROM] = CURVE_FROM,
        [CIEDE_CURVE_OFFSET] = CURVE_OFFSET,
        [CIEDE_CURVE_SCALE] = CURVE_SCALE,
        [CIEDE_CURVE_SLOPE] = CURVE_SLOPE,
        [CIEDE_XYZ] = X_FROM_R,
        Y_FROM_R,
        Z_FROM_R,
        X_FROM_G,
        Y_FROM_G,
        Z_FROM_G,
        X_FROM_B,
        Y_FROM_B,
        Z_FROM_B,
        [CIEDE_WHITE] = X_WHITE,
        1.0,
        Z_WHITE,
        [CIEDE_LAB_FROM] = LAB_FROM,
        [CIEDE_LAB_SLOPE] = LAB_SLOPE,
        [CIEDE_LAB_SCALE] = 1.0 / 116.0,
        [CIEDE_CHROMA_25_7] = CHROMA_25_7,
        [CIEDE_TWO_PI] = 2.0 * CIEDE_PI,
        [CIEDE_PI_PAIR] = CIEDE_PI,
        [CIEDE_HALF_PI] = CIEDE_PI / 2.0,
        [CIEDE_L_WEIGHT] = 0.015,
        [CIEDE_C_WEIGHT] = 0.045,
        [CIEDE_DEGREES] = 180.0 / CIEDE_PI,
        [CIEDE_RADIANS] = CIEDE_PI / 180.0,
        [CIEDE_BELL_SCALE] = 1.0 / 25.0,
    };
    for (unsigned i = 0; i < CIEDE_HUE_COS1; i++)
        put(table, i, constants[i]);
    put_hue_weights(table);
    for (unsigned i = 0; i < CIEDE_ARC_COUNT; i++)
        put(table, CIEDE_ARCS + i, atan(i / 32.0));
    for (unsigned i = 0; i < CIEDE_SINE_COUNT; i++) {
        put(table, CIEDE_SINES + i, sin(i / 16.0));
        put(table, CIEDE_COSINES + i, cos(i / 16.0));
    }
    for (unsigned i = 0; i < CIEDE_BELL_COUNT; i++)
        put(table, CIEDE_BELLS + i, exp(i / -8.0));
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const FrameShape *shape = &f->shape;
    const CiedeRange range = ciede_range(shape->bpc);
    const unsigned across = gpu_groups(shape->w[0], CIEDE_TILE_W),
                   down = gpu_groups(shape->h[0], CIEDE_TILE_H);
    float table[2 * CIEDE_TABLE];
    fill_table(table, &range);
    const CiedeParams params = {
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
        .tiles_x = across,
    };
    gpu_pass(plan,
             &(GpuPass){
                 .kernel = gpu_by_depth(f, "ciede_8", "ciede_16"),
                 GPU_PASS_BUFFERS(
                     gpu_ref(plan, 0), gpu_ref(plan, 1), gpu_ref(plan, 2), gpu_dist(plan, 0),
                     gpu_dist(plan, 1), gpu_dist(plan, 2), gpu_table(plan, table, sizeof(table)),
                     gpu_result(plan, (size_t)across * down * sizeof(uint64_t), false)),
                 GPU_PASS_PARAMS(&params),
                 .groups = { across, down },
             });
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const uint64_t *sums = readback;
    const size_t count =
        (size_t)gpu_groups(f->shape.w[0], CIEDE_TILE_W) * gpu_groups(f->shape.h[0], CIEDE_TILE_H);
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
