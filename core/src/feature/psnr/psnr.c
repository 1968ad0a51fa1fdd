/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr: peak signal to noise ratio of each plane, from exact integer sums. */
#include <errno.h>
#include <float.h>
#include <math.h>

#include "engine/feature.h"
#include "engine/map.h"
#include "base/decimal.h"
#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/common/float_rows.h"
#include "feature/common/psnr/psnr_dsp.h"
#include "feature/psnr/psnr.h"
#include "feature/psnr/psnr_tile.h"

/* The mean squared error that is used in place of a smaller one. */
#define MSE_FLOOR 1e-16

enum { OUT_PSNR_Y, OUT_MSE_Y, OUT_PSNR_CB, OUT_MSE_CB, OUT_PSNR_CR, OUT_MSE_CR };

static const char *const aggregate_names[3] = { "apsnr_y", "apsnr_cb", "apsnr_cr" };

typedef struct PsnrOptions {
    bool enable_chroma, enable_mse, enable_apsnr, reduced_hbd_peak;
    double min_sse;
} PsnrOptions;

typedef struct PsnrResult {
    uint64_t sse[3]; /* sum of squared differences of each plane; 0 for one that is not measured */
} PsnrResult;

typedef struct PsnrState {
    PsnrDsp dsp;
    uint64_t peak_squared;
    double ceiling[3];
    /* sums over the whole clip, for apsnr */
    uint64_t sse[3], samples[3];
} PsnrState;

static double smaller(double a, double b)
{
    return a < b ? a : b; /* returns b if a is NaN */
}

static int psnr_init(Feature *f)
{
    const PsnrOptions *opt = f->options;
    const FrameShape *shape = &f->shape;
    if (float_rows_check_depth(f->def->name, f->shape.bpc))
        return -EINVAL;
    PsnrState *s = f->state = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    if (!opt->enable_chroma)
        f->planes &= 1;
    psnr_dsp_init(&s->dsp, shape->bpc, f->cpu);

    const uint64_t peak =
        opt->reduced_hbd_peak ? UINT64_C(255) << (shape->bpc - 8) : (UINT64_C(1) << shape->bpc) - 1;
    s->peak_squared = peak * peak;
    for (unsigned p = 0; p < 3; p++) {
        s->ceiling[p] = depth_ceiling_db(shape->bpc);
        if (opt->min_sse != 0.0) {
            const double mse = opt->min_sse / ((double)shape->w[p] * shape->h[p]);
            s->ceiling[p] = ceil(10.0 * decimal_log((double)s->peak_squared / mse));
        }
    }
    return 0;
}

static int psnr_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                        Team *team)
{
    const PsnrState *s = f->state;
    PsnrResult *out = result;
    *out = (PsnrResult){ { 0 } };
    for (unsigned p = 0; p < 3; p++) {
        if (!(f->planes & 1u << p))
            continue;
        const char *ref = pair->ref->data[p], *dist = pair->dist->data[p];
        for (unsigned y = 0; y < f->shape.h[p]; y++) {
            out->sse[p] += s->dsp.sse_row(ref, dist, f->shape.w[p]);
            ref += pair->ref->stride[p];
            dist += pair->dist->stride[p];
        }
    }
    return 0;
}

/* The level of a sum of squared errors over some samples of plane p. */
static double level(const PsnrState *s, unsigned p, double sse, double samples)
{
    const double mse = sse / samples;
    const double noise = mse > MSE_FLOOR ? mse : MSE_FLOOR;
    const double db = 10.0 * decimal_log((double)s->peak_squared / noise);
    return smaller(db, s->ceiling[p]);
}

static int psnr_report(Feature *f, const FrameId *id, const void *result)
{
    const PsnrOptions *opt = f->options;
    const PsnrResult *r = result;
    PsnrState *s = f->state;
    int err = 0;
    for (unsigned p = 0; p < 3; p++) {
        if (!(f->planes & 1u << p))
            continue;
        const uint64_t samples = (uint64_t)f->shape.w[p] * f->shape.h[p];
        s->sse[p] += r->sse[p];
        s->samples[p] += samples;
        const double sse = (double)r->sse[p], count = (double)samples;
        err |= feature_emit(f, OUT_PSNR_Y + 2 * p, id->index, level(s, p, sse, count));
        if (opt->enable_mse)
            err |= feature_emit(f, OUT_MSE_Y + 2 * p, id->index, sse / count);
    }
    return err ? -EINVAL : 0;
}

