/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/mem.h"
#include "base/option.h"
#include "model/pooling.h"
#include "output/sheet.h"

/* Finds the scores that pooled figures cover. Returns their number, or 0 when one is missing. */
static size_t gather(const Sheet *sheet, const SheetColumn *column, double *out)
{
    const size_t step = sheet->report->subsample > 1 ? sheet->report->subsample : 1;
    size_t count = 0;
    for (size_t i = 0; i < sheet->report->frames; i += step) {
        if (!sheet_has(column, i))
            return 0;
        out[count++] = column->scores.values[i];
    }
    return count;
}

static int take_statistics(Sheet *sheet)
{
    if (!sheet->report->frames)
        return 0;
    double *const scores = mem_array(sheet->report->frames, sizeof(*scores));
    int err = scores ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < sheet->column_count; i++) {
        const size_t count = gather(sheet, &sheet->columns[i], scores);
        if (!count)
            continue;
        err = statistics_take(scores, count, &sheet->statistics[i]);
        sheet->statistics[i].size = sizeof(*sheet->statistics);
    }
    mem_free(scores);
    return err;
}

static bool begins_shot(const Notes *notes, size_t index)
{
    return index < notes->frame_capacity && notes->frames[index].shot;
}

/* Finds the first pairs of the shots. */
static int find_shots(Sheet *sheet)
{
    const Notes *const notes = sheet->report->notes;
    for (unsigned i = 0; i < sheet->report->frames; i++)
        sheet->shot_count += begins_shot(notes, i);
    if (!sheet->shot_count)
        return 0;
    sheet->shots = mem_array(sheet->shot_count, sizeof(*sheet->shots));
    sheet->shot_figures =
        mem_array(sheet->shot_count * sheet->column_count + 1, sizeof(*sheet->shot_figures));
    if (!sheet->shots || !sheet->shot_figures)
        return -ENOMEM;
    for (size_t i = 0, count = 0; count < sheet->shot_count; i++)
        if (begins_shot(notes, i))
            sheet->shots[count++] = i;
    return 0;
}

static int take_shot(const Sheet *sheet, const SheetColumn *column, size_t shot, double *scores,
                     ShotFigures *out)
{
    const size_t end =
        shot + 1 < sheet->shot_count ? sheet->shots[shot + 1] : sheet->report->frames;
    VmafStatistics figures;
    size_t count = 0;
    *out = (ShotFigures){ .known = false };
    for (size_t i = sheet_next_frame(sheet, sheet->shots[shot]); i < end;
         i = sheet_next_frame(sheet, i + 1)) {
        if (!sheet_has(column, i))
            return 0;
        scores[count++] = column->scores.values[i];
    }
    const int err = count ? statistics_take(scores, count, &figures) : 0;
    if (!err && count)
        *out = (ShotFigures){ true, figures.mean, figures.min, figures.percentile[5] };
    return err;
}

static int take_shots(Sheet *sheet)
{
    int err = find_shots(sheet);
    if (err || !sheet->shot_count)
        return err;
    double *const scores = mem_array(sheet->report->frames, sizeof(*scores));
    err = scores ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < sheet->shot_count * sheet->column_count; i++)
        err = take_shot(sheet, &sheet->columns[i % sheet->column_count], i / sheet->column_count,
                        scores, &sheet->shot_figures[i]);
    mem_free(scores);
    return err;
}

int sheet_create(Sheet *sheet, const Report *report)
{
    *sheet = (Sheet){ .report = report };
    int err = scores_copy(report->scores, &sheet->scores);
    const size_t count = sheet->scores.column_count;
    if (err || !count)
        return err;
    sheet->columns = mem_array(count, sizeof(*sheet->columns));
    if (!sheet->columns)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        SheetColumn *const column = &sheet->columns[i];
        column->scores = sheet->scores.columns[i];
        column->name = metric_alias(column->scores.name);
        if (column->scores.capacity > sheet->end)
            sheet->end = column->scores.capacity;
    }
    sheet->column_count = count;
    if (!sheet_has_details(sheet))
        return 0;
    sheet->statistics = mem_array(count, sizeof(*sheet->statistics));
    err = sheet->statistics ? take_statistics(sheet) : -ENOMEM;
    return err ? err : take_shots(sheet);
}

