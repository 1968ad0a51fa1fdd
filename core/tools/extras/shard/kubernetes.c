/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kubernetes: an indexed Job for the parts and a Job for the merge, as a kustomization of the
 * manifests in deploy/. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engines.h"
#include "common/json_memory.h"
#include "common/message.h"
#include "split.h"
#include "common/temp.h"

#define MERGE_WAIT 86400 /* seconds that the merge waits for parts, as in deploy/kubernetes */

static const char kustomization[] = "apiVersion: kustomize.config.k8s.io/v1beta1\n"
                                    "kind: Kustomization\n"
                                    "resources:\n"
                                    "  - base\n"
                                    "patches:\n"
                                    "  - path: parts.json\n"
                                    "  - path: merge.json\n";

/* Returns the word with each $ doubled, because Kubernetes replaces $(NAME) by a variable, and $$
 * by $. NULL: no memory, which json_memory.h notices, because it allocates for jansson. */
static json_t *escaped(const char *word)
{
    json_malloc_t allocate;
    json_free_t release;
    json_get_alloc_funcs(&allocate, &release);
    char *const text = allocate(2 * strlen(word) + 1);
    if (!text)
        return NULL;
    char *at = text;
    for (; *word; word++) {
        if (*word == '$')
            *at++ = '$';
        *at++ = *word;
    }
    *at = '\0';
    json_t *const value = json_string(text);
    release(text);
    return value;
}

/* NULL: no memory. */
static json_t *list_of(const Argv *argv)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < argv->count; i++) {
        if (!json_array_append_new(list, escaped(argv->words[i])))
            continue;
        json_decref(list);
        return NULL;
    }
    return list;
}

/* The container that both Jobs use. `cache` adds the volume for the drivers' caches. */
static json_t *container_of(const ShardOptions *options, const Argv *words, bool cache)
{
    json_t *const container = json_pack("{s:s, s:s, s:o}", "name", "vmaf", "image", options->image,
                                        "args", list_of(words));
    if (options->mount) {
        json_t *const mounts = json_pack("[{s:s}, {s:s, s:s}]", "$patch", "replace", "name", "data",
                                         "mountPath", options->mount);
        if (cache)
            json_array_append_new(mounts,
                                  json_pack("{s:s, s:s}", "name", "cache", "mountPath", "/cache"));
        json_object_set_new(container, "volumeMounts", mounts);
    }
    return container;
}

/* A patch for a Job of the base. */
static json_t *job_of(const ShardOptions *options, const char *name, json_t *spec,
                      json_t *container)
{
    json_t *const pod = json_pack("{s:[o]}", "containers", container);
    if (options->claim)
        json_object_set_new(pod, "volumes",
                            json_pack("[{s:s, s:{s:s}}]", "name", "data", "persistentVolumeClaim",
                                      "claimName", options->claim));
    json_object_set_new(spec, "template", json_pack("{s:o}", "spec", pod));
    return json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "batch/v1", "kind", "Job",
                     "metadata", "name", name, "spec", spec);
}

static void set_resource(json_t *resources, const char *kind, const char *name, json_t *value)
{
    json_t *list = json_object_get(resources, kind);
    if (!list) {
        list = json_object();
        json_object_set_new(resources, kind, list);
    }
    json_object_set_new(list, name, value);
}

static json_t *resources_of(const ShardOptions *options)
{
    json_t *const resources = json_object();
    if (options->cpus)
        set_resource(resources, "requests", "cpu", json_sprintf("%u", options->cpus));
    if (options->memory)
        set_resource(resources, "requests", "memory", json_string(options->memory));
    if (options->gpus)
        set_resource(resources, "limits",
                     options->gpu_resource ? options->gpu_resource : "nvidia.com/gpu",
                     json_sprintf("%u", options->gpus));
    return resources;
}

static json_t *parts_patch(const ShardOptions *options, const char *program)
{
    Argv words = { 0 };
    add_part_words(&words, options, program, INDEX_OF_ENGINE);
    json_t *const container = container_of(options, &words, true);
    json_t *const resources = resources_of(options);
    if (json_object_size(resources))
        json_object_set(container, "resources", resources);
    json_decref(resources);
    json_t *const spec = json_pack("{s:i, s:i, s:i}", "completions", options->count, "parallelism",
                                   options->at_once ? options->at_once : options->count,
                                   "backoffLimitPerIndex", options->retries);
    json_t *const patch = job_of(options, "vmaf-parts", spec, container);
    if (options->minutes)
        json_object_set_new(
            json_object_get(json_object_get(json_object_get(patch, "spec"), "template"), "spec"),
            "activeDeadlineSeconds", json_integer(60 * (json_int_t)options->minutes));
    const bool failed = words.failed;
    argv_free(&words);
    if (!failed)
        return patch;
    json_decref(patch);
    return NULL;
}

