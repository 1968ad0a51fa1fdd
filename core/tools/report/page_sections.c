/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/text.h"

/* ---- the main scores ---- */

static void put_figure(FILE *file, const char *name, double value)
{
    char text[FIGURE_TEXT_SIZE];
    fprintf(file, "<div><dt>%s</dt><dd>%s</dd></div>", name, figure_text(text, value));
}

static void put_model(FILE *file, const StoredReport *report, const StoredMetric *metric)
{
    VmafStatistics all;
    const VmafStatistics *const figures =
        stored_figures(report, metric, &all) ? &metric->figures : &all;
    char text[FIGURE_TEXT_SIZE], other[FIGURE_TEXT_SIZE];
    double low, high;
    fputs("<p class=score><b>", file);
    fputs(figure_text(text, stored_score(report, metric)), file);
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
    const double lasts = stored_duration(report);
    char text[TIME_TEXT_SIZE];
    fputs("<p class=size>", file);
    if (report->width && report->height)
        fprintf(file, "%u×%u, ", report->width, report->height);
    fprintf(file, "%zu frame%s", report->frame_count, report->frame_count == 1 ? "" : "s");
    if (isfinite(lasts))
        fprintf(file, ", %s", time_text(text, lasts));
    fputs("</p>", file);
}

static void put_reference(FILE *file, const StoredReport *report)
{
    const char *const reference = report->input[SIDE_REF].path;
    if (!reference)
        return;
    fputs("<p>compared with ", file);
    put_html(file, reference);
    fputs("</p>", file);
}

/* own_reference: other cards have other references. */
static void put_card(FILE *file, const StoredReport *report, size_t i, bool own_reference)
{
    const StoredMetric *const headline = stored_headline(report);
    const char *const incomplete = stored_incomplete(report);
    fprintf(file, "<article class=\"card %s%s\"><h2>", page_colour(i),
            incomplete ? " incomplete" : "");
    put_html(file, stored_title(report));
    fputs("</h2>", file);
    if (own_reference)
        put_reference(file, report);
    if (incomplete) {
        fputs("<p class=warn>Incomplete: ", file);
        put_html(file, incomplete);
        fputs("</p>", file);
    }
    page_put_marks(file, report);
    if (stored_has_scores(headline))
        put_model(file, report, headline);
    for (size_t m = 0; m < report->model_count; m++) {
        const StoredMetric *const metric = stored_model_metric(report, &report->models[m]);
        if (metric && metric != headline && metric->figures.size)
            put_model(file, report, metric);
    }
    put_size(file, report);
    fputs("</article>\n", file);
}

static bool same_references(const Page *page)
{
    const char *const first = page->reports[0]->input[SIDE_REF].path;
    for (size_t i = 1; i < page->count; i++) {
        const char *const other = page->reports[i]->input[SIDE_REF].path;
        if (!first != !other || (first && strcmp(first, other) != 0))
            return false;
    }
    return true;
}

void page_put_head(FILE *file, const Page *page)
{
    const bool same = same_references(page);
    fputs("<header><h1>Video quality</h1>", file);
    if (same)
        put_reference(file, page->reports[0]);
    fputs("</header>\n<main class=cards>", file);
    for (size_t i = 0; i < page->count; i++)
        put_card(file, page->reports[i], i, !same);
    fputs("</main>\n", file);
}

/* ---- pooled scores ---- */

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
                    const VmafStatistics *f, bool intervals)
{
    const double cells[] = { f->mean,           f->harmonic_mean, f->min,
                             f->percentile[1],  f->percentile[5], f->percentile[10],
                             f->percentile[50], f->max,           f->stddev };
    char text[FIGURE_TEXT_SIZE], other[FIGURE_TEXT_SIZE];
    double low, high;
    if (metric->count < report->frame_count)
        fprintf(file,
                stored_is_infinite(metric->name)
                    ? " <small>%zu frames differ from the reference</small>"
                    : " <small>%zu frames</small>",
                metric->count);
    for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++)
        fprintf(file, "<td>%s", figure_text(text, cells[i]));
    if (intervals && stored_interval(report, metric, &low, &high))
        fprintf(file, "<td>%s … %s", figure_text(text, low), figure_text(other, high));
    else if (intervals)
        fputs("<td>", file);
}

