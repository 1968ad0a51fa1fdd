/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* search_target: runs vmaf-tune to find the encoder setting that reaches a score. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "rpc.h"
#include "scoring.h"
#include "task.h"
#include "tool.h"

enum { EXIT_UNREACHED = 2 }; /* vmaf-tune's exit code if no setting reaches the target */

typedef struct Progress {
    Call *call;
    double start;
    char last[160]; /* latest result */
} Progress;

/* vmaf-tune prints a line for each try, then its result as JSON. */
static bool hear_try(void *arg, const char *text)
{
    Progress *const progress = arg;
    if (strchr("{ }", *text))
        return false;
    snprintf(progress->last, sizeof(progress->last), "%s", text);
    return true;
}

/* The number of encodes is unknown in advance, so the progress value is the elapsed time in
 * seconds. */
static void tell_time(void *arg)
{
    const Progress *const progress = arg;
    json_t *const text = rpc_text(progress->last);
    call_progress(progress->call, call_now() - progress->start, 0.0, json_string_value(text));
    json_decref(text);
}

/* Is it a plain name? Other text could smuggle in options, some of which write files. */
static bool is_plain(const char *text)
{
    return *text &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               strlen(text) &&
           *text != '-';
}

/* ffmpeg would follow playlists to any file. Our own reader refuses them, so let it check the
 * source first, on the CPU, whatever VMAF_BACKEND asks for the scores. */
static int check_source(Call *call, const char *source, char *why, size_t size)
{
    Task task;
    task_init_worker(&task, call, WORKER_VMAF);
    int err = 0;
    for (unsigned side = 0; !err && side < 2; side++) {
        const char *const name = task_file(&task, source, why, size);
        task_add(&task, "%s", side ? "--distorted" : "--reference");
        task_add(&task, "%s", name ? name : "");
        err = name ? 0 : -EACCES;
    }
    static const char *const words[] = { "--local_only",    "--backend", "cpu",  "--frame_cnt", "1",
                                         "--no_prediction", "--feature", "psnr", "-q" };
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        task_add(&task, "%s", words[i]);
    if (!err)
        err = task_run(&task, why, size);
    task_free(&task);
    return err;
}

static void add_number(Task *task, const json_t *arguments, const char *name, const char *option)
{
    const json_t *const value = json_object_get(arguments, name);
    if (!value)
        return;
    task_add(task, "%s", option);
    task_add(task, "%.12g", json_number_value(value));
}

static int add_words(Task *task, const json_t *arguments, char *why, size_t size)
{
    const McpConfig *const config = task->call->config;
    const char *const encoder = tool_string(arguments, "encoder", ""), *const preset = tool_string(
                                                                           arguments, "preset",
                                                                           NULL);
    const char *const device = tool_string(arguments, "device", NULL);
    const char *const backend = tool_string(arguments, "backend", device ? "auto" : NULL);
    const char *const metric = tool_string(arguments, "metric", NULL);
    if (!is_plain(encoder) || (preset && !is_plain(preset)) || (backend && !is_plain(backend)) ||
        (metric && !is_plain(metric))) {
        snprintf(why, size,
                 "encoder, preset, metric and backend must be names of letters, digits, '-' and "
                 "'_'");
        return -EINVAL;
    }
    if (device && strchr(device, ',')) {
        snprintf(why, size, "device: give its number, or a part of its name without a comma");
        return -EINVAL;
    }
    const char *const source = task_file(task, tool_string(arguments, "source", ""), why, size);
    if (!source)
        return -EACCES;
    task_add(task, "%s", source);
    task_add(task, "--encoder");
    task_add(task, "%s%s%s", encoder, preset ? ":preset=" : "", preset ? preset : "");
    task_add(task, "--target");
    task_add(task, "%.12g:%s", json_number_value(json_object_get(arguments, "target")),
             tool_string(arguments, "pool", "mean"));
    if (json_object_get(arguments, "lowest") && json_object_get(arguments, "highest")) {
        task_add(task, "--crf");
        task_add(task, "%lld..%lld", tool_integer(arguments, "lowest", 0),
                 tool_integer(arguments, "highest", 0));
    }
    if (backend) { /* without it VMAF_BACKEND holds, as for the tools that score */
        task_add(task, "--backends");
        task_add(task, "%s%s%s", backend, device ? ":" : "", device ? device : "");
    }
    if (metric) {
        task_add(task, "--metric");
        task_add(task, "%s", metric);
    }
    add_number(task, arguments, "samples", "--samples");
    add_number(task, arguments, "sample_time", "--sample-time");
    add_number(task, arguments, "threads", "--threads");
    if (config->ffmpeg) {
        task_add(task, "--ffmpeg");
        task_add(task, "%s", config->ffmpeg);
    }
    task_add(task, "--json");
    task_add(task, WORKER_OUTPUT);
    if (json_object_get(arguments, "display")) {
        task_add(task, "--display");
        task_add(task, "%s", tool_string(arguments, "display", ""));
    }
    return scoring_add_model(task, tool_string(arguments, "model", NULL), why, size);
}

