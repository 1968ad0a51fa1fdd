/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/map.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context_struct.h"
#include "engine/feature_run.h"
#include "engine/scores.h"

struct VmafMap {
    FeatureRun *run; /* a feature of the map's own, with the options of the context's */
    unsigned width, height;
    unsigned layer_count;
    MapLayer layers[MAP_LAYERS];
    double scores[MAP_LAYERS];
};

static const Feature *feature_of(const VmafMap *map)
{
    return map->run->feature;
}

/* ---- the feature ---- */

/* Takes one score that the feature reports. */
static int hear_score(void *arg, const ScoreEntry *entry)
{
    VmafMap *const map = arg;
    for (unsigned i = 0; i < map->layer_count; i++)
        if (!strcmp(feature_of(map)->names[map->layers[i].output], entry->name))
            map->scores[i] = entry->value;
    return 0;
}

/* Makes a feature like this one, which measures with scalar code. */
static int clone_feature(VmafMap *map, const Feature *f, const FrameShape *shape)
{
    const char *const unwanted = f->def->map->leave_out;
    Dict *options = NULL;
    Feature *own = NULL;
    int err = 0;
    for (size_t i = 0; !err && f->dict && i < f->dict->count; i++)
        if (!unwanted || strcmp(f->dict->entries[i].key, unwanted) != 0)
            err = dict_set_raw(&options, f->dict->entries[i].key, f->dict->entries[i].value);
    if (!err)
        err = feature_create(&own, f->def, options);
    if (err) {
        dict_destroy(options);
        return err;
    }
    own->cpu = 0;
    own->hear = hear_score;
    own->hear_arg = map;
    err = feature_run_create(&map->run, own);
    if (err) {
        feature_destroy(own);
        return err;
    }
    return feature_run_init(map->run, shape, 1);
}

/* ---- measuring ---- */

static int create_cells(VmafMap *map)
{
    const Feature *const f = feature_of(map);
    const unsigned count = f->def->map->layers(f, map->layers);
    assert(count <= MAP_LAYERS);
    if (!count)
        return -ENOTSUP;
    for (; map->layer_count < count; map->layer_count++) {
        MapLayer *const layer = &map->layers[map->layer_count];
        const size_t cells = (size_t)layer->w * layer->h;
        assert(layer->terms && layer->terms <= MAP_TERMS);
        layer->cells = mem_array(cells ? cells : 1, layer->terms * sizeof(*layer->cells));
        if (!layer->cells)
            return -ENOMEM;
    }
    return 0;
}

/* Reports what the cells add up to, so that the scores are made as in a scoring run. */
static int find_scores(VmafMap *map)
{
    Feature *const f = map->run->feature;
    const FrameId id = { 0 };
    void *const result = mem_zalloc(f->def->result_size);
    if (!result)
        return -ENOMEM;
    int err = f->def->map->sum(f, map->layers, result);
    if (!err)
        err = f->def->report(f, &id, result);
    mem_free(result);
    return err;
}

static int measure(VmafMap *map, const FramePair *pair)
{
    const Feature *const f = feature_of(map);
    void *scratch = NULL;
    int err = create_cells(map);
    if (!err && f->def->scratch_create)
        err = f->def->scratch_create(f, &scratch);
    if (!err)
        err = f->def->map->measure(f, scratch, pair, map->layers);
    if (scratch)
        f->def->scratch_destroy(scratch);
    return err ? err : find_scores(map);
}

static bool has_shape(const VmafPicture *pic, const FrameShape *shape)
{
    FrameShape own, whole;
    if (!pic->ref || !pic->data[0] ||
        shape_init(&whole, pic->pix_fmt, pic->bpc, pic->w[0], pic->h[0]))
        return false;
    shape_of_picture(&own, pic);
    return !memcmp(&own, shape, sizeof(own)) && !memcmp(&own, &whole, sizeof(own));
}

/* Measures pictures in the form that features see. */
static int measure_pair(VmafMap *map, const Feature *f, const FramePair *pair)
{
    FrameShape shape;
    shape_of_picture(&shape, pair->ref);
    bool alike = has_shape(pair->ref, &shape) && has_shape(pair->dist, &shape);
    for (unsigned i = 0; i < 2 && pair->prev_ref[i]; i++)
        alike = alike && has_shape(pair->prev_ref[i], &shape);
    if (!alike) {
        log_error("map of \"%s\": the pictures differ in size, format or depth, or the CPU cannot "
                  "read them",
                  f->def->name);
        return -EINVAL;
    }
    map->width = shape.w[0];
    map->height = shape.h[0];
    int err = clone_feature(map, f, &shape);
    if (!err)
        err = range_check_pair(pair->ref, pair->dist, feature_of(map)->planes, 0);
    return err ? err : measure(map, pair);
}

