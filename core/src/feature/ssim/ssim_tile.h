/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that the kernels of ssim and the C code share. */
#define ISSIM_TILE_W 32 /* pixels per workgroup, a thread each */
#define ISSIM_TILE_H 8
#define ISSIM_TAPS 9
#define ISSIM_REACH 4

#define ISSIM_ROW_GROUP 64 /* threads of a workgroup, which adds up a row */

/* The result: the number of listed rows and a word of padding, then ISSIM_ROW_WORDS words for each
 * row, then all terms of the listed rows, which must be added one by one. Numbers of 64 bits have
 * their low word first. */
#define ISSIM_ROW_STATE 0u /* exponent of the sum, or ISSIM_LISTED + the position in the list */
/* The amount that the row adds to an even and to an odd sum, in units of its last place. */
#define ISSIM_ROW_EVEN 2u
#define ISSIM_ROW_ODD 4u
/* Upper bounds for the sums of its positive and of its negative terms. */
#define ISSIM_ROW_UP 6u
#define ISSIM_ROW_DOWN 8u
#define ISSIM_ROW_WORDS 10u
#define ISSIM_LISTED 0x10000u /* above any exponent */

/* The approximate sums of rows are in units of 2^-ISSIM_ABOUT_BITS. */
#define ISSIM_ABOUT_BITS 16

/* luma, contrast: bits of the constants (doubles) that keep the quotients of dark and of flat areas
 * small. */
#define SSIM_TERMS_PARAMS                                                                          \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, luma_low) ARG(u32, luma_high)       \
    ARG(u32, contrast_low) ARG(u32, contrast_high)

#define SSIM_ROWS_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, list_rows)
