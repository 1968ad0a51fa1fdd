/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The plans of a context's features, laid out: where each buffer of a frame lies, which kernels
 * run, which planes are read. Made once; the slots of the ring are copies of this layout. */
#ifndef GPU_GRAPH_H
#define GPU_GRAPH_H

#include "engine/accelerator.h"
#include "gpu/device.h"
#include "gpu/plan.h"

typedef struct GraphFeature {
    Feature *feature;
    GpuPlan *plan;       /* NULL: not taken */
    char refusal[160];   /* why not */
    unsigned owner;      /* the feature whose run serves this one: itself, or an equal one before */
    GpuKernel **kernels; /* of each pass */
    GpuRange *ranges; /* of each buffer of the plan, as far as it is not a plane: buffer is set for
                       * tables only, others lie in the slot's scratch or results */
} GraphFeature;

typedef struct Graph {
    GpuDevice *device;
    FrameShape shape;
    GraphFeature *features;
    unsigned feature_count;
    FeatureSet taken;
    unsigned ref_planes, dist_planes; /* bit p: plane p is read */
    unsigned back;                    /* how many frames back features look */
    size_t plane_offset[3], plane_size[3], picture_bytes;
    size_t scratch_bytes, scratch_zeroed; /* the zeroed part comes first */
    size_t result_bytes, result_zeroed;
    GpuBuffer *tables;
} Graph;

int graph_create(Graph **out, GpuDevice *device, Feature *const *features, unsigned count);
void graph_destroy(Graph *graph);

/* Owners of the features in the set. */
FeatureSet graph_owners(const Graph *graph, FeatureSet set);
/* Where a feature's result lies in the results. */
size_t graph_result_offset(const Graph *graph, unsigned feature);

#endif
