/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The passes of ADM on a GPU: a level each, one after another. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "feature/adm/adm.h"
#include "feature/adm/adm_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(AdmLevelParams, ADM_LEVEL_PARAMS);

_Static_assert(ADM_SUMS_PER_ROW == 3 * ADM_BANDS, "a row has a sum of each kind for each band");
_Static_assert(ADM_RUN_0 % 2 == 0, "words of level 0 begin where threads do");

static const unsigned runs[ADM_LEVELS] = { ADM_RUN_0, ADM_RUN_1, ADM_RUN_2, ADM_RUN_3 };

static unsigned core_rows(const AdmLevel *l)
{
    return (unsigned)(l->bottom - l->top);
}

static AdmLevelParams level_params(const Feature *f, const GpuPlan *plan, int i, uint32_t row_base)
{
    const AdmOptions *const options = f->options;
    const AdmLevel *const l = &((const AdmSetup *)f->state)->level[i];
    const bool skipped = i == 0 && options->skip_scale0;
    const double gain = options->gain_limit;
    int exponent;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(gain, &exponent), 53);
    return (AdmLevelParams){
        .in_width = (uint32_t)l->in_w,
        .in_height = (uint32_t)l->in_h,
        .in_stride = i == 0 ? gpu_plane_stride(plan, 0) : (uint32_t)l->in_w,
        .depth = f->shape.bpc,
        /* A core that begins where the band ends is none. */
        .core_x = (uint32_t)(skipped ? l->w : l->left),
        .core_y = (uint32_t)(skipped ? l->h : l->top),
        .row_base = row_base,
        .gain_whole = floor(gain) == gain ? (uint32_t)gain : 0,
        .gain_lo = (uint32_t)mantissa,
        .gain_hi = (uint32_t)(mantissa >> 32),
        .gain_shift = (uint32_t)(53 - exponent - 32),
        .weight_hv = l->q[ADM_H],
        .weight_d = l->q[ADM_D],
        .cube_shift_hv = (uint32_t)l->cube[ADM_H],
        .cube_shift_d = (uint32_t)l->cube[ADM_D],
        .plain_cube_shift = (uint32_t)l->plain_cube,
    };
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    static const char *const coarse[ADM_LEVELS] = { NULL, "adm_1", "adm_2", "adm_3" };
    const AdmOptions *const options = f->options;
    const AdmLevel *const level = ((const AdmSetup *)f->state)->level;
    if (options->csf.view_dist * options->csf.display_height < 3.0 * 1080.0)
        return gpu_refuse(plan,
                          "adm_norm_view_dist times adm_ref_display_height is below 3 * 1080");

    size_t sums = 0;
    for (int i = 0; i < ADM_LEVELS; i++)
        sums += (size_t)core_rows(&level[i]) * ADM_SUMS_PER_ROW;
    const GpuBuf rows = gpu_result(plan, sums * sizeof(uint64_t), true);

    GpuBuf source = { 0 };
    uint32_t row_base = 0;
    for (int i = 0; i < ADM_LEVELS; i++) {
        const AdmLevel *const l = &level[i];
        const size_t size = (size_t)l->w * (size_t)l->h;
        const size_t sample = i == 0 ? sizeof(int16_t) : sizeof(int32_t);
        const GpuBuf approx =
            gpu_scratch(plan, i < ADM_LEVELS - 1 ? 2 * size * sample : 2 * sample);
        const AdmLevelParams params = level_params(f, plan, i, row_base);
        GpuPass pass = {
            .kernel = i == 0 ? gpu_by_depth(f, "adm_0_8", "adm_0_16") : coarse[i],
            GPU_PASS_BUFFERS(source, approx, rows),
            GPU_PASS_PARAMS(&params),
            .groups = { gpu_groups((unsigned)l->w, ADM_TILE_COLUMNS(runs[i])),
                        gpu_groups((unsigned)l->h, ADM_TILE_ROWS) },
        };
        if (i == 0) {
            const GpuBuf buffers[] = { gpu_ref(plan, 0), gpu_dist(plan, 0), approx, rows };
            memcpy(pass.buffers, buffers, sizeof(buffers));
            pass.buffer_count = sizeof(buffers) / sizeof(buffers[0]);
        }
        gpu_pass(plan, &pass);
        gpu_next_stage(plan);
        source = approx;
        row_base += core_rows(l) * ADM_SUMS_PER_ROW;
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
