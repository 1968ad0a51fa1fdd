/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf/model.h: they check their arguments and call inward. */
#include <errno.h>

#include "base/log.h"
#include "base/name.h"
#include "model/model.h"

/* Logs the loaded model and returns `err`. The results exist only without an error. */
static int loaded(int err, const char *from, VmafModel *const *model,
                  VmafModelCollection *const *collection)
{
    if (err)
        log_debug("model %s: not loaded, error %d", from, err);
    else
        log_debug("model %s: loaded as \"%s\", %u features, %u support vectors, %u further models",
                  from, (*model)->name, (*model)->feature_count, (*model)->svr->count,
                  collection ? (*collection)->count : 0);
    return err;
}

/* Reports use the name as a key and as an attribute. */
static bool is_good_name(const char *name)
{
    if (!name || (name_is_attribute(name) && !name_is_reserved(name)))
        return true;
    log_error("a model cannot be named \"%s\": reports need a letter or underscore, then letters, "
              "digits, '_', '-' and '.', and names that begin with xml are reserved",
              name);
    return false;
}

int vmaf_model_load(VmafModel **model, VmafModelConfig *cfg, const char *version)
{
    if (!model || !cfg || !version || !is_good_name(cfg->name))
        return -EINVAL;
    const BuiltinTable *table = builtin_find(version);
    if (!table) {
        log_warning("no such built-in model: \"%s\"", version);
        return -EINVAL;
    }
    if (table->about.collection)
        return -EINVAL; /* not logged: callers then try the collections */
    return loaded(builtin_load(model, cfg, table), version, model, NULL);
}

int vmaf_model_load_from_path(VmafModel **model, VmafModelConfig *cfg, const char *path)
{
    if (!model || !cfg || !path || !is_good_name(cfg->name))
        return -EINVAL;
    return loaded(model_read_file(model, cfg, path), path, model, NULL);
}

int vmaf_model_feature_overload(VmafModel *model, const char *feature_name,
                                VmafFeatureDictionary *opts_dict)
{
    if (!model || !feature_name || !opts_dict)
        return -EINVAL;
    const int err = model_overload(model, feature_name, opts_dict);
    if (!err)
        dict_destroy(opts_dict);
    return err;
}

void vmaf_model_destroy(VmafModel *model)
{
    model_destroy(model);
}

int vmaf_model_collection_load(VmafModel **model, VmafModelCollection **model_collection,
                               VmafModelConfig *cfg, const char *version)
{
    if (!model || !model_collection || !cfg || !version || !is_good_name(cfg->name))
        return -EINVAL;
    const BuiltinTable *table = builtin_find(version);
    if (!table || !table->about.collection) {
        log_warning("no such built-in model collection: \"%s\"", version);
        return -EINVAL;
    }
    const int err = builtin_load_collection(model, model_collection, cfg, table);
    return loaded(err, version, model, model_collection);
}

int vmaf_model_collection_load_from_path(VmafModel **model, VmafModelCollection **model_collection,
                                         VmafModelConfig *cfg, const char *path)
{
    if (!model || !model_collection || !cfg || !path || !is_good_name(cfg->name))
        return -EINVAL;
    const int err = model_collection_read_file(model, model_collection, cfg, path);
    return loaded(err, path, model, model_collection);
}

int vmaf_model_or_collection_load_from_path(VmafModel **model,
                                            VmafModelCollection **model_collection,
                                            VmafModelConfig *cfg, const char *path)
{
    if (!model || !model_collection || !cfg || !path || !is_good_name(cfg->name))
        return -EINVAL;
    return model_or_collection_read_file(model, model_collection, cfg, path);
}

int vmaf_model_collection_feature_overload(VmafModel *model, VmafModelCollection **model_collection,
                                           const char *feature_name,
                                           VmafFeatureDictionary *opts_dict)
{
    if (!model || !model_collection || !*model_collection || !feature_name || !opts_dict)
        return -EINVAL;
    int err = model_overload(model, feature_name, opts_dict);
    for (unsigned i = 0; i < (*model_collection)->count && !err; i++)
        err = model_overload((*model_collection)->members[i], feature_name, opts_dict);
    if (!err)
        dict_destroy(opts_dict);
    return err;
}

void vmaf_model_collection_destroy(VmafModelCollection *model_collection)
{
    collection_destroy(model_collection);
}

const void *vmaf_model_version_next(const void *prev, const char **version)
{
    const BuiltinTable *next = prev ? (const BuiltinTable *)prev + 1 : builtin_tables;
    if (next == builtin_tables + builtin_table_count)
        return NULL;
    if (version)
        *version = next->about.name;
    return next;
}
