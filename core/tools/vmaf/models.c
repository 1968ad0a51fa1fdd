/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"
#include "scores.h"
#include "libvmaf/inspect.h"
#include "common/message.h"
#include "common/suggest.h"
#include "report/summary.h"

typedef struct Loaded {
    VmafModel *model;
    VmafModelCollection *collection; /* NULL: a model on its own */
    char *label;                     /* label for printed scores */
    char *metric;                    /* the name of its scores */
    char *asked;                     /* the name or the file that the user gave */
    char *note;                      /* how it was chosen and set up; NULL: as the user gave it */
} Loaded;

struct Models {
    size_t count;
    Loaded *loaded;
    struct {           /* the scores so far of the first model */
        unsigned next; /* frame to ask for */
        unsigned count;
        double sum;
        bool ended; /* an error: do not ask again */
    } so_far;
};

static bool is_builtin_collection(const char *name)
{
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++)
        if (!strcmp(info.name, name))
            return info.is_collection;
    return false;
}

static void say_builtin_models(const char *asked)
{
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    Names names = { 0 };
    Suggestion like = { 0 };
    char text[96];
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++) {
        names_add(&names, info.name);
        suggest(&like, asked, strlen(asked), info.name);
    }
    if (names.count)
        say("built-in models are: %s%s", names.text, suggestion_text(&like, "", text));
    else
        say("this libvmaf has no built-in models; --model FILE loads one");
}

static int load_builtin(Loaded *loaded, VmafModelConfig *config, const char *version)
{
    if (is_builtin_collection(version))
        return vmaf_model_collection_load(&loaded->model, &loaded->collection, config, version);
    const int err = vmaf_model_load(&loaded->model, config, version);
    if (err)
        say_builtin_models(version);
    return err;
}

static int set_option(Loaded *loaded, const char *extractor, const char *key, const char *value)
{
    VmafFeatureDictionary *dict = NULL;
    int err = vmaf_feature_dictionary_set(&dict, key, value);
    if (!err && loaded->collection)
        err = vmaf_model_collection_feature_overload(loaded->model, &loaded->collection, extractor,
                                                     dict);
    else if (!err)
        err = vmaf_model_feature_overload(loaded->model, extractor, dict);
    if (err)
        vmaf_feature_dictionary_free(&dict);
    return err;
}

/* Applies an EXTRACTOR.OPTION=VALUE. If the model does not use the extractor, adds the option to
 * `unused` instead. */
static int overload(Loaded *loaded, const OptionSpec *option, Names *unused)
{
    bool used;
    const int err = check_overload(option, loaded->model, &used);
    if (err || used)
        return err ? err : set_option(loaded, option->extractor, option->key, option->value);
    char text[128];
    snprintf(text, sizeof(text), "%s.%s=%s", option->extractor, option->key, option->value);
    names_add(unused, text);
    return 0;
}

/* Makes the model's label for printed scores, with " (phone)" if the transform is enabled. */
static int make_label(Loaded *loaded, const ModelSpec *spec, const char *name, Warnings *warnings)
{
    VmafModelInfo info = { .size = sizeof(info) };
    const bool asked = spec->flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM;
    const bool phone = asked && !vmaf_model_info(loaded->model, &info) && info.transformed;
    if (asked && !phone)
        warnings_say(warnings, "no_transform", SIDES,
                     "Warning: %s has no transform: enable_transform has no effect", name);
    const size_t size = strlen(name) + sizeof(" (phone)");
    loaded->label = malloc(size);
    if (!loaded->label)
        return -ENOMEM;
    snprintf(loaded->label, size, "%s%s", name, phone ? " (phone)" : "");
    return 0;
}

static const char *kind_of(const Loaded *loaded)
{
    return loaded->collection ? "model collection" : "model";
}

static int load(Loaded *loaded, const ModelSpec *spec, const char *version, Warnings *warnings)
{
    VmafModelConfig config = { .name = model_spec_name(spec), .flags = spec->flags };
    const char *const name = version ? version : spec->path;
    int err = version ? load_builtin(loaded, &config, version)
                      : vmaf_model_or_collection_load_from_path(&loaded->model, &loaded->collection,
                                                                &config, spec->path);
    if (err) {
        say("problem loading model: %s", name);
        return err;
    }
    loaded->metric = strdup(model_spec_name(spec));
    loaded->asked = strdup(model_spec_label(spec));
    return loaded->metric && loaded->asked ? make_label(loaded, spec, name, warnings) : -ENOMEM;
}

static int say_not_set(const Loaded *loaded, int err)
{
    say("problem overloading feature extractors from %s: %s", kind_of(loaded), loaded->label);
    return err;
}

