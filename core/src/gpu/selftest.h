/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The self-test: before a device is trusted with a feature, it runs the feature's kernels on small
 * pictures and compares the results with the CPU's. Any thread may call these functions. */
#ifndef GPU_SELFTEST_H
#define GPU_SELFTEST_H

#include <stdint.h>

#include "engine/feature.h"
#include "gpu/device.h"

/* A set of features: bit n is number n in the registry, and bit 32 + n is two of that number that
 * share a plan. */
typedef uint64_t SelfTestSet;
#define SELFTEST_ALL (~(SelfTestSet)0)

SelfTestSet selftest_set_of(const FeatureDef *def);
/* The tests that these features need, each on a device that took it. */
SelfTestSet selftest_set_of_all(Feature *const *features, unsigned count, FeatureSet taken);

/* Depths that have kernels of their own: 8 bits, more than 8 but below 16, and 16. */
#define SELFTEST_DEPTHS 3

static inline unsigned selftest_depth(unsigned bpc)
{
    return bpc == 16 ? 2 : bpc > 8;
}

/* The depth of the test pictures, in bits. */
static inline unsigned selftest_bits(unsigned depth)
{
    return depth == 2 ? 16 : depth ? 10 : 8;
}

/* Tests those of the features that have kernels, at selftest_bits(depth). -ENOTSUP, with the
 * kernels' names in the log: the device's results differ from the CPU's. A feature that passed is
 * remembered in the user's cache folder, by UUID, driver, build and kernels, and not tested
 * again. */
int selftest_run(GpuDevice *device, SelfTestSet features, unsigned depth);

/* Runs a feature on made-up pictures, with the scalar CPU code and on a device, and compares the
 * results. For the self-test and for the tests. */

enum CheckContent {
    CHECK_TEXTURE,  /* gradients, edges and noise; the distorted picture is coarser and noisier */
    CHECK_EXTREMES, /* samples are 0 or the peak value */
    CHECK_FLAT,     /* two constant pictures */
    CHECK_BANDS,    /* flat areas that differ by one step */
    CHECK_CONTENTS,
};

typedef struct GpuCheck {
    const FeatureDef *def;
    const char *const *options; /* key, value, …, NULL; may be NULL */
    /* Options of a second feature of this kind, which runs beside the first one and shares its
     * plan. NULL: there is none. */
    const char *const *joined_options;
    FrameShape shape;
    enum CheckContent content;
    unsigned seed;
} GpuCheck;

/* 0: the results are equal. 1: they differ. -ENOTSUP: the feature or its init refuses this shape or
 * these options. Another negative errno: the feature could not be run. `names` (may be NULL)
 * receives the names of the kernels that ran. */
int gpu_check(GpuDevice *device, const GpuCheck *check, char *names, size_t names_size);

#endif
