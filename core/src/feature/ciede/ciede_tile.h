/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that ciede's kernel and the C code share. */
#define CIEDE_TILE_W 32
#define CIEDE_GROUP_H 4

#define CIEDE_SUM_BITS 40 /* bits after the binary point of a workgroup's sum */
/* The result. Each workgroup leaves its sum, low word first, and a word of marks (see joined_marks
 * in ciede.kernel.h). Behind these comes the list of pixels that are left to the CPU: the number of
 * the pixel, then luma, Cb and Cr, with the reference in the lower half of a word. */
#define CIEDE_SUM_WORDS 3
#define CIEDE_LISTED_WORDS 4

/* Tables of curves. A point has eight floats: the first three terms of the curve's Taylor series at
 * the point, as pairs of floats, then two more terms. */
#define CIEDE_LIGHTS 0 /* light by signal, 1024 points per unit */
#define CIEDE_LIGHT_END 2.5f
#define CIEDE_LIGHT_COUNT 2561
#define CIEDE_ARCS (CIEDE_LIGHTS + CIEDE_LIGHT_COUNT) /* arcs by slope, 256 points per unit */
#define CIEDE_ARC_COUNT 257
#define CIEDE_SINES (CIEDE_ARCS + CIEDE_ARC_COUNT) /* sine, 128 points per unit, up to pi / 2 */
#define CIEDE_SINE_COUNT 203
/* weight of hue differences by hue, 256 points per unit */
#define CIEDE_HUES (CIEDE_SINES + CIEDE_SINE_COUNT)
#define CIEDE_HUE_COUNT 2048                        /* hues are below 8 */
#define CIEDE_BELLS (CIEDE_HUES + CIEDE_HUE_COUNT) /* exp(-x), 64 points per unit */
#define CIEDE_BELL_END 29.0f
#define CIEDE_BELL_COUNT 1857
#define CIEDE_POINTS (CIEDE_BELLS + CIEDE_BELL_COUNT)
#define CIEDE_POINT_FLOATS 8
/* Behind these tables are others with the same curves, for kernels that work in double. A point has
 * the first three terms as doubles, then the upper halves of the other two. The last 12 bits of the
 * third term hold more bits of the fourth. */
#define CIEDE_TERMS 5
#define CIEDE_CURVE_FLOATS (2 * CIEDE_POINTS * CIEDE_POINT_FLOATS)

/* subsampled: chroma is smaller than luma. repeat: how often each chroma sample is repeated in a
 * row. Scale factors are pairs of floats. probe: 1 + 2^-12. rows: rows per workgroup. list_at: the
 * word at which the list of pixels begins. list_size: the number of pixels that it has room for. */
#define CIEDE_PARAMS                                                                               \
    ARG(u32, width) ARG(u32, height) ARG(u32, luma_stride) ARG(u32, chroma_w) ARG(u32, chroma_h)   \
    ARG(u32, chroma_stride) ARG(u32, subsampled) ARG(u32, repeat) ARG(f32, luma_offset)            \
    ARG(f32, chroma_offset) ARG(u32, tiles_x) ARG(f32, luma_scale) ARG(f32, luma_scale_low)        \
    ARG(f32, r_from_cr) ARG(f32, r_from_cr_low) ARG(f32, g_from_cb) ARG(f32, g_from_cb_low)        \
    ARG(f32, g_from_cr) ARG(f32, g_from_cr_low) ARG(f32, b_from_cb) ARG(f32, b_from_cb_low)        \
    ARG(f32, probe) ARG(u32, rows) ARG(u32, list_at) ARG(u32, list_size)

/* Constants of ciede.h for kernels, each as a pair of floats and as the two words of a double. The
 * kernel defines NUMBER to pick one. The comments name the constant or its value. */
#define CIEDE_CURVE_FROM                                                                           \
    NUMBER(0.0392156877f, -1.38785328e-09f, 0x14141414u, 0x3fa41414u) /* 10 / 255 */
#define CIEDE_CURVE_OFFSET                                                                         \
    NUMBER(0.0549999997f, 2.98023217e-10f, 0xc28f5c29u, 0x3fac28f5u) /* 0.055 */
#define CIEDE_CURVE_SCALE                                                                          \
    NUMBER(0.947867274f, 2.42938363e-08f, 0xcd0aeb60u, 0x3fee54edu) /* 1 / 1.055 */
