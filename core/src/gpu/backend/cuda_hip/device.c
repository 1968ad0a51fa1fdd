/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/cuda_hip/device.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/cuda_hip/cuda_hip.h"

/* ---- calls of the driver ---- */

/* True for errors after which every call in this context fails. */
static bool is_loss(int result)
{
    switch (result) {
    case 4:   /* the driver is shutting down */
    case 46:  /* device unavailable */
    case 201: /* invalid context */
    case 214: /* ECC error */
    case 220: /* link error */
    case 700: /* illegal address */
    case 702: /* launch timeout */
    case 709: /* context is destroyed */
    case 710: /* assert */
    case 714: /* hardware stack error */
    case 715: /* illegal instruction */
    case 716: /* misaligned address */
    case 717: /* invalid address space */
    case 718: /* invalid program counter */
    case 719: /* launch failed */
    case 721: /* tensor memory leak */
        return true;
    default:
        return false;
    }
}

int cuda_hip_error(CudaHipDevice *dev, enum CudaHipFunction function, int result)
{
    const CudaHipApi *api = dev->api;
    const char *call = api->names[function], *error = api->error_name(result);
    if (result == CUDA_HIP_OUT_OF_MEMORY) {
        log_error("%s: %s: %s on %s", api->name, call, error, dev->gpu.name);
        return -ENOMEM;
    }
    if (!is_loss(result))
        log_error("%s: %s failed with %s on %s", api->name, call, error, dev->gpu.name);
    else if (!atomic_exchange(&dev->lost, true))
        log_error("%s: %s: %s: device lost: %s (%s)", api->name, call, error, dev->gpu.name,
                  dev->gpu.driver);
    return -EIO;
}

int cuda_hip_enter(CudaHipDevice *dev)
{
    if (atomic_load(&dev->lost))
        return -EIO;
    return CUDA_HIP_TRY(dev, CtxPushCurrent, dev->context);
}

void cuda_hip_leave(CudaHipDevice *dev)
{
    CudaHipHandle context;
    dev->api->call.CtxPopCurrent(&context);
}

bool cuda_hip_enter_anyway(CudaHipDevice *dev)
{
    return dev->context && !dev->api->call.CtxPushCurrent(dev->context);
}

/* ---- opening and closing ---- */

static void destroy_queue(CudaHipDevice *dev, CudaHipQueue *queue)
{
    const CudaHipCalls *call = &dev->api->call;
    cuda_hip_points_destroy(dev, &queue->points);
    if (queue->mark)
        call->EventDestroy(queue->mark);
    if (queue->stream)
        call->StreamDestroy(queue->stream);
}

static void destroy(GpuDevice *gpu)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    cuda_hip_drain(gpu);
    const bool there = cuda_hip_enter_anyway(dev);
    cuda_hip_kernels_destroy(dev, there);
    if (there) {
        cuda_hip_capture_destroy(dev);
        for (unsigned q = 0; q < GPU_QUEUES; q++)
            destroy_queue(dev, &dev->queues[q]);
        cuda_hip_leave(dev);
    }
    if (dev->primary)
        dev->api->call.DevicePrimaryCtxRelease(dev->device);
    for (unsigned q = 0; q < GPU_QUEUES; q++) {
        pthread_mutex_destroy(&dev->queues[q].points.lock);
        pthread_mutex_destroy(&dev->queues[q].lock);
    }
    pthread_mutex_destroy(&dev->capture.lock);
    pthread_cond_destroy(&dev->kernels_changed);
    pthread_mutex_destroy(&dev->kernels_lock);
    mem_free(dev);
}

static const GpuOps ops = {
    .buffer_create = cuda_hip_buffer_create,
    .buffer_destroy = cuda_hip_buffer_destroy,
    .buffer_import = cuda_hip_buffer_import,
    .kernel_get = cuda_hip_kernel_get,
    .kernels_ahead = cuda_hip_kernels_ahead,
    .kernel_hash = cuda_hip_kernel_hash,
    .bindings_create = cuda_hip_bindings_create,
    .bindings_destroy = cuda_hip_bindings_destroy,
    .commands_create = cuda_hip_commands_create,
    .commands_destroy = cuda_hip_commands_destroy,
    .begin = cuda_hip_commands_begin,
    .copy = cuda_hip_commands_copy,
    .copy_rows = cuda_hip_commands_copy_rows,
    .fill = cuda_hip_commands_fill,
    .dispatch = cuda_hip_commands_dispatch,
    .barrier = cuda_hip_commands_barrier,
    .end = cuda_hip_commands_end,
    .stamps_create = cuda_hip_stamps_create,
    .stamps_destroy = cuda_hip_stamps_destroy,
    .stamp = cuda_hip_stamp,
    .stamps_read = cuda_hip_stamps_read,
    .submit = cuda_hip_submit,
    .wait = cuda_hip_wait,
    .drain = cuda_hip_drain,
    .destroy = destroy,
};

