/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "host_kit.h"

/* ---- kernels, in C ---- */

typedef struct Object {
    HostThread thread;
    HostArgument in, out;
    uint32_t param, unused;
    uint32_t shared[GROUP];
} Object;

static uint32_t local_of(const Object *o)
{
    return o->thread.local[0];
}

static uint32_t read_in(const Object *o)
{
    return ((const uint32_t *)o->in.data)[o->thread.group[0] * GROUP + local_of(o)];
}

static void write_out(const Object *o, uint32_t value)
{
    ((uint32_t *)o->out.data)[o->thread.group[0] * GROUP + local_of(o)] = value;
}

/* out = in + param */
static void run_add(void *opaque)
{
    const Object *o = opaque;
    write_out(o, read_in(o) + o->param);
}

/* out = in, reversed within each workgroup. param: keep the barrier that this needs. */
static void run_turn(void *opaque)
{
    Object *o = opaque;
    o->shared[local_of(o)] = read_in(o);
    if (o->param)
        host_barrier(o->thread.runner, __LINE__);
    write_out(o, o->shared[GROUP - 1 - local_of(o)]);
}

/* Reverses in place, twice: the second write must wait for the first read. */
static void run_turn_twice(void *opaque)
{
    Object *o = opaque;
    o->shared[local_of(o)] = read_in(o);
    host_barrier(o->thread.runner, __LINE__);
    const uint32_t value = o->shared[GROUP - 1 - local_of(o)];
    if (o->param)
        host_barrier(o->thread.runner, __LINE__);
    o->shared[local_of(o)] = value;
    host_barrier(o->thread.runner, __LINE__);
    write_out(o, o->shared[GROUP - 1 - local_of(o)]);
}

/* out = the content of a shared array that nothing wrote. */
static void run_undefined(void *opaque)
{
    const Object *o = opaque;
    write_out(o, o->shared[local_of(o)]);
}

/* Some threads do not reach the barrier. */
static void run_miss(void *opaque)
{
    Object *o = opaque;
    if (local_of(o) != 5)
        host_barrier(o->thread.runner, __LINE__);
}

/* The threads wait at two different barriers. */
static void run_two_places(void *opaque)
{
    Object *o = opaque;
    if (local_of(o) < 7)
        host_barrier(o->thread.runner, __LINE__);
    else
        host_barrier(o->thread.runner, __LINE__);
}

#define KERNEL(id, function)                                                                       \
    const KernelInfo id##_info = { #id, { GROUP, 1 }, 2, 8 };                                      \
    static const HostKernel id = { #id, { GROUP, 1 }, 2, 8, sizeof(Object), function };
KERNEL(add, run_add)
KERNEL(turn, run_turn)
KERNEL(turn_twice, run_turn_twice)
KERNEL(undefined, run_undefined)
KERNEL(miss, run_miss)
KERNEL(two_places, run_two_places)
const HostKernel *const kernels[] = {
    &add, &turn, &turn_twice, &undefined, &miss, &two_places, NULL
};

/* ---- a device and the objects that most tests need ---- */

static uint32_t sample(unsigned i, unsigned frame)
{
    return i * 2654435761u + frame * 97u;
}

void paint(const Rig *rig, unsigned frame)
{
    for (unsigned i = 0; i < WORDS; i++)
        ((uint32_t *)rig->staging->host)[i] = sample(i, frame);
}

void set_up(Rig *rig, enum HostSchedule schedule, uint64_t seed, const KernelInfo *info)
{
    assert_int_equal(0, host_open(&(HostParams){ schedule, seed, kernels }, &rig->dev));
    GpuDevice *dev = rig->dev;
    const GpuOps *ops = rig->ops = dev->ops;
    assert_int_equal(0, ops->buffer_create(dev, GPU_UPLOAD, BYTES, &rig->staging));
    assert_int_equal(0, ops->buffer_create(dev, GPU_DEVICE, BYTES, &rig->a));
    assert_int_equal(0, ops->buffer_create(dev, GPU_DEVICE, BYTES, &rig->b));
    assert_int_equal(0, ops->buffer_create(dev, GPU_READBACK, BYTES, &rig->readback));
    assert_null(rig->a->host);
    assert_int_equal(0, ops->kernel_get(dev, info, &rig->kernel));
    const GpuRange ranges[] = { whole(rig->a), whole(rig->b), whole(rig->a) };
    assert_int_equal(0, ops->bindings_create(dev, rig->kernel, ranges, &rig->a_to_b));
    assert_int_equal(0, ops->bindings_create(dev, rig->kernel, ranges + 1, &rig->b_to_a));
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(0, ops->commands_create(dev, GPU_COMPUTE, &rig->compute[i]));
        assert_int_equal(0, ops->commands_create(dev, GPU_TRANSFER, &rig->transfer[i]));
    }
    paint(rig, 0);
}

void tear_down(Rig *rig)
{
    GpuDevice *dev = rig->dev;
    rig->ops->drain(dev);
    for (unsigned i = 0; i < 2; i++) {
        rig->ops->commands_destroy(dev, rig->compute[i]);
        rig->ops->commands_destroy(dev, rig->transfer[i]);
    }
    rig->ops->bindings_destroy(dev, rig->a_to_b);
    rig->ops->bindings_destroy(dev, rig->b_to_a);
    GpuBuffer *const buffers[] = { rig->staging, rig->a, rig->b, rig->readback };
    for (unsigned i = 0; i < 4; i++)
        rig->ops->buffer_destroy(dev, buffers[i]);
    gpu_device_release(dev);
}

void copy(const Rig *rig, GpuCommands *commands, GpuBuffer *from, GpuBuffer *to)
{
    const GpuRange ranges[] = { whole(from), whole(to) };
    rig->ops->copy(commands, &ranges[0], &ranges[1]);
}

void dispatch(const Rig *rig, GpuCommands *commands, GpuBindings *bindings, uint32_t param)
{
    const uint32_t params[2] = { param };
    rig->ops->dispatch(commands, rig->kernel, bindings, params, (unsigned[]){ GROUPS, 1, 1 });
}

GpuPoint submit(const Rig *rig, enum GpuQueue queue, GpuCommands *commands, const GpuPoint *wait)
{
    GpuPoint done = { 0 };
    assert_int_equal(0, rig->ops->submit(rig->dev,
                                         &(GpuSubmit){ .queue = queue,
                                                       .commands = &commands,
                                                       .command_count = 1,
                                                       .waits = wait,
                                                       .wait_count = wait != NULL },
                                         &done));
    return done;
}

bool holds(const Rig *rig, unsigned frame, uint32_t plus, bool turned)
{
    const uint32_t *words = rig->readback->host;
    for (unsigned i = 0; i < WORDS; i++)
        if (words[i] != sample(turned ? i ^ (GROUP - 1) : i, frame) + plus)
            return false;
    return true;
}
