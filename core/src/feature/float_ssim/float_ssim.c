/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ssim: structural similarity of luma, on pictures that are first shrunk to about 256
 * lines. */
#include <errno.h>

#include "engine/feature.h"
#include "engine/map.h"
#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/common/float_rows.h"
#include "feature/common/ssim/ssim_gpu.h"
#include "feature/common/ssim/ssim_window.h"
#include "feature/float_ssim/float_ssim_tile.h"

/* Automatic scaling brings the shorter side close to this. */
#define AUTO_SIDE 256

enum { OUT_SSIM, OUT_L, OUT_C, OUT_S };

typedef struct FloatSsimState {
    FloatDsp rows;
    SsimDsp dsp;
    unsigned factor; /* both images are averaged over factor x factor samples */
    unsigned w, h;   /* size after averaging */
} FloatSsimState;

typedef struct FloatSsimScratch {
    SsimWindow window;
    float *line;     /* a row of samples */
    double *column;  /* sums of `factor` rows */
    float *small[2]; /* a row of each image */
} FloatSsimScratch;

/* The size of a side after averaging. As in the reference, the extra sample depends on the parity
 * of the side, not on the remainder. */
static unsigned shrunk(unsigned side, unsigned factor)
{
    return factor == 1 ? side : side / factor + (side & 1);
}

static int float_ssim_init(Feature *f)
{
    const SsimOptions *opt = f->options;
    const FrameShape *shape = &f->shape;
    if (float_rows_check_depth(f->def->name, shape->bpc))
        return -EINVAL;
    FloatSsimState *s = f->state = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    float_dsp_init(&s->rows, shape->bpc, f->cpu);
    ssim_dsp_init(&s->dsp, f->cpu);
    const unsigned side = shape->w[0] < shape->h[0] ? shape->w[0] : shape->h[0];
    s->factor = opt->scale ? (unsigned)opt->scale : (side + AUTO_SIDE / 2) / AUTO_SIDE;
    if (s->factor < 1)
        s->factor = 1;
    s->w = shrunk(shape->w[0], s->factor);
    s->h = shrunk(shape->h[0], s->factor);
    return 0;
}

static void float_ssim_scratch_destroy(void *scratch)
{
    FloatSsimScratch *s = scratch;
    if (!s)
        return;
    ssim_window_free(&s->window);
    mem_aligned_free(s->line);
    mem_aligned_free(s->column);
    mem_aligned_free(s->small[0]);
    mem_aligned_free(s->small[1]);
    mem_free(s);
}

static int float_ssim_scratch_create(const Feature *f, void **scratch)
{
    const FloatSsimState *state = f->state;
    const unsigned w = f->shape.w[0];
    FloatSsimScratch *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->line = mem_aligned_alloc(w * sizeof(*s->line));
    s->column = mem_aligned_alloc(w * sizeof(*s->column));
    /* one element more, because a tiny picture may shrink to nothing */
    s->small[0] = mem_aligned_alloc((state->w + 1) * sizeof(float));
    s->small[1] = mem_aligned_alloc((state->w + 1) * sizeof(float));
    if (!s->line || !s->column || !s->small[0] || !s->small[1] ||
        ssim_window_init(&s->window, &state->rows, &state->dsp, state->w)) {
        float_ssim_scratch_destroy(s);
        return -ENOMEM;
    }
    *scratch = s;
    return 0;
}

/* Reflects a position at the edges so that the edge sample is repeated. */
static unsigned reflect(int i, int n)
{
    return (unsigned)(i < 0 ? -1 - i : i < n ? i : 2 * n - 1 - i);
}

