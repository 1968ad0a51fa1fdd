/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Writes the object `vmaf_turbo` at the end of a JSON report, which describes the run.
 * docs/report.schema.json describes the object. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "output/sheet.h"

#define SCHEMA_VERSION 1

/* A list of fields or items that is being written: its indent, and whether it needs a comma. */
typedef struct List {
    FILE *file;
    unsigned depth;
    bool filled;
} List;

static List begin(FILE *file, unsigned depth, char bracket)
{
    fputc(bracket, file);
    return (List){ file, depth, false };
}

static void next(List *list)
{
    fprintf(list->file, "%s\n%*s", list->filled ? "," : "", (int)list->depth * 2, "");
    list->filled = true;
}

static void end_list(const List *list, char bracket)
{
    if (list->filled)
        fprintf(list->file, "\n%*s", (int)(list->depth - 1) * 2, "");
    fputc(bracket, list->file);
}

static void put_name(List *list, const char *name)
{
    next(list);
    fputc('"', list->file);
    put_json_text(list->file, name);
    fputs("\": ", list->file);
}

static void put_string(List *list, const char *name, const char *text)
{
    put_name(list, name);
    fputc('"', list->file);
    put_json_text(list->file, text);
    fputc('"', list->file);
}

static void put_count(List *list, const char *name, uint64_t count)
{
    put_name(list, name);
    fprintf(list->file, "%" PRIu64, count);
}

static void put_flag(List *list, const char *name, bool value)
{
    put_name(list, name);
    fputs(value ? "true" : "false", list->file);
}

/* Writes a time or a speed; null if it is not finite. */
static void put_decimal(List *list, const char *name, double value)
{
    char text[512] = "null";
    if (isfinite(value))
        text_print_double(text, sizeof(text), "%.3f", value);
    put_name(list, name);
    fputs(text, list->file);
}

static const char *pixel_format(enum VmafPixelFormat format)
{
    switch (format) {
    case VMAF_PIX_FMT_YUV420P:
        return "420";
    case VMAF_PIX_FMT_YUV422P:
        return "422";
    case VMAF_PIX_FMT_YUV444P:
        return "444";
    case VMAF_PIX_FMT_YUV400P:
        return "400";
    default:
        return NULL;
    }
}

static void put_input(List *inputs, const char *name, const NotedInput *input)
{
    if (!input->path)
        return;
    put_name(inputs, name);
    List list = begin(inputs->file, inputs->depth + 1, '{');
    put_string(&list, "path", input->path);
    if (input->kind)
        put_string(&list, "kind", input->kind);
    if (input->codec)
        put_string(&list, "codec", input->codec);
    put_count(&list, "width", input->width);
    put_count(&list, "height", input->height);
    put_count(&list, "bitdepth", input->bitdepth);
    if (pixel_format(input->pix_fmt))
        put_string(&list, "pixel_format", pixel_format(input->pix_fmt));
    if (input->rate_num && input->rate_den) {
        put_name(&list, "frame_rate");
        fprintf(list.file, "\"%u/%u\"", input->rate_num, input->rate_den);
    }
    if (input->frames)
        put_count(&list, "frames", input->frames);
    put_count(&list, "skipped", input->skipped);
    if (input->bytes)
        put_count(&list, "bytes", input->bytes);
    if (input->bit_rate)
        put_count(&list, "bit_rate", input->bit_rate);
    if (input->frames_found) {
        put_count(&list, "frames_found", input->frames_found);
        put_flag(&list, "ended", input->ended);
    }
    if (input->filters)
        put_string(&list, "filters", input->filters);
    if (input->warnings)
        put_string(&list, "warnings", input->warnings);
    if (input->pairing)
        put_string(&list, "pairing", input->pairing);
    end_list(&list, '}');
}

static void put_inputs(List *top, const Notes *notes)
{
    put_name(top, "inputs");
    List list = begin(top->file, top->depth + 1, '{');
    put_input(&list, "reference", &notes->ref);
    put_input(&list, "distorted", &notes->dist);
    end_list(&list, '}');
}

