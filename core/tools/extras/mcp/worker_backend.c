/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A backend and its devices, each of them tried: what a driver says of itself is not believed. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vmaf/doctor/doctor.h"
#include "libvmaf/device.h"
#include "rpc.h"
#include "worker.h"

static const char *type_name(enum VmafDeviceType type)
{
    static const char *const names[] = { "other", "integrated", "discrete", "virtual", "software" };
    return (size_t)type < sizeof(names) / sizeof(*names) ? names[type] : names[0];
}

/* Why it cannot be used, to be freed; NULL when a small pair scores there as on the CPU. */
static char *find_problem(const VmafDeviceInfo *info)
{
    if (*info->missing)
        return strdup(info->missing);
    json_t *const cpu = trial_score(NULL, 0);
    json_t *const device = cpu ? trial_score(info->backend, info->index) : NULL;
    char *const problem =
        device ? trial_compare(device, cpu)
               : strdup("a small pair could not be scored there; vmaf --doctor says more");
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

int worker_backend(int argc, char **argv)
{
    const char *const name = argc > 0 ? argv[0] : "";
    json_t *const devices = json_array();
    VmafDeviceInfo info = { .size = sizeof(info) };
    bool usable = false;
    char why[256] = "";
    for (unsigned i = 0; !vmaf_device_info(name, i, &info); i++) {
        json_t *const entry = probe_device(&info);
        usable |= json_is_true(json_object_get(entry, "usable"));
        json_array_append_new(devices, entry);
    }
    if (!usable)
        vmaf_backend_missing(name, 1, why, sizeof(why));
    json_t *const result = json_pack("{s:o, s:b}", "devices", devices, "usable", usable);
    if (result && *why)
        json_object_set_new(result, "problem", rpc_text(why));
    const int err = !result || json_dumpf(result, stdout, JSON_COMPACT) || fflush(stdout);
    _exit(err ? 1 : 0); /* a driver's exit handlers may hang */
}
