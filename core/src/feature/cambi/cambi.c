/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cambi: contrast-aware multiscale banding index. It reads luma of the distorted picture, and of
 * the reference only with full_ref. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/map.h"
#include "feature/cambi/cambi.h"

typedef struct CambiOptions {
    double max_val, topk, cambi_topk, tvi_threshold, vis_lum_threshold;
    int enc_width, enc_height, enc_bitdepth, src_width, src_height;
    int window_size, max_log_contrast, high_res_speedup;
    const char *heatmaps_path, *eotf, *cambi_eotf;
    bool full_ref;
} CambiOptions;

static const Option options[] = {
    DOUBLE_OPTION(CambiOptions, max_val, "cambi_max_val", "cmxv", 1000, 0, 1000,
                  "upper limit of the scores"),
    INT_OPTION(CambiOptions, enc_width, "enc_width", "encw", 0, 144, 7680,
               "width of the encoding, before upscaling"),
    INT_OPTION(CambiOptions, enc_height, "enc_height", "ench", 0, 144, 7680,
               "height of the encoding, before upscaling"),
    INT_OPTION(CambiOptions, enc_bitdepth, "enc_bitdepth", "encbd", 0, 6, 16,
               "bit depth of the encoding"),
    INT_OPTION(CambiOptions, src_width, "src_width", "srcw", 0, 320, 7680, "width of the source"),
    INT_OPTION(CambiOptions, src_height, "src_height", "srch", 0, 200, 4320,
               "height of the source"),
    INT_OPTION(CambiOptions, window_size, "window_size", "ws", 65, 15, 127,
               "window size at 2160p; scaled for other sizes"),
    DOUBLE_OPTION(CambiOptions, topk, "topk", "topk", 0.6, 0.0001, 1,
                  "share of the samples that counts"),
    DOUBLE_OPTION(CambiOptions, cambi_topk, "cambi_topk", "ctpk", 0.6, 0.0001, 1,
                  "like topk; used if topk is 0.6"),
    DOUBLE_OPTION(CambiOptions, tvi_threshold, "tvi_threshold", "tvit", 0.019, 0.0001, 1,
                  "smallest visible rise in luminance, as a share"),
    DOUBLE_OPTION(CambiOptions, vis_lum_threshold, "cambi_vis_lum_threshold", "vlt", 0, 0, 300,
                  "luminance below which banding is not visible, cd/m2"),
    INT_OPTION(CambiOptions, max_log_contrast, "max_log_contrast", "mlc", 2, 0, 5,
               "log2 of the largest step that is examined"),
    STRING_OPTION(CambiOptions, heatmaps_path, "heatmaps_path", NULL, NULL,
                  "folder for maps of contrast"),
    BOOL_OPTION(CambiOptions, full_ref, "full_ref", NULL, false,
                "also score the reference, and the difference"),
    STRING_OPTION(CambiOptions, eotf, "eotf", "eotf", "bt1886", "transfer function: bt1886 or pq"),
    STRING_OPTION(CambiOptions, cambi_eotf, "cambi_eotf", "ceot", "bt1886",
                  "like eotf; used in its place unless it is bt1886"),
    INT_OPTION(CambiOptions, high_res_speedup, "cambi_high_res_speedup", "hrs", 0, 0, 2160,
               "1080, 1440 or 2160: halve pictures of that size and above"),
    { 0 },
};

enum { OUT_CAMBI, OUT_SOURCE, OUT_FULL_REFERENCE };

static const FeatureOutput outputs[] = {
    { .name = "Cambi_feature_cambi_score", .help = "banding in the distorted picture" },
    { .name = "cambi_source",
      .help = "banding in the reference (full_ref)",
      .plain_name = true,
      .extra = true },
    { .name = "cambi_full_reference",
      .help = "banding that was added (full_ref)",
      .plain_name = true,
      .extra = true },
    { 0 },
};

/* ---- visibility ---- */

/* The limited range at 10 bits. */
enum { BLACK = 64, WHITE = 940 };

int cambi_eotf(const char *name)
{
    if (!strcmp(name, "bt1886"))
        return CAMBI_BT1886;
    return strcmp(name, "pq") ? -EINVAL : CAMBI_PQ;
}

