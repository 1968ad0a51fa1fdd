/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The system's string.h, and functions of POSIX that it lacks. */
#ifndef WINDOWS_STRING_H
#define WINDOWS_STRING_H

#include_next <string.h>

#include <stddef.h>

char *posix_strndup(const char *text, size_t length);
char *posix_stpcpy(char *to, const char *from);
/* The name of a signal that child.h reports. */
const char *posix_strsignal(int signal);

#undef strndup
#undef stpcpy
#define strndup posix_strndup
#define stpcpy posix_stpcpy
#define strsignal posix_strsignal

#endif
