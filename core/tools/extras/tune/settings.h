/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Lists of settings as the user types them: "20..44:6", "18,21.5,24", or both: "0,20..44:6". */
#ifndef TUNE_SETTINGS_H
#define TUNE_SETTINGS_H

#include <stddef.h>

#define RANGE_MAX 1024 /* limit on settings: 20..44 in steps of 0.025 fit */

/* Parse a list into increasing values without duplicates. Returns 0, or -EINVAL with the reason in
 * `error`. */
int range_parse(const char *text, double values[RANGE_MAX], size_t *count, char *error,
                size_t error_size);

/* Print a setting as encoders read it: "23", "21.5". */
void range_print(double value, char *text, size_t size);

#endif
