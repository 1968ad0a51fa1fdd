/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ssimulacra2: SSIMULACRA 2.1, structural and edge errors of six scales in a perceptual colour
 * space. */
#include "feature/ssimulacra2/ssimulacra2.h"

#include <errno.h>

#include "base/mem.h"
#include "engine/map.h"

static int init(Feature *f)
{
    Ssimu2Setup *const setup = f->state = mem_zalloc(sizeof(*setup));
    if (!setup)
        return -ENOMEM;
    const int err = ssimu2_setup_init(setup, &f->shape, f->options);
    if (!err)
        ssimu2_dsp_init(&setup->dsp, f->shape.bpc, f->shape.w[1] < f->shape.w[0], f->cpu);
    return err;
}

static int measure(const Feature *f, void *scratch, const FramePair *pair, void *result, Team *team)
{
    const Ssimu2Setup *const setup = f->state;
    ssimu2_add_blocks(result, setup, ssimu2_frame_measure(scratch, setup, pair, team));
    return 0;
}

static int report(Feature *f, const FrameId *id, const void *result)
{
    return feature_emit(f, 0, id->index, ssimu2_score(f->state, result));
}

/* ---- maps: a layer for each scale, whose cells are blocks ---- */

enum { TERM_SAMPLES = 3 * SSIMU2_SUMS, TERMS }; /* the sums of the three channels come first */

static unsigned map_layers(const Feature *f, MapLayer *layers)
{
    static const char *const parts[SSIMU2_SCALES] = { "scale0", "scale1", "scale2",
                                                      "scale3", "scale4", "scale5" };
    const Ssimu2Setup *const setup = f->state;
    for (unsigned s = 0; s < setup->scales; s++)
        layers[s] = (MapLayer){
            .part = parts[s],
            .w = setup->scale[s].across,
            .h = setup->scale[s].down,
            .terms = TERMS,
            .step_x = SSIMU2_BLOCK << s,
            .step_y = SSIMU2_BLOCK << s,
            .best = 100.0,
            .worst = 0.0,
        };
    return setup->scales;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void fill_cells(const Ssimu2Scale *scale, const float *blocks, const MapLayer *layer)
{
    for (unsigned y = 0; y < layer->h; y++)
        for (unsigned x = 0; x < layer->w; x++)
            map_cell(layer, x, y)[TERM_SAMPLES].integer =
                (int64_t)smaller(SSIMU2_BLOCK, scale->w - x * SSIMU2_BLOCK) *
                smaller(SSIMU2_BLOCK, scale->h - y * SSIMU2_BLOCK);
    for (unsigned t = 0; t < TERM_SAMPLES; t++) {
        const float *const sums = ssimu2_sums_of(scale, t / SSIMU2_SUMS, t % SSIMU2_SUMS, blocks);
        for (size_t i = 0; sums && i < ssimu2_block_count(scale); i++)
            layer->cells[i * TERMS + t].real = sums[i];
    }
}

static int map_measure(const Feature *f, void *scratch, const FramePair *pair, MapLayer *layers)
{
    const Ssimu2Setup *const setup = f->state;
    const float *const blocks = ssimu2_frame_measure(scratch, setup, pair, NULL);
    for (unsigned s = 0; s < setup->scales; s++)
        fill_cells(&setup->scale[s], blocks, &layers[s]);
    return 0;
}

/* Adds in raster order, as ssimu2_add_blocks does. */
static int map_sum(const Feature *f, const MapLayer *layers, void *result)
{
    const Ssimu2Setup *const setup = f->state;
    Ssimu2Result *const r = result;
    for (unsigned s = 0; s < setup->scales; s++)
        for (size_t i = 0; i < ssimu2_block_count(&setup->scale[s]); i++)
            for (unsigned t = 0; t < TERM_SAMPLES; t++)
                r->sums[s][t / SSIMU2_SUMS][t % SSIMU2_SUMS] += layers[s].cells[i * TERMS + t].real;
    return 0;
}

/* The score of a picture with the errors of these cells at this scale, and none at the others. */
static double map_value(const Feature *f, unsigned layer, const double *terms, double cells)
{
    const Ssimu2Setup *const setup = f->state;
    const Ssimu2Scale *const scale = &setup->scale[layer];
    Ssimu2Result r = { 0 };
    for (unsigned t = 0; t < TERM_SAMPLES; t++)
        r.sums[layer][t / SSIMU2_SUMS][t % SSIMU2_SUMS] =
            terms[t] / terms[TERM_SAMPLES] * ((double)scale->w * scale->h);
    return ssimu2_score(setup, &r);
}

static const FeatureMap ssimu2_map = {
    .layers = map_layers,
    .measure = map_measure,
    .sum = map_sum,
    .value = map_value,
    .real = (1 << TERM_SAMPLES) - 1,
};

static const Option options[] = {
    STRING_OPTION(Ssimu2Options, matrix, "matrix", "mtx", "bt709",
                  "of Y'CbCr: bt709, bt601 or bt2020ncl; gbr: the planes are G', B' and R'"),
    STRING_OPTION(Ssimu2Options, range, "range", "rng", "limited", "of samples: limited or full"),
    STRING_OPTION(Ssimu2Options, transfer, "transfer", "trc", "srgb",
                  "transfer function: srgb, which stands for every SDR video"),
    STRING_OPTION(Ssimu2Options, tags[0], "ref_tags", NULL, "",
                  "MATRIX/RANGE or MATRIX/RANGE/BITS of the reference, in place of `matrix` and "
                  "`range`; the command sets it from the file"),
    STRING_OPTION(Ssimu2Options, tags[1], "dist_tags", NULL, "", "the same of the distorted video"),
    BOOL_OPTION(Ssimu2Options, prune, "prune", "prn", false,
                "leave out weights below 0.01: faster, and scores rise by less than 0.001"),
    { 0 },
};

static const FeatureOutput outputs[] = {
    { .name = "ssimulacra2",
      .help = "SSIMULACRA 2.1: 100 for equal pictures, without lower limit" },
    { 0 },
};

static const ResultField fields[] = {
    RESULT_FIELD(Ssimu2Result, sums, FIELD_DOUBLE),
    { 0 },
};

const FeatureDef feature_ssimulacra2 = {
    .name = "ssimulacra2",
    .summary = "SSIMULACRA 2.1, from all planes",
    .options = options,
    .options_size = sizeof(Ssimu2Options),
    .outputs = outputs,
    .flags = FEATURE_CHROMA,
    .result_size = sizeof(Ssimu2Result),
    .fields = fields,
    .init = init,
    .close = feature_free_state,
    .scratch_create = ssimu2_frame_create,
    .scratch_destroy = ssimu2_frame_destroy,
    .measure = measure,
    .report = report,
    .gpu = &ssimu2_gpu,
    .map = &ssimu2_map,
};
