/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of ciede. */
#ifndef FEATURE_CIEDE_H
#define FEATURE_CIEDE_H

#include <stddef.h>
#include <stdint.h>

/* ---- differences of pixels ---- */

/* A row of pixels, with chroma at the size of luma. */
typedef struct CiedeRow {
    const uint16_t *y, *cb, *cr;
} CiedeRow;

/* Converts samples to signals: (sample - offset) * scale. Limited range at every depth. */
typedef struct CiedeRange {
    double luma_offset, luma_scale, chroma_offset, chroma_scale;
} CiedeRange;

static inline CiedeRange ciede_range(unsigned bpc)
{
    const double k = (double)(1u << (bpc - 8));
    return (CiedeRange){ 16.0 * k, 1.0 / (219.0 * k), 128.0 * k, 1.0 / (224.0 * k) };
}

/* Row functions, chosen for the CPU. */
typedef struct CiedeDsp {
    /* out[i] = CIEDE2000 difference of pixel i of the two rows, for i < n. */
    void (*row)(float *out, const CiedeRow *ref, const CiedeRow *dist, size_t n,
                const CiedeRange *range);
} CiedeDsp;

void ciede_dsp_init(CiedeDsp *dsp, unsigned cpu);

/* The scalar code for one pixel. All other code must give the same result. */
float ciede_pixel(const CiedeRow *ref, const CiedeRow *dist, size_t i, const CiedeRange *range);

/* ---- shared by the CPU and the GPU code ---- */

typedef struct CiedeResult {
    double sum; /* sum of single-precision differences, in raster order */
} CiedeResult;

struct Feature;
/* The differences of n pixels, by the row function of the feature. */
void ciede_differences(const struct Feature *f, float *out, const CiedeRow *ref,
                       const CiedeRow *dist, size_t n);

extern const struct FeatureGpu ciede_gpu; /* ciede_gpu.c */

/* Fills the kernels' tables of curves: CIEDE_CURVE_FLOATS floats. */
void ciede_fill_curves(float *table);

/* ---- constants of the colour conversion and of CIEDE2000 ---- */

#define CIEDE_PI 3.14159265358979323846

/* Y'CbCr to R'G'B' */
#define R_FROM_CR 1.28033
#define G_FROM_CB 0.21482
#define G_FROM_CR 0.38059
#define B_FROM_CB 2.12798

/* The transfer curve: above the threshold a power, below it a line. The threshold is that of the
 * reference, which is not the one of sRGB. */
#define CURVE_FROM (10.0 / 255.0)
#define CURVE_OFFSET 0.055
#define CURVE_SCALE (1.0 / 1.055)
#define CURVE_POWER 2.4
#define CURVE_SLOPE (1.0 / 12.92)

/* Linear light to X, Y, Z, and the white point that X and Z are relative to. */
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

/* The curve of L*a*b*: above the threshold a cube root, below it a line. */
#define LAB_FROM (216.0 / 24389.0)
#define LAB_SLOPE (24389.0 / 27.0)

/* 25^7: the chroma from which on colours no longer count as weak. */
#define CHROMA_25_7 6103515625.0

/* Weights of the differences in lightness, chroma and hue (the reference's own choice). */
#define WEIGHT_L 0.65f
#define WEIGHT_C 1.0f
#define WEIGHT_H 4.0f

#endif
