/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "gpu/upload.h"

/* A slow frame on a slow device takes a minute, so work that takes five minutes hangs. */
#define TIMEOUT_S 300
#define TIMEOUT_MAX_S 86400

static uint64_t timeout_from_environment(void)
{
    const char *asked = getenv("VMAF_GPU_TIMEOUT");
    unsigned long seconds = TIMEOUT_S;
    if (asked && *asked) {
        char *end;
        seconds = strtoul(asked, &end, 10);
        if (*end || *asked < '0' || *asked > '9' || !seconds || seconds > TIMEOUT_MAX_S) {
            log_warning("VMAF_GPU_TIMEOUT=%s is ignored: use a number of seconds from 1 to %d",
                        asked, TIMEOUT_MAX_S);
            seconds = TIMEOUT_S;
        }
    }
    return (uint64_t)seconds * 1000000000;
}

void gpu_device_init(GpuDevice *device, const GpuOps *ops, const char *backend)
{
    device->ops = ops;
    device->backend = backend;
    device->tuning = (GpuTuning){ .own_upload_bytes = (size_t)1 << 20,
                                  .max_batch = GPU_MAX_BATCH,
                                  .compute_queues = 1 };
    device->timeout_ns = timeout_from_environment();
    for (unsigned q = 0; q < GPU_QUEUES; q++)
        atomic_init(&device->last[q], 0);
    for (unsigned i = 0; i < sizeof(device->made) / sizeof(*device->made); i++)
        atomic_init(&device->made[i], 0);
    atomic_init(&device->references, 1);
    pthread_mutex_init(&device->uploads_lock, NULL);
}

void gpu_device_retain(GpuDevice *device)
{
    atomic_fetch_add(&device->references, 1);
}

/* ---- giving a device up ---- */

bool gpu_device_is_abandoned(const GpuDevice *device)
{
    return device->ops == &gpu_abandoned_ops;
}

static void abandon(GpuDevice *device, bool cannot_wait)
{
    char why[64] = "cannot be waited for";
    if (atomic_exchange(&device->ops, &gpu_abandoned_ops) == &gpu_abandoned_ops)
        return;
    if (!cannot_wait)
        snprintf(why, sizeof(why), "did not finish its work in %llu s",
                 (unsigned long long)(device->timeout_ns / 1000000000));
    log_error("%s: %s %s and is given up; its memory stays in use until this process exits%s",
              device->backend, device->name, why,
              cannot_wait ? "" : ". Set VMAF_GPU_TIMEOUT=SECONDS to wait longer");
}

/* ---- work ---- */

static void note_submitted(GpuDevice *device, GpuPoint done)
{
    unsigned long long before = atomic_load(&device->last[done.queue]);
    while (before < done.value &&
           !atomic_compare_exchange_weak(&device->last[done.queue], &before, done.value))
        ;
}

int gpu_device_submit(GpuDevice *device, const GpuSubmit *submit, GpuPoint *done)
{
    const int err = device->ops->submit(device, submit, done);
    if (!err)
        note_submitted(device, *done);
    return err;
}

int gpu_device_wait(GpuDevice *device, GpuPoint point)
{
    const int reached = device->ops->wait(device, point, device->timeout_ns);
    const bool cannot_wait = reached == -ENOMEM;
    if (!reached || cannot_wait)
        abandon(device, cannot_wait);
    return reached > 0 ? 0 : reached < 0 && !cannot_wait ? reached : -EIO;
}

static int wait_for_last(GpuDevice *device)
{
    int err = 0;
    for (unsigned q = 0; q < GPU_QUEUES; q++) {
        const GpuPoint last = { q, atomic_load(&device->last[q]) };
        const int wait_err = last.value ? gpu_device_wait(device, last) : 0;
        if (!err)
            err = wait_err;
    }
    return err;
}

/* The API's own drain has no time limit, so it is called only when all work is done. */
int gpu_device_drain(GpuDevice *device)
{
    const int err = wait_for_last(device);
    return err ? err : device->ops->drain(device);
}

void gpu_device_release(GpuDevice *device)
{
    if (!device || atomic_fetch_sub(&device->references, 1) != 1)
        return;
    wait_for_last(device);
    upload_end(device);
    if (!gpu_device_is_abandoned(device))
        pthread_mutex_destroy(&device->uploads_lock);
    device->ops->destroy(device);
}

int gpu_device_run(GpuDevice *device, GpuCommands *commands)
{
    GpuPoint done = { 0 };
    const int err = gpu_device_submit(
        device, &(GpuSubmit){ .queue = GPU_COMPUTE, .commands = &commands, .command_count = 1 },
        &done);
    return err ? err : gpu_device_wait(device, done);
}

int gpu_device_run_once(GpuDevice *device, GpuCommands *commands)
{
    const GpuOps *ops = device->ops;
    ops->barrier(commands);
    int err = ops->end(commands);
    if (!err)
        err = gpu_device_run(device, commands);
    device->ops->commands_destroy(device, commands); /* load ops anew: it may be given up by now */
    return err;
}

int gpu_device_copy(GpuDevice *device, const GpuRange *from, const GpuRange *to)
{
    const GpuOps *ops = device->ops;
    GpuCommands *commands;
    const int err = ops->commands_create(device, GPU_COMPUTE, &commands);
    if (err)
        return err;
    ops->begin(commands);
    ops->copy(commands, from, to);
    return gpu_device_run_once(device, commands);
}

int gpu_device_fill(GpuDevice *device, const GpuRange *range, uint32_t word)
{
    const GpuOps *ops = device->ops;
    GpuCommands *commands;
    const int err = ops->commands_create(device, GPU_COMPUTE, &commands);
    if (err)
        return err;
    ops->begin(commands);
    ops->fill(commands, range, word);
    return gpu_device_run_once(device, commands);
}

