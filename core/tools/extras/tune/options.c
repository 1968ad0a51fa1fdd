/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/message.h"
#include "libvmaf/inspect.h"
#include "vmaf/spec.h"
#include "allocate.h"
#include "encoder.h"

enum {
    ARG_ENCODERS,
    ARG_COMMAND,
    ARG_CRF,
    ARG_TARGET,
    ARG_TOLERANCE,
    ARG_MAX_SIZE,
    ARG_MAX_BITRATE,
    ARG_TWO_PASS,
    ARG_LINES,
    ARG_ZONES,
    ARG_SIZES,
    ARG_STEPS,
    ARG_RATES,
    ARG_PLAYLIST,
    ARG_LEAST_FRAMES,
    ARG_CACHE,
    ARG_CACHE_SIZE,
    ARG_BACKENDS,
    ARG_SOFTWARE,
    ARG_THREADS,
    ARG_ENCODES,
    ARG_MODEL,
    ARG_DISPLAY,
    ARG_FEATURE,
    ARG_METRIC,
    ARG_POOL,
    ARG_SUBSAMPLE,
    ARG_RANGE,
    ARG_SCALED,
    ARG_OUTPUT,
    ARG_OVERWRITE,
    ARG_JSON,
    ARG_HTML,
    ARG_SVG,
    ARG_ANCHOR,
    ARG_RESUME,
    ARG_SAMPLES,
    ARG_SAMPLE_TIME,
    ARG_FFMPEG,
    ARG_TEMP,
    ARG_TIME_LIMIT,
    ARG_QUIET,
    ARG_HELP,
};

#define ROW(row_id, row_name, row_value, row_help, row_complete)                                   \
    {                                                                                              \
        .id = row_id, .name = row_name, .value = row_value, .help = row_help,                      \
        .complete = row_complete                                                                   \
    }

/* Options that several subcommands share. */
#define ENCODER_ROWS                                                                               \
    ROW(ARG_ENCODERS, "encoders", "LIST",                                                          \
        "encoders of ffmpeg, comma-separated, each with its\n"                                     \
        "own options: libx264:preset=slow,libx265",                                                \
        NULL),                                                                                     \
        ROW(ARG_COMMAND, "encoder-cmd", "COMMAND",                                                 \
            "another encoder command, such as\n"                                                   \
            "'x264 --crf {crf} -o {output} {input}'; {y4m} is the\n"                               \
            "source as Y4M, {output.EXT} chooses the file's\n"                                     \
            "extension, NAME=COMMAND names the encoder; no shell\n"                                \
            "is involved; may be repeated",                                                        \
            NULL),                                                                                 \
    {                                                                                              \
        .id = ARG_TWO_PASS, .name = "two-pass",                                                    \
        .help = "encode twice; for libx264, libx265 and MPEG-4 the\n"                              \
                "setting then is the bit rate in kbit/s"                                           \
    }
#define TARGET_ROW                                                                                 \
    ROW(ARG_TARGET, "target", "TARGET",                                                            \
        "the score to reach: 95, 93:p5, ssimulacra2:70 or\n"                                       \
        "vmaf:90:p5 (METRIC:SCORE:POOL; POOL is mean,\n"                                           \
        "harmonic_mean, min, max, median or pN); if repeated, all\n"                               \
        "have to be reached",                                                                      \
        NULL),                                                                                     \
        ROW(ARG_TOLERANCE, "tolerance", "SCORE",                                                   \
            "a score this close above its target ends the search\n"                                \
            "(default: 0.1; 0: find the exact setting)",                                           \
            NULL)
#define SCORE_ROWS                                                                                 \
    { .help = "Scores" },                                                                          \
        ROW(ARG_MODEL, "model", "SPEC", "a model, as for the vmaf command; may be repeated",       \
            "model"),                                                                              \
        ROW(ARG_DISPLAY, "display", "SCREEN", "for --model auto, as for the vmaf command",         \
            "hd|phone|4k|4k_tv"),                                                                  \
        ROW(ARG_FEATURE, "feature", "SPEC", "a feature, as for the vmaf command; see --metric",    \
            "feature"),                                                                            \
        ROW(ARG_METRIC, "metric", "NAME", "the metric to compare by (default: vmaf)", NULL),       \
        ROW(ARG_SUBSAMPLE, "subsample", "N", "score every Nth frame", NULL),                       \
        ROW(ARG_RANGE, "range", "MODE",                                                            \
            "as for the vmaf command: match converts full and\nlimited range into each other",     \
            "match"),                                                                              \
    {                                                                                              \
        .id = ARG_SCALED, .name = "allow-scaled",                                                  \
        .help = "encodes may have another size than the source;\n"                                 \
                "they are scaled to it before scoring"                                             \
    }
