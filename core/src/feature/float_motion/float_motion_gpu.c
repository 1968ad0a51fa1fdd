/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_motion on the GPU: distances of both blurred pictures, those at half size if an option asks
 * for them, then the sums of rows. */
#include "feature/float_motion/float_motion.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/common/float_sums/float_sums_gpu.h"
#include "feature/float_motion/float_motion_tile.h"

GPU_PARAMS(FloatMotionParams, FLOAT_MOTION_PARAMS);
GPU_PARAMS(FloatMotionHalfParams, FLOAT_MOTION_HALF_PARAMS);

typedef struct Size {
    unsigned w, h;
} Size;

static Size full_size(const FloatMotionSetup *setup, unsigned p)
{
    return (Size){ setup->shape.w[p], setup->shape.h[p] };
}

static Size half_size(const FloatMotionSetup *setup, unsigned p)
{
    return (Size){ (setup->shape.w[p] + 1) / 2, (setup->shape.h[p] + 1) / 2 };
}

/* The number of rows of a plane that have a sum. */
static unsigned row_count(const FloatMotionSetup *setup, unsigned p)
{
    return full_size(setup, p).h + (setup->half_size ? half_size(setup, p).h : 0);
}

static float blur_tap(const FloatFilter *blur, int from_middle)
{
    const int middle = (int)blur->count / 2;
    return from_middle > middle ? 0.0f : blur->taps[middle - from_middle];
}

static FloatTerms plan_full(const Feature *f, GpuPlan *plan, unsigned p, GpuBuf blurred)
{
    const FloatMotionSetup *setup = float_motion_setup(f);
    const Size size = full_size(setup, p);
    const FloatTerms terms = float_terms(plan, size.w, size.h, 1);
    const FloatMotionParams params = {
        .width = size.w,
        .height = size.h,
        .stride = gpu_plane_stride(plan, p),
        .scale = 1.0f / (float)(1u << (setup->shape.bpc - 8)),
        .tap0 = blur_tap(setup->blur, 2),
        .tap1 = blur_tap(setup->blur, 1),
        .tap2 = blur_tap(setup->blur, 0),
        .keep = setup->half_size,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = gpu_by_depth(f, "float_motion_8", "float_motion_16"),
                       GPU_PASS_BUFFERS(gpu_prev_ref(plan, p, 1), gpu_ref(plan, p), terms.planes,
                                        blurred),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(size.w, FMOTION_TILE_W),
                                       gpu_workgroups(size.h, FMOTION_TILE_H) },
                   });
    return terms;
}

static unsigned round_up_8(unsigned w)
{
    return (w + 7) & ~7u;
}

static FloatTerms plan_half(const Feature *f, GpuPlan *plan, unsigned p, GpuBuf blurred,
                            GpuBuf positions)
{
    const FloatMotionSetup *setup = float_motion_setup(f);
    const Size size = full_size(setup, p), half = half_size(setup, p);
    const FloatTerms terms = float_terms(plan, half.w, half.h, 1);
    const FloatMotionHalfParams params = {
        .width = size.w,
        .height = size.h,
        .pitch = round_up_8(setup->shape.w[0]),
        .walked = round_up_8(size.w),
        .half_w = half.w,
        .half_h = half.h,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = "float_motion_half",
                       GPU_PASS_BUFFERS(blurred, positions, terms.planes),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(half.w, FMOTION_HALF_W),
                                       gpu_workgroups(half.h, FMOTION_HALF_H) },
                   });
    return terms;
}

/* Makes a table of the samples that the half size reads: for its columns, then for its rows. */
static int plan_positions(GpuPlan *plan, const FloatMotionSetup *setup, unsigned p, GpuBuf *out)
{
    const Size size = full_size(setup, p), half = half_size(setup, p);
    uint32_t *table = mem_array((size_t)half.w + half.h, 3 * sizeof(*table));
    Resampler *resampler = NULL;
    int err = table
                  ? resampler_create(&resampler, RESAMPLE_BILINEAR, size.w, size.h, half.w, half.h)
                  : -ENOMEM;
    for (unsigned i = 0; i < half.w + half.h && !err; i++) {
        ResampleTaps taps;
        if (i < half.w)
            resampler_column_taps(resampler, i, &taps);
        else
            resampler_row_taps(resampler, i - half.w, &taps);
        table[3 * i] = taps.at[0];
        table[3 * i + 1] = taps.at[1];
        memcpy(&table[3 * i + 2], &taps.weight[0], sizeof(float));
    }
    if (!err)
        *out = gpu_table(plan, table, ((size_t)half.w + half.h) * 3 * sizeof(*table));
    resampler_destroy(resampler);
    mem_free(table);
    return err;
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const FloatMotionSetup *setup = float_motion_setup(f);
    unsigned rows = 0;
    for (unsigned p = 0; setup && p < setup->planes; p++)
        rows += row_count(setup, p);
    const GpuBuf sums = gpu_result(plan, setup ? float_sums_size(rows, 1) : sizeof(float), !setup);
    if (!setup)
        return 0;
    FloatTerms full[3], half[3];
    GpuBuf blurred[3], positions[3];
    for (unsigned p = 0; p < setup->planes; p++) {
        const Size size = full_size(setup, p);
        const size_t samples = setup->half_size ? 2 * (size_t)size.w * size.h : 1;
        blurred[p] = gpu_scratch(plan, samples * sizeof(float));
        full[p] = plan_full(f, plan, p, blurred[p]);
    }
    for (unsigned p = 0; setup->half_size && p < setup->planes; p++) {
        const int err = plan_positions(plan, setup, p, &positions[p]);
        if (err)
            return err;
    }
    gpu_next_stage(plan);
    for (unsigned p = 0; setup->half_size && p < setup->planes; p++)
        half[p] = plan_half(f, plan, p, blurred[p], positions[p]);
    if (setup->half_size)
        gpu_next_stage(plan);
    unsigned first = 0;
    for (unsigned p = 0; p < setup->planes; p++) {
        float_sums_plan(plan, &full[p], sums, first);
        if (setup->half_size)
            float_sums_plan(plan, &half[p], sums, first + full[p].h);
        first += row_count(setup, p);
    }
    return 0;
}

static float mean(const float *rows, Size size)
{
    return float_sums_total(rows, size.h) / (float)plane_area(size.w, size.h);
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const FloatMotionSetup *setup = float_motion_setup(f);
    const float *rows = readback;
    double step = 0.0;
    for (unsigned p = 0; setup && p < setup->planes; p++) {
        const Size size = full_size(setup, p);
        float score = mean(rows, size);
        if (setup->half_size)
            score += mean(rows + size.h, half_size(setup, p));
        step += score;
        rows += row_count(setup, p);
    }
    ((FloatMotionResult *)result)->step = step;
    return 0;
}

const FeatureGpu float_motion_gpu = { .plan = plan_frame, .collect = collect };
