/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "message.h"

static bool within_line; /* under stderr's lock */
static bool hushed;      /* the same */

void message_hush(bool hush)
{
    flockfile(stderr);
    hushed = hush;
    funlockfile(stderr);
}

static bool say_line(const char *format, va_list list)
{
    flockfile(stderr);
    if (hushed) {
        funlockfile(stderr);
        return true;
    }
    if (within_line)
        fputc('\n', stderr);
    within_line = false;
    const bool said = vfprintf(stderr, format, list) >= 0 && fputc('\n', stderr) != EOF;
    funlockfile(stderr);
    return said;
}

void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_line(format, list);
    va_end(list);
}

bool say_result(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const bool said = say_line(format, list);
    va_end(list);
    return said;
}

void survive_failing_writes(void)
{
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN);
#endif
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN);
#endif
}

int finish_stdout(void)
{
    errno = 0;
    const bool lost = fflush(stdout) || ferror(stdout);
    const int reason = errno;
    if (!fclose(stdout) && !lost)
        return 0;
    say("could not write to standard output: %s", strerror(reason ? reason : EIO));
    return -EIO;
}

void say_in_line(const char *text)
{
    flockfile(stderr);
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    within_line = true;
    funlockfile(stderr);
}

void say_end_line(void)
{
    flockfile(stderr);
    if (within_line)
        fputc('\n', stderr);
    within_line = false;
    funlockfile(stderr);
}

bool say_is_within_line(void)
{
    flockfile(stderr);
    const bool within = within_line;
    funlockfile(stderr);
    return within;
}

unsigned message_columns(void)
{
#ifdef TIOCGWINSZ
    struct winsize size;
    if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col)
        return size.ws_col;
#endif
    return 80;
}

bool message_on_terminal(void)
{
    return isatty(STDERR_FILENO);
}