#define CIEDE_CURVE_SLOPE                                                                          \
    NUMBER(0.0773993805f, 2.99868574e-10f, 0x2149b580u, 0x3fb3d072u) /* 1 / 12.92 */
#define CIEDE_LAB_FROM                                                                             \
    NUMBER(0.00885645207f, -3.91140981e-10f, 0xd28f7cd6u, 0x3f822354u) /* 216 / 24389 */
#define CIEDE_LAB_SLOPE                                                                            \
    NUMBER(7.7870369f, 1.41285085e-07f, 0x097b425fu, 0x401f25edu) /* 24389 / 27 / 116 */
#define CIEDE_LAB_OFFSET                                                                           \
    NUMBER(0.137931034f, 5.13833143e-10f, 0x611a7b96u, 0x3fc1a7b9u)                  /* 16 / 116 */
#define CIEDE_CHROMA_25_7 NUMBER(6103515650.0f, -23.0f, 0x1e900000u, 0x41f6bcc4u)    /* 25^7 */
#define CIEDE_TWO_PI NUMBER(6.28318548f, -1.74845553e-07f, 0x54442d18u, 0x401921fbu) /* 2 pi */
#define CIEDE_HALF_TURN NUMBER(3.14159274f, -8.74227766e-08f, 0x54442d18u, 0x400921fbu) /* pi */
#define CIEDE_HALF_PI NUMBER(1.57079637f, -4.37113883e-08f, 0x54442d18u, 0x3ff921fbu)   /* pi / 2 */
#define CIEDE_L_WEIGHT NUMBER(0.0149999997f, 3.3527614e-10f, 0xeb851eb8u, 0x3f8eb851u)  /* 0.015 */
#define CIEDE_C_WEIGHT NUMBER(0.0450000018f, -1.7881393e-09f, 0x70a3d70au, 0x3fa70a3du) /* 0.045 */
#define CIEDE_DEGREES NUMBER(57.2957802f, -6.68802443e-07f, 0x1a63c1f8u, 0x404ca5dcu) /* 180 / pi */
#define CIEDE_RADIANS                                                                              \
    NUMBER(0.0174532924f, 1.35199602e-10f, 0xa2529d39u, 0x3f91df46u) /* pi / 180 */
#define CIEDE_BELL_SCALE                                                                           \
    NUMBER(0.0399999991f, 8.94069652e-10f, 0x47ae147bu, 0x3fa47ae1u) /* 1 / 25 */
#define CIEDE_X_FROM_R                                                                             \
    NUMBER(0.433949977f, 4.52292248e-09f, 0x24db405eu, 0x3fdbc5d6u) /* X_FROM_R * X_WHITE */
#define CIEDE_X_FROM_G                                                                             \
    NUMBER(0.376209736f, 1.05118589e-08f, 0x0b497a51u, 0x3fd813d2u) /* X_FROM_G * X_WHITE */
#define CIEDE_X_FROM_B                                                                             \
    NUMBER(0.189840272f, -1.3362017e-10f, 0x9fb68aa2u, 0x3fc84cafu) /* X_FROM_B * X_WHITE */
#define CIEDE_Y_FROM_R NUMBER(0.212672845f, 6.8764705e-09f, 0x2ec46132u, 0x3fcb38ddu) /* Y_FROM_R */
#define CIEDE_Y_FROM_G                                                                             \
    NUMBER(0.715152144f, 1.08557501e-08f, 0xc5d400c0u, 0x3fe6e286u) /* Y_FROM_G */
#define CIEDE_Y_FROM_B                                                                             \
    NUMBER(0.0721749961f, -2.83105939e-09f, 0x73d7379cu, 0x3fb27a0fu) /* Y_FROM_B */
#define CIEDE_Z_FROM_R                                                                             \
    NUMBER(0.0177565794f, -7.4711104e-10f, 0xd32a2bc2u, 0x3f922ec7u) /* Z_FROM_R * Z_WHITE */
#define CIEDE_Z_FROM_G                                                                             \
    NUMBER(0.109467983f, 1.54636126e-09f, 0x06a43e03u, 0x3fbc0618u) /* Z_FROM_G * Z_WHITE */
#define CIEDE_Z_FROM_B                                                                             \
    NUMBER(0.872775435f, 1.06339493e-09f, 0xc09226e2u, 0x3febedc6u) /* Z_FROM_B * Z_WHITE */
