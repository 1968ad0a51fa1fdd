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

#endif
