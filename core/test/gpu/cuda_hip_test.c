/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CUDA and HIP devices on the fake driver (test/fake_driver). Results are right on the first
 * submission, which enqueues commands, and on later ones, which launch a graph. When a call of the
 * driver fails, the error is returned, nothing leaks, and no context stays current. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "emulated.h"
#include "gpu/feature_gpu.h"
#include "gpu/import_tile.h"
#include "gpu/pages.h"
#include "gpu/backend/cuda_hip/api.h"
#include "testing.h"

GPU_PARAMS(ImportPlaneParams, IMPORT_PLANE_PARAMS);

/* ---- everything that a device is used for, once ---- */

/* A picture with rows 64 bytes apart, of which the kernel takes every other sample. */
enum { WIDTH = 32, ROWS = 16, STRIDE = 64, SIZE = STRIDE * ROWS, REPEATS = 4, PASSES = 12 };
#define WRONG 1

static const GpuForeign legacy = { 0, 0 }; /* the legacy stream */

typedef struct Rig {
    GpuDevice *dev;
    GpuBuffer *upload, *image, *planes, *readback, *imported;
    GpuKernel *kernel;
    GpuBindings *bindings;
    GpuCommands *transfer, *compute;
    GpuStamps *stamps;
    void *pages; /* plain memory, also imported as a buffer */
    GpuBuffer *pinned;
    int memory, semaphore; /* file descriptors */
    uintptr_t clock;
} Rig;

static int create_objects(Rig *rig)
{
    GpuDevice *dev = rig->dev;
    const GpuOps *ops = dev->ops;
    const KernelInfo *info = kernel_info_find("import_plane_8");
    const GpuHandle memory = { GPU_HANDLE_OPAQUE_FD, rig->memory, SIZE };
    const GpuHandle pages = { GPU_HANDLE_PAGES, (intptr_t)rig->pages, PAGES_ALIGN };
    const GpuHandle semaphore = { GPU_HANDLE_OPAQUE_FD, rig->semaphore, 8 };
    int err = ops->buffer_create(dev, GPU_UPLOAD, SIZE, &rig->upload);
    if (!err)
        err = ops->buffer_create(dev, GPU_DEVICE, SIZE, &rig->image);
    if (!err)
        err = ops->buffer_create(dev, GPU_DEVICE, PASSES * SIZE, &rig->planes);
    if (!err)
        err = ops->buffer_create(dev, GPU_READBACK, PASSES * SIZE, &rig->readback);
    if (!err)
        err = ops->buffer_import(dev, &memory, &rig->imported);
    if (!err)
        err = ops->buffer_import(dev, &pages, &rig->pinned);
    if (!err)
        err = cuda_hip_semaphore_import(dev, &semaphore, &rig->clock);
    if (!err)
        err = ops->kernel_get(dev, info, &rig->kernel);
    if (!err) {
        const GpuRange ranges[] = { { rig->image, 0, SIZE }, { rig->planes, 0, PASSES * SIZE } };
        err = ops->bindings_create(dev, rig->kernel, ranges, &rig->bindings);
    }
    if (!err)
        err = ops->commands_create(dev, GPU_TRANSFER, &rig->transfer);
    if (!err)
        err = ops->commands_create(dev, GPU_COMPUTE, &rig->compute);
    return err ? err : ops->stamps_create(dev, 2, &rig->stamps);
}

static void destroy_objects(Rig *rig)
{
    GpuDevice *dev = rig->dev;
    if (!dev)
        return;
    const GpuOps *ops = dev->ops;
    ops->drain(dev);
    emulated_wait_for_caller(dev);
    ops->stamps_destroy(dev, rig->stamps);
    ops->commands_destroy(dev, rig->compute);
    ops->commands_destroy(dev, rig->transfer);
    ops->bindings_destroy(dev, rig->bindings);
    cuda_hip_semaphore_destroy(dev, rig->clock);
    GpuBuffer *const buffers[] = { rig->pinned, rig->imported, rig->readback,
                                   rig->planes, rig->image,    rig->upload };
    for (size_t i = 0; i < COUNT(buffers); i++)
        ops->buffer_destroy(dev, buffers[i]);
    gpu_device_release(dev);
}

/* Pictures come from the driver's memory, from plain memory, and from memory of another API in
 * turn. */
static int record_upload(Rig *rig, unsigned seed)
{
    const GpuOps *ops = rig->dev->ops;
    GpuBuffer *const from[] = { rig->upload, rig->imported, rig->pinned };
    ops->begin(rig->transfer);
    ops->copy_rows(rig->transfer, &(GpuRows){ .from = from[seed % 3],
                                              .from_stride = STRIDE,
                                              .to = rig->image,
                                              .to_stride = STRIDE,
                                              .row = STRIDE - 1,
                                              .rows = ROWS });
    ops->barrier(rig->transfer);
    return ops->end(rig->transfer);
}