/* ---- the frames of the report ---- */

static const NotedFrame *noted_frame(const Sheet *sheet, size_t index)
{
    const Notes *const notes = sheet->report->notes;
    const bool there = index < notes->frame_capacity && notes->frames[index].known;
    return there ? &notes->frames[index] : NULL;
}

/* True if all frames of the report have a time. */
static bool has_times(const Sheet *sheet)
{
    for (size_t i = sheet_next_frame(sheet, 0); i < sheet->end; i = sheet_next_frame(sheet, i + 1))
        if (!noted_frame(sheet, i) || !isfinite(noted_frame(sheet, i)->time))
            return false;
    return sheet_next_frame(sheet, 0) < sheet->end;
}

static void put_times(List *top, const Sheet *sheet)
{
    const char *comma = "";
    if (!has_times(sheet))
        return;
    put_name(top, "times");
    fputc('[', top->file);
    for (size_t i = sheet_next_frame(sheet, 0); i < sheet->end;
         i = sheet_next_frame(sheet, i + 1)) {
        char text[512];
        text_print_double(text, sizeof(text), "%.6f", noted_frame(sheet, i)->time);
        fprintf(top->file, "%s%s", comma, text);
        comma = ", ";
    }
    fputc(']', top->file);
}

static uint64_t number_in(const NotedFrame *frame, bool is_ref)
{
    return is_ref ? frame->ref : frame->dist;
}

/* True if the numbers of all frames of the report are known and do not simply follow one another
 * from `skipped` on. */
static bool has_numbers(const Sheet *sheet, bool is_ref)
{
    const Notes *const notes = sheet->report->notes;
    const NotedInput *const input = is_ref ? &notes->ref : &notes->dist;
    bool moved = false;
    for (size_t i = sheet_next_frame(sheet, 0); i < sheet->end;
         i = sheet_next_frame(sheet, i + 1)) {
        const NotedFrame *const frame = noted_frame(sheet, i);
        if (!frame)
            return false;
        moved = moved || number_in(frame, is_ref) != input->skipped + i;
    }
    return moved;
}

static void put_numbers(List *list, const char *name, const Sheet *sheet, bool is_ref)
{
    const char *comma = "";
    if (!has_numbers(sheet, is_ref))
        return;
    put_name(list, name);
    fputc('[', list->file);
    for (size_t i = sheet_next_frame(sheet, 0); i < sheet->end;
         i = sheet_next_frame(sheet, i + 1)) {
        fprintf(list->file, "%s%" PRIu64, comma, number_in(noted_frame(sheet, i), is_ref));
        comma = ", ";
    }
    fputc(']', list->file);
}

static void put_frame_numbers(List *top, const Sheet *sheet)
{
    if (!has_numbers(sheet, true) && !has_numbers(sheet, false))
        return;
    put_name(top, "frame_numbers");
    List list = begin(top->file, top->depth + 1, '{');
    put_numbers(&list, "reference", sheet, true);
    put_numbers(&list, "distorted", sheet, false);
    end_list(&list, '}');
}

/* ---- shots ---- */

/* Writes the figures of all metrics that have one for each shown frame of the shot. */
static void put_shot_metrics(List *list, const Sheet *sheet, const ShotFigures *figures)
{
    put_name(list, "metrics");
    List metrics = begin(list->file, list->depth + 1, '{');
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct {
            const char *name;
            double value;
        } rows[] = {
            { "mean", figures[i].mean },
            { "min", figures[i].min },
            { "p5", figures[i].p5 },
        };
        if (!figures[i].known)
            continue;
        put_name(&metrics, sheet->columns[i].name);
        for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
            fprintf(metrics.file, "%s\"%s\": ", r ? ", " : "{", rows[r].name);
            sheet_put_json_number(metrics.file, sheet, rows[r].value);
        }
        fputc('}', metrics.file);
    }
    end_list(&metrics, '}');
}

