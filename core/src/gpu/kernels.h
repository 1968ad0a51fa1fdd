/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernels of this build. The build reads each kernel's needs from its source, whatever APIs are
 * compiled in. kernel_image.h has the code that it makes of them for one API. */
#ifndef GPU_KERNELS_H
#define GPU_KERNELS_H

#include <stddef.h>

#define GPU_MAX_BINDINGS 12
#define GPU_MAX_PARAMS 128 /* bytes */

typedef struct KernelInfo {
    const char *name;      /* the name in meson.build */
    unsigned workgroup[2]; /* threads across and down; at most 256 in all */
    unsigned buffer_count; /* bindings 0, 1, …: at most GPU_MAX_BINDINGS */
    unsigned params_size;  /* bytes: at most GPU_MAX_PARAMS; 0: none */
} KernelInfo;

extern const KernelInfo kernel_infos[]; /* name NULL ends the table */
const KernelInfo *kernel_info_find(const char *name);

/* A hash of the library's sources and of how they are compiled, made by build_id.py. */
extern const char build_id[];

#endif
