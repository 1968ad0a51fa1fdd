/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* UTF-8 outside, UTF-16 for the system. */
#ifndef WINDOWS_WIDE_H
#define WINDOWS_WIDE_H

#include <wchar.h>

/* To be freed. NULL with errno set: no memory, or no text at all. */
wchar_t *wide_from_text(const char *text);
char *wide_to_text(const wchar_t *wide);

#endif
