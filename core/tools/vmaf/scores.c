/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"
#include "libvmaf/inspect.h"
#include "command.h"
#include "scores.h"

const char *score_text(char text[64], const Options *options, double score)
{
    snprintf(text, 64, *options->score_format ? options->score_format : "%f", score);
    return text;
}

const Pooling *score_pooling(const Options *options, unsigned i)
{
    static const Pooling mean = { .kind = POOLING_MEAN, .name = "mean" };
    if (!options->pooling_count)
        return i ? NULL : &mean;
    return i < options->pooling_count ? &options->poolings[i] : NULL;
}

static const char *score_suffix(char text[32], const Pooling *pooling)
{
    snprintf(text, 32, "%s%s", pooling->kind == POOLING_MEAN ? "" : " ",
             pooling->kind == POOLING_MEAN ? "" : pooling->name);
    return text;
}

static bool wanted;

void vmaf_command_say_scores(void)
{
    wanted = true;
}

bool scores_wanted(void)
{
    return wanted;
}

int score_print(const Options *options, const ScoreOwner *owner, const char *name,
                const Pooling *pooling, const char *text)
{
    bool (*const print)(const char *, ...) = owner->on_stdout ? print_result : say_result;
    char suffix[32];
    const bool said = print("%s%s%s%s: %s", owner->path, owner->separator, name,
                            pooling ? score_suffix(suffix, pooling) : "", text);
    return said || options->outputs.count ? 0 : -EIO;
}

int score_say(const Options *options, const ScoreOwner *owner, const char *name,
              const VmafStatistics *figures)
{
    const Pooling *pooling;
    int err = 0;
    for (unsigned i = 0; !err && (pooling = score_pooling(options, i)); i++) {
        char score[64];
        score_text(score, options, pooling_of(pooling, figures));
        err = score_print(options, owner, name, pooling, score);
    }
    return err;
}

bool score_limit_misses_frames(const Options *options, const ScoreOwner *owner,
                               const char *incomplete)
{
    if (!options->score_limit_count || options->allow_partial || !incomplete || !*incomplete)
        return false;
    say("%s%sincomplete: %s; --fail_under accepts incomplete videos only with --allow_partial",
        owner->path, owner->separator, incomplete);
    return true;
}

int gather_scores(Gathered *out, unsigned frames, unsigned step, ScoreAsker ask, void *arg)
{
    const size_t count = (frames - 1) / step + 1;
    *out = (Gathered){ .scores = malloc(count * sizeof(*out->scores)),
                       .count = count,
                       .figures = { .size = sizeof(out->figures) } };
    int err = out->scores ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < count; i++)
        err = ask(arg, (unsigned)i * step, &out->scores[i]);
    if (!err)
        err = vmaf_statistics(out->scores, count, &out->figures);
    if (err)
        gathered_clear(out);
    return err;
}

void gathered_clear(Gathered *gathered)
{
    free(gathered->scores);
    *gathered = (Gathered){ 0 };
}

bool gathered_pass(const Gathered *gathered, const ScoreLimit *limit, const ShotSpans *shots,
                   const char *owner, const char *name)
{
    return limit->each_shot ? shots_pass(shots, gathered->scores, limit, owner, name)
                            : score_limit_passes(limit, owner, name, &gathered->figures);
}

unsigned extractors_rate(const Options *options, const VideoTraits *ref, const VideoTraits *dist)
{
    const VideoTraits *const known = dist->rate_num && dist->rate_den ? dist : ref;
    if (options->fps_num && options->fps_den)
        return options->fps_num / options->fps_den;
    return known->rate_den ? known->rate_num / known->rate_den : 0;
}

/* The value that the user gave an option; NULL: none. */
static const char *given_value(const FeatureSpec *spec, const char *key)
{
    for (size_t i = 0; i < spec->option_count; i++)
        if (!strcmp(spec->options[i].key, key))
            return spec->options[i].value;
    return NULL;
}

/* True, with the option, if the extractor has it and the user left it out. */
static bool is_open(const FeatureSpec *spec, const char *key, VmafOptionInfo *option)
{
    unsigned extractor;
    *option = (VmafOptionInfo){ .size = sizeof(*option) };
    if (given_value(spec, key) || vmaf_extractor_find(spec->extractor, &extractor))
        return false;
    for (unsigned i = 0; !vmaf_extractor_option(extractor, i, option); i++)
        if (!strcmp(option->name, key))
            return true;
    return false;
}