static int set_own_options(Loaded *loaded, const ModelSpec *spec, Warnings *warnings)
{
    Names unused = { 0 };
    for (size_t i = 0; i < spec->overload_count; i++) {
        const int err = overload(loaded, &spec->overloads[i], &unused);
        if (err)
            return say_not_set(loaded, err);
    }
    if (unused.count)
        warnings_say(warnings, "unused_options", SIDES,
                     "Warning: %s does not use the extractors of these options: %s", loaded->label,
                     unused.text);
    return 0;
}

/* ---- models of v1, which know of the encode ---- */

static bool sees_banding(const Loaded *loaded)
{
    VmafModelFeatureInfo feature = { .size = sizeof(feature) };
    for (unsigned i = 0; !vmaf_model_feature(loaded->model, i, &feature); i++)
        if (feature.extractor && !strcmp(feature.extractor, "cambi"))
            return true;
    return false;
}

bool models_see_banding(const Models *models)
{
    for (size_t i = 0; i < models->count; i++)
        if (sees_banding(&models->loaded[i]))
            return true;
    return false;
}

bool models_convert(const Models *models, VmafPictureConvertTarget *target)
{
    VmafModelInfo info = { .size = sizeof(info) };
    for (size_t i = 0; i < models->count; i++) {
        if (vmaf_model_info(models->loaded[i].model, &info) || !info.has_target)
            continue;
        *target = info.target;
        return true;
    }
    return false;
}

static int set_encode_options(Loaded *loaded, const EncodeChoice *choice)
{
    const char *key;
    unsigned value;
    int err = 0;
    for (unsigned i = 0; !err && choice_option(choice, i, &key, &value); i++) {
        char text[16];
        snprintf(text, sizeof(text), "%u", value);
        err = set_option(loaded, "cambi", key, text);
    }
    return err ? say_not_set(loaded, err) : 0;
}

static void warn_of_encode(const EncodeChoice *choice, const ModelUse *use)
{
    const ScoredPair *const pair = use->pair;
    if (choice->raised)
        warnings_say(use->of_pair, "encode_size", SIDE_DIST,
                     "Warning: cambi cannot measure an encode of %ux%u: it takes %ux%u instead",
                     pair->width, pair->height, choice->enc_width, choice->enc_height);
    if (choice->refused)
        warnings_say(use->of_pair, "encode_size", SIDE_DIST,
                     "Warning: --enc_size %ux%u has no effect: the pictures are scored at %ux%u",
                     pair->width, pair->height, pair->scored.width, pair->scored.height);
}

static void warn_of_auto(const AutoChoice *choice, const ModelUse *use)
{
    if (choice->other_display)
        warnings_say(use->of_run, "model_display", SIDES,
                     "Warning: scores of %s assume a display of 1080 rows: scale both videos to it "
                     "(--scale model)",
                     choice->version);
    if (choice->fast)
        warnings_say(use->of_pair, "model_rate", SIDE_DIST,
                     "Warning: %s was made for up to 60 frames per second", choice->version);
}

static int write_note(Loaded *loaded, const AutoChoice *chosen, const EncodeChoice *passed,
                      const ScoredPair *pair)
{
    char options[120], head[200] = "", text[512];
    const bool banding = sees_banding(loaded);
    const bool unknown = banding && chosen && !pair->width && !pair->bitdepth;
    choice_text(passed, options, sizeof(options));
    if (chosen)
        snprintf(head, sizeof(head), "auto: %s (%s)", chosen->version, chosen->reason);
    else if (!*options && !(banding && pair->widened))
        return 0;
    snprintf(text, sizeof(text), "%s%s%s%s", head, chosen && *options ? ", " : "", options,
             unknown ? ", size and depth of the encode unknown (--enc_size, --enc_bitdepth)" : "");
    const size_t used = strlen(text);
    if (banding)
        snprintf(text + used, sizeof(text) - used, "%sscored at %u bits", used ? ", " : "",
                 pair->scored.bitdepth);
    loaded->note = strdup(text);
    return loaded->note ? 0 : -ENOMEM;
}

/* Passes to a model of v1 what is known of the encode. */
static int set_up(Loaded *loaded, const ModelSpec *spec, const AutoChoice *chosen,
                  const ModelUse *use)
{
    const ScoredPair *const pair = use->pair;
    EncodeChoice choice = { .enc_width = 0 };
    int err = 0;
    if (sees_banding(loaded)) {
        choice = choice_encode(pair, spec);
        err = set_encode_options(loaded, &choice);
        warn_of_encode(&choice, use);
        if (pair->scored.bitdepth < 10)
            warnings_say(use->of_pair, "model_depth", SIDE_DIST,
                         "Warning: %s was made for samples of 10 bits, these have %u: "
                         "--enc_bitdepth N, with the encode's bit depth, widens them",
                         loaded->label, pair->scored.bitdepth);
    }
    return err ? err : write_note(loaded, chosen, &choice, pair);
}

