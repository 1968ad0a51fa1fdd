/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/backend/cuda_hip/device.h"

/* Recording keeps commands in a list, with addresses in place of buffers. Submitting enqueues
 * them. */

int cuda_hip_commands_create(GpuDevice *gpu, enum GpuQueue queue, GpuCommands **out)
{
    *out = mem_zalloc(sizeof(**out));
    if (!*out)
        return -ENOMEM;
    (*out)->dev = (CudaHipDevice *)gpu;
    (*out)->queue = queue;
    return 0;
}

static void drop_graph(GpuCommands *commands)
{
    if (commands->graph && cuda_hip_enter_anyway(commands->dev)) {
        commands->dev->api->call.GraphExecDestroy(commands->graph);
        cuda_hip_leave(commands->dev);
    }
    commands->graph = NULL;
}

void cuda_hip_commands_destroy(GpuDevice *gpu, GpuCommands *commands)
{
    if (!commands)
        return;
    drop_graph(commands);
    mem_free(commands->list);
    mem_free(commands);
}

void cuda_hip_commands_begin(GpuCommands *commands)
{
    drop_graph(commands);
    commands->count = 0;
    commands->err = 0;
    commands->launches = 0;
    commands->stamped = false;
    commands->submitted = false;
    commands->no_graph = false;
}

int cuda_hip_commands_end(GpuCommands *commands)
{
    return commands->err;
}

/* Returns the next command to fill in, NULL if memory ran out. */
static CudaHipCommand *add(GpuCommands *commands)
{
    if (!commands->err)
        commands->err = mem_grow(&commands->list, commands->count, &commands->capacity,
                                 sizeof(*commands->list));
    return commands->err ? NULL : &commands->list[commands->count++];
}

static CudaHipLocation locate(const GpuBuffer *gpu_buffer, size_t offset, size_t stride)
{
    const CudaHipBuffer *buffer = (const CudaHipBuffer *)gpu_buffer;
    if (buffer->gpu.host)
        return (CudaHipLocation){ .host = (char *)buffer->gpu.host + offset, .stride = stride };
    return (CudaHipLocation){ .address = buffer->address + offset, .stride = stride };
}

void cuda_hip_commands_copy_rows(GpuCommands *commands, const GpuRows *rows)
{
    if (!rows->row || !rows->rows)
        return;
    CudaHipCommand *command = add(commands);
    if (!command)
        return;
    command->kind = COMMAND_COPY;
    command->u.copy.from = locate(rows->from, rows->from_offset, rows->from_stride);
    command->u.copy.to = locate(rows->to, rows->to_offset, rows->to_stride);
    /* Rows without gaps are copied as one. */
    const bool whole = rows->from_stride == rows->row && rows->to_stride == rows->row;
    command->u.copy.row = whole ? rows->row * rows->rows : rows->row;
    command->u.copy.rows = whole ? 1 : rows->rows;
}

void cuda_hip_commands_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to)
{
    cuda_hip_commands_copy_rows(commands,
                                &(GpuRows){ .from = from->buffer,
                                            .from_offset = from->offset,
                                            .to = to->buffer,
                                            .to_offset = to->offset,
                                            .row = from->size < to->size ? from->size : to->size,
                                            .rows = 1 });
}

void cuda_hip_commands_fill(GpuCommands *commands, const GpuRange *range, uint32_t word)
{
    CudaHipCommand *command = range->size ? add(commands) : NULL;
    if (!command)
        return;
    const CudaHipLocation to = locate(range->buffer, range->offset, 0);
    command->kind = COMMAND_FILL;
    /* The device sees pinned memory at the host's address. */
    command->u.fill.to = to.host ? (CudaHipAddress)to.host : to.address;
    command->u.fill.word = word;
    command->u.fill.count = range->size / 4;
}

