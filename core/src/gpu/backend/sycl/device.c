/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The SYCL backend: devices, buffers and queues, which the plugin implements. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/sycl/device.h"

#define MAX_DEVICES 64

int sycl_error(SyclDevice *dev, const char *what, int err)
{
    if (err != -EIO || !atomic_exchange(&dev->told, true))
        log_error("sycl: %s: %s failed: %s", dev->gpu.name, what, dev->plugin->error());
    return err;
}

/* ---- devices ---- */

typedef struct SyclProbe {
    GpuProbe gpu;
    const SyclLibrary *library;
    GpuDeviceInfo devices[MAX_DEVICES];
    uint64_t max_allocation[MAX_DEVICES];
} SyclProbe;

static enum VmafDeviceType type_of(enum SyclDeviceKind kind)
{
    switch (kind) {
    case SYCL_GPU:
        return VMAF_DEVICE_DISCRETE;
    case SYCL_INTEGRATED_GPU:
        return VMAF_DEVICE_INTEGRATED;
    case SYCL_CPU:
        return VMAF_DEVICE_SOFTWARE;
    default:
        return VMAF_DEVICE_OTHER;
    }
}

static void describe(const SyclDeviceDesc *desc, const SyclPlugin *plugin, GpuDeviceInfo *info)
{
    *info = (GpuDeviceInfo){ .type = type_of(desc->kind), .memory = desc->memory };
    memcpy(info->name, desc->name, sizeof(info->name));
    /* The compiler is part of the driver's description, since AdaptiveCpp compiles kernels when
     * they are launched. */
    snprintf(info->driver, sizeof(info->driver), "%.120s; %.120s", desc->driver, plugin->compiler);
    memcpy(info->version, desc->version, sizeof(info->version));
    memcpy(info->uuid, desc->uuid, sizeof(info->uuid));
    memcpy(info->pci, desc->pci, sizeof(info->pci));
    memcpy(info->missing, desc->missing, sizeof(info->missing));
}

static int list(SyclProbe *probe)
{
    static atomic_bool told; /* log once, although callers probe several times */
    const SyclPlugin *plugin = probe->library->plugin;
    SyclDeviceDesc *descs = mem_array(MAX_DEVICES, sizeof(*descs));
    if (!descs)
        return -ENOMEM;
    const int count = plugin->list(descs, MAX_DEVICES);
    if (count < 0 && !atomic_exchange(&told, true))
        log_error("sycl: cannot list the devices: %s", plugin->error());
    probe->gpu.count = count < 0 ? 0 : count < MAX_DEVICES ? (unsigned)count : MAX_DEVICES;
    for (unsigned i = 0; i < probe->gpu.count; i++) {
        describe(&descs[i], plugin, &probe->devices[i]);
        probe->max_allocation[i] = descs[i].max_allocation;
    }
    mem_free(descs);
    return count < 0 ? count : 0;
}

static int sycl_probe(const GpuBackend *backend, bool validation, GpuProbe **out)
{
    *out = NULL;
    const SyclLibrary *library;
    int err = sycl_library(&library);
    if (!err && validation)
        err = -ENOTSUP; /* SYCL has no validation */
    if (err)
        return err;
    SyclProbe *probe = mem_zalloc(sizeof(*probe));
    if (!probe)
        return -ENOMEM;
    probe->gpu = (GpuProbe){ .backend = backend, .devices = probe->devices };
    probe->library = library;
    err = list(probe);
    if (err)
        mem_free(probe);
    else
        *out = &probe->gpu;
    return err;
}

static void sycl_probe_end(GpuProbe *probe)
{
    mem_free(probe);
}

/* ---- opening ---- */

static void destroy(GpuDevice *gpu)
{
    SyclDevice *dev = sycl_device(gpu);
    if (dev->handle)
        dev->plugin->close(dev->handle);
    mem_free(dev->kernels);
    pthread_mutex_destroy(&dev->lock);
    mem_free(dev);
}

