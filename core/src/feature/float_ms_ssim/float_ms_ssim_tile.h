/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_ms_ssim's kernel and its host code share. */
#define HALVE_TILE_W 32 /* samples of output per group */
#define HALVE_TILE_H 8

#define SSIM_HALVE_PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, step)