/* Luminance by BT.1886, of a display from 0.01 to 300 cd/m2. */
static double bt1886(double v)
{
    const double low = pow(0.01, 1 / 2.4), high = pow(300.0, 1 / 2.4);
    const double lifted = v + low / (high - low);
    return pow(high - low, 2.4) * pow(lifted > 0.0 ? lifted : 0.0, 2.4);
}

/* Luminance by SMPTE ST 2084. */
static double pq(double v)
{
    const double root = pow(v, 1 / 78.84375), excess = root - 0.8359375;
    const double ratio = (excess > 0.0 ? excess : 0.0) / (18.8515625 - 18.6875 * root);
    return 10000 * pow(ratio, 1 / 0.1593017578125);
}

static double luminance(int code, enum CambiEotf eotf)
{
    code = code < BLACK ? BLACK : code > WHITE ? WHITE : code;
    const double v = (double)(code - BLACK) / (WHITE - BLACK);
    return eotf == CAMBI_PQ ? pq(v) : bt1886(v);
}

typedef struct Step {
    int size;
    double threshold;
    enum CambiEotf eotf;
} Step;

static bool visible(const Step *step, int code)
{
    const double base = luminance(code, step->eotf);
    return luminance(code + step->size, step->eotf) - base > step->threshold * base;
}

/* Returns where the limit is: -1 below `code`, 0 at `code`, 1 above. */
static int probe(const Step *step, int code)
{
    if (!visible(step, code))
        return -1;
    return visible(step, code + 1);
}

int cambi_step_limit(unsigned size, double threshold, enum CambiEotf eotf)
{
    const Step step = { (int)size, threshold, eotf };
    int low = BLACK, high = WHITE - (int)size - 1;
    int side = probe(&step, low);
    if (side <= 0)
        return side < 0 ? 0 : low;
    side = probe(&step, high);
    if (side >= 0)
        return side > 0 ? 1023 : high;
    for (;;) {
        const int middle = low + (high - low) / 2;
        side = probe(&step, middle);
        if (side == 0)
            return middle;
        if (side < 0)
            high = middle;
        else
            low = middle;
    }
}

int cambi_dark_code(double least, enum CambiEotf eotf)
{
    int code = BLACK;
    /* The limit WHITE ends the search if rounding keeps every luminance below `least`. */
    while (code < WHITE && luminance(code, eotf) < least)
        code++;
    return code == BLACK ? 0 : code;
}

/* ---- setup ---- */

typedef struct CambiState {
    CambiSetup setup; /* first: the frame routine takes f->state as a CambiSetup */
    CambiHeatmaps *heatmaps;
} CambiState;

static int choose_sizes(const Feature *f, CambiSetup *setup)
{
    const CambiOptions *o = f->options;
    CambiTarget *enc = &setup->target[0], *src = &setup->target[1];
    const unsigned w = setup->src_w, h = setup->src_h;
    const bool smaller = (unsigned)o->enc_width <= w && (unsigned)o->enc_height <= h;
    const bool enc_set = o->enc_width && o->enc_height && smaller;
    const bool src_set = o->src_width && o->src_height;
    enc->w = enc_set ? (unsigned)o->enc_width : w;
    enc->h = enc_set ? (unsigned)o->enc_height : h;
    src->w = src_set ? (unsigned)o->src_width : w;
    src->h = src_set ? (unsigned)o->src_height : h;
    for (unsigned i = 0; i < 2; i++) {
        const CambiTarget *t = &setup->target[i];
        if (t->w >= 216 || t->h >= 216)
            continue;
        log_error("cambi: the %s size of %ux%u is too small: one side must be at least 216",
                  i ? "source" : "encoding", t->w, t->h);
        return -EINVAL;
    }
    if ((src->w > enc->w && src->h < enc->h) || (src->w < enc->w && src->h > enc->h)) {
        log_error("cambi: source size %ux%u and encoding size %ux%u disagree on which is larger",
                  src->w, src->h, enc->w, enc->h);
        return -EINVAL;
    }
    return 0;
}

static bool halving_wanted(int speedup, const CambiTarget *enc)
{
    const uint64_t samples = (uint64_t)enc->w * enc->h;
    switch (speedup) {
    case 1080:
        return samples >= 1920 * 1080;
    case 1440:
        return samples >= 2560 * 1440;
    case 2160:
        return samples >= 3840 * 2160;
    default:
        return false;
    }
}

