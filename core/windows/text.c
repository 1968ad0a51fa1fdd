/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* POSIX functions for texts on Windows; posix.h and string.h declare them. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

char *posix_strcasestr(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; *text; text++)
        if (!_strnicmp(text, part, length))
            return (char *)text;
    return *part ? NULL : (char *)text;
}

char *posix_strndup(const char *text, size_t length)
{
    length = strnlen(text, length);
    char *const copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *posix_stpcpy(char *to, const char *from)
{
    const size_t length = strlen(from);
    memcpy(to, from, length + 1);
    return to + length;
}

const char *posix_strsignal(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return "Access violation";
    case SIGILL:
        return "Illegal instruction";
    case SIGFPE:
        return "Arithmetic error";
    case SIGINT:
        return "Interrupt";
    case 9:
        return "Killed";
    default:
        return "Crash";
    }
}
