/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The host device reports misuse, fails or loses itself when told to, and frees everything it
 * allocated. */
#include <errno.h>
#include <pthread.h>

#include "base/log.h"
#include "base/mem.h"
#include "host_kit.h"

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

/* A command that cannot be recorded is reported by `end`. */
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

/* ---- faults ---- */

/* Calls every operation and returns the first error. */
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
    assert_int_equal(-EIO, call_all(dev)); /* draining gave the device up */
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

TEST_MAIN(host_faults)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misuse),  cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_faults),  cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
