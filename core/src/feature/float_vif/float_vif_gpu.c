/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_vif on the GPU. At each scale one pass computes the information of its pixels, and another
 * makes the pictures of the next scale at the same time. The rows of terms are summed while the
 * next scale is worked on. */
#include "feature/float_vif/float_vif.h"

#include <string.h>

#include "feature/common/float_sums/float_sums_gpu.h"
#include "feature/common/resample.h"
#include "feature/common/resample_tile.h"
#include "feature/float_vif/float_vif_tile.h"

GPU_PARAMS(FloatVifStatsParams, FLOAT_VIF_STATS_PARAMS);
GPU_PARAMS(FloatVifHalveParams, FLOAT_VIF_HALVE_PARAMS);
GPU_PARAMS(FloatVifResizeParams, FLOAT_VIF_RESIZE_PARAMS);

_Static_assert(FVIF_MAX_TAPS == FILTER_MAX_TAPS && FVIF_MAX_REACH == FILTER_MAX_TAPS / 2,
               "the kernels take every filter");

/* Both pictures at one scale: planes of samples, or of floats. */
typedef struct VifImage {
    GpuBuf picture[2];
    uint32_t stride;
    bool is_f32;
} VifImage;

static float sample_step(const FloatVifSetup *setup)
{
    return 1.0f / (float)(1u << (setup->bpc - 8));
}

static const char *kernel_for(const FloatVifSetup *setup, const VifImage *image,
                              const char *const names[3])
{
    return names[image->is_f32 ? 2 : setup->bpc > 8];
}

static VifImage float_image(GpuPlan *plan, unsigned w, unsigned h)
{
    const size_t bytes = (size_t)w * h * sizeof(float);
    const GpuBuf ref = gpu_scratch(plan, bytes), dist = gpu_scratch(plan, bytes);
    return (VifImage){ { ref, dist }, w, true };
}

static GpuBuf plan_filters(GpuPlan *plan, const FloatVifSetup *setup)
{
    float table[FLOAT_VIF_SCALES * FVIF_FILTER] = { 0 };
    for (unsigned s = 0; s < FLOAT_VIF_SCALES; s++)
        memcpy(table + s * FVIF_FILTER + FVIF_PAD, setup->filter[s].taps,
               setup->filter[s].count * sizeof(float));
    return gpu_table(plan, table, sizeof(table));
}

static FloatTerms plan_stats(GpuPlan *plan, const FloatVifSetup *setup, const VifImage *image,
                             unsigned scale, GpuBuf filters)
{
    static const char *const names[] = { "float_vif_stats_8", "float_vif_stats_16",
                                         "float_vif_stats_f32" };
    const FloatVifConstants *const c = &setup->constants;
    const FloatTerms terms = float_terms(plan, setup->w[scale], setup->h[scale], 2);
    uint64_t noise;
    memcpy(&noise, &c->noise, sizeof(noise));
    const FloatVifStatsParams params = {
        .width = setup->w[scale],
        .height = setup->h[scale],
        .stride = image->stride,
        .scale = sample_step(setup),
        .first_tap = scale * FVIF_FILTER,
        .taps = setup->filter[scale].count,
        .noise = (float)c->noise,
        .noise_rest = (float)(c->noise - (double)(float)c->noise),
        .noise_low = (uint32_t)noise,
        .noise_high = (uint32_t)(noise >> 32),
        .noise_up = c->noise_up,
        .flat_weight = c->flat_weight,
        .gain_limit = c->gain_limit,
    };
    gpu_pass(plan,
             &(GpuPass){
                 .kernel = kernel_for(setup, image, names),
                 GPU_PASS_BUFFERS(image->picture[0], image->picture[1], filters, terms.planes),
                 GPU_PASS_PARAMS(&params),
                 .workgroups = { gpu_workgroups(params.width, FVIF_GROUP_W),
                                 gpu_workgroups(params.height, FVIF_ROWS) },
             });
    return terms;
}

