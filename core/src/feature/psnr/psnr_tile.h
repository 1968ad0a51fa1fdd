/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What psnr's kernel and its host code share. */
#define PSNR_GROUP_W 32
#define PSNR_GROUP_H 8
#define PSNR_WORDS 4 /* of each row of a thread */
#define PSNR_ROWS 4  /* of a thread */

#define PSNR_TILE_WORDS (PSNR_GROUP_W * PSNR_WORDS) /* of each row of a group */
#define PSNR_TILE_ROWS (PSNR_GROUP_H * PSNR_ROWS)

#define PSNR_SSE_PARAMS                                                                            \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, first_sum) ARG(u32, groups_x)