static int set_rate(VmafFeatureDictionary **dict, const FeatureSpec *spec, unsigned rate)
{
    VmafOptionInfo option;
    char text[32];
    if (!rate || !is_open(spec, "fps", &option))
        return 0;
    snprintf(text, sizeof(text), "%u", rate < option.max ? rate : (unsigned)option.max);
    return vmaf_feature_dictionary_set(dict, "fps", text);
}

/* ---- what samples are ---- */

/* An extractor's name for a matrix of FFmpeg's; NULL: it has none. */
static const char *matrix_name(const char *matrix)
{
    static const char *const names[][2] = {
        { "bt709", "bt709" },        { "smpte170m", "bt601" }, { "bt470bg", "bt601" },
        { "bt2020nc", "bt2020ncl" }, { "gbr", "gbr" },
    };
    for (size_t i = 0; matrix && i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(matrix, names[i][0]))
            return names[i][1];
    return NULL;
}

/* The matrix of a video: of the user, of the file or, with a warning, of its format, or BT.709. */
static const char *matrix_of(const Video *video, const FeatureSpec *spec, Warnings *warnings)
{
    const char *const given = given_value(spec, "matrix");
    const char *const tagged = video->traits.matrix, *const name = matrix_name(tagged);
    const char *const usual = matrix_name(video->traits.usual_matrix);
    const char *const assumed = usual && !tagged ? usual : "bt709";
    const bool is_grey = video->format.pix_fmt == VMAF_PIX_FMT_YUV400P;
    char text[200];
    if (video->rgb_kept || (name && !given))
        return name;
    if (given)
        return given;
    snprintf(text, sizeof(text), "%s reads %s as %s: its file %s%s", spec->extractor, video->path,
             assumed, tagged ? "says " : "names no matrix", tagged ? tagged : "");
    if (!video->raw && !is_grey)
        warnings_add(warnings, "assumed", SIDES, text);
    return assumed;
}

/* Warns if the extractor will take chroma for sited left, and the file says that it is not. */
static void check_siting(const Video *video, const FeatureSpec *spec, Warnings *warnings)
{
    const enum VmafPixelFormat pix_fmt = video->format.pix_fmt;
    const bool is_subsampled = pix_fmt == VMAF_PIX_FMT_YUV420P || pix_fmt == VMAF_PIX_FMT_YUV422P;
    char text[200];
    if (!is_subsampled || video->traits.siting <= SITING_LEFT)
        return;
    snprintf(
        text, sizeof(text),
        "%s assumed that the chroma of %s is sited left, but its file says otherwise: computed "
        "alone, with --no_prediction, it takes the chroma as it is",
        spec->extractor, video->path);
    warnings_add(warnings, "assumed", SIDES, text);
}

static const char *range_of(const Video *video, const FeatureSpec *spec)
{
    const char *const given = given_value(spec, "range");
    const enum VideoRange range = video->range ? video->range : video->traits.range;
    if (given && !video->rgb_kept)
        return given;
    return range == RANGE_FULL ? "full" : "limited";
}

/* Sets `ref_tags` and `dist_tags`: MATRIX/RANGE/BITS, with the bits of a sample in the file, as far
 * as the range is that of the file. */
static int set_tags(VmafFeatureDictionary **dict, const FeatureSpec *spec,
                    const Video *const *videos, Warnings *warnings)
{
    static const char *const keys[SIDES] = { "ref_tags", "dist_tags" };
    VmafOptionInfo option;
    char text[64];
    int err = 0;
    for (unsigned i = 0; !err && i < SIDES && videos[i] && is_open(spec, keys[i], &option); i++) {
        const Video *const video = videos[i];
        check_siting(video, spec, warnings);
        int used = snprintf(text, sizeof(text), "%s/%s", matrix_of(video, spec, warnings),
                            range_of(video, spec));
        if (!video->range)
            snprintf(text + used, sizeof(text) - (size_t)used, "/%u", video->native.bitdepth);
        err = vmaf_feature_dictionary_set(dict, keys[i], text);
        if (!err && video->traits.hdr && is_open(spec, "transfer", &option))
            err = vmaf_feature_dictionary_set(dict, "transfer", video->traits.transfer);
    }
    return err;
}

bool extractors_take_tags(const Options *options)
{
    VmafOptionInfo option;
    bool take = options->no_prediction && !options->model_count && options->feature_count;
    for (size_t i = 0; i < options->feature_count; i++)
        take = take && is_open(&options->features[i], "ref_tags", &option) &&
               is_open(&options->features[i], "dist_tags", &option);
    return take;
}

