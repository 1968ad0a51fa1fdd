/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that psnr's kernel and the C code share. */
#define PSNR_GROUP_W 32
#define PSNR_GROUP_H 8
#define PSNR_WORDS 4 /* words of a row per thread */
#define PSNR_ROWS 4  /* rows per thread */

#define PSNR_TILE_WORDS (PSNR_GROUP_W * PSNR_WORDS) /* words of a row per workgroup */
#define PSNR_TILE_ROWS (PSNR_GROUP_H * PSNR_ROWS)

/* The parameters of a plane: its size, the words of a row, its workgroups in a row, and the number
 * of its first workgroup. */
#define PSNR_PLANE(p)                                                                              \
    ARG(u32, width_##p) ARG(u32, height_##p) ARG(u32, stride_##p) ARG(u32, groups_x_##p)           \
    ARG(u32, first_##p)
#define PSNR_SSE_PARAMS PSNR_PLANE(0) PSNR_PLANE(1) PSNR_PLANE(2)
