/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/host/device.h"

int host_commands_create(GpuDevice *gpu, enum GpuQueue queue, GpuCommands **out)
{
    *out = NULL;
    const int err = host_fault(gpu, HOST_COMMANDS_CREATE);
    if (err)
        return err;
    GpuCommands *commands = mem_zalloc(sizeof(*commands));
    if (!commands)
        return -ENOMEM;
    commands->dev = (HostDevice *)gpu;
    commands->queue = queue;
    *out = commands;
    return 0;
}

unsigned host_command_names(const HostCommand *command, HostObject *named[HOST_MAX_NAMED])
{
    unsigned count = 0;
    if (command->rows.from)
        named[count++] = &host_buffer(command->rows.from)->object;
    if (command->rows.to)
        named[count++] = &host_buffer(command->rows.to)->object;
    if (command->stamps)
        named[count++] = &command->stamps->object;
    if (command->bindings) {
        const GpuBindings *bindings = command->bindings;
        named[count++] = &command->bindings->object;
        for (unsigned i = 0; i < bindings->kernel->buffer_count; i++)
            named[count++] = &host_buffer(bindings->ranges[i].buffer)->object;
    }
    return count;
}

/* Takes a reference to each object the command refers to; bindings keep references to their
 * buffers. */
static void hold(const HostCommand *command)
{
    if (command->rows.from)
        host_buffer(command->rows.from)->object.references++;
    if (command->rows.to)
        host_buffer(command->rows.to)->object.references++;
    if (command->stamps)
        command->stamps->object.references++;
    if (command->bindings)
        command->bindings->object.references++;
}

static void forget(GpuCommands *commands)
{
    for (unsigned i = 0; i < commands->count; i++) {
        const HostCommand *command = &commands->list[i];
        if (command->rows.from)
            host_buffer_release(host_buffer(command->rows.from));
        if (command->rows.to)
            host_buffer_release(host_buffer(command->rows.to));
        if (command->stamps)
            host_stamps_release(command->stamps);
        if (command->bindings)
            host_bindings_release(command->bindings);
    }
    commands->count = 0;
}

void host_commands_destroy(GpuDevice *gpu, GpuCommands *commands)
{
    if (!commands)
        return;
    HostDevice *dev = (HostDevice *)gpu;
    pthread_mutex_lock(&dev->lock);
    if (commands->in_flight)
        host_lose_locked(dev, "commands destroyed while in flight");
    forget(commands);
    pthread_mutex_unlock(&dev->lock);
    mem_free(commands->list);
    mem_free(commands);
}

void host_begin(GpuCommands *commands)
{
    HostDevice *dev = commands->dev;
    pthread_mutex_lock(&dev->lock);
    commands->err = 0;
    if (commands->in_flight)
        commands->err = host_lose_locked(dev, "commands recorded again while in flight");
    forget(commands);
    commands->state = HOST_RECORDING;
    pthread_mutex_unlock(&dev->lock);
}

int host_end(GpuCommands *commands)
{
    const int err = host_fault(&commands->dev->gpu, HOST_END);
    if (!commands->err)
        commands->err = err;
    commands->state = HOST_RECORDED;
    return commands->err;
}

static void refuse(GpuCommands *commands, const char *what)
{
    log_error("host: cannot record %s", what);
    if (!commands->err)
        commands->err = -EINVAL;
}

static void add(GpuCommands *commands, const HostCommand *command)
{
    if (commands->state != HOST_RECORDING)
        refuse(commands, "a command outside begin and end");
    if (commands->err)
        return;
    if (mem_grow(&commands->list, commands->count, &commands->capacity, sizeof(*commands->list))) {
        commands->err = -ENOMEM;
        return;
    }
    pthread_mutex_lock(&commands->dev->lock);
    hold(command);
    pthread_mutex_unlock(&commands->dev->lock);
    commands->list[commands->count++] = *command;
}

static bool within(GpuBuffer *buffer, size_t offset, size_t stride, size_t row, unsigned rows)
{
    if (!buffer || offset > buffer->size)
        return false;
    const size_t room = buffer->size - offset;
    return !rows || (row <= room && (rows == 1 || stride <= (room - row) / (rows - 1)));
}

void host_copy_rows(GpuCommands *commands, const GpuRows *rows)
{
    if (!within(rows->from, rows->from_offset, rows->from_stride, rows->row, rows->rows) ||
        !within(rows->to, rows->to_offset, rows->to_stride, rows->row, rows->rows) ||
        host_buffer(rows->from)->memory == GPU_READBACK ||
        host_buffer(rows->to)->memory == GPU_UPLOAD)
        refuse(commands,
               "a copy that is out of bounds or goes against the direction of a buffer's memory");
    else
        add(commands, &(HostCommand){ .kind = HOST_COPY, .rows = *rows });
}

void host_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to)
{
    host_copy_rows(commands, &(GpuRows){ .from = from->buffer,
                                         .from_offset = from->offset,
                                         .to = to->buffer,
                                         .to_offset = to->offset,
                                         .row = from->size < to->size ? from->size : to->size,
                                         .rows = 1 });
}

static void overwrite(GpuCommands *commands, const GpuRange *range, HostCommand command)
{
    if (!within(range->buffer, range->offset, 0, range->size, 1) || range->offset % 4 ||
        range->size % 4 || host_buffer(range->buffer)->memory == GPU_UPLOAD) {
        refuse(commands,
               "a fill that is out of bounds, not a multiple of 4 bytes or of upload memory");
        return;
    }
    command.rows =
        (GpuRows){ .to = range->buffer, .to_offset = range->offset, .row = range->size, .rows = 1 };
    add(commands, &command);
}

void host_fill(GpuCommands *commands, const GpuRange *range, uint32_t word)
{
    overwrite(commands, range, (HostCommand){ .kind = HOST_FILL, .word = word });
}

void host_undefine(GpuCommands *commands, const GpuRange *range)
{
    overwrite(commands, range, (HostCommand){ .kind = HOST_UNDEFINE });
}

void host_dispatch(GpuCommands *commands, GpuKernel *gpu_kernel, GpuBindings *bindings,
                   const void *params, const unsigned groups[3])
{
    const HostKernel *kernel = (const HostKernel *)gpu_kernel;
    const unsigned *limits = commands->dev->gpu.limits.max_workgroups;
    if (bindings->kernel != kernel || commands->queue != GPU_COMPUTE || !groups[0] || !groups[1] ||
        !groups[2] || groups[0] > limits[0] || groups[1] > limits[1] || groups[2] > limits[2]) {
        refuse(commands, kernel->name);
        return;
    }
    HostCommand command = { .kind = HOST_DISPATCH,
                            .bindings = bindings,
                            .groups = { groups[0], groups[1], groups[2] } };
    if (kernel->params_size)
        memcpy(command.params, params, kernel->params_size);
    add(commands, &command);
}

void host_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i)
{
    if (i >= stamps->count)
        refuse(commands, "a stamp beyond the last one");
    else
        add(commands, &(HostCommand){ .kind = HOST_STAMP, .stamps = stamps, .stamp = i });
}

void host_command_barrier(GpuCommands *commands)
{
    add(commands, &(HostCommand){ .kind = HOST_BARRIER });
}
