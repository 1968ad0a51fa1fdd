/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CUDA and HIP devices on a driver for tests (test/driver): what is done comes out right on the first
 * submission, which enqueues commands, and on later ones, which launch a graph; and when any call of the
 * driver fails, the error comes back, nothing is left behind, and no context stays current. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "driver/device.h"
#include "gpu/feature_gpu.h"
#include "gpu/import_tile.h"
#include "gpu/pages.h"
#include "hip/symbols.h"
#include "testing.h"

GPU_PARAMS(ImportPlaneParams, IMPORT_PLANE_PARAMS);

/* ---- the driver for tests ---- */

static const GpuBackend *backend;
static const char *library_name, *prefix;
static int (*emulated_fail)(const char *function, unsigned nth, const char *what);
static int (*emulated_failed)(void);
static unsigned (*emulated_calls)(unsigned i, const char **function);
static int (*emulated_schedule)(const char *text);
static unsigned (*emulated_complaints)(void);
static long (*emulated_leaks)(void);
static void (*emulated_reset)(void);
static int (*pop_context)(void **context);

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        printf("%s has no %s: not the driver for tests\n", library_name, name);
        exit(77);
    }
    return found;
}

static void find_emulator(void)
{
    void *library = dlopen(library_name, RTLD_NOW);
    if (!library) {
        printf("no %s\n", library_name);
        exit(77);
    }
    emulated_fail = symbol(library, "emulated_fail");
    emulated_failed = symbol(library, "emulated_failed");
    emulated_calls = symbol(library, "emulated_calls");
    emulated_schedule = symbol(library, "emulated_schedule");
    emulated_complaints = symbol(library, "emulated_complaints");
    emulated_leaks = symbol(library, "emulated_leaks");
    emulated_reset = symbol(library, "emulated_reset");
    char name[64];
    snprintf(name, sizeof(name), "%sCtxPopCurrent%s", prefix, prefix[0] == 'c' ? "_v2" : "");
    pop_context = symbol(library, name);
}

/* ---- all that a device is used for, once ---- */

/* A picture of rows that are 64 bytes apart, of which the kernel takes every other sample. */
enum { WIDTH = 32, ROWS = 16, STRIDE = 64, SIZE = STRIDE * ROWS, REPEATS = 4, PASSES = 12 };
#define WRONG 1

static const GpuForeign legacy = { 0, 0 }; /* stream */

typedef struct Rig {
    GpuDevice *dev;
    GpuBuffer *upload, *image, *planes, *readback, *imported;
    GpuKernel *kernel;
    GpuBindings *bindings;
    GpuCommands *transfer, *compute;
    GpuStamps *stamps;
    void *pages; /* plain memory, as a buffer, too */
    GpuBuffer *pinned;
    int memory, semaphore; /* descriptors */
    uintptr_t clock;
} Rig;

static int file_of(size_t size)
{
    const int fd = memfd_create("shared", 0);
    assert_true(fd >= 0);
    assert_int_equal(0, ftruncate(fd, (off_t)size));
    return fd;
}

static int open_device(Rig *rig)
{
    GpuProbe *probe;
    int err = backend->probe(backend, false, &probe);
    if (err)
        return err;
    err = probe->devices[0].missing[0] ? -ENOTSUP : backend->open(probe, 0, &rig->dev);
    backend->probe_end(probe);
    return err;
}

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
        err = driver_semaphore_import(dev, &semaphore, &rig->clock);
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

/* What we were asked to let the caller's stream wait for. */
static void wait_for_callers_stream(GpuDevice *gpu)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    if (!driver_enter_anyway(dev))
        return;
    if (dev->api->call.StreamSynchronize(NULL)) /* let to fail, perhaps, and only once */
        dev->api->call.StreamSynchronize(NULL);
    driver_leave(dev);
}

