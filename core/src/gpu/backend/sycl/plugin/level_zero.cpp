/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Imports memory of other programs and APIs by file descriptor. SYCL cannot; Level Zero can,
 * which is accessible only with Intel's runtime. */
#include "gpu/backend/sycl/plugin/plugin.h"

#if defined(SYCL_EXT_ONEAPI_BACKEND_LEVEL_ZERO) && __has_include(<level_zero/ze_api.h>)
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <sycl/ext/oneapi/backend/level_zero.hpp>

/* The runtime has loaded this library already if it uses Level Zero. */
static void *find_function(const char *name)
{
    static void *const library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : nullptr;
}

constexpr auto level_zero = sycl::backend::ext_oneapi_level_zero;

static bool is_level_zero(const SyclPluginDevice *device)
{
    return device->handle.get_backend() == level_zero;
}

int import_dmabuf(SyclPluginDevice *device, int fd, size_t size, void **out)
{
    *out = nullptr;
    const auto alloc =
        reinterpret_cast<decltype(&zeMemAllocDevice)>(find_function("zeMemAllocDevice"));
    if (!is_level_zero(device) || !alloc)
        return -ENOTSUP;
    ze_external_memory_import_fd_t import = {};
    import.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD;
    import.flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF;
    import.fd = fd;
    ze_device_mem_alloc_desc_t desc = {};
    desc.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    desc.pNext = &import;
    const ze_result_t result =
        alloc(sycl::get_native<level_zero>(device->lines[0]->queue.get_context()), &desc, size, 0,
              sycl::get_native<level_zero>(device->handle), out);
    if (result != ZE_RESULT_SUCCESS)
        note_error("Level Zero rejected the file descriptor");
    return result == ZE_RESULT_SUCCESS ? 0 : -EIO;
}

void release_dmabuf(SyclPluginDevice *device, void *block)
{
    const auto free_block = reinterpret_cast<decltype(&zeMemFree)>(find_function("zeMemFree"));
    if (free_block)
        free_block(sycl::get_native<level_zero>(device->lines[0]->queue.get_context()), block);
}

#else

int import_dmabuf(SyclPluginDevice *, int, size_t, void **out)
{
    *out = nullptr;
    note_error(
        "importing file descriptors needs a plugin built by Intel's compiler with Level Zero");
    return -ENOTSUP;
}

void release_dmabuf(SyclPluginDevice *, void *)
{
}

#endif
