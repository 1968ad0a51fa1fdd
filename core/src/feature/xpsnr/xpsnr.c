/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* xpsnr: PSNR with squared errors weighted by how well the eye sees them in each block. */
#include "feature/xpsnr/xpsnr.h"

#include <errno.h>
#include <math.h>

#include "base/decimal.h"
#include "base/log.h"
#include "base/mem.h"
#include "engine/map.h"

/* From this rate on, activity uses the second difference of frames. */
#define SECOND_ORDER_FPS 32.0

enum { OUT_Y, OUT_U, OUT_V };

static const char *const aggregate_names[3] = { "axpsnr_y", "axpsnr_u", "axpsnr_v" };

static int init(Feature *f)
{
    const XpsnrOptions *const o = f->options;
    XpsnrState *const state = f->state = mem_zalloc(sizeof(*state));
    if (!state)
        return -ENOMEM;
    if (!o->enable_chroma)
        f->planes &= 1;
    XpsnrSetup *const setup = &state->setup;
    xpsnr_setup_init(setup, &f->shape, f->planes, o->fps < SECOND_ORDER_FPS ? 1 : 2);
    xpsnr_dsp_init(&setup->dsp, f->shape.bpc, setup->order, setup->large, f->cpu);
    setup->zeros = mem_zalloc((size_t)f->shape.w[0] * shape_sample_size(&f->shape));
    if (!setup->zeros)
        return -ENOMEM;
    return xpsnr_frame_create(f, &state->collected);
}

static void close_state(Feature *f)
{
    XpsnrState *const state = f->state;
    if (state) {
        mem_free(state->setup.zeros);
        xpsnr_frame_destroy(state->collected);
    }
    feature_free_state(f);
}

static int measure(const Feature *f, void *scratch, const FramePair *pair, void *result, Team *team)
{
    const XpsnrSetup *const setup = f->state;
    XpsnrFrame *const frame = scratch;
    XpsnrResult *const r = result;
    const unsigned history = xpsnr_history(setup, pair);
    *r = (XpsnrResult){ 0 };
    xpsnr_frame_measure(frame, setup, pair, team);
    xpsnr_distortion(setup, frame->blocks, history, frame->weights, r->distortion[history]);
    r->filled = 1u << history;
    return 0;
}

/* Returns the level in dB of a distortion with this square root, over this many samples. */
static double level_over(const FrameShape *shape, uint64_t samples, double root)
{
    const uint64_t peak = (UINT64_C(1) << shape->bpc) - 1;
    return 10.0 * decimal_log((double)(samples * (peak * peak)) / (root * root));
}

static double level(const FrameShape *shape, unsigned p, double root)
{
    return level_over(shape, (uint64_t)shape->w[p] * shape->h[p], root);
}

/* Logs which temporal difference is used. Programs other than the command often do not pass the
 * frame rate. */
static void log_order(const Feature *f, const XpsnrSetup *setup)
{
    const XpsnrOptions *const o = f->options;
    if (o->fps == 0.0 && !setup->plain)
        log_info("xpsnr: the frame rate is unknown and taken to be below 32: set the option fps");
    else
        log_debug("xpsnr: blocks of %ux%u, temporal differences of order %u", setup->edge[0],
                  setup->edge[0], setup->order);
}

static int report(Feature *f, const FrameId *id, const void *result)
{
    XpsnrState *const state = f->state;
    if (!state->frames)
        log_order(f, &state->setup);
    const unsigned order = state->setup.order;
    const uint64_t *const distortion =
        ((const XpsnrResult *)result)->distortion[state->frames < order ? state->frames : order];
    int err = 0;
    for (unsigned p = 0; p < 3 && !err; p++) {
        if (!(f->planes >> p & 1))
            continue;
        const double root = sqrt((double)distortion[p]);
        state->roots[p] += root;
        err = feature_emit(f, OUT_Y + p, id->index,
                           distortion[p] ? level(&f->shape, p, root) : INFINITY);
    }
    state->frames++;
    return err;
}

/* Reports the level of the mean root. Frames with distortion have roots of 1 and more, so a mean
 * below 1 comes from frames without distortion, and the average is then infinite as theirs. */
static int flush(Feature *f)
{
    const XpsnrState *const state = f->state;
    int err = 0;
    if (!state || !state->frames)
        return 0;
    for (unsigned p = 0; p < 3 && !err; p++) {
        const double frames = (double)state->frames, roots = state->roots[p];
        if (f->planes >> p & 1)
            err = feature_emit_aggregate(f, aggregate_names[p],
                                         roots >= frames ? level(&f->shape, p, roots / frames)
                                                         : INFINITY);
    }
    return err;
}

/* ---- maps: a layer for each measured plane, whose cells are blocks ---- */

