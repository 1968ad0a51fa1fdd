/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sums in the kernels of float_ssim and float_ms_ssim, function by function, compiled for the
 * CPU. */
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

/* The extent of a tile's values: the largest magnitude and the smallest value. */
typedef struct SumsExtent {
    float peak, least;
} SumsExtent;

/* Sums all maps. Returns a bit for each map whose sum is not certain. */
unsigned sums_window(const float in[SUMS_MAPS][SUMS_TAPS], const SumsExtent *tile,
                     float out[SUMS_MAPS]);
/* The same with doubles. Floats may be negative, samples may not. */
void sums_window_f64(const float in[SUMS_MAPS][SUMS_TAPS], int with_floats, float out[SUMS_MAPS]);
/* The slower sum for the values that are not certain. */
float sums_double(const float *terms, unsigned count);

/* Sums the taps of the halving. `least` is the smallest magnitude other than 0, and `tile` is NULL
 * for bytes. Returns whether the sum is certain. */
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
