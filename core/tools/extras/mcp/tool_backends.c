/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "libvmaf/device.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rpc.h"
#include "task.h"
#include "tool.h"
#include "vmaf/doctor/doctor.h"
#include "vmaf/gpu.h"

/* list_backends: a separate worker examines each backend, so that a driver that hangs or crashes
 * affects nothing else. */

#define PROBE_TIME 30 /* default time limit, in seconds */

/* Add the worker's description of a backend, or the problem. Returns -ECANCELED if the call was
 * stopped, else 0. */
static int probe(Call *call, const char *backend, json_t *entry)
{
    Task task;
    char why[1024];
    task_init_worker(&task, call, WORKER_BACKEND);
    task_add(&task, "%s", backend);
    task.time_limit = (double)tool_integer(call->arguments, "timeout", PROBE_TIME);
    const int err = task_run(&task, why, sizeof(why));
    json_t *const found = err ? NULL : json_loadb(task.out ? task.out : "", task.out_size, 0, NULL);
    if (found)
        json_object_update(entry, found);
    else
        json_object_update_new(
            entry, json_pack("{s:b, s:[], s:o}", "usable", 0, "devices", "problem",
                             rpc_text(err ? why : "the worker's answer is not valid JSON")));
    json_decref(found);
    task_free(&task);
    return err == -ECANCELED ? err : 0;
}

static json_t *describe_cpu(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return json_pack("{s:s, s:s, s:b, s:b, s:I, s:[]}", "name", "cpu", "title", "CPU", "built", 1,
                     "usable", 1, "cores", (json_int_t)(cores > 0 ? cores : 1), "devices");
}

static json_t *run_list_backends(Call *call)
{
    json_t *const list = json_array();
    const char *name;
    json_array_append_new(list, describe_cpu());
    for (unsigned i = 0; (name = vmaf_backend_name(i)); i++) {
        char text[64];
        snprintf(text, sizeof(text), "testing %s", vmaf_backend_title(name));
        call_progress(call, i + 1, 0.0, text);
        const bool built = vmaf_backend_built(name) > 0;
        json_t *const entry = json_pack("{s:s, s:s, s:b}", "name", name, "title",
                                        vmaf_backend_title(name), "built", built);
        json_array_append_new(list, entry);
        if (!built)
            json_object_update_new(entry, json_pack("{s:b, s:[], s:s}", "usable", 0, "devices",
                                                    "problem", "not part of this build"));
        else if (probe(call, name, entry)) {
            json_decref(list);
            return NULL;
        }
    }
    return tool_result(json_pack("{s:o}", "backends", list));
}

const Tool list_backends_tool = {
    .name = "list_backends",
    .title = "List where scores can be computed",
    .description =
        "List the backends (cpu, cuda, hip, vulkan, …) and their devices. Each device scores a "
        "small pair of videos and must give the same scores as "
        "the CPU; unusable ones come with the reason. A device of type software "
        "emulates a GPU on the CPU: slow, and used only if the argument device names it, so that it "
        "makes no backend usable.",
    .input =
        "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
        "\"timeout\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 600, \"description\": "
        "\"Time limit for each backend in seconds (default 30).\"}}}",
    .output =
        "{\"type\": \"object\", \"required\": [\"backends\"], \"properties\": {\"backends\": "
        "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": [\"name\", "
        "\"title\", \"built\", \"usable\", \"devices\"], \"properties\": {"
        "\"name\": {\"type\": \"string\", \"description\": \"For the argument backend of "
        "other tools.\"}, \"title\": {\"type\": \"string\"}, \"built\": {\"type\": "
        "\"boolean\"}, \"usable\": {\"type\": \"boolean\", \"description\": \"As backend, without "
        "a device.\"}, \"problem\": {\"type\": "
        "\"string\"}, \"cores\": {\"type\": \"integer\"}, \"devices\": {\"type\": "
        "\"array\", \"items\": {\"type\": \"object\", \"required\": [\"index\", \"name\", "
        "\"type\", \"usable\"], \"properties\": {\"index\": {\"type\": \"integer\"}, "
        "\"name\": {\"type\": \"string\"}, \"type\": {\"type\": \"string\"}, \"memory\": "
        "{\"type\": \"integer\"}, \"driver\": {\"type\": \"string\"}, \"api_version\": "
        "{\"type\": \"string\"}, \"pci\": {\"type\": \"string\"}, \"usable\": {\"type\": "
        "\"boolean\"}, \"problem\": {\"type\": \"string\"}}}}}}}}}",
    .run = run_list_backends,
};

/* The worker: describes a backend and tests each of its devices, because a driver's own word is not
 * enough. */

static const char *type_name(enum VmafDeviceType type)
{
    static const char *const names[] = { "other", "integrated", "discrete", "virtual", "software" };
    return (size_t)type < sizeof(names) / sizeof(*names) ? names[type] : names[0];
}

/* Why the device cannot be used; free() it. NULL: a small pair scores there as on the CPU. */
static char *find_problem(const VmafDeviceInfo *info)
{
    if (*info->missing)
        return strdup(info->missing);
    const TrialDevice chosen = { .backend = info->backend,
                                 .index = info->index,
                                 .software = info->type == VMAF_DEVICE_SOFTWARE };
    json_t *const cpu = trial_score(NULL);
    json_t *const device = cpu ? trial_score(&chosen) : NULL;
    char *const problem =
        device ? trial_compare(device, cpu)
               : strdup("cannot score a small pair there; vmaf --doctor shows details");
    json_decref(cpu);
    json_decref(device);
    return problem;
}

static json_t *probe_device(const VmafDeviceInfo *info)
{
    char *const problem = find_problem(info);
    json_t *const entry =
        json_pack("{s:i, s:o, s:s, s:I, s:o, s:o, s:o, s:b}", "index", (int)info->index, "name",
                  rpc_text(info->name), "type", type_name(info->type), "memory",
                  (json_int_t)info->memory, "driver", rpc_text(info->driver), "api_version",
                  rpc_text(info->version), "pci", rpc_text(info->pci), "usable", !problem);
    if (problem && entry)
        json_object_set_new(entry, "problem", rpc_text(problem));
    free(problem);
    return entry;
}

/* True if a call that names the backend and no device can use this one. */
static bool is_taken_unnamed(const VmafDeviceInfo *info)
{
    return info->type != VMAF_DEVICE_SOFTWARE || environment_allows_software();
}

int worker_backend(int argc, char **argv)
{
    const char *const name = argc > 0 ? argv[0] : "";
    json_t *const devices = json_array();
    VmafDeviceInfo info = { .size = sizeof(info) };
    bool usable = false, by_name = false;
    char why[256] = "";
    for (unsigned i = 0; !vmaf_device_info(name, i, &info); i++) {
        json_t *const entry = probe_device(&info);
        const bool works = json_is_true(json_object_get(entry, "usable"));
        usable |= works && is_taken_unnamed(&info);
        by_name |= works;
        json_array_append_new(devices, entry);
    }
    if (!usable && by_name)
        snprintf(why, sizeof(why),
                 "it has only a software device, which is slow and has to be "
                 "named: as device, a part of its name");
    else if (!usable)
        vmaf_backend_missing(name, 1, why, sizeof(why));
    json_t *const result = json_pack("{s:o, s:b}", "devices", devices, "usable", usable);
    if (result && *why)
        json_object_set_new(result, "problem", rpc_text(why));
    _exit(worker_answer(result)); /* _exit, because a driver's exit handlers may hang */
}
