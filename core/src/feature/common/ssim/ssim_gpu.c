/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The passes of float_ssim and float_ms_ssim on a GPU. Both end in the window's sums; float_ssim
 * shrinks its images first, float_ms_ssim halves them between one scale and the next. */
#include "feature/common/ssim/ssim_gpu.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "feature/common/depth.h"
#include "feature/common/ssim/ssim_tile.h"
#include "feature/common/ssim/ssim_window.h"
#include "gpu/feature_gpu.h"

typedef struct Image {
    GpuBuf picture[2];
    uint32_t w, h, stride;
    float step;
    bool is_f32;
} Image;

static unsigned tiles_across(unsigned w)
{
    return gpu_groups(w - SSIM_TAPS + 1, SSIM_GROUP_W);
}

/* Rows of window positions that a group slides down: it starts with ten more, yet there should be
 * groups enough to keep a large GPU busy. */
enum { ENOUGH_GROUPS = 1000, MIN_ROWS = 16, MAX_ROWS = 48 };

static unsigned tile_rows(unsigned w, unsigned h)
{
    const unsigned rows = h * tiles_across(w) / ENOUGH_GROUPS;
    return rows < MIN_ROWS ? MIN_ROWS : rows > MAX_ROWS ? MAX_ROWS : rows;
}

static unsigned tiles_down(unsigned w, unsigned h)
{
    return gpu_groups(h - SSIM_TAPS + 1, tile_rows(w, h));
}

static size_t tile_count(unsigned w, unsigned h)
{
    return (size_t)tiles_across(w) * tiles_down(w, h);
}

static Image luma(const Feature *f, GpuPlan *plan)
{
    return (Image){ { gpu_ref(plan, 0), gpu_dist(plan, 0) },
                    f->shape.w[0],
                    f->shape.h[0],
                    gpu_plane_stride(plan, 0),
                    (float)depth_step(f->shape.bpc),
                    false };
}

static void plan_window(const Feature *f, GpuPlan *plan, const Image *image, GpuBuf sums,
                        size_t first)
{
    const struct {
        uint32_t width, height, stride;
        float step;
        uint32_t first_sum, tiles_x, rows;
    } params = { image->w,
                 image->h,
                 image->stride,
                 image->step,
                 (uint32_t)first * SSIM_SUM_WORDS,
                 tiles_across(image->w),
                 tile_rows(image->w, image->h) };
    gpu_pass(plan, &(GpuPass){
                       .kernel = image->is_f32 ? "ssim_window_f32"
                                               : gpu_by_depth(f, "ssim_window_8", "ssim_window_16"),
                       .buffers = { image->picture[0], image->picture[1], sums },
                       .buffer_count = 3,
                       .params = &params,
                       .params_size = sizeof(params),
                       .groups = { tiles_across(image->w), tiles_down(image->w, image->h) },
                   });
}

/* An image of floats, to be filled by a pass. */
static Image float_image(GpuPlan *plan, unsigned w, unsigned h)
{
    const size_t bytes = (size_t)w * h * sizeof(float);
    const GpuBuf ref = gpu_scratch(plan, bytes), dist = gpu_scratch(plan, bytes);
    return (Image){ { ref, dist }, w, h, w, 1.0f, true };
}

static Image plan_shrink(const Feature *f, GpuPlan *plan, const Image *from, const SsimShrink *to)
{
    const Image small = float_image(plan, to->w, to->h);
    const struct {
        uint32_t width, height, stride, factor;
        float tap, step;
        uint32_t small_w, small_h;
    } params = {
        from->w,    from->h, from->stride, to->factor, 1.0f / (float)(to->factor * to->factor),
        from->step, to->w,   to->h
    };
    for (unsigned i = 0; i < 2; i++)
        gpu_pass(plan, &(GpuPass){
                           .kernel = gpu_by_depth(f, "ssim_shrink_8", "ssim_shrink_16"),
                           .buffers = { from->picture[i], small.picture[i] },
                           .buffer_count = 2,
                           .params = &params,
                           .params_size = sizeof(params),
                           .groups = { gpu_groups(to->w, SHRINK_GROUP_W),
                                       gpu_groups(to->h, SHRINK_GROUP_H) },
                       });
    return small;
}

static Image plan_halve(const Feature *f, GpuPlan *plan, const Image *from)
{
    const Image half = float_image(plan, (from->w + 1) / 2, (from->h + 1) / 2);
    const struct {
        uint32_t width, height, stride;
        float step;
    } params = { from->w, from->h, from->stride, from->step };
    for (unsigned i = 0; i < 2; i++)
        gpu_pass(
            plan,
            &(GpuPass){
                .kernel = from->is_f32 ? "ssim_halve_f32"
                                       : gpu_by_depth(f, "ssim_halve_8", "ssim_halve_16"),
                .buffers = { from->picture[i], half.picture[i] },
                .buffer_count = 2,
                .params = &params,
                .params_size = sizeof(params),
                .groups = { gpu_groups(half.w, HALVE_TILE_W), gpu_groups(half.h, HALVE_TILE_H) },
            });
    return half;
}