void sheet_destroy(Sheet *sheet)
{
    mem_free(sheet->columns);
    mem_free(sheet->statistics);
    mem_free(sheet->shots);
    mem_free(sheet->shot_figures);
    score_table_clear(&sheet->scores);
    *sheet = (Sheet){ 0 };
}

static bool frame_has_score(const Sheet *sheet, size_t index)
{
    for (size_t i = 0; i < sheet->column_count; i++)
        if (sheet_has(&sheet->columns[i], index))
            return true;
    return false;
}

size_t sheet_next_frame(const Sheet *sheet, size_t index)
{
    const size_t step = sheet->report->subsample > 1 ? sheet->report->subsample : 1;
    index = (index + step - 1) / step * step;
    while (index < sheet->end && !frame_has_score(sheet, index))
        index += step;
    return index < sheet->end ? index : sheet->end;
}

const char *const sheet_pool_names[SHEET_POOLS] = { "min", "max", "mean", "harmonic_mean" };

bool sheet_pool(const Sheet *sheet, const SheetColumn *column, double pooled[SHEET_POOLS])
{
    static const enum VmafPoolingMethod methods[SHEET_POOLS] = { VMAF_POOL_METHOD_MIN,
                                                                 VMAF_POOL_METHOD_MAX,
                                                                 VMAF_POOL_METHOD_MEAN,
                                                                 VMAF_POOL_METHOD_HARMONIC_MEAN };
    const size_t step = sheet->report->subsample > 1 ? sheet->report->subsample : 1;
    Pooling pool = { 0 };
    for (size_t i = 0; i < sheet->report->frames; i += step) {
        if (!sheet_has(column, i))
            return false;
        pooling_add(&pool, column->scores.values[i]);
    }
    for (unsigned i = 0; i < SHEET_POOLS; i++)
        if (pooling_result(&pool, methods[i], &pooled[i]))
            return false;
    return true;
}

const char *sheet_partial(const Sheet *sheet)
{
    return sheet->report->notes ? sheet->report->notes->partial : NULL;
}

bool sheet_has_details(const Sheet *sheet)
{
    return sheet->report->notes && sheet->report->notes->details;
}

bool sheet_lists_backends(const Sheet *sheet)
{
    const Report *const report = sheet->report;
    for (size_t i = 0; i < report->feature_count; i++)
        if (report->features[i].backend && strcmp(report->features[i].backend, "cpu"))
            return true;
    return report->notes && report->notes->places && report->feature_count;
}

const char *sheet_time(char text[SHEET_TIME_SIZE], const ReportFeature *feature)
{
    text_print_double(text, SHEET_TIME_SIZE, "%.2f", feature->device_us);
    return text;
}

/* The reference's rule: counts how often the fraction must be multiplied by ten to reach one. */
static bool takes_six_decimals(double value)
{
    double fraction = fabs(value) - floor(fabs(value));
    unsigned steps = 0;
    while (fraction > 0.0 && fraction < 1.0 && steps <= 6) {
        fraction *= 10.0;
        steps++;
    }
    return steps <= 6;
}

void sheet_put_number(FILE *file, const Sheet *sheet, double value)
{
    const char *const own = sheet->report->score_format;
    const bool six = !own && takes_six_decimals(value);
    char text[512];
    if (!six || !fixed_print(text, value))
        text_print_double(text, sizeof(text), own ? own : six ? "%.6f" : "%.16f", value);
    fputs(text, file);
}

void sheet_put_json_number(FILE *file, const Sheet *sheet, double value)
{
    if (isfinite(value))
        sheet_put_number(file, sheet, value);
    else
        fputs("null", file);
}
