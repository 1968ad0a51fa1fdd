/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "output/sheet.h"

/* Ends the line before this item and starts a new one. */
static void put_item(FILE *file, bool *first, const char *indent)
{
    fputs(*first ? "\n" : ",\n", file);
    fputs(indent, file);
    *first = false;
}

static void put_score(FILE *file, const Sheet *sheet, const char *name, double value)
{
    fputc('"', file);
    put_json_text(file, name);
    fputs("\": ", file);
    sheet_put_json_number(file, sheet, value);
}

static void put_metrics(FILE *file, const Sheet *sheet, size_t index)
{
    bool first = true;
    fprintf(file, "{\n      \"frameNum\": %zu,\n      \"metrics\": {", index);
    for (size_t c = 0; c < sheet->column_count; c++) {
        const SheetColumn *const column = &sheet->columns[c];
        if (!sheet_has(column, index))
            continue;
        put_item(file, &first, "        ");
        put_score(file, sheet, column->name, column->scores.values[index]);
    }
    fputs("\n      }\n    }", file);
}

static void put_frames(FILE *file, const Sheet *sheet)
{
    bool first = true;
    fputs("  \"frames\": [", file);
    for (size_t i = sheet_next_frame(sheet, 0); i < sheet->end;
         i = sheet_next_frame(sheet, i + 1)) {
        put_item(file, &first, "    ");
        put_metrics(file, sheet, i);
    }
    fputs("\n  ],\n", file);
}

static void put_pooled(FILE *file, const Sheet *sheet)
{
    bool first = true;
    fputs("  \"pooled_metrics\": {", file);
    for (size_t c = 0; c < sheet->column_count; c++) {
        put_item(file, &first, "    \"");
        put_json_text(file, sheet->columns[c].name);
        fputs("\": {", file);
        double pooled[SHEET_POOLS];
        bool first_pool = true;
        if (sheet_pool(sheet, &sheet->columns[c], pooled)) {
            for (unsigned i = 0; i < SHEET_POOLS; i++) {
                put_item(file, &first_pool, "      ");
                put_score(file, sheet, sheet_pool_names[i], pooled[i]);
            }
        }
        fputs("\n    }", file);
    }
    fputs("\n  },\n", file);
}

static void put_aggregates(FILE *file, const Sheet *sheet)
{
    ScoreStore *const scores = sheet->report->scores;
    bool first = true;
    fputs("  \"aggregate_metrics\": {", file);
    for (size_t i = 0; i < scores_aggregate_count(scores); i++) {
        const char *name;
        double value;
        if (scores_aggregate(scores, i, &name, &value))
            continue;
        put_item(file, &first, "    ");
        put_score(file, sheet, name, value);
    }
    fputs("\n  }", file);
}

/* An extractor that is registered several times, with different options, needs several keys. */
static unsigned earlier_namesakes(const Report *report, size_t feature)
{
    unsigned count = 0;
    for (size_t i = 0; i < feature; i++)
        count += !strcmp(report->features[i].extractor, report->features[feature].extractor);
    return count;
}

static void put_text_field(FILE *file, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(file, ",\n      \"%s\": \"", name);
    put_json_text(file, text);
    fputc('"', file);
}

static void put_identity(FILE *file, const ReportFeature *feature)
{
    put_text_field(file, "device", feature->device);
    put_text_field(file, "device_type", feature->type);
    if (feature->index >= 0)
        fprintf(file, ",\n      \"device_index\": %d", feature->index);
    put_text_field(file, "device_uuid", feature->uuid);
    put_text_field(file, "device_pci", feature->pci);
}

static void put_proof(FILE *file, const ReportFeature *feature)
{
    char time[SHEET_TIME_SIZE];
    fprintf(file,
            ",\n      \"passes\": %u,\n      \"frames\": %" PRIu64 ",\n      \"launches\": %" PRIu64
            ",\n      \"device_us\": %s,\n      \"frames_on_cpu\": %" PRIu64,
            feature->passes, feature->frames, feature->launches, sheet_time(time, feature),
            feature->frames_on_cpu);
}

static void put_backends(FILE *file, const Sheet *sheet)
{
    const Report *const report = sheet->report;
    bool first = true;
    fputs(",\n  \"backends\": {", file);
    for (size_t i = 0; i < report->feature_count; i++) {
        const ReportFeature *const feature = &report->features[i];
        const unsigned namesakes = earlier_namesakes(report, i);
        put_item(file, &first, "    \"");
        put_json_text(file, feature->extractor);
        if (namesakes)
            fprintf(file, "#%u", namesakes + 1);
        fputs("\": {\n      \"backend\": \"", file);
        put_json_text(file, feature->backend ? feature->backend : "cpu");
        fputc('"', file);
        put_text_field(file, "instruction_set", feature->instruction_set);
        if (feature->device) {
            put_identity(file, feature);
            put_proof(file, feature);
        }
        fputs("\n    }", file);
    }
    fputs("\n  }", file);
}

void sheet_write_json(FILE *file, const Sheet *sheet)
{
    const Report *const report = sheet->report;
    char fps[512] = "null";
    if (isfinite(report->fps))
        text_print_double(fps, sizeof(fps), "%.2f", report->fps);
    fputs("{\n  \"version\": \"", file);
    put_json_text(file, report->version);
    if (sheet_partial(sheet)) {
        fputs("\",\n  \"partial\": \"", file);
        put_json_text(file, sheet_partial(sheet));
    }
    fprintf(file, "\",\n  \"fps\": %s,\n", fps);
    put_frames(file, sheet);
    put_pooled(file, sheet);
    put_aggregates(file, sheet);
    if (sheet_lists_backends(sheet))
        put_backends(file, sheet);
    if (sheet_has_details(sheet))
        sheet_put_details(file, sheet);
    fputs("\n}\n", file);
}
