/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/model.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"

const BuiltinModel *builtin_model(unsigned i)
{
    return i < builtin_table_count ? &builtin_tables[i].about : NULL;
}

const BuiltinTable *builtin_find(const char *name)
{
    for (unsigned i = 0; i < builtin_table_count; i++)
        if (!strcmp(builtin_tables[i].about.name, name))
            return &builtin_tables[i];
    return NULL;
}

static int copy_feature(ModelFeature *to, const BuiltinFeature *from)
{
    to->slope = from->slope;
    to->intercept = from->intercept;
    to->name = mem_strdup(from->name);
    if (!to->name)
        return -ENOMEM;
    for (const char *const *o = from->options; o && *o; o += 2) {
        const int err = dict_set_raw(&to->options, o[0], o[1]);
        if (err < 0)
            return err;
    }
    return 0;
}

static void copy_figures(VmafModel *model, const BuiltinTable *table, uint64_t flags)
{
    model->type = table->type;
    model->norm = table->norm;
    model->slope = table->slope;
    model->intercept = table->intercept;
    model->clip_on = table->clip_on && !(flags & VMAF_MODEL_FLAG_DISABLE_CLIP);
    model->clip_min = table->clip_min;
    model->clip_max = table->clip_max;
    model->transform = table->transform;
    if (flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM)
        model->transform.enabled = true; /* without terms it changes nothing */
    model->chroma_on = table->chroma_on;
    model->chroma = table->chroma;
}

static int load_member(VmafModel **out, const char *name, uint64_t flags, const BuiltinTable *table,
                       const Svr *svr)
{
    assert(table->feature_count <= MODEL_FEATURES_MAX);
    VmafModel *model;
    int err = model_create(&model, name, table->about.name);
    if (err < 0)
        return err;
    copy_figures(model, table, flags);
    model->svr = svr;
    for (unsigned i = 0; i < table->feature_count && !err; i++) {
        model->feature_count++;
        err = copy_feature(&model->features[i], &table->features[i]);
    }
    if (err < 0) {
        model_destroy(model);
        return err;
    }
    *out = model;
    return 0;
}

int builtin_load(VmafModel **model, const VmafModelConfig *cfg, const BuiltinTable *table)
{
    return load_member(model, cfg->name, cfg->flags, table, table->svrs[0]);
}

static int add_member(VmafModelCollection *collection, uint64_t flags, const BuiltinTable *table,
                      const Svr *svr)
{
    VmafModel *member = NULL;
    char *name = collection_member_name(collection);
    int err = name ? load_member(&member, name, flags, table, svr) : -ENOMEM;
    mem_free(name);
    if (!err)
        err = collection_add(collection, member);
    if (err < 0)
        model_destroy(member);
    return err;
}

int builtin_load_collection(VmafModel **out, VmafModelCollection **out_collection,
                            const VmafModelConfig *cfg, const BuiltinTable *table)
{
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    int err = builtin_load(&model, cfg, table);
    if (!err)
        err = collection_create(&collection, cfg->name);
    for (unsigned i = 1; i < table->svr_count && !err; i++)
        err = add_member(collection, cfg->flags, table, table->svrs[i]);
    if (err < 0) {
        model_destroy(model);
        collection_destroy(collection);
        return err;
    }
    *out = model;
    *out_collection = collection;
    return 0;
}
