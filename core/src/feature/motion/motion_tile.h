/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What motion's kernel and its host code share. */
#define MOTION_GROUP_W 32
#define MOTION_GROUP_H 8
#define MOTION_COLUMNS 4 /* of a thread */
#define MOTION_ROWS 4

/* What a group answers for: its first and last threads are there for their neighbours only. */
#define MOTION_TILE_W ((MOTION_GROUP_W - 2) * MOTION_COLUMNS)
#define MOTION_TILE_H (MOTION_GROUP_H * MOTION_ROWS)

#define MOTION_SAD_PARAMS                                                                          \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, bpc) ARG(u32, tiles_x)
