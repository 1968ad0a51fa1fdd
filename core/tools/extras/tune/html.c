/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A comparison as one page: no script, nothing from elsewhere. */
#include <math.h>
#include <string.h>

#include "libvmaf/libvmaf.h"
#include "range.h"
#include "report/text.h"
#include "results.h"

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#1d2025;--soft:#5b616b;--back:#fff;--line:#dcdfe4;"
    "--card:#f6f7f9}\n"
    "@media (prefers-color-scheme: dark){:root{--ink:#e6e8ec;--soft:#a2a8b2;--back:#16181c;"
    "--line:#33373e;--card:#1f2228}}\n"
    "body{margin:0 auto;max-width:60rem;padding:1.2rem;background:var(--back);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:"
    "tabular-nums}\n"
    "th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid var(--line);"
    "white-space:nowrap}\n"
    "th:first-child,td:first-child{text-align:left}th{color:var(--soft);font-weight:600;"
    "white-space:normal;vertical-align:bottom}\n"
    "p,figure{color:var(--soft)}figure{margin:1rem 0;background:var(--card);border-radius:.5rem;"
    "padding:.5rem}\n"
    "figure{overflow-x:auto}svg{display:block;width:100%;min-width:34rem;height:auto}svg text{fill:var(--ink)}svg .tick{fill:var(--soft)}"
    ".grid{stroke:var(--line)}.hull{fill:none;stroke:var(--ink);stroke-dasharray:5 4;"
    "stroke-width:1.3}\n"
    "</style>\n";

static bool is_on_hull(const Results *results, size_t job)
{
    for (size_t i = 0; i < results->hull_count; i++)
        if (results->hull[i] == job)
            return true;
    return false;
}

static void write_points(const Results *results, FILE *file)
{
    char name[128];
    results_score_name(results, name, sizeof(name));
    fputs("<h2>Encodes</h2>\n<div class=\"wide\"><table><thead><tr><th>encoder</th><th>setting</th>"
          "<th>kbit/s</th><th>",
          file);
    put_html(file, name);
    fputs("</th><th>encode fps</th><th>score fps</th><th>scored on</th><th>on the hull</th></tr>"
          "</thead><tbody>\n",
          file);
    for (size_t i = 0; i < results->job_count; i++) {
        const Job *const job = &results->jobs[i];
        char setting[32];
        range_print(job->setting, setting, sizeof(setting));
        fputs("<tr><td>", file);
        put_html(file, job->encoder->label);
        fprintf(file, "</td><td>%s %s</td>", encoder_setting_name(job->encoder), setting);
        if (job->state != JOB_DONE) {
            fputs("<td colspan=\"6\">failed</td></tr>\n", file);
            continue;
        }
        fprintf(file, "<td>%.2f</td><td>%.4f</td><td>%.2f</td><td>%.2f</td><td>", job->bitrate,
                job->score,
                job->encode_seconds > 0 ? (double)job->media.frames / job->encode_seconds : 0.0,
                job->score_seconds > 0 ? (double)job->media.frames / job->score_seconds : 0.0);
        put_html(file, job->scored_in);
        fprintf(file, "</td><td>%s</td></tr>\n", is_on_hull(results, i) ? "●" : "");
    }
    fputs("</tbody></table></div>\n", file);
}

static void write_delta(double value, const char *unit, FILE *file)
{
    if (isfinite(value))
        fprintf(file, "<td>%+.3f%s</td>", value, unit);
    else
        fputs("<td>–</td>", file);
}

static void write_deltas(const Results *results, FILE *file)
{
    const Line *const anchor = results->anchor;
    if (results->line_count < 2)
        return;
    fputs("<h2>Against ", file);
    put_html(file, anchor->encoder->label);
    fputs("</h2>\n<div class=\"wide\"><table><thead><tr><th>encoder</th>", file);
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
                "%", file);
        for (unsigned k = 0; k < CURVE_KINDS; k++)
            write_delta(bd_quality(k, anchor->rising, anchor->rising_count, line->rising,
                                   line->rising_count),
                        "", file);
        fputs("</tr>\n", file);
    }
    fputs(
        "</tbody></table></div>\n<p>BD-rate: how much more rate it takes for the same quality; less "
        "than 0 is better. BD-quality: how much more quality at the same rate. A dash: the curves "
        "have nothing in common, or too few points.</p>\n",
        file);
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
    fputs("</figure>\n", file);
    write_deltas(results, file);
    write_points(results, file);
    fputs("</body>\n</html>\n", file);
}
