/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of ssim and their host code share. */
#define ISSIM_TILE_W 32 /* pixels per group, a thread each */
#define ISSIM_TILE_H 8
#define ISSIM_TAPS 9
#define ISSIM_REACH 4

#define ISSIM_ROW_GROUP 64 /* threads that add up a row */

/* The result: a count of listed rows and a word of padding, then what is known of each row, then
 * the terms of rows whose sum hangs on each step. Numbers of 64 bits stand low word first. */
#define ISSIM_ROW_STATE 0u /* exponent of the sum, or ISSIM_LISTED and the number in the list */
#define ISSIM_ROW_EVEN 2u  /* what the row adds, in last places of the sum, if that is even before it */
#define ISSIM_ROW_ODD 4u   /* and if it is odd */
#define ISSIM_ROW_UP 6u    /* bounds of how far up and down its terms go */
#define ISSIM_ROW_DOWN 8u
#define ISSIM_ROW_WORDS 10u
#define ISSIM_LISTED 0x10000u /* above any exponent */

/* Sums of rows that tell where the sum stands: in units of 2^-ISSIM_ABOUT_BITS. */
#define ISSIM_ABOUT_BITS 16

/* luma, contrast: bits of the doubles that keep the quotients of dark and of flat places calm. */
#define SSIM_TERMS_PARAMS                                                                          \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, luma_low) ARG(u32, luma_high)       \
    ARG(u32, contrast_low) ARG(u32, contrast_high)

#define SSIM_ROWS_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, list_rows)
