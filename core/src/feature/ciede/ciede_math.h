/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The constants of the colour conversion and of CIEDE2000, as the scalar and the vector code use
 * them. */
#ifndef FEATURE_CIEDE_MATH_H
#define FEATURE_CIEDE_MATH_H

#define CIEDE_PI 3.14159265358979323846

/* Y'CbCr to R'G'B' */
#define R_FROM_CR 1.28033
#define G_FROM_CB 0.21482
#define G_FROM_CR 0.38059
#define B_FROM_CB 2.12798

/* The transfer curve: above the threshold a power, else a line. The reference's threshold is not
 * sRGB's. */
#define CURVE_FROM (10.0 / 255.0)
#define CURVE_OFFSET 0.055
#define CURVE_SCALE (1.0 / 1.055)
#define CURVE_POWER 2.4
#define CURVE_SLOPE (1.0 / 12.92)

/* Linear light to X, Y, Z, and the white that X and Z are relative to */
#define X_FROM_R 0.4124564390896921
#define X_FROM_G 0.357576077643909
#define X_FROM_B 0.18043748326639894
#define Y_FROM_R 0.21267285140562248
#define Y_FROM_G 0.715152155287818
#define Y_FROM_B 0.07217499330655958
#define Z_FROM_R 0.019333895582329317
#define Z_FROM_G 0.119192025881303
#define Z_FROM_B 0.9503040785363677
#define X_WHITE (1.0 / 0.95047)
#define Z_WHITE (1.0 / 1.08883)

/* The curve of L*a*b*: above the threshold a cube root, else a line. */
#define LAB_FROM (216.0 / 24389.0)
#define LAB_SLOPE (24389.0 / 27.0)

/* 25^7, where chroma is no longer weak */
#define CHROMA_25_7 6103515625.0

/* How much differences of lightness, chroma and hue count (the reference's own choice). */
#define WEIGHT_L 0.65f
#define WEIGHT_C 1.0f
#define WEIGHT_H 4.0f

#endif