/* Positions of the nearest samples. They come from a running sum in single precision, whose drift
 * is part of the result; a position past the end becomes the last one. */
static unsigned *sample_positions(unsigned from, unsigned to)
{
    unsigned *at = mem_array(to, sizeof(*at));
    if (!at)
        return NULL;
    const float ratio = (float)from / (float)to;
    float x = (float)((double)(ratio / 2.0f) - 0.5);
    for (unsigned i = 0; i < to; i++) {
        const unsigned nearest = (unsigned)((double)x + 0.5);
        at[i] = nearest < from ? nearest : from - 1;
        x += ratio;
    }
    return at;
}

static unsigned flat_threshold(unsigned w, unsigned h)
{
    const unsigned blocks = (w >> 6) * (h >> 6);
    int log = 0;
    while (blocks > 1u << log)
        log++;
    return (unsigned)((49 + 3 * (log - 11) - 1) >> 1);
}

static int make_target(const Feature *f, CambiSetup *setup, CambiTarget *t)
{
    const CambiOptions *o = f->options;
    t->window = ((unsigned)o->window_size * (t->w + t->h) / 375) >> 4;
    if (setup->halve)
        t->window = (t->window + 1) >> 1;
    t->window |= 1;
    if (t->window > CAMBI_MAX_WINDOW) {
        log_error("cambi: window_size %u too large for reciprocal LUT", t->window);
        return -EINVAL;
    }
    t->kept_w = setup->halve ? (t->w + 1) / 2 : t->w;
    t->kept_h = setup->halve ? (t->h + 1) / 2 : t->h;
    t->flat_needed = flat_threshold(t->w, t->h);
    if (t->w == setup->src_w && t->h == setup->src_h)
        return 0;
    t->from_x = sample_positions(setup->src_w, t->w);
    t->from_y = sample_positions(setup->src_h, t->h);
    return t->from_x && t->from_y ? 0 : -ENOMEM;
}

/* Fills low, high and first_step. */
static int make_visibility(const Feature *f, CambiSetup *setup)
{
    const CambiOptions *o = f->options;
    const char *name = strcmp(o->cambi_eotf, "bt1886") ? o->cambi_eotf : o->eotf;
    const int eotf = cambi_eotf(name);
    if (eotf < 0) {
        log_error("unknown EOTF received");
        log_error("cambi: unknown transfer function '%s': use bt1886 or pq", name);
        return -EINVAL;
    }
    const int n = (int)setup->steps;
    int limit[CAMBI_MAX_STEPS + 1] = { 0 };
    for (int d = 1; d <= n; d++)
        limit[d] = cambi_step_limit((unsigned)d, o->tvi_threshold, (enum CambiEotf)eotf);
    const int dark = cambi_dark_code(o->vis_lum_threshold, (enum CambiEotf)eotf);
    setup->low = dark - 3 * n + 1 > 0 ? dark - 3 * n + 1 : 0;
    setup->high = limit[n] + n;
    for (int code = 0; code <= CAMBI_TOP_CODE; code++) {
        int d = 1;
        while (d <= n && !(code <= limit[d] && code + n + d > dark))
            d++;
        setup->first_step[code] = (uint8_t)d;
    }
    return 0;
}

/* Each entry is 1/i printed with nine decimal digits and read back as a float, which is not always
 * the float nearest to 1/i. */
static void make_reciprocals(float *table)
{
    for (int i = 1; i <= CAMBI_MAX_WINDOW * CAMBI_MAX_WINDOW; i++) {
        char text[32];
        text_print_double(text, sizeof(text), "%.8e", 1.0 / i);
        table[i] = text_to_float(text, NULL);
    }
}