static void load(const FloatSsimState *state, float *out, const VmafPicture *pic, unsigned y)
{
    const char *row = (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
    state->rows.load(out, row, pic->w[0], (float)depth_step(pic->bpc), 0.0f);
}

/* Computes row `y` of the picture averaged over boxes. Each sample is weighed and rounded to single
 * precision, then added in double. Up to a factor of 64 these sums are exact (a weighed sample is a
 * multiple of 2^-43 and the sum is below 2^9), so columns may be added before rows. */
static void shrink_row(const FloatSsimState *state, FloatSsimScratch *s, float *out,
                       const VmafPicture *pic, unsigned y)
{
    const int factor = (int)state->factor, w = (int)pic->w[0], h = (int)pic->h[0];
    const float tap = 1.0f / (float)(factor * factor);
    for (int x = 0; x < w; x++)
        s->column[x] = 0.0;
    for (int r = 0; r < factor; r++) {
        load(state, s->line, pic, reflect((int)y * factor - factor / 2 + r, h));
        state->dsp.add(s->column, s->line, tap, pic->w[0]);
    }
    for (int x = 0; x < (int)state->w; x++) {
        const int left = x * factor - factor / 2;
        double sum = 0.0;
        if (left >= 0 && left + factor <= w) {
            for (int c = 0; c < factor; c++)
                sum += s->column[left + c];
        } else {
            for (int c = 0; c < factor; c++)
                sum += s->column[reflect(left + c, w)];
        }
        out[x] = (float)sum;
    }
}

/* The terms of a map's cell, which is a position of the window: those of SsimSums. */
enum { TERM_LCS, TERM_L, TERM_C, TERM_S, TERMS };

/* Puts the terms of the row that the window has completed into the map, if it has completed one. */
static void map_row(const SsimWindow *window, const MapLayer *map)
{
    if (window->taken < SSIM_WINDOW)
        return;
    for (unsigned x = 0; x < map->w; x++) {
        const SsimSums one = ssim_window_position(window, x);
        VmafPartValue *const cell = map_cell(map, x, window->taken - SSIM_WINDOW);
        cell[TERM_LCS].real = one.lcs;
        cell[TERM_L].real = one.l;
        cell[TERM_C].real = one.c;
        cell[TERM_S].real = one.s;
    }
}

/* Sums a pair up in the scratch's window, and fills a map if there is one. */
static void measure_frame(const Feature *f, FloatSsimScratch *s, const FramePair *pair,
                          const MapLayer *map)
{
    const FloatSsimState *state = f->state;
    const VmafPicture *pic[2] = { pair->ref, pair->dist };
    ssim_window_start(&s->window);
    /* A smaller image has no window positions, and in a tiny one a single reflection may not be
     * enough. */
    const unsigned rows = state->w < SSIM_WINDOW || state->h < SSIM_WINDOW ? 0 : state->h;
    for (unsigned y = 0; y < rows; y++) {
        for (unsigned i = 0; i < 2; i++) {
            if (state->factor == 1)
                load(state, s->small[i], pic[i], y);
            else
                shrink_row(state, s, s->small[i], pic[i], y);
        }
        ssim_window_push(&s->window, s->small[0], s->small[1]);
        if (map)
            map_row(&s->window, map);
    }
}

static int float_ssim_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                              Team *team)
{
    FloatSsimScratch *const s = scratch;
    measure_frame(f, s, pair, NULL);
    *(SsimSums *)result = s->window.sums;
    return 0;
}

static int float_ssim_report(Feature *f, const FrameId *id, const void *result)
{
    const FloatSsimState *state = f->state;
    const SsimOptions *opt = f->options;
    const SsimMeans mean = ssim_means(result, state->w, state->h);
    int err = feature_emit(f, OUT_SSIM, id->index, ssim_score(mean.lcs, opt, &f->shape));
    if (opt->enable_lcs) {
        err |= feature_emit(f, OUT_L, id->index, mean.l);
        err |= feature_emit(f, OUT_C, id->index, mean.c);
        err |= feature_emit(f, OUT_S, id->index, mean.s);
    }
    return err ? -EINVAL : 0;
}

/* ---- the GPU ---- */

GPU_PARAMS(SsimShrinkParams, SSIM_SHRINK_PARAMS);

/* The factor by which images are shrunk, and their size afterwards. */
typedef struct SsimShrink {
    unsigned factor, w, h;
} SsimShrink;

static SsimShrink float_ssim_shrink(const Feature *f)
{
    const FloatSsimState *s = f->state;
    return (SsimShrink){ s->factor, s->w, s->h };
}

static SsimImage plan_shrink(const Feature *f, GpuPlan *plan, const SsimImage *from,
                             const SsimShrink *to)
{
    const SsimImage small = ssim_gpu_float_image(plan, to->w, to->h, 1);
    const SsimShrinkParams params = {
        .width = from->w,
        .height = from->h,
        .stride = from->stride,
        .factor = to->factor,
        .tap = 1.0f / (float)(to->factor * to->factor),
        .step = from->step,
        .small_w = to->w,
        .small_h = to->h,
    };
    for (unsigned i = 0; i < 2; i++)
        gpu_pass(plan, &(GpuPass){
                           .kernel = gpu_by_depth(f, "ssim_shrink_8", "ssim_shrink_16"),
                           GPU_PASS_BUFFERS(from->picture[i], small.picture[i]),
                           GPU_PASS_PARAMS(&params),
                           .workgroups = { gpu_workgroups(to->w, SHRINK_GROUP_W),
                                           gpu_workgroups(to->h, SHRINK_GROUP_H) },
                       });
    return small;
}

/* The sums that are used, as bits. */
static unsigned sums_used(const Feature *f)
{
    const SsimOptions *const options = f->options;
    const unsigned terms = 1u << SSIM_L | 1u << SSIM_C | 1u << SSIM_S;
    return 1u << SSIM_LCS | (options->enable_lcs ? terms : 0);
}

static size_t sums_size(const SsimShrink *shrink)
{
    return ssim_gpu_sums_size(shrink->w, shrink->h, ssim_gpu_rows(shrink->w, shrink->h, 1));
}