/* Records more passes of one stage than there are queues; each writes its own rows. */
static int record_work(Rig *rig, bool stamped)
{
    const GpuOps *ops = rig->dev->ops;
    ops->begin(rig->compute);
    if (stamped)
        ops->stamp(rig->compute, rig->stamps, 0);
    ops->fill(rig->compute, &(GpuRange){ rig->planes, 0, PASSES * SIZE }, 0x01010101);
    ops->barrier(rig->compute);
    for (unsigned i = 0; i < PASSES; i++) {
        const ImportPlaneParams params = { .width = WIDTH,
                                           .image_stride = STRIDE / 4,
                                           .plane_stride = STRIDE / 4,
                                           .plane_offset = i * SIZE / 4,
                                           .step = 1 + i % 2 };
        ops->dispatch(rig->compute, rig->kernel, rig->bindings, &params,
                      (unsigned[3]){ 1, ROWS, 1 });
    }
    ops->barrier(rig->compute);
    ops->copy(rig->compute, &(GpuRange){ rig->planes, 0, PASSES * SIZE },
              &(GpuRange){ rig->readback, 0, PASSES * SIZE });
    ops->barrier(rig->compute);
    if (stamped)
        ops->stamp(rig->compute, rig->stamps, 1);
    return ops->end(rig->compute);
}

static unsigned char sample(unsigned seed, unsigned y, unsigned x)
{
    return (unsigned char)(seed * 37 + y * 11 + x * 5);
}

static void paint(unsigned char *to, unsigned seed)
{
    for (unsigned y = 0; y < ROWS; y++)
        for (unsigned x = 0; x < STRIDE; x++)
            to[y * STRIDE + x] = sample(seed, y, x);
}

static bool is_right(const Rig *rig, unsigned seed)
{
    const unsigned char *got = rig->readback->host;
    for (unsigned i = 0; i < PASSES; i++)
        for (unsigned y = 0; y < ROWS; y++)
            for (unsigned x = 0; x < STRIDE; x++)
                if (got[i * SIZE + y * STRIDE + x] !=
                    (x < WIDTH ? sample(seed, y, x * (1 + i % 2)) : 1))
                    return false;
    return true;
}

/* Runs one frame: an upload, work that waits for it, and a foreign wait for that work. */
static int run_frame(Rig *rig, unsigned seed)
{
    GpuDevice *dev = rig->dev;
    void *shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, rig->memory, 0);
    void *const from[] = { rig->upload->host, shared, rig->pages };
    paint(from[seed % 3], seed);
    munmap(shared, SIZE);
    GpuPoint uploaded = { 0 }, done = { 0 };
    const GpuForeign signal = { rig->clock, seed + 1 }, before = { rig->clock, seed };
    int err = record_upload(rig, seed);
    if (!err)
        err = dev->ops->submit(dev,
                               &(GpuSubmit){ .queue = GPU_TRANSFER,
                                             .commands = &rig->transfer,
                                             .command_count = 1,
                                             .foreign_waits = seed ? &before : &legacy,
                                             .foreign_wait_count = 1 },
                               &uploaded);
    if (!err)
        err = dev->ops->submit(dev,
                               &(GpuSubmit){ .queue = GPU_COMPUTE,
                                             .commands = &rig->compute,
                                             .command_count = 1,
                                             .waits = &uploaded,
                                             .wait_count = 1,
                                             .foreign_signals = (GpuForeign[]){ legacy, signal },
                                             .foreign_signal_count = 2 },
                               &done);
    if (err)
        return err;
    const int reached = dev->ops->wait(dev, done, UINT64_MAX);
    return reached < 0 ? reached : reached == 1 && is_right(rig, seed) ? 0 : WRONG;
}

static int run_frames(Rig *rig)
{
    int err = record_work(rig, false);
    for (unsigned i = 0; i < REPEATS && !err; i++)
        err = run_frame(rig, i);
    if (!err)
        err = record_work(rig, true);
    if (!err)
        err = run_frame(rig, REPEATS);
    double times[2] = { -1, -1 };
    if (!err)
        err = rig->dev->ops->stamps_read(rig->dev, rig->stamps, times);
    return err ? err : times[0] == 0 && times[1] > 0 ? 0 : WRONG;
}

static bool failed_in_time; /* the failure came before the end, where no error can be returned */