#define DEVICE_ROWS                                                                                \
    { .help = "Devices" },                                                                         \
        ROW(ARG_BACKENDS, "backends", "LIST",                                                      \
            "devices that score, all at once: cpu, vulkan:0,\n"                                    \
            "cuda:NAME, …; each scores one encode at a time, and\n"                              \
            "all must work here; available: those that do\n"                                       \
            "(default: VMAF_BACKEND, else cpu)",                                                   \
            "backend"),                                                                            \
        { .id = ARG_SOFTWARE,                                                                      \
          .name = "allow-software",                                                                \
          .help = "devices may be software: a CPU that emulates a GPU" },                          \
        ROW(ARG_THREADS, "threads", "N",                                                           \
            "threads for scoring, divided among the devices\n(default: one per processor)", NULL), \
        ROW(ARG_ENCODES, "encodes", "N", "encodes that run at once (default: 1)", NULL)
#define OTHER_ROWS                                                                                  \
    { .help = "Other" },                                                                            \
        ROW(ARG_FFMPEG, "ffmpeg", "PATH", "the ffmpeg to run (default: the one in PATH)", "file"),  \
        ROW(ARG_TEMP, "temp", "FOLDER",                                                             \
            "folder for encodes until they are scored (default:\n"                                  \
            "beside the output, or TMPDIR)",                                                        \
            "folder"),                                                                              \
        ROW(ARG_CACHE, "cache", "FOLDER",                                                           \
            "keep encodes and scores there, and take those of\nearlier runs from it", "folder"),    \
        ROW(ARG_CACHE_SIZE, "cache-size", "SIZE",                                                   \
            "size limit of that folder (default: 10G); the least\nrecently used are deleted first", \
            NULL),                                                                                  \
        ROW(ARG_TIME_LIMIT, "time-limit", "SECONDS",                                                \
            "time limit for each encode and each scoring", NULL),                                   \
        { .id = ARG_QUIET, .letter = 'q', .name = "quiet", .help = "show no progress" },            \
        ROW(ARG_HELP, "help", NULL, "print this text", NULL),                                       \
    {                                                                                               \
        0                                                                                           \
    }

#define RESUME_ROW                                                                                 \
    ROW(ARG_RESUME, "resume", "PATH",                                                              \
        "save each result there; after an interruption, the\n"                                     \
        "same command continues from it",                                                          \
        "file")

#define POOL_WORDS "mean|harmonic_mean|min|max|median|p1|p5|p10"

static const Arg compare_options[] = {
    { .help = "Encoders" },
    ENCODER_ROWS,
    ROW(ARG_CRF, "crf", "LIST",
        "settings: 20..44:6 or 20,26,32; ENCODER=LIST is for\none encoder only; may be repeated",
        NULL),
    ROW(ARG_ANCHOR, "anchor", "ENCODER",
        "the encoder to compare the others with (default:\nthe first)", NULL),
    SCORE_ROWS,
    ROW(ARG_POOL, "pool", "POOL", "mean (default), harmonic_mean, min, max, median, pN",
        POOL_WORDS),
    { .help = "Output" },
    { .id = ARG_JSON,
      .letter = 'o',
      .name = "json",
      .value = "PATH",
      .help = "write all results as JSON; '-' is standard output",
      .complete = "file" },
    ROW(ARG_HTML, "html", "PATH", "write a page with curves and tables", "file"),
    ROW(ARG_SVG, "svg", "PATH", "write the chart of the curves", "file"),
    RESUME_ROW,
    DEVICE_ROWS,
    OTHER_ROWS,
};

