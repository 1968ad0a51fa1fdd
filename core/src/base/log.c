/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/log.h"
#include "base/mask.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not set yet: no call of vmaf_init and no message so far. */
#define UNKNOWN (-1)

static atomic_int log_level = UNKNOWN;

static const struct {
    const char *name;
    int colour; /* ANSI foreground */
} levels[] = {
    [VMAF_LOG_LEVEL_ERROR] = { "ERROR", 31 },
    [VMAF_LOG_LEVEL_WARNING] = { "WARNING", 33 },
    [VMAF_LOG_LEVEL_INFO] = { "INFO", 32 },
    [VMAF_LOG_LEVEL_DEBUG] = { "DEBUG", 34 },
};

/* The level in VMAF_LOG; UNKNOWN when it is not set or invalid. */
static int level_from_environment(const char *asked)
{
    static const char *const names[] = { "none", "error", "warning", "info", "debug" };
    for (int i = 0; asked && i <= VMAF_LOG_LEVEL_DEBUG; i++)
        if (!strcmp(asked, names[i]) || (asked[0] == '0' + i && !asked[1]))
            return i;
    return UNKNOWN;
}

void log_set_level(enum VmafLogLevel level)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const char *asked = getenv("VMAF_LOG");
    int l = level_from_environment(asked);
    const bool misunderstood = asked && *asked && l == UNKNOWN;
    if (l == UNKNOWN)
        l = (int)level;
    if (l < VMAF_LOG_LEVEL_NONE)
        l = VMAF_LOG_LEVEL_NONE;
    if (l > VMAF_LOG_LEVEL_DEBUG)
        l = VMAF_LOG_LEVEL_DEBUG;
    atomic_store(&log_level, l);
    if (misunderstood && !atomic_flag_test_and_set(&told))
        log_warning("ignoring VMAF_LOG=%s: use none, error, warning, info or debug", asked);
}

bool log_wanted(enum VmafLogLevel level)
{
    if (atomic_load(&log_level) == UNKNOWN)
        log_set_level(VMAF_LOG_LEVEL_INFO);
    const int l = (int)level;
    return l > VMAF_LOG_LEVEL_NONE && l <= VMAF_LOG_LEVEL_DEBUG && l <= atomic_load(&log_level);
}

static void print(int l, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof(text), format, args);
    text_mask_controls(text);
    /* One call, so that lines of several threads do not mix. */
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\033[35mlibvmaf\033[0m \033[%dm%s\033[0m %s\n", levels[l].colour,
                levels[l].name, text);
    else
        fprintf(stderr, "libvmaf %s %s\n", levels[l].name, text);
}

void log_write(enum VmafLogLevel level, const char *format, ...)
{
    va_list args;
    if (!log_wanted(level))
        return;
    va_start(args, format);
    print((int)level, format, args);
    va_end(args);
}

bool log_insists(void)
{
    const int asked = level_from_environment(getenv("VMAF_LOG"));
    return asked == UNKNOWN || asked >= VMAF_LOG_LEVEL_WARNING;
}

void log_insist(const char *format, ...)
{
    va_list args;
    if (!log_insists())
        return;
    va_start(args, format);
    print(VMAF_LOG_LEVEL_WARNING, format, args);
    va_end(args);
}