/* Reports apsnr. A plane that was not measured is reported, too, as minus infinity. */
static int psnr_flush(Feature *f)
{
    const PsnrOptions *opt = f->options;
    const PsnrState *s = f->state;
    if (!opt->enable_apsnr || !s)
        return 0;
    for (unsigned p = 0; p < 3; p++) {
        const double db =
            10.0 * (decimal_log((double)s->peak_squared) + decimal_log((double)s->samples[p]) -
                    decimal_log((double)s->sse[p]));
        /* The product may overflow, as it does in the reference. */
        const double ceiling =
            ceil(10.0 * decimal_log((double)(s->peak_squared * s->samples[p] * 2)));
        const int err = feature_emit_aggregate(f, aggregate_names[p], smaller(db, ceiling));
        if (err)
            return err;
    }
    return 0;
}

/* ---- maps: a layer for each measured plane, whose cells are squares of samples ---- */

enum { MAP_SIDE = 8 };
enum { TERM_SSE, TERM_SAMPLES, TERMS };

static unsigned map_layers(const Feature *f, MapLayer *layers)
{
    unsigned count = 0;
    for (unsigned p = 0; p < 3; p++) {
        if (!(f->planes & 1u << p))
            continue;
        layers[count++] = (MapLayer){
            .output = OUT_PSNR_Y + 2 * p,
            .w = (f->shape.w[p] + MAP_SIDE - 1) / MAP_SIDE,
            .h = (f->shape.h[p] + MAP_SIDE - 1) / MAP_SIDE,
            .terms = TERMS,
            .step_x = MAP_SIDE * plane_step_x(&f->shape, p),
            .step_y = MAP_SIDE * plane_step_y(&f->shape, p),
            .best = 50.0,
            .worst = 20.0,
            .unit = "dB",
        };
    }
    return count;
}

/* Adds the squared errors of a row of plane p to its cells. */
static void map_row(const Feature *f, const MapLayer *layer, const FramePair *pair, unsigned p,
                    unsigned y)
{
    const PsnrState *const s = f->state;
    const unsigned w = f->shape.w[p], bytes = MAP_SIDE * shape_sample_size(&f->shape);
    const char *ref = (const char *)pair->ref->data[p] + (ptrdiff_t)y * pair->ref->stride[p];
    const char *dist = (const char *)pair->dist->data[p] + (ptrdiff_t)y * pair->dist->stride[p];
    for (unsigned x = 0; x < layer->w; x++, ref += bytes, dist += bytes) {
        const unsigned left = w - x * MAP_SIDE, n = left < MAP_SIDE ? left : MAP_SIDE;
        VmafPartValue *const cell = map_cell(layer, x, y / MAP_SIDE);
        cell[TERM_SSE].integer += (int64_t)s->dsp.sse_row(ref, dist, n);
        cell[TERM_SAMPLES].integer += n;
    }
}

static int map_measure(const Feature *f, void *scratch, const FramePair *pair, MapLayer *layers)
{
    for (unsigned p = 0; p < 3; p++) {
        if (!(f->planes & 1u << p))
            continue;
        for (unsigned y = 0; y < f->shape.h[p]; y++)
            map_row(f, layers, pair, p, y);
        layers++;
    }
    return 0;
}

static int map_sum(const Feature *f, const MapLayer *layers, void *result)
{
    PsnrResult *const r = result;
    for (unsigned p = 0; p < 3; p++) {
        if (!(f->planes & 1u << p))
            continue;
        const VmafPartValue *cell = layers->cells;
        for (size_t n = (size_t)layers->w * layers->h; n; n--, cell += TERMS)
            r->sse[p] += (uint64_t)cell[TERM_SSE].integer;
        layers++;
    }
    return 0;
}

/* Without chroma there is one layer; else all planes are measured, so a layer is a plane. */
static double map_value(const Feature *f, unsigned layer, const double *terms, double cells)
{
    return level(f->state, layer, terms[TERM_SSE], terms[TERM_SAMPLES]);
}

static const FeatureMap psnr_map = {
    .layers = map_layers,
    .measure = map_measure,
    .sum = map_sum,
    .value = map_value,
};

/* ---- the GPU ---- */

GPU_PARAMS(PsnrSseParams, PSNR_SSE_PARAMS);

/* The workgroups of a plane, across and down; each leaves one 64-bit sum. A plane that is not
 * measured has none. */
typedef struct PlaneWorkgroups {
    unsigned x, y;
} PlaneWorkgroups;

static PlaneWorkgroups plane_workgroups(const Feature *f, unsigned p)
{
    const FrameShape *shape = &f->shape;
    if (!(f->planes >> p & 1))
        return (PlaneWorkgroups){ 0, 0 };
    return (PlaneWorkgroups){
        gpu_workgroups(shape->w[p], PSNR_TILE_WORDS * gpu_samples_per_word(shape)),
        gpu_workgroups(shape->h[p], PSNR_TILE_ROWS),
    };
}

