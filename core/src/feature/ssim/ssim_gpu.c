/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ssim on the GPU: the terms, about where their sum stands at each row, then what each row adds to it. The host
 * walks down the rows with the sum itself, and sees to it that what a row adds was found for such a sum. */
#include "feature/ssim/ssim.h"

#include <errno.h>
#include <string.h>

#include "feature/ssim/ssim_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(SsimTermsParams, SSIM_TERMS_PARAMS);
GPU_PARAMS(SsimRowsParams, SSIM_ROWS_PARAMS);

/* Room for terms in the result. A row is listed about whenever the sum doubles; of small pictures all fit. */
enum { LIST_TERMS = 1 << 17, LEAST_ROWS = 32 };

static unsigned list_rows(const FrameShape *shape)
{
    const unsigned rows =
        LIST_TERMS / shape->w[0] > LEAST_ROWS ? LIST_TERMS / shape->w[0] : LEAST_ROWS;
    return rows < shape->h[0] ? rows : shape->h[0];
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const unsigned w = f->shape.w[0], h = f->shape.h[0], listed = list_rows(&f->shape);
    const size_t words = 2 + (size_t)h * ISSIM_ROW_WORDS + 2 * (size_t)listed * w;
    const GpuBuf found = gpu_result(plan, words * sizeof(uint32_t), true);
    const GpuBuf terms = gpu_scratch(plan, (size_t)w * h * sizeof(uint64_t));
    const GpuBuf about = gpu_scratch(plan, (size_t)h * 2 * sizeof(uint64_t));
    const SsimConstants constants = ssim_constants(f->shape.bpc);
    const uint64_t luma = bits_of(constants.luma), contrast = bits_of(constants.contrast);
    const SsimTermsParams terms_params = {
        .width = w,
        .height = h,
        .stride = gpu_plane_stride(plan, 0),
        .luma_low = (uint32_t)luma,
        .luma_high = (uint32_t)(luma >> 32),
        .contrast_low = (uint32_t)contrast,
        .contrast_high = (uint32_t)(contrast >> 32),
    };
    const SsimRowsParams rows_params = { .width = w, .height = h, .list_rows = listed };
    gpu_pass(plan,
             &(GpuPass){
                 .kernel = gpu_by_depth(f, "ssim_terms_8", "ssim_terms_16"),
                 GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_dist(plan, 0), terms),
                 GPU_PASS_PARAMS(&terms_params),
                 .workgroups = { gpu_workgroups(w, ISSIM_TILE_W), gpu_workgroups(h, ISSIM_TILE_H) },
             });
    gpu_next_stage(plan);
    gpu_pass(plan, &(GpuPass){
                       .kernel = "ssim_about",
                       GPU_PASS_BUFFERS(terms, about),
                       GPU_PASS_PARAMS(&rows_params),
                       .workgroups = { h },
                   });
    gpu_next_stage(plan);
    gpu_pass(plan, &(GpuPass){
                       .kernel = "ssim_rows",
                       GPU_PASS_BUFFERS(terms, about, found),
                       GPU_PASS_PARAMS(&rows_params),
                       .workgroups = { h },
                   });
    return 0;
}

#define MANTISSA ((UINT64_C(1) << 52) - 1)

/* Adds a row to the sum, if it keeps the exponent that the row was added up for. */
static bool add_whole_row(double *sum, const uint32_t *row)
{
    const uint64_t bits = bits_of(*sum), units = (bits & MANTISSA) | (MANTISSA + 1);
    const uint64_t up = gpu_read_u64(row + ISSIM_ROW_UP), down = gpu_read_u64(row + ISSIM_ROW_DOWN);
    if (bits >> 52 != row[ISSIM_ROW_STATE] || up > MANTISSA || down > MANTISSA)
        return false;
    if (units - down <= MANTISSA || units + up >= 2 * (MANTISSA + 1))
        return false;
    const unsigned which = units & 1 ? ISSIM_ROW_ODD : ISSIM_ROW_EVEN;
    *sum = double_of((bits & ~MANTISSA) | ((units + gpu_read_u64(row + which)) & MANTISSA));
    return true;
}

static double weight_sum(unsigned n)
{
    double sum = 0.0;
    for (unsigned i = 0; i < n; i++)
        sum += ssim_tap_sum(i, n);
    return sum;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const uint32_t *const found = readback, *row = found + 2;
    const unsigned w = f->shape.w[0], h = f->shape.h[0], listed = list_rows(&f->shape);
    const uint32_t *const list = row + (size_t)h * ISSIM_ROW_WORDS;
    SsimResult *const r = result;
    *r = (SsimResult){ 0.0, weight_sum(w) * weight_sum(h) };
    for (unsigned y = 0; y < h; y++, row += ISSIM_ROW_WORDS) {
        const uint32_t place = row[ISSIM_ROW_STATE] - ISSIM_LISTED;
        if (row[ISSIM_ROW_STATE] < ISSIM_LISTED) {
            if (!add_whole_row(&r->sum, row))
                return -EAGAIN;
            continue;
        }
        if (place >= listed)
            return -EAGAIN;
        for (size_t x = 0; x < w; x++)
            r->sum += double_of(gpu_read_u64(list + 2 * (place * (size_t)w + x)));
    }
    return 0;
}

const FeatureGpu ssim_gpu = { .plan = plan_frame, .collect = collect };
