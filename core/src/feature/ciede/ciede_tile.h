/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What ciede's kernel and its host code share. */
#define CIEDE_TILE_W 32
#define CIEDE_GROUP_H 4

#define CIEDE_SUM_BITS 40 /* that follow the binary point of a group's sum */
/* A group leaves its sum, low word first, and a word of marks (ciede.kernel.h). Behind those of all groups come the pixels that
 * are left to the CPU: the number of the pixel, then luma, Cb and Cr, of the reference in the lower half. */
#define CIEDE_SUM_WORDS 3
#define CIEDE_LISTED_WORDS 4

/* Tables of curves. A point has eight floats: the first three terms of the curve's series there in two floats each,
 * then two more terms. */
#define CIEDE_LIGHTS 0 /* light by signal, 1024 points to a unit */
#define CIEDE_LIGHT_END 2.5f
#define CIEDE_LIGHT_COUNT 2561
#define CIEDE_ARCS (CIEDE_LIGHTS + CIEDE_LIGHT_COUNT) /* arcs by slope, 256 to a unit */
#define CIEDE_ARC_COUNT 257
#define CIEDE_SINES (CIEDE_ARCS + CIEDE_ARC_COUNT) /* 128 to a unit, up to pi / 2 */
#define CIEDE_SINE_COUNT 203
#define CIEDE_HUES (CIEDE_SINES + CIEDE_SINE_COUNT) /* what hue differences weigh, by hue, 256 to a unit */
#define CIEDE_HUE_COUNT 2048                        /* hues are below 8 */
#define CIEDE_BELLS (CIEDE_HUES + CIEDE_HUE_COUNT) /* exp(-x), 64 to a unit */
#define CIEDE_BELL_END 29.0f
#define CIEDE_BELL_COUNT 1857
#define CIEDE_POINTS (CIEDE_BELLS + CIEDE_BELL_COUNT)
#define CIEDE_POINT_FLOATS 8
/* Behind the tables are the same for kernels that work in double: the first three terms in double, of which the last 12
 * bits of the third are more bits of the fourth, and the upper halves of the other two. */
#define CIEDE_TERMS 5
#define CIEDE_CURVE_FLOATS (2 * CIEDE_POINTS * CIEDE_POINT_FLOATS)

/* subsampled: chroma is smaller than luma; repeat: how often a sample of it stands in a row. What samples are
 * scaled by comes in two floats; probe is 1 + 2^-12; rows are
 * those of a group; list_at: where the list of pixels begins, with room for list_size. */
#define CIEDE_PARAMS                                                                               \
    ARG(u32, width) ARG(u32, height) ARG(u32, luma_stride) ARG(u32, chroma_w) ARG(u32, chroma_h)   \
    ARG(u32, chroma_stride) ARG(u32, subsampled) ARG(u32, repeat) ARG(f32, luma_offset)            \
    ARG(f32, chroma_offset) ARG(u32, tiles_x) ARG(f32, luma_scale) ARG(f32, luma_scale_low)        \
    ARG(f32, r_from_cr) ARG(f32, r_from_cr_low) ARG(f32, g_from_cb) ARG(f32, g_from_cb_low)        \
    ARG(f32, g_from_cr) ARG(f32, g_from_cr_low) ARG(f32, b_from_cb) ARG(f32, b_from_cb_low)        \
    ARG(f32, probe) ARG(u32, rows) ARG(u32, list_at) ARG(u32, list_size)
