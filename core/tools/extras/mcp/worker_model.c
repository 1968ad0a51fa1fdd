/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A model, loaded and described as JSON: `version NAME` or `path FILE`. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "libvmaf/inspect.h"
#include "libvmaf/model.h"
#include "rpc.h"
#include "worker.h"

typedef struct Loaded {
    VmafModel *model;
    VmafModelCollection *collection;
} Loaded;

static int load(Loaded *loaded, const char *kind, const char *name)
{
    VmafModelConfig config = { .name = "vmaf" };
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    if (!strcmp(kind, "path"))
        return vmaf_model_or_collection_load_from_path(&loaded->model, &loaded->collection, &config,
                                                       name);
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++)
        if (!strcmp(info.name, name) && info.is_collection)
            return vmaf_model_collection_load(&loaded->model, &loaded->collection, &config, name);
    return vmaf_model_load(&loaded->model, &config, name);
}

static json_t *describe_feature(const VmafModel *model, unsigned index,
                                const VmafModelFeatureInfo *info)
{
    json_t *const options = json_object();
    const char *name, *value;
    for (unsigned i = 0; !vmaf_model_feature_option(model, index, i, &name, &value); i++)
        json_object_set_new(options, name, rpc_text(value));
    json_t *const entry =
        json_pack("{s:o, s:o}", "metric", rpc_text(info->metric), "options", options);
    if (entry && info->extractor)
        json_object_set_new(entry, "extractor", rpc_text(info->extractor));
    return entry;
}

int worker_model(int argc, char **argv)
{
    Loaded loaded = { NULL, NULL };
    if (argc < 2 || load(&loaded, argv[0], argv[1]))
        return 1; /* the library has said why */
    json_t *const features = json_array();
    VmafModelFeatureInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_model_feature(loaded.model, i, &info); i++)
        json_array_append_new(features, describe_feature(loaded.model, i, &info));
    json_t *const result =
        json_pack("{s:b, s:o}", "collection", loaded.collection != NULL, "features", features);
    const int err = !result || json_dumpf(result, stdout, JSON_COMPACT) || fflush(stdout);
    json_decref(result);
    vmaf_model_collection_destroy(loaded.collection);
    vmaf_model_destroy(loaded.model);
    return err ? 1 : 0;
}