static const Arg search_options[] = {
    { .help = "Encoder" },
    ROW(ARG_ENCODERS, "encoder", "NAME",
        "encoder of ffmpeg, optionally with options:\nlibsvtav1:preset=6", NULL),
    ROW(ARG_COMMAND, "encoder-cmd", "COMMAND",
        "another encoder command, such as\n"
        "'x264 --crf {crf} -o {output} {input}'",
        NULL),
    { .id = ARG_TWO_PASS,
      .name = "two-pass",
      .help = "encode twice; for libx264, libx265 and MPEG-4 the\n"
              "setting then is the bit rate in kbit/s" },
    TARGET_ROW,
    ROW(ARG_MAX_SIZE, "max-size", "SIZE",
        "largest size of the video: 60% of the source's, or\n700M; without --target: the best score within it",
        NULL),
    ROW(ARG_MAX_BITRATE, "max-bitrate", "RATE", "highest bit rate of the video: 4M, or 4000k",
        NULL),
    ROW(ARG_CRF, "crf", "A..B[:STEP]", "only try these settings", NULL),
    { .help = "Samples" },
    ROW(ARG_SAMPLES, "samples", "N",
        "samples to encode instead of the whole video\n"
        "(default: 4; 0: the whole video)",
        NULL),
    ROW(ARG_SAMPLE_TIME, "sample-time", "SECONDS", "length of each sample (default: 8)", NULL),
    SCORE_ROWS,
    { .help = "Output" },
    { .id = ARG_OUTPUT,
      .letter = 'o',
      .name = "output",
      .value = "PATH",
      .help =
          "encode the whole video with the setting found, and\ncheck its score; audio is copied",
      .complete = "file" },
    { .id = ARG_OVERWRITE,
      .letter = 'y',
      .name = "overwrite",
      .help = "replace the output file if it exists" },
    ROW(ARG_JSON, "json", "PATH", "write all results as JSON; '-' is standard output", "file"),
    ROW(ARG_LINES, "lines", "PATH",
        "write a line of JSON for each try and each second,\nas they come; '-' is standard output",
        "file"),
    RESUME_ROW,
    DEVICE_ROWS,
    OTHER_ROWS,
};

static const Arg corpus_options[] = {
    { .help = "Encoders" },
    ENCODER_ROWS,
    ROW(ARG_CRF, "crf", "LIST", "settings to try: 20..44:6 or 20,26,32", NULL),
    TARGET_ROW,
    ROW(ARG_SAMPLES, "samples", "N", "as for search", NULL),
    ROW(ARG_SAMPLE_TIME, "sample-time", "SECONDS", "as for search", NULL),
    SCORE_ROWS,
    ROW(ARG_POOL, "pool", "POOL", "mean (default), harmonic_mean, min, max, median, pN",
        POOL_WORDS),
    { .help = "Output" },
    { .id = ARG_OUTPUT,
      .letter = 'o',
      .name = "output",
      .value = "PATH",
      .help = "file for results, one line of JSON each; results\nalready in it are skipped",
      .complete = "file" },
    DEVICE_ROWS,
    OTHER_ROWS,
};

static const Arg shots_options[] = {
    { .help = "Encoder" },
    ROW(ARG_ENCODERS, "encoder", "NAME",
        "encoder of ffmpeg, optionally with options:\nlibx264:preset=slow", NULL),
    ROW(ARG_COMMAND, "encoder-cmd", "COMMAND",
        "another encoder command, such as\n"
        "'x264 --crf {crf} -o {output} {input}'",
        NULL),
    ROW(ARG_TARGET, "target", "TARGET",
        "the score that the whole has to reach: 95, 93:p5 or\nssimulacra2:70", NULL),
    ROW(ARG_CRF, "crf", "LIST",
        "settings to try first; others between them follow\n(default: five around the usual setting)",
        NULL),
    { .help = "Shots" },
    ROW(ARG_LEAST_FRAMES, "shot-frames", "N",
        "least number of frames of a shot: shorter shots become\npart of a neighbour (default: 24)",
        NULL),
    { .id = ARG_ZONES,
      .name = "zones",
      .help = "encode the whole at once with zones (libx264, libx265)\ninstead of joining shots" },
    SCORE_ROWS,
    { .help = "Output" },
    { .id = ARG_OUTPUT,
      .letter = 'o',
      .name = "output",
      .value = "PATH",
      .help = "write the whole video, and check its score; audio is\ncopied",
      .complete = "file" },
    { .id = ARG_OVERWRITE,
      .letter = 'y',
      .name = "overwrite",
      .help = "replace the output file if it exists" },
    ROW(ARG_JSON, "json", "PATH", "write all results as JSON; '-' is standard output", "file"),
    ROW(ARG_LINES, "lines", "PATH",
        "write a line of JSON for each try, as they come; '-'\nis standard output", "file"),
    DEVICE_ROWS,
    OTHER_ROWS,
};

