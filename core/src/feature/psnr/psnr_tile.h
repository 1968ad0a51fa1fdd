/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What psnr's kernel and its host code share. */
#define PSNR_GROUP_W 64 /* words of a row per group */
#define PSNR_ROWS 32    /* rows per group */

#define PSNR_SSE_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, first_sum)