/* Converts the colours of all pictures of a pair, as the context does. */
static int measure_converted(VmafMap *map, VmafContext *ctx, const Feature *f,
                             const FramePair *given)
{
    VmafPicture made[3][2] = { 0 }; /* the pair, and the earlier references */
    FramePair pair = { .ref = &made[0][0], .dist = &made[0][1] };
    int err = conversion_run(&ctx->conversion, given->ref, given->dist, 0, made[0]);
    for (unsigned i = 0; !err && i < 2 && given->prev_ref[i]; i++) {
        err = conversion_run(&ctx->conversion, given->prev_ref[i], given->dist, 0, made[i + 1]);
        pair.prev_ref[i] = &made[i + 1][0];
    }
    if (!err)
        err = measure_pair(map, f, &pair);
    for (unsigned i = 0; i < 6; i++)
        if (made[i / 2][i % 2].ref)
            picture_release(&made[i / 2][i % 2]);
    return err;
}

int map_create(VmafMap **out, VmafContext *ctx, unsigned feature, const VmafMapPair *given)
{
    const FramePair pair = { .ref = given->ref,
                             .dist = given->dist,
                             .prev_ref = { given->prev_ref[0], given->prev_ref[1] } };
    if (feature >= scheduler_feature_count(ctx->scheduler))
        return -ENOENT;
    const Feature *const f = scheduler_feature(ctx->scheduler, feature);
    if (!f->def->map)
        return -ENOTSUP;
    VmafMap *const map = mem_zalloc(sizeof(*map));
    if (!map)
        return -ENOMEM;
    const int err = ctx->conversion.wanted ? measure_converted(map, ctx, f, &pair)
                                           : measure_pair(map, f, &pair);
    if (err)
        map_destroy(map);
    else
        *out = map;
    return err;
}

void map_destroy(VmafMap *map)
{
    if (!map)
        return;
    for (unsigned i = 0; i < MAP_LAYERS; i++)
        mem_free(map->layers[i].cells);
    feature_run_destroy(map->run);
    mem_free(map);
}

/* ---- reading ---- */

const MapLayer *map_layer(const VmafMap *map, unsigned index)
{
    return index < map->layer_count ? &map->layers[index] : NULL;
}

void map_describe(const VmafMap *map, unsigned index, VmafMapLayer *info)
{
    const MapLayer *const layer = map_layer(map, index);
    *info = (VmafMapLayer){
        .metric = feature_of(map)->names[layer->output],
        .part = layer->part ? layer->part : "",
        .score = map->scores[index],
        .width = layer->w,
        .height = layer->h,
        .terms = layer->terms,
        .left = layer->left,
        .top = layer->top,
        .step_x = layer->step_x,
        .step_y = layer->step_y,
        .best = layer->best,
        .worst = layer->worst,
        .unit = layer->unit ? layer->unit : "",
    };
}

/* Cells from…to-1 of one row or column. */
typedef struct Range {
    unsigned from, to;
} Range;

/* The cells under part `i` of `n` equal parts of a side. If the parts are larger than cells, each
 * cell is under one of them. The range may be empty. */
static Range cells_under(unsigned i, unsigned n, unsigned side, unsigned first, unsigned step,
                         unsigned cells)
{
    const int64_t begin = (int64_t)((uint64_t)i * side / n) - first;
    const int64_t end = (int64_t)((uint64_t)(i + 1) * side / n) - first;
    int64_t from = begin < 0 ? 0 : begin / step, to = end < 0 ? 0 : end / step;
    if (to <= from && begin >= 0)
        to = from + 1;
    if (to > cells)
        to = cells;
    return from < to ? (Range){ (unsigned)from, (unsigned)to } : (Range){ 0, 0 };
}

static double term_value(const FeatureMap *def, unsigned term, VmafPartValue value)
{
    return def->real >> term & 1 ? value.real : (double)value.integer;
}

static double value_of(const VmafMap *map, unsigned index, Range x, Range y)
{
    const MapLayer *const layer = &map->layers[index];
    const Feature *const f = feature_of(map);
    double sums[MAP_TERMS] = { 0 };
    if (x.from == x.to || y.from == y.to)
        return NAN;
    for (unsigned j = y.from; j < y.to; j++)
        for (unsigned i = x.from; i < x.to; i++)
            for (unsigned t = 0; t < layer->terms; t++)
                sums[t] += term_value(f->def->map, t, map_cell(layer, i, j)[t]);
    return f->def->map->value(f, index, sums, (double)(x.to - x.from) * (y.to - y.from));
}

int map_values(const VmafMap *map, unsigned index, unsigned width, unsigned height, double *values)
{
    const MapLayer *const layer = &map->layers[index];
    for (unsigned j = 0; j < height; j++) {
        const Range y = cells_under(j, height, map->height, layer->top, layer->step_y, layer->h);
        for (unsigned i = 0; i < width; i++) {
            const Range x = cells_under(i, width, map->width, layer->left, layer->step_x, layer->w);
            values[(size_t)j * width + i] = value_of(map, index, x, y);
        }
    }
    return 0;
}