static int use(const FeatureSpec *spec, const ExtractorFacts *facts, Warnings *warnings,
               VmafContext *vmaf)
{
    VmafOptionInfo option;
    int err = check_feature(spec);
    VmafFeatureDictionary *dict = NULL;
    if (!err && facts->colours_converted && is_open(spec, "ref_tags", &option)) {
        say("%s measures the colours of the files, but the model needs them converted: score "
            "the two in separate runs",
            spec->extractor);
        return -EINVAL;
    }
    for (size_t i = 0; !err && i < spec->option_count; i++)
        err = vmaf_feature_dictionary_set(&dict, spec->options[i].key, spec->options[i].value);
    if (!err)
        err = set_rate(&dict, spec, facts->rate);
    if (!err)
        err = set_tags(&dict, spec, facts->videos, warnings);
    if (!err)
        err = vmaf_use_feature(vmaf, spec->extractor, dict);
    if (err) {
        vmaf_feature_dictionary_free(&dict);
        say("problem loading feature extractor: %s", spec->extractor);
    }
    return err;
}

int extractors_use(const Options *options, const ExtractorFacts *facts, Warnings *warnings,
                   VmafContext *vmaf)
{
    int err = 0;
    for (size_t i = 0; !err && i < options->feature_count; i++)
        err = use(&options->features[i], facts, warnings, vmaf);
    return err;
}

/* True if a --feature option asked for the extractor, and not only a model. */
static bool is_asked_for(const Options *options, const char *extractor)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    unsigned index;
    for (size_t i = 0; i < options->feature_count; i++)
        if (!vmaf_extractor_find(options->features[i].extractor, &index) &&
            !vmaf_extractor_info(index, &info) && !strcmp(info.name, extractor))
            return true;
    return false;
}

typedef struct Metric {
    VmafContext *vmaf;
    const char *name;
} Metric;

static int ask_metric(void *arg, unsigned frame, double *score)
{
    const Metric *const metric = arg;
    return vmaf_feature_score_at_index(metric->vmaf, metric->name, score, frame);
}

int gather_metric(Gathered *out, const Options *options, VmafContext *vmaf, const char *metric,
                  unsigned frames)
{
    Metric asked = { vmaf, metric };
    return gather_scores(out, frames, options->subsample ? options->subsample : 1, ask_metric,
                         &asked);
}

static int score_feature(const Options *options, VmafContext *vmaf, unsigned feature,
                         unsigned frames, const ScoreOwner *owner)
{
    VmafMetricInfo info = { .size = sizeof(info) };
    int err = 0;
    for (unsigned i = 0; !err && !vmaf_feature_metric(vmaf, feature, i, &info); i++) {
        Gathered gathered;
        if (gather_metric(&gathered, options, vmaf, info.name, frames))
            continue; /* the options of the extractor exclude this metric */
        err = score_say(options, owner, info.short_name, &gathered.figures);
        gathered_clear(&gathered);
    }
    return err;
}

static int score_clip(const Options *options, VmafContext *vmaf, const ScoreOwner *owner)
{
    const char *name;
    double value;
    int err = 0;
    for (unsigned i = 0; !err && !vmaf_aggregate_metric(vmaf, i, &name, &value); i++) {
        char text[64];
        err = score_print(options, owner, name, NULL, score_text(text, options, value));
    }
    return err;
}

int extractors_score(const Options *options, VmafContext *vmaf, unsigned frames,
                     const ScoreOwner *owner)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    int err = 0;
    for (unsigned i = 0; !err && !vmaf_feature_info(vmaf, i, &info); i++)
        if (is_asked_for(options, info.extractor))
            err = score_feature(options, vmaf, i, frames, owner);
    return err ? err : score_clip(options, vmaf, owner);
}

/* Bit p: the extractor reads plane p. An unknown extractor might read any. */
static unsigned planes_of(const char *extractor)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    unsigned index;
    if (vmaf_extractor_find(extractor, &index) || vmaf_extractor_info(index, &info))
        return 7;
    return info.planes;
}

unsigned extractors_planes(const VmafContext *vmaf)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    unsigned planes = 1;
    for (unsigned i = 0; !vmaf_feature_info(vmaf, i, &info); i++)
        planes |= planes_of(info.extractor);
    return planes;
}