static void put_row_name(FILE *file, const Page *page, const char *name, size_t video)
{
    fprintf(file, "<tr data-video=%zu><th>", video);
    put_metric(file, name);
    if (page->count > 1) {
        fprintf(file, " <small class=\"%s\"><i></i>", page_colour(video));
        put_html(file, stored_title(page->reports[video]));
        fputs("</small>", file);
    }
}

/* The figure that the extractor gave for the whole video. */
static void put_clip_row(FILE *file, const Page *page, const StoredClip *clip, size_t video,
                         bool intervals)
{
    char text[FIGURE_TEXT_SIZE];
    put_row_name(file, page, clip->name, video);
    fprintf(file, " <small>of the whole video</small><td>%s<td colspan=%d></tr>\n",
            figure_text(text, clip->value), intervals ? 9 : 8);
}

void pooled_rows(FILE *file, const Page *page, const char *name, bool intervals)
{
    for (size_t i = 0; i < page->count; i++) {
        const StoredMetric *const metric = stored_find(page->reports[i], name);
        VmafStatistics figures;
        if (!metric || stored_figures(page->reports[i], metric, &figures) || !figures.size)
            continue;
        put_row_name(file, page, name, i);
        put_row(file, page->reports[i], metric, &figures, intervals);
        fputs("</tr>\n", file);
        const StoredClip *const clip = stored_clip_figure(page->reports[i], metric);
        if (clip)
            put_clip_row(file, page, clip, i, intervals);
    }
}

/* ---- worst frames ---- */

static void put_picture(FILE *file, const Png *png, const char *side, unsigned number)
{
    fprintf(file, "<img class=%s alt=\"%s frame %u\" src=\"data:image/png;base64,", side, side,
            number);
    put_base64(file, png->data, png->size);
    fputs("\">", file);
}

/* Writes the maps of a frame. The page shows one of them at a time, over the pictures. */
static void put_maps(FILE *file, const PageMaps *maps, unsigned number)
{
    char score[FIGURE_TEXT_SIZE];
    for (unsigned i = 0; i < maps->count; i++) {
        const PageMap *const map = &maps->map[i];
        fputs("<img class=map hidden data-map=\"", file);
        put_html(file, map->metric);
        fputs("\" alt=\"map of ", file);
        put_html(file, map->metric);
        fprintf(file, ", frame %u\" data-score=\"%s\" src=\"data:image/png;base64,", number,
                figure_text(score, map->score));
        put_base64(file, map->png.data, map->png.size);
        fputs("\">", file);
    }
}

/* Writes the two pictures of a frame, if there are any. */
static void put_pair(FILE *file, const PageWorst *worst, unsigned i, unsigned number)
{
    const Png *const ref = &worst->pictures[i][SIDE_REF];
    const Png *const dist = &worst->pictures[i][SIDE_DIST];
    if (!ref->data || !dist->data)
        return;
    fputs("<div class=pair>", file);
    put_picture(file, ref, "reference", number);
    put_picture(file, dist, "distorted", number);
    put_maps(file, &worst->maps[i], number);
    fprintf(file,
            "<input type=range min=0 max=100 value=50 aria-label=\"frame %u: how much of the "
            "reference is shown, in percent\">",
            number);
    fputs("<span class=left>reference</span><span class=right>distorted</span>"
          "<button type=button class=enlarge aria-label=\"enlarge\" "
          "aria-pressed=false title=\"larger, smaller\">⤢</button></div>",
          file);
}

static void put_frame(FILE *file, const StoredReport *report, const PageWorst *worst, unsigned i)
{
    const StoredMetric *const metric = stored_headline(report);
    const unsigned number = report->numbers[worst->frames[i]];
    const double time = stored_time(report, worst->frames[i]);
    char text[TIME_TEXT_SIZE], score[FIGURE_TEXT_SIZE];
    fprintf(file, "<figure data-frame=%u>", number);
    put_pair(file, worst, i, number);
    fprintf(file, "<figcaption><a href=\"#frame=%u\">frame %u</a>", number, number);
    if (isfinite(time))
        fprintf(file, " <span>%s</span>", time_text(text, time));
    if (worst->maps[i].count)
        fputs(" <span class=mapped></span>", file);
    fprintf(file, " <b>%s</b></figcaption></figure>\n",
            figure_text(score, metric->values[worst->frames[i]]));
}

