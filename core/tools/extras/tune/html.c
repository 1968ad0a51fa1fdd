/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The comparison as an HTML page without scripts or external files, and its chart as SVG. */
#include "libvmaf/libvmaf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_memory.h"
#include "encoder.h"
#include "report/chart.h"
#include "report/text.h"
#include "results.h"

/* On a narrow screen, each row of a table becomes a list of its cells, and the chart's text grows.
 */
static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#1d2025;--soft:#5b616b;--back:#fff;--line:#dcdfe4;"
    "--card:#f6f7f9;--warn:#8a5a00}\n"
    "@media (prefers-color-scheme: dark){:root{--ink:#e6e8ec;--soft:#a2a8b2;--back:#16181c;"
    "--line:#33373e;--card:#1f2228;--warn:#e8b657}}\n"
    "body{margin:0 auto;max-width:60rem;padding:1.2rem;background:var(--back);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.3rem .5rem;text-align:right;border-bottom:1px solid var(--line)}\n"
    "th:first-child,td:first-child,.failed{text-align:left}\n"
    "th{color:var(--soft);font-weight:600;vertical-align:bottom;overflow-wrap:normal}\n"
    "td.figure{white-space:nowrap}.warned{color:var(--warn)}\n"
    "p,figcaption{color:var(--soft)}figure{margin:1rem 0;background:var(--card);"
    "border-radius:.5rem;padding:.5rem}\n"
    "figcaption span{display:inline-block;margin-right:1rem}figcaption i{display:inline-block;"
    "width:.7em;height:.7em;border-radius:50%;margin-right:.4em}"
    "figcaption i.line{width:1.4em;height:0;border-radius:0;border-top:2px dashed var(--ink);"
    "vertical-align:middle}\n"
    "svg{display:block;width:100%;height:auto}svg text{fill:var(--ink)}"
    "svg .tick{fill:var(--soft)}svg path{vector-effect:non-scaling-stroke}"
    ".grid{stroke:var(--line)}.hull{fill:none;stroke:var(--ink);stroke-dasharray:5 4;"
    "stroke-width:1.3}\n"
    "@media (max-width:44rem){thead{display:none}table,tbody{display:block}"
    "tr{display:block;padding:.6rem 0;border-bottom:1px solid var(--line)}"
    "td{display:flex;gap:1rem;justify-content:space-between;border:0;padding:.1rem 0}"
    "td:empty{display:none}td:first-child{font-weight:600}"
    "td[data-name]::before{content:attr(data-name);color:var(--soft)}"
    "svg{font-size:26px}svg circle{r:9px}svg .across{display:none}}\n"
    "</style>\n";

/* Okabe and Ito's colours, which nearly everyone can tell apart, on white and on black; then
 * others, so that twelve encoders have one each. */
static const char *colour_of(size_t line)
{
    static const char *const colours[] = { "#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                           "#d55e00", "#56b4e9", "#8c6bb1", "#888888",
                                           "#a6761d", "#c51b7d", "#66a61e", "#1f4ea1" };
    return colours[line % (sizeof(colours) / sizeof(*colours))];
}

static bool is_on_hull(const Results *results, size_t job)
{
    for (size_t i = 0; i < results->hull_count; i++)
        if (results->hull[i] == job)
            return true;
    return false;
}

/* Begin a cell. Narrow screens do not show the table's head: each cell shows its name there. */
static void open_cell(const char *kind, const char *name, FILE *file)
{
    fprintf(file, "<td class=\"%s\" data-name=\"", kind);
    put_html(file, name);
    fputs("\">", file);
}

static void write_figure(const char *name, double value, unsigned digits, FILE *file)
{
    open_cell("figure", name, file);
    if (isinf(value) && value > 0.0)
        fputs("∞</td>", file);
    else
        fprintf(file, "%.*f</td>", (int)digits, value);
}

static double per_second(const Job *job, double seconds)
{
    return seconds > 0 ? (double)job->media.frames / seconds : 0.0;
}

static void write_point_row(const Results *results, size_t i, const char *name, FILE *file)
{
    const Job *const job = &results->jobs[i];
    char setting[32], place[384], codes[256];
    range_print(job->setting, setting, sizeof(setting));
    fputs("<tr><td>", file);
    put_html(file, job->encoder->label);
    fputs("</td>", file);
    open_cell("figure", "setting", file);
    fprintf(file, "%s %s</td>", encoder_setting_name(job->encoder), setting);
    if (job->state != JOB_DONE) {
        fputs("<td class=\"failed warned\" colspan=\"7\">", file);
        put_html(file, result_failure(job));
        fputs("</td></tr>\n", file);
        return;
    }
    write_figure("kbit/s", job->bitrate, 2, file);
    write_figure(name, job->score, 4, file);
    write_figure("encode fps", per_second(job, job->encode_seconds), 2, file);
    write_figure("score fps", per_second(job, job->score_seconds), 2, file);
    place_print(job->place, place, sizeof(place));
    open_cell("place", "scored on", file);
    put_html(file, place);
    fputs("</td>", file);
    open_cell("figure", "on the hull", file);
    fprintf(file, "%s</td>", is_on_hull(results, i) ? "●" : "");
    warnings_codes(job->warnings, codes, sizeof(codes));
    open_cell("warned", "warnings", file);
    fputs(*codes ? "⚠ " : "", file);
    put_html(file, codes);
    fputs("</td></tr>\n", file);
}

