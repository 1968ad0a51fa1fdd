/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Maps: where in a picture a score comes from.
 *
 * A map measures one pair of pictures as a feature of a context does, with the same options and
 * after the same conversion of colours, and keeps what every place of the picture adds to the
 * score. It has a layer for each scale or plane that the feature measures. A layer is a grid of
 * cells, and a cell holds the terms that the feature's result is the sum of: the integers of the
 * fixed-point features, the doubles of the others. The feature's result is made of these terms, so
 * the score of a layer equals the score of the scoring run to the last bit.
 *
 *     VmafMap *map;
 *     VmafMapLayer layer = { .size = sizeof(layer) };
 *     const VmafMapPair pair = { .size = sizeof(pair), .ref = &ref, .dist = &dist };
 *     if (!vmaf_map_create(&map, vmaf, 0, &pair)) {    // the feature registered first
 *         for (unsigned i = 0; !vmaf_map_layer(map, i, &layer); i++)
 *             printf("%s: %ux%u cells\n", layer.metric, layer.width, layer.height);
 *         vmaf_map_destroy(map);
 *     }
 *
 * Maps are measured by scalar code on the calling thread, whatever device the context scores on:
 * the bits are the same. docs/metrics/maps.md says for each feature what the terms are.
 */
#ifndef VMAF_MAP_H
#define VMAF_MAP_H

#include <stddef.h>

#include "libvmaf.h"
#include "macros.h"
#include "part.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafMap VmafMap;

/** A pair of pictures in memory that the CPU can read, in the format that the context is given. */
typedef struct VmafMapPair {
    size_t size;                   /**< sizeof(VmafMapPair) */
    const VmafPicture *ref, *dist; /**< they remain the caller's */
    /**
     * The references one and two pairs before this one, for features that look back
     * (vmaf_part_reach()). NULL: there is none, as before the first pair of a clip.
     */
    const VmafPicture *prev_ref[2];
} VmafMapPair;

/** A layer: the terms of one metric. */
typedef struct VmafMapLayer {
    size_t size;            /**< in: sizeof(VmafMapLayer) */
    const char *metric;     /**< the name its scores are stored under; lives as long as the map */
    double score;           /**< the metric of this pair, made of the terms of the cells */
    unsigned width, height; /**< in cells */
    unsigned terms;         /**< numbers of a cell */
    unsigned left, top;     /**< where the first cell begins, in samples of luma */
    unsigned step_x;        /**< distance of neighbouring cells, in samples of luma */
    unsigned step_y;        /**< the same downwards */
    /** The values for the ends of a colour scale: where nothing was lost, and where it is bad. */
    double best, worst;
    const char *unit; /**< unit of the values, such as `dB`, a constant; empty: they have none */
    const char *part; /**< tells layers of one metric apart, such as `scale1`; a constant; empty:
                       *   the metric has one layer */
} VmafMapLayer;

/**
 * Measures the map of a pair for the feature registered as number `feature` (vmaf_feature_info()).
 * The context's scores do not change. Called by the thread that drives the context.
 *
 * @return 0; -EINVAL when an argument is NULL, the pair's size is not set, or the feature refuses
 *         the pictures (logged); -ENOENT when there is no such feature; -ENOTSUP when the feature
 *         has no map with these options; an error of the conversion of colours; -ENOMEM
 */
VMAF_EXPORT int vmaf_map_create(VmafMap **map, VmafContext *vmaf, unsigned feature,
                                const VmafMapPair *pair);

/** Frees a map; NULL is fine. */
VMAF_EXPORT void vmaf_map_destroy(VmafMap *map);

/** Layer number `index`. @return 0; -EINVAL; -ENOENT past the last layer */
VMAF_EXPORT int vmaf_map_layer(const VmafMap *map, unsigned index, VmafMapLayer *layer);

/**
 * The terms of a layer: `terms` numbers for each cell, cell by cell, in rows. They live as long as
 * the map.
 *
 * @return 0; -EINVAL; -ENOENT when there is no such layer
 */
VMAF_EXPORT int vmaf_map_terms(const VmafMap *map, unsigned layer, const VmafPartValue **terms);

/**
 * The local scores of a layer, as a raster of `width` by `height` values that covers the whole
 * picture. Each value is the metric's formula applied to the sum of the terms of the cells under
 * it: the score that a picture of these cells alone would have. NaN: the layer has no cell there,
 * such as at the border that adm leaves out.
 *
 * @return 0; -EINVAL, also when the raster is empty; -ENOENT when there is no such layer; -ENOMEM
 */
VMAF_EXPORT int vmaf_map_values(const VmafMap *map, unsigned layer, unsigned width, unsigned height,
                                double *values);

#ifdef __cplusplus
}
#endif

#endif
