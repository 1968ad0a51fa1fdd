/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files in place of the SYCL plugin, none of which may be used. FAKE says what is wrong with
 * each. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/backend/sycl/device.h"

#define NO_ENTRY 1
#define NO_TABLE 2
#define OTHER_ABI 3
#define OTHER_BUILD 4
#define NO_DEVICE 5
#define NO_RUNTIME 6
#define LOST_DEVICE 7

#if FAKE != NO_ENTRY
static const char *error(void)
{
    return "the runtime is out of order";
}

static int list(SyclDeviceDesc *out, unsigned room)
{
    if (FAKE != LOST_DEVICE)
        return FAKE == NO_RUNTIME ? -EIO : 0;
    *out = (SyclDeviceDesc){ .kind = SYCL_GPU, .max_allocation = 1u << 30 };
    snprintf(out->name, sizeof(out->name), "fake GPU");
    return 1;
}

/* ---- a device that is lost at the first work ---- */

static int open_device(unsigned index, SyclPluginDevice **out)
{
    static int device;
    *out = (SyclPluginDevice *)&device;
    return 0;
}

static void close_device(SyclPluginDevice *device)
{
}

static int alloc_block(SyclPluginDevice *device, enum SyclMemory memory, size_t size, void **out)
{
    *out = malloc(size);
    return *out ? 0 : -ENOMEM;
}

static void free_block(SyclPluginDevice *device, void *block)
{
    free(block);
}

static int submit(SyclPluginDevice *device, unsigned queue, const SyclCommandList *lists,
                  unsigned list_count, const SyclPoint *waits, unsigned wait_count, uint64_t *value)
{
    return -EIO;
}

static int wait_for(SyclPluginDevice *device, SyclPoint point, uint64_t timeout_ns)
{
    return -EIO;
}

static int stamps_create(SyclPluginDevice *device, unsigned count, SyclPluginStamps **out)
{
    return -ENOTSUP;
}

static SyclKernelDesc kernels[256];

static unsigned describe_kernels(void)
{
    unsigned count = 0;
    for (const KernelInfo *info = kernel_infos; info->name && count < 256; info++)
        kernels[count++] = (SyclKernelDesc){
            .name = info->name,
            .group = { info->workgroup[0], info->workgroup[1] },
            .args_size = (8 * info->buffer_count + info->params_size + 7) / 8 * 8,
        };
    return count;
}

__attribute__((visibility("default"))) const SyclPlugin *vmaf_sycl_plugin(unsigned abi);

const SyclPlugin *vmaf_sycl_plugin(unsigned abi)
{
    static SyclPlugin plugin = {
        .compiler = "nobody",
        .kernels = kernels,
        .error = error,
        .list = list,
        .open = open_device,
        .close = close_device,
        .alloc = alloc_block,
        .free = free_block,
        .submit = submit,
        .wait = wait_for,
        .stamps_create = stamps_create,
    };
    plugin.abi = abi + (FAKE == OTHER_ABI);
    plugin.build = FAKE == OTHER_BUILD ? "0123456789abcdef" : sycl_build;
    plugin.kernel_count = describe_kernels();
    return FAKE == NO_TABLE ? NULL : &plugin;
}
#endif
