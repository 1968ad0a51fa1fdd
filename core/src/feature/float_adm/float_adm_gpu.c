/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_adm on the GPU. For each level, one pass splits the pictures into bands and decouples them,
 * the next pass masks. The next level is split at the same time as the masking, and the rows of
 * terms are summed after it. */
#include "feature/float_adm/float_adm.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/common/float_sums/float_sums_gpu.h"
#include "feature/float_adm/float_adm_tile.h"

GPU_PARAMS(FloatAdmSplitParams, FLOAT_ADM_SPLIT_PARAMS);
GPU_PARAMS(FloatAdmMaskParams, FLOAT_ADM_MASK_PARAMS);

_Static_assert(FADM_NUM == ADM_NUM * ADM_BANDS && FADM_DEN == ADM_DEN * ADM_BANDS &&
                   FADM_AIM == ADM_AIM * ADM_BANDS && FADM_TERMS == ADM_ENERGIES * ADM_BANDS,
               "terms are in the order of the result");

/* Smaller weights would give numbers that are too small for the kernels. */
#define LEAST_WEIGHT 0x1p-20f

/* Both pictures at one level: planes of samples, or of floats. */
typedef struct AdmImage {
    GpuBuf picture[2];
    uint32_t stride;
    bool is_f32;
} AdmImage;

/* The output of a level's split, for the passes after it. */
typedef struct AdmSplit {
    GpuBuf weighed;
    FloatTerms terms;
    AdmImage next;
} AdmSplit;

static bool is_counted(const FloatAdmSetup *setup, unsigned level)
{
    return level > 0 || !setup->skip_level0;
}

/* True if the kernels raise the terms themselves. Other powers need powf, whose last bit depends on
 * the C library: the host raises those. */
static bool is_cubed(const FloatAdmSetup *setup)
{
    return setup->p_norm == 3.0f;
}

static unsigned core_size(AdmCore core)
{
    return core.end - core.begin;
}

static AdmSplit plan_split(GpuPlan *plan, const FloatAdmSetup *setup, unsigned level,
                           const AdmImage *image)
{
    const FloatAdmLevel *const l = &setup->level[level];
    const bool counted = is_counted(setup, level), goes_on = level + 1 < ADM_LEVELS;
    const size_t bytes = (size_t)l->w * l->h * sizeof(float);
    AdmSplit out = { .next = { .stride = l->w, .is_f32 = true } };
    for (unsigned i = 0; i < 2; i++)
        out.next.picture[i] = gpu_scratch(plan, goes_on ? bytes : sizeof(float));
    out.weighed = gpu_scratch(plan, counted ? FADM_WEIGHED * bytes : sizeof(float));
    out.terms = counted ? float_terms(plan, core_size(l->x), core_size(l->y), FADM_TERMS)
                        : float_terms(plan, 1, 1, 1);
    uint64_t gain;
    memcpy(&gain, &setup->gain_limit, sizeof(gain));
    const FloatAdmSplitParams params = {
        .width = l->src_w,
        .height = l->src_h,
        .stride = image->stride,
        .scale = 1.0f / (float)(1u << (setup->bpc - 8)),
        .band_w = l->w,
        .band_h = l->h,
        .core_x = l->x.begin,
        .core_y = l->y.begin,
        .core_w = core_size(l->x),
        .core_h = core_size(l->y),
        .weight_hv = l->weight[ADM_H],
        .weight_d = l->weight[ADM_D],
        .gain = (float)setup->gain_limit,
        .gain_low = (uint32_t)gain,
        .gain_high = (uint32_t)(gain >> 32),
        .counted = counted,
        .goes_on = goes_on,
        .cubed = is_cubed(setup),
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = image->is_f32    ? "float_adm_split_f32"
                                 : setup->bpc > 8 ? "float_adm_split_16"
                                                  : "float_adm_split_8",
                       GPU_PASS_BUFFERS(image->picture[0], image->picture[1], out.next.picture[0],
                                        out.next.picture[1], out.weighed, out.terms.planes),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(l->w, FADM_TILE_W),
                                       gpu_workgroups(l->h, FADM_TILE_H) },
                   });
    return out;
}

static void plan_mask(GpuPlan *plan, const FloatAdmSetup *setup, unsigned level,
                      const AdmSplit *split)
{
    const FloatAdmLevel *const l = &setup->level[level];
    const FloatAdmMaskParams params = {
        .band_w = l->w,
        .band_h = l->h,
        .core_x = l->x.begin,
        .core_y = l->y.begin,
        .core_w = core_size(l->x),
        .core_h = core_size(l->y),
        .bypass = setup->bypass_masking,
        .cubed = is_cubed(setup),
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = "float_adm_mask",
                       GPU_PASS_BUFFERS(split->weighed, split->terms.planes),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(params.core_w, FADM_TILE_W),
                                       gpu_workgroups(params.core_h, FADM_TILE_H) },
                   });
}

static bool weights_fit(const FloatAdmSetup *setup)
{
    for (unsigned level = 0; level < ADM_LEVELS; level++) {
        for (unsigned b = 0; b < ADM_BANDS; b++) {
            const float weight = setup->level[level].weight[b];
            if (weight != 0.0f && !(weight >= LEAST_WEIGHT))
                return false;
        }
    }
    return true;
}

