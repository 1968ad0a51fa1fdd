/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The host device is as unkind as it says: plans that keep the contract of gpu/device.h give the right
 * bytes under every schedule, and plans that lack one barrier or one wait do not. Chance is seeded, so
 * each of these runs is the same every time. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/mem.h"
#include "host/host.h"

#define GROUP 64
#define GROUPS 4
#define WORDS (GROUP * GROUPS)
#define BYTES (WORDS * sizeof(uint32_t))
#define SEEDS 12
#define SHORT_NS 20000000 /* long enough for nothing to happen */

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

/* out = in, each group turned round; param: with the barrier that takes. */
static void run_turn(void *opaque)
{
    Object *o = opaque;
    o->shared[local_of(o)] = read_in(o);
    if (o->param)
        host_barrier(o->thread.runner, __LINE__);
    write_out(o, o->shared[GROUP - 1 - local_of(o)]);
}

/* The same twice, in place: the second write must wait for the first read. */
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

/* out = what a shared array holds that nobody wrote. */
static void run_undefined(void *opaque)
{
    const Object *o = opaque;
    write_out(o, o->shared[local_of(o)]);
}

/* Some threads miss the barrier. */
static void run_miss(void *opaque)
{
    Object *o = opaque;
    if (local_of(o) != 5)
        host_barrier(o->thread.runner, __LINE__);
}

/* All wait, at two places. */
static void run_two_places(void *opaque)
{
    Object *o = opaque;
    if (local_of(o) < 7)
        host_barrier(o->thread.runner, __LINE__);
    else
        host_barrier(o->thread.runner, __LINE__);
}

#define KERNEL(id, function)                                                                       \
    static const KernelInfo id##_info = { #id, { GROUP, 1 }, 2, 8 };                               \
    static const HostKernel id = { #id, { GROUP, 1 }, 2, 8, sizeof(Object), function };
KERNEL(add, run_add)
KERNEL(turn, run_turn)
KERNEL(turn_twice, run_turn_twice)
KERNEL(undefined, run_undefined)
KERNEL(miss, run_miss)
KERNEL(two_places, run_two_places)
static const HostKernel *const kernels[] = { &add,  &turn,       &turn_twice, &undefined,
                                             &miss, &two_places, NULL };

/* ---- a device and what most tests need on it ---- */

typedef struct Rig {
    GpuDevice *dev;
    const GpuOps *ops;
    GpuBuffer *staging, *a, *b, *readback;
    GpuKernel *kernel;
    GpuBindings *a_to_b, *b_to_a;
    GpuCommands *compute[2], *transfer[2];
} Rig;

static GpuRange whole(GpuBuffer *buffer)
{
    return (GpuRange){ buffer, 0, buffer->size };
}

static uint32_t sample(unsigned i, unsigned frame)
{
    return i * 2654435761u + frame * 97u;
}

static void paint(const Rig *rig, unsigned frame)
{
    for (unsigned i = 0; i < WORDS; i++)
        ((uint32_t *)rig->staging->host)[i] = sample(i, frame);
}

static void set_up(Rig *rig, enum HostSchedule schedule, uint64_t seed, const KernelInfo *info)
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

static void tear_down(Rig *rig)
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

static void copy(const Rig *rig, GpuCommands *commands, GpuBuffer *from, GpuBuffer *to)
{
    const GpuRange ranges[] = { whole(from), whole(to) };
    rig->ops->copy(commands, &ranges[0], &ranges[1]);
}

static void dispatch(const Rig *rig, GpuCommands *commands, GpuBindings *bindings, uint32_t param)
{
    const uint32_t params[2] = { param };
    rig->ops->dispatch(commands, rig->kernel, bindings, params, (unsigned[]){ GROUPS, 1, 1 });
}

static GpuPoint submit(const Rig *rig, enum GpuQueue queue, GpuCommands *commands,
                       const GpuPoint *wait)
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

/* Whether the readback holds sample(i, frame) + plus, for i turned round in its group or not. */
static bool holds(const Rig *rig, unsigned frame, uint32_t plus, bool turned)
{
    const uint32_t *words = rig->readback->host;
    for (unsigned i = 0; i < WORDS; i++)
        if (words[i] != sample(turned ? i ^ (GROUP - 1) : i, frame) + plus)
            return false;
    return true;
}

/* ---- workgroups ---- */

/* One kernel over a group's border to another: 1 right, 0 wrong, negative errno. */
static int run_kernel(const KernelInfo *info, uint32_t param, uint64_t seed, bool turned)
{
    Rig rig;
    set_up(&rig, HOST_LAZY, seed, info);
    GpuCommands *commands = rig.compute[0];
    rig.ops->begin(commands);
    copy(&rig, commands, rig.staging, rig.a);
    rig.ops->barrier(commands);
    dispatch(&rig, commands, rig.a_to_b, param);
    rig.ops->barrier(commands);
    copy(&rig, commands, rig.b, rig.readback);
    rig.ops->barrier(commands);
    assert_int_equal(0, rig.ops->end(commands));
    const GpuPoint done = submit(&rig, GPU_COMPUTE, commands, NULL);
    int result = rig.ops->wait(rig.dev, done, UINT64_MAX);
    if (result == 1)
        result = holds(&rig, 0, 0, turned);
    tear_down(&rig);
    return result;
}

static void test_barriers_of_groups(void **unused)
{
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        assert_int_equal(1, run_kernel(&turn_info, 1, seed, true));
        assert_int_equal(0, run_kernel(&turn_info, 0, seed, true));
        assert_int_equal(1, run_kernel(&turn_twice_info, 1, seed, false));
        assert_int_equal(0, run_kernel(&turn_twice_info, 0, seed, false));
        assert_int_equal(0, run_kernel(&undefined_info, 0, seed, false));
    }
}

