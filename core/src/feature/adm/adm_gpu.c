/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The passes of adm on a GPU: level 0, then all others. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "feature/adm/adm.h"
#include "feature/adm/adm_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(AdmFineParams, ADM_FINE_PARAMS);
GPU_PARAMS(AdmCoarseParams, ADM_COARSE_PARAMS);

_Static_assert(ADM_SUMS_PER_ROW == 3 * ADM_BANDS, "a row has a sum of each kind for each band");
_Static_assert(ADM_FINE_RUN % 2 == 0, "words of level 0 begin where threads do");

static unsigned core_rows(const AdmLevel *l)
{
    return (unsigned)(l->bottom - l->top);
}

/* The number of workgroups that cover the core of a level above 0. */
static unsigned coarse_groups(const AdmLevel *l)
{
    return gpu_workgroups((unsigned)(l->right - l->left), ADM_TILE_COLUMNS(1)) *
           gpu_workgroups(core_rows(l), ADM_TILE_ROWS);
}

static bool is_whole(double gain)
{
    return floor(gain) == gain;
}

/* The members that both kinds of parameters share. */
#define GAIN_PARAMS(gain, exponent, mantissa)                                                      \
    .gain_whole = is_whole(gain) ? (uint32_t)(gain) : 0, .gain_lo = (uint32_t)(mantissa),          \
    .gain_hi = (uint32_t)((mantissa) >> 32), .gain_shift = (uint32_t)(53 - (exponent)-32)

static void plan_fine(const Feature *f, GpuPlan *plan, const GpuBuf approx[2], GpuBuf rows)
{
    const AdmOptions *const options = f->options;
    const AdmLevel *const l = &((const AdmSetup *)f->state)->level[0];
    int exponent;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(options->gain_limit, &exponent), 53);
    const AdmFineParams params = {
        GAIN_PARAMS(options->gain_limit, exponent, mantissa),
        .in_width = (uint32_t)l->in_w,
        .in_height = (uint32_t)l->in_h,
        .in_stride = gpu_plane_stride(plan, 0),
        .depth = f->shape.bpc,
        /* A core that begins where the band ends is empty. */
        .core_x = (uint32_t)(options->skip_scale0 ? l->w : l->left),
        .core_y = (uint32_t)(options->skip_scale0 ? l->h : l->top),
        .row_base = 0,
        .weight_hv = l->q[ADM_H],
        .weight_d = l->q[ADM_D],
        .cube_shift_hv = (uint32_t)l->cube[ADM_H],
        .cube_shift_d = (uint32_t)l->cube[ADM_D],
    };
    gpu_pass(plan,
             &(GpuPass){
                 .kernel = is_whole(options->gain_limit)
                               ? gpu_by_depth(f, "adm_0_8", "adm_0_16")
                               : gpu_by_depth(f, "adm_0_8_fractional", "adm_0_16_fractional"),
                 GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_dist(plan, 0), approx[0], approx[1], rows),
                 GPU_PASS_PARAMS(&params),
                 .workgroups = { gpu_workgroups((unsigned)l->w, ADM_TILE_COLUMNS(ADM_FINE_RUN)),
                                 gpu_workgroups((unsigned)l->h, ADM_TILE_ROWS) },
             });
}

#define COARSE_LEVEL_PARAMS(l, base)                                                               \
    .core_x_##l = (uint32_t)level[l].left, .core_y_##l = (uint32_t)level[l].top,                   \
    .row_base_##l = (base), .weight_hv_##l = level[l].q[ADM_H], .weight_d_##l = level[l].q[ADM_D], \
    .cube_shift_##l = (uint32_t)level[l].cube[ADM_H],                                              \
    .plain_cube_shift_##l = (uint32_t)level[l].plain_cube