static size_t result_size(const FloatAdmSetup *setup)
{
    size_t size = 0;
    if (!is_cubed(setup))
        return sizeof(float); /* unused: settle fetches the terms */
    for (unsigned s = 0; s < ADM_LEVELS; s++)
        size +=
            is_counted(setup, s) ? float_sums_size(core_size(setup->level[s].y), FADM_TERMS) : 0;
    return size;
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const FloatAdmSetup *setup = f->state;
    if (!weights_fit(setup))
        return gpu_refuse(plan, "some contrast sensitivity is below 2^-20");
    const GpuBuf sums = gpu_result(plan, result_size(setup), !is_cubed(setup));
    AdmImage image = {
        .picture = { gpu_ref(plan, 0), gpu_dist(plan, 0) },
        .stride = gpu_plane_stride(plan, 0),
    };
    AdmSplit split[ADM_LEVELS];
    unsigned first = 0;
    /* Level s is split in stage s, masked in the next stage, and summed in the one after that. */
    for (unsigned stage = 0; stage < ADM_LEVELS + 2; stage++) {
        if (stage < ADM_LEVELS) {
            split[stage] = plan_split(plan, setup, stage, &image);
            image = split[stage].next;
        }
        if (stage >= 1 && stage <= ADM_LEVELS && is_counted(setup, stage - 1))
            plan_mask(plan, setup, stage - 1, &split[stage - 1]);
        if (stage >= 2 && is_counted(setup, stage - 2) && !is_cubed(setup)) {
            gpu_keep(plan, split[stage - 2].terms.planes, stage - 2);
        } else if (stage >= 2 && is_counted(setup, stage - 2)) {
            float_sums_plan(plan, &split[stage - 2].terms, sums, first);
            first += FADM_TERMS * split[stage - 2].terms.h;
        }
        if (stage < ADM_LEVELS + 1)
            gpu_next_stage(plan);
    }
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const FloatAdmSetup *setup = f->state;
    const float *rows = readback;
    FloatAdmResult *const r = result;
    if (!is_cubed(setup))
        return -EAGAIN;
    for (unsigned s = 0; s < ADM_LEVELS; s++) {
        const unsigned h = is_counted(setup, s) ? core_size(setup->level[s].y) : 0;
        for (unsigned e = 0; e < ADM_ENERGIES; e++) {
            for (unsigned b = 0; b < ADM_BANDS; b++, rows += h)
                r->sum[s][e][b] = float_sums_total(rows, h);
        }
    }
    return 0;
}

/* Working memory of settle(). */
typedef struct Raising {
    FloatTotal total;
    float *terms, *zero;
} Raising;

static int raising_init(Raising *raising, const FloatAdmSetup *setup)
{
    const FloatAdmLevel *const largest = &setup->level[0];
    const size_t w = core_size(largest->x), h = core_size(largest->y);
    *raising = (Raising){
        .terms = mem_array(w * h * FADM_TERMS, sizeof(float)),
        .zero = mem_zalloc(w * sizeof(float)),
    };
    return raising->terms && raising->zero
               ? float_total_init(&raising->total, &setup->dsp, (unsigned)w)
               : -ENOMEM;
}

static void raising_free(Raising *raising)
{
    float_total_free(&raising->total);
    mem_free(raising->terms);
    mem_free(raising->zero);
}

/* Raises the terms of a level and sums them, with the CPU's own code. */
static void raise_level(Raising *raising, const FloatAdmSetup *setup, unsigned level,
                        float sum[ADM_ENERGIES][ADM_BANDS])
{
    const unsigned w = core_size(setup->level[level].x), h = core_size(setup->level[level].y);
    const float *row = raising->terms;
    for (unsigned plane = 0; plane < FADM_TERMS; plane++) {
        float_total_start(&raising->total, w);
        for (unsigned y = 0; y < h; y++, row += w) {
            setup->adm_dsp.excess_raised(float_total_row(&raising->total), row, raising->zero,
                                         setup->p_norm, w);
            float_total_add(&raising->total);
        }
        sum[plane / ADM_BANDS][plane % ADM_BANDS] = float_total_finish(&raising->total);
    }
}

static int settle(const Feature *f, const GpuFrame *frame, const void *readback, void *result)
{
    const FloatAdmSetup *setup = f->state;
    FloatAdmResult *const r = result;
    Raising raising;
    int err = raising_init(&raising, setup);
    memset(r, 0, sizeof(*r));
    for (unsigned s = 0; s < ADM_LEVELS && !err; s++) {
        const FloatAdmLevel *const l = &setup->level[s];
        if (!is_counted(setup, s))
            continue;
        const size_t samples = (size_t)core_size(l->x) * core_size(l->y);
        err = gpu_fetch(frame, s, raising.terms, samples * FADM_TERMS * sizeof(float));
        if (!err)
            raise_level(&raising, setup, s, r->sum[s]);
    }
    raising_free(&raising);
    return err;
}

const FeatureGpu float_adm_gpu = { .plan = plan_frame, .collect = collect, .settle = settle };