static int create_queue(CudaHipDevice *dev, CudaHipQueue *queue)
{
    int err = CUDA_HIP_TRY(dev, StreamCreate, &queue->stream, CUDA_HIP_STREAM_NON_BLOCKING);
    if (!err)
        err = CUDA_HIP_TRY(dev, EventCreate, &queue->mark, CUDA_HIP_EVENT_UNTIMED);
    return err ? err : cuda_hip_points_create(dev, &queue->points);
}

static void read_limits(CudaHipDevice *dev)
{
    GpuLimits *limits = &dev->gpu.limits;
    /* A multiple of every cache line; kernels index bound memory with 32 bits. */
    limits->offset_alignment = 256;
    limits->max_binding = UINT32_MAX & ~(size_t)3;
    /* HIP counts threads (workgroups times 256) with 32 bits, too. */
    const int room = INT32_MAX / 256;
    for (unsigned i = 0; i < 3; i++) {
        const int most = cuda_hip_attribute(dev->api, CUDA_HIP_MAX_GROUPS_X + i, dev->device);
        limits->max_workgroups[i] = (unsigned)(most < 1 ? 1 : most > room ? room : most);
    }
}

static int create_objects(CudaHipDevice *dev)
{
    int err = cuda_hip_enter(dev);
    if (err)
        return err;
    for (unsigned q = 0; q < GPU_QUEUES && !err; q++)
        err = create_queue(dev, &dev->queues[q]);
    if (!err)
        err = cuda_hip_capture_create(dev);
    cuda_hip_leave(dev);
    return err;
}

/* `context` NULL stands for the device's primary context. */
static int create(const CudaHipApi *api, int device, CudaHipHandle context, GpuDevice **out,
                  GpuDeviceInfo *info)
{
    CudaHipDevice *dev = mem_zalloc(sizeof(*dev));
    if (!dev)
        return -ENOMEM;
    gpu_device_init(&dev->gpu, &ops, api->name);
    dev->gpu.tuning.compute_queues = GPU_MAX_COMPUTE_QUEUES;
    dev->api = api;
    dev->device = device;
    pthread_mutex_init(&dev->kernels_lock, NULL);
    pthread_cond_init(&dev->kernels_changed, NULL);
    pthread_mutex_init(&dev->capture.lock, NULL);
    for (unsigned q = 0; q < GPU_QUEUES; q++) {
        pthread_mutex_init(&dev->queues[q].lock, NULL);
        pthread_mutex_init(&dev->queues[q].points.lock, NULL);
    }
    cuda_hip_describe(api, device, info, dev->arch);
    memcpy(dev->gpu.name, info->name, sizeof(dev->gpu.name));
    memcpy(dev->gpu.driver, info->driver, sizeof(dev->gpu.driver));
    memcpy(dev->gpu.uuid, info->uuid, sizeof(dev->gpu.uuid));
    memcpy(dev->gpu.pci, info->pci, sizeof(dev->gpu.pci));
    read_limits(dev);
    gpu_device_choose_doubles(&dev->gpu, true,
                              api->has_fast_doubles && api->has_fast_doubles(device));

    int err = 0;
    if (info->missing[0]) {
        log_error("%s: %s cannot be used, it lacks: %s", api->name, info->name, info->missing);
        err = -ENOTSUP;
    }
    dev->context = context;
    if (!err && !context) {
        err = CUDA_HIP_TRY(dev, DevicePrimaryCtxRetain, &dev->context, device);
        dev->primary = !err;
    }
    if (!err)
        err = create_objects(dev);
    if (err)
        gpu_device_release(&dev->gpu);
    else
        *out = &dev->gpu;
    return err;
}

int cuda_hip_open(GpuProbe *gpu, unsigned index, GpuDevice **out)
{
    const CudaHipProbe *probe = (const CudaHipProbe *)gpu;
    *out = NULL;
    int device;
    GpuDeviceInfo info;
    const int result = probe->api->call.DeviceGet(&device, (int)index);
    if (result) {
        log_error("%s: device %u: %s", probe->api->name, index, probe->api->error_name(result));
        return -EIO;
    }
    return create(probe->api, device, NULL, out, &info);
}

/* Stores the number of the device that a context belongs to. */
static int device_of(const CudaHipApi *api, CudaHipHandle context, int *device)
{
    CudaHipHandle popped;
    int result = api->call.CtxPushCurrent(context);
    if (!result) {
        result = api->call.CtxGetDevice(device);
        api->call.CtxPopCurrent(&popped);
    }
    if (result)
        log_error("%s: cannot use the context: %s", api->name, api->error_name(result));
    return result ? -EINVAL : 0;
}

int cuda_hip_adopt(const CudaHipApi *api, void *context, GpuDevice **out, GpuDeviceInfo *info)
{
    *out = NULL;
    int count, device;
    int err = cuda_hip_count(api, &count);
    if (err) {
        log_error("%s: no device found; is a driver installed?", api->name);
        return err;
    }
    if (context)
        err = device_of(api, context, &device);
    else
        err = api->call.DeviceGet(&device, 0) ? -ENODEV : 0;
    return err ? err : create(api, device, context, out, info);
}

void *cuda_hip_context(const GpuDevice *device)
{
    return ((const CudaHipDevice *)device)->context;
}
