/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_motion's kernels and their host code share. */
#define FMOTION_GROUP_W 128
#define FMOTION_TILE_W 124 /* columns of output per group: the others are its apron */
#define FMOTION_TILE_H 32  /* rows per group */
#define FMOTION_HALF_W 32  /* samples of half size per group, a thread each */
#define FMOTION_HALF_H 4

/* Taps of the blur, from its ends to its middle. `keep`: leave both blurred planes, too, before and now. */
#define FLOAT_MOTION_PARAMS                                                                        \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, scale) ARG(f32, tap0)               \
    ARG(f32, tap1) ARG(f32, tap2) ARG(u32, keep)

/* Of each column and row of the half size: two positions, and the bits of a weight. Row `at` is looked for at
 * at * walked of a plane whose rows begin every `pitch` samples, zeros between them. */
#define FLOAT_MOTION_HALF_PARAMS                                                                   \
    ARG(u32, width) ARG(u32, height) ARG(u32, pitch) ARG(u32, walked) ARG(u32, half_w)             \
    ARG(u32, half_h)
