/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/host/device.h"

/* ---- kernels ---- */

static const HostKernel *find(const HostKernel *const *table, const char *name)
{
    for (; table && *table; table++)
        if (!strcmp((*table)->name, name))
            return *table;
    return NULL;
}

static int fits(const HostKernel *kernel, const KernelInfo *info)
{
    return kernel->group[0] == info->workgroup[0] && kernel->group[1] == info->workgroup[1] &&
           kernel->group[0] * kernel->group[1] <= HOST_WORKGROUP_MAX &&
           kernel->buffer_count == info->buffer_count && kernel->buffer_count <= GPU_MAX_BINDINGS &&
           kernel->params_size == info->params_size && kernel->params_size <= GPU_MAX_PARAMS;
}

/* Makes the device's kernel object at least `size` bytes large. All kernels use the same one. */
static int make_room(HostDevice *dev, size_t size)
{
    if (size <= dev->object_size)
        return 0;
    void *object = mem_aligned_alloc(size);
    if (!object)
        return -ENOMEM;
    random_fill(&dev->random, object, size);
    mem_aligned_free(dev->object);
    dev->object = object;
    dev->object_size = size;
    return 0;
}

int host_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **out)
{
    HostDevice *dev = (HostDevice *)gpu;
    *out = NULL;
    pthread_mutex_lock(&dev->lock);
    int err = host_fault_locked(dev, HOST_KERNEL_GET);
    const HostKernel *kernel = find(dev->params.kernels, info->name);
    if (!kernel)
        kernel = find(host_kernels, info->name);
    if (!err && (!kernel || !fits(kernel, info))) {
        log_error("host: no kernel '%s' with %u buffers and %u bytes of parameters", info->name,
                  info->buffer_count, info->params_size);
        err = -EINVAL;
    }
    if (!err)
        err = make_room(dev, kernel->object_size);
    pthread_mutex_unlock(&dev->lock);
    if (!err)
        *out = (GpuKernel *)kernel;
    return err;
}

/* ---- bindings ---- */

static bool range_fits(const GpuDevice *gpu, const GpuRange *range)
{
    const HostBuffer *buffer = host_buffer(range->buffer);
    return buffer && buffer->memory == GPU_DEVICE && range->size <= gpu->limits.max_binding &&
           range->offset % gpu->limits.offset_alignment == 0 && range->offset <= buffer->gpu.size &&
           range->size <= buffer->gpu.size - range->offset;
}

int host_bindings_create(GpuDevice *gpu, GpuKernel *gpu_kernel, const GpuRange *ranges,
                         GpuBindings **out)
{
    HostDevice *dev = (HostDevice *)gpu;
    const HostKernel *kernel = (const HostKernel *)gpu_kernel;
    *out = NULL;
    int err = host_fault(gpu, HOST_BINDINGS_CREATE);
    GpuBindings *bindings = err ? NULL : mem_zalloc(sizeof(*bindings));
    if (!bindings)
        return err ? err : -ENOMEM;
    bindings->object = (HostObject){ .kind = "bindings", .references = 1 };
    bindings->kernel = kernel;
    pthread_mutex_lock(&dev->lock);
    for (unsigned i = 0; i < kernel->buffer_count && !err; i++) {
        if (!range_fits(gpu, &ranges[i])) {
            log_error("host: kernel %s: range of buffer %u is out of bounds, misaligned or "
                      "not in device memory",
                      kernel->name, i);
            err = -EINVAL;
        }
    }
    for (unsigned i = 0; i < kernel->buffer_count && !err; i++) {
        bindings->ranges[i] = ranges[i];
        host_buffer(ranges[i].buffer)->object.references++;
    }
    pthread_mutex_unlock(&dev->lock);
    if (err)
        mem_free(bindings);
    else
        *out = bindings;
    return err;
}

void host_bindings_release(GpuBindings *bindings)
{
    if (--bindings->object.references)
        return;
    for (unsigned i = 0; i < bindings->kernel->buffer_count; i++)
        host_buffer_release(host_buffer(bindings->ranges[i].buffer));
    mem_free(bindings);
}

