/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "backends.h"
#include "libvmaf/device.h"
#include "libvmaf/report.h"
#include "options.h"
#include "preset.h"

enum {
    ARG_REFERENCE,
    ARG_DISTORTED,
    ARG_WIDTH,
    ARG_HEIGHT,
    ARG_PIXEL_FORMAT,
    ARG_BITDEPTH,
    ARG_MODEL,
    ARG_FEATURE,
    ARG_OUTPUT,
    ARG_FORMAT, /* --NAME */
    ARG_PRECISION,
    ARG_THREADS,
    ARG_SUBSAMPLE,
    ARG_CPUMASK,
    ARG_GPUMASK,
    ARG_FRAME_CNT,
    ARG_FRAME_SKIP_REF,
    ARG_FRAME_SKIP_DIST,
    ARG_AOM_CTC,
    ARG_NFLX_CTC,
    ARG_NO_PREDICTION,
    ARG_QUIET,
    ARG_VERSION,
    ARG_HELP,
    ARG_LIST_DEVICES,
    ARG_LIST_MODELS,
    ARG_LIST_FEATURES,
    ARG_BACKEND,
    ARG_DEVICE,
    ARG_ALLOW_SOFTWARE,
    ARG_EACH_BACKEND,   /* stands for the two below, of every backend */
    ARG_BACKEND_DEVICE, /* --NAME_device */
    ARG_BACKEND_OFF,    /* --no_NAME */
    ARG_NO_METAL,
};

static const Arg fixed_args[] = {
    { .help = "Videos (Y4M, or raw planes; '-' is standard input)" },
    { ARG_REFERENCE, 'r', "reference", "PATH", "reference video", false },
    { ARG_DISTORTED, 'd', "distorted", "PATH", "distorted video", false },
    { .help = "Raw video (all four make both videos raw)" },
    { ARG_WIDTH, 'w', "width", "N", "width in samples", false },
    { ARG_HEIGHT, 'h', "height", "N", "height in samples", false },
    { ARG_PIXEL_FORMAT, 'p', "pixel_format", "FORMAT", "420, 422, 444 or 400", false },
    { ARG_BITDEPTH, 'b', "bitdepth", "N", "8, 10, 12 or 16", false },
    { .help = "What to compute" },
    { ARG_MODEL, 'm', "model", "SPEC",
      "version=NAME or path=FILE, and after a ':' each:\n"
      "name=METRIC, disable_clip, enable_transform,\n"
      "EXTRACTOR.OPTION=VALUE; may be repeated\n"
      "(default: version=vmaf_v0.6.1)",
      false },
    { ARG_FEATURE, 0, "feature", "SPEC",
      "EXTRACTOR or EXTRACTOR=OPTION=VALUE:OPTION=VALUE…;\nmay be repeated", false },
    { ARG_AOM_CTC, 0, "aom_ctc", "VERSION",
      "models and features of the AOM common test\nconditions, v1.0 to v7.0", false },
    { ARG_NFLX_CTC, 0, "nflx_ctc", "VERSION", "those of the Netflix common test conditions, v1.0",
      false },
    { ARG_NO_PREDICTION, 'n', "no_prediction", NULL, "features only, no model scores", false },
    { ARG_SUBSAMPLE, 0, "subsample", "N", "score every Nth frame", false },
    { ARG_FRAME_CNT, 0, "frame_cnt", "N", "stop after N pairs of frames", false },
    { ARG_FRAME_SKIP_REF, 0, "frame_skip_ref", "N", "drop the first N reference frames", false },
    { ARG_FRAME_SKIP_DIST, 0, "frame_skip_dist", "N", "drop the first N distorted frames", false },
    { .help = "Output" },
    { ARG_OUTPUT, 'o', "output", "PATH", "write a report", false },
    { ARG_FORMAT, 0, "xml", NULL, "as XML (default)", false },
    { ARG_FORMAT, 0, "json", NULL, "as JSON", false },
    { ARG_FORMAT, 0, "csv", NULL, "as CSV, frames only", false },
    { ARG_FORMAT, 0, "sub", NULL, "as subtitles, frames only", false },
    { ARG_PRECISION, 0, "precision", "P",
      "1 to 17 significant digits, max (17), full (17) or\nlegacy (six decimals)", true },
    { ARG_QUIET, 'q', "quiet", NULL, "no progress", false },
    { .help = "Where to compute" },
    { ARG_THREADS, 0, "threads", "N", "worker threads", false },
    { ARG_CPUMASK, 'c', "cpumask", "BITS",
      "instruction sets to leave unused: 1 SSE2/NEON,\n2 SSSE3, 4 SSE4.1, 8 AVX2, 16 AVX-512, 32 its\n"
      "Ice Lake parts",
      false },
    { ARG_GPUMASK, 0, "gpumask", "BITS", "not 0: no GPU", false },
    { ARG_BACKEND, 0, "backend", "NAME", NULL /* backend_help */, true },
    { ARG_DEVICE, 0, "device", "DEVICE",
      "this GPU: its number in --list_devices, a part of\nits name, its UUID or its PCI address",
      true },
    { ARG_ALLOW_SOFTWARE, 0, "allow_software", NULL, "a software device will do, too", true },
    { ARG_EACH_BACKEND, 0, "", NULL, NULL, true },
    { ARG_ALLOW_SOFTWARE, 0, "vulkan_allow_software", NULL, "older name of --allow_software",
      true },
    { ARG_NO_METAL, 0, "no_metal", NULL, "never use Metal (it never is)", true },
    { .help = "About this program" },
    { ARG_VERSION, 'v', "version", NULL, "print the version on standard error", false },
    { ARG_HELP, 0, "help", NULL, "print this text", true },
    { ARG_LIST_MODELS, 0, "list_models", NULL, "print the built-in models", true },
    { ARG_LIST_FEATURES, 0, "list_features", NULL,
      "print the extractors, their options and metrics", true },
    { ARG_LIST_DEVICES, 0, "list_devices", NULL,
      "print the GPUs that can be used, and what the other\nbackends lack", true },
    { 0 },
};

