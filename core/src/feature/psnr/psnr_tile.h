/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sizes that psnr's kernel and its host code share. */
#define PSNR_GROUP_W 64 /* words of a row per group */
#define PSNR_ROWS 32    /* rows per group */
