/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The order of work that CUDA and HIP devices enqueue, on the fake driver (test/fake_driver): work
 * that waits for the caller's streams and the other way round, more submissions than events, and
 * work that never ends. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "emulated.h"
#include "testing.h"

enum { SIZE = 1024 };

static const GpuForeign legacy = { 0, 0 }; /* the legacy stream */

typedef struct Copier {
    GpuDevice *dev;
    GpuBuffer *upload, *there, *readback;
    GpuCommands *commands;
} Copier;

static void copier_create(Copier *c, enum GpuQueue queue, size_t size)
{
    assert_int_equal(0, emulated_open(&c->dev));
    const GpuOps *ops = c->dev->ops;
    assert_int_equal(0, ops->buffer_create(c->dev, GPU_UPLOAD, size, &c->upload));
    assert_int_equal(0, ops->buffer_create(c->dev, GPU_DEVICE, size, &c->there));
    assert_int_equal(0, ops->buffer_create(c->dev, GPU_READBACK, size, &c->readback));
    assert_int_equal(0, ops->commands_create(c->dev, queue, &c->commands));
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)c->upload->host)[i] = (unsigned char)(i * 7 + 1);
}

static void copier_destroy(Copier *c)
{
    const GpuOps *ops = c->dev->ops;
    emulated_wait_for_caller(c->dev);
    ops->commands_destroy(c->dev, c->commands);
    ops->buffer_destroy(c->dev, c->readback);
    ops->buffer_destroy(c->dev, c->there);
    ops->buffer_destroy(c->dev, c->upload);
    gpu_device_release(c->dev);
}

static void record_copy(Copier *c, GpuBuffer *from, GpuBuffer *to, size_t at, size_t size)
{
    const GpuOps *ops = c->dev->ops;
    ops->begin(c->commands);
    ops->copy(c->commands, &(GpuRange){ from, at, size }, &(GpuRange){ to, at, size });
    ops->barrier(c->commands);
    assert_int_equal(0, ops->end(c->commands));
}

/* The fake driver then runs work only when somebody waits for it. */
static int set_lazy(void **state)
{
    return emulated.schedule("lazy");
}

static int set_random(void **state)
{
    return emulated.schedule("random");
}

/* The caller copies on the legacy stream and waits for nothing, as FFmpeg's filter does. */
static void waits_for_callers_stream(void **state)
{
    const EmulatedBefore was = emulated_before();
    Copier c;
    GpuPoint done;
    copier_create(&c, GPU_COMPUTE, SIZE);
    CudaHipDevice *dev = (CudaHipDevice *)c.dev;
    record_copy(&c, c.there, c.readback, 0, SIZE);
    assert_int_equal(0, cuda_hip_enter(dev));
    assert_int_equal(
        0, dev->api->call.MemcpyHtoDAsync(cuda_hip_address(c.there), c.upload->host, SIZE, NULL));
    cuda_hip_leave(dev);
    assert_int_equal(0, c.dev->ops->submit(c.dev,
                                           &(GpuSubmit){ .queue = GPU_COMPUTE,
                                                         .commands = &c.commands,
                                                         .command_count = 1,
                                                         .foreign_waits = &legacy,
                                                         .foreign_wait_count = 1 },
                                           &done));
    assert_int_equal(1, c.dev->ops->wait(c.dev, done, UINT64_MAX));
    assert_memory_equal(c.upload->host, c.readback->host, SIZE);
    copier_destroy(&c);
    emulated_check("waiting for a stream", &was);
}

static void callers_stream_waits(void **state)
{
    const EmulatedBefore was = emulated_before();
    Copier c;
    copier_create(&c, GPU_TRANSFER, SIZE);
    CudaHipDevice *dev = (CudaHipDevice *)c.dev;
    record_copy(&c, c.upload, c.there, 0, SIZE);
    assert_int_equal(0, c.dev->ops->submit(c.dev,
                                           &(GpuSubmit){ .queue = GPU_TRANSFER,
                                                         .commands = &c.commands,
                                                         .command_count = 1,
                                                         .foreign_signals = &legacy,
                                                         .foreign_signal_count = 1 },
                                           NULL));
    assert_int_equal(0, cuda_hip_enter(dev));
    assert_int_equal(
        0, dev->api->call.MemcpyDtoHAsync(c.readback->host, cuda_hip_address(c.there), SIZE, NULL));
    cuda_hip_leave(dev);
    emulated_wait_for_caller(c.dev);
    assert_memory_equal(c.upload->host, c.readback->host, SIZE);
    copier_destroy(&c);
    emulated_check("a stream that waits", &was);
}

