/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ssim: structural similarity of luma, from exact integer moments under a 9x9 Gaussian. The
 * reference's command does not offer it; the scores are those of the well-known tool of that
 * name. */
#include <errno.h>
#include <string.h>

#include "engine/feature.h"
#include "engine/map.h"
#include "base/mem.h"
#include "feature/common/ssim/ssim_window.h"
#include "feature/ssim/ssim_tile.h"
#include "gpu/feature_gpu.h"

typedef struct SsimResult {
    double sum, weight; /* both in raster order */
} SsimResult;

/* The constants of the formula at some depth, before they are multiplied by weights. */
typedef struct SsimConstants {
    double luma, contrast;
} SsimConstants;

enum { TAPS = 9, REACH = TAPS / 2 };

/* A Gaussian of sigma 1.5, in units of 1/256. Taps beyond the border are dropped, so positions near
 * it have less weight. */
static const double gauss[TAPS] = { 2, 9, 28, 55, 68, 55, 28, 9, 2 };

/* Moments are integers below 2^48, which a double holds exactly, so no sum is ever rounded. */
typedef struct SsimScratch {
    double *line;                    /* a row of one moment, with REACH zeros at each end */
    double *across[SSIM_MAPS][TAPS]; /* row y, filtered horizontally, is in slot y % 9 */
    double *moment[SSIM_MAPS];       /* filtered both ways */
    double *weight; /* weight of each column, to be multiplied by that of the row */
} SsimScratch;

/* The sum of the window's taps that lie inside the picture, at position `at` of n. */
static double ssim_tap_sum(unsigned at, unsigned n)
{
    double sum = 0.0;
    for (int k = 0; k < TAPS; k++) {
        const int i = (int)at + k - REACH;
        if (i >= 0 && i < (int)n)
            sum += gauss[k];
    }
    return sum;
}

static SsimConstants ssim_constants(unsigned bpc)
{
    const double peak = (double)((1u << bpc) - 1);
    return (SsimConstants){ peak * peak * (0.01 * 0.01), peak * peak * (0.03 * 0.03) };
}

static void ssim_scratch_destroy(void *scratch)
{
    SsimScratch *s = scratch;
    if (!s)
        return;
    mem_aligned_free(s->line);
    mem_aligned_free(s->weight);
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        mem_aligned_free(s->moment[map]);
        for (unsigned k = 0; k < TAPS; k++)
            mem_aligned_free(s->across[map][k]);
    }
    mem_free(s);
}

static int ssim_scratch_create(const Feature *f, void **scratch)
{
    const unsigned w = f->shape.w[0];
    SsimScratch *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->line = mem_aligned_alloc((w + 2 * REACH) * sizeof(double));
    s->weight = mem_aligned_alloc(w * sizeof(double));
    bool failed = !s->line || !s->weight;
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        s->moment[map] = mem_aligned_alloc(w * sizeof(double));
        failed |= !s->moment[map];
        for (unsigned k = 0; k < TAPS; k++) {
            s->across[map][k] = mem_aligned_alloc(w * sizeof(double));
            failed |= !s->across[map][k];
        }
    }
    if (failed) {
        ssim_scratch_destroy(s);
        return -ENOMEM;
    }
    memset(s->line, 0, (w + 2 * REACH) * sizeof(double));
    for (unsigned x = 0; x < w; x++)
        s->weight[x] = ssim_tap_sum(x, w);
    *scratch = s;
    return 0;
}

static void load_product(double *restrict out, const VmafPicture *a, const VmafPicture *b,
                         unsigned y, unsigned w)
{
    const char *row_a = (const char *)a->data[0] + (ptrdiff_t)y * a->stride[0];
    const char *row_b = b ? (const char *)b->data[0] + (ptrdiff_t)y * b->stride[0] : NULL;
    for (unsigned x = 0; x < w; x++) {
        if (a->bpc > 8)
            out[x] = (double)((const uint16_t *)row_a)[x] * (b ? ((const uint16_t *)row_b)[x] : 1);
        else
            out[x] = (double)((const uint8_t *)row_a)[x] * (b ? ((const uint8_t *)row_b)[x] : 1);
    }
}

static void filter_across(SsimScratch *s, const FramePair *pair, unsigned y, unsigned w)
{
    const VmafPicture *a = pair->ref, *b = pair->dist;
    const VmafPicture *const factor[SSIM_MAPS][2] = {
        [SSIM_A] = { a, NULL }, [SSIM_B] = { b, NULL }, [SSIM_AA] = { a, a },
        [SSIM_BB] = { b, b },   [SSIM_AB] = { a, b },
    };
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        double *restrict out = s->across[map][y % TAPS];
        load_product(s->line + REACH, factor[map][0], factor[map][1], y, w);
        for (unsigned x = 0; x < w; x++) {
            const double *in = s->line + x;
            out[x] = gauss[0] * (in[0] + in[8]) + gauss[1] * (in[1] + in[7]) +
                     gauss[2] * (in[2] + in[6]) + gauss[3] * (in[3] + in[5]) + gauss[4] * in[4];
        }
    }
}

static void filter_down(SsimScratch *s, unsigned y, unsigned w, unsigned h)
{
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        double *restrict out = s->moment[map];
        memset(out, 0, w * sizeof(double));
        for (unsigned k = 0; k < TAPS; k++) {
            if (y + k < REACH || y + k >= h + REACH)
                continue;
            const double *restrict in = s->across[map][(y + k - REACH) % TAPS];
            for (unsigned x = 0; x < w; x++)
                out[x] += gauss[k] * in[x];
        }
    }
}

