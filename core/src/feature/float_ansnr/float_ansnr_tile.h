/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_ansnr's kernel and its host code share. */
#define ANSNR_GROUP_W 128
#define ANSNR_TILE_W 124 /* columns of output per group: the others are its apron */
#define ANSNR_TILE_H 32  /* rows per group */

/* The taps of the heavy blur, by what they are 571ths of. */
#define FLOAT_ANSNR_PARAMS                                                                         \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, scale) ARG(f32, tap2)               \
    ARG(f32, tap7) ARG(f32, tap12) ARG(f32, tap31) ARG(f32, tap52) ARG(f32, tap127)
