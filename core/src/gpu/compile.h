/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels made ahead, several at a time: most of a first start is a driver's compiler. */
#ifndef GPU_COMPILE_H
#define GPU_COMPILE_H

#include "gpu/device.h"
#include "gpu/plan.h"

typedef struct Compile Compile;

/* Kernels of one device that are wanted, each once. NULL: no memory. */
Compile *compile_create(GpuDevice *device);
void compile_add(Compile *compile, const GpuPlan *plan);
/* Lets the device make them, and forgets the list. The first error; no more are tried then. */
int compile_finish(Compile *compile);

#endif
