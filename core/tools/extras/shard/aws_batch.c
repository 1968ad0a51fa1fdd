/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AWS Batch: an array job for the parts, and a merge job that depends on it. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "engines.h"
#include "common/json_memory.h"
#include "common/message.h"
#include "split.h"

/* Limits of AWS Batch for the size of an array. */
enum { ARRAY_MIN = 2, ARRAY_MAX = 10000 };

static json_t *list_of(const Argv *argv)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < argv->count; i++)
        json_array_append_new(list, json_string(argv->words[i]));
    return list;
}

static void require(json_t *container, const char *type, const char *value)
{
    json_t *list = json_object_get(container, "resourceRequirements");
    if (!list) {
        list = json_array();
        json_object_set_new(container, "resourceRequirements", list);
    }
    json_array_append_new(list, json_pack("{s:s, s:s}", "type", type, "value", value));
}

static void require_number(json_t *container, const char *type, unsigned number)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", number);
    if (number)
        require(container, type, text);
}

/* The job request from deploy/ with the values of this submission filled in. */
static json_t *request(const Submission *s, const char *text, const char *kind, const Argv *words)
{
    const ShardOptions *const options = s->options;
    json_t *const job = json_loads(text, 0, NULL);
    json_t *const container = json_object_get(job, "containerOverrides");
    if (!container)
        return job;
    json_object_set_new(job, "jobName",
                        json_sprintf("%s-%s", options->name ? options->name : "vmaf", kind));
    json_object_set_new(job, "jobQueue", json_string(options->queue));
    json_object_set_new(job, "jobDefinition",
                        json_string(options->definition ? options->definition : "vmaf"));
    json_object_set_new(container, "command", list_of(words));
    return job;
}

static int send(Submission *s, json_t *job, const char *stands_for, char **answer)
{
    const ShardOptions *const options = s->options;
    char *const text = json_whole_text(job, JSON_COMPACT);
    Argv argv = { 0 };
    argv_add_all(&argv, (const char *const[]){ "aws", "batch", "submit-job", "--query", "jobId",
                                               "--output", "text", NULL });
    for (size_t i = 0; i < options->extra.count; i++)
        argv_add(&argv, options->extra.words[i]);
    argv_add(&argv, "--cli-input-json");
    argv_add(&argv, text ? text : "");
    int err = text ? step_run(s->children, &argv, options->dry_run, stands_for, answer) : -ENOMEM;
    if (!err && !**answer) {
        say("aws printed no job id");
        err = -EIO;
    }
    argv_free(&argv);
    free(text);
    return err;
}

static int send_parts(Submission *s, const char *program, char **id)
{
    const ShardOptions *const options = s->options;
    Argv words = { 0 };
    add_part_words(&words, options, program, INDEX_OF_ENGINE);
    json_t *const job = words.failed ? NULL : request(s, made_aws_parts, "parts", &words);
    json_t *const container = json_object_get(job, "containerOverrides");
    int err = -ENOMEM;
    if (container) {
        json_object_set_new(job, "arrayProperties", json_pack("{s:i}", "size", options->count));
        json_object_set_new(json_object_get(job, "retryStrategy"), "attempts",
                            json_integer(options->retries + 1));
        if (options->minutes)
            json_object_set_new(
                job, "timeout",
                json_pack("{s:i}", "attemptDurationSeconds", 60 * options->minutes));
        require_number(container, "GPU", options->gpus);
        require_number(container, "VCPU", options->cpus);
        if (options->memory)
            require(container, "MEMORY", options->memory);
        err = send(s, job, "PARTS", id);
    }
    json_decref(job);
    argv_free(&words);
    return err;
}

static int send_merge(Submission *s, const char *program, const char *id)
{
    const ShardOptions *const options = s->options;
    Argv words = { 0 };
    char *answer = NULL;
    add_merge_words(&words, options, program, 0);
    json_t *const job = words.failed ? NULL : request(s, made_aws_merge, "merge", &words);
    int err = -ENOMEM;
    if (job) {
        json_object_set_new(job, "dependsOn", json_pack("[{s:s}]", "jobId", id));
        err = send(s, job, "MERGE", &answer);
    }
    if (!err && !options->dry_run)
        say("job %s writes %s when all parts are done", answer, options->output);
    free(answer);
    json_decref(job);
    argv_free(&words);
    return err;
}

int shard_aws_batch(Submission *s)
{
    const ShardOptions *const options = s->options;
    const char *const program = options->program ? options->program : "vmaf-shard";
    char *id = NULL;
    if (options->count < ARRAY_MIN || options->count > ARRAY_MAX) {
        say("AWS Batch takes %d to %d parts in an array job, not %u", ARRAY_MIN, ARRAY_MAX,
            options->count);
        return -EINVAL;
    }
    int err = send_parts(s, program, &id);
    if (!err && !options->dry_run)
        say("job %s scores the missing ones of %u parts", id, options->count);
    if (!err && options->output)
        err = send_merge(s, program, id);
    free(id);
    return err;
}
