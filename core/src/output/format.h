/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The formats of report files, in one table. A new one takes a row here, a value of enum
 * VmafOutputFormat and, to be asked for by the command, an option of its name (tools/vmaf/options.c). */
#ifndef OUTPUT_FORMAT_H
#define OUTPUT_FORMAT_H

#include <stdio.h>

#include "libvmaf/libvmaf.h"
#include "output/sheet.h"

typedef struct OutputFormat {
    enum VmafOutputFormat id;
    const char *name; /* lower case */
    /* Write errors are left in the stream for report_write to find. */
    void (*write)(FILE *file, const Sheet *sheet);
} OutputFormat;

/* NULL when there is none. */
const OutputFormat *output_format_find(enum VmafOutputFormat id);

void sheet_write_xml(FILE *file, const Sheet *sheet);
void sheet_write_json(FILE *file, const Sheet *sheet);
void sheet_write_csv(FILE *file, const Sheet *sheet);
void sheet_write_sub(FILE *file, const Sheet *sheet);

#endif