static const Arg ladder_options[] = {
    { .help = "Encoder" },
    ROW(ARG_ENCODERS, "encoder", "NAME",
        "encoder of ffmpeg, optionally with options:\nlibx264:preset=slow", NULL),
    ROW(ARG_CRF, "crf", "LIST", "settings to try each size with (default: five)", NULL),
    { .help = "Rungs" },
    ROW(ARG_SIZES, "sizes", "LIST",
        "heights of the sizes to try (default:\n2160,1440,1080,720,540,360), up to that of the source",
        NULL),
    ROW(ARG_STEPS, "target-steps", "N", "number of rungs, with even steps of quality (default: 6)",
        NULL),
    ROW(ARG_RATES, "rates", "LIST",
        "bit rates of the rungs, instead of --target-steps:\n400k,800k,2M", NULL),
    ROW(ARG_TARGET, "target", "TARGET",
        "the score of the highest rung (default: 95, or the\nbest that was measured)", NULL),
    ROW(ARG_SAMPLES, "samples", "N", "as for search", NULL),
    ROW(ARG_SAMPLE_TIME, "sample-time", "SECONDS", "as for search", NULL),
    SCORE_ROWS,
    { .help = "Output" },
    { .id = ARG_JSON,
      .letter = 'o',
      .name = "json",
      .value = "PATH",
      .help = "write all results as JSON; '-' is standard output",
      .complete = "file" },
    ROW(ARG_HTML, "html", "PATH", "write a page with curves and tables", "file"),
    ROW(ARG_PLAYLIST, "playlist", "PATH", "write the master playlist for HLS", "file"),
    ROW(ARG_LINES, "lines", "PATH",
        "write a line of JSON for each encode, as they come;\n'-' is standard output", "file"),
    DEVICE_ROWS,
    OTHER_ROWS,
};

const Subcommand tune_commands[] = {
    [TUNE_COMPARE] = { "compare", "SOURCE",
                       "Encode a video with several encoders and settings, and compare the scores.",
                       compare_options },
    [TUNE_SEARCH] = { "search", "SOURCE",
                      "Find the setting of an encoder that just reaches a score.", search_options },
    [TUNE_CORPUS] = { "corpus", "LIST",
                      "Compare or search for a list of videos, one per line; continues after an "
                      "interruption.",
                      corpus_options },
    [TUNE_SHOTS] = { "shots", "SOURCE",
                     "Find a setting for each shot, such that the whole reaches a score with the "
                     "fewest bits.",
                     shots_options },
    [TUNE_LADDER] = { "ladder", "SOURCE", "Choose sizes and settings for adaptive streaming.",
                      ladder_options },
    { 0 },
};

void tune_print_help(const Subcommand *command, FILE *file)
{
    if (command) {
        fprintf(file, "Usage: vmaf-tune %s %s [OPTION]...\n%s\n", command->name, command->words,
                command->summary);
        args_print_help(command->options, file);
        return;
    }
    fputs("Usage: vmaf-tune COMMAND ...\nCompare encoders and settings by size and quality.\n\n"
          "Commands:\n",
          file);
    for (command = tune_commands; command->name; command++)
        fprintf(file, "  %-8s %-8s %s\n", command->name, command->words, command->summary);
    fputs("\n`vmaf-tune COMMAND --help` describes a command; `vmaf-tune --version` prints the "
          "version.\n",
          file);
}

static Encoder *new_encoder(TuneOptions *options)
{
    Encoder *const grown =
        realloc(options->encoders, (options->encoder_count + 1) * sizeof(*grown));
    if (!grown)
        return NULL;
    options->encoders = grown;
    grown[options->encoder_count] = (Encoder){ 0 };
    return &grown[options->encoder_count++];
}

static int check_label(const TuneOptions *options)
{
    const Encoder *const last = &options->encoders[options->encoder_count - 1];
    for (const Encoder *e = options->encoders; e < last; e++)
        if (!strcmp(e->label, last->label))
            return wrong("the encoder \"%s\" is given twice", last->label);
    return 0;
}

static int add_encoders(TuneOptions *options, const char *text)
{
    for (const char *at = text;; at++) {
        const char *end = at;
        while (*end && *end != ',')
            end += *end == '\\' && end[1] ? 2 : 1;
        char error[512];
        Encoder *const encoder = new_encoder(options);
        if (!encoder)
            return -ENOMEM;
        int err = encoder_parse(encoder, at, (size_t)(end - at), error, sizeof(error));
        if (err == -EINVAL)
            return wrong("%s", error);
        if (!err)
            err = check_label(options);
        if (err || !*end)
            return err;
        at = end;
    }
}

static int add_command(TuneOptions *options, const char *text)
{
    char error[512];
    Encoder *const encoder = new_encoder(options);
    if (!encoder)
        return -ENOMEM;
    const int err = encoder_parse_command(encoder, text, error, sizeof(error));
    if (err == -EINVAL)
        return wrong("%s", error);
    return err ? err : check_label(options);
}

