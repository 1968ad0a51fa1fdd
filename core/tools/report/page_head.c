/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "report/page_parts.h"
#include "report/text.h"

static void put_figure(FILE *file, const char *name, double value)
{
    char text[FIGURE_TEXT_SIZE];
    fprintf(file, "<div><dt>%s</dt><dd>%s</dd></div>", name, figure_text(text, value));
}

static void put_model(FILE *file, const StoredReport *report, const StoredMetric *metric)
{
    const VmafStatistics *const figures = &metric->figures;
    char text[FIGURE_TEXT_SIZE], other[FIGURE_TEXT_SIZE];
    double low, high;
    fputs("<p class=score><b>", file);
    fputs(figure_text(text, figures->mean), file);
    fputs("</b> ", file);
    put_html(file, metric->name);
    if (stored_interval(report, metric, &low, &high))
        fprintf(file, " <small>95%% between %s and %s</small>", figure_text(text, low),
                figure_text(other, high));
    fputs("</p><dl>", file);
    put_figure(file, "harmonic mean", figures->harmonic_mean);
    put_figure(file, "p1", figures->percentile[1]);
    put_figure(file, "p5", figures->percentile[5]);
    put_figure(file, "min", figures->min);
    fputs("</dl>", file);
}

/* `640x360, 1234 frames, 0:00:49.360` */
static void put_size(FILE *file, const StoredReport *report)
{
    const double rate = stored_rate(report);
    char text[TIME_TEXT_SIZE];
    fputs("<p class=size>", file);
    if (report->width && report->height)
        fprintf(file, "%u×%u, ", report->width, report->height);
    fprintf(file, "%zu frame%s", report->frame_count, report->frame_count == 1 ? "" : "s");
    if (rate > 0.0)
        fprintf(file, ", %s", time_text(text, report->numbers[report->frame_count - 1] + 1, rate));
    fputs("</p>", file);
}

static void put_card(FILE *file, const StoredReport *report, size_t i)
{
    const StoredMetric *const headline = stored_headline(report);
    fprintf(file, "<article class=\"card c%zu\"><h2>", i % 8);
    put_html(file, stored_title(report));
    fputs("</h2>", file);
    if (report->partial) {
        fputs("<p class=warn>Not all of it: ", file);
        put_html(file, report->partial);
        fputs("</p>", file);
    }
    if (headline->figures.size)
        put_model(file, report, headline);
    for (size_t m = 0; m < report->model_count; m++) {
        const StoredMetric *const metric = stored_model_metric(report, &report->models[m]);
        if (metric && metric != headline && metric->figures.size)
            put_model(file, report, metric);
    }
    put_size(file, report);
    fputs("</article>\n", file);
}

void page_put_head(FILE *file, const Page *page)
{
    const char *const reference = page->reports[0]->input[SIDE_REF].path;
    fputs("<header><h1>Video quality</h1>", file);
    if (reference) {
        fputs("<p>against ", file);
        put_html(file, reference);
        fputs("</p>", file);
    }
    fputs("</header>\n<main class=cards>", file);
    for (size_t i = 0; i < page->count; i++)
        put_card(file, page->reports[i], i);
    fputs("</main>\n", file);
}