static void write_point_rows(const Results *results, FILE *file)
{
    char name[128];
    results_score_name(results, name, sizeof(name));
    fputs("<h2>Encodes</h2>\n<table><thead><tr><th>encoder</th><th>setting</th><th>kbit/s</th><th>",
          file);
    put_html(file, name);
    fputs("</th><th>encode fps</th><th>score fps</th><th>scored on</th><th>on the hull</th>"
          "<th>warnings</th></tr></thead><tbody>\n",
          file);
    for (size_t i = 0; i < results->job_count; i++)
        write_point_row(results, i, name, file);
    fputs("</tbody></table>\n", file);
}

static void write_delta(double value, bool rate, unsigned kind, FILE *file)
{
    char name[64];
    snprintf(name, sizeof(name), "BD-%s, %s", rate ? "rate" : "quality", curve_name(kind));
    open_cell("figure", name, file);
    if (isfinite(value))
        fprintf(file, "%+.3f%s</td>", value, rate ? "%" : "");
    else
        fputs("–</td>", file);
}

static void write_deltas(const Results *results, FILE *file)
{
    const Line *const anchor = results->anchor;
    if (results->line_count < 2)
        return;
    fputs("<h2>Against ", file);
    put_html(file, anchor->encoder->label);
    fputs("</h2>\n<table><thead><tr><th>encoder</th>", file);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < CURVE_KINDS; k++)
            fprintf(file, "<th>BD-%s, %s</th>", i ? "quality" : "rate", curve_name(k));
    fputs("</tr></thead><tbody>\n", file);
    for (size_t i = 0; i < results->line_count; i++) {
        const Line *const line = &results->lines[i];
        if (line == anchor)
            continue;
        fputs("<tr><td>", file);
        put_html(file, line->encoder->label);
        fputs("</td>", file);
        for (unsigned k = 0; k < CURVE_KINDS; k++)
            write_delta(
                bd_rate(k, anchor->rising, anchor->rising_count, line->rising, line->rising_count),
                true, k, file);
        for (unsigned k = 0; k < CURVE_KINDS; k++)
            write_delta(bd_quality(k, anchor->rising, anchor->rising_count, line->rising,
                                   line->rising_count),
                        false, k, file);
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table>\n<p>BD-rate: how much more rate the encoder needs for the same "
          "quality; "
          "negative is better. BD-quality: how much more quality it has at the same "
          "rate. A dash: the curves do not overlap, or have too few points.</p>\n",
          file);
}

static void write_caption(const Results *results, FILE *file)
{
    char name[128];
    results_score_name(results, name, sizeof(name));
    fputs("<figcaption><p>", file);
    put_html(file, name);
    fputs(" over kbit/s</p>", file);
    for (size_t i = 0; i < results->line_count; i++) {
        fprintf(file, "<span><i style=\"background:%s\"></i>", colour_of(i));
        put_html(file, results->lines[i].encoder->label);
        fputs("</span>", file);
    }
    if (results->hull_count > 1)
        fputs("<span><i class=\"line\"></i>convex hull</span>", file);
    fputs("</figcaption>\n", file);
}

static void write_warnings(const Results *results, FILE *file)
{
    size_t i;
    json_t *warning;
    json_t *const all = results_warnings(results);
    if (json_array_size(all))
        fputs("<h2>Warnings</h2>\n<ul class=\"warned\">\n", file);
    json_array_foreach(all, i, warning)
    {
        char text[512], encodes[1024];
        warning_text(warning, text, sizeof(text));
        results_warned(results, warning, encodes, sizeof(encodes));
        fputs("<li>⚠ ", file);
        put_html(file, text);
        fputs(" (", file);
        put_html(file, encodes);
        fputs(")</li>\n", file);
    }
    if (json_array_size(all))
        fputs("</ul>\n", file);
    json_decref(all);
}