/* Apply a --crf argument. Call this only after all encoders are known. */
static int apply_settings(TuneOptions *options, const char *text)
{
    const char *const equals = strrchr(text, '=');
    double values[RANGE_MAX];
    size_t count, fitting = 0;
    char error[512];
    if (range_parse(equals ? equals + 1 : text, values, &count, error, sizeof(error)))
        return wrong("--crf: %s", error);
    for (size_t i = 0; i < options->encoder_count; i++) {
        Encoder *const e = &options->encoders[i];
        if (equals && (strlen(e->label) != (size_t)(equals - text) ||
                       strncmp(e->label, text, (size_t)(equals - text))))
            continue;
        if (!equals && e->settings) /* settings for one encoder take precedence */
            continue;
        fitting++;
        for (size_t k = 0; k < count; k++)
            if (encoder_check_setting(e, values[k], error, sizeof(error)))
                return wrong("%s", error);
        double *const settings = malloc(count * sizeof(*settings));
        if (!settings)
            return -ENOMEM;
        memcpy(settings, values, count * sizeof(*settings));
        free(e->settings);
        e->settings = settings;
        e->setting_count = count;
    }
    return equals && !fitting ? wrong("--crf %s: no encoder has that name", text) : 0;
}

static int set_pooling(TuneOptions *options, const char *name)
{
    char error[256];
    return pooling_set(&options->pooling, name, error, sizeof(error)) ? wrong("%s", error) : 0;
}

static int add_target(TuneOptions *options, const char *text)
{
    char error[256];
    const int err = targets_add(&options->targets, text, error, sizeof(error));
    return err == -EINVAL ? wrong("%s", error) : err;
}

/* Parse a number with k, M or G (of 1000) at its end. */
static int take_amount(const Arg *arg, const char *text, double *value)
{
    static const char units[] = "kMG";
    char *end;
    *value = strtod(text, &end);
    const char *const unit = *end ? strchr(units, *end) : NULL;
    if (unit)
        *value *= pow(1000.0, (double)(unit - units + 1));
    if (end == text || !(*value > 0.0) || !isfinite(*value) || (*end && (!unit || end[1])))
        return wrong("--%s takes a number with k, M or G, such as 700M, not \"%s\"", arg->name,
                     text);
    return 0;
}

static int take_max_size(TuneOptions *options, const Arg *arg, const char *text)
{
    char *end;
    const double percent = strtod(text, &end);
    options->max_share = options->max_bytes = 0.0;
    if (end == text || strcmp(end, "%") != 0)
        return take_amount(arg, text, &options->max_bytes);
    if (!(percent > 0.0) || !isfinite(percent))
        return wrong("--max-size takes a share of more than 0%%, not \"%s\"", text);
    options->max_share = percent / 100.0;
    return 0;
}

static bool has_word(const TuneOptions *options, const char *word)
{
    for (size_t i = 0; i < options->score_words.count; i++)
        if (!strcmp(options->score_words.words[i], word))
            return true;
    return false;
}

static bool has_model(const TuneOptions *options)
{
    return has_word(options, "--model");
}

static int take_sizes(TuneOptions *options, const char *text)
{
    char error[256];
    if (range_parse(text, options->sizes, &options->size_count, error, sizeof(error)))
        return wrong("--sizes: %s", error);
    for (size_t i = 0; i < options->size_count; i++)
        if (options->sizes[i] < 16 || fmod(options->sizes[i], 2.0) != 0.0)
            return wrong("--sizes takes even numbers of rows from 16 on, not \"%g\"",
                         options->sizes[i]);
    return 0;
}

static int take_rates(TuneOptions *options, const Arg *arg, const char *text)
{
    char one[32];
    options->rate_count = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (options->rate_count == RANGE_MAX || length >= sizeof(one))
            return wrong("--rates takes at most %d rates, such as 400k,800k,2M", RANGE_MAX);
        snprintf(one, sizeof(one), "%.*s", (int)length, at);
        const int err = take_amount(arg, one, &options->rates[options->rate_count]);
        if (err)
            return err;
        options->rates[options->rate_count++] /= 1000.0;
        at += length;
        if (!*at)
            return 0;
    }
}

/* A ladder is scored by the model that fits the display, unless another one was named, and at the
 * display's size. */
static int choose_model(TuneOptions *options)
{
    if (strcmp(options->metric, "vmaf") != 0)
        return 0;
    if (!has_model(options))
        argv_add_all(&options->score_words, (const char *const[]){ "--model", "auto", NULL });
    argv_add_all(&options->score_words, (const char *const[]){ "--scale", "model", NULL });
    return options->score_words.failed ? -ENOMEM : 0;
}