/* False if the shrunk picture is smaller than the window: then there is nothing to sum up. */
static bool has_positions(const SsimShrink *shrink)
{
    return shrink->w >= SSIM_WINDOW && shrink->h >= SSIM_WINDOW;
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const SsimShrink shrink = float_ssim_shrink(f);
    if (!has_positions(&shrink)) {
        gpu_result(plan, sizeof(uint32_t), true);
        return 0;
    }
    const GpuBuf sums = gpu_result(plan, sums_size(&shrink), false);
    SsimImage image = ssim_gpu_luma(f, plan);
    if (shrink.factor > 1) {
        image = plan_shrink(f, plan, &image, &shrink);
        gpu_next_stage(plan);
    }
    ssim_gpu_plan_window(f, plan, &image, sums_used(f), sums, 0);
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const SsimShrink shrink = float_ssim_shrink(f);
    if (!has_positions(&shrink)) {
        *(SsimSums *)result = (SsimSums){ 0 };
        return 0;
    }
    return ssim_gpu_collect(readback, shrink.w, shrink.h, ssim_gpu_rows(shrink.w, shrink.h, 1),
                            sums_used(f), result);
}

static bool same(const Feature *f, const void *a, const void *b)
{
    const SsimShrink shrink = float_ssim_shrink(f);
    return ssim_gpu_same(a, b, shrink.w, shrink.h, sums_used(f));
}

static const FeatureGpu float_ssim_gpu = { .plan = plan_frame, .collect = collect, .same = same };

/* ---- maps ---- */

/* An image that is smaller than the window has no map. */
static unsigned map_layers(const Feature *f, MapLayer *layers)
{
    const FloatSsimState *const s = f->state;
    const SsimOptions *const opt = f->options;
    if (s->w < SSIM_WINDOW || s->h < SSIM_WINDOW)
        return 0;
    /* The middle of the first window; a sample of the image is the mean of a square of the
     * picture. */
    const unsigned first = SSIM_WINDOW / 2 * s->factor - s->factor / 2;
    layers[0] = (MapLayer){
        .output = OUT_SSIM,
        .w = s->w - (SSIM_WINDOW - 1),
        .h = s->h - (SSIM_WINDOW - 1),
        .terms = TERMS,
        .left = first,
        .top = first,
        .step_x = s->factor,
        .step_y = s->factor,
        .best = opt->enable_db ? 25.0 : 1.0,
        .worst = 0.0,
        .unit = opt->enable_db ? "dB" : NULL,
    };
    return 1;
}

static int map_measure(const Feature *f, void *scratch, const FramePair *pair, MapLayer *layers)
{
    measure_frame(f, scratch, pair, layers);
    return 0;
}

/* Adds in raster order, as the window does. */
static int map_sum(const Feature *f, const MapLayer *layers, void *result)
{
    SsimSums *const sums = result;
    const VmafPartValue *cell = layers->cells;
    for (size_t n = (size_t)layers->w * layers->h; n; n--, cell += TERMS) {
        sums->lcs += cell[TERM_LCS].real;
        sums->l += cell[TERM_L].real;
        sums->c += cell[TERM_C].real;
        sums->s += cell[TERM_S].real;
    }
    return 0;
}

static double map_value(const Feature *f, unsigned layer, const double *terms, double cells)
{
    return ssim_score((float)(terms[TERM_LCS] / cells), f->options, &f->shape);
}

static const FeatureMap float_ssim_map = {
    .layers = map_layers,
    .measure = map_measure,
    .sum = map_sum,
    .value = map_value,
    .real = (1 << TERMS) - 1,
};

static const Option float_ssim_options[] = {
    SSIM_OPTIONS,
    INT_OPTION(SsimOptions, scale, "scale", NULL, 0, 0, 10,
               "first average over this many samples in each direction; 0: automatic"),
    { 0 },
};

static const FeatureOutput float_ssim_outputs[] = {
    [OUT_SSIM] = { .name = "float_ssim", .help = "structural similarity of luma" },
    [OUT_L] = { .name = "float_ssim_l", .help = "its luminance term", .extra = true },
    [OUT_C] = { .name = "float_ssim_c", .help = "its contrast term", .extra = true },
    [OUT_S] = { .name = "float_ssim_s", .help = "its structure term", .extra = true },
    { .name = NULL },
};

static const ResultField fields[] = {
    RESULT_FIELD(SsimSums, lcs, FIELD_DOUBLE),
    RESULT_FIELD(SsimSums, l, FIELD_DOUBLE),
    RESULT_FIELD(SsimSums, c, FIELD_DOUBLE),
    RESULT_FIELD(SsimSums, s, FIELD_DOUBLE),
    { 0 },
};

const FeatureDef feature_float_ssim = {
    .name = "float_ssim",
    .summary = "structural similarity of luma",
    .options = float_ssim_options,
    .options_size = sizeof(SsimOptions),
    .outputs = float_ssim_outputs,
    .result_size = sizeof(SsimSums),
    .fields = fields,
    .init = float_ssim_init,
    .close = feature_free_state,
    .scratch_create = float_ssim_scratch_create,
    .scratch_destroy = float_ssim_scratch_destroy,
    .measure = float_ssim_measure,
    .report = float_ssim_report,
    .gpu = &float_ssim_gpu,
    .map = &float_ssim_map,
};
