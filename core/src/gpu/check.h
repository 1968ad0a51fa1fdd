/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs one feature on made-up pictures, by the scalar CPU code and by a device, and compares.
 * Serves the self-test and the tests. */
#ifndef GPU_CHECK_H
#define GPU_CHECK_H

#include "engine/feature.h"
#include "gpu/device.h"

enum CheckContent {
    CHECK_TEXTURE,  /* gradients, edges and noise, dist a coarser and noisier ref */
    CHECK_EXTREMES, /* samples at 0 and at the peak only */
    CHECK_FLAT,     /* two constant pictures */
    CHECK_BANDS,    /* flat areas, a step apart */
    CHECK_CONTENTS,
};

typedef struct GpuCheck {
    const FeatureDef *def;
    const char *const *options; /* key, value, …, NULL; may be NULL */
    FrameShape shape;
    enum CheckContent content;
    unsigned seed;
} GpuCheck;

/* 0: equal; 1: they differ; -ENOTSUP: the feature declines this shape or these options (also when
 * its init does); another negative errno: it could not be run. `names` (may be NULL) gets the
 * kernels that ran. */
int gpu_check(GpuDevice *device, const GpuCheck *check, char *names, size_t names_size);

#endif