static void put_video_title(FILE *file, const Page *page, size_t i)
{
    if (page->count < 2)
        return;
    fprintf(file, "<h3 class=\"%s\"><i></i>", page_colour(i));
    put_html(file, stored_title(page->reports[i]));
    fputs("</h3>", file);
}

/* Writes why pictures are missing. Returns the number of frames with pictures. */
static unsigned put_missing(FILE *file, const PageWorst *worst)
{
    unsigned pictures = 0;
    for (unsigned w = 0; w < worst->count; w++)
        pictures += worst->pictures[w][SIDE_REF].data && worst->pictures[w][SIDE_DIST].data;
    if (worst->why[0]) {
        fputs("<p class=hint>No pictures: ", file);
        put_html(file, worst->why);
        fputs(".</p>", file);
    } else if (pictures < worst->count) {
        fprintf(file,
                "<p class=hint>Pictures of %u of these %u frames: all pictures of a page share "
                "8 MB.</p>",
                pictures, worst->count);
    }
    return pictures;
}

static void put_worst_frames(FILE *file, const Page *page, size_t i)
{
    const PageWorst *const worst = &page->worst[i];
    put_video_title(file, page, i);
    const unsigned pictures = put_missing(file, worst);
    fprintf(file, "<div class=\"worst%s\">\n", pictures ? "" : " bare");
    for (unsigned w = 0; w < worst->count; w++)
        put_frame(file, page->reports[i], worst, w);
    fputs("</div>\n", file);
}

/* True if an earlier frame has a map of this metric, too. */
static bool is_repeated(const Page *page, size_t report, unsigned frame, const char *metric)
{
    for (size_t i = 0; i <= report; i++)
        for (unsigned w = 0; w < (i < report ? page->worst[i].count : frame); w++)
            for (unsigned m = 0; m < page->worst[i].maps[w].count; m++)
                if (!strcmp(page->worst[i].maps[w].map[m].metric, metric))
                    return true;
    return false;
}

/* Writes the choice of a map, with the ends of its scale for page.js. */
static void put_map_choice(FILE *file, const PageMap *map)
{
    char best[HEAT_VALUE_SIZE], worst[HEAT_VALUE_SIZE];
    fputs("<option value=\"", file);
    put_html(file, map->metric);
    fprintf(file, "\" data-best=\"%s\" data-worst=\"%s\">",
            heat_value(best, map->scale.best, map->scale.unit),
            heat_value(worst, map->scale.worst, map->scale.unit));
    put_html(file, map->metric);
    fputs("</option>", file);
}

/* Writes the switch between maps, their opacity and the scale of their colours. Nothing if there
 * are no maps. */
static void put_map_tools(FILE *file, const Page *page)
{
    bool any = false;
    char gradient[HEAT_GRADIENT_SIZE];
    heat_gradient(gradient);
    for (size_t i = 0; i < page->count; i++)
        for (unsigned w = 0; w < page->worst[i].count; w++)
            for (unsigned m = 0; m < page->worst[i].maps[w].count; m++) {
                const PageMap *const map = &page->worst[i].maps[w].map[m];
                if (is_repeated(page, i, w, map->metric))
                    continue;
                if (!any)
                    fputs(
                        "<div class=maps><label>map <select id=map><option value=\"\">none</option>",
                        file);
                any = true;
                put_map_choice(file, map);
            }
    if (any)
        fprintf(file,
                "</select></label><label>opacity <input id=opacity type=range min=0 max=100 "
                "value=70></label><span class=scale hidden><span id=best></span>"
                "<i style=\"background:%s\"></i><span id=lost></span>"
                "<small>grey: not part of the score</small></span></div>\n",
                gradient);
}

void page_put_worst(FILE *file, const Page *page)
{
    fputs(
        "<section id=worst><h2>Worst frames</h2>\n<p class=hint>The lowest scores, at most one in each second if "
        "there are enough seconds. Move the pointer over a picture to compare it with the reference.</p>\n",
        file);
    put_map_tools(file, page);
    for (size_t i = 0; i < page->count; i++)
        put_worst_frames(file, page, i);
    fputs("</section>\n", file);
}

