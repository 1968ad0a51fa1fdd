/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_ssim's kernel and its host code share. */
#define SHRINK_GROUP_W 32 /* samples of output per group, a thread each */
#define SHRINK_GROUP_H 4

/* `tap` is what a sample weighs, 1 / factor^2; `step` scales the sum of them. */
#define SSIM_SHRINK_PARAMS                                                                         \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, factor) ARG(f32, tap)               \
    ARG(f32, step) ARG(u32, small_w) ARG(u32, small_h)