void host_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings)
{
    if (!bindings)
        return;
    HostDevice *dev = (HostDevice *)gpu;
    pthread_mutex_lock(&dev->lock);
    if (host_in_flight(dev, &bindings->object))
        host_lose_locked(dev, "bindings of kernel %s destroyed while commands in flight use them",
                         bindings->kernel->name);
    bindings->object.destroyed = true;
    host_bindings_release(bindings);
    pthread_mutex_unlock(&dev->lock);
}

/* ---- stamps ---- */

int host_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out)
{
    *out = NULL;
    const int err = host_fault(gpu, HOST_STAMPS_CREATE);
    GpuStamps *stamps = err ? NULL : mem_zalloc(sizeof(*stamps));
    if (!stamps)
        return err ? err : -ENOMEM;
    stamps->object = (HostObject){ .kind = "stamps", .references = 1 };
    stamps->count = count;
    stamps->times = mem_array(count, sizeof(*stamps->times));
    if (!stamps->times) {
        mem_free(stamps);
        return -ENOMEM;
    }
    *out = stamps;
    return 0;
}

void host_stamps_release(GpuStamps *stamps)
{
    if (--stamps->object.references)
        return;
    mem_free(stamps->times);
    mem_free(stamps);
}

void host_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps)
{
    if (!stamps)
        return;
    HostDevice *dev = (HostDevice *)gpu;
    pthread_mutex_lock(&dev->lock);
    if (host_in_flight(dev, &stamps->object))
        host_lose_locked(dev, "stamps destroyed while commands in flight use them");
    stamps->object.destroyed = true;
    host_stamps_release(stamps);
    pthread_mutex_unlock(&dev->lock);
}

int host_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds)
{
    HostDevice *dev = (HostDevice *)gpu;
    pthread_mutex_lock(&dev->lock);
    int err = host_fault_locked(dev, HOST_STAMPS_READ);
    for (unsigned i = 0; i < stamps->count && !err; i++) {
        if (!stamps->times[i])
            err = host_lose_locked(dev, "stamp %u read before its commands are done", i);
        microseconds[i] = (double)(stamps->times[i] - stamps->times[0]) * 1e-3;
    }
    pthread_mutex_unlock(&dev->lock);
    return err;
}

/* ---- semaphores ---- */

struct HostSemaphore {
    uint64_t value;
};

/* One lock, condition and count for all semaphores, since they are few and a device may wait for
 * any. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t epoch;

int host_semaphore_create(HostSemaphore **out)
{
    *out = mem_zalloc(sizeof(**out));
    return *out ? 0 : -ENOMEM;
}

void host_semaphore_destroy(HostSemaphore *semaphore)
{
    mem_free(semaphore);
}

void host_semaphore_signal(HostSemaphore *semaphore, uint64_t value)
{
    pthread_mutex_lock(&lock);
    if (value > semaphore->value)
        semaphore->value = value;
    epoch++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

uint64_t host_semaphore_value(HostSemaphore *semaphore)
{
    pthread_mutex_lock(&lock);
    const uint64_t value = semaphore->value;
    pthread_mutex_unlock(&lock);
    return value;
}

void host_semaphore_wake(void)
{
    pthread_mutex_lock(&lock);
    epoch++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

uint64_t host_semaphore_epoch(void)
{
    pthread_mutex_lock(&lock);
    const uint64_t now = epoch;
    pthread_mutex_unlock(&lock);
    return now;
}

bool host_semaphore_wait(uint64_t seen, uint64_t deadline_ns)
{
    const struct timespec deadline = { .tv_sec = (time_t)(deadline_ns / 1000000000),
                                       .tv_nsec = (long)(deadline_ns % 1000000000) };
    int err = 0;
    pthread_mutex_lock(&lock);
    while (epoch == seen && err != ETIMEDOUT)
        err = deadline_ns == UINT64_MAX ? pthread_cond_wait(&changed, &lock)
                                        : pthread_cond_timedwait(&changed, &lock, &deadline);
    const bool is_changed = epoch != seen;
    pthread_mutex_unlock(&lock);
    return is_changed;
}
