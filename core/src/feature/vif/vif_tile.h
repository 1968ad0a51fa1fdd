/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of vif and their host code share. */
#define VIF_GROUP_W 128 /* input columns of a group, a thread each */
#define VIF_TILE_ROWS 8 /* output rows between two barriers; all that halving makes */

#define VIF_REACH_AT(scale) (8 >> (scale)) /* of a scale's filter, to each side */

/* Output columns of a group: what its input columns reach. Halving serves all scales alike. */
#define VIF_STATS_COLUMNS(scale) (VIF_GROUP_W - 2 * VIF_REACH_AT(scale))
#define VIF_HALVE_COLUMNS ((VIF_GROUP_W - 2 * VIF_REACH_AT(1)) / 2)

/* The result, in words: four sums of 64 bits for each scale, and behind them the number of pixels
 * that only a double can settle, with a list of those: scale, variance of the reference and of the
 * distorted picture, covariance. They are missing in VIF_NUM_LOG. */
#define VIF_SUMS_AT(scale) (8u * (scale))
#define VIF_NUM_LOG 0u
#define VIF_DEN_LOG 2u
#define VIF_FLAT_ENERGY 4u
#define VIF_FLAT_COUNT 6u
#define VIF_UNSETTLED VIF_SUMS_AT(4u)
#define VIF_UNSETTLED_AT(i) (VIF_UNSETTLED + 4u + 4u * (i))
#define VIF_UNSETTLED_MAX 64u /* a frame of 2^25 pixels has one in 20 */
#define VIF_RESULT_WORDS VIF_UNSETTLED_AT(VIF_UNSETTLED_MAX)

#define VIF_HALVE_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, mean_shift)
/* The gain limit: whole, or 0; as a float; as a double, low word first; that double's square. */
#define VIF_STATS_PARAMS                                                                           \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, mean_shift) ARG(u32, square_shift)  \
    ARG(u32, rows_per_group) ARG(u32, gain_whole) ARG(f32, gain) ARG(u32, gain_lo)                 \
    ARG(u32, gain_hi) ARG(u32, gain_square_lo) ARG(u32, gain_square_hi)
