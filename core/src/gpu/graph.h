/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The layout of a context's plans on one device: the offset of each buffer of a frame, the kernels
 * that run, and the planes that they read. It is made once and does not change; each slot of the
 * ring is memory with this layout. */
#ifndef GPU_GRAPH_H
#define GPU_GRAPH_H

#include "engine/feature.h"
#include "gpu/device.h"
#include "gpu/plan.h"

typedef struct GraphFeature {
    Feature *feature;
    /* The plan that runs if the feature is its own owner; NULL: the feature stays on the CPU. It is
     * `alone` until another feature shares it. */
    GpuPlan *plan;
    GpuPlan *alone;    /* the plan of this feature by itself */
    char refusal[160]; /* why it stays on the CPU */
    /* The feature whose run serves this one: itself, an earlier one with an equal plan, or an
     * earlier one that does most of the same work (FeatureGpu.plan_all). */
    unsigned owner;
    unsigned result_index; /* which of the owner's results is this feature's */
    unsigned result_count; /* for owners: the number of results */
    GpuKernel **kernels;   /* indexed by pass */
    /* One range for each buffer of the plan except planes. Only ranges of tables have `buffer` set;
     * the others lie in the slot's scratch or results. */
    GpuRange *ranges;
} GraphFeature;

typedef struct Graph {
    GpuDevice *device;
    FrameShape shape;
    GraphFeature *features;
    unsigned feature_count;
    FeatureSet taken;
    unsigned ref_planes, dist_planes; /* bit p: plane p is read */
    unsigned back;                    /* the most frames that a feature looks back */
    size_t plane_offset[3], plane_size[3], picture_bytes;
    size_t scratch_bytes, scratch_zeroed; /* zeroed buffers come first */
    size_t result_bytes, result_zeroed;
    GpuBuffer *tables;
} Graph;

int graph_create(Graph **out, GpuDevice *device, Feature *const *features, unsigned count);
void graph_destroy(Graph *graph);

/* The features whose runs serve the features in the set. */
FeatureSet graph_owners(const Graph *graph, FeatureSet set);
/* The offset of a feature's result in a slot's results. */
size_t graph_result_offset(const Graph *graph, unsigned feature);

#endif
