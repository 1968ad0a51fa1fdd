/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What psnr's kernel and its host code share. */
#define PSNR_GROUP_W 32
#define PSNR_GROUP_H 8
#define PSNR_WORDS 4 /* of each row of a thread */
#define PSNR_ROWS 4  /* of a thread */

#define PSNR_TILE_WORDS (PSNR_GROUP_W * PSNR_WORDS) /* of each row of a group */
#define PSNR_TILE_ROWS (PSNR_GROUP_H * PSNR_ROWS)

/* A plane: its size, the words of a row, groups side by side, and the first of them. */
#define PSNR_PLANE(p)                                                                              \
    ARG(u32, width_##p) ARG(u32, height_##p) ARG(u32, stride_##p) ARG(u32, groups_x_##p)           \
    ARG(u32, first_##p)
#define PSNR_SSE_PARAMS PSNR_PLANE(0) PSNR_PLANE(1) PSNR_PLANE(2)