static VifImage plan_halve(GpuPlan *plan, const FloatVifSetup *setup, const VifImage *image,
                           unsigned scale, GpuBuf filters)
{
    static const char *const names[] = { "float_vif_halve_8", "float_vif_halve_16",
                                         "float_vif_halve_f32" };
    const VifImage half = float_image(plan, setup->w[scale + 1], setup->h[scale + 1]);
    const FloatVifHalveParams params = {
        .width = setup->w[scale],
        .height = setup->h[scale],
        .stride = image->stride,
        .scale = sample_step(setup),
        .first_tap = (scale + 1) * FVIF_FILTER,
        .taps = setup->filter[scale + 1].count,
        .half_w = setup->w[scale + 1],
        .half_h = setup->h[scale + 1],
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = kernel_for(setup, image, names),
                       GPU_PASS_BUFFERS(image->picture[0], image->picture[1], filters,
                                        half.picture[0], half.picture[1]),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(params.half_w, FVIF_HALVED_W),
                                       gpu_workgroups(params.half_h, FVIF_ROWS) },
                   });
    return half;
}

static int plan_resize(GpuPlan *plan, const FloatVifSetup *setup, VifImage *image)
{
    const VifImage resized = float_image(plan, setup->w[0], setup->h[0]);
    ResampleGpu resample;
    const int err = resample_plan(plan, setup->prescale, &resample);
    if (err)
        return err;
    const FloatVifResizeParams params = {
        .stride = image->stride,
        .scale = sample_step(setup),
        .new_w = setup->w[0],
        .new_h = setup->h[0],
        .resample_taps = resample.taps,
        .way = resample.way,
    };
    for (unsigned i = 0; i < 2; i++)
        gpu_pass(plan,
                 &(GpuPass){
                     .kernel = setup->bpc > 8 ? "float_vif_resize_16" : "float_vif_resize_8",
                     GPU_PASS_BUFFERS(image->picture[i], resample.positions, resized.picture[i]),
                     GPU_PASS_PARAMS(&params),
                     .workgroups = { gpu_workgroups(setup->w[0], FVIF_RESIZE_W),
                                     gpu_workgroups(setup->h[0], FVIF_RESIZE_H) },
                 });
    *image = resized;
    return 0;
}

static bool is_counted(const FloatVifSetup *setup, unsigned scale)
{
    return scale > 0 || !setup->skip_scale0;
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const FloatVifSetup *setup = f->state;
    size_t size = 0;
    for (unsigned s = 0; s < FLOAT_VIF_SCALES; s++)
        size += is_counted(setup, s) ? float_sums_size(setup->h[s], 2) : 0;
    const GpuBuf sums = gpu_result(plan, size, false), filters = plan_filters(plan, setup);
    VifImage image = {
        .picture = { gpu_ref(plan, 0), gpu_dist(plan, 0) },
        .stride = gpu_plane_stride(plan, 0),
    };
    if (setup->prescale) {
        const int err = plan_resize(plan, setup, &image);
        if (err)
            return err;
        gpu_next_stage(plan);
    }
    unsigned first = 0;
    for (unsigned s = 0; s < FLOAT_VIF_SCALES; s++) {
        FloatTerms terms;
        VifImage half = image;
        if (is_counted(setup, s))
            terms = plan_stats(plan, setup, &image, s, filters);
        if (s + 1 < FLOAT_VIF_SCALES)
            half = plan_halve(plan, setup, &image, s, filters);
        gpu_next_stage(plan);
        if (is_counted(setup, s)) {
            float_sums_plan(plan, &terms, sums, first);
            first += 2 * setup->h[s];
        }
        image = half;
    }
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const FloatVifSetup *setup = f->state;
    const float *rows = readback;
    FloatVifResult *const r = result;
    for (unsigned s = 0; s < FLOAT_VIF_SCALES; s++) {
        const unsigned h = is_counted(setup, s) ? setup->h[s] : 0;
        r->num[s] = float_sums_total(rows, h);
        r->den[s] = float_sums_total(rows + h, h);
        rows += 2 * h;
    }
    return 0;
}

const FeatureGpu float_vif_gpu = { .plan = plan_frame, .collect = collect };
