/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Numbers as text. The decimal point is always '.', whatever locale the host program has set. Any
 * thread. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Like strtod and strtof. */
double text_to_double(const char *text, char **end);
float text_to_float(const char *text, char **end);

/* Like snprintf for one number: `format` has one conversion, which takes a double. */
int text_print_double(char *out, size_t size, const char *format, double value);

/* ---- numbers with six decimals: most of a report ---- */

#define FIXED_SIZE 32

/* Writes what printf's %.6f writes in the C locale, in a tenth of the time. False: the number is
 * too large or has too many bits for this method; use text_print_double. */
bool fixed_print(char text[FIXED_SIZE], double value);

#endif
