/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/page_parts.h"
#include "report/text.h"

void pooled_begin(FILE *file, bool intervals)
{
    fprintf(
        file,
        "<div class=wide><table><thead><tr><th>metric<th>mean<th>harmonic<th>min<th>p1<th>p5<th>p10"
        "<th>median<th>max<th>deviation%s</tr></thead><tbody>\n",
        intervals ? "<th>95% interval" : "");
}

void pooled_end(FILE *file)
{
    fputs("</tbody></table></div>\n", file);
}

static void put_row(FILE *file, const StoredReport *report, const StoredMetric *metric,
                    bool intervals)
{
    const VmafStatistics *const f = &metric->figures;
    const double cells[] = { f->mean,           f->harmonic_mean, f->min,
                             f->percentile[1],  f->percentile[5], f->percentile[10],
                             f->percentile[50], f->max,           f->stddev };
    char text[FIGURE_TEXT_SIZE], other[FIGURE_TEXT_SIZE];
    double low, high;
    if (metric->count < report->frame_count)
        fprintf(file, " <small>%zu frames</small>", metric->count);
    for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++)
        fprintf(file, "<td>%s", figure_text(text, cells[i]));
    if (intervals && stored_interval(report, metric, &low, &high))
        fprintf(file, "<td>%s … %s", figure_text(text, low), figure_text(other, high));
    else if (intervals)
        fputs("<td>", file);
}

void pooled_rows(FILE *file, const Page *page, const char *name, bool intervals)
{
    for (size_t i = 0; i < page->count; i++) {
        const StoredMetric *const metric = stored_find(page->reports[i], name);
        if (!metric || !metric->figures.size)
            continue;
        fprintf(file, "<tr data-video=%zu><th>", i);
        put_html(file, name);
        if (page->count > 1) {
            fprintf(file, " <small class=c%zu><i></i>", i % 8);
            put_html(file, stored_title(page->reports[i]));
            fputs("</small>", file);
        }
        put_row(file, page->reports[i], metric, intervals);
        fputs("</tr>\n", file);
    }
}