static json_t *merge_patch(const ShardOptions *options, const char *program)
{
    if (!options->output) /* no report is wanted, so remove the merge Job */
        return json_pack("{s:s, s:s, s:{s:s}, s:s}", "apiVersion", "batch/v1", "kind", "Job",
                         "metadata", "name", "vmaf-merge", "$patch", "delete");
    Argv words = { 0 };
    add_merge_words(&words, options, program, MERGE_WAIT);
    json_t *const patch =
        job_of(options, "vmaf-merge", json_object(), container_of(options, &words, false));
    const bool failed = words.failed;
    argv_free(&words);
    if (!failed)
        return patch;
    json_decref(patch);
    return NULL;
}

/* Write a file into the folder, or print it. */
static int put(const char *folder, const char *name, const char *text, bool print)
{
    if (print) {
        printf("# %s\n%s\n", name, text);
        return 0;
    }
    char *const path = text_print("%s/%s", folder, name);
    Draft draft;
    int err = path ? draft_open(&draft, path) : -ENOMEM;
    if (!err) {
        fputs(text, draft.file);
        err = draft_close(&draft);
    }
    free(path);
    return err;
}

static int put_json(const char *folder, const char *name, json_t *value, bool print)
{
    char *const text = json_whole_text(value, JSON_INDENT(2));
    const int err = text ? put(folder, name, text, print) : -ENOMEM;
    free(text);
    json_decref(value);
    return err;
}

static int put_kustomization(const char *folder, const ShardOptions *options, bool print)
{
    /* A JSON string is also a YAML string, and names and namespaces contain no characters to
     * escape. */
    char *const text =
        text_print("%s%s%s%s%s%s%s", kustomization, options->space ? "namespace: \"" : "",
                   options->space ? options->space : "", options->space ? "\"\n" : "",
                   options->name ? "namePrefix: \"" : "", options->name ? options->name : "",
                   options->name ? "-\"\n" : "");
    const int err = text ? put(folder, "kustomization.yaml", text, print) : -ENOMEM;
    free(text);
    return err;
}

static int put_all(const char *folder, const ShardOptions *options, bool print)
{
    const char *const program = options->program ? options->program : "vmaf-shard";
    int err = put(folder, "base/kustomization.yaml", made_kubernetes_base, print);
    if (!err)
        err = put(folder, "base/parts.yaml", made_kubernetes_parts, print);
    if (!err)
        err = put(folder, "base/merge.yaml", made_kubernetes_merge, print);
    if (!err)
        err = put_json(folder, "parts.json", parts_patch(options, program), print);
    if (!err)
        err = put_json(folder, "merge.json", merge_patch(options, program), print);
    return err ? err : put_kustomization(folder, options, print);
}

static int make_folders(const char *folder)
{
    char *const base = text_print("%s/base", folder);
    int err = base ? 0 : -ENOMEM;
    if (!err &&
        ((mkdir(folder, 0777) && errno != EEXIST) || (mkdir(base, 0777) && errno != EEXIST))) {
        err = -errno;
        say("cannot create the folder %s: %s", base, strerror(-err));
    }
    free(base);
    return err;
}

static int run_kubectl(Submission *s, const char *const *words)
{
    Argv argv = { 0 };
    argv_add(&argv, "kubectl");
    for (size_t i = 0; i < s->options->extra.count; i++)
        argv_add(&argv, s->options->extra.words[i]);
    argv_add_all(&argv, words);
    const int err = step_run(s->children, &argv, s->options->dry_run, NULL, NULL);
    argv_free(&argv);
    return err;
}

/* An existing Job cannot be changed, so delete the Jobs of an earlier submission first. Finished
 * parts are not scored again. */
static int apply(Submission *s, const char *folder)
{
    int err =
        run_kubectl(s, (const char *const[]){ "delete", "--ignore-not-found", "-k", folder, NULL });
    if (!err)
        err = run_kubectl(s, (const char *const[]){ "apply", "-k", folder, NULL });
    return err;
}

int shard_kubernetes(Submission *s)
{
    const ShardOptions *const options = s->options;
    TempFolder *temp = NULL;
    const char *folder = options->manifests;
    const char *const tmpdir = getenv("TMPDIR");
    int err = 0;
    if (!folder && options->dry_run)
        folder = "FOLDER";
    else if (!folder) {
        err = temp_create(&temp, tmpdir && *tmpdir ? tmpdir : "/tmp");
        folder = err ? NULL : temp_path(temp);
    }
    if (!err && !options->dry_run)
        err = make_folders(folder);
    if (!err)
        err = put_all(folder, options, options->dry_run);
    if (!err)
        err = apply(s, folder);
    temp_destroy(temp);
    if (!err && !options->dry_run)
        say("scoring the missing parts in %s%s%s", options->parts,
            options->output ? ", then merging them into " : "",
            options->output ? options->output : "");
    return err;
}
