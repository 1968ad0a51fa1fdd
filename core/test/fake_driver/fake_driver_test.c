/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests of the fake driver: it does what CUDA's documentation says, as late as that allows, and
 * reports what the documentation forbids. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control.h"
#include "cuda_api.h"
#include "testing.h"

#define WORDS 64

static const char image[] =
    ".version 4.1 .target sm_52 .address_size 64\n"
    "// psnr\n"
    ".visible .shared .align 8 .b8 part[1024];\n"
    ".visible .entry psnr_sse_8(.param .align 8 .b8 psnr_sse_8_param_0[120])\n"
    ".maxntid 32, 8, 1\n"
    "{\n"
    "  .reg .pred %p<2>;\n"
    "  .reg .b32 %r<3>;\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  setp.eq.s32 %p1, %r1, 0;\n"
    "  @%p1 bra LBB0_1;\n"
    "  add.s32 %r2, %r1, 1;\n"
    "LBB0_1:\n"
    "  ret;\n"
    "}\n";

static void *context;

static int set_up(void **unused)
{
    emulated_reset();
    emulated_fail(NULL, 0, NULL);
    assert_int_equal(0, emulated_schedule("lazy"));
    assert_int_equal(0, cuInit(0));
    assert_int_equal(0, cuDevicePrimaryCtxRetain(&context, 0));
    assert_int_equal(0, cuCtxPushCurrent_v2(context));
    return 0;
}

/* Checks that there were no complaints and only the context is left. */
static void tear_down_clean(void)
{
    assert_int_equal(0, emulated_complaints());
    void *popped;
    assert_int_equal(0, cuCtxPopCurrent_v2(&popped));
    assert_ptr_equal(context, popped);
    assert_int_equal(0, cuDevicePrimaryCtxRelease_v2(0));
    assert_int_equal(0, emulated_leaks());
}

static void *make_stream(unsigned flags)
{
    void *stream;
    assert_int_equal(0, cuStreamCreate(&stream, flags));
    return stream;
}

static void *make_event(void)
{
    void *event;
    assert_int_equal(0, cuEventCreate(&event, 0));
    return event;
}

static uint64_t make_memory(size_t size)
{
    uint64_t address;
    assert_int_equal(0, cuMemAlloc_v2(&address, size));
    return address;
}

static uint32_t *make_pinned(void)
{
    void *block;
    assert_int_equal(0, cuMemHostAlloc(&block, 4 * WORDS, 1));
    memset(block, 0, 4 * WORDS);
    return block;
}

/* ---- images ---- */

static int load_with(const char *from, const char *to)
{
    char text[sizeof(image) + 64];
    const char *at = strstr(image, from);
    assert_non_null(at);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - image), image, to, at + strlen(from));
    void *module;
    const int err = cuModuleLoadData(&module, text);
    if (!err)
        cuModuleUnload(module);
    return err;
}

static void test_images(void **unused)
{
    assert_int_equal(0, load_with("add.s32", "sub.s32"));
    assert_int_equal(218, load_with(".version", ".revision"));
    assert_int_equal(222, load_with("4.1", "47.1"));
    assert_int_equal(218, load_with("add.s32", "edd.s32"));
    assert_int_equal(218, load_with("%r2,", "%r3,"));
    assert_int_equal(218, load_with("%r2,", "%q2,"));
    assert_int_equal(218, load_with("LBB0_1:", "LBB0_2:"));
    assert_int_equal(218, load_with("ret;\n}", "ret;\n"));
    assert_int_equal(218, load_with("}\n", "} else\n"));
    assert_int_equal(0,
                     load_with("size 64\n", "size 64\n.shared .b8 one[4];\n.shared .b8 two[4];\n"));
    assert_int_equal(218,
                     load_with("size 64\n", "size 64\n.shared .b8 one[4];\n.shared .b8 one[4];\n"));
    void *module, *function;
    assert_int_equal(0, cuModuleLoadData(&module, image));
    assert_int_equal(500, cuModuleGetFunction(&function, module, "psnr"));
    assert_int_equal(0, cuModuleUnload(module));
    tear_down_clean();
}

