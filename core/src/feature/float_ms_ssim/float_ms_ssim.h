/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Declarations that float_ms_ssim's CPU and GPU code share. */
#ifndef FEATURE_FLOAT_MS_SSIM_H
#define FEATURE_FLOAT_MS_SSIM_H

#include "engine/feature.h"

enum { MS_SSIM_SCALES = 5 };

extern const struct FeatureGpu float_ms_ssim_gpu; /* float_ms_ssim_gpu.c */

#endif
