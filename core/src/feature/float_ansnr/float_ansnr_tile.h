/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants shared by the kernel of float_ansnr and its host code. */
#define ANSNR_GROUP_W 128
#define ANSNR_TILE_W 124 /* output columns of a workgroup; its other columns are border */
#define ANSNR_TILE_H 32  /* rows of a workgroup */

/* tapN: the tap N / 571 of the heavy blur. */
#define FLOAT_ANSNR_PARAMS                                                                         \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, scale) ARG(f32, tap2)               \
    ARG(f32, tap7) ARG(f32, tap12) ARG(f32, tap31) ARG(f32, tap52) ARG(f32, tap127)
