/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* list_backends: each backend is asked by a worker of its own, so that a driver that hangs or crashes takes
 * nothing else with it. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "libvmaf/device.h"
#include "rpc.h"
#include "task.h"
#include "tool.h"
#include "worker.h"

#define PROBE_TIME 30 /* seconds, unless the client says otherwise */

/* What a worker found, or why it found nothing. */
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
        json_object_update_new(entry,
                               json_pack("{s:b, s:[], s:o}", "usable", 0, "devices", "problem",
                                         rpc_text(err ? why : "its answer makes no sense")));
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
        snprintf(text, sizeof(text), "asking %s", vmaf_backend_title(name));
        call_progress(call, i + 1, 0.0, text);
        const bool built = vmaf_backend_built(name) > 0;
        json_t *const entry = json_pack("{s:s, s:s, s:b}", "name", name, "title",
                                        vmaf_backend_title(name), "built", built);
        json_array_append_new(list, entry);
        if (!built)
            json_object_update_new(entry, json_pack("{s:b, s:[], s:s}", "usable", 0, "devices",
                                                    "problem", "it is not part of this build"));
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
        "List the backends (cpu, cuda, hip, vulkan, …) and their devices. A small pair is really scored "
        "on each device, and has to score as on the CPU; what cannot be used comes with the reason. A device of type software is "
        "a CPU that plays a GPU: slow, and to be named as device to be used.",
    .input =
        "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
        "\"timeout\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 600, \"description\": "
        "\"Seconds that each backend may take (default 30).\"}}}",
    .output = "{\"type\": \"object\", \"required\": [\"backends\"], \"properties\": {\"backends\": "
              "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": [\"name\", "
              "\"title\", \"built\", \"usable\", \"devices\"], \"properties\": {"
              "\"name\": {\"type\": \"string\", \"description\": \"For the argument backend of "
              "other tools.\"}, \"title\": {\"type\": \"string\"}, \"built\": {\"type\": "
              "\"boolean\"}, \"usable\": {\"type\": \"boolean\"}, \"problem\": {\"type\": "
              "\"string\"}, \"cores\": {\"type\": \"integer\"}, \"devices\": {\"type\": "
              "\"array\", \"items\": {\"type\": \"object\", \"required\": [\"index\", \"name\", "
              "\"type\", \"usable\"], \"properties\": {\"index\": {\"type\": \"integer\"}, "
              "\"name\": {\"type\": \"string\"}, \"type\": {\"type\": \"string\"}, \"memory\": "
              "{\"type\": \"integer\"}, \"driver\": {\"type\": \"string\"}, \"api_version\": "
              "{\"type\": \"string\"}, \"pci\": {\"type\": \"string\"}, \"usable\": {\"type\": "
              "\"boolean\"}, \"problem\": {\"type\": \"string\"}}}}}}}}}",
    .run = run_list_backends,
};
