/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests buffers and copies: sizes, offsets, strides and patterns, in memory that is allocated and
 * freed in changing order, and points on the queues' time lines. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "rig.h"

static uint32_t random_state = 1;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

static GpuBuffer *make(enum GpuMemory memory, size_t size)
{
    GpuBuffer *buffer;
    assert_int_equal(0, rig_gpu()->ops->buffer_create(rig_gpu(), memory, size, &buffer));
    assert_true(buffer->size >= size);
    assert_int_equal(memory == GPU_DEVICE, !buffer->host);
    return buffer;
}

static void drop(GpuBuffer *buffer)
{
    rig_gpu()->ops->buffer_destroy(rig_gpu(), buffer);
}

static GpuCommands *begin(enum GpuQueue queue)
{
    GpuCommands *commands;
    assert_int_equal(0, rig_gpu()->ops->commands_create(rig_gpu(), queue, &commands));
    rig_gpu()->ops->begin(commands);
    return commands;
}

static void end(GpuCommands *commands)
{
    rig_gpu()->ops->barrier(commands);
    assert_int_equal(0, rig_gpu()->ops->end(commands));
}

static void submit(enum GpuQueue queue, GpuCommands *commands, const GpuPoint *wait, GpuPoint *done)
{
    assert_int_equal(0, rig_gpu()->ops->submit(rig_gpu(),
                                               &(GpuSubmit){ .queue = queue,
                                                             .commands = &commands,
                                                             .command_count = 1,
                                                             .waits = wait,
                                                             .wait_count = wait != NULL },
                                               done));
}

static void run(enum GpuQueue queue, GpuCommands *commands)
{
    GpuPoint done;
    end(commands);
    submit(queue, commands, NULL, &done);
    assert_int_equal(1, rig_gpu()->ops->wait(rig_gpu(), done, UINT64_MAX));
    rig_gpu()->ops->commands_destroy(rig_gpu(), commands);
}

/* ---- rows ---- */

/* Copies rows to the device, across it and back, and compares with the same copies in plain
 * memory. */
static void check_rows(const GpuRows *shape, enum GpuQueue queue)
{
    const GpuOps *ops = rig_gpu()->ops;
    enum { SIZE = 4096 };
    unsigned char model[SIZE];
    GpuBuffer *up = make(GPU_UPLOAD, SIZE), *there = make(GPU_DEVICE, SIZE),
              *back = make(GPU_READBACK, SIZE);
    for (unsigned i = 0; i < SIZE; i++)
        ((unsigned char *)up->host)[i] = (unsigned char)(i * 31 + (i >> 8));
    for (unsigned i = 0; i < SIZE; i += 4)
        memcpy(model + i, &(uint32_t){ 0x04030201 }, 4);

    GpuCommands *commands = begin(queue);
    ops->fill(commands, &(GpuRange){ there, 0, SIZE }, 0x04030201);
    ops->barrier(commands);
    GpuRows rows = *shape;
    rows.from = up;
    rows.to = there;
    ops->copy_rows(commands, &rows);
    ops->barrier(commands);
    ops->copy(commands, &(GpuRange){ there, 0, SIZE }, &(GpuRange){ back, 0, SIZE });
    run(queue, commands);

    for (unsigned y = 0; y < shape->rows; y++)
        memcpy(model + shape->to_offset + y * shape->to_stride,
               (char *)up->host + shape->from_offset + y * shape->from_stride, shape->row);
    assert_memory_equal(model, back->host, SIZE);
    drop(up);
    drop(there);
    drop(back);
}

static void test_rows(void **unused)
{
    static const GpuRows shapes[] = {
        { .from_stride = 64, .to_stride = 64, .row = 64, .rows = 64 },
        { .from_stride = 64, .to_stride = 128, .row = 61, .rows = 20 },
        { .from_offset = 4, .from_stride = 67, .to_stride = 64, .row = 63, .rows = 20 },
        { .from_offset = 4,
          .from_stride = 100,
          .to_offset = 256,
          .to_stride = 96,
          .row = 96,
          .rows = 40 },
        { .from_stride = 4096, .to_stride = 4096, .row = 4096, .rows = 1 },
        { .from_offset = 4000, .to_offset = 8, .row = 96, .rows = 1 },
        { .from_stride = 1, .to_stride = 1, .row = 1, .rows = 200 },
    };
    for (unsigned i = 0; i < COUNT(shapes); i++) {
        check_rows(&shapes[i], GPU_COMPUTE);
        check_rows(&shapes[i], GPU_TRANSFER);
    }
}

/* ---- lives ---- */

/* Buffers of all sizes are created and destroyed; each keeps its own pattern while it lives. */
static uint32_t read_word(GpuBuffer *buffer, size_t offset)
{
    const GpuOps *ops = rig_gpu()->ops;
    GpuBuffer *back = make(GPU_READBACK, 4);
    GpuCommands *commands = begin(GPU_COMPUTE);
    ops->copy(commands, &(GpuRange){ buffer, offset, 4 }, &(GpuRange){ back, 0, 4 });
    run(GPU_COMPUTE, commands);
    uint32_t word;
    memcpy(&word, back->host, 4);
    drop(back);
    return word;
}

static GpuBuffer *make_filled(size_t size, uint32_t word)
{
    GpuBuffer *buffer = make(GPU_DEVICE, size);
    GpuCommands *commands = begin(GPU_COMPUTE);
    rig_gpu()->ops->fill(commands, &(GpuRange){ buffer, 0, buffer->size }, word);
    run(GPU_COMPUTE, commands);
    return buffer;
}

