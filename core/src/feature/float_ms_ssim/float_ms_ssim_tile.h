/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_ms_ssim's kernel and its host code share. */
#define HALVE_TILE_W 32 /* samples of output per group */
#define HALVE_TILE_H 16 /* two a thread */

#define HALVE_TWICE_W 8 /* samples of the second half per group: it makes 483 of the first, two a thread */
#define HALVE_TWICE_H 7

/* Of the image that is halved, which begins at element first_in if it is one of floats; first_out: where its half
 * does, which the half's half follows if that is made, too. */
#define SSIM_HALVE_PARAMS                                                                          \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, step) ARG(u32, first_in)            \
    ARG(u32, first_out)
