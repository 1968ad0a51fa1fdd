/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memfile.h"
#include "common/message.h"
#include "report/chart.h"
#include "page.h"
#include "report/save.h"
#include "report/series.h"
#include "report/text.h"

enum Group { GROUP_MODEL, GROUP_FEATURE, GROUP_MEMBER, GROUPS };

/* A metric of the page. */
typedef struct PageMetric {
    const char *name;
    enum Group group;
} PageMetric;

typedef struct Layout {
    const Page *page;
    PageMetric *metrics; /* each name once: models first, members of collections last */
    unsigned metric_count;
    double first, last; /* frames of all reports */
    Clock clock;
} Layout;

static bool is_model(const StoredReport *report, const StoredMetric *metric)
{
    return stored_is_model(report, metric) || metric == stored_headline(report);
}

static void add_metrics(Layout *layout, const StoredReport *report, enum Group group)
{
    for (size_t i = 0; i < report->metric_count; i++) {
        const StoredMetric *const metric = &report->metrics[i];
        const enum Group its_group = is_model(report, metric)           ? GROUP_MODEL
                                     : stored_is_member(report, metric) ? GROUP_MEMBER
                                                                        : GROUP_FEATURE;
        bool there = its_group != group || !stored_has_scores(metric);
        for (unsigned m = 0; !there && m < layout->metric_count; m++)
            there = !strcmp(layout->metrics[m].name, metric->name);
        if (!there)
            layout->metrics[layout->metric_count++] = (PageMetric){ metric->name, group };
    }
}

static int layout_make(Layout *layout, const Page *page)
{
    size_t most = 1;
    *layout = (Layout){ .page = page, .first = INFINITY, .last = -INFINITY };
    for (size_t i = 0; i < page->count; i++)
        most += page->reports[i]->metric_count;
    layout->metrics = calloc(most, sizeof(*layout->metrics));
    if (!layout->metrics)
        return -ENOMEM;
    for (enum Group group = 0; group < GROUPS; group++)
        for (size_t i = 0; i < page->count; i++)
            add_metrics(layout, page->reports[i], group);
    for (size_t i = 0; i < page->count; i++) {
        const StoredReport *const report = page->reports[i];
        layout->first = fmin(layout->first, report->numbers[0]);
        layout->last = fmax(layout->last, report->numbers[report->frame_count - 1]);
    }
    layout->clock = clock_make(page->reports, page->count);
    return 0;
}

/* The shots that charts show: all videos of a page have the same reference, or none is better. */
static const ShotSpans *shots_of(const Page *page)
{
    size_t i = 0;
    while (i + 1 < page->count && !page->shots[i].spans.count)
        i++;
    return &page->shots[i].spans;
}

static Chart chart_of(const Layout *layout, unsigned metric)
{
    return (Chart){ .name = layout->metrics[metric].name,
                    .reports = layout->page->reports,
                    .report_count = layout->page->count,
                    .first = layout->first,
                    .last = layout->last,
                    .clock = &layout->clock,
                    .shots = shots_of(layout->page),
                    .id = metric,
                    .large = layout->metrics[metric].group == GROUP_MODEL };
}

static int put_charts(FILE *file, const Layout *layout, enum Group group)
{
    unsigned count = 0;
    int err = 0;
    for (unsigned i = 0; !err && i < layout->metric_count; i++) {
        if (layout->metrics[i].group != group)
            continue;
        const Chart chart = chart_of(layout, i);
        if (!count++ && group == GROUP_MEMBER)
            fputs("<details><summary>The models of the collection</summary><div class=charts>",
                  file);
        else if (count == 1)
            fputs("<div class=charts>", file);
        err = chart_draw(file, &chart);
    }
    if (count)
        fputs(group == GROUP_MEMBER ? "</div></details>\n" : "</div>\n", file);
    return err;
}

/* Writes the tool bar, which controls all charts and stays visible while the page scrolls. */
static void put_tools(FILE *file, const Layout *layout)
{
    fputs(
        "<div class=tools role=toolbar aria-label=\"range of frames\">"
        "<button type=button data-do=in aria-label=\"zoom in\" title=\"zoom in (+)\">+</button>"
        "<button type=button data-do=out aria-label=\"zoom out\" title=\"zoom out (−)\">−</button>"
        "<button type=button data-do=left aria-label=earlier title=\"earlier (Page Up)\">‹</button>"
        "<button type=button data-do=right aria-label=later title=\"later (Page Down)\">›</button>"
        "<button type=button data-do=all aria-label=\"all frames\" title=\"everything (0)\">all</button>"
        "<span class=where role=status></span>",
        file);
    if (layout->page->count > 1) {
        fputs("<span class=legend>", file);
        for (size_t i = 0; i < layout->page->count; i++) {
            fprintf(file, "<label class=\"%s\"><input type=checkbox checked data-video=%zu><i></i>",
                    page_colour(i), i);
            put_html(file, stored_title(layout->page->reports[i]));
            fputs("</label>", file);
        }
        fputs("</span>", file);
    }
    fputs("</div>\n", file);
}

