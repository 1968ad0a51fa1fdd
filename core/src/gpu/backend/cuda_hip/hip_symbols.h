/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* HIP's column of driver/api.h. */
#ifndef HIP_SYMBOLS_H
#define HIP_SYMBOLS_H

#include "gpu/backend/cuda_hip/api.h"

extern const GpuBackend hip_backend;

/* Opens libamdhip64 on first use and keeps it. NULL when the machine has none that we can use.
 * Thread-safe. */
const DriverApi *hip_api(void);

/* ---- bundle.c ---- */

/* Has the bundle, of `size` bytes, code for that architecture? "gfx90a:sramecc+:xnack-" is gfx90a. */
bool hip_bundle_has(const void *bundle, size_t size, const char *arch);

/* ---- compile.c: hiprtc, for architectures that the build has no code for ---- */

/* Opens hiprtc: a library of its own, or part of `library`. Once, before the others. */
void hip_compiler_open(void *library);
bool hip_has_compiler(void);

/* Compiles a source: free *code with mem_free. */
int hip_compile(const char *arch, const KernelImage *source, void **code);

#endif
