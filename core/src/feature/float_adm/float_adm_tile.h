/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_adm's kernels and their host code share. */
#define FADM_TILE_W 32 /* coefficients of each band per group, a thread each */
#define FADM_TILE_H 8

/* Planes of weighed coefficients that the split leaves: what is restored and what is additive, of each band. */
#define FADM_RESTORED 0u
#define FADM_ADDITIVE 3u
#define FADM_WEIGHED 6u

/* Planes of terms, of each band: the core only. */
#define FADM_NUM 0u
#define FADM_DEN 3u
#define FADM_AIM 6u
#define FADM_TERMS 9u

/* width, height: of what is split; band_w, band_h: of its bands; core: the part of them that counts. `scale`: from one
 * sample value to the next. Of the gain limit: its float, and the bits of the double. `cubed`: terms are energies,
 * not what the host makes them of. */
#define FLOAT_ADM_SPLIT_PARAMS                                                                     \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, scale) ARG(u32, band_w)             \
    ARG(u32, band_h) ARG(u32, core_x) ARG(u32, core_y) ARG(u32, core_w) ARG(u32, core_h)           \
    ARG(f32, weight_hv) ARG(f32, weight_d) ARG(f32, gain) ARG(u32, gain_low) ARG(u32, gain_high)   \
    ARG(u32, counted) ARG(u32, goes_on) ARG(u32, cubed)

#define FLOAT_ADM_MASK_PARAMS                                                                      \
    ARG(u32, band_w) ARG(u32, band_h) ARG(u32, core_x) ARG(u32, core_y) ARG(u32, core_w)           \
    ARG(u32, core_h) ARG(u32, bypass) ARG(u32, cubed)
