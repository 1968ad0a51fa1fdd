/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The system's unistd.h, and the names that posix.h hides from files that do not include this. */
#ifndef WINDOWS_UNISTD_H
#define WINDOWS_UNISTD_H

#include_next <unistd.h>

int __cdecl close(int fd);

#endif
