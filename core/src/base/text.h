/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Numbers as text, whatever locale the host program has set: the decimal point is always '.'. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* strtod and strtof. */
double text_to_double(const char *text, char **end);
float text_to_float(const char *text, char **end);

/* snprintf of one number: `format` has one conversion, which takes a double. */
int text_print_double(char *out, size_t size, const char *format, double value);

/* Numbers with six decimals: reports are made of little else. */


#define FIXED_SIZE 32

/* What printf's %.6f writes in the C locale, in a tenth of its time. False, for what does not fit
 * or is too close to a whole number to be quick about it: ask printf. */
bool fixed_print(char text[FIXED_SIZE], double value);

#endif
