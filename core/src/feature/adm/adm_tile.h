/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of adm and their host code share. */

/* A group's threads, and the columns of a band that each of them takes: fewer where bands are small, so
 * that there are threads enough. */
#define ADM_LANES 16
#define ADM_ROWS 16
#define ADM_RUN_0 4
#define ADM_RUN_1 2
#define ADM_RUN_2 1
#define ADM_RUN_3 1

/* What a group answers for: masks reach one position further, on every side. */
#define ADM_TILE_COLUMNS(run) (ADM_LANES * (run) - 2)
#define ADM_TILE_ROWS (ADM_ROWS - 2)

/* The result: for each row of each level's core nine sums of 64 bits, bands H, V, D of each kind. */
#define ADM_NUM 0u
#define ADM_AIM 3u
#define ADM_DEN 6u
#define ADM_SUMS_PER_ROW 9u

/* The gain limit: whole, or 0; and as 53 bits, gain_hi above gain_lo, that stand gain_shift + 32 bits too high. */
#define ADM_LEVEL_PARAMS                                                                           \
    ARG(u32, in_width) ARG(u32, in_height) ARG(u32, in_stride) ARG(u32, depth) ARG(u32, core_x)    \
    ARG(u32, core_y) ARG(u32, row_base) ARG(u32, gain_whole) ARG(u32, gain_lo) ARG(u32, gain_hi)   \
    ARG(u32, gain_shift) ARG(u32, weight_hv) ARG(u32, weight_d) ARG(u32, cube_shift_hv)            \
    ARG(u32, cube_shift_d) ARG(u32, plain_cube_shift)
