/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The passes of ADM on a GPU: a level's split, then its energies beside the next level's split. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "feature/adm/adm.h"
#include "feature/adm/adm_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(AdmSplitParams, ADM_SPLIT_PARAMS);
GPU_PARAMS(AdmEnergyParams, ADM_ENERGY_PARAMS);

_Static_assert(ADM_SUMS_PER_ROW == 3 * ADM_BANDS, "a row has a sum of each kind for each band");

static unsigned core_rows(const AdmLevel *l)
{
    return (unsigned)(l->bottom - l->top);
}

static void plan_split(const Feature *f, GpuPlan *plan, int i, const GpuBuf source[2],
                       GpuBuf approx, GpuBuf decoupled, GpuBuf rows, uint32_t row_base)
{
    static const char *const coarse[ADM_LEVELS] = { NULL, "adm_split_1", "adm_split_2",
                                                    "adm_split_3" };
    const AdmOptions *const options = f->options;
    const AdmLevel *const l = &((const AdmSetup *)f->state)->level[i];
    const double gain = options->gain_limit;
    uint64_t gain_bits;
    memcpy(&gain_bits, &gain, sizeof(gain_bits));
    const AdmSplitParams params = {
        .in_width = (uint32_t)l->in_w,
        .in_height = (uint32_t)l->in_h,
        .in_stride = i == 0 ? gpu_plane_stride(plan, 0) : (uint32_t)l->in_w,
        .depth = f->shape.bpc,
        .core_x = (uint32_t)l->left,
        .core_y = (uint32_t)l->top,
        .row_base = row_base,
        .cube_shift = (uint32_t)l->plain_cube,
        .gain_whole = floor(gain) == gain ? (uint32_t)gain : 0,
        .gain_lo = (uint32_t)gain_bits,
        .gain_hi = (uint32_t)(gain_bits >> 32),
    };
    gpu_pass(plan,
             &(GpuPass){
                 .kernel = i == 0 ? gpu_by_depth(f, "adm_split_0_8", "adm_split_0_16") : coarse[i],
                 GPU_PASS_BUFFERS(source[0], source[1], approx, decoupled, rows),
                 GPU_PASS_PARAMS(&params),
                 .groups = { gpu_groups((unsigned)l->w, ADM_SPLIT_COLUMNS),
                             gpu_groups((unsigned)l->h, ADM_TILE_ROWS) },
             });
}

static void plan_energy(const Feature *f, GpuPlan *plan, int i, GpuBuf decoupled, GpuBuf rows,
                        uint32_t row_base)
{
    const AdmLevel *const l = &((const AdmSetup *)f->state)->level[i];
    const AdmEnergyParams params = {
        .width = (uint32_t)l->w,
        .height = (uint32_t)l->h,
        .core_x = (uint32_t)l->left,
        .core_y = (uint32_t)l->top,
        .row_base = row_base,
        .weight_hv = l->q[ADM_H],
        .weight_d = l->q[ADM_D],
        .cube_shift_hv = (uint32_t)l->cube[ADM_H],
        .cube_shift_d = (uint32_t)l->cube[ADM_D],
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = i == 0 ? "adm_energy_0" : "adm_energy_n",
                       GPU_PASS_BUFFERS(decoupled, rows),
                       GPU_PASS_PARAMS(&params),
                       .groups = { gpu_groups((unsigned)(l->right - l->left), ADM_ENERGY_COLUMNS),
                                   gpu_groups(core_rows(l), ADM_TILE_ROWS) },
                   });
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const AdmOptions *const options = f->options;
    const AdmLevel *const level = ((const AdmSetup *)f->state)->level;
    if (options->csf.view_dist * options->csf.display_height < 3.0 * 1080.0)
        return gpu_refuse(plan,
                          "adm_norm_view_dist times adm_ref_display_height is below 3 * 1080");

    size_t sums = 0;
    for (int i = 0; i < ADM_LEVELS; i++)
        sums += (size_t)core_rows(&level[i]) * ADM_SUMS_PER_ROW;
    const GpuBuf rows = gpu_result(plan, sums * sizeof(uint64_t), true);

    GpuBuf source[2] = { gpu_ref(plan, 0), gpu_dist(plan, 0) };
    uint32_t row_base = 0;
    for (int i = 0; i < ADM_LEVELS; i++) {
        const size_t size = (size_t)level[i].w * (size_t)level[i].h;
        const size_t sample = i == 0 ? sizeof(int16_t) : sizeof(int32_t);
        const GpuBuf approx =
            gpu_scratch(plan, i < ADM_LEVELS - 1 ? 2 * size * sample : sample * 2);
        const GpuBuf decoupled = gpu_scratch(plan, ADM_BANDS * 2 * size * sample);
        plan_split(f, plan, i, source, approx, decoupled, rows, row_base);
        gpu_next_stage(plan);
        if (i > 0 || !options->skip_scale0)
            plan_energy(f, plan, i, decoupled, rows, row_base);
        source[0] = source[1] = approx;
        row_base += core_rows(&level[i]) * ADM_SUMS_PER_ROW;
    }
    return 0;
}

/* Rows are rounded before they are added up. */
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
