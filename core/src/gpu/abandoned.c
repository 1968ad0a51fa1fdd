/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The operations of a device that was given up. It may still be at work, and write wherever its commands say:
 * so whatever it could reach stays as it is, for as long as the process lives. Nothing is freed, nothing is
 * waited for, and no call reaches the driver, which may never return from it. No operation is NULL: another
 * thread may have looked at the real table just before. */
#include <errno.h>

#include "gpu/device.h"

static int buffer_create(GpuDevice *dev, enum GpuMemory memory, size_t size, GpuBuffer **buffer)
{
    *buffer = NULL;
    return -EIO;
}

static int buffer_import(GpuDevice *dev, const GpuHandle *handle, GpuBuffer **buffer)
{
    *buffer = NULL;
    return -EIO;
}

static void buffer_destroy(GpuDevice *dev, GpuBuffer *buffer)
{
}

static int kernel_get(GpuDevice *dev, const KernelInfo *info, GpuKernel **kernel)
{
    *kernel = NULL;
    return -EIO;
}

static const KernelImage *kernel_image(GpuDevice *dev, const KernelInfo *info)
{
    return NULL;
}

static int bindings_create(GpuDevice *dev, GpuKernel *kernel, const GpuRange *ranges,
                           GpuBindings **bindings)
{
    *bindings = NULL;
    return -EIO;
}

static void bindings_destroy(GpuDevice *dev, GpuBindings *bindings)
{
}

static int commands_create(GpuDevice *dev, enum GpuQueue queue, GpuCommands **commands)
{
    *commands = NULL;
    return -EIO;
}

static void commands_destroy(GpuDevice *dev, GpuCommands *commands)
{
}

static void begin(GpuCommands *commands)
{
}

static void copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to)
{
}

static void copy_rows(GpuCommands *commands, const GpuRows *rows)
{
}

static void fill(GpuCommands *commands, const GpuRange *range, uint32_t word)
{
}

static void undefine(GpuCommands *commands, const GpuRange *range)
{
}

static void dispatch(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                     const void *params, const unsigned groups[3])
{
}

static void barrier(GpuCommands *commands)
{
}

static int end(GpuCommands *commands)
{
    return -EIO;
}

static int stamps_create(GpuDevice *dev, unsigned count, GpuStamps **stamps)
{
    *stamps = NULL;
    return -EIO;
}

static void stamps_destroy(GpuDevice *dev, GpuStamps *stamps)
{
}

static void stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i)
{
}

static int stamps_read(GpuDevice *dev, GpuStamps *stamps, double *microseconds)
{
    return -EIO;
}

static int submit(GpuDevice *dev, const GpuSubmit *what, GpuPoint *done)
{
    return -EIO;
}

static int wait(GpuDevice *dev, GpuPoint point, uint64_t timeout_ns)
{
    return -EIO;
}

static int drain(GpuDevice *dev)
{
    return -EIO;
}

static void destroy(GpuDevice *dev)
{
}

const GpuOps gpu_abandoned_ops = {
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .buffer_import = buffer_import,
    .kernel_get = kernel_get,
    .kernel_image = kernel_image,
    .bindings_create = bindings_create,
    .bindings_destroy = bindings_destroy,
    .commands_create = commands_create,
    .commands_destroy = commands_destroy,
    .begin = begin,
    .copy = copy,
    .copy_rows = copy_rows,
    .fill = fill,
    .undefine = undefine,
    .dispatch = dispatch,
    .barrier = barrier,
    .end = end,
    .stamps_create = stamps_create,
    .stamps_destroy = stamps_destroy,
    .stamp = stamp,
    .stamps_read = stamps_read,
    .submit = submit,
    .wait = wait,
    .drain = drain,
    .destroy = destroy,
};