static int init(Feature *f)
{
    const CambiOptions *o = f->options;
    CambiState *state = f->state = mem_zalloc(sizeof(*state));
    if (!state)
        return -ENOMEM;
    CambiSetup *setup = &state->setup;
    setup->bpc = f->shape.bpc;
    setup->src_w = f->shape.w[0];
    setup->src_h = f->shape.h[0];
    setup->full_ref = o->full_ref;
    setup->steps = 1u << o->max_log_contrast;
    setup->share = o->topk != 0.6 ? o->topk : o->cambi_topk;
    setup->smooth = (o->enc_bitdepth ? (unsigned)o->enc_bitdepth : setup->bpc) < 10;
    int err = choose_sizes(f, setup);
    if (err)
        return err;
    setup->halve = halving_wanted(o->high_res_speedup, &setup->target[0]);
    for (unsigned i = 0; i < 2 && !err; i++)
        err = make_target(f, setup, &setup->target[i]);
    if (!err)
        err = make_visibility(f, setup);
    if (err)
        return err;
    make_reciprocals(setup->reciprocal);
    cambi_dsp_init(&setup->dsp, f->cpu);
    if (o->heatmaps_path)
        err = cambi_heatmaps_create(&state->heatmaps, o->heatmaps_path, setup);
    return err;
}

const CambiSetup *cambi_setup(const Feature *f)
{
    return &((const CambiState *)f->state)->setup;
}

CambiHeatmaps *cambi_heatmaps(const Feature *f)
{
    return ((const CambiState *)f->state)->heatmaps;
}

static void close(Feature *f)
{
    CambiState *state = f->state;
    if (!state)
        return;
    for (unsigned i = 0; i < 2; i++) {
        mem_free(state->setup.target[i].from_x);
        mem_free(state->setup.target[i].from_y);
    }
    cambi_heatmaps_destroy(state->heatmaps);
    mem_free(state);
}

/* ---- measuring and reporting ---- */

typedef struct MapWriter {
    CambiHeatmaps *heatmaps;
    uint64_t picture;
    int err;
} MapWriter;

static void write_map(void *cookie, unsigned scale, const float *map, unsigned w, unsigned h)
{
    MapWriter *writer = cookie;
    if (!writer->err)
        writer->err = cambi_heatmaps_write(writer->heatmaps, scale, writer->picture, map, w, h);
}

static int measure(const Feature *f, void *scratch, const FramePair *pair, void *result, Team *team)
{
    const CambiState *state = f->state;
    CambiResult *r = result;
    MapWriter writer = { state->heatmaps, pair->position, 0 };
    int err = cambi_frame_measure(scratch, 0, pair->dist, r->scores[0],
                                  state->heatmaps ? write_map : NULL, &writer);
    if (!err)
        err = writer.err;
    if (!err && state->setup.full_ref)
        err = cambi_frame_measure(scratch, 1, pair->ref, r->scores[1], NULL, NULL);
    return err;
}

/* The score of a picture: the weighted sum of its scales. */
static double combine(const double scores[CAMBI_SCALES], unsigned window)
{
    double sum = 0.0;
    for (unsigned s = 0; s < CAMBI_SCALES; s++)
        sum += scores[s] * (16 >> s);
    return sum / (window * window);
}

static double at_most(double value, double limit)
{
    return value < limit ? value : limit;
}

static int report(Feature *f, const FrameId *id, const void *result)
{
    const CambiOptions *o = f->options;
    const CambiSetup *setup = &((const CambiState *)f->state)->setup;
    const CambiResult *r = result;
    const double dist = combine(r->scores[0], setup->target[0].window);
    int err = feature_emit(f, OUT_CAMBI, id->index, at_most(dist, o->max_val));
    if (err || !setup->full_ref)
        return err;
    const double source = combine(r->scores[1], setup->target[1].window);
    const double added = dist - source > 0.0 ? dist - source : 0.0;
    err = feature_emit(f, OUT_SOURCE, id->index, at_most(source, o->max_val));
    return err ? err : feature_emit(f, OUT_FULL_REFERENCE, id->index, at_most(added, o->max_val));
}

/* Completes the heat maps. A failure here is the last that still makes the run fail. */
static int flush(Feature *f)
{
    const CambiState *state = f->state;
    return state->heatmaps ? cambi_heatmaps_finish(state->heatmaps) : 0;
}

/* ---- maps: a layer for each scale of the distorted picture, and of the reference with full_ref;
 * a cell is a sample, and its term is the contrast there ---- */

static unsigned map_pictures(const CambiSetup *setup)
{
    return setup->full_ref ? 2 : 1;
}

/* Pictures that are scaled before they are measured have no map: their samples lie between those of
 * the picture. */