static int run_all(void)
{
    Rig rig = { .pages = pages_alloc(PAGES_ALIGN),
                .memory = emulated_file(SIZE),
                .semaphore = emulated_file(8) };
    int err = emulated_open(&rig.dev);
    if (!err)
        err = create_objects(&rig);
    if (!err)
        err = run_frames(&rig);
    failed_in_time = emulated.failed();
    destroy_objects(&rig);
    if (!emulated_is_open(rig.memory) || !emulated_is_open(rig.semaphore))
        err = WRONG;
    close(rig.memory);
    close(rig.semaphore);
    pages_free(rig.pages, PAGES_ALIGN);
    return err;
}

/* ---- tests ---- */

static void works(void **state)
{
    const EmulatedBefore was = emulated_before();
    emulated.inject(NULL, 0, NULL);
    assert_int_equal(0, run_all());
    emulated_check("nothing fails", &was);
}

static bool has(const char *function, const char *part)
{
    return strstr(function, part);
}

/* True if the run may succeed although this function fails: it only frees or describes something,
 * or it is for graphs, which are optional. */
static bool may_be_overcome(const char *function)
{
    static const char *const parts[] = {
        "Destroy", "DeviceGet", "Free",       "Release",  "Unload",     "PopCurrent",
        "Version", "GetName",   "GetUuid",    "PCIBusId", "TotalMem",   "GetAttribute",
        "Capture", "Graph",     "LoadDataEx", "Count",    "Properties",
    };
    for (size_t i = 0; i < COUNT(parts); i++)
        if (has(function, parts[i]))
            return true;
    return false;
}

/* True if the run uses this function for required and for optional purposes, so that a failure may
 * go either way. */
static bool may_be_needless(const char *function)
{
    return has(function, "EventQuery") || has(function, "Launch") || has(function, "Memcpy") ||
           has(function, "Memset") || has(function, "EventRecord") || has(function, "WaitEvent") ||
           has(function, "PushCurrent");
}

/* True if what the failed call left in its context is freed with the context. */
static bool ends_context(const char *function, const char *what)
{
    return !strcmp(what, "lost") || has(function, "PushCurrent");
}

static void fail_each(const char *function, const char *what)
{
    const bool may_pass =
        may_be_overcome(function) || (strcmp(what, "lost") && may_be_needless(function));
    for (unsigned nth = 1;; nth++) {
        char text[128];
        snprintf(text, sizeof(text), "call %u of %s gives %s", nth, function, what);
        EmulatedBefore was = emulated_before();
        emulated.inject(function, nth, what);
        const int err = run_all();
        const bool failed = emulated.failed();
        emulated.inject(NULL, 0, NULL);
        if (err == WRONG || (err && !failed) || (!err && failed_in_time && !may_pass)) {
            print_error("%s: returned %d\n", text, err);
            fail();
        }
        if (failed && ends_context(function, what)) {
            emulated.reset();
            was.complaints = 0;
        }
        /* A failed capture is ended as it is. */
        if (failed && may_pass && emulated.complaints() == was.complaints + 1)
            was.complaints++;
        emulated_check(text, &was);
        if (!failed)
            return;
    }
}

static void survives(const char *what)
{
    const char *functions[96];
    unsigned count = 0;
    emulated.inject(NULL, 0, NULL);
    assert_int_equal(0, run_all());
    for (;; count++) {
        assert_true(count < COUNT(functions));
        emulated.calls(count, &functions[count]);
        if (!functions[count])
            break;
    }
    for (unsigned i = 0; i < count; i++)
        fail_each(functions[i], what);
}

static void survives_errors(void **state)
{
    survives("1");
}

static void survives_lack_of_memory(void **state)
{
    survives("2");
}

static void survives_loss(void **state)
{
    survives("lost");
}

/* Nothing leaks when our own allocations fail either. */
static void survives_lack_of_our_memory(void **state)
{
    for (unsigned long nth = 1;; nth++) {
        const EmulatedBefore was = emulated_before();
        mem_fail_after(nth);
        const int err = run_all();
        const bool failed = mem_fail_after(0) >= nth;
        assert_int_equal(failed ? -ENOMEM : 0, err);
        emulated_check("an allocation fails", &was);
        if (!failed)
            return;
    }
}

/* A device over the caller's context uses it, and leaves it as it was. */
static void adopts(void **state)
{
    const EmulatedBefore was = emulated_before();
    GpuDevice *device;
    GpuDeviceInfo info;
    Rig first = { 0 };
    assert_int_equal(0, emulated_open(&first.dev));
    const CudaHipApi *api = ((CudaHipDevice *)first.dev)->api;
    void *context = cuda_hip_context(first.dev);
    assert_int_equal(0, cuda_hip_adopt(api, context, &device, &info));
    assert_ptr_equal(context, cuda_hip_context(device));
    assert_string_equal(first.dev->name, info.name);
    gpu_device_release(device);
    GpuBuffer *buffer;
    assert_int_equal(0, first.dev->ops->buffer_create(first.dev, GPU_DEVICE, 4, &buffer));
    first.dev->ops->buffer_destroy(first.dev, buffer);
    assert_int_equal(0, cuda_hip_adopt(api, NULL, &device, &info));
    gpu_device_release(device);
    gpu_device_release(first.dev);
    emulated_check("adopting", &was);
}

