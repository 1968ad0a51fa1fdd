/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The library's log: one line on stderr a message, `libvmaf LEVEL text`. Thread-safe. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

#include "libvmaf/libvmaf.h"

/* Sets the level of the process, as in the reference: the last vmaf_init decides. Clamped to
 * NONE…DEBUG. The environment variable VMAF_LOG (none, error, warning, info, debug, or 0…4)
 * overrides the level. It is read here, or by the first message if that comes earlier. */
void log_set_level(enum VmafLogLevel level);

/* Would a message of that level be printed? Ask this before assembling a costly message. */
bool log_wanted(enum VmafLogLevel level);

/* No trailing newline in `format`: it is added. */
void log_write(enum VmafLogLevel level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a warning that scores come from elsewhere than the GPU that the user expects. It ignores
 * the level that the program chose: only the user can silence it, with VMAF_LOG=error or none. */
void log_insist(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* True if log_insist would print. */
bool log_insists(void);

#define log_error(...) log_write(VMAF_LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(VMAF_LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...) log_write(VMAF_LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(VMAF_LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