static int add_score_words(TuneOptions *options, const Arg *arg, const char *value)
{
    argv_addf(&options->score_words, "--%s", arg->name);
    argv_add(&options->score_words, value);
    return options->score_words.failed ? -ENOMEM : 0;
}

static int apply(TuneOptions *options, const Arg *arg, const char *value)
{
    unsigned number;
    char error[512];
    int err;
    switch (arg->id) {
    case ARG_ENCODERS:
        return add_encoders(options, value);
    case ARG_COMMAND:
        return add_command(options, value);
    case ARG_CRF: /* handled by walk_settings, once all encoders are known */
        return 0;
    case ARG_TARGET:
        return add_target(options, value);
    case ARG_TOLERANCE:
        return take_number(arg, value, 0, 100, &options->tolerance);
    case ARG_MAX_SIZE:
        return take_max_size(options, arg, value);
    case ARG_MAX_BITRATE:
        err = take_amount(arg, value, &options->max_bitrate);
        options->max_bitrate /= 1000.0;
        return err;
    case ARG_TWO_PASS:
        options->two_pass = true;
        return 0;
    case ARG_SIZES:
        return take_sizes(options, value);
    case ARG_STEPS:
        return take_count(arg, value, 1, 100, &options->target_steps);
    case ARG_RATES:
        return take_rates(options, arg, value);
    case ARG_PLAYLIST:
        options->playlist = value;
        return 0;
    case ARG_ZONES:
        options->zones = true;
        return 0;
    case ARG_LEAST_FRAMES:
        return take_count(arg, value, 1, 1000000, &options->least_frames);
    case ARG_CACHE:
        options->cache = value;
        return 0;
    case ARG_CACHE_SIZE:
        return take_amount(arg, value, &options->cache_bytes);
    case ARG_LINES:
        options->lines = value;
        return 0;
    case ARG_BACKENDS:
        scoring_devices_free(options->devices, options->device_count);
        options->devices = NULL;
        options->device_count = 0;
        options->available = !strcmp(value, "available");
        if (options->available)
            return 0;
        err = scoring_devices_parse(&options->devices, &options->device_count, value, error,
                                    sizeof(error));
        return err == -EINVAL ? wrong("%s", error) : err;
    case ARG_SOFTWARE:
        options->allow_software = true;
        return 0;
    case ARG_SCALED:
        options->allow_scaled = true;
        return 0;
    case ARG_THREADS:
        return take_count(arg, value, 1, 1024, &options->threads);
    case ARG_ENCODES:
        return take_count(arg, value, 1, 256, &options->encodes);
    case ARG_SUBSAMPLE:
        err = take_count(arg, value, 1, 1000000, &number);
        return err ? err : add_score_words(options, arg, value);
    case ARG_MODEL:
    case ARG_DISPLAY:
    case ARG_FEATURE:
    case ARG_RANGE:
        return add_score_words(options, arg, value);
    case ARG_METRIC:
        options->metric = value;
        return 0;
    case ARG_POOL:
        return set_pooling(options, value);
    case ARG_OUTPUT:
        options->output = value;
        return 0;
    case ARG_OVERWRITE:
        options->overwrite = true;
        return 0;
    case ARG_JSON:
        options->json = value;
        return 0;
    case ARG_HTML:
        options->html = value;
        return 0;
    case ARG_SVG:
        options->svg = value;
        return 0;
    case ARG_RESUME:
        options->resume = value;
        return 0;
    case ARG_ANCHOR:
        options->anchor = value;
        return 0;
    case ARG_SAMPLES:
        return take_count(arg, value, 0, 1000, &options->samples);
    case ARG_SAMPLE_TIME:
        return take_number(arg, value, 0.1, 3600, &options->sample_seconds);
    case ARG_FFMPEG:
        options->ffmpeg = value;
        return 0;
    case ARG_TEMP:
        options->temp = value;
        return 0;
    case ARG_TIME_LIMIT:
        return take_number(arg, value, 0.001, 1e7, &options->time_limit);
    case ARG_QUIET:
        options->quiet = true;
        return 0;
    }
    return -EINVAL;
}

/* Scan the command line. With `settings`, only apply --crf for single encoders (ENCODER=LIST). */
static int walk(TuneOptions *options, const Subcommand *command, int argc, char **argv,
                bool settings, bool *help)
{
    ArgScanner scanner;
    const Arg *arg;
    const char *value;
    int got, err = 0;
    args_start(&scanner, command->options, argc, argv);
    while (!err && (got = args_next(&scanner, &arg, &value))) {
        if (got < 0)
            return wrong("%s", scanner.error);
        if (settings) {
            const bool alone = arg && arg->id == ARG_CRF && strchr(value, '=');
            if (arg && arg->id == ARG_CRF && alone)
                err = apply_settings(options, value);
        } else if (!arg) {
            if (options->subject)
                err = wrong("unexpected \"%s\"", value);
            options->subject = value;
        } else if (arg->id == ARG_HELP) {
            *help = true;
            return 0;
        } else {
            err = apply(options, arg, value);
        }
    }
    return err;
}

