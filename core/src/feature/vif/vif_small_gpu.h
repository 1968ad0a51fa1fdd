/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VIF of pictures under 16 samples wide or high, on a GPU. */
#ifndef FEATURE_VIF_VIF_SMALL_GPU_H
#define FEATURE_VIF_VIF_SMALL_GPU_H

#include "gpu/feature_gpu.h"

bool vif_is_small(const Feature *f);
int vif_small_plan(const Feature *f, GpuPlan *plan);
int vif_small_collect(const Feature *f, const void *readback, void *result);

#endif
