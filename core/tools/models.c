/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "libvmaf/inspect.h"
#include "message.h"
#include "models.h"
#include "names.h"

typedef struct Loaded {
    VmafModel *model;
    VmafModelCollection *collection; /* NULL: a model on its own */
    const char *label;
} Loaded;

struct Models {
    size_t count;
    Loaded *loaded;
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
    say("built-in models are: %s", names.text);
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

/* An option of an extractor that the model does not use changes nothing: it goes to `unused`. */
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

static int load(Loaded *loaded, const ModelSpec *spec, VmafContext *vmaf)
{
    VmafModelConfig config = { .name = model_spec_name(spec), .flags = spec->flags };
    loaded->label = model_spec_label(spec);
    int err = spec->version ? load_builtin(loaded, &config, spec->version)
                            : vmaf_model_or_collection_load_from_path(
                                  &loaded->model, &loaded->collection, &config, spec->path);
    if (err) {
        say("problem loading model: %s", loaded->label);
        return err;
    }
    const char *const kind = loaded->collection ? "model collection" : "model";
    Names unused = { 0 };
    for (size_t i = 0; i < spec->overload_count; i++) {
        err = overload(loaded, &spec->overloads[i], &unused);
        if (err) {
            say("problem overloading feature extractors from %s: %s", kind, loaded->label);
            return err;
        }
    }
    if (unused.count)
        say("Warning: %s does not use what these options are for: %s", loaded->label, unused.text);
    err = vmaf_use_features_from_model(vmaf, loaded->model);
    if (!err && loaded->collection)
        err = vmaf_use_features_from_model_collection(vmaf, loaded->collection);
    if (err)
        say("problem loading feature extractors from %s: %s", kind, loaded->label);
    return err;
}

int models_create(Models **out, const Options *options, VmafContext *vmaf)
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
        err = load(&models->loaded[models->count++], &options->models[i], vmaf);
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
    }
    free(models->loaded);
    free(models);
}

static const char *format_score(char text[64], const Options *options, double score)
{
    snprintf(text, 64, *options->score_format ? options->score_format : "%f", score);
    return text;
}

/* A score that could not be said is lost, unless a report will have it. */
static int outcome(const Options *options, bool said)
{
    return said || options->output ? 0 : -EIO;
}

static int score_model(const Loaded *loaded, const Options *options, VmafContext *vmaf,
                       unsigned frames, bool print)
{
    double score;
    char text[64];
    const int err =
        vmaf_score_pooled(vmaf, loaded->model, VMAF_POOL_METHOD_MEAN, &score, 0, frames - 1);
    if (err)
        say("problem generating pooled VMAF score: %s", loaded->label);
    else if (print)
        return outcome(options,
                       say_result("%s: %s", loaded->label, format_score(text, options, score)));
    return err;
}

static int score_collection(const Loaded *loaded, const Options *options, VmafContext *vmaf,
                            unsigned frames, bool print)
{
    VmafModelCollectionScore score;
    char mean[64], low[64], high[64], deviation[64];
    const int err = vmaf_score_pooled_model_collection(
        vmaf, loaded->collection, VMAF_POOL_METHOD_MEAN, &score, 0, frames - 1);
    if (err)
        say("problem generating pooled VMAF score: %s", loaded->label);
    else if (print)
        return outcome(options,
                       say_result("%s: %s, ci.p95: [%s, %s], stddev: %s", loaded->label,
                                  format_score(mean, options, score.bootstrap.bagging_score),
                                  format_score(low, options, score.bootstrap.ci.p95.lo),
                                  format_score(high, options, score.bootstrap.ci.p95.hi),
                                  format_score(deviation, options, score.bootstrap.stddev)));
    return err;
}

int models_score(Models *models, const Options *options, VmafContext *vmaf, unsigned frames,
                 bool print)
{
    int err = 0;
    for (size_t i = 0; !err && i < models->count; i++)
        err = score_model(&models->loaded[i], options, vmaf, frames, print);
    for (size_t i = 0; !err && i < models->count; i++)
        if (models->loaded[i].collection)
            err = score_collection(&models->loaded[i], options, vmaf, frames, print);
    return err;
}
