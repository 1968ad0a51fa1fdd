/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Loading kernels. They are loaded in advance, several at once, or on first use. The driver may
 * have to compile them, which takes noticeable time, so two threads may load different kernels at
 * the same time. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/team.h"
#include "gpu/backend/cuda_hip/device.h"

static int load_module(CudaHipDevice *dev, CudaHipKernel *kernel, const void *code)
{
    const CudaHipApi *api = dev->api;
    const int result = api->call.ModuleLoadData(&kernel->module, code);
    if (!result)
        return 0;
    kernel->module = NULL;
    char why[2048] = "";
    if (api->explain)
        api->explain(code, why, sizeof(why));
    if (why[0])
        log_error("%s: the driver says: %s", api->name, why);
    return cuda_hip_error(dev, CUDA_HIP_ModuleLoadData, result);
}

static unsigned threads_of(const KernelInfo *info)
{
    return info->workgroup[0] * info->workgroup[1];
}

/* Checks that a workgroup fits: the driver may have given each thread too many registers for
 * that. */
static int check_threads(CudaHipDevice *dev, const CudaHipKernel *kernel)
{
    const unsigned wanted = threads_of(kernel->info);
    int most = 0;
    const int err =
        CUDA_HIP_TRY(dev, FuncGetAttribute, &most, CUDA_HIP_FUNCTION_MAX_THREADS, kernel->function);
    if (err || (unsigned)most >= wanted)
        return err;
    log_error("%s: %s limits kernel '%s' to %d threads, but it needs %u; update the driver",
              dev->api->name, dev->gpu.name, kernel->info->name, most, wanted);
    return -EIO;
}

static int load(CudaHipDevice *dev, CudaHipKernel *kernel, const KernelImage *image)
{
    void *code, *made = NULL;
    int err = kernel_image_unpack(image, &code);
    if (err)
        return err;
    err = cuda_hip_enter(dev);
    if (err) {
        mem_free(code);
        return err;
    }
    if (dev->api->compile)
        err = dev->api->compile(dev->arch, kernel->info->name, code, &made);
    if (!err)
        err = load_module(dev, kernel, made ? made : code);
    mem_free(made);
    mem_free(code);
    if (!err)
        err = CUDA_HIP_TRY(dev, ModuleGetFunction, &kernel->function, kernel->module,
                           kernel->info->name);
    if (!err)
        err = check_threads(dev, kernel);
    if (err && kernel->module)
        dev->api->call.ModuleUnload(kernel->module);
    cuda_hip_leave(dev);
    return err;
}

static CudaHipKernel *look_up_locked(const CudaHipDevice *dev, const KernelInfo *info)
{
    CudaHipKernel *kernel = dev->kernels;
    while (kernel && kernel->info != info)
        kernel = kernel->next;
    return kernel;
}

/* Returns the kernel of the list once it is loaded; NULL if it is not in the list or its loading
 * failed. */
static CudaHipKernel *find_locked(CudaHipDevice *dev, const KernelInfo *info)
{
    for (;;) {
        CudaHipKernel *kernel = look_up_locked(dev, info);
        if (!kernel || kernel->state == KERNEL_READY)
            return kernel;
        pthread_cond_wait(&dev->kernels_changed, &dev->kernels_lock);
    }
}

/* Adds a kernel to the list in state KERNEL_LOADING. Returns NULL if memory runs out. */
static CudaHipKernel *reserve_locked(CudaHipDevice *dev, const KernelInfo *info)
{
    CudaHipKernel *kernel = mem_zalloc(sizeof(*kernel));
    if (kernel) {
        *kernel = (CudaHipKernel){ .next = dev->kernels, .info = info, .state = KERNEL_LOADING };
        dev->kernels = kernel;
    }
    return kernel;
}

/* Removes a kernel from the list and frees it. */
static void forget_locked(CudaHipDevice *dev, CudaHipKernel *kernel)
{
    CudaHipKernel **link = &dev->kernels;
    while (*link != kernel)
        link = &(*link)->next;
    *link = kernel->next;
    mem_free(kernel);
}

int cuda_hip_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **out)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    *out = NULL;
    KernelImage image;
    if (!dev->api->image(dev->arch, info->name, &image)) {
        log_error("%s: no kernel '%s'", dev->api->name, info->name);
        return -EINVAL;
    }
    pthread_mutex_lock(&dev->kernels_lock);
    CudaHipKernel *kernel = find_locked(dev, info);
    const bool is_new = !kernel;
    if (is_new)
        kernel = reserve_locked(dev, info);
    pthread_mutex_unlock(&dev->kernels_lock);
    if (!kernel)
        return -ENOMEM;
    if (is_new) {
        const int err = load(dev, kernel, &image);
        pthread_mutex_lock(&dev->kernels_lock);
        if (err)
            forget_locked(dev, kernel);
        else
            kernel->state = KERNEL_READY;
        pthread_cond_broadcast(&dev->kernels_changed);
        pthread_mutex_unlock(&dev->kernels_lock);
        if (err) {
            log_error("%s: cannot build kernel '%s' on %s", dev->api->name, info->name,
                      dev->gpu.name);
            return err;
        }
    }
    *out = (GpuKernel *)kernel;
    return 0;
}

