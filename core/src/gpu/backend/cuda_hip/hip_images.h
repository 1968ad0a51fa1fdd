/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernels for AMD: bundles of code objects, one for each architecture of the build (hip_archs), that
 * hipModuleLoadData takes; and for other devices the text that hiprtc compiles, with -O3 and
 * -ffp-contract=off. A kernel is named as in the table and takes one struct: addresses by binding number,
 * then the parameters, its size rounded up to 8 bytes. */
#ifndef HIP_IMAGES_H
#define HIP_IMAGES_H

#include "gpu/kernels.h"

/* A NULL name ends each table; sizes of texts count the closing 0 byte. */
extern const KernelImage hip_images[];
extern const KernelImage hip_sources[];

#endif
