/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <inttypes.h>

#include "base/text.h"
#include "output/sheet.h"

/* Every attribute is followed by one space, as in the reference. */
static void put_score(FILE *file, const Sheet *sheet, const char *name, double value)
{
    put_xml_name(file, name);
    fputs("=\"", file);
    sheet_put_number(file, sheet, value);
    fputs("\" ", file);
}

static void put_frames(FILE *file, const Sheet *sheet)
{
    fputs("  <frames>\n", file);
    for (size_t i = sheet_next_frame(sheet, 0); i < sheet->end;
         i = sheet_next_frame(sheet, i + 1)) {
        fprintf(file, "    <frame frameNum=\"%zu\" ", i);
        for (size_t c = 0; c < sheet->column_count; c++)
            if (sheet_has(&sheet->columns[c], i))
                put_score(file, sheet, sheet->columns[c].name, sheet->columns[c].scores.values[i]);
        fputs("/>\n", file);
    }
    fputs("  </frames>\n", file);
}

static void put_pooled(FILE *file, const Sheet *sheet)
{
    fputs("  <pooled_metrics>\n", file);
    for (size_t c = 0; c < sheet->column_count; c++) {
        fputs("    <metric name=\"", file);
        put_xml_text(file, sheet->columns[c].name);
        fputs("\" ", file);
        double pooled[SHEET_POOLS];
        if (sheet_pool(sheet, &sheet->columns[c], pooled))
            for (unsigned i = 0; i < SHEET_POOLS; i++)
                put_score(file, sheet, sheet_pool_names[i], pooled[i]);
        fputs("/>\n", file);
    }
    fputs("  </pooled_metrics>\n", file);
}

static void put_aggregates(FILE *file, const Sheet *sheet)
{
    ScoreStore *const scores = sheet->report->scores;
    fputs("  <aggregate_metrics ", file);
    for (size_t i = 0; i < scores_aggregate_count(scores); i++) {
        const char *name;
        double value;
        if (!scores_aggregate(scores, i, &name, &value))
            put_score(file, sheet, name, value);
    }
    fputs("/>\n", file);
}

static void put_attribute(FILE *file, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(file, "\" %s=\"", name);
    put_xml_text(file, text);
}

static void put_identity(FILE *file, const ReportFeature *feature)
{
    put_attribute(file, "device", feature->device);
    put_attribute(file, "device_type", feature->type);
    if (feature->index >= 0)
        fprintf(file, "\" device_index=\"%d", feature->index);
    put_attribute(file, "device_uuid", feature->uuid);
    put_attribute(file, "device_pci", feature->pci);
}

static void put_proof(FILE *file, const ReportFeature *feature)
{
    char time[SHEET_TIME_SIZE];
    fprintf(file,
            "\" passes=\"%u\" frames=\"%" PRIu64 "\" launches=\"%" PRIu64
            "\" device_us=\"%s\" frames_on_cpu=\"%" PRIu64,
            feature->passes, feature->frames, feature->launches, sheet_time(time, feature),
            feature->frames_on_cpu);
}

static void put_backends(FILE *file, const Sheet *sheet)
{
    fputs("  <backends>\n", file);
    for (size_t i = 0; i < sheet->report->feature_count; i++) {
        const ReportFeature *const feature = &sheet->report->features[i];
        fputs("    <extractor name=\"", file);
        put_xml_text(file, feature->extractor);
        fputs("\" backend=\"", file);
        put_xml_text(file, feature->backend ? feature->backend : "cpu");
        put_attribute(file, "instruction_set", feature->instruction_set);
        if (feature->device) {
            put_identity(file, feature);
            put_proof(file, feature);
        }
        fputs("\" />\n", file);
    }
    fputs("  </backends>\n", file);
}

void sheet_write_xml(FILE *file, const Sheet *sheet)
{
    const Report *const report = sheet->report;
    char fps[512];
    text_print_double(fps, sizeof(fps), "%.2f", report->fps);
    fputs("<VMAF version=\"", file);
    put_xml_text(file, report->version);
    if (sheet_partial(sheet)) {
        fputs("\" partial=\"", file);
        put_xml_text(file, sheet_partial(sheet));
    }
    fprintf(file, "\">\n  <params qualityWidth=\"%u\" qualityHeight=\"%u\" />\n", report->width,
            report->height);
    fprintf(file, "  <fyi fps=\"%s\" />\n", fps);
    put_frames(file, sheet);
    put_pooled(file, sheet);
    put_aggregates(file, sheet);
    if (sheet_lists_backends(sheet))
        put_backends(file, sheet);
    fputs("</VMAF>\n", file);
}