/* ---- shots ---- */

static void put_shot(FILE *file, const StoredReport *report, const PageShots *shots, unsigned i)
{
    const ShotScore *const score = &shots->worst[i];
    const unsigned number = report->numbers[score->worst];
    char text[TIME_TEXT_SIZE], mean[FIGURE_TEXT_SIZE];
    fprintf(file, "<figure data-frame=%u>", number);
    put_pair(file, &shots->lowest, i, number);
    fprintf(file, "<figcaption><a href=\"#frame=%u\">frames %u to %u</a>", number,
            score->shot->first, score->shot->last);
    if (isfinite(score->shot->begin))
        fprintf(file, " <span>%s</span>", time_text(text, score->shot->begin));
    fprintf(file, " <b>%s</b></figcaption></figure>\n", figure_text(mean, score->mean));
}

static void put_shot_row(FILE *file, const PageShots *shots, const StoredReport *report, size_t i)
{
    const ShotSpan *const shot = &shots->spans.at[i];
    const ShotScore score = shot_score(shot, shots->scores);
    char text[TIME_TEXT_SIZE], mean[FIGURE_TEXT_SIZE], p5[FIGURE_TEXT_SIZE], min[FIGURE_TEXT_SIZE];
    fprintf(file,
            "<tr><th><a href=\"#frame=%u\">%zu</a><td>%s<td>%u<td>%u<td>%s<td>%s<td>%s</tr>\n",
            report->numbers[score.worst], i + 1,
            isfinite(shot->begin) ? time_text(text, shot->begin) : "–", shot->first, shot->last,
            figure_text(mean, score.mean), figure_text(p5, score.p5), figure_text(min, score.min));
}

static void put_shots(FILE *file, const Page *page, size_t i)
{
    const PageShots *const shots = &page->shots[i];
    const StoredReport *const report = page->reports[i];
    if (!shots->spans.count)
        return;
    put_video_title(file, page, i);
    const unsigned pictures = put_missing(file, &shots->lowest);
    fprintf(file, "<div class=\"worst%s\">\n", pictures ? "" : " bare");
    for (unsigned w = 0; w < shots->lowest.count; w++)
        put_shot(file, report, shots, w);
    fprintf(
        file,
        "</div>\n<details><summary>All shots: %zu</summary><div class=wide><table><thead><tr>"
        "<th>shot<th>begins at<th>first frame<th>last<th>mean<th>p5<th>min</tr></thead><tbody>\n",
        shots->spans.count);
    for (size_t n = 0; n < shots->spans.count; n++)
        put_shot_row(file, shots, report, n);
    fputs("</tbody></table></div></details>\n", file);
}

void page_put_shots(FILE *file, const Page *page)
{
    bool any = false;
    for (size_t i = 0; i < page->count; i++)
        any = any || page->shots[i].spans.count;
    if (!any)
        return;
    fputs(
        "<section id=shots><h2>Worst shots</h2>\n<p class=hint>The shots with the lowest mean, each with "
        "its lowest frame. In the curves above, every second shot is shaded.</p>\n",
        file);
    for (size_t i = 0; i < page->count; i++)
        put_shots(file, page, i);
    fputs("</section>\n", file);
}

/* ---- how it was computed ---- */

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
    put_remark(file, "changes", input->filters);
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
        fputs("</small>", file);
        put_remark(file, "set up", report->models[i].note);
        fputs("</dd>", file);
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

static void put_origin(FILE *file, const Page *page, size_t i)
{
    const StoredReport *const report = page->reports[i];
    fprintf(file, "<details%s><summary class=\"%s\"><i></i>", page->count == 1 ? " open" : "",
            page_colour(i));
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
        put_field(file, "note", "this report has no further details");
    fputs("</dl></details>\n", file);
}

void page_put_origin(FILE *file, const Page *page)
{
    fputs("<section id=origin><h2>How it was computed</h2>\n", file);
    for (size_t i = 0; i < page->count; i++)
        put_origin(file, page, i);
    fputs("</section>\n", file);
}
