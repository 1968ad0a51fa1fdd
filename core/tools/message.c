/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "message.h"

#ifdef _WIN32
#define flockfile(file) _lock_file(file)
#define funlockfile(file) _unlock_file(file)
#endif

static bool within_line; /* under stderr's lock */

void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    flockfile(stderr);
    if (within_line)
        fputc('\n', stderr);
    within_line = false;
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    funlockfile(stderr);
    va_end(list);
}

void say_in_line(const char *text)
{
    flockfile(stderr);
    fputs(text, stderr);
    fflush(stderr);
    within_line = true;
    funlockfile(stderr);
}

void say_end_line(void)
{
    flockfile(stderr);
    fputc('\n', stderr);
    within_line = false;
    funlockfile(stderr);
}

bool message_on_terminal(void)
{
    return isatty(STDERR_FILENO);
}
