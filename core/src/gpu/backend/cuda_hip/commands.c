/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Commands are kept in a list, with addresses in place of buffers, and enqueued when they are
 * submitted. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/backend/cuda_hip/device.h"

int driver_commands_create(GpuDevice *gpu, enum GpuQueue queue, GpuCommands **out)
{
    *out = mem_zalloc(sizeof(**out));
    if (!*out)
        return -ENOMEM;
    (*out)->dev = (DriverDevice *)gpu;
    (*out)->queue = queue;
    return 0;
}

static void drop_graph(GpuCommands *commands)
{
    if (commands->graph && driver_enter_anyway(commands->dev)) {
        commands->dev->api->call.GraphExecDestroy(commands->graph);
        driver_leave(commands->dev);
    }
    commands->graph = NULL;
}

void driver_commands_destroy(GpuDevice *gpu, GpuCommands *commands)
{
    if (!commands)
        return;
    drop_graph(commands);
    mem_free(commands->list);
    mem_free(commands);
}

void driver_commands_begin(GpuCommands *commands)
{
    drop_graph(commands);
    commands->count = 0;
    commands->err = 0;
    commands->launches = 0;
    commands->stamped = false;
    commands->submitted = false;
    commands->no_graph = false;
}

int driver_commands_end(GpuCommands *commands)
{
    return commands->err;
}

/* NULL when there is no room. */
static DriverCommand *add(GpuCommands *commands)
{
    if (!commands->err)
        commands->err = mem_grow(&commands->list, commands->count, &commands->capacity,
                                 sizeof(*commands->list));
    return commands->err ? NULL : &commands->list[commands->count++];
}

static DriverPlace place_of(const GpuBuffer *gpu_buffer, size_t offset, size_t stride)
{
    const DriverBuffer *buffer = (const DriverBuffer *)gpu_buffer;
    if (buffer->gpu.host)
        return (DriverPlace){ .host = (char *)buffer->gpu.host + offset, .stride = stride };
    return (DriverPlace){ .address = buffer->address + offset, .stride = stride };
}

void driver_commands_copy_rows(GpuCommands *commands, const GpuRows *rows)
{
    if (!rows->row || !rows->rows)
        return;
    DriverCommand *command = add(commands);
    if (!command)
        return;
    command->kind = COMMAND_COPY;
    command->u.copy.from = place_of(rows->from, rows->from_offset, rows->from_stride);
    command->u.copy.to = place_of(rows->to, rows->to_offset, rows->to_stride);
    /* Rows without gaps are one. */
    const bool whole = rows->from_stride == rows->row && rows->to_stride == rows->row;
    command->u.copy.row = whole ? rows->row * rows->rows : rows->row;
    command->u.copy.rows = whole ? 1 : rows->rows;
}

void driver_commands_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to)
{
    driver_commands_copy_rows(commands,
                              &(GpuRows){ .from = from->buffer,
                                          .from_offset = from->offset,
                                          .to = to->buffer,
                                          .to_offset = to->offset,
                                          .row = from->size < to->size ? from->size : to->size,
                                          .rows = 1 });
}

void driver_commands_fill(GpuCommands *commands, const GpuRange *range, uint32_t word)
{
    DriverCommand *command = range->size ? add(commands) : NULL;
    if (!command)
        return;
    const DriverPlace to = place_of(range->buffer, range->offset, 0);
    command->kind = COMMAND_FILL;
    /* The device sees pinned memory at the host's address. */
    command->u.fill.to = to.host ? (DriverAddress)to.host : to.address;
    command->u.fill.word = word;
    command->u.fill.count = range->size / 4;
}

void driver_commands_dispatch(GpuCommands *commands, GpuKernel *gpu_kernel, GpuBindings *bindings,
                              const void *params, const unsigned groups[3])
{
    const DriverKernel *kernel = (const DriverKernel *)gpu_kernel;
    const size_t pointers = kernel->info->buffer_count * sizeof(bindings->addresses[0]);
    DriverCommand *command = add(commands);
    if (!command)
        return;
    command->kind = COMMAND_LAUNCH;
    command->u.launch.kernel = kernel;
    memcpy(command->u.launch.groups, groups, sizeof(command->u.launch.groups));
    unsigned char *argument = command->u.launch.argument;
    memset(argument, 0, sizeof(command->u.launch.argument));
    memcpy(argument, bindings->addresses, pointers);
    if (kernel->info->params_size)
        memcpy(argument + pointers, params, kernel->info->params_size);
    commands->launches++;
}

