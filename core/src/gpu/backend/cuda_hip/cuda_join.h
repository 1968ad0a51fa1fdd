/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Several kernels in one PTX text: the driver compiles modules one after another, but those of a module side by side,
 * if it can. */
#ifndef CUDA_JOIN_H
#define CUDA_JOIN_H

#include "gpu/kernels.h"

/* What follows the head of each text, behind the first one's head; free it with mem_free. NULL: no memory. */
char *cuda_join(const KernelImage *const *images, unsigned count);

#endif
