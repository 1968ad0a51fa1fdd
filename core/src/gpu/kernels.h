/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernels of this build: what each one wants, as the build read it off the source, whatever APIs are
 * compiled in. The code made of it for one API is a table of images. */
#ifndef GPU_KERNELS_H
#define GPU_KERNELS_H

#include <stddef.h>

#define GPU_MAX_BINDINGS 12
#define GPU_MAX_PARAMS 128 /* bytes */

typedef struct KernelInfo {
    const char *name;      /* as in a folder's meson.build */
    unsigned workgroup[2]; /* threads across and down, 256 at most */
    unsigned buffer_count; /* bindings 0, 1, …: at most GPU_MAX_BINDINGS */
    unsigned params_size;  /* bytes: at most GPU_MAX_PARAMS; 0: none */
} KernelInfo;

extern const KernelInfo kernel_infos[]; /* name NULL ends the table */
const KernelInfo *kernel_info_find(const char *name);

typedef struct KernelImage {
    const char *name;
    const void *data;
    size_t size; /* bytes */
} KernelImage;

/* The image of that name in a table that a NULL name ends; NULL when there is none. */
const KernelImage *kernel_image_find(const KernelImage *table, const char *name);

/* What this library is made of: a hash of its sources and of how they are compiled (build_id.py). */
extern const char build_id[];

#endif