static void test_divergence(void **unused)
{
    assert_int_equal(-EIO, run_kernel(&miss_info, 0, 1, false));
    assert_int_equal(-EIO, run_kernel(&two_places_info, 0, 1, false));
}

/* A kernel of the library, given a buffer that is a row too small. */
static void test_bounds(void **unused)
{
    const KernelInfo *info = kernel_info_find("import_plane_8");
    for (unsigned rows = 8; rows >= 7; rows--) {
        Rig rig;
        set_up(&rig, HOST_LAZY, 1, &add_info);
        GpuKernel *kernel;
        GpuBindings *bindings;
        assert_int_equal(0, rig.ops->kernel_get(rig.dev, info, &kernel));
        const GpuRange ranges[] = { { rig.a, 0, 64 * rows }, { rig.b, 0, 64 * 8 } };
        assert_int_equal(0, rig.ops->bindings_create(rig.dev, kernel, ranges, &bindings));
        const uint32_t params[] = { 64, 16, 16, 0, 0, 1, 0, 0 };
        assert_int_equal(sizeof(params), info->params_size);
        rig.ops->begin(rig.compute[0]);
        rig.ops->dispatch(rig.compute[0], kernel, bindings, params, (unsigned[]){ 1, 8, 1 });
        assert_int_equal(0, rig.ops->end(rig.compute[0]));
        const GpuPoint done = submit(&rig, GPU_COMPUTE, rig.compute[0], NULL);
        assert_int_equal(rows == 8 ? 1 : -EIO, rig.ops->wait(rig.dev, done, UINT64_MAX));
        rig.ops->commands_destroy(rig.dev, rig.compute[0]);
        rig.compute[0] = NULL;
        rig.ops->bindings_destroy(rig.dev, bindings);
        tear_down(&rig);
    }
}

