/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/fixed.h"

#include <math.h>
#include <stdint.h>

#define DECIMALS 6
#define SCALE 1000000u
#define WORDS 3 /* of a fraction, in units of 2^-96, the highest first */

/* Of a number below 1; false when it has bits below the last word. */
static bool split(double fraction, uint32_t words[WORDS])
{
    int exponent;
    const uint64_t mantissa = (uint64_t)(frexp(fraction, &exponent) * 0x1p53);
    const int shift = 32 * WORDS - 53 + exponent;
    if (shift < 0)
        return false;
    const uint64_t low = shift < 32 ? mantissa << shift & UINT32_MAX : 0;
    const uint64_t high = shift < 32 ? mantissa >> (32 - shift) : mantissa << (shift - 32);
    words[0] = (uint32_t)(high >> 32);
    words[1] = (uint32_t)high;
    words[2] = (uint32_t)low;
    return true;
}

/* The fraction times SCALE, rounded: halves to even. */
static uint32_t decimals_of(uint32_t words[WORDS])
{
    uint64_t carry = 0;
    for (unsigned i = WORDS; i-- > 0;) {
        carry += (uint64_t)words[i] * SCALE;
        words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    const uint32_t decimals = (uint32_t)carry;
    const bool half = words[0] >> 31;
    const bool more = words[0] << 1 || words[1] || words[2];
    return decimals + (half && (more || decimals % 2));
}

bool fixed_print(char text[FIXED_SIZE], double value)
{
    const double size = fabs(value);
    if (!(size < 0x1p63))
        return false;
    uint64_t whole = (uint64_t)size;
    uint32_t words[WORDS];
    if (!split(size - (double)whole, words))
        return false;
    uint32_t decimals = decimals_of(words);
    if (decimals == SCALE) {
        whole++;
        decimals = 0;
    }
    char digits[FIXED_SIZE];
    char *first = digits + FIXED_SIZE;
    for (unsigned i = 0; i < DECIMALS; i++, decimals /= 10)
        *--first = (char)('0' + decimals % 10);
    *--first = '.';
    do
        *--first = (char)('0' + whole % 10);
    while (whole /= 10);
    if (signbit(value))
        *--first = '-';
    while (first < digits + FIXED_SIZE)
        *text++ = *first++;
    *text = '\0';
    return true;
}
