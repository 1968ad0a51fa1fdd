/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "gpu/backend/host/device.h"

uint64_t host_command_units(const HostCommand *command)
{
    if (command->kind == HOST_STAMP || command->kind == HOST_BARRIER)
        return 0;
    if (command->kind != HOST_DISPATCH)
        return 1;
    return (uint64_t)command->groups[0] * command->groups[1] * command->groups[2];
}

static void overwrite(HostDevice *dev, const HostCommand *command)
{
    const GpuRows *rows = &command->rows;
    HostBuffer *to = host_buffer(rows->to);
    char *at = to->data + rows->to_offset;
    if (command->kind == HOST_UNDEFINE) {
        random_fill(&dev->random, at, rows->row);
    } else if (command->kind == HOST_FILL) {
        for (size_t i = 0; i < rows->row; i += 4)
            memcpy(at + i, &command->word, 4);
    } else {
        const char *from = host_buffer(rows->from)->data + rows->from_offset;
        for (unsigned y = 0; y < rows->rows; y++)
            memmove(at + y * rows->to_stride, from + y * rows->from_stride, rows->row);
    }
    if (rows->rows)
        host_buffer_wrote(dev, to, rows->to_offset,
                          rows->to_offset + (rows->rows - 1) * rows->to_stride + rows->row);
}

static int run_group(HostDevice *dev, const HostCommand *command, unsigned number)
{
    const GpuBindings *bindings = command->bindings;
    const HostKernel *kernel = bindings->kernel;
    const unsigned *groups = command->groups;
    char *object = dev->object, *at = object + sizeof(HostThread);
    const HostThread thread = {
        .runner = dev->runner,
        .group = { number % groups[0], number / groups[0] % groups[1],
                   number / groups[0] / groups[1] },
    };
    memcpy(object, &thread, sizeof(thread));
    for (unsigned i = 0; i < kernel->buffer_count; i++, at += sizeof(HostArgument)) {
        const GpuRange *range = &bindings->ranges[i];
        const HostArgument argument = { host_buffer(range->buffer)->data + range->offset,
                                        range->size, dev->runner };
        memcpy(at, &argument, sizeof(argument));
    }
    memcpy(at, command->params, kernel->params_size);
    at += kernel->params_size;
    /* Shared arrays hold noise, or what an earlier group left: that looks more like data. */
    if (random_coin(&dev->random))
        random_fill(&dev->random, at, kernel->object_size - (size_t)(at - object));
    char why[128];
    const int err = group_run(dev->runner, kernel, object, &dev->random, why, sizeof(why));
    return err ? host_lose(dev, "kernel %s, group %u %u %u: %s", kernel->name, thread.group[0],
                           thread.group[1], thread.group[2], why)
               : 0;
}

/* Stamps note that all before them is done, and order nothing: they wait for the whole part. A
 * microsecond between two of them, so that no kernel looks as if it had not run. */
static void set_stamps(HostDevice *dev)
{
    for (unsigned i = 0; i < dev->part_count; i++) {
        const HostCommand *command = dev->part[i];
        if (command->kind != HOST_STAMP)
            continue;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        const uint64_t time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
        dev->last_stamp = time > dev->last_stamp + 1000 ? time : dev->last_stamp + 1000;
        GpuStamps *stamps = command->stamps;
        if (command->stamp == 0)
            memset(stamps->times, 0, stamps->count * sizeof(*stamps->times));
        stamps->times[command->stamp] = dev->last_stamp;
    }
}

int host_run_part(HostDevice *dev)
{
    size_t unit_count = 0;
    for (unsigned i = 0; i < dev->part_count; i++) {
        const uint64_t units = host_command_units(dev->part[i]);
        for (uint64_t number = 0; number < units; number++)
            dev->units[unit_count++] = (uint64_t)i << 32 | number;
    }
    random_shuffle(&dev->random, dev->units, unit_count);
    int err = 0;
    for (size_t i = 0; i < unit_count && !err; i++) {
        const HostCommand *command = dev->part[dev->units[i] >> 32];
        if (command->kind == HOST_DISPATCH)
            err = run_group(dev, command, (unsigned)dev->units[i]);
        else
            overwrite(dev, command);
    }
    if (!err)
        set_stamps(dev);
    dev->part_count = 0;
    return err;
}