/* Apply --crf for single encoders first, then --crf for all others. */
static int walk_settings(TuneOptions *options, const Subcommand *command, int argc, char **argv)
{
    ArgScanner scanner;
    const Arg *arg;
    const char *value;
    int err = walk(options, command, argc, argv, true, NULL);
    args_start(&scanner, command->options, argc, argv);
    while (!err && args_next(&scanner, &arg, &value) > 0)
        if (arg && arg->id == ARG_CRF && !strchr(value, '='))
            err = apply_settings(options, value);
    return err;
}

/* Restrict a search to the range of settings given with --crf. */
static void narrow(TuneOptions *options)
{
    for (size_t i = 0; i < options->encoder_count; i++) {
        Encoder *const e = &options->encoders[i];
        if (!e->setting_count)
            continue;
        e->low = e->settings[0];
        e->high = e->settings[e->setting_count - 1];
    }
}

/* True if --feature names the extractor, alone or with options. */
static bool has_feature(const TuneOptions *options, const char *extractor)
{
    const size_t length = strlen(extractor);
    for (size_t i = 0; i + 1 < options->score_words.count; i++) {
        const char *const value = options->score_words.words[i + 1];
        if (!strcmp(options->score_words.words[i], "--feature") &&
            !strncmp(value, extractor, length) && (!value[length] || value[length] == '='))
            return true;
    }
    return false;
}

/* Lets the name of a metric choose what is measured: adds the extractor that makes it. `model`: a
 * model is needed by another metric. */
static int add_feature_of_metric(TuneOptions *options, const char *metric, bool model)
{
    const char *const ours = vmaf_extractor_elsewhere(metric);
    const char *const maker = extractor_of_metric(metric);
    if (!maker && ours)
        return wrong("unknown metric \"%s\"; here its name is %s: --metric %s", metric, ours, ours);
    if (!strncmp(metric, "axpsnr_", strlen("axpsnr_")))
        return wrong("the mean of %s is that figure: --metric %s", metric + 1, metric + 1);
    if (!maker || has_feature(options, maker))
        return 0;
    if (!model && !has_model(options) && !has_word(options, "--no_prediction"))
        argv_add(&options->score_words, "--no_prediction");
    argv_add(&options->score_words, "--feature");
    argv_add(&options->score_words, maker);
    return options->score_words.failed ? -ENOMEM : 0;
}

/* Settle the metrics of all targets, and what has to be measured for them. */
static int settle_metrics(TuneOptions *options)
{
    bool model = false;
    int err = targets_finish(&options->targets, options->metric, &options->metrics);
    for (size_t i = 0; i < options->metrics.count; i++)
        model |= !extractor_of_metric(options->metrics.names[i]);
    for (size_t i = 0; !err && i < options->metrics.count; i++)
        err = add_feature_of_metric(options, options->metrics.names[i], model);
    if (options->targets.count)
        options->pooling = options->targets.at[0].pooling;
    options->metric = options->metrics.names[0];
    return err;
}

/* Are settings looked for, instead of listed? */
static bool is_search(const TuneOptions *options)
{
    return options->targets.count || options->max_share > 0.0 || options->max_bytes > 0.0 ||
           options->max_bitrate > 0.0;
}

static int set_two_pass(TuneOptions *options)
{
    char error[256];
    int err = 0;
    for (size_t i = 0; !err && i < options->encoder_count; i++)
        err = encoder_set_two_pass(&options->encoders[i], error, sizeof(error));
    return err ? wrong("%s", error) : 0;
}

