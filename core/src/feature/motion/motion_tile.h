/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants shared by the kernel of motion and its host code. */
#define MOTION_GROUP_W 32
#define MOTION_GROUP_H 8
#define MOTION_COLUMNS 4 /* columns of a thread */
#define MOTION_ROWS 4

/* The outputs of a workgroup: the first and last thread of a row serve only their neighbours. */
#define MOTION_TILE_W ((MOTION_GROUP_W - 2) * MOTION_COLUMNS)
#define MOTION_TILE_H (MOTION_GROUP_H * MOTION_ROWS)

#define MOTION_SAD_PARAMS                                                                          \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, bpc) ARG(u32, tiles_x)
