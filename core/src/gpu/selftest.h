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

/* Tests those of the features that have kernels, at 8 bits or, for `deep`, above. -ENOTSUP, with the kernels'
 * names in the log, when the device computes other bits than the CPU. A feature that passed is remembered, by
 * UUID, driver, build and kernels, in the user's cache folder. */
int selftest_run(GpuDevice *device, SelfTestSet features, bool deep);

#endif
