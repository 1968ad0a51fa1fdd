/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tap.h"

#include <stddef.h>

const char *const tap_names[TAP_OPERATIONS] = {
    [TAP_BUFFER_CREATE] = "buffer_create",
    [TAP_BUFFER_IMPORT] = "buffer_import",
    [TAP_KERNEL_GET] = "kernel_get",
    [TAP_BINDINGS_CREATE] = "bindings_create",
    [TAP_COMMANDS_CREATE] = "commands_create",
    [TAP_END] = "end",
    [TAP_STAMPS_CREATE] = "stamps_create",
    [TAP_STAMPS_READ] = "stamps_read",
    [TAP_SUBMIT] = "submit",
    [TAP_WAIT] = "wait",
    [TAP_DRAIN] = "drain",
};

static GpuDevice *tapped;
static const GpuOps *real;
static GpuOps ops;

static atomic_uint calls[TAP_OPERATIONS], submits[2];
static enum TapOperation failing = TAP_OPERATIONS;
static unsigned failing_nth;
static int failing_result;
static atomic_bool has_failed;

/* Counts the call. True if it must fail. */
static bool fails(enum TapOperation operation)
{
    const unsigned nth = atomic_fetch_add(&calls[operation], 1) + 1;
    const bool does = operation == failing && nth == failing_nth;
    if (does)
        atomic_store(&has_failed, true);
    return does;
}

static int buffer_create(GpuDevice *dev, enum GpuMemory memory, size_t size, GpuBuffer **buffer)
{
    *buffer = NULL;
    return fails(TAP_BUFFER_CREATE) ? failing_result
                                    : real->buffer_create(dev, memory, size, buffer);
}

static int buffer_import(GpuDevice *dev, const GpuHandle *handle, GpuBuffer **buffer)
{
    *buffer = NULL;
    return fails(TAP_BUFFER_IMPORT) ? failing_result : real->buffer_import(dev, handle, buffer);
}

static int kernel_get(GpuDevice *dev, const KernelInfo *info, GpuKernel **kernel)
{
    *kernel = NULL;
    return fails(TAP_KERNEL_GET) ? failing_result : real->kernel_get(dev, info, kernel);
}

static int bindings_create(GpuDevice *dev, GpuKernel *kernel, const GpuRange *ranges,
                           GpuBindings **bindings)
{
    *bindings = NULL;
    return fails(TAP_BINDINGS_CREATE) ? failing_result
                                      : real->bindings_create(dev, kernel, ranges, bindings);
}

static int commands_create(GpuDevice *dev, enum GpuQueue queue, GpuCommands **commands)
{
    *commands = NULL;
    return fails(TAP_COMMANDS_CREATE) ? failing_result
                                      : real->commands_create(dev, queue, commands);
}

static int end(GpuCommands *commands)
{
    const int err = real->end(commands);
    return fails(TAP_END) ? failing_result : err;
}

static int stamps_create(GpuDevice *dev, unsigned count, GpuStamps **stamps)
{
    *stamps = NULL;
    return fails(TAP_STAMPS_CREATE) ? failing_result : real->stamps_create(dev, count, stamps);
}

static int stamps_read(GpuDevice *dev, GpuStamps *stamps, double *microseconds)
{
    return fails(TAP_STAMPS_READ) ? failing_result : real->stamps_read(dev, stamps, microseconds);
}

static int submit(GpuDevice *dev, const GpuSubmit *what, GpuPoint *done)
{
    if (fails(TAP_SUBMIT))
        return failing_result;
    atomic_fetch_add(&submits[what->queue == GPU_TRANSFER], 1);
    return real->submit(dev, what, done);
}

static int wait(GpuDevice *dev, GpuPoint point, uint64_t timeout_ns)
{
    const int reached = real->wait(dev, point, timeout_ns);
    return fails(TAP_WAIT) ? failing_result : reached;
}

static int drain(GpuDevice *dev)
{
    const int err = real->drain(dev);
    return fails(TAP_DRAIN) ? failing_result : err;
}

static void undefine(GpuCommands *commands, const GpuRange *range)
{
    if (real->undefine)
        real->undefine(commands, range);
    else
        real->fill(commands, range, 0xa5f0c3d2);
}

void tap_open(GpuDevice *device)
{
    tap_close();
    tapped = device;
    real = device->ops;
    ops = *real;
    ops.buffer_create = buffer_create;
    ops.buffer_import = real->buffer_import ? buffer_import : NULL;
    ops.kernel_get = kernel_get;
    ops.bindings_create = bindings_create;
    ops.commands_create = commands_create;
    ops.end = end;
    ops.stamps_create = stamps_create;
    ops.stamps_read = stamps_read;
    ops.submit = submit;
    ops.wait = wait;
    ops.drain = drain;
    ops.undefine = undefine;
    device->ops = &ops;
    tap_fail(TAP_OPERATIONS, 0, 0);
}

void tap_close(void)
{
    if (!tapped)
        return;
    tapped->ops = real;
    tapped = NULL;
}

void tap_fail(enum TapOperation operation, unsigned nth, int result)
{
    failing = operation;
    failing_nth = nth;
    failing_result = result;
    atomic_store(&has_failed, false);
    for (unsigned i = 0; i < TAP_OPERATIONS; i++)
        atomic_store(&calls[i], 0);
    for (unsigned i = 0; i < 2; i++)
        atomic_store(&submits[i], 0);
}

bool tap_has_failed(void)
{
    return atomic_load(&has_failed);
}

unsigned tap_calls(enum TapOperation operation)
{
    return atomic_load(&calls[operation]);
}

unsigned tap_submits(enum GpuQueue queue)
{
    return atomic_load(&submits[queue == GPU_TRANSFER]);
}
