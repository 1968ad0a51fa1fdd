/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <inttypes.h>
#include <math.h>

#include "report/page_parts.h"
#include "report/text.h"

static void put_field(FILE *file, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    fprintf(file, "<dt>%s</dt><dd>", name);
    put_html(file, text);
    fputs("</dd>", file);
}

static void put_remark(FILE *file, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(file, "<br><small>%s: ", name);
    put_html(file, text);
    fputs("</small>", file);
}

static void put_input(FILE *file, const char *name, const StoredInput *input)
{
    if (!input->path)
        return;
    fprintf(file, "<dt>%s</dt><dd>", name);
    put_html(file, input->path);
    fprintf(file, "<br><small>%u×%u, %u bit", input->width, input->height, input->bitdepth);
    if (input->pixel_format) {
        fputs(", ", file);
        put_html(file, input->pixel_format);
    }
    if (input->rate_num && input->rate_den)
        fprintf(file, ", %.4g frames a second", (double)input->rate_num / input->rate_den);
    if (input->frames)
        fprintf(file, ", %" PRIu64 " frames", input->frames);
    if (input->skipped)
        fprintf(file, ", %" PRIu64 " skipped", input->skipped);
    if (input->kind) {
        fputs(", read as ", file);
        put_html(file, input->kind);
    }
    fputs("</small>", file);
    put_remark(file, "done to it", input->filters);
    put_remark(file, "beware", input->warnings);
    put_remark(file, "frames paired", input->pairing);
    fputs("</dd>", file);
}

static void put_models(FILE *file, const StoredReport *report)
{
    for (size_t i = 0; i < report->model_count; i++) {
        fputs("<dt>model</dt><dd>", file);
        put_html(file, report->models[i].source);
        fputs(" <small>as ", file);
        put_html(file, report->models[i].metric);
        if (report->models[i].members)
            fprintf(file, ", %u models", report->models[i].members);
        fputs("</small></dd>", file);
    }
}

static void put_features(FILE *file, const StoredReport *report)
{
    if (!report->feature_count)
        return;
    fputs(
        "<dt>features</dt><dd><div class=wide><table><thead><tr><th>feature<th>options<th>ran on</tr></thead>"
        "<tbody>",
        file);
    for (size_t i = 0; i < report->feature_count; i++) {
        const StoredFeature *const feature = &report->features[i];
        fputs("<tr><th>", file);
        put_html(file, feature->extractor);
        fputs("<td class=text>", file);
        put_html(file, feature->options);
        fputs("<td class=text>", file);
        put_html(file, feature->backend);
        if (feature->device || feature->instruction_set) {
            fputs(": ", file);
            put_html(file, feature->device ? feature->device : feature->instruction_set);
        }
        fputs("</tr>", file);
    }
    fputs("</tbody></table></div></dd>", file);
}

static void put_options(FILE *file, const StoredReport *report)
{
    if (!report->option_count)
        return;
    fputs("<dt>options</dt><dd><code>", file);
    for (size_t i = 0; i < report->option_count; i++) {
        fprintf(file, "%s--", i ? " " : "");
        put_html(file, report->options[i].name);
        if (report->options[i].value) {
            fputc(' ', file);
            put_html(file, report->options[i].value);
        }
    }
    fputs("</code></dd>", file);
}

static void put_speed(FILE *file, const StoredReport *report)
{
    if (!isfinite(report->fps))
        return;
    fprintf(file, "<dt>speed</dt><dd>%.1f frames a second", report->fps);
    if (isfinite(report->elapsed))
        fprintf(file, ", %.2f seconds", report->elapsed);
    if (report->threads)
        fprintf(file, ", %u thread%s", report->threads, report->threads == 1 ? "" : "s");
    fputs("</dd>", file);
}

static void put_report(FILE *file, const Page *page, size_t i)
{
    const StoredReport *const report = page->reports[i];
    fprintf(file, "<details%s><summary class=c%zu><i></i>", page->count == 1 ? " open" : "", i % 8);
    put_html(file, stored_title(report));
    fputs("</summary><dl class=origin>", file);
    put_field(file, report->detailed ? "vmaf-turbo" : "libvmaf", report->version);
    put_input(file, "reference", &report->input[SIDE_REF]);
    put_input(file, "distorted", &report->input[SIDE_DIST]);
    put_models(file, report);
    put_features(file, report);
    put_options(file, report);
    put_speed(file, report);
    if (!report->detailed)
        put_field(file, "note", "this report does not tell more about itself");
    fputs("</dl></details>\n", file);
}

void page_put_origin(FILE *file, const Page *page)
{
    fputs("<section id=origin><h2>How it was computed</h2>\n", file);
    for (size_t i = 0; i < page->count; i++)
        put_report(file, page, i);
    fputs("</section>\n", file);
}
