/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/page_parts.h"
#include "report/text.h"

static void put_picture(FILE *file, const Png *png, const char *side)
{
    fprintf(file, "<img class=%s alt=\"the %s frame\" src=\"data:image/png;base64,", side, side);
    put_base64(file, png->data, png->size);
    fputs("\">", file);
}

static void put_frame(FILE *file, const StoredReport *report, const PageWorst *worst, unsigned i)
{
    const StoredMetric *const metric = stored_headline(report);
    const unsigned number = report->numbers[worst->frames[i]];
    const double rate = stored_rate(report);
    const Png *const ref = &worst->pictures[i][SIDE_REF], *const dist =
                                                              &worst->pictures[i][SIDE_DIST];
    char text[TIME_TEXT_SIZE], score[FIGURE_TEXT_SIZE];
    fprintf(file, "<figure data-frame=%u>", number);
    if (ref->data && dist->data) {
        fputs("<div class=pair>", file);
        put_picture(file, ref, "reference");
        put_picture(file, dist, "distorted");
        fputs("<input type=range min=0 max=1000 value=500 "
              "aria-label=\"reference to the left, distorted to the right\">"
              "<span class=left>reference</span><span class=right>distorted</span>"
              "<button type=button class=enlarge title=\"larger, smaller\">⤢</button></div>",
              file);
    }
    fprintf(file, "<figcaption><a href=\"#frame=%u\">frame %u</a>", number, number);
    if (rate > 0.0)
        fprintf(file, " <span>%s</span>", time_text(text, number, rate));
    fprintf(file, " <b>%s</b></figcaption></figure>\n",
            figure_text(score, metric->values[worst->frames[i]]));
}

static void put_report(FILE *file, const Page *page, size_t i)
{
    const StoredReport *const report = page->reports[i];
    const PageWorst *const worst = &page->worst[i];
    bool pictures = false;
    for (unsigned w = 0; w < worst->count; w++)
        pictures =
            pictures || (worst->pictures[w][SIDE_REF].data && worst->pictures[w][SIDE_DIST].data);
    if (page->count > 1) {
        fprintf(file, "<h3 class=c%zu><i></i>", i % 8);
        put_html(file, stored_title(report));
        fputs("</h3>", file);
    }
    if (worst->why[0]) {
        fputs("<p class=hint>No pictures: ", file);
        put_html(file, worst->why);
        fputs(".</p>", file);
    }
    fprintf(file, "<div class=\"worst%s\">\n", pictures ? "" : " bare");
    for (unsigned w = 0; w < worst->count; w++)
        put_frame(file, report, worst, w);
    fputs("</div>\n", file);
}

void page_put_worst(FILE *file, const Page *page)
{
    fputs(
        "<section id=worst><h2>Worst frames</h2>\n<p class=hint>The lowest scores, not two within a second "
        "while there are enough seconds. Move over a picture to see the reference beside it.</p>\n",
        file);
    for (size_t i = 0; i < page->count; i++)
        put_report(file, page, i);
    fputs("</section>\n", file);
}