static const char *backend_help(void)
{
    static char text[256];
    char names[128];
    backend_names(names, sizeof(names));
    snprintf(text, sizeof(text),
             "cpu (default); %s: exactly\nthat one, never another; auto: the first of them\n"
             "that has a GPU, else the CPU",
             names);
    return text;
}

/* The options with those of each backend of the library: --NAME_device and --no_NAME. */
static const Arg *arg_table(void)
{
    enum { FIXED = sizeof(fixed_args) / sizeof(*fixed_args), ROWS = 2 };
    static char names[BACKENDS_MAX][ROWS][40], helps[BACKENDS_MAX][ROWS][80];
    static Arg table[FIXED + ROWS * BACKENDS_MAX];
    static const enum { DEVICE, OFF } rows[ROWS] = { DEVICE, OFF };
    const char *name;
    unsigned at = 0;
    if (table[0].help)
        return table;
    for (unsigned i = 0; i < FIXED; i++) {
        if (fixed_args[i].id != ARG_EACH_BACKEND) {
            table[at] = fixed_args[i];
            if (table[at].id == ARG_BACKEND)
                table[at].help = backend_help();
            at++;
            continue;
        }
        for (unsigned r = 0; r < ROWS; r++) {
            for (unsigned b = 0; b < BACKENDS_MAX && (name = vmaf_backend_name(b)); b++) {
                const bool device = rows[r] == DEVICE;
                snprintf(names[b][r], sizeof(names[b][r]), device ? "%s_device" : "no_%s", name);
                snprintf(helps[b][r], sizeof(helps[b][r]),
                         device ? "--backend %s, on this device" : "never use %s",
                         device ? name : vmaf_backend_title(name));
                table[at++] = (Arg){ device ? ARG_BACKEND_DEVICE : ARG_BACKEND_OFF,
                                     0,
                                     names[b][r],
                                     device ? "DEVICE" : NULL,
                                     helps[b][r],
                                     true };
            }
        }
    }
    return table;
}

void options_print_help(FILE *file)
{
    fputs("Usage: vmaf -r REFERENCE -d DISTORTED [OPTION]...\n"
          "Score the quality of a distorted video against its reference.\n",
          file);
    args_print_help(arg_table(), file);
}

static int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int usage_error(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputs("\n\n", stderr);
    options_print_help(stderr);
    return -EINVAL;
}

