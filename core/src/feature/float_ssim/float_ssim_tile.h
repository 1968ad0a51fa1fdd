/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that float_ssim's kernel and the C code share. */
#define SHRINK_GROUP_W 32 /* output samples per workgroup, a thread each */
#define SHRINK_GROUP_H 4

/* tap: weight of a sample, 1 / factor^2. step: scale factor for the sums. */
#define SSIM_SHRINK_PARAMS                                                                         \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, factor) ARG(f32, tap)               \
    ARG(f32, step) ARG(u32, small_w) ARG(u32, small_h)