void driver_commands_stamp(GpuCommands *commands, DriverHandle event)
{
    DriverCommand *command = add(commands);
    if (!command)
        return;
    command->kind = COMMAND_STAMP;
    command->u.stamp = event;
    commands->stamped = true;
}

void driver_commands_barrier(GpuCommands *commands)
{
    DriverCommand *command = add(commands);
    if (command)
        command->kind = COMMAND_BARRIER;
}

/* ---- to a stream ---- */

static DriverSide side_of(const DriverApi *api, const DriverPlace *place, size_t row)
{
    return (DriverSide){ .memory = place->host ? api->memory_host : api->memory_device,
                         .host = place->host,
                         .device = place->address,
                         .pitch = place->stride > row ? place->stride : row };
}

/* Also what has no function of its own: from the host to the host. */
static int copy_2d(DriverDevice *dev, const DriverPlace *from, const DriverPlace *to, size_t row,
                   size_t rows, DriverHandle stream)
{
    const DriverCopy2D copy = { .from = side_of(dev->api, from, row),
                                .to = side_of(dev->api, to, row),
                                .width = row,
                                .height = rows };
    return DRIVER_TRY(dev, Memcpy2DAsync, &copy, stream);
}

static int copy_row(DriverDevice *dev, const DriverPlace *from, const DriverPlace *to, size_t size,
                    DriverHandle stream)
{
    if (from->host && to->host)
        return copy_2d(dev, from, to, size, 1, stream);
    if (from->host)
        return DRIVER_TRY(dev, MemcpyHtoDAsync, to->address, from->host, size, stream);
    if (to->host)
        return DRIVER_TRY(dev, MemcpyDtoHAsync, to->host, from->address, size, stream);
    return DRIVER_TRY(dev, MemcpyDtoDAsync, to->address, from->address, size, stream);
}

static DriverPlace next_row(const DriverPlace *place)
{
    DriverPlace next = *place;
    if (next.host)
        next.host = (char *)next.host + next.stride;
    else
        next.address += next.stride;
    return next;
}

static int issue_copy(DriverDevice *dev, const DriverCommand *command, DriverHandle stream)
{
    DriverPlace from = command->u.copy.from, to = command->u.copy.to;
    const size_t row = command->u.copy.row, rows = command->u.copy.rows;
    if (rows > 1 && from.stride >= row && to.stride >= row)
        return copy_2d(dev, &from, &to, row, rows, stream);
    int err = 0;
    for (size_t y = 0; y < rows && !err; y++) {
        err = copy_row(dev, &from, &to, row, stream);
        from = next_row(&from);
        to = next_row(&to);
    }
    return err;
}

static int issue_launch(DriverDevice *dev, const DriverCommand *command, DriverHandle stream)
{
    const DriverKernel *kernel = command->u.launch.kernel;
    const unsigned *groups = command->u.launch.groups, *group = kernel->info->workgroup;
    void *arguments[] = { (void *)command->u.launch.argument };
    return DRIVER_TRY(dev, LaunchKernel, kernel->function, groups[0], groups[1], groups[2],
                      group[0], group[1], 1, 0, stream, arguments, NULL);
}

int driver_command_issue(DriverDevice *dev, const DriverCommand *command, DriverHandle stream)
{
    switch (command->kind) {
    case COMMAND_COPY:
        return issue_copy(dev, command, stream);
    case COMMAND_FILL:
        return DRIVER_TRY(dev, MemsetD32Async, command->u.fill.to, command->u.fill.word,
                          command->u.fill.count, stream);
    case COMMAND_LAUNCH:
        return issue_launch(dev, command, stream);
    case COMMAND_STAMP:
        return DRIVER_TRY(dev, EventRecord, command->u.stamp, stream);
    case COMMAND_BARRIER:
        return 0;
    }
    return -EINVAL;
}
