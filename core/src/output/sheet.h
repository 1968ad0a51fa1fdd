/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A report as a table, and functions that write its cells: shared by all formats. Used by one
 * thread. */
#ifndef OUTPUT_SHEET_H
#define OUTPUT_SHEET_H

#include <stdio.h>

#include "libvmaf/libvmaf.h"
#include "output/report.h"

typedef struct SheetColumn {
    ScoreColumn scores;
    const char *name; /* as printed */
} SheetColumn;

/* The figures of a metric over a shot. */
typedef struct ShotFigures {
    bool known; /* all frames that the report shows of the shot have a score */
    double mean, min, p5;
} ShotFigures;

typedef struct Sheet {
    const Report *report;
    ScoreTable scores; /* as they were when the sheet was made */
    SheetColumn *columns;
    size_t column_count;
    size_t end; /* one past the last index that may hold a score */
    /* One for each column, for details; else NULL. `size` 0: the column cannot be pooled. */
    VmafStatistics *statistics;
    /* For details: the first pair of each shot, and for each shot the figures of all columns. */
    size_t *shots;
    size_t shot_count;
    ShotFigures *shot_figures;
} Sheet;

int sheet_create(Sheet *sheet, const Report *report);
void sheet_destroy(Sheet *sheet);

/* The first index at or after `index` that the report shows; sheet->end when there is none. */
size_t sheet_next_frame(const Sheet *sheet, size_t index);

static inline bool sheet_has(const SheetColumn *column, size_t index)
{
    return index < column->scores.capacity && column->scores.written[index];
}

/* The four pooled figures, in the order they are printed. */
#define SHEET_POOLS 4
extern const char *const sheet_pool_names[SHEET_POOLS];

/* False when the column cannot be pooled over the pairs read. */
bool sheet_pool(const Sheet *sheet, const SheetColumn *column, double pooled[SHEET_POOLS]);

/* Why the report is partial; NULL: it is complete. */
const char *sheet_partial(const Sheet *sheet);

/* List where features ran? True if one ran on a device, or if the notes ask for the list. */
bool sheet_lists_backends(const Sheet *sheet);

/* Does JSON have what vmaf_report_details() asks for? */
bool sheet_has_details(const Sheet *sheet);
void sheet_put_details(FILE *file, const Sheet *sheet);

/* Formats a feature's device time for reports. */
#define SHEET_TIME_SIZE 512
const char *sheet_time(char text[SHEET_TIME_SIZE], const ReportFeature *feature);

/* Six decimals, sixteen when the fraction is not 0 but below 1e-6; or the report's own format. */
void sheet_put_number(FILE *file, const Sheet *sheet, double value);
/* Like sheet_put_number, for JSON: null for values that are not finite. */
void sheet_put_json_number(FILE *file, const Sheet *sheet, double value);

/* Write text with the format's special characters escaped; never malformed UTF-8. */
void put_xml_text(FILE *file, const char *text);
/* Writes the name of an attribute: characters that it cannot contain become `_xHHHH_`, their code.
 * Different names stay different. */
void put_xml_name(FILE *file, const char *name);
void put_json_text(FILE *file, const char *text);
void put_csv_text(FILE *file, const char *text);
void put_sub_text(FILE *file, const char *text);

/* The formats of report files, in one table in report.c. A new format needs a row there, a value of
 * enum VmafOutputFormat and, for the command, an option of its name (tools/vmaf/options.c). */

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