/* Submits more often than there are events. */
static void takes_many_submissions(void **state)
{
    enum { MANY = 3 * CUDA_HIP_POINTS + 5 };
    const EmulatedBefore was = emulated_before();
    Copier c;
    GpuCommands *each[MANY];
    GpuPoint points[MANY];
    copier_create(&c, GPU_COMPUTE, 4 * MANY);
    GpuCommands *const first = c.commands;
    for (unsigned i = 0; i < MANY; i++) {
        assert_int_equal(0, c.dev->ops->commands_create(c.dev, GPU_COMPUTE, &each[i]));
        c.commands = each[i];
        record_copy(&c, c.upload, c.readback, 4 * i, 4);
        assert_int_equal(
            0, c.dev->ops->submit(
                   c.dev,
                   &(GpuSubmit){ .queue = GPU_COMPUTE, .commands = &each[i], .command_count = 1 },
                   &points[i]));
        assert_int_equal(i + 1, points[i].value);
    }
    /* Points are reached in order, so waiting for the last one first waits for all. */
    for (unsigned i = MANY; i-- > 0;)
        assert_int_equal(1, c.dev->ops->wait(c.dev, points[i], i == MANY - 1 ? UINT64_MAX : 0));
    assert_memory_equal(c.upload->host, c.readback->host, 4 * MANY);
    for (unsigned i = 0; i < MANY; i++)
        c.dev->ops->commands_destroy(c.dev, each[i]);
    c.commands = first;
    copier_destroy(&c);
    emulated_check("many submissions", &was);
}

static void hangs_nobody(void **state)
{
    const long live = mem_live();
    Copier c;
    GpuPoint done;
    copier_create(&c, GPU_COMPUTE, SIZE);
    record_copy(&c, c.upload, c.there, 0, SIZE);
    uintptr_t clock;
    uint64_t time;
    const int semaphore = emulated_file(8);
    assert_int_equal(0, cuda_hip_semaphore_import(
                            c.dev, &(GpuHandle){ GPU_HANDLE_OPAQUE_FD, semaphore, 8 }, &clock));
    emulated.inject(emulated.prefix[0] == 'c' ? "cuMemcpyHtoDAsync_v2" : "hipMemcpyHtoDAsync", 1,
                    "hang");
    assert_int_equal(0,
                     c.dev->ops->submit(c.dev,
                                        &(GpuSubmit){ .queue = GPU_COMPUTE,
                                                      .commands = &c.commands,
                                                      .command_count = 1,
                                                      .foreign_signals = &(GpuForeign){ clock, 1 },
                                                      .foreign_signal_count = 1 },
                                        &done));
    assert_int_equal(0, c.dev->ops->wait(c.dev, done, 0));
    assert_int_equal(0, c.dev->ops->wait(c.dev, done, 3000000));
    /* The semaphore is not signalled either. */
    assert_int_equal(8, pread(semaphore, &time, 8, 0));
    assert_int_equal(0, time);
    close(semaphore);
    emulated.inject(emulated.prefix[0] == 'c' ? "cuEventQuery" : "hipEventQuery", 2, "lost");
    assert_int_equal(-EIO, c.dev->ops->wait(c.dev, done, UINT64_MAX));
    assert_int_equal(-EIO, c.dev->ops->wait(c.dev, done, 0));
    assert_int_equal(-EIO, c.dev->ops->drain(c.dev));
    emulated.inject(NULL, 0, NULL);
    emulated.reset();
    copier_destroy(&c); /* its context was closed */
    assert_int_equal(live, mem_live());
}

TEST_MAIN(cuda_hip_queues)
{
    emulated_find(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waits_for_callers_stream, set_lazy, set_random),
        cmocka_unit_test_setup_teardown(callers_stream_waits, set_lazy, set_random),
        cmocka_unit_test(takes_many_submissions),
        cmocka_unit_test(hangs_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
