/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/host/device.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

#define DEFAULT_SEED 8

/* ---- faults ---- */

int host_lose_locked(HostDevice *dev, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    log_error("host: device lost: %s", text);
    dev->lost = true;
    host_queues_clear(dev);
    host_semaphore_wake();
    return -EIO;
}

int host_fault_locked(HostDevice *dev, enum HostOperation operation)
{
    if (operation != dev->fault || ++dev->fault_calls != dev->fault_nth)
        return 0;
    return dev->fault_what == HOST_LOSE ? host_lose_locked(dev, "requested by host_fail")
                                        : dev->fault_what;
}

int host_fault(GpuDevice *gpu, enum HostOperation operation)
{
    HostDevice *dev = (HostDevice *)gpu;
    pthread_mutex_lock(&dev->lock);
    const int err = host_fault_locked(dev, operation);
    pthread_mutex_unlock(&dev->lock);
    return err;
}

unsigned host_fail(GpuDevice *gpu, enum HostOperation operation, unsigned nth, int what)
{
    HostDevice *dev = (HostDevice *)gpu;
    pthread_mutex_lock(&dev->lock);
    const unsigned calls = dev->fault_calls;
    dev->fault = operation;
    dev->fault_nth = nth;
    dev->fault_calls = 0;
    dev->fault_what = what;
    pthread_mutex_unlock(&dev->lock);
    return calls;
}

/* ---- the device ---- */

static void destroy(GpuDevice *gpu)
{
    HostDevice *dev = (HostDevice *)gpu;
    bool busy = false;
    for (unsigned q = 0; q < GPU_QUEUES; q++)
        busy |= dev->queues[q].first != NULL;
    if (busy)
        log_error("host: device destroyed while work is in flight");
    host_queues_clear(dev);
    workgroup_destroy(dev->runner);
    mem_aligned_free(dev->object);
    mem_free(dev->stage);
    mem_free(dev->units);
    pthread_mutex_destroy(&dev->lock);
    mem_free(dev);
}

static const GpuOps ops = {
    .buffer_create = host_buffer_create,
    .buffer_destroy = host_buffer_destroy,
    .buffer_import = host_buffer_import,
    .kernel_get = host_kernel_get,
    .bindings_create = host_bindings_create,
    .bindings_destroy = host_bindings_destroy,
    .commands_create = host_commands_create,
    .commands_destroy = host_commands_destroy,
    .begin = host_begin,
    .copy = host_copy,
    .copy_rows = host_copy_rows,
    .fill = host_fill,
    .undefine = host_undefine,
    .dispatch = host_dispatch,
    .barrier = host_command_barrier,
    .end = host_end,
    .stamps_create = host_stamps_create,
    .stamps_destroy = host_stamps_destroy,
    .stamp = host_stamp,
    .stamps_read = host_stamps_read,
    .submit = host_submit,
    .wait = host_wait,
    .drain = host_drain,
    .destroy = destroy,
};

static void describe(char *name, size_t name_size, char *driver, size_t driver_size)
{
    snprintf(name, name_size, "CPU");
    snprintf(driver, driver_size, "kernels as C++, in shuffled order");
}

int host_open(const HostParams *params, GpuDevice **out)
{
    *out = NULL;
    HostDevice *dev = mem_zalloc(sizeof(*dev));
    if (!dev)
        return -ENOMEM;
    const int err = workgroup_create(&dev->runner);
    if (err) {
        mem_free(dev);
        return err;
    }
    pthread_mutex_init(&dev->lock, NULL);
    dev->params = *params;
    dev->random = random_of(params->seed);
    gpu_device_init(&dev->gpu, &ops, "host");
    describe(dev->gpu.name, sizeof(dev->gpu.name), dev->gpu.driver, sizeof(dev->gpu.driver));
    dev->gpu.tuning.compute_queues = GPU_MAX_COMPUTE_QUEUES;
    gpu_device_choose_doubles(&dev->gpu, true, false);
    dev->gpu.limits = (GpuLimits){ .offset_alignment = 256,
                                   .max_binding = (size_t)1 << 30,
                                   .max_workgroups = { 65535, 65535, 65535 } };
    *out = &dev->gpu;
    return 0;
}

int host_parse_schedule(const char *text, HostParams *params)
{
    static const char *const names[HOST_SCHEDULES] = {
        [HOST_RANDOM] = "random",
        [HOST_LAZY] = "lazy",
        [HOST_EAGER] = "eager",
        [HOST_TRANSFER_FIRST] = "transfer_first",
        [HOST_COMPUTE_FIRST] = "compute_first",
    };
    const size_t length = strcspn(text, ":");
    for (unsigned i = 0; i < HOST_SCHEDULES; i++) {
        if (strlen(names[i]) != length || strncmp(names[i], text, length))
            continue;
        params->schedule = i;
        if (!text[length])
            return 0;
        char *end;
        params->seed = strtoull(text + length + 1, &end, 10);
        return *end || end == text + length + 1 ? -EINVAL : 0;
    }
    return -EINVAL;
}

/* ---- the backend ---- */

typedef struct HostProbe {
    GpuProbe probe;
    GpuDeviceInfo device;
} HostProbe;

static int probe(const GpuBackend *backend, bool validation, GpuProbe **out)
{
    *out = NULL;
    HostProbe *found = mem_zalloc(sizeof(*found));
    if (!found)
        return -ENOMEM;
    found->probe = (GpuProbe){ .backend = backend, .devices = &found->device, .count = 1 };
    found->device.type = VMAF_DEVICE_SOFTWARE;
    describe(found->device.name, sizeof(found->device.name), found->device.driver,
             sizeof(found->device.driver));
    *out = &found->probe;
    return 0;
}

static void probe_end(GpuProbe *found)
{
    mem_free(found);
}

static int open_device(GpuProbe *found, unsigned index, GpuDevice **out)
{
    *out = NULL;
    HostParams params = { .schedule = HOST_RANDOM, .seed = DEFAULT_SEED };
    const char *schedule = getenv("VMAF_HOST_SCHEDULE");
    if (schedule && host_parse_schedule(schedule, &params)) {
        log_error(
            "host: invalid VMAF_HOST_SCHEDULE '%s'; use random, lazy, eager, transfer_first or "
            "compute_first, optionally followed by :SEED",
            schedule);
        return -EINVAL;
    }
    const int err = host_open(&params, out);
    const char *hang = getenv("VMAF_HOST_HANG");
    if (!err && hang)
        host_fail(*out, HOST_SUBMIT, (unsigned)atoi(hang), HOST_HANG);
    return err;
}

const GpuBackend host_backend = {
    .name = "host",
    .title = "host",
    .needs = "nothing",
    .hidden = true,
    .takes_pages = true,
    .our_code = true,
    .probe = probe,
    .probe_end = probe_end,
    .open = open_device,
};
