/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__APPLE__)
#include <xlocale.h>
#endif

#ifdef _WIN32

/* This platform has no usable thread-local locale: the decimal point is replaced by hand. Longer
 * texts are not numbers. */
#define NUMBER_MAX 127

static void localise(char number[NUMBER_MAX + 1], const char *text)
{
    const char point = localeconv()->decimal_point[0];
    size_t i = 0;
    for (; text[i] && i < NUMBER_MAX; i++)
        number[i] = text[i] == '.' ? point : text[i] == point ? '?' : text[i];
    number[i] = 0;
}

double text_to_double(const char *text, char **end)
{
    char number[NUMBER_MAX + 1], *stop;
    localise(number, text);
    const double value = strtod(number, &stop);
    if (end)
        *end = (char *)text + (stop - number);
    return value;
}

float text_to_float(const char *text, char **end)
{
    char number[NUMBER_MAX + 1], *stop;
    localise(number, text);
    const float value = strtof(number, &stop);
    if (end)
        *end = (char *)text + (stop - number);
    return value;
}

int text_print_double(char *out, size_t size, const char *format, double value)
{
    const int length = snprintf(out, size, format, value);
    const char point = localeconv()->decimal_point[0];
    for (char *c = out; size && *c; c++)
        if (*c == point)
            *c = '.';
    return length;
}

#else

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Returns the locale that the calling thread used before. Without memory for a C locale nothing
 * changes. */
static locale_t enter_c_locale(void)
{
    pthread_once(&c_locale_once, make_c_locale);
    return uselocale(c_locale);
}

double text_to_double(const char *text, char **end)
{
    const locale_t host = enter_c_locale();
    const double value = strtod(text, end);
    uselocale(host);
    return value;
}

float text_to_float(const char *text, char **end)
{
    const locale_t host = enter_c_locale();
    const float value = strtof(text, end);
    uselocale(host);
    return value;
}

int text_print_double(char *out, size_t size, const char *format, double value)
{
    const locale_t host = enter_c_locale();
    const int length = snprintf(out, size, format, value);
    uselocale(host);
    return length;
}

#endif

#define DECIMALS 6
#define SCALE 1000000u
#define WORDS 3 /* words of a fraction, in units of 2^-96, the highest first */

/* Splits a number below 1 into words. False when it has bits below the last word. */
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

/* The fraction times SCALE, rounded half to even. */
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
