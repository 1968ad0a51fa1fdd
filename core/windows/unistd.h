/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The system's, and what posix.h keeps from those that do not ask for it. */
#ifndef WINDOWS_UNISTD_H
#define WINDOWS_UNISTD_H

#include_next <unistd.h>

int __cdecl close(int fd);

#endif