static int bad_value(const Arg *arg, const char *value, const char *wanted)
{
    char name[48] = "";
    if (arg->letter)
        snprintf(name, sizeof(name), "-%c/", arg->letter);
    return usage_error("Invalid argument \"%s\" for option %s--%s; should be %s", value, name,
                       arg->name, wanted);
}

/* Numbers are in C notation. A mask may be negative: -1 is all bits. */
static int parse_mask(const Arg *arg, const char *value, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(value, &end, 0);
    if (end == value || *end || errno)
        return bad_value(arg, value, "an integer");
    return 0;
}

static int parse_number(const Arg *arg, const char *value, unsigned *out)
{
    uint64_t number;
    const int err = parse_mask(arg, value, &number);
    if (err)
        return err;
    if (strchr(value, '-'))
        return bad_value(arg, value, "an integer that is not negative");
    if (number > UINT_MAX)
        return bad_value(arg, value, "a smaller integer");
    *out = (unsigned)number;
    return 0;
}

static int parse_threads(const Arg *arg, const char *value, unsigned *out)
{
    enum { THREADS_MAX = 1024 };
    const int err = parse_number(arg, value, out);
    return !err && *out > THREADS_MAX ? bad_value(arg, value, "1024 or less") : err;
}

static int parse_pixel_format(const Arg *arg, const char *value, enum VmafPixelFormat *out)
{
    static const struct {
        const char *text;
        enum VmafPixelFormat format;
    } formats[] = {
        { "420", VMAF_PIX_FMT_YUV420P },
        { "422", VMAF_PIX_FMT_YUV422P },
        { "444", VMAF_PIX_FMT_YUV444P },
        { "400", VMAF_PIX_FMT_YUV400P },
    };
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        if (!strcmp(value, formats[i].text)) {
            *out = formats[i].format;
            return 0;
        }
    }
    return bad_value(arg, value, "a valid pixel format (420/422/444/400)");
}

static int parse_bitdepth(const Arg *arg, const char *value, unsigned *out)
{
    const int err = parse_number(arg, value, out);
    if (!err && *out != 8 && *out != 10 && *out != 12 && *out != 16)
        return bad_value(arg, value, "a valid bitdepth (8/10/12/16)");
    return err;
}

static int parse_precision(const Arg *arg, const char *value, Options *options)
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

static int parse_backend(const Arg *arg, const char *value, Options *options)
{
    const bool is_cpu = !strcmp(value, "cpu");
    if (is_cpu || !strcmp(value, "auto") || vmaf_backend_built(value) >= 0) {
        options->backend = is_cpu ? NULL : value;
        options->only_cpu = is_cpu;
        return 0;
    }
    char names[256] = "auto, cpu, ";
    const size_t used = strlen(names);
    backend_names(names + used, sizeof(names) - used);
    return bad_value(arg, value, names);
}

static int name_device(Options *options, const Arg *arg, const char *device)
{
    backend_find(arg->name, "_device", &options->backend);
    options->only_cpu = false;
    options->device = device;
    return 0;
}