static const GpuOps ops = {
    .buffer_create = sycl_buffer_create,
    .buffer_destroy = sycl_buffer_destroy,
    .buffer_import = sycl_buffer_import,
    .kernel_get = sycl_kernel_get,
    .kernel_hash = sycl_kernel_hash,
    .bindings_create = sycl_bindings_create,
    .bindings_destroy = sycl_bindings_destroy,
    .commands_create = sycl_commands_create,
    .commands_destroy = sycl_commands_destroy,
    .begin = sycl_begin,
    .copy = sycl_copy,
    .copy_rows = sycl_copy_rows,
    .fill = sycl_fill,
    .dispatch = sycl_dispatch,
    .barrier = sycl_barrier,
    .end = sycl_end,
    .stamps_create = sycl_stamps_create,
    .stamps_destroy = sycl_stamps_destroy,
    .stamp = sycl_stamp,
    .stamps_read = sycl_stamps_read,
    .submit = sycl_submit,
    .wait = sycl_wait,
    .drain = sycl_drain,
    .destroy = destroy,
};

static SyclDevice *device_alloc(const SyclProbe *probe, unsigned index)
{
    SyclDevice *dev = mem_zalloc(sizeof(*dev));
    if (!dev)
        return NULL;
    const GpuDeviceInfo *info = &probe->devices[index];
    gpu_device_init(&dev->gpu, &ops, "sycl");
    memcpy(dev->gpu.name, info->name, sizeof(dev->gpu.name));
    memcpy(dev->gpu.driver, info->driver, sizeof(dev->gpu.driver));
    memcpy(dev->gpu.uuid, info->uuid, sizeof(dev->gpu.uuid));
    memcpy(dev->gpu.pci, info->pci, sizeof(dev->gpu.pci));
    dev->gpu.limits = (GpuLimits){ .offset_alignment = 64,
                                   .max_binding = probe->max_allocation[index],
                                   .max_workgroups = { 65535, 65535, 65535 } };
    dev->plugin = probe->library->plugin;
    dev->kernels_hash = probe->library->digest;
    pthread_mutex_init(&dev->lock, NULL);
    return dev;
}

static int open_device(GpuProbe *gpu, unsigned index, GpuDevice **out)
{
    const SyclProbe *probe = (SyclProbe *)gpu;
    const GpuDeviceInfo *info = &probe->devices[index];
    *out = NULL;
    if (info->missing[0]) {
        log_error("sycl: %s cannot be used, it lacks: %s", info->name, info->missing);
        return -ENOTSUP;
    }
    SyclDevice *dev = device_alloc(probe, index);
    if (!dev)
        return -ENOMEM;
    dev->kernels = mem_array(dev->plugin->kernel_count, sizeof(*dev->kernels));
    int err = dev->kernels ? dev->plugin->open(index, &dev->handle) : -ENOMEM;
    if (err) {
        if (dev->kernels)
            sycl_error(dev, "opening the device", err);
        gpu_device_release(&dev->gpu);
        return err;
    }
    sycl_kernels_init(dev);
    gpu_device_choose_doubles(&dev->gpu, false, false); /* the plugin has no kernels with doubles */
    *out = &dev->gpu;
    return 0;
}

const GpuBackend sycl_backend = {
    .name = "sycl",
    .title = "SYCL",
    .needs = "SYCL plugin (libvmaf-sycl.so, which is built where icpx or acpp is found)",
    .probe = sycl_probe,
    .probe_end = sycl_probe_end,
    .open = open_device,
};

/* ---- buffers ---- */

int sycl_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out)
{
    SyclDevice *dev = sycl_device(gpu);
    *out = NULL;
    SyclBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    const size_t words = size ? (size + 3) / 4 : 1;
    void *block;
    const int err = dev->plugin->alloc(dev->handle,
                                       memory == GPU_DEVICE ? SYCL_DEVICE_MEMORY : SYCL_HOST_MEMORY,
                                       words * 4, &block);
    if (err) {
        mem_free(buffer);
        return sycl_error(dev, "allocating memory", err);
    }
    buffer->address = block;
    buffer->gpu = (GpuBuffer){ words * 4, memory == GPU_DEVICE ? NULL : block };
    *out = &buffer->gpu;
    return 0;
}