static void put_histograms(FILE *file, const Layout *layout)
{
    fputs("<section id=histogram><h2>Histogram</h2><div class=charts>\n", file);
    for (unsigned i = 0; i < layout->metric_count; i++) {
        const Chart chart = chart_of(layout, i);
        if (layout->metrics[i].group == GROUP_MODEL)
            chart_draw_histogram(file, &chart);
    }
    fputs("</div></section>\n", file);
}

static size_t count_curves(const Layout *layout)
{
    size_t curves = 0;
    for (unsigned m = 0; m < layout->metric_count; m++)
        for (size_t i = 0; i < layout->page->count; i++)
            curves += stored_find(layout->page->reports[i], layout->metrics[m].name) != NULL;
    return curves;
}

/* The number of codes that a curve may have: all it needs, or its share of what is left. Models
 * come first, so they are the last to be reduced. */
static size_t room_for(size_t needed, size_t *left, size_t curves)
{
    enum { LEAST = 4000 };
    const size_t reserved = (curves - 1) * LEAST;
    size_t room = *left > reserved ? *left - reserved : 0;
    if (room < LEAST)
        room = LEAST;
    room = needed < room ? needed : room;
    *left -= room < *left ? room : *left;
    return room;
}

static int put_series(FILE *file, const StoredReport *report, const StoredMetric *metric,
                      size_t room)
{
    Series series;
    const int err =
        series_make(&series, report, metric, room < SERIES_FIGURES ? SERIES_FIGURES : room);
    if (err)
        return err;
    fprintf(file, "\"first\":%u,\"step\":%u,\"count\":%zu,\"per\":%u,\"low\":%.17g,\"high\":%.17g,",
            series.positions.first, series.positions.step, series.positions.count, series.per,
            series.low, series.high);
    fputs("\"codes\":\"", file);
    /* least significant byte first, whatever machine this is */
    uint8_t bytes[3 * 1024];
    size_t used = 0;
    for (size_t i = 0; i < series.code_count; i++) {
        bytes[used++] = (uint8_t)series.codes[i];
        bytes[used++] = (uint8_t)(series.codes[i] >> 8);
        if (used == sizeof(bytes) || i + 1 == series.code_count) {
            put_base64(file, bytes, used);
            used = 0;
        }
    }
    fputs("\"", file);
    series_clear(&series);
    return 0;
}

/* Writes the data for page.js. */
static int put_data(FILE *file, const Layout *layout)
{
    const Page *const page = layout->page;
    size_t curves = count_curves(layout), left = PAGE_CODES_MAX;
    int err = 0;
    fputs("<script type=application/json id=data>{\"clock\":", file);
    err = clock_write(file, &layout->clock, PAGE_CODES_MAX / 2);
    fprintf(file, ",\"first\":%.0f,\"last\":%.0f,\"videos\":[", layout->first, layout->last);
    for (size_t i = 0; i < page->count; i++) {
        fputs(i ? "," : "", file);
        put_script_string(file, stored_title(page->reports[i]));
    }
    const ShotSpans *const shots = shots_of(page);
    fputs("],\"shots\":[", file);
    for (size_t i = 0; i < shots->count; i++)
        fprintf(file, "%s%u", i ? "," : "", shots->at[i].first);
    fputs("],\"curves\":[", file);
    const char *comma = "";
    for (unsigned m = 0; !err && m < layout->metric_count; m++) {
        for (size_t i = 0; !err && i < page->count; i++) {
            const StoredMetric *const metric =
                stored_find(page->reports[i], layout->metrics[m].name);
            if (!metric)
                continue;
            const size_t room = room_for(series_positions(page->reports[i]).count, &left, curves--);
            if (!metric->figures.size)
                continue;
            fprintf(file, "%s\n{\"metric\":%u,\"video\":%zu,", comma, m, i);
            comma = ",";
            err = put_series(file, page->reports[i], metric, room);
            fputs("}", file);
        }
    }
    fputs("]}</script>\n", file);
    return err;
}