void cuda_hip_commands_dispatch(GpuCommands *commands, GpuKernel *gpu_kernel, GpuBindings *bindings,
                                const void *params, const unsigned groups[3])
{
    const CudaHipKernel *kernel = (const CudaHipKernel *)gpu_kernel;
    const size_t pointers = kernel->info->buffer_count * sizeof(bindings->addresses[0]);
    CudaHipCommand *command = add(commands);
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

void cuda_hip_commands_stamp(GpuCommands *commands, CudaHipHandle event)
{
    CudaHipCommand *command = add(commands);
    if (!command)
        return;
    command->kind = COMMAND_STAMP;
    command->u.stamp = event;
    commands->stamped = true;
}

void cuda_hip_commands_barrier(GpuCommands *commands)
{
    CudaHipCommand *command = add(commands);
    if (command)
        command->kind = COMMAND_BARRIER;
}

/* ---- enqueueing on a stream ---- */

static CudaHipSide side_of(const CudaHipApi *api, const CudaHipLocation *location, size_t row)
{
    return (CudaHipSide){ .memory = location->host ? api->memory_host : api->memory_device,
                          .host = location->host,
                          .device = location->address,
                          .pitch = location->stride > row ? location->stride : row };
}

/* Also serves copies from host to host, for which the API has no function of its own. */
static int copy_2d(CudaHipDevice *dev, const CudaHipLocation *from, const CudaHipLocation *to,
                   size_t row, size_t rows, CudaHipHandle stream)
{
    const CudaHipCopy2D copy = { .from = side_of(dev->api, from, row),
                                 .to = side_of(dev->api, to, row),
                                 .width = row,
                                 .height = rows };
    return CUDA_HIP_TRY(dev, Memcpy2DAsync, &copy, stream);
}

static int copy_row(CudaHipDevice *dev, const CudaHipLocation *from, const CudaHipLocation *to,
                    size_t size, CudaHipHandle stream)
{
    if (from->host && to->host)
        return copy_2d(dev, from, to, size, 1, stream);
    if (from->host)
        return CUDA_HIP_TRY(dev, MemcpyHtoDAsync, to->address, from->host, size, stream);
    if (to->host)
        return CUDA_HIP_TRY(dev, MemcpyDtoHAsync, to->host, from->address, size, stream);
    return CUDA_HIP_TRY(dev, MemcpyDtoDAsync, to->address, from->address, size, stream);
}

static CudaHipLocation next_row(const CudaHipLocation *place)
{
    CudaHipLocation next = *place;
    if (next.host)
        next.host = (char *)next.host + next.stride;
    else
        next.address += next.stride;
    return next;
}

static int issue_copy(CudaHipDevice *dev, const CudaHipCommand *command, CudaHipHandle stream)
{
    CudaHipLocation from = command->u.copy.from, to = command->u.copy.to;
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

static int issue_launch(CudaHipDevice *dev, const CudaHipCommand *command, CudaHipHandle stream)
{
    const CudaHipKernel *kernel = command->u.launch.kernel;
    const unsigned *groups = command->u.launch.groups, *group = kernel->info->workgroup;
    void *arguments[] = { (void *)command->u.launch.argument };
    return CUDA_HIP_TRY(dev, LaunchKernel, kernel->function, groups[0], groups[1], groups[2],
                        group[0], group[1], 1, 0, stream, arguments, NULL);
}

int cuda_hip_command_issue(CudaHipDevice *dev, const CudaHipCommand *command, CudaHipHandle stream)
{
    switch (command->kind) {
    case COMMAND_COPY:
        return issue_copy(dev, command, stream);
    case COMMAND_FILL:
        return CUDA_HIP_TRY(dev, MemsetD32Async, command->u.fill.to, command->u.fill.word,
                            command->u.fill.count, stream);
    case COMMAND_LAUNCH:
        return issue_launch(dev, command, stream);
    case COMMAND_STAMP:
        return CUDA_HIP_TRY(dev, EventRecord, command->u.stamp, stream);
    case COMMAND_BARRIER:
        return 0;
    }
    return -EINVAL;
}

struct GpuStamps {
    unsigned count;
    CudaHipHandle events[];
};

static int create_events(CudaHipDevice *dev, GpuStamps *stamps)
{
    int err = cuda_hip_enter(dev);
    if (err)
        return err;
    for (unsigned i = 0; i < stamps->count && !err; i++)
        err = CUDA_HIP_TRY(dev, EventCreate, &stamps->events[i], CUDA_HIP_EVENT_TIMED);
    cuda_hip_leave(dev);
    return err;
}

int cuda_hip_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out)
{
    *out = NULL;
    GpuStamps *stamps = mem_zalloc(sizeof(*stamps) + count * sizeof(stamps->events[0]));
    if (!stamps)
        return -ENOMEM;
    stamps->count = count;
    const int err = create_events((CudaHipDevice *)gpu, stamps);
    if (err)
        cuda_hip_stamps_destroy(gpu, stamps);
    else
        *out = stamps;
    return err;
}

void cuda_hip_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    if (!stamps)
        return;
    if (cuda_hip_enter_anyway(dev)) {
        for (unsigned i = 0; i < stamps->count; i++)
            if (stamps->events[i])
                dev->api->call.EventDestroy(stamps->events[i]);
        cuda_hip_leave(dev);
    }
    mem_free(stamps);
}

void cuda_hip_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i)
{
    cuda_hip_commands_stamp(commands, stamps->events[i]);
}

int cuda_hip_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    int err = cuda_hip_enter(dev);
    if (err)
        return err;
    for (unsigned i = 0; i < stamps->count && !err; i++) {
        float milliseconds = 0;
        err = CUDA_HIP_TRY(dev, EventElapsedTime, &milliseconds, stamps->events[0],
                           stamps->events[i]);
        microseconds[i] = (double)milliseconds * 1e3;
    }
    cuda_hip_leave(dev);
    return err;
}