static int import(SyclDevice *dev, const GpuHandle *handle, SyclBuffer *buffer)
{
    void *block = (void *)handle->value;
    buffer->foreign = true;
    buffer->dmabuf = handle->type == GPU_HANDLE_DMABUF;
    if (buffer->dmabuf) {
        const int err =
            dev->plugin->import_dmabuf(dev->handle, (int)handle->value, handle->size, &block);
        if (err)
            return err == -ENOTSUP ? err : sycl_error(dev, "importing a file descriptor", err);
    } else if (handle->type != GPU_HANDLE_ADDRESS ||
               dev->plugin->can_read(dev->handle, block) != 1) {
        return -ENOTSUP;
    }
    buffer->address = block;
    return 0;
}

int sycl_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out)
{
    *out = NULL;
    SyclBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    const int err = import(sycl_device(gpu), handle, buffer);
    if (err) {
        mem_free(buffer);
        return err;
    }
    buffer->gpu = (GpuBuffer){ .size = handle->size };
    *out = &buffer->gpu;
    return 0;
}

void sycl_buffer_destroy(GpuDevice *gpu, GpuBuffer *gpu_buffer)
{
    if (!gpu_buffer)
        return;
    SyclDevice *dev = sycl_device(gpu);
    SyclBuffer *buffer = (SyclBuffer *)gpu_buffer;
    if (buffer->dmabuf)
        dev->plugin->release_dmabuf(dev->handle, buffer->address);
    else if (!buffer->foreign)
        dev->plugin->free(dev->handle, buffer->address);
    mem_free(buffer);
}

/* ---- submitting and waiting ---- */

int sycl_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done)
{
    SyclDevice *dev = sycl_device(gpu);
    SyclCommandList lists[GPU_MAX_COMMANDS];
    SyclPoint waits[GPU_MAX_WAITS];
    if (submit->foreign_wait_count || submit->foreign_signal_count)
        return -ENOTSUP; /* SYCL has no semaphores */
    for (unsigned i = 0; i < submit->command_count; i++)
        lists[i] = (SyclCommandList){ submit->commands[i]->list, submit->commands[i]->count };
    for (unsigned i = 0; i < submit->wait_count; i++)
        waits[i] = (SyclPoint){ submit->waits[i].queue, submit->waits[i].value };
    uint64_t value = 0;
    const int err = dev->plugin->submit(dev->handle, submit->queue, lists, submit->command_count,
                                        waits, submit->wait_count, &value);
    if (err)
        return sycl_error(dev, "submitting work", err);
    pthread_mutex_lock(&dev->lock);
    if (dev->submitted[submit->queue] < value)
        dev->submitted[submit->queue] = value;
    pthread_mutex_unlock(&dev->lock);
    *done = (GpuPoint){ submit->queue, value };
    return 0;
}

int sycl_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns)
{
    SyclDevice *dev = sycl_device(gpu);
    if (!point.value)
        return 1;
    const int result =
        dev->plugin->wait(dev->handle, (SyclPoint){ point.queue, point.value }, timeout_ns);
    return result < 0 ? sycl_error(dev, "waiting for work", result) : result;
}

int sycl_drain(GpuDevice *gpu)
{
    SyclDevice *dev = sycl_device(gpu);
    int err = 0;
    for (unsigned queue = 0; queue < SYCL_QUEUES; queue++) {
        pthread_mutex_lock(&dev->lock);
        const GpuPoint last = { queue, dev->submitted[queue] };
        pthread_mutex_unlock(&dev->lock);
        const int result = sycl_wait(gpu, last, UINT64_MAX);
        if (result < 0)
            err = result;
    }
    return err;
}

/* ---- stamps ---- */

int sycl_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out)
{
    SyclDevice *dev = sycl_device(gpu);
    *out = NULL;
    GpuStamps *stamps = mem_zalloc(sizeof(*stamps));
    if (!stamps)
        return -ENOMEM;
    const int err = dev->plugin->stamps_create(dev->handle, count, &stamps->handle);
    if (err) {
        mem_free(stamps);
        return err == -ENOTSUP ? err : sycl_error(dev, "room for times", err);
    }
    *out = stamps;
    return 0;
}

void sycl_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps)
{
    if (!stamps)
        return;
    sycl_device(gpu)->plugin->stamps_destroy(stamps->handle);
    mem_free(stamps);
}

int sycl_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds)
{
    SyclDevice *dev = sycl_device(gpu);
    const int err = dev->plugin->stamps_read(dev->handle, stamps->handle, microseconds);
    return err ? sycl_error(dev, "reading times", err) : 0;
}
