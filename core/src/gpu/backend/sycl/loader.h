/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds and opens the SYCL plugin. Accepts only a plugin that was built from the same sources. */
#ifndef SYCL_LOADER_H
#define SYCL_LOADER_H

#include "gpu/backend/sycl/plugin/abi.h"

/* Identifies the sources of kernels and plugin. The build writes it into libvmaf and into the
 * plugin. */
extern const char *const sycl_build;

typedef struct SyclLibrary {
    const SyclPlugin *plugin;
    char path[1024];
    uint64_t
        digest; /* of the file, since another compiler makes another plugin from the same sources */
} SyclLibrary;

/* Opens the plugin of this process: the file named by VMAF_SYCL_PLUGIN, or the one beside libvmaf
 * or in the library path. Returns -ENOSYS if none exists, and -ENOTSUP if it was rejected (the
 * first call logs why). The plugin stays loaded, because runtimes have threads and exit handlers of
 * their own. Thread-safe. */
int sycl_library(const SyclLibrary **out);

/* Opens the plugin in a file. Returns -ENOSYS if the file does not exist, -ENOTSUP (logged) if it
 * is rejected. */
int sycl_library_open(SyclLibrary *out, const char *path);

#endif