static void put_pooled(FILE *file, const Layout *layout)
{
    bool intervals = false;
    for (size_t i = 0; i < layout->page->count; i++) {
        double low, high;
        const StoredReport *const report = layout->page->reports[i];
        for (size_t m = 0; m < report->metric_count; m++)
            intervals = intervals || stored_interval(report, &report->metrics[m], &low, &high);
    }
    fputs("<section id=pooled><h2>Pooled</h2>\n", file);
    bool members = false;
    pooled_begin(file, intervals);
    for (unsigned m = 0; m < layout->metric_count; m++) {
        if (layout->metrics[m].group == GROUP_MEMBER && !members) {
            members = true;
            pooled_end(file);
            fputs("<details><summary>The models of the collection</summary>", file);
            pooled_begin(file, false);
        }
        pooled_rows(file, layout->page, layout->metrics[m].name, intervals && !members);
    }
    pooled_end(file);
    fputs(members ? "</details></section>\n" : "</section>\n", file);
}

static void put_title(FILE *file, const Page *page)
{
    for (size_t i = 0; i < page->count && i < 4; i++) {
        fputs(i ? ", " : "", file);
        put_html(file, stored_title(page->reports[i]));
    }
    if (page->count > 4)
        fprintf(file, " and %zu more", page->count - 4);
}

const char *page_colour(size_t video)
{
    static const char *const names[] = {
        "c0",    "c1",    "c2",    "c3",    "c4",    "c5",    "c6",     "c7",
        "c8",    "c9",    "c10",   "c11",   "c0 d1", "c1 d1", "c2 d1",  "c3 d1",
        "c4 d1", "c5 d1", "c6 d1", "c7 d1", "c8 d1", "c9 d1", "c10 d1", "c11 d1",
        "c0 d2", "c1 d2", "c2 d2", "c3 d2", "c4 d2", "c5 d2", "c6 d2",  "c7 d2",
    };
    return names[video % HTML_REPORTS_MAX];
}

int page_write(FILE *file, const Page *page)
{
    Layout layout;
    int err = layout_make(&layout, page);
    if (err)
        return err;
    /* The policy keeps the page from loading anything, whatever the reports contain. */
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src data:; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
          "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=color-scheme content=\"light dark\">\n<title>",
          file);
    put_title(file, page);
    fputs(" · VMAF</title>\n<style>", file);
    fputs(made_style, file);
    fputs("</style></head>\n<body>\n", file);
    page_put_head(file, page);
    page_put_ranking(file, page);
    page_put_warnings(file, page);
    put_tools(file, &layout);
    fputs(
        "<section id=frames><h2>Frames</h2>\n<p class=hint>Drag across a curve to zoom in. Click to select a "
        "frame; the page's address then links to it. Where many frames share a column, the line is their "
        "mean, in a band from p5 to p95 and a paler one from the lowest to the highest score.</p>\n",
        file);
    err = put_charts(file, &layout, GROUP_MODEL);
    fputs("</section>\n", file);
    page_put_worst(file, page);
    page_put_shots(file, page);
    put_histograms(file, &layout);
    put_pooled(file, &layout);
    fputs("<section id=features><h2>Features</h2>\n", file);
    if (!err)
        err = put_charts(file, &layout, GROUP_FEATURE);
    if (!err)
        err = put_charts(file, &layout, GROUP_MEMBER);
    fputs("</section>\n", file);
    page_put_origin(file, page);
    if (!err)
        err = put_data(file, &layout);
    fputs("<script>", file);
    fputs(made_script, file);
    fputs("</script>\n</body></html>\n", file);
    free(layout.metrics);
    return err;
}

void page_maps_clear(PageMaps *maps)
{
    for (unsigned i = 0; i < maps->count; i++)
        png_clear(&maps->map[i].png);
    free(maps->map);
    *maps = (PageMaps){ 0 };
}

static size_t size_of_maps(const PageWorst *worst)
{
    size_t size = 0;
    for (unsigned w = 0; w < worst->count; w++)
        for (unsigned i = 0; i < worst->maps[w].count; i++)
            size += worst->maps[w].map[i].png.size;
    return size;
}

static size_t size_of_pictures(const PageWorst *worst)
{
    size_t size = 0;
    for (unsigned w = 0; w < worst->count; w++)
        size += worst->pictures[w][SIDE_REF].size + worst->pictures[w][SIDE_DIST].size;
    return size;
}

int page_shots_make(PageShots *shots, const StoredReport *report)
{
    const int err = stored_shots(report, &shots->spans);
    if (err || !shots->spans.count)
        return err;
    shots->scores = stored_scores(report, stored_headline(report));
    if (!shots->scores)
        return -ENOMEM;
    shots->lowest.count =
        (unsigned)shots_worst(&shots->spans, shots->scores, shots->worst, WORST_MAX);
    for (unsigned i = 0; i < shots->lowest.count; i++)
        shots->lowest.frames[i] = shots->worst[i].worst;
    return 0;
}