/* True if the built-in model was made for 3840x2160. */
static bool is_for_4k(const char *version)
{
    return strstr(version, "4k") || strstr(version, "_2160");
}

/* Warns if a built-in model that the user named, or the default, was made for another size. */
static void warn_of_size(const char *version, const ModelUse *use)
{
    const VideoFormat *const scored = &use->pair->scored;
    const bool large = choice_is_for_4k(DISPLAY_DERIVED, scored->width, scored->height);
    if (large == is_for_4k(version))
        return;
    warnings_say(use->of_pair, "model_size", SIDES,
                 "Warning: %s was made for %s, and the videos are scored at %ux%u: use a %s "
                 "(--list_models), --model auto, or --scale model",
                 version, large ? "1920x1080" : "3840x2160", scored->width, scored->height,
                 large ? "4K model" : "model of 1080 rows");
}

static int make(Loaded *loaded, const Options *options, const ModelSpec *spec, const ModelUse *use)
{
    AutoChoice choice;
    const bool chosen = model_spec_is_auto(spec);
    if (chosen && !choice_auto(&choice, options->display, use->pair)) {
        say("--model auto: the video is HDR (PQ or HLG), and all models are for SDR; to score it as "
            "it is, name a model: --model vmaf_v1.0.16_3d0h");
        return -EINVAL;
    }
    int err = load(loaded, spec, chosen ? choice.version : spec->version, use->of_run);
    if (!err && chosen)
        warn_of_auto(&choice, use);
    else if (!err && spec->version)
        warn_of_size(spec->version, use);
    if (!err)
        err = set_up(loaded, spec, chosen ? &choice : NULL, use);
    return err ? err : set_own_options(loaded, spec, use->of_run);
}

/* Prints how the models were chosen and set up. */
static void say_notes(const Models *models, const char *path)
{
    for (size_t i = 0; i < models->count; i++) {
        const Loaded *const loaded = &models->loaded[i];
        const bool chosen = loaded->note && !strncmp(loaded->note, "auto: ", 6);
        if (loaded->note)
            say("%s%smodel %s%s%s", path ? path : "", path ? ": " : "", chosen ? "" : loaded->label,
                chosen ? "" : ": ", loaded->note);
    }
}

int models_report(const Models *models, VmafContext *vmaf)
{
    int err = 0;
    for (size_t i = 0; !err && i < models->count; i++)
        if (models->loaded[i].note)
            err = vmaf_report_model(vmaf, models->loaded[i].metric, models->loaded[i].note);
    return err;
}

/* ---- all models ---- */

int models_use(const Models *models, VmafContext *vmaf)
{
    int err = 0;
    for (size_t i = 0; !err && i < models->count; i++) {
        const Loaded *const loaded = &models->loaded[i];
        err = vmaf_use_features_from_model(vmaf, loaded->model);
        if (!err && loaded->collection)
            err = vmaf_use_features_from_model_collection(vmaf, loaded->collection);
        if (err)
            say("problem loading feature extractors from %s: %s", kind_of(loaded), loaded->label);
    }
    return err;
}

static void warn_of_unused(const Models *models, const Options *options, Warnings *warnings)
{
    if ((options->enc_width || options->enc_bitdepth) && !models_see_banding(models))
        warnings_say(warnings, "unused_options", SIDES,
                     "Warning: --enc_size and --enc_bitdepth have no effect: they are for models "
                     "of v1, and this run has none");
}

/* True if another model has the same label. */
static bool is_twin(const Models *models, size_t number)
{
    for (size_t i = 0; i < models->count; i++)
        if (i != number && !strcmp(models->loaded[i].label, models->loaded[number].label))
            return true;
    return false;
}

/* Adds the metric to labels that would otherwise be equal: `vmaf_v0.6.1 (neg)`. */
static int tell_twins_apart(Models *models)
{
    char **const labels = calloc(models->count + 1, sizeof(*labels));
    int err = labels ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < models->count; i++) {
        const Loaded *const loaded = &models->loaded[i];
        if (is_twin(models, i) &&
            asprintf(&labels[i], "%s (%s)", loaded->label, loaded->metric) < 0) {
            labels[i] = NULL;
            err = -ENOMEM;
        }
    }
    for (size_t i = 0; labels && i < models->count; i++) {
        if (!labels[i])
            continue;
        free(models->loaded[i].label);
        models->loaded[i].label = labels[i];
    }
    free(labels);
    return err;
}

