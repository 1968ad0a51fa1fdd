/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "warnings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "libvmaf/report.h"

static bool has(const Warnings *warnings, const char *code, unsigned side, const char *text)
{
    for (size_t i = 0; i < warnings->count; i++) {
        const Warning *const known = &warnings->at[i];
        if (known->side == side && !strcmp(known->code, code) && !strcmp(known->text, text))
            return true;
    }
    return false;
}

bool warnings_have(const Warnings *warnings, const char *code, unsigned side)
{
    for (size_t i = 0; i < warnings->count; i++)
        if (warnings->at[i].side == side && !strcmp(warnings->at[i].code, code))
            return true;
    return false;
}

void warnings_add(Warnings *warnings, const char *code, unsigned side, const char *text)
{
    if (has(warnings, code, side, text))
        return;
    Warning *const grown = realloc(warnings->at, (warnings->count + 1) * sizeof(*grown));
    const Warning fresh = { strdup(code), side, strdup(text) };
    warnings->at = grown ? grown : warnings->at;
    if (grown && fresh.code && fresh.text) {
        grown[warnings->count++] = fresh;
        return;
    }
    free(fresh.code);
    free(fresh.text);
    warnings->lost = true;
}

void warnings_say(Warnings *warnings, const char *code, unsigned side, const char *format, ...)
{
    static const char mark[] = "Warning: ";
    char line[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    const char *const text = line + (strncmp(line, mark, strlen(mark)) ? 0 : strlen(mark));
    if (!has(warnings, code, side, text))
        say("%s", line);
    warnings_add(warnings, code, side, text);
}

static const enum VmafReportSide report_sides[SIDES + 1] = {
    [SIDE_REF] = VMAF_REPORT_REFERENCE,
    [SIDE_DIST] = VMAF_REPORT_DISTORTED,
    [SIDES] = VMAF_REPORT_RUN,
};

int warnings_report(const Warnings *warnings, VmafContext *vmaf)
{
    int err = warnings->lost ? -ENOMEM : 0;
    for (size_t i = 0; !err && i < warnings->count; i++)
        err = vmaf_report_warning(vmaf, warnings->at[i].code, report_sides[warnings->at[i].side],
                                  warnings->at[i].text);
    return err;
}

int warnings_report_notes(const Video *video, enum Side side, VmafContext *vmaf)
{
    int err = video->notes_lost ? -ENOMEM : 0;
    for (unsigned i = 0; !err && i < video->note_count; i++)
        if (!video->notes[i].done)
            err = vmaf_report_warning(vmaf, video->notes[i].kind, report_sides[side],
                                      video->notes[i].text);
    return err;
}

void warnings_clear(Warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++) {
        free(warnings->at[i].code);
        free(warnings->at[i].text);
    }
    free(warnings->at);
    *warnings = (Warnings){ 0 };
}
