/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_vif's kernels and their host code share. */
#define FVIF_GROUP_W 128  /* threads, and columns of statistics, per group */
#define FVIF_HALVED_W 64  /* columns of the next scale per group: each thread has one of a picture */
#define FVIF_ROWS 4       /* rows per group, of either */
#define FVIF_MAX_REACH 32 /* of the longest filter */

/* Filters stand in a table one after the other, with zeros before and after each: several rows take the same
 * samples at different taps. */
#define FVIF_MAX_TAPS 65
#define FVIF_PAD 6
#define FVIF_FILTER (FVIF_MAX_TAPS + 2 * FVIF_PAD) /* places of each */

/* `scale`: from one sample value to the next. Of the noise: its float, what that left, the bits of the double, and
 * the least float that is not below it. */
#define FLOAT_VIF_STATS_PARAMS                                                                     \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, scale) ARG(u32, first_tap)             \
    ARG(u32, taps) ARG(f32, noise) ARG(f32, noise_rest) ARG(u32, noise_low) ARG(u32, noise_high)   \
    ARG(f32, noise_up) ARG(f32, flat_weight) ARG(f32, gain_limit)

#define FLOAT_VIF_HALVE_PARAMS                                                                     \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, scale) ARG(u32, first_tap)             \
    ARG(u32, taps) ARG(u32, half_w) ARG(u32, half_h)

#define FVIF_RESIZE_W 32 /* samples per group, a thread each */
#define FVIF_RESIZE_H 4
#define FLOAT_VIF_RESIZE_PARAMS ARG(u32, stride) ARG(f32, scale) ARG(u32, new_h) RESAMPLE_PARAMS
