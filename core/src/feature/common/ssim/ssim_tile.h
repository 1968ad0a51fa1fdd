/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernel of SSIM's window and its host code share. */
/* Window positions of a row per group, and rows that are worked on at once. */
#define SSIM_GROUP_W 32
#define SSIM_GROUP_H 4
#define SSIM_TAPS 11
#define SSIM_MAX_ROWS 192 /* of window positions in a group: a thread's share of them is what a Tally holds */

/* The result of a group: sums of 64 bits, low word first. */
#define SSIM_LCS 0u
#define SSIM_L 1u
#define SSIM_C 2u
#define SSIM_S 3u
#define SSIM_SUMS 4u
#define SSIM_SUM_WORDS (2u * SSIM_SUMS)
#define SSIM_SUM_BITS 48 /* that follow a sum's binary point */

/* Of the first scale; first_sum is a word of the result; rows are those of window positions in a group; parts has
 * bits for the sums that are wanted, but contrast and structure always are. */
#define SSIM_WINDOW_PARAMS                                                                         \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, step) ARG(u32, first_sum)           \
    ARG(u32, rows) ARG(u32, parts)
