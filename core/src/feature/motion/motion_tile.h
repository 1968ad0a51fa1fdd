/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What motion's kernel and its host code share. */
#define MOTION_GROUP_W 128
#define MOTION_TILE_W 124 /* columns of output per group: the others are its apron */
#define MOTION_TILE_H 32  /* rows per group */
#define MOTION_STEP 4     /* rows between two barriers */

#define MOTION_SAD_PARAMS                                                                          \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, bpc) ARG(u32, tiles_x)