/* Every kernel of the library is here, and wants what the others' tables say. */
static void test_kernels(void **unused)
{
    Rig rig;
    set_up(&rig, HOST_LAZY, 1, &add_info);
    for (const KernelInfo *info = kernel_infos; info->name; info++) {
        GpuKernel *kernel, *again;
        assert_int_equal(0, rig.ops->kernel_get(rig.dev, info, &kernel));
        assert_int_equal(0, rig.ops->kernel_get(rig.dev, info, &again));
        assert_ptr_equal(kernel, again);
        KernelInfo other = *info;
        other.params_size += 4;
        assert_int_equal(-EINVAL, rig.ops->kernel_get(rig.dev, &other, &kernel));
        assert_null(kernel);
    }
    tear_down(&rig);
}

/* ---- commands ---- */

enum { STEPS = 4 }; /* copy, kernel, kernel back, copy */

/* One command buffer, or one for each step; `missing` is the barrier left out. */
static bool run_steps(unsigned missing, bool apart, uint64_t seed)
{
    Rig rig;
    set_up(&rig, HOST_LAZY, seed, &add_info);
    GpuCommands *commands[STEPS];
    for (unsigned i = 0; i < STEPS; i++)
        assert_int_equal(0, rig.ops->commands_create(rig.dev, GPU_COMPUTE, &commands[i]));
    for (unsigned i = 0; i < STEPS; i++) {
        GpuCommands *c = commands[apart ? i : 0];
        if (apart || i == 0)
            rig.ops->begin(c);
        if (i == 0)
            copy(&rig, c, rig.staging, rig.a);
        else if (i == STEPS - 1)
            copy(&rig, c, rig.a, rig.readback);
        else
            dispatch(&rig, c, i == 1 ? rig.a_to_b : rig.b_to_a, i);
        if (i != missing)
            rig.ops->barrier(c);
        if (apart || i == STEPS - 1)
            assert_int_equal(0, rig.ops->end(c));
    }
    GpuPoint done;
    assert_int_equal(0, rig.ops->submit(rig.dev,
                                        &(GpuSubmit){ .queue = GPU_COMPUTE,
                                                      .commands = commands,
                                                      .command_count = apart ? STEPS : 1 },
                                        &done));
    assert_int_equal(1, rig.ops->wait(rig.dev, done, UINT64_MAX));
    const bool right = holds(&rig, 0, 1 + 2, false);
    for (unsigned i = 0; i < STEPS; i++)
        rig.ops->commands_destroy(rig.dev, commands[i]);
    tear_down(&rig);
    return right;
}

static void test_barriers_of_commands(void **unused)
{
    for (unsigned apart = 0; apart < 2; apart++)
        for (unsigned missing = 0; missing <= STEPS; missing++) {
            unsigned right = 0;
            for (unsigned seed = 0; seed < SEEDS; seed++)
                right += run_steps(missing, apart, seed);
            if (missing == STEPS) /* none */
                assert_int_equal(SEEDS, right);
            else /* a kernel of GROUPS units seldom runs wholly before or after another */
                assert_true(right <= SEEDS / 3);
        }
}

/* ---- queues ---- */

enum Lack { NOTHING, UPLOAD_WAIT, REUSE_WAIT, HOST_WAIT_FOR_STAGING, LACKS };

/* Two frames through one slot: uploaded on the copy queue, then run and read back. Returns how many of
 * them were right. */
