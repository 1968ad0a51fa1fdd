/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The system's stdlib.h, and functions of POSIX that it lacks. */
#ifndef WINDOWS_STDLIB_H
#define WINDOWS_STDLIB_H

#include_next <stdlib.h>

/* They also change what other libraries of the process see. */
int posix_setenv(const char *name, const char *value, int replace);
int posix_unsetenv(const char *name);

#define setenv posix_setenv
#define unsetenv posix_unsetenv

#endif
