/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libvmaf/report.h"
#include "option.h"

static int set_output(Options *options, const Arg *arg, const char *value)
{
    return words_add(&options->outputs, value);
}

/* The report format of this name; VMAF_OUTPUT_FORMAT_NONE: the library has none. */
static enum VmafOutputFormat find_format(const char *name)
{
    const char *known;
    for (int i = VMAF_OUTPUT_FORMAT_XML;
         (known = vmaf_output_format_name((enum VmafOutputFormat)i)); i++)
        if (!strcasecmp(known, name))
            return (enum VmafOutputFormat)i;
    return VMAF_OUTPUT_FORMAT_NONE;
}

/* The option has the name of the format. */
static int set_format(Options *options, const Arg *arg, const char *value)
{
    options->format = find_format(arg->name);
    return options->format ? 0 : usage_error("this libvmaf cannot write %s reports", arg->name);
}

enum VmafOutputFormat options_format(const Options *options, const char *path)
{
    const char *const dot = strrchr(path, '.');
    const enum VmafOutputFormat named = dot ? find_format(dot + 1) : VMAF_OUTPUT_FORMAT_NONE;
    if (options->format)
        return options->format;
    return named ? named : VMAF_OUTPUT_FORMAT_XML;
}

static int set_precision(Options *options, const Arg *arg, const char *value)
{
    char *end;
    const unsigned long digits = strtoul(value, &end, 10);
    if (!strcmp(value, "max") || !strcmp(value, "full"))
        strcpy(options->score_format, "%.17g");
    else if (!strcmp(value, "legacy"))
        strcpy(options->score_format, "%.6f");
    else if (*value >= '0' && *value <= '9' && !*end && digits >= 1 && digits <= 17)
        snprintf(options->score_format, sizeof(options->score_format), "%%.%ug", (unsigned)digits);
    else
        return bad_value(arg, value, "1 to 17, max, full or legacy");
    return 0;
}

static int set_html(Options *options, const Arg *arg, const char *value)
{
    options->html = value;
    return 0;
}

static int set_heatmap(Options *options, const Arg *arg, const char *value)
{
    if (!strcmp(value, "html")) {
        options->heatmap_html = true;
        return 0;
    }
    if (!*value)
        return bad_value(arg, value, "html, or a folder");
    if (options->heatmap_folder && strcmp(options->heatmap_folder, value) != 0)
        return usage_error("--heatmap writes into one folder, and %s and %s are given",
                           options->heatmap_folder, value);
    options->heatmap_folder = value;
    return 0;
}

/* Reads a decimal number and moves past it; false: there is none. */
static bool read_frame_number(const char **at, unsigned *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    const unsigned long value = strtoul(*at, &end, 10);
    *at = end;
    *number = (unsigned)value;
    return !errno && value <= UINT32_MAX;
}

/* Adds frames such as `7` and `100-120`; false: they cannot be read. */
static bool add_frame_ranges(HeatmapFrames *frames, const char *at)
{
    for (;; at++) {
        unsigned first, last;
        if (frames->count == HEATMAP_RANGES || !read_frame_number(&at, &first))
            return false;
        last = first;
        if (*at == '-' && (at++, !read_frame_number(&at, &last)))
            return false;
        if (last < first)
            return false;
        frames->range[frames->count].first = first;
        frames->range[frames->count++].last = last;
        if (*at != ',')
            return !*at;
    }
}

static int set_heatmap_frames(Options *options, const Arg *arg, const char *value)
{
    HeatmapFrames *const frames = &options->heatmap_frames;
    *frames = (HeatmapFrames){ .given = true, .all = !strcmp(value, "all") };
    if (frames->all || !strcmp(value, "worst") || add_frame_ranges(frames, value))
        return 0;
    return bad_value(arg, value, "worst, all, or up to 64 frames and ranges, such as 7,100-120");
}

static int set_report(Options *options, const Arg *arg, const char *value)
{
    options->stored = true;
    return 0;
}

/* Adds comma-separated pooling methods. */
static int add_poolings(Options *options, const Arg *arg, const char *value)
{
    for (const char *at = value;; at++) {
        const size_t length = strcspn(at, ",");
        if (options->pooling_count == POOLINGS_MAX)
            return bad_value(arg, value, "a shorter list");
        if (!pooling_parse(&options->poolings[options->pooling_count++], at, length))
            return bad_value(arg, value, POOLING_NAMES);
        at += length;
        if (!*at)
            return 0;
    }
}

static int add_score_limit(Options *options, const Arg *arg, const char *value)
{
    if (options->score_limit_count == SCORE_LIMITS_MAX)
        return usage_error("--fail_under may be given at most %d times", SCORE_LIMITS_MAX);
    if (!score_limit_parse(&options->score_limits[options->score_limit_count++], value))
        return bad_value(
            arg, value,
            "SCORE, SCORE:POOL or NAME:SCORE:POOL, where NAME is a model or a metric and "
            "POOL is shot, " POOLING_NAMES);
    return 0;
}

static int set_allow_partial(Options *options, const Arg *arg, const char *value)
{
    options->allow_partial = true;
    return 0;
}

static int set_quiet(Options *options, const Arg *arg, const char *value)
{
    options->quiet = true;
    return 0;
}

static int set_progress(Options *options, const Arg *arg, const char *value)
{
    options->progress = true;
    return 0;
}

static int set_catalogue(Options *options, const Arg *arg, const char *value)
{
    options->catalogue = true;
    return 0;
}

static int set_watch(Options *options, const Arg *arg, const char *value)
{
    options->catalogue = true;
    options->watch = true;
    return 0;
}

