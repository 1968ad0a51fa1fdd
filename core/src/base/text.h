/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Numbers as text, whatever locale the host program has set: the decimal point is always '.'. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

/* strtod and strtof. */
double text_to_double(const char *text, char **end);
float text_to_float(const char *text, char **end);

/* snprintf of one number: `format` has one conversion, which takes a double. */
int text_print_double(char *out, size_t size, const char *format, double value);

#endif