/* Devices are fast at doubles if the API says that doubles run at half the rate of floats or
 * more. */
static void knows_who_is_fast_at_doubles(void **state)
{
    static const struct {
        const char *ratio;
        bool fast;
    } cases[] = { { "2", true }, { "1", true }, { "4", false }, { "64", false }, { "0", false } };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        Rig rig = { 0 };
        setenv("EMULATED_FLOATS_PER_DOUBLE", cases[i].ratio, 1);
        assert_int_equal(0, emulated_open(&rig.dev));
        assert_int_equal(emulated.prefix[0] == 'c' && cases[i].fast, rig.dev->tuning.doubles);
        gpu_device_release(rig.dev);
    }
    unsetenv("EMULATED_FLOATS_PER_DOUBLE");
}

/* ---- several kernels at once ---- */

/* Makes two new kernels ahead, with a third that exists already, and then asks for each of them. */
static int make_kernels(void)
{
    const KernelInfo *const infos[] = { kernel_info_find("psnr_sse_8"),
                                        kernel_info_find("motion_sad_8"),
                                        kernel_info_find("import_plane_8") };
    GpuKernel *kernels[COUNT(infos)] = { NULL }, *again;
    Rig rig = { 0 };
    int err = emulated_open(&rig.dev);
    if (!err)
        err = rig.dev->ops->kernel_get(rig.dev, infos[2], &kernels[2]);
    if (!err)
        rig.dev->ops->kernels_ahead(rig.dev, infos, COUNT(infos));
    for (unsigned i = 0; i < COUNT(infos) && !err; i++) {
        err = rig.dev->ops->kernel_get(rig.dev, infos[i], &again);
        if (!err && (kernels[i] ? kernels[i] != again : !((CudaHipKernel *)again)->function))
            err = WRONG;
    }
    failed_in_time = emulated.failed();
    if (rig.dev)
        gpu_device_release(rig.dev);
    return err;
}

static void makes_several(void **state)
{
    const bool together = emulated.prefix[0] == 'c';
    const EmulatedBefore was = emulated_before();
    emulated.inject(NULL, 0, NULL);
    assert_int_equal(0, make_kernels());
    assert_int_equal(together ? 1 : 0, emulated_calls_of("cuModuleLoadDataEx"));
    assert_int_equal(together ? 1 : 3,
                     emulated_calls_of(together ? "cuModuleLoadData" : "hipModuleLoadData"));
    emulated_check("several kernels", &was);
}

/* If kernels cannot be made together they are made one by one. */
static void makes_each_if_not_several(void **state)
{
    static const char *const calls[] = { "cuModuleLoadDataEx", "cuModuleGetFunction",
                                         "cuFuncGetAttribute" };
    if (emulated.prefix[0] != 'c')
        skip();
    for (unsigned i = 0; i < COUNT(calls); i++) {
        const EmulatedBefore was = emulated_before();
        emulated.inject(NULL, 0, NULL);
        assert_int_equal(0, make_kernels());
        const unsigned all = emulated_calls_of(calls[i]);
        for (unsigned nth = 1; nth <= all; nth++) {
            emulated.inject(calls[i], nth, "1");
            const int err = make_kernels();
            assert_true(err != WRONG);
            if (i == 0) {
                assert_int_equal(0, err);
                assert_int_equal(3, emulated_calls_of("cuModuleLoadData"));
            }
        }
        emulated.inject(NULL, 0, NULL);
        emulated_check(calls[i], &was);
    }
    for (unsigned long nth = 1;; nth++) {
        const EmulatedBefore was = emulated_before();
        mem_fail_after(nth);
        const int err = make_kernels();
        const bool failed = mem_fail_after(0) >= nth;
        assert_true(!err || (failed && err == -ENOMEM));
        emulated_check("an allocation fails", &was);
        if (!failed)
            return;
    }
}

TEST_MAIN(cuda_hip)
{
    emulated_find(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(works),
        cmocka_unit_test(survives_errors),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(survives_loss),
        cmocka_unit_test(survives_lack_of_our_memory),
        cmocka_unit_test(adopts),
        cmocka_unit_test(knows_who_is_fast_at_doubles),
        cmocka_unit_test(makes_several),
        cmocka_unit_test(makes_each_if_not_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
