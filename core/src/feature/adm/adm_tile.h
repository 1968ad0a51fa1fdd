/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of adm and their host code share. */

/* A group's threads, and the columns of a band that each takes at level 0; one at the others. */
#define ADM_LANES 16
#define ADM_ROWS 16
#define ADM_FINE_RUN 4

/* What a group answers for: masks reach one position further, on every side. */
#define ADM_TILE_COLUMNS(run) (ADM_LANES * (run) - 2)
#define ADM_TILE_ROWS (ADM_ROWS - 2)

/* The result: for each row of each level's core nine sums of 64 bits, bands H, V, D of each kind. */
#define ADM_NUM 0u
#define ADM_AIM 3u
#define ADM_DEN 6u
#define ADM_SUMS_PER_ROW 9u

/* The gain limit: whole; and as 53 bits, gain_hi above gain_lo, that stand gain_shift + 32 bits
 * too high. */
#define ADM_GAIN_PARAMS                                                                            \
    ARG(u32, gain_whole) ARG(u32, gain_lo) ARG(u32, gain_hi) ARG(u32, gain_shift)

#define ADM_FINE_PARAMS                                                                            \
    ADM_GAIN_PARAMS ARG(u32, in_width) ARG(u32, in_height) ARG(u32, in_stride) ARG(u32, depth)     \
    ARG(u32, core_x) ARG(u32, core_y) ARG(u32, row_base) ARG(u32, weight_hv) ARG(u32, weight_d)    \
    ARG(u32, cube_shift_hv) ARG(u32, cube_shift_d)

/* Levels 1 to 3, of which 1 splits a band of this size. The groups of level 3 come first, for they
 * take longest; then those of level 2, and of level 1. */
#define ADM_COARSE_LEVEL(l)                                                                        \
    ARG(u32, core_x_##l) ARG(u32, core_y_##l) ARG(u32, row_base_##l) ARG(u32, weight_hv_##l)       \
    ARG(u32, weight_d_##l) ARG(u32, cube_shift_##l) ARG(u32, plain_cube_shift_##l)
#define ADM_COARSE_PARAMS                                                                          \
    ADM_GAIN_PARAMS ARG(u32, in_width) ARG(u32, in_height) ARG(u32, first_of_2)                    \
    ARG(u32, first_of_1) ADM_COARSE_LEVEL(1) ADM_COARSE_LEVEL(2) ADM_COARSE_LEVEL(3)
