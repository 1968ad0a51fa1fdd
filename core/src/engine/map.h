/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Maps: the terms that the result of a feature is the sum of, each at its place in the picture
 * (libvmaf/map.h). The engine allocates the cells, a feature fills them while it measures, and then
 * adds them up to its result. */
#ifndef ENGINE_MAP_H
#define ENGINE_MAP_H

#include "engine/feature.h"
#include "libvmaf/map.h"

enum { MAP_LAYERS = 10, MAP_TERMS = 64 }; /* the most layers of a map, and terms of a cell */

/* A grid of cells. left…step_y are in samples of luma. */
typedef struct MapLayer {
    unsigned output;  /* the metric, as an index of FeatureDef.outputs */
    const char *part; /* tells layers of one metric apart: `scale1`; NULL: there is only one */
    unsigned w, h, terms;
    unsigned left, top, step_x, step_y;
    double best, worst; /* as in VmafMapLayer */
    const char *unit;   /* NULL: none */
    VmafPartValue *cells;
} MapLayer;

/* The terms of a cell. */
static inline VmafPartValue *map_cell(const MapLayer *layer, unsigned x, unsigned y)
{
    return layer->cells + ((size_t)y * layer->w + x) * layer->terms;
}

/* FeatureDef.map. The feature is past init, with scalar code only. */
struct FeatureMap {
    /* Fills in all members but `cells`; returns the number of layers, at most MAP_LAYERS. 0: these
     * options or pictures have no map. */
    unsigned (*layers)(const Feature *f, MapLayer *layers);
    /* Measures a pair as FeatureDef.measure does, but puts the terms into the cells, which are
     * zero. */
    int (*measure)(const Feature *f, void *scratch, const FramePair *pair, MapLayer *layers);
    /* Makes the result of the cells: the one that FeatureDef.measure makes. 0 or -ENOMEM. */
    int (*sum)(const Feature *f, const MapLayer *layers, void *result);
    /* The metric's formula for terms that were added up over some cells of a layer. */
    double (*value)(const Feature *f, unsigned layer, const double *terms, double cells);
    uint64_t real;         /* bit t: term t of a cell is a real number, not an integer */
    const char *leave_out; /* an option that makes a run write files; NULL: none */
};

int map_create(VmafMap **map, VmafContext *ctx, unsigned feature, const VmafMapPair *pair);
void map_destroy(VmafMap *map); /* NULL is fine */
/* NULL: there is no such layer. */
const MapLayer *map_layer(const VmafMap *map, unsigned index);
void map_describe(const VmafMap *map, unsigned index, VmafMapLayer *info);
int map_values(const VmafMap *map, unsigned layer, unsigned width, unsigned height, double *values);

#endif
