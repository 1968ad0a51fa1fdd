/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "settings.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 100000.0

static int range_error(char *error, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int range_error(char *error, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error, size, format, list);
    va_end(list);
    return -EINVAL;
}

/* Read a decimal number. strtod alone would also accept "inf" and "0x1p3", and read "20." from
 * "20..44". */
static const char *read_number(const char *text, double *value)
{
    char digits[32];
    size_t used = 0;
    bool point = false;
    const char *at = text;
    if (*at == '-' || *at == '+')
        digits[used++] = *at++;
    const char *const first = at;
    for (; (*at >= '0' && *at <= '9') ||
           (*at == '.' && at > first && at[1] >= '0' && at[1] <= '9' && !point);
         at++) {
        point |= *at == '.';
        if (used + 1 >= sizeof(digits))
            return NULL;
        digits[used++] = *at;
    }
    if (at == first)
        return NULL;
    digits[used] = 0;
    *value = strtod(digits, NULL);
    return at;
}

static int add_value(double values[RANGE_MAX], size_t *count, double value)
{
    size_t at = 0;
    while (at < *count && values[at] < value)
        at++;
    if (at < *count && values[at] == value)
        return 0;
    if (*count == RANGE_MAX)
        return -E2BIG;
    memmove(values + at + 1, values + at, (*count - at) * sizeof(*values));
    values[at] = value;
    ++*count;
    return 0;
}

/* Read one element of the list. */
static const char *read_range(const char *text, double *from, double *to, double *step)
{
    const char *at = read_number(text, from);
    *to = *from;
    *step = 1.0;
    if (!at || strncmp(at, "..", 2))
        return at;
    at = read_number(at + 2, to);
    return at && *at == ':' ? read_number(at + 1, step) : at;
}

int range_parse(const char *text, double values[RANGE_MAX], size_t *count, char *error,
                size_t error_size)
{
    *count = 0;
    for (const char *at = text;; at++) {
        double from, to, step;
        at = read_range(at, &from, &to, &step);
        if (!at || (*at && *at != ','))
            return range_error(
                error, error_size,
                "\"%s\" is not a list of settings; write \"20..44:6\" or \"20,26,32\"", text);
        if (fabs(from) > LARGEST || fabs(to) > LARGEST)
            return range_error(error, error_size, "a setting in \"%s\" is too large", text);
        if (to < from)
            return range_error(error, error_size,
                               "the range in \"%s\" is reversed; write the smaller setting first",
                               text);
        if (!(step > 0.0))
            return range_error(error, error_size, "the step in \"%s\" must be more than 0", text);
        /* Add a small tolerance, so that 20..21:0.1 includes 21. */
        const double steps = floor((to - from) / step + 1e-9);
        int err = steps >= RANGE_MAX ? -E2BIG : 0;
        for (double i = 0.0; !err && i <= steps; i++)
            err = add_value(values, count, round((from + i * step) * 1e6) / 1e6);
        if (err)
            return range_error(error, error_size, "\"%s\" has more than %d settings", text,
                               RANGE_MAX);
        if (!*at)
            return 0;
    }
}

void range_print(double value, char *text, size_t size)
{
    snprintf(text, size, "%.6f", value);
    char *end = text + strlen(text);
    while (end > text && end[-1] == '0')
        *--end = 0;
    if (end > text && end[-1] == '.')
        *--end = 0;
}
