/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants shared by the kernels of float_vif and their host code. */
#define FVIF_GROUP_W 128  /* threads of a workgroup, and its columns of statistics */
#define FVIF_HALVED_W 64  /* columns of the next scale in a workgroup, for each picture */
#define FVIF_ROWS 4       /* rows of a workgroup, of statistics or of the next scale */
#define FVIF_MAX_REACH 32 /* reach of the longest filter */

/* The filters are in one table, with zeros before and after each, because several rows use the same
 * samples at different taps. */
#define FVIF_MAX_TAPS 65
#define FVIF_PAD 6
#define FVIF_FILTER (FVIF_MAX_TAPS + 2 * FVIF_PAD) /* words of each filter */

/* scale: the value of one sample step. noise: the noise variance as a float; noise_rest: what the
 * float lacks; noise_low, noise_high: the bits of the double; noise_up: the smallest float that is
 * not below it. */
#define FLOAT_VIF_STATS_PARAMS                                                                     \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, scale) ARG(u32, first_tap)          \
    ARG(u32, taps) ARG(f32, noise) ARG(f32, noise_rest) ARG(u32, noise_low) ARG(u32, noise_high)   \
    ARG(f32, noise_up) ARG(f32, flat_weight) ARG(f32, gain_limit)

#define FLOAT_VIF_HALVE_PARAMS                                                                     \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, scale) ARG(u32, first_tap)          \
    ARG(u32, taps) ARG(u32, half_w) ARG(u32, half_h)

#define FVIF_RESIZE_W 32 /* samples of a workgroup, one thread each */
#define FVIF_RESIZE_H 4
#define FLOAT_VIF_RESIZE_PARAMS ARG(u32, stride) ARG(f32, scale) ARG(u32, new_h) RESAMPLE_PARAMS