static int add_model(Options *options, const char *text)
{
    ModelSpec *const grown = realloc(options->models, (options->model_count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    options->models = grown;
    char error[512];
    const int err = model_spec_parse(&grown[options->model_count], text, error, sizeof(error));
    if (!err)
        options->model_count++;
    return err == -EINVAL ? usage_error("%s", error) : err;
}

static int add_feature(Options *options, const char *text)
{
    FeatureSpec *const grown =
        realloc(options->features, (options->feature_count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    options->features = grown;
    char error[512];
    const int err = feature_spec_parse(&grown[options->feature_count], text, error, sizeof(error));
    if (!err)
        options->feature_count++;
    return err == -EINVAL ? usage_error("%s", error) : err;
}

static int add_preset(Options *options, const Preset *preset)
{
    int err = 0;
    for (unsigned i = 0; !err && i < PRESET_MODELS && preset->models[i]; i++)
        err = add_model(options, preset->models[i]);
    for (unsigned i = 0; !err && i < PRESET_FEATURES && preset->features[i]; i++)
        err = add_feature(options, preset->features[i]);
    options->common_bitdepth |= preset->common_bitdepth;
    return err;
}

static int apply_aom_ctc(Options *options, const char *version)
{
    if (!strcmp(version, "proposed"))
        return usage_error("`--aom_ctc proposed` is deprecated.");
    const Preset *const preset = preset_aom_ctc(version);
    if (!preset)
        return usage_error("bad aom_ctc version \"%s\"; there are v1.0 to v7.0", version);
    return add_preset(options, preset);
}

static int apply_nflx_ctc(Options *options, const char *version)
{
    const Preset *const preset = preset_nflx_ctc(version);
    if (!preset)
        return usage_error("bad nflx_ctc version \"%s\"; there is v1.0", version);
    return add_preset(options, preset);
}

/* Each format of the library is an option of its name. */
static int set_format(Options *options, const char *name)
{
    const char *known;
    for (int i = VMAF_OUTPUT_FORMAT_XML;
         (known = vmaf_output_format_name((enum VmafOutputFormat)i)); i++) {
        if (!strcmp(known, name)) {
            options->format = (enum VmafOutputFormat)i;
            return 0;
        }
    }
    return usage_error("this libvmaf does not write %s", name);
}

/* Keeps what was typed, for reports. */
static int keep(Options *options, const Arg *arg, const char *value)
{
    GivenOption *const grown = realloc(options->given, (options->given_count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    options->given = grown;
    grown[options->given_count++] = (GivenOption){ arg->name, value };
    return 0;
}

static int switch_off(Options *options, const Arg *arg)
{
    const char *name;
    options->backends_off |= 1u << backend_find(arg->name + strlen("no_"), "", &name);
    return 0;
}

static int apply(Options *options, const Arg *arg, const char *value, enum Action *action)
{
    switch (arg->id) {
    case ARG_REFERENCE:
        options->path[SIDE_REF] = value;
        return 0;
    case ARG_DISTORTED:
        options->path[SIDE_DIST] = value;
        return 0;
    case ARG_WIDTH:
        options->raw = true;
        return parse_number(arg, value, &options->width);
    case ARG_HEIGHT:
        options->raw = true;
        return parse_number(arg, value, &options->height);
    case ARG_PIXEL_FORMAT:
        options->raw = true;
        return parse_pixel_format(arg, value, &options->pix_fmt);
    case ARG_BITDEPTH:
        options->raw = true;
        return parse_bitdepth(arg, value, &options->bitdepth);
    case ARG_MODEL:
        return add_model(options, value);
    case ARG_FEATURE:
        return add_feature(options, value);
    case ARG_OUTPUT:
        options->output = value;
        return 0;
    case ARG_FORMAT:
        return set_format(options, arg->name);
    case ARG_PRECISION:
        return parse_precision(arg, value, options);
    case ARG_THREADS:
        return parse_threads(arg, value, &options->threads);
    case ARG_SUBSAMPLE:
        return parse_number(arg, value, &options->subsample);
    case ARG_CPUMASK:
        return parse_mask(arg, value, &options->cpumask);
    case ARG_GPUMASK:
        return parse_mask(arg, value, &options->gpumask);
    case ARG_FRAME_CNT:
        return parse_number(arg, value, &options->frame_limit);
    case ARG_FRAME_SKIP_REF:
        return parse_number(arg, value, &options->skip[SIDE_REF]);
    case ARG_FRAME_SKIP_DIST:
        return parse_number(arg, value, &options->skip[SIDE_DIST]);
    case ARG_AOM_CTC:
        return apply_aom_ctc(options, value);
    case ARG_NFLX_CTC:
        return apply_nflx_ctc(options, value);
    case ARG_NO_PREDICTION:
        options->no_prediction = true;
        return 0;
    case ARG_QUIET:
        options->quiet = true;
        return 0;
    case ARG_BACKEND:
        return parse_backend(arg, value, options);
    case ARG_DEVICE:
        options->device = value;
        return 0;
    case ARG_BACKEND_DEVICE:
        return name_device(options, arg, value);
    case ARG_BACKEND_OFF:
        return switch_off(options, arg);
    case ARG_ALLOW_SOFTWARE:
        options->allow_software = true;
        return 0;
    case ARG_VERSION:
        *action = ACTION_VERSION;
        return 0;
    case ARG_HELP:
        *action = ACTION_HELP;
        return 0;
    case ARG_LIST_DEVICES:
        *action = ACTION_LIST_DEVICES;
        return 0;
    case ARG_LIST_MODELS:
        *action = ACTION_LIST_MODELS;
        return 0;
    case ARG_LIST_FEATURES:
        *action = ACTION_LIST_FEATURES;
        return 0;
    default: /* --no_metal: there is nothing to switch off */
        return 0;
    }
}

static int check_model_names(const Options *options)
{
    for (size_t i = 0; i < options->model_count; i++)
        for (size_t j = i + 1; j < options->model_count; j++)
            if (!strcmp(model_spec_name(&options->models[i]), model_spec_name(&options->models[j])))
                return usage_error("Each model should be uniquely named; \"%s\" is used twice. Set "
                                   "using `--model` via the `name=...` param.",
                                   model_spec_name(&options->models[i]));
    return 0;
}

static bool is_auto(const Options *options)
{
    return options->backend && !strcmp(options->backend, "auto");
}

/* An extractor may ask for a backend by its name: `vif_cuda`. */
static int heed_extractors(Options *options)
{
    for (size_t i = 0; i < options->feature_count; i++) {
        const char *const extractor = options->features[i].extractor;
        const char *const backend = backend_of_extractor(extractor);
        if (!backend)
            continue;
        if (options->only_cpu)
            return usage_error("%s is asked for on %s, but --backend is cpu", extractor, backend);
        if (options->backend && !is_auto(options) && strcmp(options->backend, backend) != 0)
            return usage_error(
                "%s is asked for on %s, but another backend is asked for, too: %s; a "
                "run has one",
                extractor, backend, options->backend);
        if (!options->backend || is_auto(options)) {
            options->backend = backend;
            options->by_extractor = true;
        }
    }
    return 0;
}

/* What was asked for by name must not be switched off in the same breath. */
static int check_backend(Options *options)
{
    const char *name;
    if (options->device && options->only_cpu)
        return usage_error("--device asks for a GPU, but --backend is cpu");
    if (options->device && !options->backend)
        options->backend = "auto";
    const int err = heed_extractors(options);
    const char *const backend = options->backend;
    if (err || !backend)
        return err;
    if (options->gpumask && (options->device || !is_auto(options)))
        return usage_error("%s is asked for, but --gpumask switches GPUs off",
                           is_auto(options) ? options->device : backend);
    if (!is_auto(options) && options->backends_off & (1u << backend_find(backend, "", &name)))
        return usage_error("%s is asked for, but --no_%s switches it off", backend, backend);
    return 0;
}

static int check(Options *options)
{
    if (!options->path[SIDE_REF])
        return usage_error("Reference .y4m or .yuv (-r/--reference) is required");
    if (!options->path[SIDE_DIST])
        return usage_error("Distorted .y4m or .yuv (-d/--distorted) is required");
    if (options->raw &&
        !(options->width && options->height && options->pix_fmt && options->bitdepth))
        return usage_error("The following options are required for .yuv input:\n"
                           "  --width/-w\n  --height/-h\n  --pixel_format/-p\n  --bitdepth/-b\n");
    if (!strcmp(options->path[SIDE_REF], "-") && !strcmp(options->path[SIDE_DIST], "-"))
        return usage_error("Only one of the two videos can come from standard input");
    const int err = check_model_names(options);
    return err ? err : check_backend(options);
}

int options_parse(Options *options, int argc, char **argv, enum Action *action)
{
    *options = (Options){ .format = VMAF_OUTPUT_FORMAT_XML };
    *action = ACTION_SCORE;
    ArgScanner scanner;
    args_start(&scanner, arg_table(), argc, argv);
    const Arg *arg;
    const char *value;
    int found;
    while ((found = args_next(&scanner, &arg, &value)) > 0) {
        int err = keep(options, arg, value);
        if (!err)
            err = apply(options, arg, value, action);
        if (err || *action != ACTION_SCORE)
            return err;
    }
    if (found < 0)
        return usage_error("vmaf: %s", scanner.error);
    const int err = check(options);
    if (err || options->model_count || options->no_prediction)
        return err;
    return add_model(options, "version=vmaf_v0.6.1");
}

void options_destroy(Options *options)
{
    for (size_t i = 0; i < options->model_count; i++)
        model_spec_destroy(&options->models[i]);
    for (size_t i = 0; i < options->feature_count; i++)
        feature_spec_destroy(&options->features[i]);
    free(options->models);
    free(options->features);
    free(options->given);
    *options = (Options){ 0 };
}