static int plan_float_ssim(const Feature *f, GpuPlan *plan)
{
    const SsimShrink shrink = float_ssim_shrink(f);
    if (shrink.w < SSIM_TAPS || shrink.h < SSIM_TAPS)
        return -ENOTSUP;
    const size_t tiles = tile_count(shrink.w, shrink.h);
    const GpuBuf sums = gpu_result(plan, tiles * SSIM_SUM_WORDS * sizeof(uint32_t), false);
    Image image = luma(f, plan);
    if (shrink.factor > 1) {
        image = plan_shrink(f, plan, &image, &shrink);
        gpu_next_stage(plan);
    }
    plan_window(f, plan, &image, sums, 0);
    return 0;
}

/* Each stage sums up one scale and makes the next. */
static int plan_float_ms_ssim(const Feature *f, GpuPlan *plan)
{
    size_t tiles = 0, first = 0;
    unsigned w = f->shape.w[0], h = f->shape.h[0];
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++, w = (w + 1) / 2, h = (h + 1) / 2)
        tiles += tile_count(w, h);
    const GpuBuf sums = gpu_result(plan, tiles * SSIM_SUM_WORDS * sizeof(uint32_t), false);
    Image image = luma(f, plan);
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++) {
        const Image current = image;
        if (k + 1 < MS_SSIM_SCALES)
            image = plan_halve(f, plan, &current);
        plan_window(f, plan, &current, sums, first);
        first += tile_count(current.w, current.h);
        gpu_next_stage(plan);
    }
    return 0;
}

/* Whether the CPU's sum, in double and in raster order, may have another mean when rounded to
 * single precision. `uniform`: its rounding errors may all be alike; else they are random. */
static bool doubtful(double sum, double positions, bool uniform)
{
    const double mean = sum / positions;
    const double slack = uniform ? positions * 0x1p-53 : 0x1p-40;
    return (float)(mean - slack) != (float)(mean + slack);
}

/* Adds up the tiles of an image. Terms are at most about 1, so a sum of them has that many bits at
 * most before its point. */
static int collect_image(const int64_t *tile, unsigned w, unsigned h, SsimSums *out)
{
    const size_t count = tile_count(w, h);
    const double unit = ldexp(1.0, -SSIM_SUM_BITS);
    double sum[4] = { 0 };
    size_t alike = 0;
    for (size_t i = 0; i < count; i++, tile += 4) {
        for (unsigned k = 0; k < 4; k++)
            sum[k] += (double)tile[k] * unit;
        alike += i > 0 && !memcmp(tile, tile - 4, 4 * sizeof(*tile));
    }
    *out = (SsimSums){ .lcs = sum[0], .l = sum[1], .c = sum[2], .s = sum[3] };
    const double positions = (double)(w - SSIM_TAPS + 1) * (h - SSIM_TAPS + 1);
    bool doubt = false;
    for (unsigned k = 0; k < 4; k++)
        doubt |= doubtful(sum[k], positions, count < 8 || alike > count / 8);
    return doubt ? -EAGAIN : 0;
}

static int collect_float_ssim(const Feature *f, const void *readback, void *result)
{
    const SsimShrink shrink = float_ssim_shrink(f);
    return collect_image(readback, shrink.w, shrink.h, result);
}

static int collect_float_ms_ssim(const Feature *f, const void *readback, void *result)
{
    const int64_t *tile = readback;
    SsimSums *sums = result;
    unsigned w = f->shape.w[0], h = f->shape.h[0];
    int err = 0;
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++, w = (w + 1) / 2, h = (h + 1) / 2) {
        const int doubt = collect_image(tile, w, h, &sums[k]);
        err = err ? err : doubt;
        tile += 4 * tile_count(w, h);
    }
    return err;
}

/* The sums are not added in the CPU's order, and quotients are good to some 44 bits: means of 1
 * differ by less than this. Where that could show in a score, collect says so. */
#define BOUND 1e-11

static bool same_sums(const SsimSums *a, const SsimSums *b, unsigned w, unsigned h)
{
    const double slack = BOUND * w * h;
    return fabs(a->lcs - b->lcs) <= slack && fabs(a->l - b->l) <= slack &&
           fabs(a->c - b->c) <= slack && fabs(a->s - b->s) <= slack;
}

static bool same_float_ssim(const Feature *f, const void *a, const void *b)
{
    const SsimShrink shrink = float_ssim_shrink(f);
    return same_sums(a, b, shrink.w, shrink.h);
}

static bool same_float_ms_ssim(const Feature *f, const void *a, const void *b)
{
    const SsimSums *sums_a = a, *sums_b = b;
    bool same = true;
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++)
        same &= same_sums(&sums_a[k], &sums_b[k], f->shape.w[0] >> k, f->shape.h[0] >> k);
    return same;
}

const FeatureGpu float_ssim_gpu = {
    .plan = plan_float_ssim,
    .collect = collect_float_ssim,
    .same = same_float_ssim,
};

const FeatureGpu float_ms_ssim_gpu = {
    .plan = plan_float_ms_ssim,
    .collect = collect_float_ms_ssim,
    .same = same_float_ms_ssim,
};
