/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Gaussian kernels whose length depends on the scale of a pyramid (float_vif, SpEED). */
#ifndef FEATURE_COMMON_GAUSS_H
#define FEATURE_COMMON_GAUSS_H

#include <stdbool.h>

enum { GAUSS_MAX_TAPS = 65 }; /* scale 0 at the largest factor */

/* True for the factors that are allowed. One within 1e-3 of these passes and is used unchanged. */
bool gauss_factor_allowed(double factor);

/* The number of taps at `scale` 0…4 of a kernel stretched by `factor`: odd, at least 3. */
unsigned gauss_length(unsigned scale, double factor);

/* Fills `count` taps, whose sum is 1 up to rounding, for the standard deviation `deviation`. */
void gauss_fill(float *taps, unsigned count, float deviation);

#endif
