/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Numbers with six decimals: reports are made of little else. */
#ifndef BASE_FIXED_H
#define BASE_FIXED_H

#include <stdbool.h>

#define FIXED_SIZE 32

/* What printf's %.6f writes in the C locale, in a tenth of its time. False, for what does not fit or is too close to a
 * whole number to be quick about it: ask printf. */
bool fixed_print(char text[FIXED_SIZE], double value);

#endif