static unsigned run_two_frames(enum Lack lack, enum HostSchedule schedule, uint64_t seed)
{
    Rig rig;
    set_up(&rig, schedule, seed, &add_info);
    unsigned right = 0;
    GpuBuffer *readbacks[2] = { rig.readback };
    assert_int_equal(0, rig.ops->buffer_create(rig.dev, GPU_READBACK, BYTES, &readbacks[1]));
    GpuPoint done[2] = { 0 };
    for (unsigned i = 0; i < 2; i++) {
        rig.ops->begin(rig.transfer[i]);
        copy(&rig, rig.transfer[i], rig.staging, rig.a);
        rig.ops->barrier(rig.transfer[i]);
        assert_int_equal(0, rig.ops->end(rig.transfer[i]));
        rig.ops->begin(rig.compute[i]);
        dispatch(&rig, rig.compute[i], rig.a_to_b, 7);
        rig.ops->barrier(rig.compute[i]);
        copy(&rig, rig.compute[i], rig.b, readbacks[i]);
        rig.ops->barrier(rig.compute[i]);
        assert_int_equal(0, rig.ops->end(rig.compute[i]));
        paint(&rig, i);
        const GpuPoint uploaded =
            submit(&rig, GPU_TRANSFER, rig.transfer[i], i && lack != REUSE_WAIT ? &done[0] : NULL);
        done[i] = submit(&rig, GPU_COMPUTE, rig.compute[i], lack == UPLOAD_WAIT ? NULL : &uploaded);
        if (lack != HOST_WAIT_FOR_STAGING)
            assert_int_equal(1, rig.ops->wait(rig.dev, uploaded, UINT64_MAX));
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(1, rig.ops->wait(rig.dev, done[i], UINT64_MAX));
        rig.readback = readbacks[i];
        right += holds(&rig, i, 7, false);
    }
    rig.readback = readbacks[0];
    rig.ops->drain(rig.dev);
    rig.ops->commands_destroy(rig.dev, rig.compute[1]);
    rig.compute[1] = NULL;
    rig.ops->buffer_destroy(rig.dev, readbacks[1]);
    tear_down(&rig);
    return right;
}

static void test_waits(void **unused)
{
    unsigned wrong[LACKS][HOST_SCHEDULES] = { 0 };
    for (unsigned lack = 0; lack < LACKS; lack++)
        for (unsigned schedule = 0; schedule < HOST_SCHEDULES; schedule++)
            for (unsigned seed = 0; seed < SEEDS; seed++)
                wrong[lack][schedule] += run_two_frames(lack, schedule, seed) < 2;
    for (unsigned schedule = 0; schedule < HOST_SCHEDULES; schedule++) {
        assert_int_equal(0, wrong[NOTHING][schedule]);
        assert_int_equal(0, schedule == HOST_EAGER ? wrong[UPLOAD_WAIT][schedule] : 0);
    }
    assert_int_equal(SEEDS, wrong[UPLOAD_WAIT][HOST_COMPUTE_FIRST]);
    assert_int_equal(SEEDS, wrong[REUSE_WAIT][HOST_TRANSFER_FIRST]);
    assert_int_equal(SEEDS, wrong[HOST_WAIT_FOR_STAGING][HOST_LAZY]);
    for (unsigned lack = NOTHING + 1; lack < LACKS; lack++)
        assert_true(wrong[lack][HOST_RANDOM] > 0);
}

/* ---- memory ---- */

/* The host sees what was read back after a barrier, and not before. */
static void test_readback(void **unused)
{
    for (unsigned barrier = 0; barrier < 2; barrier++) {
        Rig rig;
        set_up(&rig, HOST_EAGER, 1, &add_info);
        GpuCommands *commands = rig.compute[0];
        rig.ops->begin(commands);
        copy(&rig, commands, rig.staging, rig.readback);
        if (barrier)
            rig.ops->barrier(commands);
        assert_int_equal(0, rig.ops->end(commands));
        const GpuPoint done = submit(&rig, GPU_COMPUTE, commands, NULL);
        assert_int_equal(1, rig.ops->wait(rig.dev, done, UINT64_MAX));
        assert_int_equal(barrier, holds(&rig, 0, 0, false));
        tear_down(&rig);
    }
}

static void read_back(const Rig *rig, GpuBuffer *buffer)
{
    rig->ops->begin(rig->compute[1]);
    copy(rig, rig->compute[1], buffer, rig->readback);
    rig->ops->barrier(rig->compute[1]);
    assert_int_equal(0, rig->ops->end(rig->compute[1]));
    assert_int_equal(0, gpu_device_run(rig->dev, rig->compute[1]));
}

