/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames of made-up clips in every kind of memory that frames come in, and features by name. */
#ifndef TEST_GPU_CLIP_H
#define TEST_GPU_CLIP_H

#include "engine/feature.h"
#include "gpu/device.h"
#include "synth.h"

enum ClipMemory {
    CLIP_PLAIN,
    CLIP_ODD,    /* plain, rows at a stride that is no multiple of anything, noise between them */
    CLIP_UPLOAD, /* that the device copies from */
    CLIP_MIRROR, /* on the device; the half that the host sees holds noise */
    CLIP_MEMORIES
};
extern const char *const clip_memory_names[CLIP_MEMORIES];

/* Frame `t` in a new picture. Negative errno. */
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

/* "on_cpu", which has no GPU code: every program that names features has it beside the library's. */
extern const FeatureDef feature_on_cpu;

#endif
