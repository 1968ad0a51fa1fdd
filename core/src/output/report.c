/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/log.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "engine/context_struct.h"
#include "output/report.h"
#include "output/sheet.h"

static bool is_valid(const char *format)
{
    if (format[0] != '%' || format[1] != '.')
        return false;
    const char *digit = format + 2;
    unsigned precision = 0, digits = 0;
    for (; *digit >= '0' && *digit <= '9' && digits < 3; digits++)
        precision = precision * 10 + (unsigned)(*digit++ - '0');
    return digits && precision <= 17 && *digit && strchr("feg", *digit) && !digit[1];
}

static int write_file(const Sheet *sheet, const char *path, const OutputFormat *format)
{
    Outfile *file;
    int err = outfile_open(&file, path, OUTFILE_REPLACE);
    if (err) {
        log_error("could not open file: %s: %s", path, strerror(-err));
        return err == -ENOMEM ? err : -EINVAL;
    }
    format->write(outfile_stream(file), sheet);
    err = outfile_commit(file);
    if (err) {
        log_error("could not write file: %s: %s", path, strerror(-err));
        return -EIO;
    }
    return 0;
}

int report_write(const Report *report, const char *path, enum VmafOutputFormat id)
{
    const OutputFormat *const format = output_format_find(id);
    if (!report || !path || !format) {
        log_error("unknown output format");
        return -EINVAL;
    }
    if (report->score_format && !is_valid(report->score_format)) {
        log_error("bad score format \"%s\"; it should look like %%.6f (f, e or g, 0 to 17 digits)",
                  report->score_format);
        return -EINVAL;
    }
    Sheet sheet;
    int err = sheet_create(&sheet, report);
    if (!err)
        err = write_file(&sheet, path, format);
    sheet_destroy(&sheet);
    return err;
}

int report_fill(Report *report, VmafContext *ctx)
{
    context_wait(ctx);
    const unsigned count = context_feature_count(ctx);
    ReportFeature *features = count ? mem_array(count, sizeof(*features)) : NULL;
    if (count && !features)
        return -ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        VmafFeatureInfo info;
        context_feature(ctx, i, &info);
        features[i] = (ReportFeature){
            .extractor = info.extractor,
            .backend = info.backend,
            .instruction_set = info.instruction_set,
            .options = scheduler_feature(ctx->scheduler, i)->dict,
            .device = info.device,
            .type = info.device_type,
            .uuid = info.device_uuid,
            .pci = info.device_pci,
            .index = info.device_index,
            .passes = info.passes,
            .frames = info.frames,
            .launches = info.launches,
            .frames_on_cpu = info.frames_on_cpu,
            .device_us = info.device_us,
        };
    }
    ContextSpeed speed;
    context_speed(ctx, &speed);
    *report = (Report){
        .scores = ctx->scores,
        .version = vmaf_version(),
        .width = ctx->shape.w[0],
        .height = ctx->shape.h[0],
        .fps = ctx->pairs ? ctx->pairs / speed.seconds : 0,
        .elapsed = speed.seconds,
        .threads = speed.threads,
        .subsample = ctx->cfg.n_subsample,
        .frames = ctx->pairs,
        .features = features,
        .feature_count = count,
        .notes = &ctx->notes,
    };
    return 0;
}

int report_write_context(VmafContext *ctx, const char *path, enum VmafOutputFormat id,
                         const char *score_format)
{
    Report report;
    int err = report_fill(&report, ctx);
    if (err)
        return err;
    report.score_format = score_format;
    err = report_write(&report, path, id);
    mem_free(report.features);
    return err;
}

/* ---- formats ---- */

static const OutputFormat formats[] = {
    { VMAF_OUTPUT_FORMAT_XML, "xml", sheet_write_xml },
    { VMAF_OUTPUT_FORMAT_JSON, "json", sheet_write_json },
    { VMAF_OUTPUT_FORMAT_CSV, "csv", sheet_write_csv },
    { VMAF_OUTPUT_FORMAT_SUB, "sub", sheet_write_sub },
};

const OutputFormat *output_format_find(enum VmafOutputFormat id)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        if (formats[i].id == id)
            return &formats[i];
    return NULL;
}

/* Every line ends with a comma, as in the reference. */
void sheet_write_csv(FILE *file, const Sheet *sheet)
{
    fputs("Frame,", file);
    for (size_t c = 0; c < sheet->column_count; c++) {
        put_csv_text(file, sheet->columns[c].name);
        fputc(',', file);
    }
    fputc('\n', file);
    for (size_t i = sheet_next_frame(sheet, 0); i < sheet->end;
         i = sheet_next_frame(sheet, i + 1)) {
        fprintf(file, "%zu,", i);
        for (size_t c = 0; c < sheet->column_count; c++) {
            if (sheet_has(&sheet->columns[c], i))
                sheet_put_number(file, sheet, sheet->columns[c].scores.values[i]);
            fputc(',', file);
        }
        fputc('\n', file);
    }
    if (sheet_partial(sheet)) {
        fputs("# partial: ", file);
        put_csv_text(file, sheet_partial(sheet));
        fputs(",\n", file);
    }
}

void sheet_write_sub(FILE *file, const Sheet *sheet)
{
    for (size_t i = sheet_next_frame(sheet, 0); i < sheet->end;
         i = sheet_next_frame(sheet, i + 1)) {
        fprintf(file, "{%zu}{%zu}frame: %zu|", i, i + 1, i);
        for (size_t c = 0; c < sheet->column_count; c++) {
            if (!sheet_has(&sheet->columns[c], i))
                continue;
            put_sub_text(file, sheet->columns[c].name);
            fputs(": ", file);
            sheet_put_number(file, sheet, sheet->columns[c].scores.values[i]);
            fputc('|', file);
        }
        fputc('\n', file);
    }
    if (sheet_partial(sheet)) {
        const unsigned next = sheet->report->frames;
        fprintf(file, "{%u}{%u}partial: ", next, next + 1);
        put_sub_text(file, sheet_partial(sheet));
        fputs("|\n", file);
    }
}