/* Descriptors given away stay ours. */
static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void destroy_objects(Rig *rig)
{
    GpuDevice *dev = rig->dev;
    if (!dev)
        return;
    const GpuOps *ops = dev->ops;
    ops->drain(dev);
    wait_for_callers_stream(dev);
    ops->stamps_destroy(dev, rig->stamps);
    ops->commands_destroy(dev, rig->compute);
    ops->commands_destroy(dev, rig->transfer);
    ops->bindings_destroy(dev, rig->bindings);
    driver_semaphore_destroy(dev, rig->clock);
    GpuBuffer *const buffers[] = { rig->pinned, rig->imported, rig->readback,
                                   rig->planes, rig->image,    rig->upload };
    for (size_t i = 0; i < COUNT(buffers); i++)
        ops->buffer_destroy(dev, buffers[i]);
    gpu_device_release(dev);
}

/* Pictures come from memory of the driver's, plain memory, and memory of another API in turn. */
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

/* Passes of one stage, more than there are lanes; each writes rows of its own. */
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

/* One frame: an upload, the work that waits for it, and others who wait for that. */
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

static bool failed_in_time; /* before the end, where nothing can come back */

static int run_all(void)
{
    Rig rig = { .pages = pages_alloc(PAGES_ALIGN),
                .memory = file_of(SIZE),
                .semaphore = file_of(8) };
    int err = open_device(&rig);
    if (!err)
        err = create_objects(&rig);
    if (!err)
        err = run_frames(&rig);
    failed_in_time = emulated_failed();
    destroy_objects(&rig);
    if (!is_open(rig.memory) || !is_open(rig.semaphore))
        err = WRONG;
    close(rig.memory);
    close(rig.semaphore);
    pages_free(rig.pages, PAGES_ALIGN);
    return err;
}

/* ---- tests ---- */

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += is_open(fd);
    return count;
}

/* How things were before. */
typedef struct Before {
    long live;
    unsigned descriptors, complaints;
} Before;

static Before before(void)
{
    return (Before){ mem_live(), open_descriptors(), emulated_complaints() };
}

static void check_clean(const char *what, const Before *was)
{
    const long blocks = mem_live() - was->live, objects = emulated_leaks();
    const int descriptors = (int)open_descriptors() - (int)was->descriptors;
    const unsigned complaints = emulated_complaints() - was->complaints;
    void *context;
    const bool current = !pop_context(&context);
    if (!blocks && !objects && !descriptors && !complaints && !current)
        return;
    print_error("%s: %ld blocks, %ld objects of the driver and %d descriptors left behind, %u "
                "complaints, %s\n",
                what, blocks, objects, descriptors, complaints,
                current ? "a context left current" : "no context");
    fail();
}

static void works(void **state)
{
    const Before was = before();
    emulated_fail(NULL, 0, NULL);
    assert_int_equal(0, run_all());
    check_clean("nothing fails", &was);
}

static bool has(const char *function, const char *part)
{
    return strstr(function, part);
}

/* What may fail without an error: what only frees or describes, and graphs, without which it goes on. */
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

/* Such calls serve both kinds of purpose, or are made again: which of them it was cannot be told. */
static bool may_be_needless(const char *function)
{
    return has(function, "EventQuery") || has(function, "Launch") || has(function, "Memcpy") ||
           has(function, "Memset") || has(function, "EventRecord") || has(function, "WaitEvent") ||
           has(function, "PushCurrent");
}

/* What such a call left in its context goes with that. */
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
        Before was = before();
        emulated_fail(function, nth, what);
        const int err = run_all();
        const bool failed = emulated_failed();
        emulated_fail(NULL, 0, NULL);
        if (err == WRONG || (err && !failed) || (!err && failed_in_time && !may_pass)) {
            print_error("%s: returned %d\n", text, err);
            fail();
        }
        if (failed && ends_context(function, what)) {
            emulated_reset();
            was.complaints = 0;
        }
        /* A capture that went wrong is ended as it is. */
        if (failed && may_pass && emulated_complaints() == was.complaints + 1)
            was.complaints++;
        check_clean(text, &was);
        if (!failed)
            return;
    }
}

