/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels are loaded ahead, several at once, or when they are first asked for: the driver may have to compile
 * them, which takes long enough to notice, and two threads do that side by side. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/cuda_hip/device.h"

static int load_module(DriverDevice *dev, DriverKernel *kernel, const void *code)
{
    const DriverApi *api = dev->api;
    const int result = api->call.ModuleLoadData(&kernel->module, code);
    if (!result)
        return 0;
    kernel->module = NULL;
    char why[2048] = "";
    if (api->explain)
        api->explain(code, why, sizeof(why));
    if (why[0])
        log_error("%s: the driver says: %s", api->name, why);
    return driver_error(dev, DRIVER_ModuleLoadData, result);
}

static unsigned threads_of(const KernelInfo *info)
{
    return info->workgroup[0] * info->workgroup[1];
}

/* The driver may give each thread so many registers that a workgroup does not fit. */
static int check_threads(DriverDevice *dev, const DriverKernel *kernel)
{
    const unsigned wanted = threads_of(kernel->info);
    int most = 0;
    const int err =
        DRIVER_TRY(dev, FuncGetAttribute, &most, DRIVER_FUNCTION_MAX_THREADS, kernel->function);
    if (err || (unsigned)most >= wanted)
        return err;
    log_error("%s: %s runs kernel '%s' with %d threads at most, and it needs %u", dev->api->name,
              dev->gpu.name, kernel->info->name, most, wanted);
    return -EIO;
}

static int load(DriverDevice *dev, DriverKernel *kernel, const KernelImage *image)
{
    void *made = NULL;
    int err = driver_enter(dev);
    if (err)
        return err;
    if (dev->api->compile)
        err = dev->api->compile(dev->arch, image, &made);
    if (!err)
        err = load_module(dev, kernel, made ? made : image->data);
    mem_free(made);
    if (!err)
        err = DRIVER_TRY(dev, ModuleGetFunction, &kernel->function, kernel->module,
                         kernel->info->name);
    if (!err)
        err = check_threads(dev, kernel);
    if (err && kernel->module)
        dev->api->call.ModuleUnload(kernel->module);
    driver_leave(dev);
    return err;
}

static DriverKernel *look_up(const DriverDevice *dev, const KernelInfo *info)
{
    DriverKernel *kernel = dev->kernels;
    while (kernel && kernel->info != info)
        kernel = kernel->next;
    return kernel;
}

/* The one that is asked for, once nobody is at work on it; NULL when there is none. Under the lock. */
static DriverKernel *find(DriverDevice *dev, const KernelInfo *info)
{
    for (;;) {
        DriverKernel *kernel = look_up(dev, info);
        if (!kernel || kernel->state == KERNEL_READY)
            return kernel;
        pthread_cond_wait(&dev->kernels_changed, &dev->kernels_lock);
    }
}

/* A place in the list for a kernel that is about to be loaded; NULL: no memory. Under the lock. */
static DriverKernel *reserve(DriverDevice *dev, const KernelInfo *info)
{
    DriverKernel *kernel = mem_zalloc(sizeof(*kernel));
    if (kernel) {
        *kernel = (DriverKernel){ .next = dev->kernels, .info = info, .state = KERNEL_LOADING };
        dev->kernels = kernel;
    }
    return kernel;
}

static void forget(DriverDevice *dev, DriverKernel *kernel)
{
    DriverKernel **link = &dev->kernels;
    while (*link != kernel)
        link = &(*link)->next;
    *link = kernel->next;
    mem_free(kernel);
}

int driver_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **out)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    *out = NULL;
    const KernelImage *image = dev->api->image(dev->arch, info->name);
    if (!image) {
        log_error("%s: no kernel '%s'", dev->api->name, info->name);
        return -EINVAL;
    }
    pthread_mutex_lock(&dev->kernels_lock);
    DriverKernel *kernel = find(dev, info);
    const bool is_new = !kernel;
    if (is_new)
        kernel = reserve(dev, info);
    pthread_mutex_unlock(&dev->kernels_lock);
    if (!kernel)
        return -ENOMEM;
    if (is_new) {
        const int err = load(dev, kernel, image);
        pthread_mutex_lock(&dev->kernels_lock);
        if (err)
            forget(dev, kernel);
        else
            kernel->state = KERNEL_READY;
        pthread_cond_broadcast(&dev->kernels_changed);
        pthread_mutex_unlock(&dev->kernels_lock);
        if (err) {
            log_error("%s: kernel '%s' cannot be built on %s", dev->api->name, info->name,
                      dev->gpu.name);
            return err;
        }
    }
    *out = (GpuKernel *)kernel;
    return 0;
}