/* New memory, and memory that is undefined again, holds noise: each seed another. */
static void test_undefined(void **unused)
{
    uint32_t fresh[WORDS], again[WORDS];
    for (unsigned seed = 0; seed < 2; seed++) {
        Rig rig;
        set_up(&rig, HOST_LAZY, seed, &add_info);
        read_back(&rig, rig.a);
        if (seed)
            assert_memory_not_equal(fresh, rig.readback->host, BYTES);
        memcpy(fresh, rig.readback->host, BYTES);

        const GpuRange half = { rig.a, BYTES / 2, BYTES / 2 }, all = whole(rig.a);
        rig.ops->begin(rig.compute[0]);
        rig.ops->fill(rig.compute[0], &all, 0x01020304);
        rig.ops->barrier(rig.compute[0]);
        rig.ops->undefine(rig.compute[0], &half);
        rig.ops->barrier(rig.compute[0]);
        assert_int_equal(0, rig.ops->end(rig.compute[0]));
        assert_int_equal(0, gpu_device_run(rig.dev, rig.compute[0]));
        read_back(&rig, rig.a);
        memcpy(again, rig.readback->host, BYTES);
        unsigned kept = 0;
        for (unsigned i = 0; i < WORDS; i++)
            kept += again[i] == 0x01020304;
        assert_int_equal(WORDS / 2, kept);
        tear_down(&rig);
    }
}

/* Memory of others, and rows with strides of their own. */
static void test_import(void **unused)
{
    Rig rig;
    set_up(&rig, HOST_LAZY, 1, &add_info);
    uint8_t theirs[6 * 20];
    for (unsigned i = 0; i < sizeof(theirs); i++)
        theirs[i] = (uint8_t)i;
    GpuHandle handle = { GPU_HANDLE_ADDRESS, (intptr_t)theirs, sizeof(theirs) };
    GpuBuffer *import;
    assert_int_equal(0, rig.ops->buffer_import(rig.dev, &handle, &import));
    GpuRows rows = { .from = import,
                     .from_offset = 3,
                     .from_stride = 20,
                     .to = rig.a,
                     .to_stride = 16,
                     .row = 16,
                     .rows = 6 };
    rig.ops->begin(rig.compute[0]);
    rig.ops->copy_rows(rig.compute[0], &rows);
    assert_int_equal(0, rig.ops->end(rig.compute[0]));
    assert_int_equal(0, gpu_device_run(rig.dev, rig.compute[0]));
    read_back(&rig, rig.a);
    for (unsigned i = 0; i < 6 * 16; i++)
        assert_int_equal(3 + i / 16 * 20 + i % 16, ((uint8_t *)rig.readback->host)[i]);

    rig.ops->begin(rig.compute[0]);
    rows.from_offset = 5; /* one byte too far */
    rig.ops->copy_rows(rig.compute[0], &rows);
    assert_int_equal(-EINVAL, rig.ops->end(rig.compute[0]));
    rig.ops->buffer_destroy(rig.dev, import);
    handle.type = GPU_HANDLE_OPAQUE_FD;
    assert_int_equal(-ENOTSUP, rig.ops->buffer_import(rig.dev, &handle, &import));
    tear_down(&rig);
}

/* ---- misuse loses the device ---- */

enum Misuse {
    BUFFER_IN_FLIGHT,
    BINDINGS_IN_FLIGHT,
    COMMANDS_IN_FLIGHT,
    BEGIN_IN_FLIGHT,
    SUBMIT_IN_FLIGHT,
    SUBMIT_WITHOUT_BUFFER,
    WRITE_BESIDE,
    WAIT_FOR_NOTHING,
    MISUSES
};

