/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "report/text.h"

/* ---- warnings ---- */

static const char *input_name(unsigned side)
{
    static const char *const names[SIDES + 1] = { "reference", "distorted", "the run" };
    return names[side];
}

/* Writes `interlacing_unknown` as `interlacing unknown`. */
static void put_code(FILE *file, const char *code)
{
    char text[64];
    snprintf(text, sizeof(text), "%s", code);
    for (char *at = text; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    put_html(file, text);
}

static bool is_first_of_kind(const StoredReport *report, size_t w)
{
    for (size_t i = 0; i < w; i++)
        if (!strcmp(report->warnings[i].code, report->warnings[w].code))
            return false;
    return true;
}

void page_put_marks(FILE *file, const StoredReport *report)
{
    if (!report->warning_count && !stored_incomplete(report))
        return;
    fputs("<p class=marks>", file);
    if (stored_incomplete(report))
        fputs("<span class=mark data-code=incomplete>⚠ incomplete</span> ", file);
    for (size_t w = 0; w < report->warning_count; w++) {
        const StoredWarning *const warning = &report->warnings[w];
        if (!is_first_of_kind(report, w))
            continue;
        fputs("<a class=mark href=\"#warnings\" data-code=\"", file);
        put_html(file, warning->code);
        fputs("\" title=\"", file);
        put_html(file, warning->text);
        fputs("\">⚠ ", file);
        put_code(file, warning->code);
        fputs("</a> ", file);
    }
    fputs("</p>", file);
}

static void put_video(FILE *file, const Page *page, size_t i)
{
    fprintf(file, "<th scope=row><span class=\"%s\"><i></i></span>", page_colour(i));
    put_html(file, stored_title(page->reports[i]));
}

void page_put_warnings(FILE *file, const Page *page)
{
    size_t count = 0;
    for (size_t i = 0; i < page->count; i++)
        count += page->reports[i]->warning_count + (stored_incomplete(page->reports[i]) != NULL);
    if (!count)
        return;
    fputs(
        "<section id=warnings><h2>Warnings</h2>\n<div class=wide><table><thead><tr><th>video<th class=word>about<th "
        "class=word>warning<th class=text>what to know</tr></thead><tbody>\n",
        file);
    for (size_t i = 0; i < page->count; i++) {
        const StoredReport *const report = page->reports[i];
        if (stored_incomplete(report)) {
            fprintf(file, "<tr data-video=%zu>", i);
            put_video(file, page, i);
            fputs("<td class=word>the run<td class=word>incomplete<td class=text>", file);
            put_html(file, stored_incomplete(report));
            fputs("</tr>\n", file);
        }
        for (size_t w = 0; w < report->warning_count; w++) {
            fprintf(file, "<tr data-video=%zu>", i);
            put_video(file, page, i);
            fprintf(file, "<td class=word>%s<td class=word>", input_name(report->warnings[w].side));
            put_code(file, report->warnings[w].code);
            fputs("<td class=text>", file);
            put_html(file, report->warnings[w].text);
            fputs("</tr>\n", file);
        }
    }
    fputs("</tbody></table></div></section>\n", file);
}

/* ---- the ranking ---- */

/* Writes a number with a unit: `1.25 MB`. 0 counts as unknown. */
static void put_quantity(FILE *file, double value, const char *unit)
{
    static const char *const prefixes[] = { "", "k", "M", "G", "T" };
    unsigned at = 0;
    for (; value >= 999.5 && at < 4; at++)
        value /= 1000.0;
    if (value > 0.0)
        fprintf(file,
                value < 9.995   ? "<td>%.2f %s%s"
                : value < 99.95 ? "<td>%.1f %s%s"
                                : "<td>%.0f %s%s",
                value, prefixes[at], unit);
    else
        fputs("<td>–", file);
}

/* The order of the videos: complete runs first, then by score. */
static bool is_better(const StoredReport *a, const StoredReport *b)
{
    const bool broken_a = stored_incomplete(a), broken_b = stored_incomplete(b);
    const StoredMetric *const x = stored_headline(a), *const y = stored_headline(b);
    if (broken_a != broken_b)
        return broken_b;
    const double first = stored_score(a, x), second = stored_score(b, y);
    return first > second || (!isnan(first) && isnan(second));
}

static void rank(size_t *order, const Page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        size_t at = i;
        for (; at && is_better(page->reports[i], page->reports[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void put_rank(FILE *file, const Page *page, size_t i)
{
    const StoredReport *const report = page->reports[i];
    const StoredInput *const input = &report->input[SIDE_DIST];
    const StoredMetric *const headline = stored_headline(report);
    char score[FIGURE_TEXT_SIZE], low[FIGURE_TEXT_SIZE];
    fprintf(file, "<tr data-video=%zu>", i);
    put_video(file, page, i);
    VmafStatistics figures;
    if (!stored_figures(report, headline, &figures) && figures.size)
        fprintf(file, "<td><b>%s</b><td>%s", figure_text(score, stored_score(report, headline)),
                figure_text(low, figures.percentile[5]));
    else
        fputs("<td>–<td>–", file);
    fputs("<td class=word>", file);
    put_html(file, input->codec ? input->codec : input->kind ? input->kind : "–");
    if (input->width && input->height)
        fprintf(file, "<td>%u×%u", input->width, input->height);
    else
        fputs("<td>–", file);
    put_quantity(file, (double)input->bytes, "B");
    put_quantity(file, stored_bit_rate(input), "bit/s");
    fprintf(file, "<td>%zu", report->frame_count);
    fputs("<td class=word>", file);
    page_put_marks(file, report);
    fputs("</tr>\n", file);
}

void page_put_ranking(FILE *file, const Page *page)
{
    size_t order[HTML_REPORTS_MAX];
    if (page->count < 2 || page->count > HTML_REPORTS_MAX)
        return;
    rank(order, page);
    fputs("<section id=ranking><h2>Ranking</h2>\n<div class=wide><table><thead><tr><th>video<th>",
          file);
    put_html(file, stored_headline(page->reports[order[0]])->name);
    fputs("<th>p5<th class=word>codec<th>size<th>file<th>bit rate<th>frames<th "
          "class=word>warnings</tr></thead><tbody>\n",
          file);
    for (size_t i = 0; i < page->count; i++)
        put_rank(file, page, order[i]);
    fputs("</tbody></table></div></section>\n", file);
}
