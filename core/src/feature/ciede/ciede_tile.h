/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What ciede's kernel and its host code share. */
#define CIEDE_TILE_W 32
#define CIEDE_GROUP_H 8
#define CIEDE_TILE_H 32

#define CIEDE_SUM_BITS 40 /* that follow the binary point of a group's sum */

/* Constants, two floats each, at the head of the table. */
#define CIEDE_LUMA_SCALE 0
#define CIEDE_CHROMA_SCALE 1
#define CIEDE_R_FROM_CR 2
#define CIEDE_G_FROM_CB 3
#define CIEDE_G_FROM_CR 4
#define CIEDE_B_FROM_CB 5
#define CIEDE_CURVE_FROM 6
#define CIEDE_CURVE_OFFSET 7
#define CIEDE_CURVE_SCALE 8
#define CIEDE_CURVE_SLOPE 9
#define CIEDE_XYZ 10   /* X, Y, Z from R, then from G, then from B */
#define CIEDE_WHITE 19 /* of X, Y, Z */
#define CIEDE_LAB_FROM 22
#define CIEDE_LAB_SLOPE 23
#define CIEDE_LAB_SCALE 24
#define CIEDE_CHROMA_25_7 25
#define CIEDE_TWO_PI 26
#define CIEDE_PI_PAIR 27
#define CIEDE_HALF_PI 28
#define CIEDE_L_WEIGHT 29
#define CIEDE_C_WEIGHT 30
#define CIEDE_DEGREES 31
#define CIEDE_RADIANS 32
#define CIEDE_BELL_SCALE 33
#define CIEDE_HUE_COS1 34 /* what cosines and sines of 1 to 4 times the hue weigh */
#define CIEDE_HUE_SIN1 35
#define CIEDE_HUE_COS2 36
#define CIEDE_HUE_COS3 37
#define CIEDE_HUE_SIN3 38
#define CIEDE_HUE_COS4 39
#define CIEDE_HUE_SIN4 40
#define CIEDE_CONSTANTS 41

/* Then, also in pairs: arcs of i/32, sines and cosines of i/16, exponentials of -i/8. */
#define CIEDE_ARCS CIEDE_CONSTANTS
#define CIEDE_ARC_COUNT 33
#define CIEDE_SINES (CIEDE_ARCS + CIEDE_ARC_COUNT)
#define CIEDE_SINE_COUNT 156
#define CIEDE_COSINES (CIEDE_SINES + CIEDE_SINE_COUNT)
#define CIEDE_BELLS (CIEDE_COSINES + CIEDE_SINE_COUNT)
#define CIEDE_BELL_COUNT 482
#define CIEDE_TABLE (CIEDE_BELLS + CIEDE_BELL_COUNT)

/* subsampled: chroma is smaller than luma; repeat: how often a sample of it stands in a row. */
#define CIEDE_PARAMS                                                                               \
    ARG(u32, width) ARG(u32, height) ARG(u32, luma_stride) ARG(u32, chroma_w) ARG(u32, chroma_h)   \
    ARG(u32, chroma_stride) ARG(u32, subsampled) ARG(u32, repeat) ARG(f32, luma_offset)            \
    ARG(f32, chroma_offset) ARG(u32, tiles_x)