static int load_split(int option)
{
    void *module, *values[] = { (void *)2 };
    const int err = cuModuleLoadDataEx(&module, image, 1, &option, values);
    if (!err)
        cuModuleUnload(module);
    return err;
}

static void test_options(void **unused)
{
    assert_int_equal(0, load_split(34));
    assert_int_equal(1, load_split(35));
    setenv("EMULATED_CUDA_VERSION", "12040", 1);
    assert_int_equal(1, load_split(34));
    unsetenv("EMULATED_CUDA_VERSION");
    assert_int_equal(2, emulated_complaints());
}

/* ---- work ---- */

/* Computes squared differences of two rows of samples on one stream, with copies on another. */
static void run_kernel(void)
{
    void *module, *function, *copies = make_stream(1), *kernels = make_stream(1),
                             *event = make_event();
    const uint64_t ref = make_memory(256), dist = make_memory(256), sums = make_memory(8);
    uint32_t *pinned = make_pinned();
    unsigned char samples[256];
    for (unsigned i = 0; i < 256; i++)
        samples[i] = i % 2 ? 3 : 1;
    memset(pinned, 1, 256);
    assert_int_equal(0, cuModuleLoadData(&module, image));
    assert_int_equal(0, cuModuleGetFunction(&function, module, "psnr_sse_8"));
    assert_int_equal(0, cuMemcpyHtoDAsync_v2(ref, pinned, 256, copies));
    assert_int_equal(0, cuMemcpyHtoDAsync_v2(dist, samples, 256, copies));
    memset(samples, 9, sizeof(samples)); /* the call has read it already */
    assert_int_equal(0, cuEventRecord(event, copies));
    assert_int_equal(0, cuStreamWaitEvent(kernels, event, 0));
    struct {
        uint64_t buffers[7];
        struct {
            uint32_t width, height, stride, groups_x, first;
        } planes[3]; /* the only workgroup is for the first plane */
    } arguments = { { ref, dist, ref, dist, ref, dist, sums },
                    { { 256, 1, 64, 1, 0 }, { 1, 1, 4, 1, 1 }, { 1, 1, 4, 1, 1 } } };
    void *params[] = { &arguments };
    assert_int_equal(0, cuLaunchKernel(function, 1, 1, 1, 32, 8, 1, 0, kernels, params, NULL));
    memset(&arguments, 0, sizeof(arguments));
    uint32_t *result = make_pinned();
    assert_int_equal(0, cuMemcpyDtoHAsync_v2(result, sums, 8, kernels));
    assert_int_equal(0, cuEventRecord(event, kernels));
    int err;
    while ((err = cuEventQuery(event)) == 600)
        ;
    assert_int_equal(0, err);
    assert_int_equal(128 * 4, result[0]);
    cuMemFree_v2(ref);
    cuMemFree_v2(dist);
    cuMemFree_v2(sums);
    cuMemFreeHost(pinned);
    cuMemFreeHost(result);
    cuModuleUnload(module);
    cuEventDestroy_v2(event);
    cuStreamDestroy_v2(copies);
    cuStreamDestroy_v2(kernels);
}

static void test_kernel(void **unused)
{
    static const char *const schedules[] = { "lazy",          "eager",    "copies_first",
                                             "kernels_first", "random:1", "random:2",
                                             "random:3",      "random:4" };
    for (unsigned i = 0; i < COUNT(schedules); i++) {
        assert_int_equal(0, emulated_schedule(schedules[i]));
        run_kernel();
    }
    assert_int_not_equal(0, emulated_schedule("hasty"));
    tear_down_clean();
}

/* Each of three streams writes a word. Checks which words are written after waiting for one
 * stream. */
