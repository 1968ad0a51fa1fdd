/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/child.h"
#include "common/json_memory.h"
#include "libvmaf/device.h"
#include "vmaf/gpu.h"

/* Seconds until a driver counts as hanging: for a list, and for a trial, which may compile
 * kernels. */
enum { LIST_SECONDS = 30, TRIAL_SECONDS = 180 };

/* ---- work in a child process, since a driver may crash or hang ---- */

/* The work: returns its finding, or NULL with the reason in the log. */
typedef json_t *(*Job)(void *arg);

/* The output of one stream of the child. */
typedef struct Output {
    char *text;
    size_t size;
} Output;

typedef struct Task {
    Job job;
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

/* Runs the job in a child process. Returns its finding, or NULL with the reason in `why`: it
 * crashed, hung, or printed an error. */
static json_t *run_apart(Job job, void *arg, unsigned seconds, char *why, size_t size)
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

/* ---- the jobs ---- */

static json_t *list_devices(void *arg)
{
    const char *const backend = arg;
    json_t *const list = json_array();
    VmafDeviceInfo info = { .size = sizeof(info) };
    char why[512];
    for (unsigned i = 0; !vmaf_device_info(backend, i, &info); i++) {
        char uuid[40];
        gpu_uuid_text(uuid, info.uuid);
        json_array_append_new(list,
                              json_pack("{s:i, s:s, s:s, s:s, s:s+++, s:I, s:s, s:s, s:s}", "index",
                                        (int)i, "name", info.name, "type", gpu_type_name(info.type),
                                        "driver", info.driver, "api", info.api, " ", info.version,
                                        "", "memory_mib", (json_int_t)(info.memory >> 20), "uuid",
                                        uuid, "pci", info.pci, "lacks", info.missing));
    }
    const int err = vmaf_backend_missing(backend, 0, why, sizeof(why));
    return json_pack("{s:o, s:s}", "devices", list, "missing", err ? why : "");
}

typedef struct Trial {
    const char *backend; /* NULL: the CPU */
    unsigned index;
} Trial;

static json_t *try_device(void *arg)
{
    const Trial *const trial = arg;
    unsetenv("VMAF_BACKEND"); /* the trial chooses the device */
    return trial_score(trial->backend, trial->index);
}

typedef struct DriverFile {
    const char *file;
} DriverFile;

static json_t *list_driver(void *arg)
{
    const char *const file = ((const DriverFile *)arg)->file;
    setenv("VK_DRIVER_FILES", file, 1);
    setenv("VK_ICD_FILENAMES", file, 1);
    return list_devices("vulkan");
}

/* ---- in this process ---- */

static void set_text(json_t *object, const char *key, const char *text)
{
    /* Names come from drivers and may not be UTF-8; that must not lose the other findings. */
    json_t *value = json_string(text);
    json_object_set_new(object, key, value ? value : json_string("(not UTF-8)"));
}

json_t *probe_cpu(json_t **cpu)
{
    char why[512];
    *cpu = run_apart(try_device, &(Trial){ NULL, 0 }, TRIAL_SECONDS, why, sizeof(why));
    json_t *const found = json_pack("{s:s, s:s, s:b, s:b, s:[]}", "name", "cpu", "title", "CPU",
                                    "built", 1, "works", *cpu != NULL, "devices");
    if (!*cpu) {
        set_text(found, "missing", why);
        set_text(found, "remedy", "report this");
    }
    return found;
}

/* Scores the trial on a device, and notes in it whether it works. */
static void try_one(json_t *device, const char *backend, const json_t *cpu)
{
    Trial trial = { backend, (unsigned)json_integer_value(json_object_get(device, "index")) };
    char why[512];
    json_t *const scores = run_apart(try_device, &trial, TRIAL_SECONDS, why, sizeof(why));
    char *const wrong = scores && cpu ? trial_compare(scores, cpu) : NULL;
    json_object_set_new(device, "works", json_boolean(scores && cpu && !wrong));
    if (!scores || wrong)
        set_text(device, "problem", wrong ? wrong : why);
    if (scores)
        json_object_set(device, "extractors", json_object_get(scores, "on_device"));
    free(wrong);
    json_decref(scores);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *const text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Notes in the device which driver file provides it. */
static void find_driver_file(json_t *device, const json_t *drivers)
{
    size_t i, j;
    json_t *driver, *other;
    json_array_foreach(drivers, i, driver)
    {
        json_array_foreach(json_object_get(driver, "devices"), j, other)
        {
            if (!strcmp(json_string_value(other), text_of(device, "uuid"))) {
                json_object_set(device, "driver_file", json_object_get(driver, "file"));
                return;
            }
        }
    }
}

static void note_missing(json_t *found, const char *backend, const char *missing,
                         const json_t *machine)
{
    char remedy[512];
    remedy_find(remedy, sizeof(remedy), backend, missing, machine);
    set_text(found, "missing", missing);
    set_text(found, "remedy", remedy);
}

json_t *probe_backend(const char *backend, const json_t *machine, const json_t *cpu, bool software)
{
    char why[512];
    json_t *const found =
        json_pack("{s:s, s:s, s:b}", "name", backend, "title", vmaf_backend_title(backend), "built",
                  vmaf_backend_built(backend) > 0);
    json_t *const listed = run_apart(list_devices, (void *)backend, LIST_SECONDS, why, sizeof(why));
    json_t *const devices = listed ? json_object_get(listed, "devices") : NULL;
    bool works = false, broken = false;
    size_t i;
    json_t *device;
    json_array_foreach(devices, i, device)
    {
        const bool is_software = !strcmp(text_of(device, "type"), "software");
        if (!strcmp(backend, "vulkan"))
            find_driver_file(device, json_object_get(machine, "vulkan_drivers"));
        if (*text_of(device, "lacks")) {
            set_text(device, "problem", "it lacks what the kernels need");
            json_object_set_new(device, "works", json_false());
        } else if (!is_software || software) {
            try_one(device, backend, cpu);
            works = works || json_is_true(json_object_get(device, "works"));
            broken = broken || !json_is_true(json_object_get(device, "works"));
        }
    }
    json_object_set_new(found, "works", json_boolean(works && !broken));
    json_object_set(found, "devices", devices);
    if (!listed)
        note_missing(found, backend, why, machine);
    else if (!works && *text_of(listed, "missing"))
        note_missing(found, backend, text_of(listed, "missing"), machine);
    json_decref(listed);
    return found;
}

void probe_vulkan_drivers(json_t *drivers)
{
    size_t i, j;
    json_t *driver, *device;
    json_array_foreach(drivers, i, driver)
    {
        char why[512];
        if (*text_of(driver, "problem"))
            continue;
        DriverFile file = { text_of(driver, "file") };
        json_t *const listed = run_apart(list_driver, &file, LIST_SECONDS, why, sizeof(why));
        json_t *const uuids = json_array();
        json_array_foreach(json_object_get(listed, "devices"), j, device)
        {
            json_array_append(uuids, json_object_get(device, "uuid"));
        }
        json_object_set_new(driver, "devices", uuids);
        if (!listed)
            set_text(driver, "problem", why);
        json_decref(listed);
    }
}