int models_create(Models **out, const Options *options, const ModelUse *use)
{
    Models *const models = calloc(1, sizeof(*models));
    if (!models)
        return -ENOMEM;
    int err = 0;
    if (options->model_count) {
        models->loaded = calloc(options->model_count, sizeof(*models->loaded));
        err = models->loaded ? 0 : -ENOMEM;
    }
    for (size_t i = 0; !err && i < options->model_count; i++)
        err = make(&models->loaded[models->count++], options, &options->models[i], use);
    if (!err)
        err = tell_twins_apart(models);
    if (err) {
        models_destroy(models);
        return err;
    }
    warn_of_unused(models, options, use->of_run);
    if (!options->quiet)
        say_notes(models, use->path);
    *out = models;
    return 0;
}

void models_destroy(Models *models)
{
    if (!models)
        return;
    for (size_t i = 0; i < models->count; i++) {
        vmaf_model_destroy(models->loaded[i].model);
        vmaf_model_collection_destroy(models->loaded[i].collection);
        free(models->loaded[i].label);
        free(models->loaded[i].metric);
        free(models->loaded[i].asked);
        free(models->loaded[i].note);
    }
    free(models->loaded);
    free(models);
}

const char *models_metric(const Models *models, size_t i, VmafModelCollection **collection)
{
    if (i >= models->count)
        return NULL;
    *collection = models->loaded[i].collection;
    return models->loaded[i].metric;
}

bool models_mean_so_far(Models *models, const Options *options, VmafContext *vmaf, double *mean)
{
    const unsigned step = options->subsample ? options->subsample : 1;
    double score;
    int err = 0;
    if (!models->count || options->no_prediction)
        return false;
    while (!models->so_far.ended && !(err = vmaf_score_if_ready(vmaf, models->loaded[0].model,
                                                                models->so_far.next, &score))) {
        models->so_far.sum += score;
        models->so_far.count++;
        models->so_far.next += step;
    }
    models->so_far.ended = models->so_far.ended || err != -EAGAIN;
    *mean = models->so_far.sum / models->so_far.count;
    return models->so_far.count > 0;
}

/* A score to ask the context for. */
typedef struct Asked {
    const Loaded *loaded;
    VmafContext *vmaf;
    enum { ONE_MODEL, BAGGING, DEVIATION, LOW, HIGH } figure;
} Asked;

static int ask_model(void *arg, unsigned frame, double *score)
{
    const Asked *const asked = arg;
    VmafModelCollectionScore all;
    if (asked->figure == ONE_MODEL)
        return vmaf_score_at_index(asked->vmaf, asked->loaded->model, score, frame);
    const int err =
        vmaf_score_at_index_model_collection(asked->vmaf, asked->loaded->collection, &all, frame);
    if (!err)
        *score = asked->figure == BAGGING     ? all.bootstrap.bagging_score
                 : asked->figure == DEVIATION ? all.bootstrap.stddev
                 : asked->figure == LOW       ? all.bootstrap.ci.p95.lo
                                              : all.bootstrap.ci.p95.hi;
    return err;
}

static int gather(Gathered *gathered, Asked asked, const Options *options, unsigned frames)
{
    const int err = gather_scores(gathered, frames, options->subsample ? options->subsample : 1,
                                  ask_model, &asked);
    if (err)
        say("problem generating pooled VMAF score: %s", asked.loaded->label);
    return err;
}

/* Gathers the model's main score: for a collection, that of all its members together. */
static int gather_score(Gathered *gathered, const Loaded *loaded, const Options *options,
                        VmafContext *vmaf, unsigned frames)
{
    const Asked asked = { loaded, vmaf, loaded->collection ? BAGGING : ONE_MODEL };
    return gather(gathered, asked, options, frames);
}

static int score_model(const Loaded *loaded, const Options *options, VmafContext *vmaf,
                       unsigned frames, const ScoreOwner *owner)
{
    Gathered gathered;
    int err = gather(&gathered, (Asked){ loaded, vmaf, ONE_MODEL }, options, frames);
    if (!err && owner)
        err = score_say(options, owner, loaded->label, &gathered.figures);
    gathered_clear(&gathered);
    return err;
}