static json_t *read_result(const Task *task, const json_t *arguments)
{
    json_t *const found = json_loadb(task->out ? task->out : "", task->out_size, 0, NULL);
    if (!json_is_object(found)) {
        json_decref(found);
        return tool_failure("vmaf-tune gave no result%s%s", *task->said ? ": " : "", task->said);
    }
    json_object_set(found, "source", json_object_get(arguments, "source"));
    return tool_result(found);
}

static json_t *run_search_target(Call *call)
{
    const json_t *const arguments = call->arguments;
    Progress progress = { .call = call, .start = call_now(), .last = "encoding" };
    char why[2048];
    Task task;
    task_init_program(&task, call,
                      call->config->tune ? call->config->tune : task_sibling("vmaf-tune"));
    task_add(&task, "search");
    task.out_line = hear_try;
    task.tick = tell_time;
    task.arg = &progress;
    int err = add_words(&task, arguments, why, sizeof(why));
    if (!err)
        err = check_source(call, tool_string(arguments, "source", ""), why, sizeof(why));
    if (!err)
        err = task_run(&task, why, sizeof(why));
    const bool ended = !err || (err == -EIO && task.end.code == EXIT_UNREACHED);
    json_t *const result = err == -ECANCELED ? NULL
                           : ended           ? read_result(&task, arguments)
                                             : tool_failure("%s", why);
    task_free(&task);
    return result;
}

const Tool search_target_tool = {
    .name = "search_target",
    .title = "Find the setting that reaches a score",
    .description =
        "Find the quality setting (such as CRF) of an encoder of ffmpeg that just reaches a score "
        "(VMAF, or another metric), by "
        "encoding samples of the source with a few settings and scoring them. Returns the "
        "setting, the expected bitrate and all tries; keeps no encodes. "
        "Takes minutes.",
    .input =
        "{\"type\": \"object\", \"required\": [\"source\", \"encoder\", \"target\"], "
        "\"additionalProperties\": false, \"properties\": {"
        "\"source\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096, "
        "\"description\": \"Path of the video to encode.\"}, "
        "\"encoder\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 64, "
        "\"description\": \"An encoder of ffmpeg: libx264, libx265, libsvtav1, libvpx-vp9, …\"}, "
        "\"preset\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 32, "
        "\"description\": \"The encoder's preset, such as medium or slow; 6 for libsvtav1.\"}, "
        "\"target\": {\"type\": \"number\", \"minimum\": -100, \"maximum\": 150, "
        "\"description\": \"The score to reach, such as 95; 70 for ssimulacra2, 38 for xpsnr.\"}, "
        "\"metric\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 64, "
        "\"description\": \"The metric to reach (default vmaf): ssimulacra2, xpsnr (its lowest "
        "plane), psnr_y and so on.\"}, "
        "\"pool\": {\"type\": \"string\", \"enum\": [\"mean\", \"harmonic_mean\", \"min\", "
        "\"median\", \"p1\", \"p5\", \"p10\", \"p25\"], \"description\": \"The pooled score that "
        "must reach the target: the mean (default), or p1 or "
        "p5 for the worst frames.\"}, "
        "\"lowest\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 255, "
        "\"description\": \"Lowest setting to try; needs highest.\"}, "
        "\"highest\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 255, "
        "\"description\": \"Highest setting to try; needs lowest.\"}, "
        "\"samples\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 64, "
        "\"description\": \"Samples to encode instead of the whole video (default 4); 0: the "
        "whole video.\"}, "
        "\"sample_time\": {\"type\": \"number\", \"minimum\": 0.1, \"maximum\": 600, "
        "\"description\": \"Length of each sample in seconds (default 8).\"}, "
        "\"model\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096, "
        "\"description\": \"Name of a built-in model, path of a model file, or auto: the model of v1 "
        "for this size and frame rate; its scores mean other qualities than those of v0.\"}, " SCORING_DISPLAY
        "\"backend\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 32, "
        "\"description\": \"Where to score: cpu (default, unless the server's VMAF_BACKEND says "
        "otherwise), auto, or a usable backend of list_backends.\"}, "
        "\"device\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 256}, "
        "\"threads\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 256}}}",
    .output = "{\"type\": \"object\", \"required\": [\"source\", \"encoder\", \"option\", "
              "\"target\", \"reached\", \"found\", \"tries\"], \"properties\": {"
              "\"source\": {\"type\": \"string\"}, \"encoder\": {\"type\": \"string\"}, "
              "\"option\": {\"type\": \"string\", \"description\": \"The encoder's name for the "
              "setting.\"}, \"metric\": {\"type\": \"string\"}, \"pool\": {\"type\": \"string\"}, "
              "\"target\": {\"type\": \"number\"}, \"reached\": {\"type\": \"boolean\"}, "
              "\"found\": {\"type\": [\"object\", \"null\"], \"properties\": {\"setting\": "
              "{\"type\": \"number\"}, \"score\": {\"type\": \"number\"}, \"bitrate\": {\"type\": "
              "\"number\", \"description\": \"In kbit/s.\"}}}, \"tries\": {\"type\": \"array\", "
              "\"items\": {\"type\": \"object\", \"required\": [\"setting\", \"score\", "
              "\"bitrate\"]}}}}",
    .run = run_search_target,
};