static void do_misuse(enum Misuse misuse)
{
    Rig rig;
    GpuDevice *dev;
    set_up(&rig, HOST_LAZY, 1, &add_info);
    dev = rig.dev;
    rig.ops->begin(rig.compute[0]);
    dispatch(&rig, rig.compute[0], rig.a_to_b, 1);
    assert_int_equal(0, rig.ops->end(rig.compute[0]));
    GpuPoint done = { 0 };
    if (misuse != SUBMIT_WITHOUT_BUFFER)
        done = submit(&rig, GPU_COMPUTE, rig.compute[0], NULL);
    const GpuSubmit again = { .commands = &rig.compute[0], .command_count = 1 };
    switch (misuse) {
    case BUFFER_IN_FLIGHT:
        rig.ops->buffer_destroy(dev, rig.b);
        rig.b = NULL;
        break;
    case BINDINGS_IN_FLIGHT:
        rig.ops->bindings_destroy(dev, rig.a_to_b);
        rig.a_to_b = NULL;
        break;
    case COMMANDS_IN_FLIGHT:
        rig.ops->commands_destroy(dev, rig.compute[0]);
        rig.compute[0] = NULL;
        break;
    case BEGIN_IN_FLIGHT:
        rig.ops->begin(rig.compute[0]);
        assert_int_equal(-EIO, rig.ops->end(rig.compute[0]));
        break;
    case SUBMIT_IN_FLIGHT:
        assert_int_equal(-EIO, rig.ops->submit(dev, &again, &done));
        break;
    case SUBMIT_WITHOUT_BUFFER:
        rig.ops->buffer_destroy(dev, rig.b);
        rig.b = NULL;
        assert_int_equal(-EIO, rig.ops->submit(dev, &again, &done));
        break;
    case WRITE_BESIDE:
        ((char *)rig.staging->host)[BYTES] = 1;
        rig.ops->buffer_destroy(dev, rig.staging);
        rig.staging = NULL;
        break;
    default:
        done.value++;
    }
    assert_int_equal(-EIO, rig.ops->wait(dev, done, UINT64_MAX));
    assert_int_equal(-EIO, rig.ops->drain(dev));
    rig.ops->begin(rig.transfer[0]);
    assert_int_equal(0, rig.ops->end(rig.transfer[0]));
    const GpuSubmit more = { .queue = GPU_TRANSFER, .commands = rig.transfer, .command_count = 1 };
    assert_int_equal(-EIO, rig.ops->submit(dev, &more, &done));
    tear_down(&rig);
}

static void test_misuse(void **unused)
{
    for (enum Misuse misuse = 0; misuse < MISUSES; misuse++)
        do_misuse(misuse);
}

/* What cannot be recorded says so at the end. */
static void test_refusals(void **unused)
{
    Rig rig;
    set_up(&rig, HOST_LAZY, 1, &add_info);
    const GpuRange all = whole(rig.a), beyond = { rig.b, 4, BYTES }, odd = { rig.b, 2, 4 },
                   up = whole(rig.staging), down = whole(rig.readback);
    for (unsigned i = 0; i < 6; i++) {
        GpuCommands *commands = i == 5 ? rig.transfer[0] : rig.compute[0];
        rig.ops->begin(commands);
        if (i == 0)
            rig.ops->copy(commands, &all, &beyond);
        else if (i == 1)
            rig.ops->copy(commands, &all, &up);
        else if (i == 2)
            rig.ops->copy(commands, &down, &all);
        else if (i == 3)
            rig.ops->fill(commands, &odd, 0);
        else if (i == 4)
            rig.ops->undefine(commands, &beyond);
        else
            dispatch(&rig, commands, rig.a_to_b, 0);
        assert_int_equal(-EINVAL, rig.ops->end(commands));
    }
    GpuBindings *bindings;
    const GpuRange unaligned[] = { { rig.a, 4, 64 }, all }, mapped[] = { all, up };
    assert_int_equal(-EINVAL, rig.ops->bindings_create(rig.dev, rig.kernel, unaligned, &bindings));
    assert_int_equal(-EINVAL, rig.ops->bindings_create(rig.dev, rig.kernel, mapped, &bindings));
    assert_null(bindings);
    tear_down(&rig);
}

/* ---- work of others ---- */

typedef struct Signal {
    HostSemaphore *semaphore;
    Rig *rig;
} Signal;

