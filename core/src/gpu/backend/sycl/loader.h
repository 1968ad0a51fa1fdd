/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds the SYCL plugin, and takes none but one that was made of the same sources. */
#ifndef SYCL_LOADER_H
#define SYCL_LOADER_H

#include "gpu/backend/sycl/plugin/abi.h"

/* The sources that kernels and plugin are made of; the build writes it here and into the plugin. */
extern const char *const sycl_build;

typedef struct SyclLibrary {
    const SyclPlugin *plugin;
    char path[1024];
    uint64_t digest; /* of the file: another compiler makes another one of the same sources */
} SyclLibrary;

/* The plugin of this process: named by VMAF_SYCL_PLUGIN, or beside libvmaf, or in the library path.
 * -ENOSYS: there is none; -ENOTSUP: there is, and it was refused, which the first call logs. Stays loaded:
 * runtimes keep threads and exit handlers of their own. */
int sycl_library(const SyclLibrary **out);

/* One plugin by its file. -ENOSYS: no such file; -ENOTSUP: refused (logged). */
int sycl_library_open(SyclLibrary *out, const char *path);

#endif
