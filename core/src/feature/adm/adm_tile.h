/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants shared by the kernels of adm and their host code. */

/* The threads of a workgroup, and the band columns that each takes at level 0; each takes one at
 * the other levels. */
#define ADM_LANES 16
#define ADM_ROWS 16
#define ADM_FINE_RUN 4

/* The outputs of a workgroup: its masks reach one position further on every side. */
#define ADM_TILE_COLUMNS(run) (ADM_LANES * (run) - 2)
#define ADM_TILE_ROWS (ADM_ROWS - 2)

/* The result: nine sums of 64 bits for each row of each level's core, bands H, V, D of each
 * kind. */
#define ADM_NUM 0u
#define ADM_AIM 3u
#define ADM_DEN 6u
#define ADM_SUMS_PER_ROW 9u

/* The table of views: their number, the number of sums of each, and the weights of each view, two
 * for each level. The result holds the sums of one view after those of another. */
#define ADM_VIEWS_COUNT 0
#define ADM_VIEWS_SUMS 1
#define ADM_VIEWS_WEIGHTS 2
#define ADM_VIEW_WORDS 8

/* The gain limit: as a whole number, and as a mantissa of 53 bits, gain_hi above gain_lo, shifted
 * up by gain_shift + 32 bits. */
#define ADM_GAIN_PARAMS                                                                            \
    ARG(u32, gain_whole) ARG(u32, gain_lo) ARG(u32, gain_hi) ARG(u32, gain_shift)

#define ADM_FINE_PARAMS                                                                            \
    ADM_GAIN_PARAMS ARG(u32, in_width) ARG(u32, in_height) ARG(u32, in_stride) ARG(u32, depth)     \
    ARG(u32, core_x) ARG(u32, core_y) ARG(u32, row_base) ARG(u32, weight_hv) ARG(u32, weight_d)    \
    ARG(u32, cube_shift_hv) ARG(u32, cube_shift_d)

/* Levels 1 to 3; level 1 splits a band of size in_width x in_height. The workgroups of level 3 come
 * first because they take longest, then those of level 2, then those of level 1. */
#define ADM_COARSE_LEVEL(l)                                                                        \
    ARG(u32, core_x_##l) ARG(u32, core_y_##l) ARG(u32, row_base_##l) ARG(u32, weight_hv_##l)       \
    ARG(u32, weight_d_##l) ARG(u32, cube_shift_##l) ARG(u32, plain_cube_shift_##l)
#define ADM_COARSE_PARAMS                                                                          \
    ADM_GAIN_PARAMS ARG(u32, in_width) ARG(u32, in_height) ARG(u32, first_of_2)                    \
    ARG(u32, first_of_1) ADM_COARSE_LEVEL(1) ADM_COARSE_LEVEL(2) ADM_COARSE_LEVEL(3)
