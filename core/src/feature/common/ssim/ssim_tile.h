/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that the kernel of SSIM's window and the C code share. */
#define SSIM_GROUP_W 32 /* window positions of a row per workgroup, a thread each */
#define SSIM_GROUP_H 4  /* rows that a workgroup handles at once */
#define SSIM_TAPS 11
/* Rows of window positions per workgroup, at most: a thread has a quarter of them, and a Tally
 * holds 48. */
#define SSIM_MAX_ROWS 192

/* The result of a workgroup: 64-bit sums, low word first. */
#define SSIM_LCS 0u
#define SSIM_L 1u
#define SSIM_C 2u
#define SSIM_S 3u
#define SSIM_SUMS 4u
#define SSIM_SUM_WORDS (2u * SSIM_SUMS)
#define SSIM_SUM_BITS 48 /* bits after the binary point of a sum */

/* width, height, stride: of the first scale. first_sum: the word of the result at which the sums
 * begin. rows: rows of window positions per workgroup. wanted: a bit for each sum that is wanted;
 * contrast and structure are always computed. */
#define SSIM_WINDOW_PARAMS                                                                         \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, step) ARG(u32, first_sum)           \
    ARG(u32, rows) ARG(u32, wanted)