/* ---- several at once ---- */

typedef struct Batch {
    DriverKernel **kernels;
    const KernelImage **images;
    unsigned count;
} Batch;

/* Those that nobody has begun with. */
static void reserve_all(DriverDevice *dev, Batch *batch, const KernelInfo *const *infos,
                        unsigned count)
{
    pthread_mutex_lock(&dev->kernels_lock);
    for (unsigned i = 0; i < count; i++) {
        const KernelImage *image = dev->api->image(dev->arch, infos[i]->name);
        if (!image || look_up(dev, infos[i]) ||
            !(batch->kernels[batch->count] = reserve(dev, infos[i])))
            continue;
        batch->images[batch->count++] = image;
    }
    pthread_mutex_unlock(&dev->kernels_lock);
}

/* Without a word: who loads a kernel by itself tells what is wrong with it. */
static bool take_function(DriverDevice *dev, DriverHandle module, DriverKernel *kernel)
{
    const DriverCalls *call = &dev->api->call;
    int most = 0;
    return !call->ModuleGetFunction(&kernel->function, module, kernel->info->name) &&
           !call->FuncGetAttribute(&most, DRIVER_FUNCTION_MAX_THREADS, kernel->function) &&
           (unsigned)most >= threads_of(kernel->info);
}

static bool load_all(DriverDevice *dev, const Batch *batch)
{
    DriverHandle module;
    if (driver_enter(dev))
        return false;
    bool loaded = !dev->api->load_together(batch->images, batch->count, &module);
    bool complete = loaded;
    for (unsigned i = 0; i < batch->count && complete; i++)
        complete = take_function(dev, module, batch->kernels[i]);
    if (complete)
        batch->kernels[0]->module = module;
    else if (loaded)
        dev->api->call.ModuleUnload(module);
    driver_leave(dev);
    return complete;
}

void driver_kernels_ahead(GpuDevice *gpu, const KernelInfo *const *infos, unsigned count)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    if (!dev->api->load_together)
        return;
    Batch batch = { .kernels = mem_array(count, sizeof(*batch.kernels)),
                    .images = mem_array(count, sizeof(*batch.images)) };
    if (batch.kernels && batch.images)
        reserve_all(dev, &batch, infos, count);
    const bool made = batch.count && load_all(dev, &batch);
    pthread_mutex_lock(&dev->kernels_lock);
    for (unsigned i = 0; i < batch.count; i++) {
        if (made)
            batch.kernels[i]->state = KERNEL_READY;
        else
            forget(dev, batch.kernels[i]);
    }
    pthread_cond_broadcast(&dev->kernels_changed);
    pthread_mutex_unlock(&dev->kernels_lock);
    mem_free(batch.images);
    mem_free(batch.kernels);
}

const KernelImage *driver_kernel_image(GpuDevice *gpu, const KernelInfo *info)
{
    const DriverDevice *dev = (const DriverDevice *)gpu;
    return dev->api->image(dev->arch, info->name);
}

void driver_kernels_destroy(DriverDevice *dev, bool loaded)
{
    for (DriverKernel *kernel = dev->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        if (loaded && kernel->module)
            dev->api->call.ModuleUnload(kernel->module);
        mem_free(kernel);
    }
    dev->kernels = NULL;
}

int driver_bindings_create(GpuDevice *gpu, GpuKernel *gpu_kernel, const GpuRange *ranges,
                           GpuBindings **out)
{
    const DriverKernel *kernel = (const DriverKernel *)gpu_kernel;
    *out = mem_zalloc(sizeof(**out));
    if (!*out)
        return -ENOMEM;
    for (unsigned i = 0; i < kernel->info->buffer_count; i++)
        (*out)->addresses[i] = driver_address(ranges[i].buffer) + ranges[i].offset;
    return 0;
}

void driver_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings)
{
    mem_free(bindings);
}
