/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"
#include "scores.h"
#include "libvmaf/inspect.h"
#include "common/message.h"
#include "report/summary.h"

typedef struct Loaded {
    VmafModel *model;
    VmafModelCollection *collection; /* NULL: a model on its own */
    char *label;
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

static void say_builtin_models(void)
{
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    Names names = { 0 };
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++)
        names_add(&names, info.name);
    if (names.count)
        say("built-in models are: %s", names.text);
    else
        say("this libvmaf has no built-in models; --model FILE loads one");
}

static int load_builtin(Loaded *loaded, VmafModelConfig *config, const char *version)
{
    if (is_builtin_collection(version))
        return vmaf_model_collection_load(&loaded->model, &loaded->collection, config, version);
    const int err = vmaf_model_load(&loaded->model, config, version);
    if (err)
        say_builtin_models();
    return err;
}

/* Applies an EXTRACTOR.OPTION=VALUE. If the model does not use the extractor, adds the option to
 * `unused` instead. */
static int overload(Loaded *loaded, const OptionSpec *option, Names *unused)
{
    bool used;
    int err = check_overload(option, loaded->model, &used);
    VmafFeatureDictionary *dict = NULL;
    if (!err && !used) {
        char text[128];
        snprintf(text, sizeof(text), "%s.%s=%s", option->extractor, option->key, option->value);
        names_add(unused, text);
        return 0;
    }
    if (!err)
        err = vmaf_feature_dictionary_set(&dict, option->key, option->value);
    if (!err && loaded->collection)
        err = vmaf_model_collection_feature_overload(loaded->model, &loaded->collection,
                                                     option->extractor, dict);
    else if (!err)
        err = vmaf_model_feature_overload(loaded->model, option->extractor, dict);
    if (err)
        vmaf_feature_dictionary_free(&dict);
    return err;
}

/* Makes the model's label for printed scores, with " (phone)" if the transform is enabled. */
static int make_label(Loaded *loaded, const ModelSpec *spec, Warnings *warnings)
{
    VmafModelInfo info = { .size = sizeof(info) };
    const bool asked = spec->flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM;
    const bool phone = asked && !vmaf_model_info(loaded->model, &info) && info.transformed;
    const char *const name = model_spec_label(spec);
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

static int load(Loaded *loaded, const ModelSpec *spec, Warnings *warnings)
{
    VmafModelConfig config = { .name = model_spec_name(spec), .flags = spec->flags };
    int err = spec->version ? load_builtin(loaded, &config, spec->version)
                            : vmaf_model_or_collection_load_from_path(
                                  &loaded->model, &loaded->collection, &config, spec->path);
    if (err) {
        say("problem loading model: %s", model_spec_label(spec));
        return err;
    }
    err = make_label(loaded, spec, warnings);
    if (err)
        return err;
    Names unused = { 0 };
    for (size_t i = 0; i < spec->overload_count; i++) {
        err = overload(loaded, &spec->overloads[i], &unused);
        if (err) {
            say("problem overloading feature extractors from %s: %s", kind_of(loaded),
                loaded->label);
            return err;
        }
    }
    if (unused.count)
        warnings_say(warnings, "unused_options", SIDES,
                     "Warning: %s does not use the extractors of these options: %s", loaded->label,
                     unused.text);
    return 0;
}

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

int models_create(Models **out, const Options *options, Warnings *warnings)
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
        err = load(&models->loaded[models->count++], &options->models[i], warnings);
    if (err)
        models_destroy(models);
    else
        *out = models;
    return err;
}

void models_destroy(Models *models)
{
    if (!models)
        return;
    for (size_t i = 0; i < models->count; i++) {
        vmaf_model_destroy(models->loaded[i].model);
        vmaf_model_collection_destroy(models->loaded[i].collection);
        free(models->loaded[i].label);
    }
    free(models->loaded);
    free(models);
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
    if (!err)
        gathered_clear(&gathered);
    return err;
}

static int say_collection(const Loaded *loaded, const Options *options, const ScoreOwner *owner,
                          const Gathered figures[])
{
    const Pooling *pooling;
    int err = 0;
    for (unsigned i = 0; !err && (pooling = score_pooling(options, i)); i++) {
        char text[HIGH + 1][64], suffix[32];
        for (unsigned f = BAGGING; f <= HIGH; f++)
            score_text(text[f], options, pooling_of(pooling, &figures[f].figures));
        err = score_outcome(options, say_result("%s%s%s%s: %s, ci.p95: [%s, %s], stddev: %s",
                                                owner->path, owner->separator, loaded->label,
                                                score_suffix(suffix, pooling), text[BAGGING],
                                                text[LOW], text[HIGH], text[DEVIATION]));
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

int models_judge(const Models *models, const Options *options, VmafContext *vmaf, unsigned frames,
                 const ScoreOwner *owner, bool *below)
{
    int err = 0;
    *below = false;
    for (size_t i = 0; !err && options->score_limit_count && i < models->count; i++) {
        const Loaded *const loaded = &models->loaded[i];
        Gathered gathered;
        err = gather_score(&gathered, loaded, options, vmaf, frames);
        for (unsigned g = 0; !err && g < options->score_limit_count; g++)
            if (!score_limit_passes(&options->score_limits[g], owner->path, loaded->label,
                                    &gathered.figures))
                *below = true;
        if (!err)
            gathered_clear(&gathered);
    }
    return err;
}

int models_summarise(const Models *models, const Options *options, VmafContext *vmaf,
                     unsigned frames, double rate, const char *incomplete)
{
    Gathered gathered;
    if (!models->count)
        return 0;
    const int err = gather_score(&gathered, &models->loaded[0], options, vmaf, frames);
    if (err)
        return err;
    const Summary summary = { .name = models->loaded[0].label,
                              .scores = gathered.scores,
                              .count = gathered.count,
                              .figures = &gathered.figures,
                              .step = options->subsample ? options->subsample : 1,
                              .rate = rate,
                              .incomplete = incomplete };
    summary_say(&summary, summary_may_colour());
    gathered_clear(&gathered);
    return 0;
}
