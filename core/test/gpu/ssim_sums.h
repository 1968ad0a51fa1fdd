/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of float_ssim and float_ms_ssim add up, function by function, on the CPU. */
#ifndef TEST_GPU_SSIM_SUMS_H
#define TEST_GPU_SSIM_SUMS_H

#ifdef __cplusplus
extern "C" {
#endif

#define SUMS_TAPS 11
#define SUMS_MAPS 5 /* a, b, a * a, b * b, a * b */
#define SUMS_HALVE_TAPS 9

extern const float sums_taps[SUMS_TAPS];
extern const float sums_quarter[25];

/* The extent of what a tile has: the largest magnitude and the least value. */
typedef struct SumsExtent {
    float peak, least;
} SumsExtent;

/* Sums of all maps; returns the bits of those that are not sure. */
unsigned sums_window(const float in[SUMS_MAPS][SUMS_TAPS], const SumsExtent *tile,
                     float out[SUMS_MAPS]);
/* With doubles, for which floats may be negative and samples may not. */
void sums_window_f64(const float in[SUMS_MAPS][SUMS_TAPS], int with_floats, float out[SUMS_MAPS]);
/* A sum by the way for what is not sure. */
float sums_double(const float *terms, unsigned count);

/* Of the halving; `least` is that of magnitudes other than 0, and NULL a tile of bytes. Returns whether it is sure. */
int sums_halving(const float in[SUMS_HALVE_TAPS][SUMS_HALVE_TAPS], const SumsExtent *tile,
                 float *out);

float sums_halving_f64(const float in[SUMS_HALVE_TAPS][SUMS_HALVE_TAPS], int with_floats);

float sums_root(float x);
float sums_quotient(float above, float below);
float sums_root_f64(float x);
float sums_quotient_f64(float above, float below);
/* The sum of `count` equal pairs, each high + low. */
double sums_tally(float high, float low, unsigned count);

#ifdef __cplusplus
}
#endif

#endif
