/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Decimal logarithms that are the same on every system. C libraries nearly always agree on log to
 * the last bit, but not on log10: this sum of products gives glibc's values for x86-64, on which
 * the scores are based. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <math.h>

static inline double decimal_log(double x)
{
    static const double log10_e = 0x1.bcb7b1526e50ep-2;
    /* log10(2), in two parts: the first times any exponent is exact. */
    static const double log10_2_high = 0x1.34413509f6p-2, log10_2_low = 0x1.9fef311f12b36p-42;
    if (!(x > 0.0) || isinf(x))
        return log10(x);
    /* x = mantissa · 2^exponent; the mantissa is in [1, 2) for x of at least 1, else in [1/2,
     * 1). */
    int exponent;
    double mantissa = frexp(x, &exponent);
    if (exponent > 0) {
        mantissa *= 2.0;
        exponent--;
    }
    const double rest = exponent * log10_2_low + log10_e * log(mantissa);
    return rest + exponent * log10_2_high;
}

#endif
