/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context_struct.h"
#include "base/option.h"
#include "engine/feature.h"

#define METRIC_NAME_SIZE 256

int model_create(VmafModel **out, const char *name, const char *source)
{
    static atomic_uint_fast64_t numbers;
    VmafModel *model = mem_zalloc(sizeof(*model));
    if (!model)
        return -ENOMEM;
    model->number = atomic_fetch_add(&numbers, 1);
    model->name = mem_strdup(name ? name : MODEL_DEFAULT_NAME);
    model->source = mem_strdup(source);
    if (!model->name || !model->source) {
        model_destroy(model);
        return -ENOMEM;
    }
    *out = model;
    return 0;
}

VmafModel *model_retain(VmafModel *model)
{
    atomic_fetch_add(&model->retained, 1);
    return model;
}

void model_destroy(VmafModel *model)
{
    if (!model || atomic_fetch_sub(&model->retained, 1) != 0)
        return;
    for (unsigned i = 0; i < MODEL_FEATURES_MAX; i++) {
        ModelFeature *f = &model->features[i];
        mem_free(f->name);
        dict_destroy(f->options);
        mem_free(atomic_load(&f->metric));
    }
    svr_destroy(model->own_svr);
    mem_free(model->name);
    mem_free(model->source);
    mem_free(model);
}

static int overload_feature(ModelFeature *f, const Dict *options)
{
    Dict *merged = NULL;
    int err = dict_copy(&merged, f->options);
    if (!err)
        err = dict_merge(&merged, options);
    if (err < 0) {
        dict_destroy(merged);
        return err;
    }
    dict_destroy(f->options);
    f->options = merged;
    mem_free(atomic_exchange(&f->metric, NULL));
    return 0;
}

int model_overload(VmafModel *model, const char *extractor, const Dict *options)
{
    for (unsigned i = 0; i < model->feature_count; i++) {
        ModelFeature *f = &model->features[i];
        const FeatureDef *def = feature_find_by_metric(f->name);
        if (!def || strcmp(def->name, extractor))
            continue;
        const int err = overload_feature(f, options);
        if (err < 0)
            return err;
    }
    return 0;
}

static int find_metric(const ModelFeature *f, char **metric)
{
    const FeatureDef *def = feature_find_by_metric(f->name);
    if (!def)
        return -EINVAL;
    char name[METRIC_NAME_SIZE];
    void *values = mem_zalloc(def->options_size ? def->options_size : 1);
    if (!values)
        return -ENOMEM;
    /* Logs nothing: registering the feature has logged the problem. */
    const int err = option_parse(def->options, NULL, f->options, values);
    if (!err)
        option_metric_name(def->options, values, f->name, name, sizeof(name));
    mem_free(values);
    if (err < 0)
        return err;
    *metric = mem_strdup(name);
    return *metric ? 0 : -ENOMEM;
}

int model_feature_metric(VmafModel *model, unsigned i, const char **metric)
{
    ModelFeature *f = &model->features[i];
    char *known = atomic_load(&f->metric);
    if (!known) {
        char *found;
        const int err = find_metric(f, &found);
        if (err < 0)
            return err;
        if (atomic_compare_exchange_strong(&f->metric, &known, found))
            known = found;
        else
            mem_free(found); /* another thread was faster and has stored the same name */
    }
    *metric = known;
    return 0;
}

int model_chroma_features(const VmafModel *model, unsigned *luma, unsigned *chroma)
{
    unsigned lumas = 0, chromas = 0;
    for (unsigned i = 0; i < model->feature_count; i++) {
        if (strstr(model->features[i].name, "adm3")) {
            *luma = i;
            lumas++;
        }
        if (strstr(model->features[i].name, "speed_chroma")) {
            *chroma = i;
            chromas++;
        }
    }
    return lumas == 1 && chromas == 1 ? 0 : -EINVAL;
}

static const char *const figure_suffixes[FIGURE_COUNT] = {
    [FIGURE_BAGGING] = "_bagging",
    [FIGURE_STDDEV] = "_stddev",
    [FIGURE_LO] = "_ci_p95_lo",
    [FIGURE_HI] = "_ci_p95_hi",
};

static char *concatenate(const char *name, const char *suffix)
{
    const size_t size = strlen(name) + strlen(suffix) + 1;
    char *both = mem_alloc(size);
    if (both)
        snprintf(both, size, "%s%s", name, suffix);
    return both;
}

int collection_create(VmafModelCollection **out, const char *name)
{
    if (!name)
        name = MODEL_DEFAULT_NAME;
    VmafModelCollection *c = mem_zalloc(sizeof(*c));
    if (!c)
        return -ENOMEM;
    c->name = mem_strdup(name);
    bool complete = c->name;
    for (unsigned i = 0; i < FIGURE_COUNT; i++) {
        c->figures[i] = concatenate(name, figure_suffixes[i]);
        complete &= c->figures[i] != NULL;
    }
    if (!complete) {
        collection_destroy(c);
        return -ENOMEM;
    }
    *out = c;
    return 0;
}

void collection_destroy(VmafModelCollection *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->count; i++)
        model_destroy(c->members[i]);
    for (unsigned i = 0; i < FIGURE_COUNT; i++)
        mem_free(c->figures[i]);
    mem_free(c->members);
    mem_free(c->name);
    mem_free(c);
}

char *collection_member_name(const VmafModelCollection *c)
{
    char suffix[16];
    snprintf(suffix, sizeof(suffix), "_%04u", c->count + 1);
    return concatenate(c->name, suffix);
}

int collection_add(VmafModelCollection *c, VmafModel *member)
{
    if (c->count && c->members[0]->type != member->type)
        return -EINVAL;
    if (mem_grow(&c->members, c->count, &c->capacity, sizeof(*c->members)))
        return -ENOMEM;
    c->members[c->count++] = member;
    return 0;
}

/* ---- a context that predicts with the model ---- */

static int use_feature(VmafContext *ctx, const ModelFeature *feature)
{
    const FeatureDef *def = feature_find_by_metric(feature->name);
    if (!def) {
        log_error("no feature extractor provides \"%s\"", feature->name);
        return -EINVAL;
    }
    Dict *options;
    int err = dict_copy(&options, feature->options);
    if (err)
        return err;
    err = context_use_feature(ctx, def->name, options);
    if (err) {
        dict_destroy(options);
        log_error("could not set up feature extractor \"%s\"", def->name);
    }
    return err;
}

static void predict_early(VmafModel *model, ScoreStore *scores, unsigned index)
{
    double score;
    model_predict(model, scores, index, true, &score);
}

int model_use(VmafModel *model, VmafContext *ctx)
{
    const VmafPictureConvertTarget *const target = model->has_target ? &model->target : NULL;
    int err = conversion_check_model(&ctx->conversion, model->name, target, ctx->pairs);
    for (unsigned i = 0; i < model->feature_count && !err; i++)
        err = use_feature(ctx, &model->features[i]);
    if (!err)
        err = model_claim_name(model, ctx->scores);
    if (err)
        return err;
    conversion_add_model(&ctx->conversion, target);
    const ModelPredictor predictor = { model_retain(model), predict_early, model_destroy };
    err = metadata_mount(ctx->metadata, &predictor);
    if (err)
        model_destroy(model); /* the reference just taken */
    return err;
}
