/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The passes of adm on a GPU: level 0, then all others. Features that differ in their contrast
 * sensitivity share the passes: each is a view. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
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

/* A plan's buffers, and the features that it serves. */
typedef struct AdmPlan {
    const Feature *const *all;
    unsigned count;
    GpuBuf approx[2]; /* low-pass bands of both pictures, of levels 0 and 1 */
    GpuBuf rows;      /* the result */
    GpuBuf views;     /* the table of views, unless one_view */
    bool one_view;    /* one view and a whole gain limit: kernels without a table */
} AdmPlan;

static size_t sums_per_view(const AdmLevel level[ADM_LEVELS])
{
    size_t sums = 0;
    for (int i = 0; i < ADM_LEVELS; i++)
        sums += (size_t)core_rows(&level[i]) * ADM_SUMS_PER_ROW;
    return sums;
}

static int add_views(AdmPlan *p, GpuPlan *plan)
{
    const size_t words = ADM_VIEWS_WEIGHTS + (size_t)p->count * ADM_VIEW_WORDS;
    uint32_t *const table = mem_array(words, sizeof(*table));
    if (!table)
        return -ENOMEM;
    table[ADM_VIEWS_COUNT] = p->count;
    table[ADM_VIEWS_SUMS] = (uint32_t)sums_per_view(((const AdmSetup *)p->all[0]->state)->level);
    for (unsigned v = 0; v < p->count; v++) {
        const AdmLevel *const level = ((const AdmSetup *)p->all[v]->state)->level;
        uint32_t *const weights = table + ADM_VIEWS_WEIGHTS + v * ADM_VIEW_WORDS;
        for (int i = 0; i < ADM_LEVELS; i++) {
            weights[2 * i] = level[i].q[ADM_H];
            weights[2 * i + 1] = level[i].q[ADM_D];
        }
    }
    p->views = gpu_table(plan, table, words * sizeof(*table));
    mem_free(table);
    return 0;
}

/* Adds a pass whose last buffer is the table of views if the kernel has one. */
static void add_pass(const AdmPlan *p, GpuPlan *plan, GpuPass *pass)
{
    if (!p->one_view)
        pass->buffers[pass->buffer_count++] = p->views;
    gpu_pass(plan, pass);
}

/* The members that both kinds of parameters share. */
#define GAIN_PARAMS(gain, exponent, mantissa)                                                      \
    .gain_whole = is_whole(gain) ? (uint32_t)(gain) : 0, .gain_lo = (uint32_t)(mantissa),          \
    .gain_hi = (uint32_t)((mantissa) >> 32), .gain_shift = (uint32_t)(53 - (exponent)-32)

static const char *fine_kernel(const AdmPlan *p)
{
    const Feature *const f = p->all[0];
    if (!is_whole(((const AdmOptions *)f->options)->gain_limit))
        return gpu_by_depth(f, "adm_0_8_fractional", "adm_0_16_fractional");
    return p->one_view ? gpu_by_depth(f, "adm_0_8", "adm_0_16")
                       : gpu_by_depth(f, "adm_0_8_views", "adm_0_16_views");
}

static const char *coarse_kernel(const AdmPlan *p)
{
    if (!is_whole(((const AdmOptions *)p->all[0]->options)->gain_limit))
        return "adm_coarse_fractional";
    return p->one_view ? "adm_coarse" : "adm_coarse_views";
}

static void plan_fine(const AdmPlan *p, GpuPlan *plan)
{
    const Feature *const f = p->all[0];
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
    add_pass(p, plan,
             &(GpuPass){
                 .kernel = fine_kernel(p),
                 GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_dist(plan, 0), p->approx[0], p->approx[1],
                                  p->rows),
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

static void plan_coarse(const AdmPlan *p, GpuPlan *plan)
{
    const Feature *const f = p->all[0];
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
    add_pass(p, plan,
             &(GpuPass){
                 .kernel = coarse_kernel(p),
                 GPU_PASS_BUFFERS(p->approx[0], p->approx[1], p->rows),
                 GPU_PASS_PARAMS(&params),
                 .workgroups = { first_of_1 + coarse_groups(&level[1]) },
             });
}

static int plan_all(const Feature *const *all, unsigned count, GpuPlan *plan)
{
    const AdmOptions *const options = all[0]->options;
    const AdmLevel *const level = ((const AdmSetup *)all[0]->state)->level;
    if (options->csf.view_dist * options->csf.display_height < 3.0 * 1080.0)
        return gpu_refuse(plan,
                          "adm_norm_view_dist times adm_ref_display_height must be 3240 or more");

    AdmPlan p = {
        .all = all,
        .count = count,
        .approx = {
            gpu_scratch(plan, (size_t)level[0].w * (size_t)level[0].h * 2 * sizeof(int16_t)),
            gpu_scratch(plan, (size_t)level[1].w * (size_t)level[1].h * 2 * sizeof(int32_t)),
        },
        .rows = gpu_result(plan, count * sums_per_view(level) * sizeof(uint64_t), true),
        .one_view = count == 1 && is_whole(options->gain_limit),
    };
    const int err = p.one_view ? 0 : add_views(&p, plan);
    if (err)
        return err;
    plan_fine(&p, plan);
    gpu_next_stage(plan);
    plan_coarse(&p, plan);
    return 0;
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    return plan_all(&f, 1, plan);
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

/* For the self-test: a second view. */
static const char *const other_view[] = { "adm_norm_view_dist", "5", NULL };

const FeatureGpu adm_gpu = {
    .plan = plan_frame,
    .plan_all = plan_all,
    .joined_options = other_view,
    .collect = collect,
};