static void put_shot(List *shots, const Sheet *sheet, size_t shot)
{
    const size_t first = sheet->shots[shot];
    const size_t last =
        (shot + 1 < sheet->shot_count ? sheet->shots[shot + 1] : sheet->report->frames) - 1;
    next(shots);
    List list = begin(shots->file, shots->depth + 1, '{');
    put_count(&list, "first", first);
    put_count(&list, "last", last);
    put_count(&list, "frames", last + 1 - first);
    put_decimal(&list, "begin", noted_frame(sheet, first)->time);
    put_decimal(&list, "end",
                noted_frame(sheet, last) ? noted_frame(sheet, last)->time : (double)NAN);
    put_shot_metrics(&list, sheet, &sheet->shot_figures[shot * sheet->column_count]);
    end_list(&list, '}');
}

static void put_shots(List *top, const Sheet *sheet)
{
    if (!sheet->shot_count)
        return;
    put_name(top, "shots");
    List list = begin(top->file, top->depth + 1, '[');
    for (size_t i = 0; i < sheet->shot_count; i++)
        put_shot(&list, sheet, i);
    end_list(&list, ']');
}

/* ---- the run ---- */

static void put_warnings(List *top, const Notes *notes)
{
    static const char *const inputs[] = {
        [VMAF_REPORT_REFERENCE] = "reference",
        [VMAF_REPORT_DISTORTED] = "distorted",
    };
    put_name(top, "warnings");
    List list = begin(top->file, top->depth + 1, '[');
    for (size_t i = 0; i < notes->warning_count; i++) {
        const NotedWarning *const warning = &notes->warnings[i];
        next(&list);
        List fields = begin(list.file, list.depth + 1, '{');
        put_string(&fields, "code", warning->code);
        if (warning->side != VMAF_REPORT_RUN)
            put_string(&fields, "input", inputs[warning->side]);
        put_string(&fields, "text", warning->text);
        end_list(&fields, '}');
    }
    end_list(&list, ']');
}

static void put_completeness(List *top, const Notes *notes)
{
    if (!notes->complete_known)
        return;
    put_flag(top, "complete", !notes->incomplete);
    if (notes->incomplete)
        put_string(top, "incomplete_reason", notes->incomplete);
}

static void put_scored(List *top, const Report *report)
{
    put_name(top, "scored");
    List list = begin(top->file, top->depth + 1, '{');
    put_count(&list, "width", report->width);
    put_count(&list, "height", report->height);
    put_count(&list, "frames", report->frames);
    put_count(&list, "subsample", report->subsample > 1 ? report->subsample : 1);
    end_list(&list, '}');
}

/* A collection is noted after the first of its models, which has its name. */
static bool is_of_collection(const Notes *notes, size_t model)
{
    for (size_t i = model + 1; i < notes->model_count; i++)
        if (notes->models[i].members && !notes->models[model].members &&
            !strcmp(notes->models[i].name, notes->models[model].name) &&
            !strcmp(notes->models[i].source, notes->models[model].source))
            return true;
    return false;
}

static void put_models(List *top, const Notes *notes)
{
    put_name(top, "models");
    List list = begin(top->file, top->depth + 1, '[');
    for (size_t i = 0; i < notes->model_count; i++) {
        const NotedModel *const model = &notes->models[i];
        if (is_of_collection(notes, i))
            continue;
        next(&list);
        List fields = begin(list.file, list.depth + 1, '{');
        put_string(&fields, "metric", model->name);
        put_string(&fields, "source", model->source);
        if (model->members)
            put_count(&fields, "members", model->members);
        if (model->note)
            put_string(&fields, "note", model->note);
        end_list(&fields, '}');
    }
    end_list(&list, ']');
}

static void put_feature_options(List *top, const Dict *options)
{
    put_name(top, "options");
    List list = begin(top->file, top->depth + 1, '{');
    for (size_t i = 0; options && i < options->count; i++)
        put_string(&list, options->entries[i].key, options->entries[i].value);
    end_list(&list, '}');
}