static void test_lives(void **unused)
{
    enum { LIVES = 24 };
    GpuBuffer *buffers[LIVES] = { 0 };
    uint32_t words[LIVES];
    for (unsigned step = 0; step < (rig_is_slow() ? 80 : 300); step++) {
        const unsigned i = next_random(LIVES);
        if (buffers[i]) {
            const size_t last = buffers[i]->size - 4;
            assert_int_equal(words[i], read_word(buffers[i], 0));
            assert_int_equal(words[i], read_word(buffers[i], last));
            assert_int_equal(words[i], read_word(buffers[i], last / 8 * 4));
            drop(buffers[i]);
            buffers[i] = NULL;
        } else {
            words[i] = 0x10000 * step + i;
            buffers[i] = make_filled(1 + next_random(step % 7 ? 5000 : 300000), words[i]);
        }
    }
    for (unsigned i = 0; i < LIVES; i++)
        drop(buffers[i]);
}

/* ---- commands ---- */

/* Commands can be recorded once and submitted many times, and `begin` discards the recording. */
static void test_again(void **unused)
{
    const GpuOps *ops = rig_gpu()->ops;
    GpuBuffer *up = make(GPU_UPLOAD, 64), *there = make(GPU_DEVICE, 64),
              *back = make(GPU_READBACK, 64);
    GpuCommands *commands = begin(GPU_COMPUTE);
    ops->copy(commands, &(GpuRange){ up, 0, 64 }, &(GpuRange){ there, 0, 64 });
    ops->barrier(commands);
    ops->copy(commands, &(GpuRange){ there, 0, 64 }, &(GpuRange){ back, 0, 64 });
    end(commands);
    for (unsigned i = 0; i < 5; i++) {
        memset(up->host, (int)i + 1, 64);
        assert_int_equal(0, gpu_device_run(rig_gpu(), commands));
        assert_memory_equal(up->host, back->host, 64);
    }
    ops->begin(commands);
    ops->fill(commands, &(GpuRange){ there, 0, 64 }, 0x07070707);
    ops->barrier(commands);
    ops->copy(commands, &(GpuRange){ there, 32, 32 }, &(GpuRange){ back, 32, 32 });
    end(commands);
    memset(up->host, 9, 64); /* no command copies it any more */
    assert_int_equal(0, gpu_device_run(rig_gpu(), commands));
    memset(up->host, 5, 64);
    assert_memory_equal(up->host, back->host, 32);
    memset(up->host, 7, 64);
    assert_memory_equal(up->host, (char *)back->host + 32, 32);
    ops->commands_destroy(rig_gpu(), commands);
    drop(up);
    drop(there);
    drop(back);
}

/* A chain of submissions across both queues, each waiting for the one before; only the last is
 * waited for. */
static void test_waits(void **unused)
{
    enum { LINKS = 9 };
    const GpuOps *ops = rig_gpu()->ops;
    GpuBuffer *up = make(GPU_UPLOAD, 256), *there[LINKS], *back = make(GPU_READBACK, 256);
    GpuCommands *commands[LINKS + 1];
    GpuPoint done = { 0 };
    memset(up->host, 0x5a, 256);
    for (unsigned i = 0; i < LINKS; i++) {
        const enum GpuQueue queue = i % 2 ? GPU_COMPUTE : GPU_TRANSFER;
        there[i] = make(GPU_DEVICE, 256);
        commands[i] = begin(queue);
        ops->copy(commands[i], &(GpuRange){ i ? there[i - 1] : up, 0, 256 },
                  &(GpuRange){ there[i], 0, 256 });
        end(commands[i]);
        const GpuPoint before = done;
        submit(queue, commands[i], i ? &before : NULL, &done);
        assert_int_equal(queue, done.queue);
    }
    commands[LINKS] = begin(GPU_COMPUTE);
    ops->copy(commands[LINKS], &(GpuRange){ there[LINKS - 1], 0, 256 },
              &(GpuRange){ back, 0, 256 });
    end(commands[LINKS]);
    const GpuPoint before = done;
    submit(GPU_COMPUTE, commands[LINKS], &before, &done);
    assert_int_equal(1, ops->wait(rig_gpu(), done, UINT64_MAX));
    assert_memory_equal(up->host, back->host, 256);
    assert_int_equal(1, ops->wait(rig_gpu(), before, 0));
    assert_int_equal(1, ops->wait(rig_gpu(), (GpuPoint){ GPU_TRANSFER, 0 }, 0));
    for (unsigned i = 0; i <= LINKS; i++) {
        ops->commands_destroy(rig_gpu(), commands[i]);
        if (i < LINKS)
            drop(there[i]);
    }
    drop(up);
    drop(back);
}

/* Destroying NULL is fine everywhere. */
static void test_nothing(void **unused)
{
    GpuDevice *gpu = rig_gpu();
    gpu->ops->buffer_destroy(gpu, NULL);
    gpu->ops->bindings_destroy(gpu, NULL);
    gpu->ops->commands_destroy(gpu, NULL);
    gpu->ops->stamps_destroy(gpu, NULL);
    gpu_device_release(NULL);
    assert_int_equal(0, gpu->ops->drain(gpu));
}

TEST_MAIN(buffers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),  cmocka_unit_test(test_lives),   cmocka_unit_test(test_again),
        cmocka_unit_test(test_waits), cmocka_unit_test(test_nothing),
    };
    return RIG_RUN(argc, argv, tests);
}
