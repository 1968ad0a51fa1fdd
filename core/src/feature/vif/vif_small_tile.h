/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of vif for small pictures and their host code share. */
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
