/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/child.h"
#include "common/json_memory.h"

/* The output of one stream of the child. */
typedef struct Output {
    char *text;
    size_t size;
} Output;

typedef struct Task {
    DoctorJob job;
    void *arg;
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
    json_t *const result = task->job(task->arg);
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

json_t *doctor_apart(DoctorJob job, void *arg, unsigned seconds, char *why, size_t size,
                     bool *hangs)
{
    static const char *const no_words[] = { NULL };
    Task task = { .job = job, .arg = arg };
    const ChildParams params = {
        .argv = no_words,
        .work = work,
        .sink = { CHILD_TO_US, CHILD_TO_US },
        .time_limit = seconds,
        .heard = hear,
        .arg = &task,
    };
    Children *children = NULL;
    ChildEnd end = { 0 };
    json_t *result = NULL;
    *why = 0;
    fflush(NULL); /* else the child would write our buffers once more */
    int err = children_create(&children);
    if (!err)
        err = child_run(children, &params, &end);
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
