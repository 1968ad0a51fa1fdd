/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants shared by the kernels of float_adm and their host code. */
#define FADM_TILE_W 32 /* coefficients of each band in a workgroup, one thread each */
#define FADM_TILE_H 8

/* Planes of weighted coefficients that the split writes: restored and additive, for each band. */
#define FADM_RESTORED 0u
#define FADM_ADDITIVE 3u
#define FADM_WEIGHED 6u

/* Planes of terms for each band, of the core only. */
#define FADM_NUM 0u
#define FADM_DEN 3u
#define FADM_AIM 6u
#define FADM_TERMS 9u

/* width, height: size of the plane that is split; band_w, band_h: size of its bands; core_…: the
 * part of the bands that is summed. scale: the value of one sample step. gain: the gain limit as a
 * float; gain_low, gain_high: its bits as a double. counted: the level has energies. goes_on:
 * another level follows. cubed: terms are the energies, else the host raises them. */
#define FLOAT_ADM_SPLIT_PARAMS                                                                     \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, scale) ARG(u32, band_w)             \
    ARG(u32, band_h) ARG(u32, core_x) ARG(u32, core_y) ARG(u32, core_w) ARG(u32, core_h)           \
    ARG(f32, weight_hv) ARG(f32, weight_d) ARG(f32, gain) ARG(u32, gain_low) ARG(u32, gain_high)   \
    ARG(u32, counted) ARG(u32, goes_on) ARG(u32, cubed)

#define FLOAT_ADM_MASK_PARAMS                                                                      \
    ARG(u32, band_w) ARG(u32, band_h) ARG(u32, core_x) ARG(u32, core_y) ARG(u32, core_w)           \
    ARG(u32, core_h) ARG(u32, bypass) ARG(u32, cubed)