static void test_lateness(void **unused)
{
    void *a = make_stream(1), *b = make_stream(1), *event = make_event();
    const uint64_t memory = make_memory(8);
    uint32_t *seen = make_pinned();
    assert_int_equal(0, cuMemsetD32Async(memory, 1, 2, a));
    assert_int_equal(0, cuMemcpyDtoHAsync_v2(&seen[0], memory, 4, a));
    assert_int_equal(0, cuEventRecord(event, a));
    assert_int_equal(
        0, cuStreamWaitEvent(b, event, 0)); /* waits for the work that the event marks now */
    assert_int_equal(0, cuMemcpyDtoHAsync_v2(&seen[2], memory + 4, 4, b));
    assert_int_equal(0, cuMemsetD32Async(memory, 2, 2, a));
    assert_int_equal(0, cuMemcpyDtoHAsync_v2(&seen[1], memory, 4, a));
    assert_int_equal(0, cuEventRecord(event, a));
    assert_int_equal(0, seen[0]);
    assert_int_equal(0, cuStreamSynchronize(b));
    assert_int_equal(1, seen[0]);
    assert_int_equal(1, seen[2]);
    assert_int_equal(0, seen[1]); /* no wait for this stream */
    assert_int_equal(600, cuEventQuery(event));
    assert_int_equal(0, cuEventSynchronize(event));
    assert_int_equal(2, seen[1]);
    uint32_t plain = 0; /* ordinary memory is written before the call returns */
    assert_int_equal(0, cuMemsetD32Async(memory, 3, 1, b));
    assert_int_equal(0, cuMemcpyDtoHAsync_v2(&plain, memory, 4, b));
    assert_int_equal(3, plain);
    cuMemFree_v2(memory);
    cuMemFreeHost(seen);
    cuEventDestroy_v2(event);
    cuStreamDestroy_v2(a);
    cuStreamDestroy_v2(b);
    tear_down_clean();
}

/* Registered memory is read when the copy runs, from every context. */
static void test_registered(void **unused)
{
    static uint32_t words[1024];
    void *stream = make_stream(1);
    const uint64_t memory = make_memory(4);
    uint32_t *seen = make_pinned();
    words[0] = 1;
    assert_int_equal(0, emulated_schedule("lazy"));
    assert_int_equal(713, cuMemHostUnregister(words));
    assert_int_equal(1, emulated_complaints());
    assert_int_equal(0, cuMemHostRegister_v2(words, sizeof(words), 1));
    assert_int_equal(712, cuMemHostRegister_v2(words + 8, 16, 1));
    assert_int_equal(712, cuMemHostRegister_v2(seen, 4, 1));
    assert_int_equal(0, cuMemcpyHtoDAsync_v2(memory, words, 4, stream));
    words[0] = 2;
    assert_int_equal(0, cuMemcpyDtoHAsync_v2(seen, memory, 4, stream));
    assert_int_equal(0, cuStreamSynchronize(stream));
    assert_int_equal(2, seen[0]);
    assert_int_equal(0, cuMemHostUnregister(words));
    assert_int_equal(0, cuMemcpyHtoDAsync_v2(memory, words, 4, stream));
    words[0] = 3; /* it was read already */
    assert_int_equal(0, cuMemcpyDtoHAsync_v2(seen, memory, 4, stream));
    assert_int_equal(0, cuStreamSynchronize(stream));
    assert_int_equal(2, seen[0]);
    assert_int_equal(0, cuMemHostRegister_v2(words, sizeof(words), 1));
    cuMemFree_v2(memory);
    cuMemFreeHost(seen);
    cuStreamDestroy_v2(stream);
    void *popped;
    cuCtxPopCurrent_v2(&popped);
    cuDevicePrimaryCtxRelease_v2(0);
    assert_int_equal(1, emulated_leaks()); /* still registered */
}

static void test_legacy_stream(void **unused)
{
    void *blocking = make_stream(0), *other = make_stream(1);
    const uint64_t memory = make_memory(4);
    uint32_t *seen = make_pinned();
    cuMemsetD32Async(memory, 1, 1, NULL);
    cuMemcpyDtoHAsync_v2(&seen[0], memory, 4, NULL);
    assert_int_equal(0, cuStreamSynchronize(other));
    assert_int_equal(0, seen[0]);
    cuMemsetD32Async(memory, 2, 1, blocking);
    assert_int_equal(0, cuStreamSynchronize(blocking));
    assert_int_equal(1, seen[0]);
    cuMemcpyDtoHAsync_v2(&seen[1], memory, 4, blocking);
    assert_int_equal(0, cuStreamSynchronize(NULL));
    assert_int_equal(2, seen[1]);
    cuMemFree_v2(memory);
    cuMemFreeHost(seen);
    cuStreamDestroy_v2(blocking);
    cuStreamDestroy_v2(other);
    tear_down_clean();
}

