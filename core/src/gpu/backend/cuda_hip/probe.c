/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/cuda_hip/probe.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

int driver_attribute(const DriverApi *api, enum DriverAttribute attribute, int device)
{
    int value = 0;
    return api->call.DeviceGetAttribute(&value, api->attributes[attribute], device) ? 0 : value;
}

void driver_note_missing(GpuDeviceInfo *info, const char *what)
{
    const size_t used = strlen(info->missing);
    snprintf(info->missing + used, sizeof(info->missing) - used, "%s%s", used ? ", " : "", what);
}

void driver_describe(const DriverApi *api, int device, GpuDeviceInfo *info,
                     char arch[DRIVER_ARCH_SIZE])
{
    *info = (GpuDeviceInfo){ .version_number = (uint32_t)api->version };
    arch[0] = '\0';
    size_t memory = 0;
    if (api->call.DeviceGetName(info->name, sizeof(info->name), device))
        snprintf(info->name, sizeof(info->name), "device %d", device);
    if (api->call.DeviceGetUuid(info->uuid, device))
        memset(info->uuid, 0, sizeof(info->uuid));
    if (api->call.DeviceGetPCIBusId(info->pci, sizeof(info->pci), device))
        info->pci[0] = '\0';
    for (char *c = info->pci; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (!api->call.DeviceTotalMem(&memory, device))
        info->memory = memory;
    info->type = driver_attribute(api, DRIVER_INTEGRATED, device) ? VMAF_DEVICE_INTEGRATED
                                                                  : VMAF_DEVICE_DISCRETE;
    if (driver_attribute(api, DRIVER_MAX_THREADS, device) < 256)
        driver_note_missing(info, "workgroups of 256");
    if (driver_attribute(api, DRIVER_MAX_SHARED_MEMORY, device) < 32768)
        driver_note_missing(info, "32 KiB of shared memory");
    api->describe(device, info, arch);
}

int driver_count(const DriverApi *api, int *count)
{
    *count = 0;
    int result = api->call.Init(0);
    enum DriverFunction function = DRIVER_Init;
    if (!result) {
        result = api->call.DeviceGetCount(count);
        function = DRIVER_DeviceGetCount;
    }
    /* What a library without a device answers; any other answer says what is wrong with the machine. */
    if (result && result != DRIVER_NO_DEVICE && result != DRIVER_INVALID_DEVICE)
        log_warning("%s: %s: %s", api->name, api->names[function], api->error_name(result));
    return result || *count < 1 ? -ENODEV : 0;
}

int driver_probe(const DriverApi *api, const GpuBackend *backend, bool validation, GpuProbe **out)
{
    *out = NULL;
    if (!api)
        return -ENOSYS;
    if (validation) {
        log_error("%s: the driver has no checks to switch on", backend->name);
        return -ENOTSUP;
    }
    int count;
    const int err = driver_count(api, &count);
    if (err)
        return err;
    DriverProbe *probe = mem_zalloc(sizeof(*probe) + (size_t)count * sizeof(probe->devices[0]));
    if (!probe)
        return -ENOMEM;
    probe->api = api;
    probe->gpu = (GpuProbe){ .backend = backend, .devices = probe->devices };
    for (int i = 0; i < count; i++) {
        int device;
        char arch[DRIVER_ARCH_SIZE];
        /* A number stands for the same device in every program, so that none is left out. */
        GpuDeviceInfo *info = &probe->devices[probe->gpu.count++];
        if (!api->call.DeviceGet(&device, i)) {
            driver_describe(api, device, info, arch);
        } else {
            snprintf(info->name, sizeof(info->name), "device %d", i);
            driver_note_missing(info, "an answer of the driver");
        }
    }
    *out = &probe->gpu;
    return 0;
}

void driver_probe_end(GpuProbe *probe)
{
    mem_free(probe);
}