#define PLANE_PARAMS(p)                                                                            \
    .width_##p = f->shape.w[p], .height_##p = f->shape.h[p],                                       \
    .stride_##p = gpu_plane_stride(plan, p), .groups_x_##p = workgroups[p].x,                      \
    .first_##p = first[p]

void psnr_gpu_plan_sums(const Feature *f, GpuPlan *plan, const char *kernel)
{
    PlaneWorkgroups workgroups[3];
    uint32_t first[4] = { 0 };
    GpuBuf ref[3], dist[3]; /* luma is bound in place of planes that are not measured */
    for (unsigned p = 0; p < 3; p++) {
        const unsigned bound = f->planes >> p & 1 ? p : 0;
        workgroups[p] = plane_workgroups(f, p);
        first[p + 1] = first[p] + workgroups[p].x * workgroups[p].y;
        ref[p] = gpu_ref(plan, bound);
        dist[p] = gpu_dist(plan, bound);
    }
    const GpuBuf result = gpu_result(plan, first[3] * sizeof(uint64_t), false);
    const PsnrSseParams params = { PLANE_PARAMS(0), PLANE_PARAMS(1), PLANE_PARAMS(2) };
    gpu_pass(plan, &(GpuPass){
                       .kernel = kernel,
                       GPU_PASS_BUFFERS(ref[0], dist[0], ref[1], dist[1], ref[2], dist[2], result),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { first[3] },
                   });
}

void psnr_gpu_collect_sums(const Feature *f, const void *readback, uint64_t sse[3])
{
    const uint64_t *sums = readback;
    for (unsigned p = 0; p < 3; p++) {
        sse[p] = 0;
        const PlaneWorkgroups workgroups = plane_workgroups(f, p);
        for (unsigned i = 0; i < workgroups.x * workgroups.y; i++)
            sse[p] += *sums++;
    }
}

static int psnr_plan(const Feature *f, GpuPlan *plan)
{
    psnr_gpu_plan_sums(f, plan, gpu_by_depth(f, "psnr_sse_8", "psnr_sse_16"));
    return 0;
}

static int psnr_collect(const Feature *f, const void *readback, void *result)
{
    psnr_gpu_collect_sums(f, readback, ((PsnrResult *)result)->sse);
    return 0;
}

static const FeatureGpu psnr_gpu = { .plan = psnr_plan, .collect = psnr_collect };

static const Option psnr_options[] = {
    BOOL_OPTION(PsnrOptions, enable_chroma, "enable_chroma", NULL, true,
                "measure the chroma planes, too"),
    BOOL_OPTION(PsnrOptions, enable_mse, "enable_mse", NULL, false,
                "also output the mean squared error of each plane"),
    BOOL_OPTION(PsnrOptions, enable_apsnr, "enable_apsnr", NULL, false,
                "also output the PSNR of the whole clip at the end"),
    BOOL_OPTION(PsnrOptions, reduced_hbd_peak, "reduced_hbd_peak", NULL, false,
                "above 8 bits, take 255 times a power of two as the peak"),
    DOUBLE_OPTION(PsnrOptions, min_sse, "min_sse", NULL, 0, 0, DBL_MAX,
                  "squared error of a plane at which the score is capped"),
    { 0 },
};

static const FeatureOutput psnr_outputs[] = {
    [OUT_PSNR_Y] = { .name = "psnr_y", .help = "PSNR of the luma plane in dB" },
    [OUT_MSE_Y] = { .name = "mse_y", .help = "mean squared error of luma", .extra = true },
    [OUT_PSNR_CB] = { .name = "psnr_cb", .help = "PSNR of the Cb plane in dB" },
    [OUT_MSE_CB] = { .name = "mse_cb", .help = "mean squared error of Cb", .extra = true },
    [OUT_PSNR_CR] = { .name = "psnr_cr", .help = "PSNR of the Cr plane in dB" },
    [OUT_MSE_CR] = { .name = "mse_cr", .help = "mean squared error of Cr", .extra = true },
    { .name = NULL },
};

static const ResultField fields[] = {
    RESULT_FIELD(PsnrResult, sse, FIELD_U64),
    { 0 },
};

const FeatureDef feature_psnr = {
    .name = "psnr",
    .summary = "peak signal to noise ratio of each plane",
    .options = psnr_options,
    .options_size = sizeof(PsnrOptions),
    .outputs = psnr_outputs,
    .flags = FEATURE_EVERY_FRAME | FEATURE_CHROMA,
    .result_size = sizeof(PsnrResult),
    .fields = fields,
    .init = psnr_init,
    .close = feature_free_state,
    .measure = psnr_measure,
    .report = psnr_report,
    .flush = psnr_flush,
    .gpu = &psnr_gpu,
    .map = &psnr_map,
};
