/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels, and recording commands in a list, which the plugin enqueues at each submission. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/sycl/device.h"

/* ---- kernels ---- */

static bool fits(const SyclKernelDesc *desc, const KernelInfo *info)
{
    const size_t args_size = (8 * info->buffer_count + info->params_size + 7) & ~(size_t)7;
    return !strcmp(desc->name, info->name) && desc->args_size == args_size &&
           desc->group[0] == info->workgroup[0] && desc->group[1] == info->workgroup[1];
}

void sycl_kernels_init(SyclDevice *dev)
{
    for (unsigned i = 0; i < dev->plugin->kernel_count; i++)
        dev->kernels[i] = (GpuKernel){ kernel_info_find(dev->plugin->kernels[i].name), i };
}

int sycl_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **out)
{
    SyclDevice *dev = sycl_device(gpu);
    *out = NULL;
    for (unsigned i = 0; i < dev->plugin->kernel_count && !*out; i++)
        if (dev->kernels[i].info && fits(&dev->plugin->kernels[i], info))
            *out = &dev->kernels[i];
    if (!*out)
        log_error("sycl: the plugin has no kernel '%s'", info->name);
    return *out ? 0 : -EINVAL;
}

uint64_t sycl_kernel_hash(GpuDevice *gpu, const KernelInfo *info)
{
    return sycl_device(gpu)->kernels_hash;
}

static char *address_of(const GpuBuffer *buffer, size_t offset)
{
    return ((const SyclBuffer *)buffer)->address + offset;
}

int sycl_bindings_create(GpuDevice *gpu, GpuKernel *kernel, const GpuRange *ranges,
                         GpuBindings **out)
{
    *out = mem_zalloc(sizeof(**out));
    if (!*out)
        return -ENOMEM;
    for (unsigned i = 0; i < kernel->info->buffer_count; i++)
        (*out)->addresses[i] = address_of(ranges[i].buffer, ranges[i].offset);
    return 0;
}

void sycl_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings)
{
    mem_free(bindings);
}

/* ---- recording ---- */

int sycl_commands_create(GpuDevice *gpu, enum GpuQueue queue, GpuCommands **out)
{
    *out = mem_zalloc(sizeof(**out));
    return *out ? 0 : -ENOMEM;
}

void sycl_commands_destroy(GpuDevice *gpu, GpuCommands *commands)
{
    if (commands)
        mem_free(commands->list);
    mem_free(commands);
}

void sycl_begin(GpuCommands *commands)
{
    commands->count = 0;
    commands->err = 0;
}

static void add(GpuCommands *commands, const SyclCommand *command)
{
    if (!commands->err)
        commands->err = mem_grow(&commands->list, commands->count, &commands->capacity,
                                 sizeof(*commands->list));
    if (!commands->err)
        commands->list[commands->count++] = *command;
}

void sycl_copy_rows(GpuCommands *commands, const GpuRows *rows)
{
    if (!rows->row || !rows->rows)
        return;
    add(commands, &(SyclCommand){ .kind = SYCL_COPY,
                                  .from = address_of(rows->from, rows->from_offset),
                                  .to = address_of(rows->to, rows->to_offset),
                                  .from_stride = rows->from_stride,
                                  .to_stride = rows->to_stride,
                                  .row = rows->row,
                                  .rows = rows->rows });
}

void sycl_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to)
{
    sycl_copy_rows(commands, &(GpuRows){ .from = from->buffer,
                                         .from_offset = from->offset,
                                         .to = to->buffer,
                                         .to_offset = to->offset,
                                         .row = from->size < to->size ? from->size : to->size,
                                         .rows = 1 });
}

void sycl_fill(GpuCommands *commands, const GpuRange *range, uint32_t word)
{
    if (range->size)
        add(commands, &(SyclCommand){ .kind = SYCL_FILL,
                                      .to = address_of(range->buffer, range->offset),
                                      .row = range->size,
                                      .word = word });
}

void sycl_dispatch(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                   const void *params, const unsigned groups[3])
{
    SyclCommand command = { .kind = SYCL_LAUNCH, .number = kernel->number };
    const size_t pointers = kernel->info->buffer_count * sizeof(bindings->addresses[0]);
    memcpy(command.groups, groups, sizeof(command.groups));
    memcpy(command.args, bindings->addresses, pointers);
    if (kernel->info->params_size)
        memcpy(command.args + pointers, params, kernel->info->params_size);
    add(commands, &command);
}

void sycl_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i)
{
    add(commands, &(SyclCommand){ .kind = SYCL_STAMP, .stamps = stamps->handle, .number = i });
}

void sycl_barrier(GpuCommands *commands)
{
    /* Nothing to do: queues run in order, and USM needs no flush. */
}

int sycl_end(GpuCommands *commands)
{
    return commands->err;
}