/* Adds the terms of columns x0…x1-1. */
static void add_row(const SsimScratch *s, SsimResult *r, double row_weight, SsimConstants c,
                    unsigned x0, unsigned x1)
{
    for (unsigned x = x0; x < x1; x++) {
        const double w = row_weight * s->weight[x];
        const double a = s->moment[SSIM_A][x], b = s->moment[SSIM_B][x];
        const double k1 = c.luma * w * w, k2 = c.contrast * w * w;
        const double top = w * (2 * (a * b) + k1) * (k2 + 2 * (s->moment[SSIM_AB][x] * w - a * b));
        const double low = (a * a + b * b + k1) * (s->moment[SSIM_AA][x] * w - a * a +
                                                   s->moment[SSIM_BB][x] * w - b * b + k2);
        r->sum += top / low;
        r->weight += w;
    }
}

/* The terms of a map's cell, which is one pixel: those of SsimResult. */
enum { TERM_SUM, TERM_WEIGHT, TERMS };

/* Puts the terms of row y into the map. */
static void map_row(const SsimScratch *s, const MapLayer *map, double row_weight, SsimConstants c,
                    unsigned y)
{
    for (unsigned x = 0; x < map->w; x++) {
        SsimResult one = { 0.0, 0.0 };
        add_row(s, &one, row_weight, c, x, x + 1);
        map_cell(map, x, y)[TERM_SUM].real = one.sum;
        map_cell(map, x, y)[TERM_WEIGHT].real = one.weight;
    }
}

/* Puts the terms of all pixels into the map; without a map, adds them to the result. */
static void measure_frame(const Feature *f, SsimScratch *s, const FramePair *pair, SsimResult *r,
                          const MapLayer *map)
{
    const unsigned w = f->shape.w[0], h = f->shape.h[0];
    const SsimConstants constants = ssim_constants(f->shape.bpc);
    for (unsigned y = 0, loaded = 0; y < h; y++) {
        for (; loaded < h && loaded <= y + REACH; loaded++)
            filter_across(s, pair, loaded, w);
        filter_down(s, y, w, h);
        if (map)
            map_row(s, map, ssim_tap_sum(y, h), constants, y);
        else
            add_row(s, r, ssim_tap_sum(y, h), constants, 0, w);
    }
}

static int ssim_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                        Team *team)
{
    SsimResult *const r = result;
    *r = (SsimResult){ 0.0, 0.0 };
    measure_frame(f, scratch, pair, r, NULL);
    return 0;
}

static int ssim_report(Feature *f, const FrameId *id, const void *result)
{
    const SsimResult *r = result;
    return feature_emit(f, 0, id->index, r->sum / r->weight);
}

/* ---- the GPU ----
 *
 * One kernel computes the terms, one finds about where their sum stands at each row, and one
 * computes the amount that each row adds to it. The host goes down the rows with the exact sum and
 * checks that the amounts of a row were computed for such a sum. */

GPU_PARAMS(SsimTermsParams, SSIM_TERMS_PARAMS);
GPU_PARAMS(SsimRowsParams, SSIM_ROWS_PARAMS);

/* Room for listed rows in the result. A row is listed about whenever the sum doubles. Small
 * pictures have room for all rows. */
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

/* Adds a row to the sum and returns true, or returns false if the sum does not keep the exponent
 * that the row was computed for. */
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

static const FeatureGpu ssim_gpu = { .plan = plan_frame, .collect = collect };

/* ---- maps ---- */

static unsigned map_layers(const Feature *f, MapLayer *layers)
{
    layers[0] = (MapLayer){
        .w = f->shape.w[0],
        .h = f->shape.h[0],
        .terms = TERMS,
        .step_x = 1,
        .step_y = 1,
        .best = 1.0,
        .worst = 0.0,
    };
    return 1;
}

static int map_measure(const Feature *f, void *scratch, const FramePair *pair, MapLayer *layers)
{
    measure_frame(f, scratch, pair, NULL, layers);
    return 0;
}

/* Adds in raster order, as add_row does. */
static int map_sum(const Feature *f, const MapLayer *layers, void *result)
{
    SsimResult r = { 0.0, 0.0 };
    const VmafPartValue *cell = layers->cells;
    for (size_t n = (size_t)layers->w * layers->h; n; n--, cell += TERMS) {
        r.sum += cell[TERM_SUM].real;
        r.weight += cell[TERM_WEIGHT].real;
    }
    *(SsimResult *)result = r;
    return 0;
}

static double map_value(const Feature *f, unsigned layer, const double *terms, double cells)
{
    return terms[TERM_SUM] / terms[TERM_WEIGHT];
}

static const FeatureMap ssim_map = {
    .layers = map_layers,
    .measure = map_measure,
    .sum = map_sum,
    .value = map_value,
    .real = 1 << TERM_SUM | 1 << TERM_WEIGHT,
};

static const FeatureOutput ssim_outputs[] = {
    { .name = "ssim", .help = "structural similarity of luma", .extra = true },
    { .name = NULL },
};

static const ResultField fields[] = {
    RESULT_FIELD(SsimResult, sum, FIELD_DOUBLE),
    RESULT_FIELD(SsimResult, weight, FIELD_DOUBLE),
    { 0 },
};

const FeatureDef feature_ssim = {
    .name = "ssim",
    .summary = "structural similarity of luma, from integers",
    .outputs = ssim_outputs,
    .result_size = sizeof(SsimResult),
    .fields = fields,
    .scratch_create = ssim_scratch_create,
    .scratch_destroy = ssim_scratch_destroy,
    .measure = ssim_measure,
    .report = ssim_report,
    .gpu = &ssim_gpu,
    .map = &ssim_map,
};
