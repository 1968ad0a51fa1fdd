/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Symmetric 25x25 matrices in single precision: eigenvalues and linear equations. */
#ifndef FEATURE_SPEED_MATRIX_H
#define FEATURE_SPEED_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "feature/speed/speed_dsp.h"

typedef float SpeedMatrix[SPEED_BLOCK][SPEED_ROW];

/* In the order of the iteration, which later sums depend on. False: it did not settle. */
bool speed_eigenvalues(SpeedMatrix c, float values[SPEED_BLOCK]);

/* Solves c * x = y for n columns. False when c is singular; x is undefined then. `work` is as large
 * as y: SPEED_BLOCK rows of `pitch`. */
bool speed_solve(SpeedMatrix c, const float *y, float *x, float *work, size_t pitch, size_t n);

/* Below it an eigenvalue or a pivot counts as zero. */
#define SPEED_EPSILON 1e-6

#endif