static void survives(const char *what)
{
    const char *functions[96];
    unsigned count = 0;
    emulated_fail(NULL, 0, NULL);
    assert_int_equal(0, run_all());
    for (;; count++) {
        assert_true(count < COUNT(functions));
        emulated_calls(count, &functions[count]);
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

/* No allocation of ours may fail badly either. */
static void survives_lack_of_our_memory(void **state)
{
    for (unsigned long nth = 1;; nth++) {
        const Before was = before();
        mem_fail_after(nth);
        const int err = run_all();
        const bool failed = mem_fail_after(0) >= nth;
        assert_int_equal(failed ? -ENOMEM : 0, err);
        check_clean("an allocation fails", &was);
        if (!failed)
            return;
    }
}

/* A context of the caller's is used, and stays as it was. */
static void adopts(void **state)
{
    const Before was = before();
    GpuDevice *device;
    GpuDeviceInfo info;
    Rig first = { 0 };
    assert_int_equal(0, open_device(&first));
    const DriverApi *api = ((DriverDevice *)first.dev)->api;
    void *context = driver_context(first.dev);
    assert_int_equal(0, driver_adopt(api, context, &device, &info));
    assert_ptr_equal(context, driver_context(device));
    assert_string_equal(first.dev->name, info.name);
    gpu_device_release(device);
    GpuBuffer *buffer;
    assert_int_equal(0, first.dev->ops->buffer_create(first.dev, GPU_DEVICE, 4, &buffer));
    first.dev->ops->buffer_destroy(first.dev, buffer);
    assert_int_equal(0, driver_adopt(api, NULL, &device, &info));
    gpu_device_release(device);
    gpu_device_release(first.dev);
    check_clean("adopting", &was);
}

/* Where the API tells that doubles run at half the rate of floats or more. */
static void knows_who_is_fast_at_doubles(void **state)
{
    static const struct {
        const char *ratio;
        bool fast;
    } cases[] = { { "2", true }, { "1", true }, { "4", false }, { "64", false }, { "0", false } };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        Rig rig = { 0 };
        setenv("EMULATED_FLOATS_PER_DOUBLE", cases[i].ratio, 1);
        assert_int_equal(0, open_device(&rig));
        assert_int_equal(prefix[0] == 'c' && cases[i].fast, rig.dev->tuning.doubles);
        gpu_device_release(rig.dev);
    }
    unsetenv("EMULATED_FLOATS_PER_DOUBLE");
}

static unsigned calls_of(const char *function)
{
    const char *name;
    for (unsigned i = 0;; i++) {
        const unsigned calls = emulated_calls(i, &name);
        if (!name)
            return 0;
        if (!strcmp(name, function))
            return calls;
    }
}

/* ---- clearing ---- */

#define HALF (DRIVER_ZEROS / 2)

static int clear(Rig *rig, GpuBuffer *buffer, GpuBuffer *seen, const GpuRange *range)
{
    const GpuOps *ops = rig->dev->ops;
    GpuPoint done = { 0 };
    ops->begin(rig->transfer);
    ops->fill(rig->transfer, &(GpuRange){ buffer, 0, HALF }, 0x01010101);
    ops->fill(rig->transfer, &(GpuRange){ buffer, HALF, buffer->size - HALF }, 0x01010101);
    ops->barrier(rig->transfer);
    ops->fill(rig->transfer, range, 0);
    ops->barrier(rig->transfer);
    ops->copy(rig->transfer, &(GpuRange){ buffer, 0, buffer->size },
              &(GpuRange){ seen, 0, seen->size });
    ops->barrier(rig->transfer);
    const GpuSubmit submit = { .queue = GPU_TRANSFER,
                               .commands = &rig->transfer,
                               .command_count = 1 };
    return ops->end(rig->transfer) || gpu_device_submit(rig->dev, &submit, &done) ||
           gpu_device_wait(rig->dev, done);
}

/* Zeros among uploads are copied while there are enough of them; what is cleared is the same. */
static void clears(void **state)
{
    static const size_t sizes[] = { 4, 256, DRIVER_ZEROS, DRIVER_ZEROS + 4 };
    char memset_name[64];
    Rig rig = { 0 };
    GpuBuffer *buffer, *seen;
    assert_int_equal(0, open_device(&rig));
    const GpuOps *const ops = rig.dev->ops;
    assert_int_equal(0, ops->commands_create(rig.dev, GPU_TRANSFER, &rig.transfer));
    assert_int_equal(0, ops->buffer_create(rig.dev, GPU_DEVICE, DRIVER_ZEROS + 64, &buffer));
    assert_int_equal(0, ops->buffer_create(rig.dev, GPU_READBACK, DRIVER_ZEROS + 64, &seen));
    snprintf(memset_name, sizeof(memset_name), "%sMemsetD32Async", prefix);
    for (unsigned i = 0; i < COUNT(sizes); i++) {
        emulated_fail(NULL, 0, NULL); /* counts anew */
        assert_int_equal(0, clear(&rig, buffer, seen, &(GpuRange){ buffer, 8, sizes[i] }));
        assert_int_equal(sizes[i] > DRIVER_ZEROS ? 3 : 2, calls_of(memset_name));
        const char *const bytes = seen->host;
        for (size_t at = 0; at < seen->size; at++)
            assert_int_equal(at < 8 || at >= 8 + sizes[i], bytes[at]);
    }
    ops->buffer_destroy(rig.dev, seen);
    ops->buffer_destroy(rig.dev, buffer);
    ops->commands_destroy(rig.dev, rig.transfer);
    gpu_device_release(rig.dev);
}

/* ---- several kernels at once ---- */

/* Two kernels ahead, a third that is there already, and each of them as it is asked for. */
static int make_kernels(void)
{
    const KernelInfo *const infos[] = { kernel_info_find("psnr_sse_8"),
                                        kernel_info_find("motion_sad_8"),
                                        kernel_info_find("import_plane_8") };
    GpuKernel *kernels[COUNT(infos)] = { NULL }, *again;
    Rig rig = { 0 };
    int err = open_device(&rig);
    if (!err)
        err = rig.dev->ops->kernel_get(rig.dev, infos[2], &kernels[2]);
    if (!err)
        rig.dev->ops->kernels_ahead(rig.dev, infos, COUNT(infos));
    for (unsigned i = 0; i < COUNT(infos) && !err; i++) {
        err = rig.dev->ops->kernel_get(rig.dev, infos[i], &again);
        if (!err && (kernels[i] ? kernels[i] != again : !((DriverKernel *)again)->function))
            err = WRONG;
    }
    failed_in_time = emulated_failed();
    if (rig.dev)
        gpu_device_release(rig.dev);
    return err;
}

static void makes_several(void **state)
{
    const bool together = prefix[0] == 'c';
    const Before was = before();
    emulated_fail(NULL, 0, NULL);
    assert_int_equal(0, make_kernels());
    assert_int_equal(together ? 1 : 0, calls_of("cuModuleLoadDataEx"));
    assert_int_equal(together ? 1 : 3,
                     calls_of(together ? "cuModuleLoadData" : "hipModuleLoadData"));
    check_clean("several kernels", &was);
}

/* What cannot be made together is made one by one. */
static void makes_each_if_not_several(void **state)
{
    static const char *const calls[] = { "cuModuleLoadDataEx", "cuModuleGetFunction",
                                         "cuFuncGetAttribute" };
    if (prefix[0] != 'c')
        skip();
    for (unsigned i = 0; i < COUNT(calls); i++) {
        const Before was = before();
        emulated_fail(NULL, 0, NULL);
        assert_int_equal(0, make_kernels());
        const unsigned all = calls_of(calls[i]);
        for (unsigned nth = 1; nth <= all; nth++) {
            emulated_fail(calls[i], nth, "1");
            const int err = make_kernels();
            assert_true(err != WRONG);
            if (i == 0) {
                assert_int_equal(0, err);
                assert_int_equal(3, calls_of("cuModuleLoadData"));
            }
        }
        emulated_fail(NULL, 0, NULL);
        check_clean(calls[i], &was);
    }
    for (unsigned long nth = 1;; nth++) {
        const Before was = before();
        mem_fail_after(nth);
        const int err = make_kernels();
        const bool failed = mem_fail_after(0) >= nth;
        assert_true(!err || (failed && err == -ENOMEM));
        check_clean("an allocation fails", &was);
        if (!failed)
            return;
    }
}

/* ---- streams of others, and many submissions ---- */

typedef struct Copier {
    GpuDevice *dev;
    GpuBuffer *upload, *there, *readback;
    GpuCommands *commands;
} Copier;

static void copier_create(Copier *c, enum GpuQueue queue, size_t size)
{
    Rig rig = { 0 };
    assert_int_equal(0, open_device(&rig));
    c->dev = rig.dev;
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
    wait_for_callers_stream(c->dev);
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

/* Only what somebody waits for is done. */
static int set_lazy(void **state)
{
    return emulated_schedule("lazy");
}

static int set_random(void **state)
{
    return emulated_schedule("random");
}

/* As a filter does it that copies on the legacy stream and waits for nothing. */
static void waits_for_callers_stream(void **state)
{
    const Before was = before();
    Copier c;
    GpuPoint done;
    copier_create(&c, GPU_COMPUTE, SIZE);
    DriverDevice *dev = (DriverDevice *)c.dev;
    record_copy(&c, c.there, c.readback, 0, SIZE);
    assert_int_equal(0, driver_enter(dev));
    assert_int_equal(
        0, dev->api->call.MemcpyHtoDAsync(driver_address(c.there), c.upload->host, SIZE, NULL));
    driver_leave(dev);
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
    check_clean("waiting for a stream", &was);
}

static void callers_stream_waits(void **state)
{
    const Before was = before();
    Copier c;
    copier_create(&c, GPU_TRANSFER, SIZE);
    DriverDevice *dev = (DriverDevice *)c.dev;
    record_copy(&c, c.upload, c.there, 0, SIZE);
    assert_int_equal(0, c.dev->ops->submit(c.dev,
                                           &(GpuSubmit){ .queue = GPU_TRANSFER,
                                                         .commands = &c.commands,
                                                         .command_count = 1,
                                                         .foreign_signals = &legacy,
                                                         .foreign_signal_count = 1 },
                                           NULL));
    assert_int_equal(0, driver_enter(dev));
    assert_int_equal(
        0, dev->api->call.MemcpyDtoHAsync(c.readback->host, driver_address(c.there), SIZE, NULL));
    driver_leave(dev);
    wait_for_callers_stream(c.dev);
    assert_memory_equal(c.upload->host, c.readback->host, SIZE);
    copier_destroy(&c);
    check_clean("a stream that waits", &was);
}

/* More than there are events for. */
static void takes_many_submissions(void **state)
{
    enum { MANY = 3 * DRIVER_POINTS + 5 };
    const Before was = before();
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
    /* Points are reached in order: the last one first asks for all of them. */
    for (unsigned i = MANY; i-- > 0;)
        assert_int_equal(1, c.dev->ops->wait(c.dev, points[i], i == MANY - 1 ? UINT64_MAX : 0));
    assert_memory_equal(c.upload->host, c.readback->host, 4 * MANY);
    for (unsigned i = 0; i < MANY; i++)
        c.dev->ops->commands_destroy(c.dev, each[i]);
    c.commands = first;
    copier_destroy(&c);
    check_clean("many submissions", &was);
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
    const int semaphore = file_of(8);
    assert_int_equal(0, driver_semaphore_import(
                            c.dev, &(GpuHandle){ GPU_HANDLE_OPAQUE_FD, semaphore, 8 }, &clock));
    emulated_fail(prefix[0] == 'c' ? "cuMemcpyHtoDAsync_v2" : "hipMemcpyHtoDAsync", 1, "hang");
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
    /* Nor are others told that it is done. */
    assert_int_equal(8, pread(semaphore, &time, 8, 0));
    assert_int_equal(0, time);
    close(semaphore);
    emulated_fail(prefix[0] == 'c' ? "cuEventQuery" : "hipEventQuery", 2, "lost");
    assert_int_equal(-EIO, c.dev->ops->wait(c.dev, done, UINT64_MAX));
    assert_int_equal(-EIO, c.dev->ops->wait(c.dev, done, 0));
    assert_int_equal(-EIO, c.dev->ops->drain(c.dev));
    emulated_fail(NULL, 0, NULL);
    emulated_reset();
    copier_destroy(&c); /* of a context that is no more */
    assert_int_equal(live, mem_live());
}

/* ---- bundles ---- */

#ifdef HAVE_HIP
static void finds_architectures(void **state)
{
    unsigned char bundle[256] = "__CLANG_OFFLOAD_BUNDLE__";
    static const char *const names[] = { "host-x86_64-unknown-linux--",
                                         "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-",
                                         "hipv4-amdgcn-amd-amdhsa--gfx1030" };
    size_t at = 24;
    bundle[at] = COUNT(names);
    at += 8;
    for (unsigned i = 0; i < COUNT(names); i++) {
        bundle[at + 8] = i > 0; /* bytes of code */
        bundle[at + 16] = (unsigned char)strlen(names[i]);
        memcpy(bundle + at + 24, names[i], strlen(names[i]));
        at += 24 + strlen(names[i]);
    }
    assert_true(hip_bundle_has(bundle, at, "gfx1030"));
    assert_true(hip_bundle_has(bundle, at, "gfx90a:sramecc+:xnack-"));
    assert_false(hip_bundle_has(bundle, at, "gfx103"));
    assert_false(hip_bundle_has(bundle, at, "gfx10300"));
    assert_false(hip_bundle_has(bundle, at, ""));
    for (size_t size = 0; size < at; size++) /* cut short */
        assert_false(hip_bundle_has(bundle, size, "gfx1030"));
    assert_false(hip_bundle_has("something else, and long enough for it", 32, "gfx1030"));
}
#endif

int main(int argc, char **argv)
{
    if (argc != 2 || !(backend = gpu_backend_find(argv[1])) || !backend->probe)
        return 77;
    const bool cuda = !strcmp(argv[1], "cuda");
    library_name = cuda ? "libcuda.so.1" : "libamdhip64.so.7";
    prefix = cuda ? "cu" : "hip";
    find_emulator();
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(works),
        cmocka_unit_test(survives_errors),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(survives_loss),
        cmocka_unit_test(survives_lack_of_our_memory),
        cmocka_unit_test(adopts),
        cmocka_unit_test(knows_who_is_fast_at_doubles),
        cmocka_unit_test(clears),
        cmocka_unit_test(makes_several),
        cmocka_unit_test(makes_each_if_not_several),
        cmocka_unit_test_setup_teardown(waits_for_callers_stream, set_lazy, set_random),
        cmocka_unit_test_setup_teardown(callers_stream_waits, set_lazy, set_random),
        cmocka_unit_test(takes_many_submissions),
#ifdef HAVE_HIP
        cmocka_unit_test(finds_architectures),
#endif
        cmocka_unit_test(hangs_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
