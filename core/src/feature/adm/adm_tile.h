/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of adm and their host code share. */
#define ADM_TILE_ROWS 4 /* rows of a band per group, in both kernels */

#define ADM_SPLIT_GROUP_W 128 /* input columns of a group, a thread each */
#define ADM_SPLIT_COLUMNS 63  /* columns of a band that they reach */

#define ADM_ENERGY_GROUP_W 32
#define ADM_ENERGY_COLUMNS 128

/* The result: for each row of each level's core nine sums of 64 bits, bands H, V, D of each kind. */
#define ADM_NUM 0u
#define ADM_AIM 3u
#define ADM_DEN 6u
#define ADM_SUMS_PER_ROW 9u

/* The gain limit: whole, or 0; as a double, low word first. */
#define ADM_SPLIT_PARAMS                                                                           \
    ARG(u32, in_width) ARG(u32, in_height) ARG(u32, in_stride) ARG(u32, depth) ARG(u32, core_x)    \
    ARG(u32, core_y) ARG(u32, row_base) ARG(u32, cube_shift) ARG(u32, gain_whole)                  \
    ARG(u32, gain_lo) ARG(u32, gain_hi)
#define ADM_ENERGY_PARAMS                                                                          \
    ARG(u32, width) ARG(u32, height) ARG(u32, core_x) ARG(u32, core_y) ARG(u32, row_base)          \
    ARG(u32, weight_hv) ARG(u32, weight_d) ARG(u32, cube_shift_hv) ARG(u32, cube_shift_d)
