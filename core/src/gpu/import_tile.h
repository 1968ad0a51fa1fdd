/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that the import kernels share with their host code. */
#define IMPORT_GROUP_W 64 /* words of a row per workgroup */

/* Strides and offsets in words; step and first in samples. */
#define IMPORT_PLANE_PARAMS                                                                        \
    ARG(u32, width) ARG(u32, image_stride) ARG(u32, plane_stride) ARG(u32, plane_offset)           \
    ARG(u32, image_offset) ARG(u32, step) ARG(u32, first) ARG(u32, shift)

#define IMPORT_RANGE_ROWS 16 /* rows per thread */
#define IMPORT_RANGE_PARAMS                                                                        \
    ARG(u32, width) ARG(u32, height) ARG(u32, plane_stride) ARG(u32, plane_offset)                 \
    ARG(u32, plane) ARG(u32, above)
