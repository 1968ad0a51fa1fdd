/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Conversion between UTF-8, which the code uses, and UTF-16, which the system uses. */
#ifndef WINDOWS_WIDE_H
#define WINDOWS_WIDE_H

#include <wchar.h>

/* The caller frees the result. NULL with errno set: out of memory, or the text is invalid. */
wchar_t *wide_from_text(const char *text);
char *wide_to_text(const wchar_t *wide);

#endif
