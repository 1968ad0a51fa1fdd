/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants shared by the kernels of float_motion and their host code. */
#define FMOTION_GROUP_W 128
#define FMOTION_TILE_W 124 /* output columns of a workgroup; its other columns are border */
#define FMOTION_TILE_H 32  /* rows of a workgroup */
#define FMOTION_HALF_W 32  /* samples of half size in a workgroup, one thread each */
#define FMOTION_HALF_H 4

/* tap0 to tap2: taps of the blur from its ends to its middle. keep: also write both blurred planes,
 * of the frame before and of this one. */
#define FLOAT_MOTION_PARAMS                                                                        \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, scale) ARG(f32, tap0)               \
    ARG(f32, tap1) ARG(f32, tap2) ARG(u32, keep)

/* The table holds two positions and the bits of a weight for each column and row of the half size.
 * Row `at` begins at sample at * walked of a plane whose rows begin every `pitch` samples, with
 * zeros between them. */
#define FLOAT_MOTION_HALF_PARAMS                                                                   \
    ARG(u32, width) ARG(u32, height) ARG(u32, pitch) ARG(u32, walked) ARG(u32, half_w)             \
    ARG(u32, half_h)
