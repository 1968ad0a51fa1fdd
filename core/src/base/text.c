/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/text.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__APPLE__)
#include <xlocale.h>
#endif

#ifdef _WIN32

/* This platform has no thread-local locale worth the name: its decimal point is put in and taken
 * out by hand. Long texts are no numbers that anyone writes. */
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

/* Returns what the calling thread used before. Without memory for a C locale nothing changes. */
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
