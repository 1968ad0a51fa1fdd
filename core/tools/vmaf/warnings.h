/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Warnings about the pair that was scored, or about the run as a whole; those about one video are
 * its notes (input/video.h). They were printed, and the report lists them. A zeroed list is empty;
 * a list owns its texts and is for one thread. */
#ifndef TOOLS_WARNINGS_H
#define TOOLS_WARNINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "input/video.h"
#include "libvmaf/libvmaf.h"

typedef struct Warning {
    char *code;    /* as in vmaf_report_warning() */
    unsigned side; /* the enum Side that it is about; SIDES: the run as a whole */
    char *text;    /* one line */
} Warning;

typedef struct Warnings {
    Warning *at;
    size_t count;
    bool lost; /* memory ran out: a warning is missing */
} Warnings;

/* Keeps a warning, unless the list has it. */
void warnings_add(Warnings *warnings, const char *code, unsigned side, const char *text);

/* Prints a line and keeps it as a warning, without `Warning: ` at its beginning, unless the list
 * has it. */
void warnings_say(Warnings *warnings, const char *code, unsigned side, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* True if there is a warning with this code about this side. */
bool warnings_have(const Warnings *warnings, const char *code, unsigned side);

/* Adds all warnings to the reports of a context. 0 or a negative errno; prints nothing. */
int warnings_report(const Warnings *warnings, VmafContext *vmaf);

/* The same for the notes of a video that are warnings. side: SIDE_REF or SIDE_DIST. */
int warnings_report_notes(const Video *video, enum Side side, VmafContext *vmaf);

void warnings_clear(Warnings *warnings);

#endif
