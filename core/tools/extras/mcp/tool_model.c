/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* describe_model: the purpose of a model and the features it uses. */
#include "libvmaf/inspect.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "libvmaf/model.h"
#include "rpc.h"
#include "task.h"
#include "tool.h"

static json_t *list_models(void)
{
    json_t *const list = json_array();
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "name", info.name, "summary",
                                              info.summary, "collection", info.is_collection != 0));
    return tool_result(json_pack("{s:o}", "models", list));
}

static json_t *run_describe_model(Call *call)
{
    const char *const name = tool_string(call->arguments, "model", NULL);
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    const char *summary = NULL, *file = NULL;
    char why[2048] = "";
    if (!name)
        return list_models();
    Task task;
    task_init_worker(&task, call, WORKER_MODEL);
    for (unsigned i = 0; !summary && !vmaf_builtin_model_info(i, &info); i++)
        summary = strcmp(info.name, name) ? NULL : info.summary;
    if (!summary)
        file = task_file(&task, name, why, sizeof(why));
    task_add(&task, "%s", summary ? "version" : "path");
    task_add(&task, "%s", summary ? name : file ? file : "");
    const int err = summary || file ? task_run(&task, why, sizeof(why)) : -EACCES;
    json_t *const found = err ? NULL : json_loadb(task.out ? task.out : "", task.out_size, 0, NULL);
    task_free(&task);
    if (err == -ECANCELED)
        return NULL;
    if (!found)
        return tool_failure(
            "%s%s", err ? why : "cannot read the model",
            summary || file
                ? ""
                : " (and no built-in model has this name; without arguments, this tool lists "
                  "them)");
    json_object_set_new(found, "name", json_string(name));
    if (summary)
        json_object_set_new(found, "summary", json_string(summary));
    return tool_result(json_pack("{s:[o]}", "models", found));
}

const Tool describe_model_tool = {
    .name = "describe_model",
    .title = "Describe a model",
    .description =
        "Describe the purpose of a VMAF model and the features it uses. Without "
        "arguments, list all built-in models. A collection also gives a confidence interval.",
    .input = "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
             "\"model\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096, "
             "\"description\": \"Name of a built-in model, or path of a model file.\"}}}",
    .output = "{\"type\": \"object\", \"required\": [\"models\"], \"properties\": {\"models\": "
              "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": [\"name\", "
              "\"collection\"], \"properties\": {\"name\": {\"type\": \"string\"}, \"summary\": "
              "{\"type\": \"string\"}, \"collection\": {\"type\": \"boolean\"}, \"features\": "
              "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": "
              "[\"metric\", \"options\"], \"properties\": {\"metric\": {\"type\": \"string\"}, "
              "\"extractor\": {\"type\": \"string\"}, \"options\": {\"type\": \"object\"}}}}}}}}}",
    .run = run_describe_model,
};

/* The worker, `version NAME` or `path FILE`: loads a model and describes it as JSON. */

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
        return 1; /* the library has printed why */
    json_t *const features = json_array();
    VmafModelFeatureInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_model_feature(loaded.model, i, &info); i++)
        json_array_append_new(features, describe_feature(loaded.model, i, &info));
    json_t *const result =
        json_pack("{s:b, s:o}", "collection", loaded.collection != NULL, "features", features);
    const int err = worker_answer(result);
    vmaf_model_collection_destroy(loaded.collection);
    vmaf_model_destroy(loaded.model);
    return err;
}
