/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants shared by the kernels of vif and their host code. */
#define VIF_REACH_AT(scale) (8 >> (scale)) /* reach of a scale's filter to each side */

/* Input columns of a workgroup (one thread each) and its output rows. */
#define VIF_GROUP_W_AT(scale) (128 + 128 * (1 >> (scale)))
#define VIF_ROWS_AT(scale) 4
#define VIF_RUN 4 /* adjacent outputs that one thread makes */
/* Output columns of a workgroup: the columns that its input covers, in whole runs. */
#define VIF_COLUMNS_AT(scale)                                                                      \
    ((VIF_GROUP_W_AT(scale) - 2 * VIF_REACH_AT(scale)) / VIF_RUN * VIF_RUN)

/* Lines that stand for 2048 * log2(x), rounded, of 16-bit x with the top bit set. Each run of
 * VIF_LOG_RUN numbers, from VIF_LOG_FIRST on, has a line: slope and intercept in units of
 * 2^-VIF_LOG_SHIFT. The line's value rounded down is the logarithm. */
#define VIF_LOG_FIRST 32768
#define VIF_LOG_RUN_BITS 7
#define VIF_LOG_RUN (1 << VIF_LOG_RUN_BITS)
#define VIF_LOG_LINES (VIF_LOG_FIRST / VIF_LOG_RUN)
#define VIF_LOG_SHIFT 14

/* The result, in words: four sums of 64 bits for each scale, then the number of pixels that only a
 * double can settle, and a list of those pixels: scale, variance of the reference, variance of the
 * distorted picture, covariance. VIF_NUM_LOG lacks their information. */
#define VIF_SUMS_AT(scale) (8u * (scale))
#define VIF_NUM_LOG 0u
#define VIF_DEN_LOG 2u
#define VIF_FLAT_ENERGY 4u
#define VIF_FLAT_COUNT 6u
#define VIF_UNSETTLED VIF_SUMS_AT(4u)
#define VIF_UNSETTLED_AT(i) (VIF_UNSETTLED + 4u + 4u * (i))
#define VIF_UNSETTLED_MAX 64u /* one in 20 frames of 2^25 pixels has such a pixel */
#define VIF_RESULT_WORDS VIF_UNSETTLED_AT(VIF_UNSETTLED_MAX)

#define VIF_HALVE_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, mean_shift)
/* gain_whole: the gain limit if it is a whole number, else 0. gain_room: the largest number that
 * can be multiplied by gain_whole in 32 bits. gain: the limit as a float. gain_lo, gain_hi: the
 * limit as a double. gain_square_lo, gain_square_hi: that double's square. */
#define VIF_STATS_PARAMS                                                                           \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, mean_shift) ARG(u32, square_shift)  \
    ARG(u32, gain_whole) ARG(u32, gain_room) ARG(f32, gain) ARG(u32, gain_lo) ARG(u32, gain_hi)    \
    ARG(u32, gain_square_lo) ARG(u32, gain_square_hi)

/* ---- Kernels for small pictures */

#define VIF_SMALL_W 16 /* samples of a workgroup, one thread each */
#define VIF_SMALL_H 4

#define VIF_SMALL_PACK_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, stride)
/* `scale`: the scale to make. */
#define VIF_SMALL_HALVE_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, scale) ARG(u32, mean_shift)
/* `before_w`, `before_h`: size of the scale before. `first`: word of the result where the scale
 * begins; each sample has three words: variance of the reference, variance of the distorted
 * picture, covariance. */
#define VIF_SMALL_STATS_PARAMS                                                                     \
    ARG(u32, width) ARG(u32, height) ARG(u32, before_w) ARG(u32, before_h) ARG(u32, scale)         \
    ARG(u32, mean_shift) ARG(u32, square_shift) ARG(u32, first)
