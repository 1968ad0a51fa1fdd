/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf/map.h: they check their arguments and call inward. */
#include "engine/map.h"

#include <errno.h>
#include <string.h>

int vmaf_map_create(VmafMap **map, VmafContext *vmaf, unsigned feature, const VmafMapPair *pair)
{
    VmafMapPair full = { .size = 0 };
    if (!map || !vmaf || !pair || pair->size < sizeof(pair->size))
        return -EINVAL;
    memcpy(&full, pair, pair->size < sizeof(full) ? pair->size : sizeof(full));
    if (!full.ref || !full.dist)
        return -EINVAL;
    *map = NULL;
    return map_create(map, vmaf, feature, &full);
}

void vmaf_map_destroy(VmafMap *map)
{
    map_destroy(map);
}

int vmaf_map_layer(const VmafMap *map, unsigned index, VmafMapLayer *layer)
{
    if (!map || !layer || layer->size < sizeof(layer->size))
        return -EINVAL;
    if (!map_layer(map, index))
        return -ENOENT;
    VmafMapLayer full;
    const size_t size = layer->size;
    map_describe(map, index, &full);
    memcpy(layer, &full, size < sizeof(full) ? size : sizeof(full));
    layer->size = size;
    return 0;
}

int vmaf_map_terms(const VmafMap *map, unsigned layer, const VmafPartValue **terms)
{
    if (!map || !terms)
        return -EINVAL;
    const MapLayer *const found = map_layer(map, layer);
    if (!found)
        return -ENOENT;
    *terms = found->cells;
    return 0;
}

int vmaf_map_values(const VmafMap *map, unsigned layer, unsigned width, unsigned height,
                    double *values)
{
    if (!map || !values || !width || !height)
        return -EINVAL;
    return map_layer(map, layer) ? map_values(map, layer, width, height, values) : -ENOENT;
}
