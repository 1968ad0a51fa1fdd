/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that xpsnr's kernels and the C code share. */
#define XPSNR_HISTORIES 3 /* no earlier frame exists, one does, or two do */

#define XPSNR_GROUP_W 256
#define XPSNR_CHUNK 4      /* columns and rows of luma that a thread takes at once */
#define XPSNR_BAND_ROWS 64 /* the most rows of a block that a workgroup takes */
#define XPSNR_LANES 32     /* threads that share in adding up one of a workgroup's sums */

/* The sums of a workgroup, in the order of the result. */
#define XPSNR_SUM_SPATIAL 0
#define XPSNR_SUM_TEMPORAL 1
#define XPSNR_SUM_SQUARES (XPSNR_SUM_TEMPORAL + XPSNR_HISTORIES)
#define XPSNR_SUMS (XPSNR_SUM_SQUARES + 3)

/* Parameters for luma (0) or for each chroma plane (1): the size, the words of a row, the width and
 * height of a block, and the rows of a band. A plane that is not measured has the width 0. */
#define XPSNR_PLANE(p)                                                                             \
    ARG(u32, width_##p) ARG(u32, height_##p) ARG(u32, stride_##p) ARG(u32, edge_##p)               \
    ARG(u32, edge_y_##p) ARG(u32, rows_##p)
#define XPSNR_SUMS_PARAMS                                                                          \
    XPSNR_PLANE(0) XPSNR_PLANE(1) ARG(u32, order) ARG(u32, across) ARG(u32, down)
