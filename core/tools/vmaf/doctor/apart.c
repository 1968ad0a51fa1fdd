/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/child.h"
#include "common/json_memory.h"
#include "vmaf/command.h"

/* The output of one stream of the child. */
typedef struct Output {
    char *text;
    size_t size;
} Output;

typedef struct Task {
    DoctorJob job;
    const DoctorCase *on;
    Output output[CHILD_STREAMS];
} Task;

#define OUTPUT_MAX ((size_t)1 << 20)

/* Runs in the child. Its stdout carries the finding, so what a driver prints there goes to
 * stderr. */
static int work(void *arg)
{
    const Task *const task = arg;
    FILE *const file = fdopen(dup(STDOUT_FILENO), "w");
    setenv("VMAF_LOG", "error", 0); /* findings tell of software, so that reasons are errors only */
    dup2(STDERR_FILENO, STDOUT_FILENO);
    json_t *const result = task->job(task->on);
    bool good = result && file && !json_memory_failed() &&
                !json_dumpf(result, file, JSON_COMPACT | JSON_ENCODE_ANY);
    if (file)
        good = !fclose(file) && good;
    return good ? 0 : 1;
}

/* Collects the child's output. What exceeds OUTPUT_MAX is lost. */
static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Output *const output = &((Task *)arg)->output[stream];
    char *const grown =
        count <= OUTPUT_MAX - output->size ? realloc(output->text, output->size + count) : NULL;
    if (!grown)
        return;
    memcpy(grown + output->size, bytes, count);
    output->text = grown;
    output->size += count;
}

/* Copies the last line that is not blank, without the prefix of the library's log. */
static void last_line(const Output *said, char *why, size_t size)
{
    static const char prefix[] = "libvmaf ERROR ";
    size_t end = said->size;
    while (end && (said->text[end - 1] == '\n' || said->text[end - 1] == ' '))
        end--;
    size_t start = end;
    while (start && said->text[start - 1] != '\n')
        start--;
    if (end - start >= strlen(prefix) && !memcmp(said->text + start, prefix, strlen(prefix)))
        start += strlen(prefix);
    snprintf(why, size, "%.*s", (int)(end - start), said->text + start);
}

static void explain(const ChildEnd *end, unsigned seconds, const Output *said, char *why,
                    size_t size)
{
    if (end->timed_out)
        snprintf(why, size, "its driver did not answer within %u s", seconds);
    else if (end->signal)
        snprintf(why, size, "its driver crashed (signal %d, %s)", end->signal,
                 strsignal(end->signal));
    else if (said->size)
        last_line(said, why, size);
    else
        snprintf(why, size, "it gave no reason");
}

#ifdef _WIN32

/* Windows has no fork: the program runs itself, with the job in an argument. */

static const struct {
    const char *name;
    DoctorJob job;
} jobs[] = {
    { "list_devices", job_list_devices }, { "list_driver", job_list_driver },
    { "try_device", job_try_device },     { "ask_ffmpeg", job_ask_ffmpeg },
    { "examine", job_examine },           { "take_time", job_take_time },
};

static char *job_text(const Task *task)
{
    const TrialDevice *const device = task->on->device;
    const TrialClip *const clip = &task->on->clip;
    const char *name = "";
    for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
        if (jobs[i].job == task->job)
            name = jobs[i].name;
    json_t *const all =
        json_pack("{s:s, s:s*, s:s*, s:i, s:b, s:[i, i, i, i]}", "job", name, "name",
                  task->on->name, "backend", device ? device->backend : NULL, "index",
                  device ? (int)device->index : 0, "software", device && device->software, "clip",
                  (int)clip->width, (int)clip->height, (int)clip->bits, (int)clip->frames);
    char *const text = json_whole_text(all, JSON_COMPACT);
    json_decref(all);
    return text;
}

static int run(Children *children, ChildParams *params, ChildEnd *end)
{
    char *const self = own_program_path(""), *const text = job_text(params->arg);
    const char *const words[] = { "vmaf", DOCTOR_JOB, text, NULL };
    params->program = self;
    params->argv = words;
    const int err = self && text ? child_run(children, params, end) : -ENOMEM;
    free(self);
    free(text);
    return err;
}

int doctor_job(const char *text)
{
    json_t *const all = json_loads(text, 0, NULL);
    const char *job = "";
    TrialDevice device = { .backend = NULL };
    DoctorCase on = { .device = NULL };
    int index = 0, software = 0;
    const int bad =
        json_unpack(all, "{s:s, s?s, s?s, s:i, s:b, s:[i, i, i, i]}", "job", &job, "name", &on.name,
                    "backend", &device.backend, "index", &index, "software", &software, "clip",
                    &on.clip.width, &on.clip.height, &on.clip.bits, &on.clip.frames);
    device.index = (unsigned)index;
    device.software = software;
    on.device = device.backend ? &device : NULL;
    int result = 1;
    for (size_t i = 0; !bad && i < sizeof(jobs) / sizeof(*jobs); i++)
        if (!strcmp(jobs[i].name, job))
            result = work(&(Task){ .job = jobs[i].job, .on = &on });
    json_decref(all);
    return result;
}

#else

static int run(Children *children, ChildParams *params, ChildEnd *end)
{
    static const char *const no_words[] = { NULL };
    params->argv = no_words;
    params->work = work;
    return child_run(children, params, end);
}

#endif

json_t *doctor_apart(DoctorJob job, const DoctorCase *on, unsigned seconds, char *why, size_t size,
                     bool *hangs)
{
    Task task = { .job = job, .on = on };
    ChildParams params = {
        .sink = { CHILD_TO_US, CHILD_TO_US },
        .time_limit = seconds,
        .heard = hear,
        .arg = &task,
    };
    Children *children = NULL;
    ChildEnd end = { 0 };
    json_t *result = NULL;
    *why = 0;
    fflush(NULL); /* without this, the child would write our buffers once more */
    int err = children_create(&children);
    if (!err)
        err = run(children, &params, &end);
    const Output *const found = &task.output[CHILD_OUT];
    if (hangs)
        *hangs = !err && end.timed_out;
    if (err)
        snprintf(why, size, "cannot start a process: %s", strerror(-err));
    else if (!end.timed_out && !end.signal && !end.code)
        result = json_loadb(found->text ? found->text : "", found->size, JSON_DECODE_ANY, NULL);
    if (!err && !result)
        explain(&end, seconds, &task.output[CHILD_ERR], why, size);
    children_destroy(children);
    free(task.output[CHILD_OUT].text);
    free(task.output[CHILD_ERR].text);
    return result;
}
