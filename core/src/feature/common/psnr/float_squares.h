/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sums of squares in single precision, kept as integers.
 *
 * float_psnr and float_moment add single-precision squares in double, in raster order. In units of
 * a sample step every square is an integer below 2^32, so as long as the sum stays below 2^53 it is
 * exact and the order means nothing: row sums may be added as integers. Only large, bright (or very
 * different) 16 bit frames go beyond, and for these the ordered sum is the definition. It is an
 * integer, too. */
#ifndef FEATURE_FLOAT_SQUARES_H
#define FEATURE_FLOAT_SQUARES_H

#include <stdint.h>

#include "engine/picture.h"

#define FLOAT_SQUARES_EXACT (UINT64_C(1) << 53)

/* Sum of (a - b)^2 over the luma of 16 bit pictures, in raster order; `b` NULL counts as 0. */
uint64_t float_squares_in_order(const VmafPicture *a, const VmafPicture *b);

#endif