/* Tells the device from others of its name. */
static void put_identity(List *fields, const ReportFeature *feature)
{
    if (feature->type)
        put_string(fields, "device_type", feature->type);
    if (feature->index >= 0)
        put_count(fields, "device_index", (unsigned)feature->index);
    if (feature->uuid)
        put_string(fields, "device_uuid", feature->uuid);
    if (feature->pci)
        put_string(fields, "device_pci", feature->pci);
}

static void put_features(List *top, const Report *report)
{
    put_name(top, "features");
    List list = begin(top->file, top->depth + 1, '[');
    for (size_t i = 0; i < report->feature_count; i++) {
        const ReportFeature *const feature = &report->features[i];
        next(&list);
        List fields = begin(list.file, list.depth + 1, '{');
        put_string(&fields, "extractor", feature->extractor);
        put_feature_options(&fields, feature->options);
        put_string(&fields, "backend", feature->backend ? feature->backend : "cpu");
        if (feature->instruction_set)
            put_string(&fields, "instruction_set", feature->instruction_set);
        if (feature->device) {
            put_string(&fields, "device", feature->device);
            put_identity(&fields, feature);
            put_count(&fields, "frames", feature->frames);
            put_count(&fields, "frames_on_cpu", feature->frames_on_cpu);
        }
        end_list(&fields, '}');
    }
    end_list(&list, ']');
}

static void put_options(List *top, const Notes *notes)
{
    put_name(top, "options");
    List list = begin(top->file, top->depth + 1, '[');
    for (size_t i = 0; i < notes->option_count; i++) {
        next(&list);
        List fields = begin(list.file, list.depth + 1, '{');
        put_string(&fields, "name", notes->options[i].name);
        if (notes->options[i].value)
            put_string(&fields, "value", notes->options[i].value);
        end_list(&fields, '}');
    }
    end_list(&list, ']');
}

static void put_figures(List *top, const Sheet *sheet, const VmafStatistics *figures)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {
        { "mean", figures->mean },
        { "harmonic_mean", figures->harmonic_mean },
        { "stddev", figures->stddev },
        { "min", figures->min },
        { "p1", figures->percentile[1] },
        { "p5", figures->percentile[5] },
        { "p10", figures->percentile[10] },
        { "p25", figures->percentile[25] },
        { "median", figures->percentile[50] },
        { "p75", figures->percentile[75] },
        { "p90", figures->percentile[90] },
        { "p95", figures->percentile[95] },
        { "p99", figures->percentile[99] },
        { "max", figures->max },
    };
    List list = begin(top->file, top->depth + 1, '{');
    for (size_t i = 0; figures->size && i < sizeof(rows) / sizeof(*rows); i++) {
        put_name(&list, rows[i].name);
        sheet_put_json_number(list.file, sheet, rows[i].value);
    }
    end_list(&list, '}');
}

static void put_pooled(List *top, const Sheet *sheet)
{
    put_name(top, "pooled");
    List list = begin(top->file, top->depth + 1, '{');
    for (size_t i = 0; i < sheet->column_count; i++) {
        put_name(&list, sheet->columns[i].name);
        put_figures(&list, sheet, &sheet->statistics[i]);
    }
    end_list(&list, '}');
}

void sheet_put_details(FILE *file, const Sheet *sheet)
{
    const Report *const report = sheet->report;
    List outer = { file, 1, true };
    put_name(&outer, "vmaf_turbo");
    List top = begin(file, 2, '{');
    put_count(&top, "schema", SCHEMA_VERSION);
    put_string(&top, "program", "vmaf-turbo");
    put_string(&top, "version", report->version);
    put_completeness(&top, report->notes);
    put_inputs(&top, report->notes);
    put_warnings(&top, report->notes);
    put_scored(&top, report);
    put_times(&top, sheet);
    put_frame_numbers(&top, sheet);
    put_models(&top, report->notes);
    put_features(&top, report);
    put_options(&top, report->notes);
    put_pooled(&top, sheet);
    put_shots(&top, sheet);
    put_count(&top, "threads", report->threads);
    put_decimal(&top, "elapsed", report->elapsed);
    put_decimal(&top, "fps", report->fps);
    end_list(&top, '}');
}
