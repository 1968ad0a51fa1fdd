/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sizes that ssim's kernels and their host code share. */
#define SSIM_GROUP_W 64 /* window positions of a row per group */
#define SSIM_TAPS 11
#define SSIM_LINE_W 74   /* GROUP_W + TAPS - 1 */
#define SSIM_SUM_WORDS 8 /* per group: four 64-bit sums */
#define SSIM_SUM_BITS 48 /* that follow their binary point */

#define HALVE_TILE_W 32 /* samples of output per group */
#define HALVE_TILE_H 8
#define HALVE_IN_W 71 /* 2 * TILE_W + 7 */
#define HALVE_IN_H 23

#define SHRINK_GROUP_W 32
#define SHRINK_GROUP_H 4
