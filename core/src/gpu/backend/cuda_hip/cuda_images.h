/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernels as PTX: text that cuModuleLoadData takes and the driver compiles for its device. An entry is
 * named as its kernel and takes one struct: addresses by binding number, then the parameters, its size
 * rounded up to 8 bytes. */
#ifndef CUDA_IMAGES_H
#define CUDA_IMAGES_H

#include "gpu/kernels.h"

extern const KernelImage
    cuda_images[]; /* a NULL name ends the table; sizes count the closing 0 byte */

#endif
