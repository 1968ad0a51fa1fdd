/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames of made-up clips in every kind of memory that frames come in, and features by name. */
#ifndef TEST_GPU_CLIP_H
#define TEST_GPU_CLIP_H

#include "engine/feature.h"
#include "gpu/device.h"
#include "synth.h"

enum ClipMemory {
    CLIP_PLAIN,
    CLIP_ODD,    /* plain memory with an odd stride and noise between the rows */
    CLIP_UPLOAD, /* upload memory, which the device copies from */
    CLIP_MIRROR, /* device memory; the part that the host sees holds noise */
    CLIP_MEMORIES
};
extern const char *const clip_memory_names[CLIP_MEMORIES];

/* Makes frame `t` as a new picture. Returns a negative errno on failure. */
int clip_picture(GpuDevice *device, enum ClipMemory memory, const SynthClip *clip,
                 enum SynthSide side, unsigned t, VmafPicture *out);

/* Copies the samples of a picture to one of the same shape. */
void clip_copy(VmafPicture *to, const VmafPicture *from);

void clip_shape(const SynthClip *clip, FrameShape *shape);

/* A feature and its options: key, value, …, NULL. */
typedef struct ClipFeature {
    const char *name;
    const char *options[7];
} ClipFeature;
int clip_options(const ClipFeature *feature, Dict **dict);

/* The feature "on_cpu", which has no GPU code. Programs that name features register it beside the
 * library's. */
extern const FeatureDef feature_on_cpu;

#endif
