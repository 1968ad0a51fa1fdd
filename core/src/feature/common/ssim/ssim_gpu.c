/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/ssim/ssim_gpu.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "feature/common/plane.h"
#include "feature/common/ssim/ssim_tile.h"

GPU_PARAMS(SsimWindowParams, SSIM_WINDOW_PARAMS);

_Static_assert(SSIM_TAPS == SSIM_WINDOW, "the kernel's window is the CPU's");

static unsigned tiles_across(unsigned w)
{
    return gpu_workgroups(w - SSIM_TAPS + 1, SSIM_GROUP_W);
}

static size_t tile_count(unsigned w, unsigned h, unsigned rows)
{
    return (size_t)tiles_across(w) * gpu_workgroups(h - SSIM_TAPS + 1, rows);
}

static size_t tiles_of_scales(unsigned w, unsigned h, unsigned scales, unsigned rows)
{
    size_t tiles = 0;
    for (unsigned s = 0; s < scales; s++, w = ssim_gpu_halved(w), h = ssim_gpu_halved(h))
        tiles += tile_count(w, h, rows);
    return tiles;
}

/* Each workgroup filters ten rows more than it has window positions, so few workgroups mean the
 * least work. Yet a large GPU needs many to be busy. Choose as many as a GPU with 132
 * multiprocessors runs at once when each has WORKGROUPS_OF_PICTURE or WORKGROUPS_OF_SCALES of them:
 * one more would have to wait until the others are done. */
enum { MULTIPROCESSORS = 132, WORKGROUPS_OF_PICTURE = 7, WORKGROUPS_OF_SCALES = 4, MIN_ROWS = 24 };

unsigned ssim_gpu_rows(unsigned w, unsigned h, unsigned scales)
{
    const size_t at_once =
        MULTIPROCESSORS * (scales > 1 ? WORKGROUPS_OF_SCALES : WORKGROUPS_OF_PICTURE);
    unsigned rows = MIN_ROWS;
    while (rows < SSIM_MAX_ROWS && tiles_of_scales(w, h, scales, rows) > at_once)
        rows += SSIM_GROUP_H;
    return rows;
}

size_t ssim_gpu_sums_size(unsigned w, unsigned h, unsigned rows)
{
    return tile_count(w, h, rows) * SSIM_SUM_WORDS * sizeof(uint32_t);
}

SsimImage ssim_gpu_luma(const Feature *f, GpuPlan *plan)
{
    return (SsimImage){
        .picture = { gpu_ref(plan, 0), gpu_dist(plan, 0) },
        .w = f->shape.w[0],
        .h = f->shape.h[0],
        .stride = gpu_plane_stride(plan, 0),
        .step = (float)depth_step(f->shape.bpc),
        .scales = 1,
    };
}

SsimImage ssim_gpu_float_image(GpuPlan *plan, unsigned w, unsigned h, unsigned scales)
{
    size_t samples = 0;
    unsigned scale_w = w, scale_h = h;
    for (unsigned s = 0; s < scales; s++) {
        samples += (size_t)scale_w * scale_h;
        scale_w = ssim_gpu_halved(scale_w);
        scale_h = ssim_gpu_halved(scale_h);
    }
    const GpuBuf ref = gpu_scratch(plan, samples * sizeof(float));
    const GpuBuf dist = gpu_scratch(plan, samples * sizeof(float));
    return (SsimImage){ .picture = { ref, dist },
                        .w = w,
                        .h = h,
                        .stride = w,
                        .step = 1.0f,
                        .is_f32 = true,
                        .scales = scales };
}

void ssim_gpu_plan_window(const Feature *f, GpuPlan *plan, const SsimImage *image, unsigned wanted,
                          GpuBuf result, size_t offset)
{
    const SsimWindowParams params = {
        .width = image->w,
        .height = image->h,
        .stride = image->stride,
        .step = image->step,
        .first_sum = (uint32_t)(offset / sizeof(uint32_t)),
        .rows = ssim_gpu_rows(image->w, image->h, image->scales),
        .wanted = wanted,
    };
    const size_t workgroups = tiles_of_scales(image->w, image->h, image->scales, params.rows);
    gpu_pass(plan, &(GpuPass){
                       .kernel = image->is_f32 ? "ssim_window_f32"
                                               : gpu_by_depth(f, "ssim_window_8", "ssim_window_16"),
                       GPU_PASS_BUFFERS(image->picture[0], image->picture[1], result),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { (unsigned)workgroups },
                   });
}

/* True if the mean of the CPU's sum, which is made in double and in raster order, may round to
 * another single-precision number. `uniform`: its rounding errors may all have the same sign;
 * otherwise they are random. */
static bool doubtful(double sum, double positions, bool uniform)
{
    const double mean = sum / positions;
    const double slack = uniform ? positions * 0x1p-53 : 0x1p-40;
    return (float)(mean - slack) != (float)(mean + slack);
}

int ssim_gpu_collect(const void *sums, unsigned w, unsigned h, unsigned rows, unsigned used,
                     SsimSums *out)
{
    const int64_t *tile = sums;
    const size_t count = tile_count(w, h, rows);
    const double unit = ldexp(1.0, -SSIM_SUM_BITS);
    double sum[SSIM_SUMS] = { 0 };
    size_t alike = 0;
    for (size_t i = 0; i < count; i++, tile += SSIM_SUMS) {
        for (unsigned k = 0; k < SSIM_SUMS; k++)
            sum[k] += (double)tile[k] * unit;
        alike += i > 0 && !memcmp(tile, tile - SSIM_SUMS, SSIM_SUMS * sizeof(*tile));
    }
    *out = (SsimSums){ .lcs = sum[SSIM_LCS], .l = sum[SSIM_L], .c = sum[SSIM_C], .s = sum[SSIM_S] };
    const double positions = (double)(w - SSIM_TAPS + 1) * (h - SSIM_TAPS + 1);
    bool doubt = false;
    for (unsigned k = 0; k < SSIM_SUMS; k++)
        doubt |= used >> k & 1 && doubtful(sum[k], positions, count < 8 || alike > count / 8);
    return doubt ? -EAGAIN : 0;
}

/* The sums are not added in the CPU's order, and quotients are correct to about 44 bits, so means
 * of about 1 differ by less than this. ssim_gpu_collect() returns -EAGAIN where that could change a
 * score. */
#define BOUND 1e-11

bool ssim_gpu_same(const SsimSums *a, const SsimSums *b, unsigned w, unsigned h, unsigned used)
{
    const double slack = BOUND * w * h;
    const double off[SSIM_SUMS] = {
        [SSIM_LCS] = a->lcs - b->lcs,
        [SSIM_L] = a->l - b->l,
        [SSIM_C] = a->c - b->c,
        [SSIM_S] = a->s - b->s,
    };
    bool same = true;
    for (unsigned k = 0; k < SSIM_SUMS; k++)
        same &= !(used >> k & 1) || fabs(off[k]) <= slack;
    return same;
}