static int say_collection(const Loaded *loaded, const Options *options, const ScoreOwner *owner,
                          const Gathered figures[])
{
    const Pooling *pooling;
    int err = 0;
    for (unsigned i = 0; !err && (pooling = score_pooling(options, i)); i++) {
        char text[HIGH + 1][64], line[320];
        for (unsigned f = BAGGING; f <= HIGH; f++)
            score_text(text[f], options, pooling_of(pooling, &figures[f].figures));
        snprintf(line, sizeof(line), "%s, ci.p95: [%s, %s], stddev: %s", text[BAGGING], text[LOW],
                 text[HIGH], text[DEVIATION]);
        err = score_print(options, owner, loaded->label, pooling, line);
    }
    return err;
}

static int score_collection(const Loaded *loaded, const Options *options, VmafContext *vmaf,
                            unsigned frames, const ScoreOwner *owner)
{
    Gathered figures[HIGH + 1] = { 0 };
    int err = 0;
    for (unsigned f = BAGGING; !err && f <= HIGH; f++)
        err = gather(&figures[f], (Asked){ loaded, vmaf, f }, options, frames);
    if (!err && owner)
        err = say_collection(loaded, options, owner, figures);
    for (unsigned f = BAGGING; f <= HIGH; f++)
        gathered_clear(&figures[f]);
    return err;
}

int models_score(const Models *models, const Options *options, VmafContext *vmaf, unsigned frames,
                 const ScoreOwner *owner)
{
    int err = 0;
    for (size_t i = 0; !err && i < models->count; i++)
        err = score_model(&models->loaded[i], options, vmaf, frames, owner);
    for (size_t i = 0; !err && i < models->count; i++)
        if (models->loaded[i].collection)
            err = score_collection(&models->loaded[i], options, vmaf, frames, owner);
    return err;
}

static bool is_judged_by(const Loaded *loaded, const ScoreLimit *limit)
{
    return score_limit_names(limit, loaded->metric) || score_limit_names(limit, loaded->asked);
}

/* Finds the figures of the model's main score. */
static int find_figures(Gathered *gathered, const Loaded *loaded, const FigureSource *source)
{
    char name[512];
    *gathered = (Gathered){ .figures = { .size = sizeof(gathered->figures) } };
    snprintf(name, sizeof(name), "%s%s", loaded->metric, loaded->collection ? "_bagging" : "");
    if (source->find(source->arg, name, &gathered->figures))
        return 0;
    say("problem generating pooled VMAF score: %s", loaded->label);
    return -EINVAL;
}

int models_judge(const Models *models, const Options *options, VmafContext *vmaf, unsigned frames,
                 const FigureSource *figures, const ShotSpans *shots, const ScoreOwner *owner,
                 bool *below)
{
    int err = 0;
    *below = false;
    for (size_t i = 0; !err && options->score_limit_count && i < models->count; i++) {
        const Loaded *const loaded = &models->loaded[i];
        Gathered gathered;
        err = figures ? find_figures(&gathered, loaded, figures)
                      : gather_score(&gathered, loaded, options, vmaf, frames);
        for (unsigned g = 0; !err && g < options->score_limit_count; g++)
            if (is_judged_by(loaded, &options->score_limits[g]) &&
                !gathered_pass(&gathered, &options->score_limits[g], shots, owner->path,
                               loaded->label))
                *below = true;
        if (!err)
            gathered_clear(&gathered);
    }
    return err;
}

int models_say_shots(const Models *models, const Options *options, VmafContext *vmaf,
                     unsigned frames, const ShotSpans *shots, const char *owner)
{
    Gathered gathered;
    if (!models->count || !shots->count)
        return 0;
    const int err = gather_score(&gathered, &models->loaded[0], options, vmaf, frames);
    if (err)
        return err;
    shots_say(shots, gathered.scores, owner);
    gathered_clear(&gathered);
    return 0;
}

int models_summarise(const Models *models, const Options *options, VmafContext *vmaf,
                     const SummaryUse *use)
{
    Gathered gathered;
    if (!models->count)
        return 0;
    const int err = gather_score(&gathered, &models->loaded[0], options, vmaf, use->frames);
    if (err)
        return err;
    const unsigned step = options->subsample ? options->subsample : 1;
    const unsigned worst = (unsigned)summary_worst(gathered.scores, gathered.count) * step;
    const Summary summary = { .name = models->loaded[0].label,
                              .scores = gathered.scores,
                              .count = gathered.count,
                              .figures = &gathered.figures,
                              .worst = worst,
                              .worst_time = use->times[worst],
                              .incomplete = use->incomplete };
    if (use->row)
        summary_keep(use->row, &summary, use->video);
    else
        summary_say(&summary, summary_may_colour());
    gathered_clear(&gathered);
    return 0;
}
