/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks that the host device is as strict as it claims: plans that follow the contract of
 * gpu/device.h give the right bytes under every schedule, and plans that lack one barrier or one
 * wait do not. The random numbers are seeded, so each run is the same every time. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/log.h"
#include "host_kit.h"

#define SEEDS 12

/* ---- workgroups ---- */

/* Runs one kernel over several workgroups. Returns 1 if the result is right, 0 if it is wrong, or a
 * negative errno. */
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

/* The host has every kernel of the library, with the needs that the other tables list. */
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

/* Runs the steps in one command buffer, or in one for each step. `missing` is the barrier to leave
 * out. */
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
            if (missing == STEPS) /* no barrier is missing */
                assert_int_equal(SEEDS, right);
            /* A kernel of GROUPS units rarely runs completely before or after another command. */
            else
                assert_true(right <= SEEDS / 3);
        }
}

/* ---- queues ---- */

enum Lack { NOTHING, UPLOAD_WAIT, REUSE_WAIT, HOST_WAIT_FOR_STAGING, LACKS };

/* Sends two frames through one slot: uploaded on the copy queue, then run and read back. Returns
 * the number of right frames. */
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

/* The host sees readback memory after a barrier, and not before. */
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

/* New memory, and memory declared undefined, holds noise that depends on the seed. */
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

/* Imported memory, and rows with strides of their own. */
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

/* ---- foreign waits and signals ---- */

typedef struct Signal {
    HostSemaphore *semaphore;
    Rig *rig;
} Signal;

/* Writes the data that the device waits for, then signals. */
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

/* ---- names of the schedules ---- */

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

TEST_MAIN(host)
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
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_schedules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