void results_write_html(const Results *results, FILE *file)
{
    const Media *const media = &results->source->media;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          file);
    put_html(file, results->source->path);
    fputs(" – vmaf-tune</title>\n", file);
    fputs(style, file);
    fputs("</head>\n<body>\n<h1>", file);
    put_html(file, results->source->path);
    fprintf(file, "</h1>\n<p>%u×%u, %llu frames, %.2f s; vmaf-tune of libvmaf %s</p>\n",
            media->width, media->height, (unsigned long long)media->frames, media->seconds,
            vmaf_version());
    fputs("<figure>\n", file);
    results_write_chart(results, false, file);
    write_caption(results, file);
    fputs("</figure>\n", file);
    if (results->more)
        results->more(results->more_arg, file);
    write_deltas(results, file);
    write_point_rows(results, file);
    write_warnings(results, file);
    fputs("</body>\n</html>\n", file);
}

/* The chart shows quality on a linear axis over the rate on a logarithmic axis. */

enum { WIDTH = 860, HEIGHT = 500, LEFT = 64, RIGHT = 20, TOP = 20, BOTTOM = 52, STEPS = 64 };

typedef struct Axes {
    double low_rate, high_rate, low_score, high_score; /* rates are logarithms (base 10) */
} Axes;

static double at_rate(const Axes *axes, double rate)
{
    return LEFT + (log10(rate) - axes->low_rate) / (axes->high_rate - axes->low_rate) *
                      (WIDTH - LEFT - RIGHT);
}

static double at_score(const Axes *axes, double score)
{
    return HEIGHT - BOTTOM -
           (score - axes->low_score) / (axes->high_score - axes->low_score) *
               (HEIGHT - TOP - BOTTOM);
}

/* Fit the axes around all points, with a margin. False: no points. */
static bool find_axes(const Results *results, Axes *axes)
{
    bool any = false;
    for (size_t i = 0; i < results->job_count; i++) {
        const Job *const job = &results->jobs[i];
        if (job->state != JOB_DONE || !(job->bitrate > 0.0) || !isfinite(job->score))
            continue;
        const double rate = log10(job->bitrate);
        axes->low_rate = any ? fmin(axes->low_rate, rate) : rate;
        axes->high_rate = any ? fmax(axes->high_rate, rate) : rate;
        axes->low_score = any ? fmin(axes->low_score, job->score) : job->score;
        axes->high_score = any ? fmax(axes->high_score, job->score) : job->score;
        any = true;
    }
    const double wide = fmax(axes->high_rate - axes->low_rate, 0.1) * 0.06;
    const double tall = fmax(axes->high_score - axes->low_score, 0.1) * 0.06;
    axes->low_rate -= wide;
    axes->high_rate += wide;
    axes->low_score -= tall;
    axes->high_score += tall;
    return any;
}

static void write_grid(const Axes *axes, FILE *file)
{
    const double step = axis_make(axes->low_score, axes->high_score, 8).step;
    for (double score = ceil(axes->low_score / step) * step; score <= axes->high_score;
         score += step) {
        const double y = at_score(axes, score);
        fprintf(file,
                "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"tick\" x=\"%d\" "
                "y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, fabs(score) < step / 2 ? 0.0 : score);
    }
    static const double digits[] = { 1, 1.5, 2, 3, 5, 7 };
    for (double power = floor(axes->low_rate); power <= axes->high_rate; power++) {
        for (size_t i = 0; i < sizeof(digits) / sizeof(*digits); i++) {
            const double rate = digits[i] * pow(10.0, power), x = at_rate(axes, rate);
            if (log10(rate) < axes->low_rate || log10(rate) > axes->high_rate)
                continue;
            fprintf(file,
                    "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text class=\"tick\" x=\"%.1f\" "
                    "y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
                    x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18, rate);
        }
    }
}

/* Draw the curve that the PCHIP Bjøntegaard figures use. */
static void write_curve(const Axes *axes, const Line *line, const char *colour, FILE *file)
{
    const size_t count = line->rising_count;
    double *const x = watched_room(2 * (count + 1), sizeof(*x));
    double *const y = x ? x + count + 1 : NULL;
    if (!x)
        return;
    for (size_t i = 0; i < count; i++) {
        x[i] = log10(line->rising[i].rate);
        y[i] = line->rising[i].quality;
    }
    Curve *const curve = curve_create(CURVE_PCHIP, x, y, count);
    if (curve) {
        fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
        for (unsigned i = 0; i <= STEPS; i++) {
            const double at = x[0] + (x[count - 1] - x[0]) * i / STEPS;
            fprintf(file, "%c%.1f %.1f", i ? 'L' : 'M', at_rate(axes, pow(10.0, at)),
                    at_score(axes, curve_at(curve, at)));
        }
        fputs("\"/>\n", file);
    }
    curve_destroy(curve);
    free(x);
}

static void write_points(const Results *results, const Axes *axes, const Line *line,
                         const char *colour, FILE *file)
{
    for (size_t i = 0; i < results->job_count; i++) {
        const Job *const job = &results->jobs[i];
        char setting[32];
        if (job->state != JOB_DONE || job->encoder != line->encoder || !(job->bitrate > 0.0) ||
            !isfinite(job->score))
            continue;
        range_print(job->setting, setting, sizeof(setting));
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"%s\"><title>",
                at_rate(axes, job->bitrate), at_score(axes, job->score), colour);
        put_html(file, job->encoder->label);
        fprintf(file, " %s %s: %.2f kbit/s, %.4f</title></circle>\n",
                encoder_setting_name(job->encoder), setting, job->bitrate, job->score);
    }
}

