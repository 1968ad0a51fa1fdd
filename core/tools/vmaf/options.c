/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "colours.h"
#include "common/message.h"
#include "gpu.h"
#include "limits.h"
#include "vmaf/option/option.h"
#include "libvmaf/device.h"
#include "options.h"

void options_print_help(FILE *file)
{
    fputs("Usage: vmaf [OPTION]... REFERENCE DISTORTED...\n"
          "       vmaf -r REFERENCE -d DISTORTED [-d DISTORTED]... [OPTION]...\n"
          "       vmaf --pairs LIST [OPTION]...\n"
          "       vmaf --report REPORT.json... [OPTION]...\n"
          "       vmaf --merge PART.json... [OPTION]...\n"
          "Score the quality of distorted videos against their reference.\n"
          "Long options may be shortened, and may be written with hyphens.\n",
          file);
    args_print_help(option_table(), file);
}

/* Remembers an option as typed, for reports. */
static int remember(Options *options, const char *name, const char *value)
{
    GivenOption *const grown = realloc(options->given, (options->given_count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    options->given = grown;
    grown[options->given_count++] = (GivenOption){ name, value };
    return 0;
}

int words_add(Words *words, const char *word)
{
    const char **const grown = realloc(words->at, (words->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    words->at = grown;
    grown[words->count++] = word;
    return 0;
}

/* Takes the words that are not options as the reference and the distorted videos. An error if -r or
 * -d gives videos as well. */
static int take_videos(Options *options)
{
    const Words *const words = &options->words;
    if (!words->count)
        return 0;
    if (options->reference || options->distorted.count)
        return usage_error("unexpected argument '%s'; -r and -d already give the videos",
                           words->at[0]);
    options->reference = words->at[0];
    int err = remember(options, "reference", words->at[0]);
    for (size_t i = 1; !err && i < words->count; i++) {
        err = words_add(&options->distorted, words->at[i]);
        if (!err)
            err = remember(options, "distorted", words->at[i]);
    }
    return err;
}

static bool is_page(const char *path)
{
    const char *const dot = strrchr(path, '.');
    return dot && (!strcasecmp(dot, ".html") || !strcasecmp(dot, ".htm"));
}

/* Takes the -o that is number `at` for --html. */
static int take_page(Options *options, size_t at)
{
    size_t seen = 0;
    if (options->html)
        return usage_error("%s and %s are two pages of one run: give one", options->html,
                           options->outputs.at[at]);
    options->html = options->outputs.at[at];
    for (size_t i = 0; i < options->given_count; i++)
        if (!strcmp(options->given[i].name, "output") && seen++ == at)
            options->given[i].name = "html";
    options->outputs.count--;
    for (size_t i = at; i < options->outputs.count; i++)
        options->outputs.at[i] = options->outputs.at[i + 1];
    return 0;
}

/* Settles where reports go: a path of a page means --html unless a format says otherwise, and a
 * format without a path means standard output. */
static int settle_outputs(Options *options)
{
    int err = 0;
    if (options->part.kind)
        return 0;
    for (size_t i = 0; !err && !options->format && i < options->outputs.count;)
        if (is_page(options->outputs.at[i]))
            err = take_page(options, i);
        else
            i++;
    options->to_stdout =
        options->format && !options->outputs.count && !options->stored && !options->pairs;
    if (!err && options->to_stdout && options->distorted.count > 1)
        return usage_error("several videos have several reports: add -o NAME.EXT");
    return err || !options->to_stdout ? err : words_add(&options->outputs, "-");
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

/* Chooses the backend that an extractor's name asks for, such as `vif_cuda`. */
static int apply_extractor_backends(Options *options)
{
    for (size_t i = 0; i < options->feature_count; i++) {
        const char *const extractor = options->features[i].extractor;
        const char *const backend = backend_of_extractor(extractor);
        if (!backend)
            continue;
        if (options->only_cpu)
            return usage_error("%s needs the %s backend, but --backend is cpu", extractor, backend);
        if (options->backend && !is_auto(options) && strcmp(options->backend, backend) != 0)
            return usage_error(
                "%s needs the %s backend, but another one is chosen: %s; a run can use only one",
                extractor, backend, options->backend);
        if (!options->backend || is_auto(options)) {
            options->backend = backend;
            options->by_extractor = true;
        }
    }
    return 0;
}

/* Checks that --backend is no list. */
static int check_one_backend(const Options *options)
{
    const bool is_one = options->only_cpu || is_auto(options) ||
                        (options->backend && options->backend_word &&
                         !strcmp(options->backend, options->backend_word));
    return options->doctor_backends && !is_one
               ? usage_error("--backend %s: choose one backend; a list is only for --doctor",
                             options->doctor_backends)
               : 0;
}

/* Checks that no option switches off the backend that another one chooses. */
static int check_backend(Options *options)
{
    const char *name;
    if (options->device && options->only_cpu)
        return usage_error("--device asks for a GPU, but %s is cpu",
                           options->by_environment ? "VMAF_BACKEND" : "--backend");
    if (options->device && !options->backend)
        options->backend = "auto";
    const int err = apply_extractor_backends(options);
    const char *const backend = options->backend;
    if (err || !backend)
        return err;
    if (options->gpumask && (options->device || !is_auto(options)))
        return usage_error("%s is chosen, but --gpumask switches GPUs off",
                           is_auto(options) ? options->device : backend);
    if (!is_auto(options) && options->backends_off & (1u << backend_find(backend, "", &name)))
        return usage_error("%s is chosen%s, but --no_%s switches it off", backend,
                           options->by_environment ? " by VMAF_BACKEND" : "", backend);
    return 0;
}

static int check_raw(const Options *options)
{
    char missing[96] = "";
    if (!options->raw)
        return 0;
    if (!options->width)
        strcat(missing, " --width/-w");
    if (!options->height)
        strcat(missing, " --height/-h");
    if (!options->pix_fmt)
        strcat(missing, " --pixel_format/-p");
    if (!options->bitdepth)
        strcat(missing, " --bitdepth/-b");
    return *missing ? usage_error("The following options are required for .yuv input:%s", missing)
                    : 0;
}

/* Raw video has no tags, so all four colours of a side must be given, or none. */
static int check_colours(const Options *options)
{
    char missing[COLOURS_OPTIONS_SIZE];
    for (unsigned side = 0; options->raw && side < SIDES; side++) {
        const unsigned given = options->color_given[side];
        const unsigned unknown = ~given & ((1u << COLOUR_PARTS) - 1);
        if (given && unknown)
            return usage_error("give all colours of a raw video or none: %s missing",
                               colours_options(unknown, (enum Side)side, missing));
    }
    return 0;
}

static int check_stdin(const Options *options)
{
    size_t users = options->reference && !strcmp(options->reference, "-");
    for (size_t i = 0; i < options->distorted.count; i++)
        users += !strcmp(options->distorted.at[i], "-");
    return users > 1 ? usage_error("Only one of the videos can come from standard input") : 0;
}

/* Checks that each distorted video has its own report, or that one name serves for all. */
static int check_outputs(const Options *options)
{
    const Words *const outputs = &options->outputs;
    const size_t videos = options->distorted.count;
    if (outputs->count > 1 && outputs->count != videos)
        return usage_error(
            "-o is given %zu times for %zu distorted video%s; give it once for each, or once",
            outputs->count, videos, videos > 1 ? "s" : "");
    if (outputs->count == 1 && videos > 1 && !strcmp(outputs->at[0], "-"))
        return usage_error("-o - is a single report; give -o for each of several distorted videos");
    for (size_t i = 0; i < outputs->count; i++)
        for (size_t j = i + 1; j < outputs->count; j++)
            if (!strcmp(outputs->at[i], outputs->at[j]))
                return usage_error("two reports have the same path: %s", outputs->at[i]);
    for (size_t i = 0; options->html && i < outputs->count; i++)
        if (!strcmp(outputs->at[i], options->html))
            return usage_error("-o and --html have the same path: %s", options->html);
    return 0;
}

static int check_sync(const Options *options)
{
    if (options->fps_num && options->sync != SYNC_DEFAULT)
        return usage_error("--fps pairs frames by time, at its own rate: leave out --sync");
    if (options->offset.given && options->sync == SYNC_AUTO)
        return usage_error("--sync auto finds the offset by itself: leave out --offset");
    return 0;
}

static bool wants_maps(const Options *options)
{
    return options->heatmap_folder || options->heatmap_html || options->heatmap_frames.given;
}

static int check_heatmap(const Options *options)
{
    if (options->heatmap_html && !options->html)
        return usage_error("--heatmap html draws maps into the page: add --html PATH");
    if (options->heatmap_frames.given && !options->heatmap_folder)
        return usage_error("--heatmap_frames chooses the frames of --heatmap DIR: add it");
    return 0;
}

/* Checks the options of --report, which scores nothing. */
static int check_stored(const Options *options)
{
    if (options->reference || options->distorted.count || options->outputs.count)
        return usage_error("--report reads stored reports: leave out -r, -d and -o");
    if (options->backend_word || options->device)
        return usage_error("--report measures nothing: leave out --%s",
                           options->backend_word ? "backend" : "device");
    if (options->lines || options->window.given || options->follow)
        return usage_error("--lines, --window and --follow are for scoring: leave out --report");
    if (wants_maps(options))
        return usage_error("--heatmap is for scoring, because maps are measured from the videos: "
                           "leave out --report");
    if (options->format)
        return usage_error("--report prints scores or makes a page (--html), not another report");
    if (!options->words.count)
        return usage_error(
            "--report needs JSON reports: vmaf --report a.json b.json --html page.html");
    if (options->watch && (!options->html || !strcmp(options->html, "-")))
        return usage_error("--watch writes a page again and again: give --html a path");
    for (size_t i = 0; i < options->given_count; i++)
        if (!option_is_in(output_options, options->given[i].name))
            return usage_error("--%s is for scoring, and --report scores nothing: leave it out",
                               options->given[i].name);
    if (options->watch && (options->score_limit_count || options->max_drop > 0))
        return usage_error("--watch judges nothing: leave out --fail_under and --max_drop");
    return options->max_drop > 0 && !options->baseline
               ? usage_error("--max_drop is for --baseline: add it")
               : 0;
}

/* True if an option lets cambi write pictures during the run, which parts cannot do. */
static bool names_heatmaps(const OptionSpec *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(options[i].key, "heatmaps_path"))
            return true;
    return false;
}

bool options_want_heatmaps(const Options *options)
{
    for (size_t i = 0; i < options->feature_count; i++)
        if (names_heatmaps(options->features[i].options, options->features[i].option_count))
            return true;
    for (size_t i = 0; i < options->model_count; i++)
        if (names_heatmaps(options->models[i].overloads, options->models[i].overload_count))
            return true;
    return false;
}

/* Checks the options of a part, whose report only the merge makes. */
static int check_part(const Options *options)
{
    if (!options->part.kind)
        return options->part.from_start
                   ? usage_error("--from_start is only for parts: use it with --shard or --frames")
                   : 0;
    if (options->distorted.count > 1)
        return usage_error("a part has one distorted video: run --shard for each of them");
    if (!options->outputs.count)
        return usage_error("a part needs an output file: add -o PART.json");
    if (options->html)
        return usage_error("--html is for the whole video: use it with --merge");
    if (wants_maps(options))
        return usage_error("--heatmap is for whole runs: leave out --shard and --frames");
    if (options_want_heatmaps(options))
        return usage_error("a part cannot write heatmaps: leave out heatmaps_path");
    return 0;
}

static int check_lines(const Options *options)
{
#ifdef _WIN32
    if (options->follow)
        return usage_error("--follow is not available on Windows: write the video into a pipe");
#endif
    if (options->window.given && !options->lines)
        return usage_error("--window is for --lines: add it");
    if (options->lines && options->part.kind)
        return usage_error("--lines is for whole runs: leave out --shard and --frames");
    for (size_t i = 0; options->lines && i <= options->outputs.count; i++) {
        const char *const path =
            i < options->outputs.count ? options->outputs.at[i] : options->html;
        if (path && !strcmp(path, "-"))
            return usage_error("--lines writes to standard output: give -o or --html a path");
    }
    return 0;
}

static int check_catalogue(const Options *options)
{
    return options->catalogue
               ? usage_error("--catalogue, --watch, --baseline, --save_baseline and --max_drop "
                             "are for stored reports: add --report")
               : 0;
}

static int check_merge(const Options *options)
{
    if (options->reference || options->distorted.count || options->part.kind)
        return usage_error("--merge reads part files: leave out -r, -d, --shard and --frames");
    for (size_t i = 0; i < options->given_count; i++) {
        const char *const name = options->given[i].name;
        if (strcmp(name, "merge") != 0 && !option_is_in(output_options, name))
            return usage_error(
                "--%s is only for the parts: --merge makes a report of what they measured", name);
    }
    if (options->lines || options->window.given)
        return usage_error("--lines is for scoring: leave out --merge");
    if (wants_maps(options))
        return usage_error("--heatmap is for scoring, because maps are measured from the videos: "
                           "leave out --merge");
    if (options->catalogue)
        return check_catalogue(options);
    if (!options->words.count)
        return usage_error("--merge needs part files: vmaf --merge parts/*.json -o report.json");
    return 0;
}

/* True if --doctor takes this option; the rest say how to score. */
static bool is_for_doctor(const char *name)
{
    static const char *const names[] = { "doctor",  "backend",        "device",
                                         "require", "allow_software", "vulkan_allow_software",
                                         "json",    "report",         "output",
                                         "quiet" };
    const char *backend;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!strcmp(names[i], name))
            return true;
    backend_find(name, "_device", &backend);
    return backend != NULL;
}

/* Lets VMAF_BACKEND and VMAF_ALLOW_SOFTWARE ask for what the command line leaves open. */
static int apply_doctor_environment(Options *options)
{
    const char *const backend = options->backend, *const device = options->device;
    const int err = options_apply_environment(options);
    if (options->doctor_backends) {
        options->backend = backend;
        options->device = device;
    } else if (options->backend && !is_auto(options)) {
        options->doctor_backends = options->backend;
    } else if (options->only_cpu) {
        options->doctor_backends = "cpu";
    }
    return err;
}

/* True for "0,1". A name may hold a comma, too. */
static bool is_number_list(const char *text)
{
    return strchr(text, ',') && text[strspn(text, "0123456789,")] == '\0';
}

static int check_doctor(Options *options)
{
    for (size_t i = 0; i < options->given_count; i++)
        if (!is_for_doctor(options->given[i].name))
            return usage_error("--%s is for scoring: leave it out with --doctor",
                               options->given[i].name);
    if (options->words.count)
        return usage_error("unexpected argument '%s': --doctor takes no videos",
                           options->words.at[0]);
    if (options->device && (!strcmp(options->device, "all") || is_number_list(options->device)))
        return usage_error("--doctor takes one --device; leave it out to try all");
    if (options->outputs.count > !!options->stored)
        return usage_error("--doctor writes one file, and only with --report");
    const int err = apply_doctor_environment(options);
    if (!err && options->stored && options->doctor_backends &&
        !strcmp(options->doctor_backends, "cpu"))
        return usage_error("--doctor --report measures GPUs, but --backend is cpu");
    if (!err && (options->require.count || options->device) && options->doctor_backends &&
        !strcmp(options->doctor_backends, "cpu"))
        return usage_error("%s asks for a GPU, but --backend is cpu",
                           options->device ? "--device" : "--require");
    return err;
}

/* --list_devices takes the options that choose what it lists and what counts, in any order. */
static int check_list(const Options *options)
{
    static const char *const taken[] = { "list_devices", "backend", "allow_software",
                                         "vulkan_allow_software", "quiet" };
    for (size_t i = 0; i < options->given_count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof(taken) / sizeof(*taken); k++)
            known = known || !strcmp(options->given[i].name, taken[k]);
        if (!known)
            return usage_error("--list_devices takes --backend and --allow_software: leave out "
                               "--%s",
                               options->given[i].name);
    }
    if (options->words.count)
        return usage_error("unexpected argument '%s': --list_devices takes no videos",
                           options->words.at[0]);
    return options->only_cpu ? usage_error("--list_devices lists GPUs, but --backend is cpu") : 0;
}

bool options_choose_model(const Options *options)
{
    for (size_t i = 0; i < options->model_count; i++)
        if (model_spec_is_auto(&options->models[i]))
            return true;
    return false;
}

static int check_display(const Options *options)
{
    return options->display && !options_choose_model(options)
               ? usage_error("--display is for --model auto: the models of --model are each for "
                             "one screen")
               : 0;
}

/* A limit for each shot needs the shots. */
static void settle_shots(Options *options)
{
    for (unsigned i = 0; i < options->score_limit_count; i++)
        options->shots = options->shots || options->score_limits[i].each_shot;
}

/* Checks the options of --pairs, whose list names videos and reports. */
static int check_pairs(const Options *options)
{
    if (options->reference || options->distorted.count)
        return usage_error("--pairs names the videos: leave out %s",
                           options->reference ? options->reference : options->distorted.at[0]);
    if (options->outputs.count || options->html)
        return usage_error("the report of each pair is the third field of its line in --pairs: "
                           "leave out -o and --html");
    if (options->part.kind)
        return usage_error("--pairs scores whole videos: leave out --shard and --frames");
    if (wants_maps(options))
        return usage_error("the maps of all pairs of --pairs would have the same names: leave out "
                           "--heatmap");
    return options_want_heatmaps(options)
               ? usage_error("the heatmaps of all pairs of --pairs would have the same names: "
                             "leave out heatmaps_path")
               : 0;
}

static int check_videos(const Options *options)
{
    if (options->pairs)
        return check_pairs(options);
    if (!options->reference && !options->distorted.count)
        return usage_error("no videos are given: vmaf REFERENCE DISTORTED...");
    if (!options->reference)
        return usage_error("the reference is missing: give it with -r/--reference");
    if (!options->distorted.count)
        return usage_error("there is no distorted video beside the reference %s: vmaf REFERENCE "
                           "DISTORTED..., or -d/--distorted",
                           options->reference);
    return 0;
}

static int check(Options *options)
{
    settle_shots(options);
    int err = check_videos(options);
    if (!err && options->require.count)
        return usage_error(
            "--require is for --doctor: --device NAME scores on that device or fails");
    if (!err)
        err = check_raw(options);
    if (!err)
        err = check_colours(options);
    if (!err)
        err = check_stdin(options);
    if (!err)
        err = check_outputs(options);
    if (!err)
        err = check_sync(options);
    if (!err)
        err = check_model_names(options);
    if (!err)
        err = check_display(options);
    if (!err)
        err = limits_check(options);
    if (!err)
        err = check_part(options);
    if (!err)
        err = check_heatmap(options);
    if (!err)
        err = check_lines(options);
    if (!err)
        err = check_catalogue(options);
    if (!err)
        err = check_one_backend(options);
    if (!err)
        err = options_apply_environment(options);
    return err ? err : check_backend(options);
}

static int read_words(Options *options, int argc, char **argv)
{
    ArgScanner scanner;
    args_start(&scanner, option_table(), argc, argv);
    const Arg *arg;
    const char *value;
    int found;
    while ((found = args_next(&scanner, &arg, &value)) > 0) {
        int err = arg ? remember(options, arg->name, value) : words_add(&options->words, value);
        if (!err && arg)
            err = arg->set(options, arg, value);
        /* The doctor and the list need the other options, too: they say what must work. */
        if (err || (options->action != ACTION_SCORE && options->action != ACTION_DOCTOR &&
                    options->action != ACTION_LIST_DEVICES))
            return err;
    }
    return found < 0 ? usage_error("vmaf: %s", scanner.error) : 0;
}

int options_parse(Options *options, int argc, char **argv, enum Action *action)
{
    *options = (Options){ 0 };
    int err = read_words(options, argc, argv);
    *action = options->action;
    if (!err)
        err = options_settle_backend(options);
    if (!err && *action == ACTION_DOCTOR)
        return check_doctor(options);
    if (!err && *action == ACTION_LIST_DEVICES)
        return check_list(options);
    if (!err && *action == ACTION_SCORE && !options->stored && !options->merge)
        err = take_videos(options);
    if (!err && *action == ACTION_SCORE)
        err = settle_outputs(options);
    if (err || *action != ACTION_SCORE)
        return err;
    if (options->stored) {
        *action = ACTION_REPORT;
        return check_stored(options);
    }
    if (options->merge) {
        *action = ACTION_MERGE;
        return check_merge(options);
    }
    if (options->pairs)
        *action = ACTION_PAIRS;
    err = check(options);
    if (err || options->model_count || options->no_prediction)
        return err;
    return option_add_model(options, "version=" DEFAULT_MODEL);
}

/* Notes the pair's own options in the place of --pairs. */
static int remember_pair(Options *pair, const Options *all, const char *const fields[PAIR_FIELDS])
{
    static const char *const names[] = { "reference", "distorted", "output" };
    int err = 0;
    for (size_t i = 0; !err && i < all->given_count; i++) {
        const GivenOption *const given = &all->given[i];
        if (strcmp(given->name, "pairs") != 0)
            err = remember(pair, given->name, given->value);
        for (unsigned f = 0; !err && f < PAIR_FIELDS && !strcmp(given->name, "pairs"); f++)
            err = fields[f] ? remember(pair, names[f], fields[f]) : 0;
    }
    return err;
}

int options_of_pair(Options *pair, const Options *all, const char *const fields[PAIR_FIELDS])
{
    *pair = *all;
    pair->given = NULL;
    pair->given_count = 0;
    pair->distorted = pair->outputs = (Words){ 0 };
    pair->reference = fields[PAIR_REFERENCE];
    int err = words_add(&pair->distorted, fields[PAIR_DISTORTED]);
    if (!err && fields[PAIR_REPORT])
        err = words_add(&pair->outputs, fields[PAIR_REPORT]);
    if (!err)
        err = remember_pair(pair, all, fields);
    return err ? err : settle_outputs(pair);
}

void options_leave_pair(Options *pair)
{
    free(pair->given);
    free(pair->distorted.at);
    free(pair->outputs.at);
    *pair = (Options){ 0 };
}

bool options_name_videos(const Options *options)
{
    return options->distorted.count > 1 || options->pairs;
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
    free(options->distorted.at);
    free(options->words.at);
    free(options->outputs.at);
    free(options->require.at);
    *options = (Options){ 0 };
}
