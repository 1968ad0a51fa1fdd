/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of vif and their host code share. */
#define VIF_REACH_AT(scale) (8 >> (scale)) /* of a scale's filter, to each side */

/* Input columns of a group, a thread each, and its output rows. */
#define VIF_GROUP_W_AT(scale) (128 + 128 * (1 >> (scale)))
#define VIF_ROWS_AT(scale) 4
#define VIF_RUN 4 /* adjacent outputs that a thread makes */
/* Output columns of a group: what its input columns reach, in whole runs. */
#define VIF_COLUMNS_AT(scale) ((VIF_GROUP_W_AT(scale) - 2 * VIF_REACH_AT(scale)) / VIF_RUN * VIF_RUN)

/* 2048 * log2 of numbers of 16 bits with the top bit set, rounded: of each VIF_LOG_RUN numbers from
 * VIF_LOG_FIRST on, a line, slope and intercept in units of 2^-VIF_LOG_SHIFT, which is rounded down. */
#define VIF_LOG_FIRST 32768
#define VIF_LOG_RUN_BITS 7
#define VIF_LOG_RUN (1 << VIF_LOG_RUN_BITS)
#define VIF_LOG_LINES (VIF_LOG_FIRST / VIF_LOG_RUN)
#define VIF_LOG_SHIFT 14

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
/* The gain limit: whole, or 0; the largest number that may be multiplied with that; as a float; as a
 * double, low word first; that double's square. */
#define VIF_STATS_PARAMS                                                                           \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, mean_shift) ARG(u32, square_shift)  \
    ARG(u32, gain_whole) ARG(u32, gain_room) ARG(f32, gain) ARG(u32, gain_lo) ARG(u32, gain_hi)    \
    ARG(u32, gain_square_lo) ARG(u32, gain_square_hi)

/* ---- Kernels for small pictures */

#define VIF_SMALL_W 16 /* samples per group, a thread each */
#define VIF_SMALL_H 4

#define VIF_SMALL_PACK_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, stride)
/* `scale`: the one that is made. */
#define VIF_SMALL_HALVE_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, scale) ARG(u32, mean_shift)
/* `before`: the scale before. `first`: where the scale begins in the result, in words; a sample has three there:
 * variance of the reference and of the distorted picture, covariance. */
#define VIF_SMALL_STATS_PARAMS                                                                     \
    ARG(u32, width) ARG(u32, height) ARG(u32, before_w) ARG(u32, before_h) ARG(u32, scale)         \
    ARG(u32, mean_shift) ARG(u32, square_shift) ARG(u32, first)
