/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Makers: the owners of pictures in foreign memory, which tests import. */
#ifndef TEST_GPU_MAKERS_H
#define TEST_GPU_MAKERS_H

#include "base/mem.h"
#include "gpu/import.h"
#include "gpu/client.h"
#include "gpu/upload.h"
#include "rig.h"
#include "score.h"
#include "tap.h"

/* The first ones run on the device. The last one reads the same pictures on the CPU. */
#define IMPORT_FEATURES 3
#define ON_DEVICE 2
extern const ClipFeature import_features[IMPORT_FEATURES];

#define IMPORT_CLIPS 4
extern const SynthClip import_clips[IMPORT_CLIPS];

/* One picture, in a buffer or in memory to import, with rows at strides of its own. */
typedef struct Maker {
    GpuDevice *device;
    FrameShape shape;
    size_t offset[3], stride[3], size;
    GpuBuffer *buffer;
    RigMemory memory; /* used in place of the buffer */
    char *host;
} Maker;

void maker_layout(Maker *maker, GpuDevice *device, const SynthClip *clip);
void maker_create(Maker *maker, GpuDevice *device, const SynthClip *clip);
void maker_destroy(Maker *maker);
void maker_scribble(Maker *maker);
int maker_paint(Maker *maker, const SynthClip *clip, enum SynthSide side, unsigned t);
int record_rows(ImportTarget *target, const void *maker); /* an ImportRecord */

GpuIncoming incoming(const SynthClip *clip, enum SynthSide side, unsigned index);
int import_made(GpuClient *client, const SynthClip *clip, enum SynthSide side, unsigned index,
                const Maker *maker);
int import_painted(GpuClient *client, const SynthClip *clip, enum SynthSide side, unsigned t,
                   unsigned index, Maker *maker);

GpuClient *client_for(VmafDevice *device, VmafContext *vmaf);
/* The CPU's scores of the first `feature_count` of import_features. */
char *cpu_scores(const SynthClip *clip, unsigned feature_count);
VmafContext *open_context(VmafDevice *device, const SynthClip *clip, unsigned feature_count,
                          unsigned threads);
/* Closes the context and compares its scores with `wanted`. Frees both texts. */
void close_equal(VmafContext *vmaf, char *wanted);

#endif
