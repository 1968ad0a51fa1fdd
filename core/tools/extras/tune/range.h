/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Settings to try, as typed: "20..44:6", "18,21.5,24", or both: "0,20..44:6". */
#ifndef TUNE_RANGE_H
#define TUNE_RANGE_H

#include <stddef.h>

#define RANGE_MAX 256 /* settings: each is an encode */

/* Rising, none twice. 0, or -EINVAL with the reason in `error`. */
int range_parse(const char *text, double values[RANGE_MAX], size_t *count, char *error,
                size_t error_size);

/* A setting as encoders read it: "23", "21.5". */
void range_print(double value, char *text, size_t size);

#endif