static int set_baseline(Options *options, const Arg *arg, const char *value)
{
    options->catalogue = true;
    options->baseline = value;
    return 0;
}

static int set_save_baseline(Options *options, const Arg *arg, const char *value)
{
    options->catalogue = true;
    options->save_baseline = value;
    return 0;
}

static int set_max_drop(Options *options, const Arg *arg, const char *value)
{
    char *end;
    options->catalogue = true;
    options->max_drop = strtod(value, &end);
    if (end == value || *end || !(options->max_drop > 0) || options->max_drop > 1e6)
        return bad_value(arg, value, "points of the score (0.5)");
    return 0;
}

static int set_lines(Options *options, const Arg *arg, const char *value)
{
    options->lines = true;
    return 0;
}

static int set_window(Options *options, const Arg *arg, const char *value)
{
    const Length *const window = &options->window;
    if (parse_length(value, &options->window) &&
        (window->in_frames ? window->frames : window->time) > 0)
        return 0;
    return bad_value(arg, value, A_LENGTH);
}

const Arg output_options[] = {
    { .help = "Output" },
    { .letter = 'o',
      .name = "output",
      .value = "PATH",
      .help = "write a report; '-' is standard output; NAME.html\n"
              "writes the page of --html. For several distorted videos\n"
              "give it once for each, or only once: NAME.EXT then\n"
              "becomes NAME.1.EXT, NAME.2.EXT, ...",
      .set = set_output,
      .complete = "file" },
    { .name = "xml",
      .help = "write XML (default unless PATH ends in .json, .csv\nor .sub)",
      .set = set_format },
    { .name = "json", .help = "write JSON", .set = set_format },
    { .name = "csv", .help = "write CSV, frames only", .set = set_format },
    { .name = "sub", .help = "write subtitles, frames only", .set = set_format },
    { .name = "precision",
      .value = "P",
      .help = "1 to 17 significant digits, max (17), full (17) or\nlegacy (six decimals)",
      .newer = true,
      .set = set_precision,
      .complete = "max|full|legacy" },
    { .name = "html",
      .value = "PATH",
      .help = "write an HTML page with curves, worst frames, figures",
      .newer = true,
      .set = set_html,
      .complete = "file" },
    { .name = "heatmap",
      .value = "DIR|html",
      .help =
          "show where in the picture quality was lost: PNG files in\nDIR, or 'html': over the worst frames of the page of\n"
          "--html; may be given for both",
      .newer = true,
      .set = set_heatmap,
      .complete = "html" },
    { .name = "heatmap_frames",
      .value = "FRAMES",
      .help = "the frames in DIR: worst (default), all, or numbers\nand ranges such as 7,100-120",
      .newer = true,
      .set = set_heatmap_frames,
      .complete = "worst|all" },
    { .name = "report",
      .help =
          "score nothing: read the JSON reports given as\narguments, or folders of them; print, judge and write\ntheir scores; "
          "with --doctor: see there",
      .newer = true,
      .set = set_report },
    { .name = "catalogue",
      .help =
          "with --report: write one page with a row for each\nreport; done by itself for folders and for more than 32\n"
          "reports",
      .newer = true,
      .set = set_catalogue },
    { .name = "watch",
      .help = "with --report: write the page again whenever reports in\n"
              "the folders come, change or go, until a signal comes",
      .newer = true,
      .set = set_watch },
    { .name = "baseline",
      .value = "PATH",
      .help =
          "with --report: compare each title with an earlier\nfolder of reports, or a file of --save_baseline",
      .newer = true,
      .set = set_baseline,
      .complete = "file" },
    { .name = "save_baseline",
      .value = "FILE",
      .help = "with --report: keep the scores for --baseline",
      .newer = true,
      .set = set_save_baseline,
      .complete = "file" },
    { .name = "max_drop",
      .value = "POINTS",
      .help =
          "with --baseline: exit with code 2 if the score or p5 of\na title is lower by more than POINTS",
      .newer = true,
      .set = set_max_drop },
    { .name = "pool",
      .value = "NAMES",
      .help =
          "print these figures of the frames' scores: mean\n(default), harmonic_mean, min, max, median, p0 to\n"
          "p100; comma-separated",
      .newer = true,
      .set = add_poolings,
      .complete = "mean|harmonic_mean|min|max|median|p1|p5|p10" },
    { .name = "fail_under",
      .value = "[NAME:]SCORE[:POOL]",
      .help =
          "exit with code 2 if the score of any model is below the\nlimit: 93, 93:p5, or 93:shot for each shot; NAME limits\n"
          "one model or feature: neg:93, ssimulacra2:70:p5. Exit\nwith code 3 if frames are missing. May be repeated",
      .newer = true,
      .set = add_score_limit },
    { .name = "allow_partial",
      .help = "accept videos that are cut off, damaged or of different\n"
              "lengths: score and judge what they have in common",
      .newer = true,
      .set = set_allow_partial },
    { .name = "lines",
      .help =
          "write a line of JSON for each frame to standard output\nas soon as it is scored, and a "
          "summary at the end;\nmemory use does not grow with the length of the video",
      .newer = true,
      .set = set_lines },
    { .name = "window",
      .value = "LENGTH",
      .help =
          "with --lines: also write a line with pooled scores for\neach LENGTH of video: 2s, 500ms, or 50 (frames)",
      .newer = true,
      .set = set_window },
    { .letter = 'q', .name = "quiet", .help = "show no progress", .set = set_quiet },
    { .name = "progress",
      .help =
          "print a line a second for programs to read, on\nstandard error: progress frame=N total=N …",
      .newer = true,
      .set = set_progress },
    { 0 },
};