/* Writes what the device waits for, then says so. */
static void *signal_later(void *opaque)
{
    Signal *s = opaque;
    paint(s->rig, 3);
    host_semaphore_signal(s->semaphore, 5);
    return NULL;
}

static void test_foreign(void **unused)
{
    for (enum HostSchedule schedule = 0; schedule < HOST_SCHEDULES; schedule++) {
        Rig rig;
        set_up(&rig, schedule, 1, &add_info);
        HostSemaphore *before, *after;
        assert_int_equal(0, host_semaphore_create(&before));
        assert_int_equal(0, host_semaphore_create(&after));
        rig.ops->begin(rig.compute[0]);
        copy(&rig, rig.compute[0], rig.staging, rig.readback);
        rig.ops->barrier(rig.compute[0]);
        assert_int_equal(0, rig.ops->end(rig.compute[0]));
        const GpuForeign wait = { (uintptr_t)before, 5 }, tell = { (uintptr_t)after, 9 };
        GpuPoint done;
        assert_int_equal(0, rig.ops->submit(rig.dev,
                                            &(GpuSubmit){ .commands = rig.compute,
                                                          .command_count = 1,
                                                          .foreign_waits = &wait,
                                                          .foreign_wait_count = 1,
                                                          .foreign_signals = &tell,
                                                          .foreign_signal_count = 1 },
                                            &done));
        host_semaphore_signal(before, 4);
        assert_int_equal(0, rig.ops->wait(rig.dev, done, 0));
        assert_int_equal(0, rig.ops->wait(rig.dev, done, SHORT_NS));
        assert_int_equal(0, host_semaphore_value(after));
        pthread_t thread;
        Signal s = { before, &rig };
        assert_int_equal(0, pthread_create(&thread, NULL, signal_later, &s));
        assert_int_equal(1, rig.ops->wait(rig.dev, done, UINT64_MAX));
        pthread_join(thread, NULL);
        assert_int_equal(9, host_semaphore_value(after));
        assert_true(holds(&rig, 3, 0, false));
        tear_down(&rig);
        host_semaphore_destroy(before);
        host_semaphore_destroy(after);
    }
}

/* ---- faults ---- */

/* A run that calls every operation; the first error. */
static int call_all(GpuDevice *dev)
{
    const GpuOps *ops = dev->ops;
    uint32_t word = 0;
    const GpuHandle handle = { GPU_HANDLE_ADDRESS, (intptr_t)&word, sizeof(word) };
    GpuBuffer *buffer = NULL, *import = NULL;
    GpuKernel *kernel;
    GpuBindings *bindings = NULL;
    GpuCommands *commands = NULL;
    GpuStamps *stamps = NULL;
    GpuPoint done = { 0 };
    int err = ops->buffer_create(dev, GPU_DEVICE, BYTES, &buffer);
    if (!err)
        err = ops->buffer_import(dev, &handle, &import);
    if (!err)
        err = ops->kernel_get(dev, &add_info, &kernel);
    const GpuRange ranges[] = { { buffer, 0, BYTES }, { buffer, 0, BYTES } };
    if (!err)
        err = ops->bindings_create(dev, kernel, ranges, &bindings);
    if (!err)
        err = ops->commands_create(dev, GPU_COMPUTE, &commands);
    if (!err)
        err = ops->stamps_create(dev, 2, &stamps);
    if (!err) {
        ops->begin(commands);
        ops->stamp(commands, stamps, 0);
        ops->dispatch(commands, kernel, bindings, (uint32_t[2]){ 1 }, (unsigned[]){ 1, 1, 1 });
        ops->barrier(commands);
        ops->stamp(commands, stamps, 1);
        err = ops->end(commands);
    }
    if (!err)
        err = ops->submit(dev, &(GpuSubmit){ .commands = &commands, .command_count = 1 }, &done);
    if (!err) {
        const int reached = ops->wait(dev, done, SHORT_NS);
        err = reached < 0 ? reached : reached ? 0 : -ETIMEDOUT;
    }
    double times[2] = { 0 };
    if (!err)
        err = ops->stamps_read(dev, stamps, times);
    if (!err)
        err = times[0] == 0 && times[1] > 0 ? 0 : -ERANGE;
    const int drained = ops->drain(dev);
    ops->commands_destroy(dev, commands);
    ops->stamps_destroy(dev, stamps);
    ops->bindings_destroy(dev, bindings);
    ops->buffer_destroy(dev, import);
    ops->buffer_destroy(dev, buffer);
    return err ? err : drained;
}