enum { TERM_WEIGHTED, TERM_SSE, TERM_SAMPLES, TERMS };

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned map_layers(const Feature *f, MapLayer *layers)
{
    const XpsnrSetup *const setup = f->state;
    unsigned count = 0;
    for (unsigned p = 0; p < 3; p++) {
        if (!(f->planes >> p & 1))
            continue;
        layers[count++] = (MapLayer){
            .output = OUT_Y + p,
            .w = (f->shape.w[p] + setup->edge[p] - 1) / setup->edge[p],
            .h = (f->shape.h[p] + setup->edge_y[p] - 1) / setup->edge_y[p],
            .terms = TERMS,
            .step_x = setup->edge[p] * plane_step_x(&f->shape, p),
            .step_y = setup->edge_y[p] * plane_step_y(&f->shape, p),
            .best = 50.0,
            .worst = 20.0,
            .unit = "dB",
        };
    }
    return count;
}

static void fill_cells(const Feature *f, const XpsnrFrame *frame, unsigned p, const MapLayer *layer)
{
    const XpsnrSetup *const setup = f->state;
    for (unsigned y = 0; y < layer->h; y++) {
        const unsigned rows = smaller(setup->edge_y[p], f->shape.h[p] - y * setup->edge_y[p]);
        for (unsigned x = 0; x < layer->w; x++) {
            const unsigned columns = smaller(setup->edge[p], f->shape.w[p] - x * setup->edge[p]);
            const size_t i = (size_t)y * setup->across + x;
            const uint64_t sse = frame->blocks[i].sse[p];
            VmafPartValue *const cell = map_cell(layer, x, y);
            cell[TERM_WEIGHTED].real = setup->plain ? (double)sse : (double)sse * frame->weights[i];
            cell[TERM_SSE].integer = (int64_t)sse;
            cell[TERM_SAMPLES].integer = (int64_t)rows * columns;
        }
    }
}

static int map_measure(const Feature *f, void *scratch, const FramePair *pair, MapLayer *layers)
{
    XpsnrResult unused;
    const int err = measure(f, scratch, pair, &unused, NULL);
    for (unsigned p = 0; !err && p < 3; p++)
        if (f->planes >> p & 1)
            fill_cells(f, scratch, p, layers++);
    return err;
}

/* Adds in the order of blocks, as xpsnr_distortion does. `report` takes the result for any number
 * of earlier frames. */
static int map_sum(const Feature *f, const MapLayer *layers, void *result)
{
    const XpsnrSetup *const setup = f->state;
    XpsnrResult *const r = result;
    for (unsigned p = 0; p < 3; p++) {
        if (!(f->planes >> p & 1))
            continue;
        double total = 0.0;
        const VmafPartValue *cell = layers->cells;
        for (size_t n = (size_t)layers->w * layers->h; n; n--, cell += TERMS)
            total += cell[TERM_WEIGHTED].real;
        for (unsigned i = 0; i < XPSNR_HISTORIES; i++)
            r->distortion[i][p] = setup->plain ? (uint64_t)layers->cells[TERM_SSE].integer
                                               : xpsnr_rounded(setup, total);
        layers++;
    }
    return 0;
}

static double map_value(const Feature *f, unsigned layer, const double *terms, double cells)
{
    const XpsnrSetup *const setup = f->state;
    const double distortion = terms[TERM_WEIGHTED] * (setup->plain ? 1.0 : setup->scale);
    return distortion > 0.0 ? level_over(&f->shape, (uint64_t)terms[TERM_SAMPLES], sqrt(distortion))
                            : (double)INFINITY;
}

static const FeatureMap xpsnr_map = {
    .layers = map_layers,
    .measure = map_measure,
    .sum = map_sum,
    .value = map_value,
    .real = 1 << TERM_WEIGHTED,
};

static const Option options[] = {
    DOUBLE_OPTION(XpsnrOptions, fps, "fps", NULL, 0, 0, 1000,
                  "frames per second; from 32 on, activity takes the second difference of frames"),
    BOOL_OPTION(XpsnrOptions, enable_chroma, "enable_chroma", NULL, true,
                "measure the chroma planes, too"),
    { 0 },
};

static const FeatureOutput outputs[] = {
    [OUT_Y] = { .name = "xpsnr_y", .help = "XPSNR of the luma plane in dB" },
    [OUT_U] = { .name = "xpsnr_u", .help = "XPSNR of the Cb plane in dB" },
    [OUT_V] = { .name = "xpsnr_v", .help = "XPSNR of the Cr plane in dB" },
    { 0 },
};

static const ResultField fields[] = {
    RESULT_FIELD(XpsnrResult, distortion, FIELD_U64),
    RESULT_FIELD(XpsnrResult, filled, FIELD_U64),
    { 0 },
};

const FeatureDef feature_xpsnr = {
    .name = "xpsnr",
    .summary = "PSNR weighted by the activity of blocks, as in FFmpeg",
    .options = options,
    .options_size = sizeof(XpsnrOptions),
    .outputs = outputs,
    .flags = FEATURE_EVERY_FRAME | FEATURE_CHROMA,
    .result_size = sizeof(XpsnrResult),
    .fields = fields,
    .reach = 2,
    .init = init,
    .close = close_state,
    .scratch_create = xpsnr_frame_create,
    .scratch_destroy = xpsnr_frame_destroy,
    .measure = measure,
    .report = report,
    .flush = flush,
    .gpu = &xpsnr_gpu,
    .map = &xpsnr_map,
};