static void test_rows(void **unused)
{
    const uint64_t memory = make_memory(64);
    uint32_t *pinned = make_pinned();
    memset(pinned, 7, 64);
    cuMemsetD32Async(memory, 0, 16, NULL);
    const CudaCopy2D copy = { .from = { .type = 1, .host = pinned, .pitch = 16 },
                              .to = { .x = 4, .y = 1, .type = 2, .device = memory, .pitch = 16 },
                              .width = 8,
                              .height = 2 };
    assert_int_equal(0, cuMemcpy2DAsync_v2(&copy, NULL));
    uint32_t got[16];
    cuMemcpyDtoHAsync_v2(got, memory, 64, NULL);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(i == 5 || i == 6 || i == 9 || i == 10 ? 0x07070707 : 0, got[i]);
    cuMemFree_v2(memory);
    cuMemFreeHost(pinned);
    tear_down_clean();
}

/* ---- captures ---- */

static void test_graph(void **unused)
{
    void *a = make_stream(1), *b = make_stream(1), *fork = make_event(), *join = make_event();
    const uint64_t memory = make_memory(16);
    uint32_t *seen = make_pinned();
    void *graph, *exec;
    assert_int_equal(0, cuStreamBeginCapture_v2(a, 1));
    assert_int_equal(0, cuMemsetD32Async(memory, 1, 4, a));
    assert_int_equal(0, cuEventRecord(fork, a));
    assert_int_equal(0, cuStreamWaitEvent(b, fork, 0));
    assert_int_equal(0, cuMemsetD32Async(memory + 4, 2, 1, b));
    assert_int_equal(0, cuMemsetD32Async(memory + 8, 3, 1, a));
    assert_int_equal(0, cuEventRecord(join, b));
    assert_int_equal(0, cuStreamWaitEvent(a, join, 0));
    assert_int_equal(0, cuMemcpyDtoHAsync_v2(seen, memory, 16, a));
    assert_int_equal(0, cuStreamEndCapture(a, &graph));
    assert_int_equal(0, cuGraphInstantiateWithFlags(&exec, graph, 0));
    assert_int_equal(0, cuGraphDestroy(graph));
    assert_int_equal(0, cuStreamSynchronize(a));
    assert_int_equal(0, seen[0]); /* nothing ran */
    for (unsigned i = 0; i < 20; i++) {
        if (i == 10)
            emulated_schedule("random:5");
        memset(seen, 0, 16);
        assert_int_equal(0, cuMemsetD32Async(memory, 9, 4, a));
        assert_int_equal(0, cuGraphLaunch(exec, a));
        assert_int_equal(0, cuStreamSynchronize(a));
        assert_int_equal(1, seen[0]);
        assert_int_equal(2, seen[1]);
        assert_int_equal(3, seen[2]);
        assert_int_equal(1, seen[3]);
    }
    assert_int_equal(0, cuGraphLaunch(exec, a));
    assert_int_equal(0, cuGraphExecDestroy(exec)); /* the launch in flight continues */
    assert_int_equal(0, cuStreamSynchronize(a));
    cuMemFree_v2(memory);
    cuMemFreeHost(seen);
    cuEventDestroy_v2(fork);
    cuEventDestroy_v2(join);
    cuStreamDestroy_v2(a);
    cuStreamDestroy_v2(b);
    tear_down_clean();
}

static void test_captures_gone_wrong(void **unused)
{
    void *a = make_stream(1), *b = make_stream(1), *event = make_event(), *graph;
    const uint64_t memory = make_memory(16);
    uint64_t more;
    uint32_t word = 0;
    cuStreamBeginCapture_v2(a, 1);
    assert_int_equal(905, cuStreamWaitEvent(a, event, 0)); /* never recorded here */
    assert_int_equal(901, cuStreamEndCapture(a, &graph));
    cuStreamBeginCapture_v2(a, 1);
    cuEventRecord(event, a);
    assert_int_equal(907, cuEventElapsedTime(&(float){ 0 }, event, event));
    cuStreamWaitEvent(b, event, 0);
    cuMemsetD32Async(memory, 1, 1, b);
    assert_int_equal(904, cuStreamEndCapture(a, &graph)); /* b was not waited for */
    assert_int_equal(907, cuStreamWaitEvent(a, event, 0));
    cuStreamBeginCapture_v2(a, 1);
    assert_int_equal(900, cuMemcpyHtoDAsync_v2(memory, &word, 4, a));
    assert_int_equal(900, cuMemAlloc_v2(&more, 16));
    assert_int_equal(901, cuMemsetD32Async(memory, 1, 1, a));
    assert_int_equal(901, cuStreamEndCapture(a, &graph));
    cuStreamBeginCapture_v2(a, 2); /* relaxed */
    assert_int_equal(0, cuMemAlloc_v2(&more, 16));
    assert_int_equal(0, cuStreamEndCapture(a, &graph));
    assert_int_equal(900, cuStreamBeginCapture_v2(NULL, 1));
    assert_true(emulated_complaints() >= 9);
}