static int check(const TuneOptions *options, enum TuneAction action)
{
    const Subcommand *const command = &tune_commands[action];
    const bool one = action == TUNE_SEARCH || action == TUNE_SHOTS || action == TUNE_LADDER;
    if (!options->subject)
        return wrong("%s needs a %s", command->name, command->words);
    if (!options->encoder_count)
        return wrong("%s needs %s, or --encoder-cmd", command->name,
                     one ? "--encoder" : "--encoders");
    if (one && options->encoder_count > 1)
        return wrong("%s takes one encoder", command->name);
    if (action == TUNE_LADDER && options->targets.count > 1)
        return wrong("ladder takes one --target");
    if (action == TUNE_SHOTS && options->targets.count != 1)
        return wrong("shots needs one --target");
    if (action == TUNE_SHOTS && !allocation_pools(&options->pooling))
        return wrong("shots cannot divide bits for the best frame; choose another --target");
    if (action == TUNE_SEARCH && !is_search(options))
        return wrong("search needs --target, or a limit: --max-size or --max-bitrate");
    if (action == TUNE_CORPUS && !options->output)
        return wrong("corpus needs --output");
    if (action != TUNE_SEARCH && action != TUNE_LADDER && !is_search(options)) {
        for (size_t i = 0; i < options->encoder_count; i++)
            if (!options->encoders[i].setting_count)
                return wrong("%s needs settings for %s; use --crf", command->name,
                             options->encoders[i].label);
    }
    if (options->anchor) {
        bool found = false;
        for (size_t i = 0; i < options->encoder_count; i++)
            found |= !strcmp(options->encoders[i].label, options->anchor);
        if (!found)
            return wrong("the anchor \"%s\" is not one of the encoders", options->anchor);
    }
    return 0;
}

int tune_options_parse(TuneOptions *options, int argc, char **argv, enum TuneAction *action,
                       const Subcommand **command)
{
    *options = (TuneOptions){ .ffmpeg = "ffmpeg",
                              .metric = "vmaf",
                              .encodes = 1,
                              .samples = 4,
                              .sample_seconds = 8,
                              .tolerance = 0.1,
                              .least_frames = 24,
                              .sizes = { 360, 540, 720, 1080, 1440, 2160 },
                              .size_count = 6,
                              .target_steps = 6,
                              .cache_bytes = 10e9,
                              .pooling = { POOLING_MEAN, 0, "mean" } };
    *command = NULL;
    unsigned found;
    int err = subcommand_find("vmaf-tune", tune_commands, argc > 1 ? argv[1] : "", &found);
    *action = found;
    if (err || found >= TUNE_HELP)
        return err;
    *command = &tune_commands[found];
    bool help = false;
    err = walk(options, *command, argc - 1, argv + 1, false, &help);
    if (help)
        *action = TUNE_HELP;
    if (err || help)
        return err;
    if (options->two_pass)
        err = set_two_pass(options);
    if (!err)
        err = walk_settings(options, *command, argc - 1, argv + 1);
    if (!err && !options->devices && !options->available)
        err = scoring_devices_from_environment(&options->devices, &options->device_count);
    if (!err && !options->devices && !options->available) {
        char error[64];
        err = scoring_devices_parse(&options->devices, &options->device_count, "cpu", error,
                                    sizeof(error));
    }
    if (is_search(options))
        narrow(options);
    if (!err)
        err = settle_metrics(options);
    if (!err && *action == TUNE_LADDER)
        err = choose_model(options);
    return err ? err : check(options, *action);
}

/* True if both paths lead to one ordinary file. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return !stat(a, &first) && !stat(b, &second) && S_ISREG(first.st_mode) && first.st_ino &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* True if writing to one of the paths would overwrite what is written to the other. */
static bool is_same_output(const char *a, const char *b)
{
    struct stat info;
    if (stat(a, &info)) /* it is made by this run */
        return !strcmp(a, b);
    return is_same_file(a, b);
}

int tune_outputs_check(const TuneOptions *options)
{
    const struct {
        const char *option, *path;
    } files[] = { { "output", options->output },    { "json", options->json },
                  { "html", options->html },        { "svg", options->svg },
                  { "resume", options->resume },    { "lines", options->lines },
                  { "playlist", options->playlist } };
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        if (!files[i].path || !strcmp(files[i].path, "-"))
            continue;
        if (is_same_file(files[i].path, options->subject)) {
            say("--%s %s would overwrite what is read; choose another path", files[i].option,
                files[i].path);
            return -EINVAL;
        }
        for (size_t k = 0; k < i; k++) {
            if (!files[k].path || !is_same_output(files[i].path, files[k].path))
                continue;
            say("--%s and --%s have the same path: %s", files[k].option, files[i].option,
                files[i].path);
            return -EINVAL;
        }
    }
    return 0;
}

void tune_options_free(TuneOptions *options)
{
    for (size_t i = 0; i < options->encoder_count; i++)
        encoder_free(&options->encoders[i]);
    free(options->encoders);
    scoring_devices_free(options->devices, options->device_count);
    argv_free(&options->score_words);
    targets_free(&options->targets);
    *options = (TuneOptions){ .subject = NULL };
}