/* Mixtures of two encodes lie on a straight line over the rate, which the logarithmic axis bends.
 */
static void write_hull(const Results *results, const Axes *axes, FILE *file)
{
    enum { PIECES = 12 };
    if (results->hull_count < 2)
        return;
    fputs("<path class=\"hull\" d=\"", file);
    for (size_t i = 0; i + 1 < results->hull_count; i++) {
        const Job *const a = &results->jobs[results->hull[i]];
        const Job *const b = &results->jobs[results->hull[i + 1]];
        for (unsigned k = i ? 1 : 0; k <= PIECES; k++) {
            const double share = (double)k / PIECES;
            fprintf(file, "%c%.1f %.1f", i || k ? 'L' : 'M',
                    at_rate(axes, a->bitrate + share * (b->bitrate - a->bitrate)),
                    at_score(axes, a->score + share * (b->score - a->score)));
        }
    }
    fputs("\"><title>convex hull of all</title></path>\n", file);
}

static void write_legend(const Results *results, FILE *file)
{
    const size_t shown = results->line_count < 16 ? results->line_count : 16;
    for (size_t i = 0; i < shown; i++) {
        const int y = HEIGHT - BOTTOM - 12 - 20 * (int)(shown - i);
        fprintf(file,
                "<circle cx=\"%d\" cy=\"%d\" r=\"4.5\" fill=\"%s\"/><text x=\"%d\" y=\"%d\" "
                "text-anchor=\"end\">",
                WIDTH - RIGHT - 14, y - 4, colour_of(i), WIDTH - RIGHT - 26, y);
        put_html(file, results->lines[i].encoder->label);
        fputs("</text>\n", file);
    }
    if (results->hull_count > 1)
        fprintf(file,
                "<path class=\"hull\" d=\"M%d %dh20\"/><text x=\"%d\" y=\"%d\" "
                "text-anchor=\"end\">convex hull</text>\n",
                WIDTH - RIGHT - 24, HEIGHT - BOTTOM - 16, WIDTH - RIGHT - 30, HEIGHT - BOTTOM - 12);
}

void results_write_chart(const Results *results, bool alone, FILE *file)
{
    char name[128];
    Axes axes = { 0 };
    results_score_name(results, name, sizeof(name));
    if (alone)
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", file);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"Quality over bit rate\" font-family=\"system-ui, sans-serif\" "
            "font-size=\"13\">\n",
            WIDTH, HEIGHT);
    if (alone)
        fputs("<style>svg{background:#fff}text{fill:#222}.tick{fill:#555}.grid{stroke:#ddd}"
              ".hull{stroke:#444}\n"
              "@media (prefers-color-scheme: dark){svg{background:#16181c}text{fill:#e4e6ea}"
              ".tick{fill:#a4a8b0}.grid{stroke:#33363c}.hull{stroke:#ccc}}\n"
              ".hull{fill:none;stroke-dasharray:5 4;stroke-width:1.3}</style>\n",
              file);
    if (find_axes(results, &axes)) {
        write_grid(&axes, file);
        write_hull(results, &axes, file);
        for (size_t i = 0; i < results->line_count; i++) {
            const char *const colour = colour_of(i);
            write_curve(&axes, &results->lines[i], colour, file);
            write_points(results, &axes, &results->lines[i], colour, file);
        }
        if (alone) /* a page has a legend of its own */
            write_legend(results, file);
    }
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">kbit/s</text>\n",
            (WIDTH + LEFT - RIGHT) / 2, HEIGHT - 12);
    fprintf(file,
            "<text class=\"across\" transform=\"translate(16 %d) rotate(-90)\" "
            "text-anchor=\"middle\">",
            (HEIGHT - BOTTOM + TOP) / 2);
    put_html(file, name);
    fputs("</text>\n</svg>\n", file);
}

void results_write_svg(const Results *results, FILE *file)
{
    results_write_chart(results, true, file);
}