/* ---- mistakes ---- */

static void test_contexts(void **unused)
{
    void *stream = make_stream(1), *other, *popped;
    const uint64_t memory = make_memory(4);
    assert_int_equal(0, cuDevicePrimaryCtxRetain(&other, 1));
    assert_int_equal(0, cuCtxPushCurrent_v2(other));
    assert_int_equal(400, cuMemsetD32Async(memory, 1, 1, stream));
    assert_int_equal(1, cuMemFree_v2(memory));
    cuCtxPopCurrent_v2(&popped);
    assert_int_equal(0, cuMemFree_v2(memory));
    assert_int_equal(0, cuStreamDestroy_v2(stream));
    assert_int_equal(400, cuStreamDestroy_v2(stream));
    assert_int_equal(1, cuMemFree_v2(memory));
    cuCtxPopCurrent_v2(&popped);
    assert_int_equal(201, cuMemAlloc_v2(&(uint64_t){ 0 }, 4));
    assert_int_equal(201, cuCtxPopCurrent_v2(&popped));
    assert_int_equal(5 + 1, emulated_complaints());
    assert_int_equal(2, emulated_leaks()); /* both contexts */
    cuDevicePrimaryCtxRelease_v2(0);
    cuDevicePrimaryCtxRelease_v2(1);
    assert_int_equal(201, cuDevicePrimaryCtxRelease_v2(1));
    assert_int_equal(0, emulated_leaks());
}

static void test_freed_memory(void **unused)
{
    void *stream = make_stream(1);
    const uint64_t memory = make_memory(4);
    cuMemsetD32Async(memory, 1, 1, stream);
    assert_int_equal(0, cuMemFree_v2(memory));
    assert_int_equal(700, cuStreamSynchronize(stream));
    assert_int_equal(700, cuMemAlloc_v2(&(uint64_t){ 0 }, 4));
    assert_true(emulated_complaints() > 0);
}

static void test_out_of_bounds(void **unused)
{
    void *stream = make_stream(1);
    const uint64_t memory = make_memory(16);
    cuMemsetD32Async(memory + 4, 1, 4, stream);
    assert_int_equal(700, cuStreamSynchronize(stream));
    assert_int_equal(1, emulated_complaints());
}

static void test_leaks(void **unused)
{
    make_stream(1);
    make_event();
    make_memory(4);
    make_pinned();
    void *popped;
    cuCtxPopCurrent_v2(&popped);
    cuDevicePrimaryCtxRelease_v2(0);
    assert_int_equal(4, emulated_leaks());
}

/* ---- faults ---- */

static void test_faults(void **unused)
{
    void *stream = make_stream(1), *event = make_event();
    const uint64_t memory = make_memory(4);
    emulated_fail("cuMemAlloc_v2", 2, "2");
    const uint64_t first = make_memory(4);
    assert_int_equal(0, emulated_failed());
    assert_int_equal(2, cuMemAlloc_v2(&(uint64_t){ 0 }, 4));
    assert_int_equal(1, emulated_failed());
    cuMemFree_v2(first);
    emulated_fail("cuMemFree_v2", 1, "1"); /* reports an earlier error, but frees */
    assert_int_equal(1, cuMemFree_v2(memory));
    assert_int_equal(0, emulated_complaints());
    assert_int_equal(
        4, emulated_leaks()); /* two contexts' worth: retained and pushed; stream, event */
    emulated_fail("cuEventRecord", 1, "hang");
    assert_int_equal(0, cuEventRecord(event, stream));
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(600, cuEventQuery(event));
    emulated_fail("cuEventQuery", 3, "lost");
    assert_int_equal(600, cuEventQuery(event));
    assert_int_equal(600, cuEventQuery(event));
    assert_int_equal(719, cuEventQuery(event));
    assert_int_equal(719, cuMemAlloc_v2(&(uint64_t){ 0 }, 4));
    assert_int_equal(719, cuStreamDestroy_v2(stream));
    assert_int_equal(719, cuEventDestroy_v2(event));
    assert_int_equal(2, emulated_leaks());
}