/* ---- kernels with doubles ----
 *
 * Kernels use no doubles, since many devices are slow at them. Some kernels have a variant with
 * doubles for devices that are fast at them. */

#define VARIABLE "VMAF_GPU_DOUBLES"

void gpu_device_choose_doubles(GpuDevice *device, bool may, bool fast)
{
    const char *asked = getenv(VARIABLE);
    device->tuning.doubles = may && fast;
    if (!asked || !*asked)
        return;
    if (strcmp(asked, "0") != 0 && strcmp(asked, "1") != 0)
        log_warning(VARIABLE "=%s is ignored: use 0 or 1", asked);
    else if (*asked == '1' && !may)
        log_warning(VARIABLE "=1 is ignored: %s (%s) cannot use doubles in kernels", device->name,
                    device->backend);
    else
        device->tuning.doubles = *asked == '1';
}

const KernelInfo *gpu_kernel_for(const GpuDevice *device, const char *name)
{
    const KernelInfo *variant = NULL;
    char variant_name[64];
    snprintf(variant_name, sizeof(variant_name), "%s_f64", name);
    if (device->tuning.doubles)
        variant = kernel_info_find(variant_name);
    return variant ? variant : kernel_info_find(name);
}

/* ---- a device that was given up ----
 *
 * The operations of a device that was given up. The device may still be at work and write wherever
 * its commands say. So everything that it could reach stays as it is until the process ends: these
 * operations free nothing, wait for nothing, and make no call into the driver, which might never
 * return. None of them is NULL, because another thread may have looked at the real table just
 * before. */

static int abandoned_buffer_create(GpuDevice *dev, enum GpuMemory memory, size_t size,
                                   GpuBuffer **buffer)
{
    *buffer = NULL;
    return -EIO;
}

static int abandoned_buffer_import(GpuDevice *dev, const GpuHandle *handle, GpuBuffer **buffer)
{
    *buffer = NULL;
    return -EIO;
}

static void abandoned_buffer_destroy(GpuDevice *dev, GpuBuffer *buffer)
{
}

static int abandoned_kernel_get(GpuDevice *dev, const KernelInfo *info, GpuKernel **kernel)
{
    *kernel = NULL;
    return -EIO;
}

static uint64_t abandoned_kernel_hash(GpuDevice *dev, const KernelInfo *info)
{
    return 0;
}

static int abandoned_bindings_create(GpuDevice *dev, GpuKernel *kernel, const GpuRange *ranges,
                                     GpuBindings **bindings)
{
    *bindings = NULL;
    return -EIO;
}

static void abandoned_bindings_destroy(GpuDevice *dev, GpuBindings *bindings)
{
}

static int abandoned_commands_create(GpuDevice *dev, enum GpuQueue queue, GpuCommands **commands)
{
    *commands = NULL;
    return -EIO;
}

static void abandoned_commands_destroy(GpuDevice *dev, GpuCommands *commands)
{
}

static void abandoned_begin(GpuCommands *commands)
{
}

static void abandoned_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to)
{
}

static void abandoned_copy_rows(GpuCommands *commands, const GpuRows *rows)
{
}

static void abandoned_fill(GpuCommands *commands, const GpuRange *range, uint32_t word)
{
}

static void abandoned_undefine(GpuCommands *commands, const GpuRange *range)
{
}

static void abandoned_dispatch(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                               const void *params, const unsigned groups[3])
{
}

static void abandoned_barrier(GpuCommands *commands)
{
}

static int abandoned_end(GpuCommands *commands)
{
    return -EIO;
}

static int abandoned_stamps_create(GpuDevice *dev, unsigned count, GpuStamps **stamps)
{
    *stamps = NULL;
    return -EIO;
}

static void abandoned_stamps_destroy(GpuDevice *dev, GpuStamps *stamps)
{
}

static void abandoned_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i)
{
}

static int abandoned_stamps_read(GpuDevice *dev, GpuStamps *stamps, double *microseconds)
{
    return -EIO;
}

static int abandoned_submit(GpuDevice *dev, const GpuSubmit *what, GpuPoint *done)
{
    return -EIO;
}

static int abandoned_wait(GpuDevice *dev, GpuPoint point, uint64_t timeout_ns)
{
    return -EIO;
}

static int abandoned_drain(GpuDevice *dev)
{
    return -EIO;
}

static void abandoned_destroy(GpuDevice *dev)
{
}

const GpuOps gpu_abandoned_ops = {
    .buffer_create = abandoned_buffer_create,
    .buffer_destroy = abandoned_buffer_destroy,
    .buffer_import = abandoned_buffer_import,
    .kernel_get = abandoned_kernel_get,
    .kernel_hash = abandoned_kernel_hash,
    .bindings_create = abandoned_bindings_create,
    .bindings_destroy = abandoned_bindings_destroy,
    .commands_create = abandoned_commands_create,
    .commands_destroy = abandoned_commands_destroy,
    .begin = abandoned_begin,
    .copy = abandoned_copy,
    .copy_rows = abandoned_copy_rows,
    .fill = abandoned_fill,
    .undefine = abandoned_undefine,
    .dispatch = abandoned_dispatch,
    .barrier = abandoned_barrier,
    .end = abandoned_end,
    .stamps_create = abandoned_stamps_create,
    .stamps_destroy = abandoned_stamps_destroy,
    .stamp = abandoned_stamp,
    .stamps_read = abandoned_stamps_read,
    .submit = abandoned_submit,
    .wait = abandoned_wait,
    .drain = abandoned_drain,
    .destroy = abandoned_destroy,
};