static unsigned map_layers(const Feature *f, MapLayer *layers)
{
    static const char *const parts[CAMBI_SCALES] = { "scale0", "scale1", "scale2", "scale3",
                                                     "scale4" };
    const CambiSetup *const setup = cambi_setup(f);
    unsigned count = 0;
    for (unsigned i = 0; i < map_pictures(setup); i++) {
        const CambiTarget *const target = &setup->target[i];
        unsigned w = target->kept_w, h = target->kept_h;
        if (target->from_x || target->from_y)
            return 0;
        for (unsigned s = 0; s < CAMBI_SCALES; s++, w = (w + 1) / 2, h = (h + 1) / 2)
            layers[count++] = (MapLayer){
                .output = i ? OUT_SOURCE : OUT_CAMBI,
                .part = parts[s],
                .w = w,
                .h = h,
                .terms = 1,
                .step_x = (setup->halve ? 2u : 1u) << s,
                .step_y = (setup->halve ? 2u : 1u) << s,
                .best = 0.0,
                .worst = 20.0,
            };
    }
    return count;
}

/* Takes the contrasts of a scale; `cookie` is the layer of the first one. */
static void keep_contrasts(void *cookie, unsigned scale, const float *map, unsigned w, unsigned h)
{
    const MapLayer *const layer = (const MapLayer *)cookie + scale;
    for (size_t i = 0; i < (size_t)w * h; i++)
        layer->cells[i].real = map[i];
}

static int map_measure(const Feature *f, void *scratch, const FramePair *pair, MapLayer *layers)
{
    const VmafPicture *const pictures[] = { pair->dist, pair->ref };
    double unused[CAMBI_SCALES];
    int err = 0;
    for (unsigned i = 0; !err && i < map_pictures(cambi_setup(f)); i++)
        err = cambi_frame_measure(scratch, i, pictures[i], unused, keep_contrasts,
                                  layers + (size_t)i * CAMBI_SCALES);
    return err;
}

/* Means of the largest contrasts, as cambi_frame_measure makes them. */
static int map_sum(const Feature *f, const MapLayer *layers, void *result)
{
    const CambiSetup *const setup = cambi_setup(f);
    CambiResult *const r = result;
    CambiRanks *const ranks = cambi_ranks_create();
    float *const map =
        mem_aligned_alloc(((size_t)layers->w * layers->h + CAMBI_SLACK) * sizeof(*map));
    const int err = ranks && map ? 0 : -ENOMEM;
    for (unsigned i = 0; !err && i < map_pictures(setup) * CAMBI_SCALES; i++) {
        const size_t n = (size_t)layers[i].w * layers[i].h;
        for (size_t k = 0; k < n; k++)
            map[k] = (float)layers[i].cells[k].real;
        r->scores[i / CAMBI_SCALES][i % CAMBI_SCALES] =
            cambi_top_mean(&setup->dsp, ranks, map, n, setup->share);
    }
    mem_aligned_free(map);
    cambi_ranks_destroy(ranks);
    return err;
}

/* The score of a picture that has the mean contrast of these cells everywhere and at every
 * scale. */
static double map_value(const Feature *f, unsigned layer, const double *terms, double cells)
{
    double scores[CAMBI_SCALES];
    for (unsigned s = 0; s < CAMBI_SCALES; s++)
        scores[s] = terms[0] / cells;
    return combine(scores, cambi_setup(f)->target[layer / CAMBI_SCALES].window);
}

static const FeatureMap cambi_map = {
    .layers = map_layers,
    .measure = map_measure,
    .sum = map_sum,
    .value = map_value,
    .real = 1,
    .leave_out = "heatmaps_path",
};

static const ResultField fields[] = {
    RESULT_FIELD(CambiResult, scores, FIELD_DOUBLE),
    { 0 },
};

const FeatureDef feature_cambi = {
    .name = "cambi",
    .summary = "banding",
    .options = options,
    .options_size = sizeof(CambiOptions),
    .outputs = outputs,
    .result_size = sizeof(CambiResult),
    .fields = fields,
    .init = init,
    .close = close,
    .scratch_create = cambi_frame_create,
    .scratch_destroy = cambi_frame_destroy,
    .measure = measure,
    .report = report,
    .flush = flush,
    .gpu = &cambi_gpu,
    .map = &cambi_map,
};
