/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Trust no driver: every feature's kernels once on a small input, compared with the CPU. */
#ifndef GPU_SELFTEST_H
#define GPU_SELFTEST_H

#include "gpu/device.h"

/* -ENOTSUP, with the kernels' names in the log, when the device computes other bits than the CPU.
 * A device that passed is remembered, by UUID, driver, build and kernels, in the user's cache folder. */
int selftest_run(GpuDevice *device);

#endif