/* ---- memory and semaphores of other APIs ---- */

static int make_file(void **mapped)
{
    const int fd = memfd_create("foreign", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(0, ftruncate(fd, 4096));
    *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(MAP_FAILED, *mapped);
    return fd;
}

static void test_external(void **unused)
{
    void *shared, *memory, *semaphore, *stream = make_stream(1);
    uint64_t address, *counter;
    const CudaExternalHandle from = { .type = 1, .fd = make_file(&shared), .size = 4096 };
    assert_int_equal(0, cuImportExternalMemory(&memory, &from));
    assert_int_equal(-1, fcntl(from.fd, F_GETFD)); /* the driver took it over */
    const unsigned long long part[2] = { 1024, 64 }, too_much[2] = { 4064, 64 };
    assert_int_equal(0, cuExternalMemoryGetMappedBuffer(&address, memory, part));
    void *mapped;
    const CudaExternalHandle clock = { .type = 9, .fd = make_file(&mapped) };
    counter = mapped;
    assert_int_equal(0, cuImportExternalSemaphore(&semaphore, &clock));
    assert_int_equal(
        0, cuWaitExternalSemaphoresAsync(&semaphore, (unsigned long long[]){ 5 }, 1, stream));
    assert_int_equal(0, cuMemsetD32Async(address, 77, 1, stream));
    assert_int_equal(
        0, cuSignalExternalSemaphoresAsync(&semaphore, (unsigned long long[]){ 6 }, 1, stream));
    void *event = make_event();
    cuEventRecord(event, stream);
    *counter = 4;
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(600, cuEventQuery(event));
    *counter = 5;
    assert_int_equal(0, cuStreamSynchronize(stream));
    assert_int_equal(6, *counter);
    assert_int_equal(77, *(uint32_t *)((char *)shared + 1024));
    cuEventDestroy_v2(event);
    cuDestroyExternalSemaphore(semaphore);
    cuMemFree_v2(address);
    assert_int_equal(0, emulated_complaints());
    assert_int_equal(1, cuExternalMemoryGetMappedBuffer(&address, memory, too_much));
    cuDestroyExternalMemory(memory);
    cuStreamDestroy_v2(stream);
    int pipes[2];
    assert_int_equal(0, pipe(pipes)); /* stands for memory of another driver */
    assert_int_not_equal(
        0, cuImportExternalMemory(&memory,
                                  &(CudaExternalHandle){ .type = 1, .fd = pipes[0], .size = 64 }));
    close(pipes[0]);
    close(pipes[1]);
    munmap(shared, 4096);
    munmap(mapped, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_images, set_up),
        cmocka_unit_test_setup(test_options, set_up),
        cmocka_unit_test_setup(test_kernel, set_up),
        cmocka_unit_test_setup(test_lateness, set_up),
        cmocka_unit_test_setup(test_registered, set_up),
        cmocka_unit_test_setup(test_legacy_stream, set_up),
        cmocka_unit_test_setup(test_rows, set_up),
        cmocka_unit_test_setup(test_graph, set_up),
        cmocka_unit_test_setup(test_captures_gone_wrong, set_up),
        cmocka_unit_test_setup(test_contexts, set_up),
        cmocka_unit_test_setup(test_freed_memory, set_up),
        cmocka_unit_test_setup(test_out_of_bounds, set_up),
        cmocka_unit_test_setup(test_leaks, set_up),
        cmocka_unit_test_setup(test_faults, set_up),
        cmocka_unit_test_setup(test_external, set_up),
    };
    return cmocka_run_group_tests_name("fake_driver", tests, NULL, NULL);
}
