/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sums of squared differences on a GPU, for psnr and float_psnr. */
#ifndef FEATURE_PSNR_H
#define FEATURE_PSNR_H

#include "gpu/feature_gpu.h"

/* Plans the pass over f->planes. `kernel` is a variant of psnr_sse. */
void psnr_gpu_plan_sums(const Feature *f, GpuPlan *plan, const char *kernel);

/* Adds up the sums that the pass left for each plane; 0 for a plane that is not measured. */
void psnr_gpu_collect_sums(const Feature *f, const void *readback, uint64_t sse[3]);

#endif