static void clear_pictures(PageWorst *worst)
{
    for (unsigned w = 0; w < worst->count; w++) {
        page_maps_clear(&worst->maps[w]);
        for (unsigned side = 0; side < SIDES; side++)
            png_clear(&worst->pictures[w][side]);
    }
}

void page_shots_clear(PageShots *shots)
{
    clear_pictures(&shots->lowest);
    shot_spans_clear(&shots->spans);
    free(shots->scores);
}

static int find_shots(PageShots *shots, const StoredReport *report, size_t room)
{
    PageWorst *const lowest = &shots->lowest;
    const int err = page_shots_make(shots, report);
    if (err || !lowest->count)
        return err;
    return pictures_read(report, lowest->frames, lowest->count, room, lowest->pictures, lowest->why,
                         sizeof(lowest->why));
}

/* Makes the maps within a third of the room; `room` becomes what they leave. */
static int make_maps(PageWorst *worst, const StoredReport *report, const PageMapper *mapper,
                     size_t *room)
{
    const int err = mapper ? mapper->map(mapper->arg, report, worst, *room / 3) : 0;
    for (unsigned w = 0; err && w < worst->count; w++)
        page_maps_clear(&worst->maps[w]);
    *room -= size_of_maps(worst);
    return err;
}

/* Finds the worst frames and shots. All reports get as much room for pictures, shots half of it;
 * what one leaves goes to the next ones. *lost is set if maps are missing. */
static int find_worst(PageWorst *worst, PageShots *shots, StoredReport *const *reports,
                      size_t count, const PageMapper *mapper, int *lost)
{
    size_t left = PICTURES_SIZE_MAX;
    int err = 0;
    for (size_t i = 0; !err && i < count; i++) {
        size_t share = left / (count - i);
        left -= share;
        err = find_shots(&shots[i], reports[i], share / 2);
        if (err)
            break;
        share -= size_of_pictures(&shots[i].lowest);
        worst[i].count =
            worst_frames(reports[i], stored_headline(reports[i]), true, worst[i].frames);
        const int missing = make_maps(&worst[i], reports[i], mapper, &share);
        *lost = *lost ? *lost : missing;
        err = pictures_read(reports[i], worst[i].frames, worst[i].count, share, worst[i].pictures,
                            worst[i].why, sizeof(worst[i].why));
        left += share - size_of_pictures(&worst[i]);
    }
    return err;
}

static void clear_worst(PageWorst *worst, PageShots *shots, size_t count)
{
    for (size_t i = 0; worst && i < count; i++)
        clear_pictures(&worst[i]);
    for (size_t i = 0; shots && i < count; i++)
        page_shots_clear(&shots[i]);
    free(worst);
    free(shots);
}

int html_write(StoredReport *const *reports, size_t count, const char *path,
               const PageMapper *mapper)
{
    int lost = 0;
    PageWorst *const worst = calloc(count, sizeof(*worst));
    PageShots *const shots = calloc(count, sizeof(*shots));
    MemFile mem = { 0 };
    int err = worst && shots ? find_worst(worst, shots, reports, count, mapper, &lost) : -ENOMEM;
    if (!err)
        err = memfile_open(&mem);
    if (!err) {
        const Page page = { reports, count, worst, shots };
        err = page_write(mem.file, &page);
    }
    if (!err)
        err = memfile_end(&mem);
    if (!err)
        err = save_file(path, mem.text, mem.size);
    memfile_close(&mem);
    clear_worst(worst, shots, count);
    return err ? err : lost;
}

int stored_from_context(StoredReport **out, VmafContext *vmaf, const char *name)
{
    const char *const folder = getenv("TMPDIR");
    char path[4096];
    const int n =
        snprintf(path, sizeof(path), "%s/vmaf-XXXXXX.json", folder && *folder ? folder : "/tmp");
    const int fd = n > 0 && (size_t)n < sizeof(path) ? mkstemps(path, (int)strlen(".json")) : -1;
    if (fd < 0) {
        say("could not create a temporary file for the report: %s: %s", path, strerror(errno));
        return -EIO;
    }
    close(fd);
    int err = vmaf_report_details(vmaf);
    if (!err) /* with all digits, so that the page shows the same scores as the run */
        err = vmaf_write_output_with_format(vmaf, path, VMAF_OUTPUT_FORMAT_JSON, "%.17g");
    if (!err)
        err = stored_load(out, path);
    unlink(path);
    if (!err)
        (*out)->path = name;
    return err;
}
