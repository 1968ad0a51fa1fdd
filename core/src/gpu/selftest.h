/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Trust no driver: a feature's kernels once on a small input, compared with the CPU, before they are used. */
#ifndef GPU_SELFTEST_H
#define GPU_SELFTEST_H

#include <stdint.h>

#include "engine/feature.h"
#include "gpu/device.h"

/* Features by their number in the registry. */
typedef uint64_t SelfTestSet;
#define SELFTEST_ALL (~(SelfTestSet)0)

SelfTestSet selftest_set_of(const FeatureDef *def);

/* Depths with kernels of their own: 8 bits, those between, and 16. */
#define SELFTEST_DEPTHS 3

static inline unsigned selftest_depth(unsigned bpc)
{
    return bpc == 16 ? 2 : bpc > 8;
}

/* Bits of the pictures that stand for a depth. */
static inline unsigned selftest_bits(unsigned depth)
{
    return depth == 2 ? 16 : depth ? 10 : 8;
}

/* Tests those of the features that have kernels, at selftest_bits(depth). -ENOTSUP, with the kernels' names in the
 * log, when the device computes other bits than the CPU. A feature that passed is remembered, by UUID, driver,
 * build and kernels, in the user's cache folder. */
int selftest_run(GpuDevice *device, SelfTestSet features, unsigned depth);

/* Runs one feature on made-up pictures, by the scalar CPU code and by a device, and compares.
 * Serves the self-test and the tests. */


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