static void test_faults(void **unused)
{
    for (enum HostOperation op = HOST_BUFFER_CREATE; op < HOST_OPERATIONS; op++) {
        GpuDevice *dev;
        assert_int_equal(0, host_open(&(HostParams){ HOST_LAZY, 1, kernels }, &dev));
        host_fail(dev, op, 2, -ENOMEM);
        assert_int_equal(0, call_all(dev));
        assert_int_equal(-ENOMEM, call_all(dev));
        assert_int_equal(0, call_all(dev));
        assert_int_equal(3, host_fail(dev, op, 1, HOST_LOSE));
        assert_int_equal(-EIO, call_all(dev));
        assert_int_equal(-EIO, call_all(dev));
        gpu_device_release(dev);
    }
    GpuDevice *dev;
    assert_int_equal(0, host_open(&(HostParams){ HOST_EAGER, 1, kernels }, &dev));
    host_fail(dev, HOST_WAIT, 1, HOST_HANG);
    assert_int_equal(-ETIMEDOUT, call_all(dev));
    assert_int_equal(0, call_all(dev));
    host_fail(dev, HOST_SUBMIT, 1, HOST_HANG);
    assert_int_equal(-ETIMEDOUT, call_all(dev));
    assert_int_equal(-EIO, call_all(dev)); /* draining gave it up */
    gpu_device_release(dev);
}

static void test_allocations(void **unused)
{
    mem_fail_after(0);
    const long live = mem_live();
    unsigned long count = 1;
    for (unsigned long n = 0; n <= count; n++) {
        GpuDevice *dev;
        mem_fail_after(n);
        int err = host_open(&(HostParams){ HOST_LAZY, 1, kernels }, &dev);
        if (!err)
            err = call_all(dev);
        gpu_device_release(dev);
        const unsigned long made = mem_fail_after(0);
        if (!n)
            count = made;
        assert_int_equal(n ? -ENOMEM : 0, err);
        assert_int_equal(live, mem_live());
    }
}

/* ---- threads ---- */

static void *call_often(void *dev)
{
    for (unsigned i = 0; i < 20; i++)
        if (call_all(dev))
            return dev;
    return NULL;
}

static void test_threads(void **unused)
{
    GpuDevice *dev;
    assert_int_equal(0, host_open(&(HostParams){ HOST_RANDOM, 1, kernels }, &dev));
    pthread_t threads[3];
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, call_often, dev));
    for (unsigned i = 0; i < 3; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    gpu_device_release(dev);
}

/* ---- words ---- */

static void test_schedules(void **unused)
{
    HostParams params = { .seed = 3 };
    assert_int_equal(0, host_parse_schedule("transfer_first", &params));
    assert_int_equal(HOST_TRANSFER_FIRST, params.schedule);
    assert_int_equal(3, params.seed);
    assert_int_equal(0, host_parse_schedule("random:77", &params));
    assert_int_equal(HOST_RANDOM, params.schedule);
    assert_int_equal(77, params.seed);
    assert_int_equal(-EINVAL, host_parse_schedule("laz", &params));
    assert_int_equal(-EINVAL, host_parse_schedule("lazy:", &params));
    assert_int_equal(-EINVAL, host_parse_schedule("lazy:x", &params));
    assert_int_equal(-EINVAL, host_parse_schedule("", &params));
}

int main(void)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barriers_of_groups),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_barriers_of_commands),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_readback),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_schedules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
