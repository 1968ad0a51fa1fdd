/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/library.h"
#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/cuda_hip/api.h"
#include "gpu/backend/cuda_hip/cuda_hip.h"

int cuda_hip_attribute(const CudaHipApi *api, enum CudaHipAttribute attribute, int device)
{
    int value = 0;
    return api->call.DeviceGetAttribute(&value, api->attributes[attribute], device) ? 0 : value;
}

void cuda_hip_note_missing(GpuDeviceInfo *info, const char *what)
{
    const size_t used = strlen(info->missing);
    snprintf(info->missing + used, sizeof(info->missing) - used, "%s%s", used ? ", " : "", what);
}

void cuda_hip_describe(const CudaHipApi *api, int device, GpuDeviceInfo *info,
                       char arch[CUDA_HIP_ARCH_SIZE])
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
    info->type = cuda_hip_attribute(api, CUDA_HIP_INTEGRATED, device) ? VMAF_DEVICE_INTEGRATED
                                                                      : VMAF_DEVICE_DISCRETE;
    if (cuda_hip_attribute(api, CUDA_HIP_MAX_THREADS, device) < 256)
        cuda_hip_note_missing(info, "workgroups of 256");
    if (cuda_hip_attribute(api, CUDA_HIP_MAX_SHARED_MEMORY, device) < 32768)
        cuda_hip_note_missing(info, "32 KiB of shared memory");
    api->describe(device, info, arch);
}

int cuda_hip_count(const CudaHipApi *api, int *count)
{
    *count = 0;
    int result = api->call.Init(0);
    enum CudaHipFunction function = CUDA_HIP_Init;
    if (!result) {
        result = api->call.DeviceGetCount(count);
        function = CUDA_HIP_DeviceGetCount;
    }
    /* These two results mean that the library found no device. Any other error points to a broken
     * installation. */
    if (result && result != CUDA_HIP_NO_DEVICE && result != CUDA_HIP_INVALID_DEVICE)
        log_warning("%s: %s: %s", api->name, api->names[function], api->error_name(result));
    return result || *count < 1 ? -ENODEV : 0;
}

int cuda_hip_probe(const CudaHipApi *api, const GpuBackend *backend, bool validation,
                   GpuProbe **out)
{
    *out = NULL;
    if (!api)
        return -ENOSYS;
    if (validation) {
        log_error("%s: validation is not available; use it with the vulkan backend", backend->name);
        return -ENOTSUP;
    }
    int count;
    const int err = cuda_hip_count(api, &count);
    if (err)
        return err;
    CudaHipProbe *probe = mem_zalloc(sizeof(*probe) + (size_t)count * sizeof(probe->devices[0]));
    if (!probe)
        return -ENOMEM;
    probe->api = api;
    probe->gpu = (GpuProbe){ .backend = backend, .devices = probe->devices };
    for (int i = 0; i < count; i++) {
        int device;
        char arch[CUDA_HIP_ARCH_SIZE];
        /* Lists broken devices, too, so that a number means the same device in every program. */
        GpuDeviceInfo *info = &probe->devices[probe->gpu.count++];
        if (!api->call.DeviceGet(&device, i)) {
            cuda_hip_describe(api, device, info, arch);
        } else {
            snprintf(info->name, sizeof(info->name), "device %d", i);
            cuda_hip_note_missing(info, "a response from the driver");
        }
    }
    *out = &probe->gpu;
    return 0;
}

void cuda_hip_probe_end(GpuProbe *probe)
{
    mem_free(probe);
}

static_assert(sizeof(CudaHipCalls) == CUDA_HIP_FUNCTION_COUNT * sizeof(LibraryFunction),
              "the table is filled by number");

bool cuda_hip_load(CudaHipApi *api, void *library, const char *remedy)
{
    for (unsigned i = 0; i < CUDA_HIP_FUNCTION_COUNT; i++) {
        const LibraryFunction function = library_function(library, api->names[i]);
        if (!function) {
            log_warning("%s: the driver lacks the function %s; %s", api->name, api->names[i],
                        remedy);
            return false;
        }
        memcpy((char *)&api->call + i * sizeof(function), &function, sizeof(function));
    }
    return true;
}
