/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernels as PTX: text that cuModuleLoadData takes and the driver compiles for its device. An entry is
 * named as its kernel and takes one struct: addresses by binding number, then the parameters, its size
 * rounded up to 8 bytes. */
#ifndef CUDA_IMAGES_H
#define CUDA_IMAGES_H

#include "gpu/kernels.h"

extern const KernelImage
    cuda_images[]; /* a NULL name ends the table; sizes count the closing 0 byte */

/* The kernels for AMD: bundles of code objects, one for each architecture of the build (hip_archs), that
 * hipModuleLoadData takes; and for other devices the text that hiprtc compiles, with -O3 and
 * -ffp-contract=off. A kernel is named as in the table and takes one struct: addresses by binding number,
 * then the parameters, its size rounded up to 8 bytes. */

/* A NULL name ends each table; sizes of texts count the closing 0 byte. */
extern const KernelImage hip_images[];
extern const KernelImage hip_sources[];

/* Several kernels in one PTX text: the driver compiles modules one after another, but those of a module side by side,
 * if it can. */

/* What follows the head of each text, behind the first one's head; free it with mem_free. NULL: no memory. */
char *cuda_join(const KernelImage *const *images, unsigned count);

#endif
