/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A backend and its devices, each opened and tested: what a driver says of itself is not believed. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libvmaf/device.h"
#include "rpc.h"
#include "worker.h"

static const char *type_name(enum VmafDeviceType type)
{
    static const char *const names[] = { "other", "integrated", "discrete", "virtual", "software" };
    return (size_t)type < sizeof(names) / sizeof(*names) ? names[type] : names[0];
}

static const char *failure(int err)
{
    switch (err) {
    case -ENOTSUP:
        return "it lacks something, or computed wrong results in its self-test";
    case -ETIMEDOUT:
        return "it did not finish its self-test";
    default:
        return strerror(-err);
    }
}

/* Opens it, which runs its self-test. */
static json_t *probe_device(const VmafDeviceInfo *info)
{
    char number[16];
    VmafDevice *device = NULL;
    snprintf(number, sizeof(number), "%u", info->index);
    const VmafDeviceOptions options = {
        .size = sizeof(options), .backend = info->backend, .device = number, .allow_software = 1
    };
    const int err = *info->missing ? -ENOTSUP : vmaf_device_open(&device, &options);
    json_t *const entry =
        json_pack("{s:i, s:o, s:s, s:I, s:o, s:o, s:o, s:b}", "index", (int)info->index, "name",
                  rpc_text(info->name), "type", type_name(info->type), "memory",
                  (json_int_t)info->memory, "driver", rpc_text(info->driver), "api_version",
                  rpc_text(info->version), "pci", rpc_text(info->pci), "usable", !err);
    if (err && entry)
        json_object_set_new(entry, "problem",
                            rpc_text(*info->missing ? info->missing : failure(err)));
    vmaf_device_close(&device);
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
