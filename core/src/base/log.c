/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define STDERR_FILENO 2
#else
#include <unistd.h>
#endif

static atomic_int log_level = VMAF_LOG_LEVEL_INFO;

static const struct {
    const char *name;
    int colour; /* ANSI foreground */
} levels[] = {
    [VMAF_LOG_LEVEL_ERROR] = { "ERROR", 31 },
    [VMAF_LOG_LEVEL_WARNING] = { "WARNING", 33 },
    [VMAF_LOG_LEVEL_INFO] = { "INFO", 32 },
    [VMAF_LOG_LEVEL_DEBUG] = { "DEBUG", 34 },
};

void log_set_level(enum VmafLogLevel level)
{
    int l = (int)level;
    if (l < VMAF_LOG_LEVEL_NONE)
        l = VMAF_LOG_LEVEL_NONE;
    if (l > VMAF_LOG_LEVEL_DEBUG)
        l = VMAF_LOG_LEVEL_DEBUG;
    atomic_store(&log_level, l);
}

void log_write(enum VmafLogLevel level, const char *format, ...)
{
    const int l = (int)level;
    if (l <= VMAF_LOG_LEVEL_NONE || l > VMAF_LOG_LEVEL_DEBUG || l > atomic_load(&log_level))
        return;

    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);

    /* One call, so that lines of several threads do not mix. */
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\033[35mlibvmaf\033[0m \033[%dm%s\033[0m %s\n", levels[l].colour,
                levels[l].name, text);
    else
        fprintf(stderr, "libvmaf %s %s\n", levels[l].name, text);
}