static void plan_coarse(const Feature *f, GpuPlan *plan, const GpuBuf approx[2], GpuBuf rows)
{
    const AdmOptions *const options = f->options;
    const AdmLevel *const level = ((const AdmSetup *)f->state)->level;
    int exponent;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(options->gain_limit, &exponent), 53);
    uint32_t base[ADM_LEVELS] = { 0 };
    for (int i = 1; i < ADM_LEVELS; i++)
        base[i] = base[i - 1] + core_rows(&level[i - 1]) * ADM_SUMS_PER_ROW;
    const unsigned first_of_2 = coarse_groups(&level[3]),
                   first_of_1 = first_of_2 + coarse_groups(&level[2]);
    const AdmCoarseParams params = {
        GAIN_PARAMS(options->gain_limit, exponent, mantissa),
        .in_width = (uint32_t)level[1].in_w,
        .in_height = (uint32_t)level[1].in_h,
        .first_of_2 = first_of_2,
        .first_of_1 = first_of_1,
        COARSE_LEVEL_PARAMS(1, base[1]),
        COARSE_LEVEL_PARAMS(2, base[2]),
        COARSE_LEVEL_PARAMS(3, base[3]),
    };
    gpu_pass(plan,
             &(GpuPass){
                 .kernel = is_whole(options->gain_limit) ? "adm_coarse" : "adm_coarse_fractional",
                 GPU_PASS_BUFFERS(approx[0], approx[1], rows),
                 GPU_PASS_PARAMS(&params),
                 .workgroups = { first_of_1 + coarse_groups(&level[1]) },
             });
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const AdmOptions *const options = f->options;
    const AdmLevel *const level = ((const AdmSetup *)f->state)->level;
    if (options->csf.view_dist * options->csf.display_height < 3.0 * 1080.0)
        return gpu_refuse(plan,
                          "adm_norm_view_dist times adm_ref_display_height must be 3240 or more");

    size_t sums = 0;
    for (int i = 0; i < ADM_LEVELS; i++)
        sums += (size_t)core_rows(&level[i]) * ADM_SUMS_PER_ROW;
    const GpuBuf rows = gpu_result(plan, sums * sizeof(uint64_t), true);
    /* Low-pass bands of both pictures, of levels 0 and 1. */
    const GpuBuf approx[2] = {
        gpu_scratch(plan, (size_t)level[0].w * (size_t)level[0].h * 2 * sizeof(int16_t)),
        gpu_scratch(plan, (size_t)level[1].w * (size_t)level[1].h * 2 * sizeof(int32_t)),
    };
    plan_fine(f, plan, approx, rows);
    gpu_next_stage(plan);
    plan_coarse(f, plan, approx, rows);
    return 0;
}

/* Adds rows, each rounded first. */
static int64_t add_rows(const uint64_t *sums, unsigned rows, int shift)
{
    uint64_t total = 0;
    for (unsigned y = 0; y < rows; y++) {
        const uint64_t bias = shift > 0 ? (uint64_t)1 << (shift - 1) : 0;
        total += (uint64_t)((int64_t)(sums[(size_t)y * ADM_SUMS_PER_ROW] + bias) >> shift);
    }
    return (int64_t)total;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const AdmOptions *const options = f->options;
    const AdmLevel *const level = ((const AdmSetup *)f->state)->level;
    AdmResult *const r = result;
    const uint64_t *sums = readback;
    memset(r, 0, sizeof(*r));
    for (int i = 0; i < ADM_LEVELS; i++) {
        const AdmLevel *const l = &level[i];
        const unsigned rows = core_rows(l);
        for (int b = 0; b < ADM_BANDS && !(i == 0 && options->skip_scale0); b++) {
            r->level[i].num[b] = add_rows(sums + ADM_NUM + b, rows, l->row);
            r->level[i].den[b] = add_rows(sums + ADM_DEN + b, rows, l->plain_row);
            if (!options->skip_aim)
                r->level[i].aim[b] = add_rows(sums + ADM_AIM + b, rows, l->row);
        }
        sums += (size_t)rows * ADM_SUMS_PER_ROW;
    }
    return 0;
}

const FeatureGpu adm_gpu = {
    .plan = plan_frame,
    .collect = collect,
};