/* ---- several at once ---- */

#define UNPACK_THREADS 16

/* Each array has `count` elements. */
typedef struct Batch {
    CudaHipKernel **kernels;
    KernelImage *images;
    void **codes; /* the unpacked images */
    unsigned count;
} Batch;

/* Reserves the kernels that no thread has started to load. */
static void reserve_all(CudaHipDevice *dev, Batch *batch, const KernelInfo *const *infos,
                        unsigned count)
{
    pthread_mutex_lock(&dev->kernels_lock);
    for (unsigned i = 0; i < count; i++) {
        if (dev->api->image(dev->arch, infos[i]->name, &batch->images[batch->count]) &&
            !look_up_locked(dev, infos[i]) &&
            (batch->kernels[batch->count] = reserve_locked(dev, infos[i])))
            batch->count++;
    }
    pthread_mutex_unlock(&dev->kernels_lock);
}

/* Logs nothing on failure: the kernel is then loaded alone, which logs the reason. */
static bool take_function(CudaHipDevice *dev, CudaHipHandle module, CudaHipKernel *kernel)
{
    const CudaHipCalls *call = &dev->api->call;
    int most = 0;
    return !call->ModuleGetFunction(&kernel->function, module, kernel->info->name) &&
           !call->FuncGetAttribute(&most, CUDA_HIP_FUNCTION_MAX_THREADS, kernel->function) &&
           (unsigned)most >= threads_of(kernel->info);
}

static void unpack_one(void *arg, unsigned i)
{
    Batch *batch = arg;
    kernel_image_unpack(&batch->images[i], &batch->codes[i]);
}

/* Returns false if an image is damaged or memory runs out. */
static bool unpack_all(Batch *batch)
{
    Team *team;
    if (team_create(&team, batch->count < UNPACK_THREADS ? batch->count : UNPACK_THREADS))
        return false;
    team_run(team, batch->count, unpack_one, batch);
    team_destroy(team);
    unsigned i = 0;
    while (i < batch->count && batch->codes[i])
        i++;
    return i == batch->count;
}

static bool load_all(CudaHipDevice *dev, const Batch *batch)
{
    CudaHipHandle module;
    if (cuda_hip_enter(dev))
        return false;
    bool loaded =
        !dev->api->load_together((const char *const *)batch->codes, batch->count, &module);
    bool complete = loaded;
    for (unsigned i = 0; i < batch->count && complete; i++)
        complete = take_function(dev, module, batch->kernels[i]);
    if (complete)
        batch->kernels[0]->module = module;
    else if (loaded)
        dev->api->call.ModuleUnload(module);
    cuda_hip_leave(dev);
    return complete;
}

void cuda_hip_kernels_ahead(GpuDevice *gpu, const KernelInfo *const *infos, unsigned count)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    if (!dev->api->load_together)
        return;
    Batch batch = { .kernels = mem_array(count, sizeof(*batch.kernels)),
                    .images = mem_array(count, sizeof(*batch.images)),
                    .codes = mem_array(count, sizeof(*batch.codes)) };
    if (batch.kernels && batch.images && batch.codes)
        reserve_all(dev, &batch, infos, count);
    const bool made = batch.count && unpack_all(&batch) && load_all(dev, &batch);
    pthread_mutex_lock(&dev->kernels_lock);
    for (unsigned i = 0; i < batch.count; i++) {
        if (made)
            batch.kernels[i]->state = KERNEL_READY;
        else
            forget_locked(dev, batch.kernels[i]);
    }
    pthread_cond_broadcast(&dev->kernels_changed);
    pthread_mutex_unlock(&dev->kernels_lock);
    for (unsigned i = 0; i < batch.count; i++)
        mem_free(batch.codes[i]);
    mem_free(batch.codes);
    mem_free(batch.images);
    mem_free(batch.kernels);
}

uint64_t cuda_hip_kernel_hash(GpuDevice *gpu, const KernelInfo *info)
{
    const CudaHipDevice *dev = (const CudaHipDevice *)gpu;
    KernelImage image;
    return dev->api->image(dev->arch, info->name, &image) ? image.packed.hash : 0;
}

void cuda_hip_kernels_destroy(CudaHipDevice *dev, bool loaded)
{
    for (CudaHipKernel *kernel = dev->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        if (loaded && kernel->module)
            dev->api->call.ModuleUnload(kernel->module);
        mem_free(kernel);
    }
    dev->kernels = NULL;
}

int cuda_hip_bindings_create(GpuDevice *gpu, GpuKernel *gpu_kernel, const GpuRange *ranges,
                             GpuBindings **out)
{
    const CudaHipKernel *kernel = (const CudaHipKernel *)gpu_kernel;
    *out = mem_zalloc(sizeof(**out));
    if (!*out)
        return -ENOMEM;
    for (unsigned i = 0; i < kernel->info->buffer_count; i++)
        (*out)->addresses[i] = cuda_hip_address(ranges[i].buffer) + ranges[i].offset;
    return 0;
}

void cuda_hip_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings)
{
    mem_free(bindings);
}
