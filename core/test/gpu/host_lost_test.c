/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A GPU that never finishes. For every n the n-th submission hangs: the run ends with -EIO, the
 * device is given up for all its users, and closing does not wait. When the device resumes after
 * everything was closed, all memory that it writes to still exists (the sanitizers check that). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/import.h"
#include "gpu/client.h"
#include "gpu/slot.h"
#include "gpu/upload.h"
#include "gpu/backend/host/host.h"
#include "score.h"
#include "testing.h"

static const SynthClip clip = { "small", SYNTH_NOISE, 40, 24, VMAF_PIX_FMT_YUV420P, 8, 5 };
static const ClipFeature features[] = { { "psnr", { 0 } },
                                        { "motion", { 0 } },
                                        { "on_cpu", { 0 } } }; /* on the CPU beside it */

static VmafDevice *open_device(size_t own_upload_bytes, GpuDevice **gpu)
{
    GpuSession *session;
    const GpuDeviceInfo info = { .type = VMAF_DEVICE_SOFTWARE };
    assert_int_equal(0, host_open(&(HostParams){ .schedule = HOST_RANDOM, .seed = 3 }, gpu));
    assert_int_equal(0, session_adopt(&session, gpu_backend_find("host"), *gpu, &info, 3));
    (*gpu)->tuning.own_upload_bytes = own_upload_bytes;
    return (VmafDevice *)session;
}

static ScoreRun a_run(VmafDevice *device)
{
    return (ScoreRun){
        .device = device, .clip = &clip, .features = features, .feature_count = COUNT(features)
    };
}

/* ---- what is done on the device ---- */

static int run_whole(VmafDevice *device)
{
    ScoreRun run = a_run(device);
    char *scores;
    const int err = score_run(&run, &scores);
    free(scores);
    return err;
}

/* With threads, pooled upload pictures, and no flush. One picture is never released. */
static int run_left(VmafDevice *device)
{
    ScoreRun run = a_run(device);
    VmafContext *vmaf;
    VmafPicture kept = { 0 };
    run.pooled = true;
    run.threads = 2;
    int err = score_open(&run, &vmaf);
    if (err)
        return err;
    err = vmaf_fetch_preallocated_picture(vmaf, &kept);
    for (unsigned t = 0; t < clip.frames && !err; t++)
        err = score_read(&run, vmaf, t, t);
    vmaf_close(vmaf);
    if (kept.ref) {
        memset(kept.data[0], 1, clip.width);
        vmaf_picture_unref(&kept);
    }
    return err;
}

/* Pictures that are on the device already; the feature on the CPU makes them be fetched. */
static int copy_nothing(ImportTarget *target, const void *source)
{
    GpuBuffer *raw;
    return import_unpack_begin(target, &raw);
}

static int run_imports(VmafDevice *device)
{
    ScoreRun run = a_run(device);
    VmafContext *vmaf;
    int err = score_open(&run, &vmaf);
    if (err)
        return err;
    GpuClient *client = client_of(vmaf, ((GpuSession *)device)->backend);
    for (unsigned t = 0; t < clip.frames && !err; t++) {
        for (unsigned side = 0; side < 2 && !err; side++) {
            const GpuIncoming in = { .w = clip.width,
                                     .h = clip.height,
                                     .bpc = clip.bitdepth,
                                     .pix_fmt = clip.pix_fmt,
                                     .is_ref = side,
                                     .index = t };
            err = imports_add(client->imports, &in, copy_nothing, NULL);
        }
        if (!err)
            err = client_read_imported(client, t);
    }
    if (!err)
        err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    vmaf_close(vmaf);
    return err;
}

/* A context that existed before, and runs after the device was given up. */
static void check_others(VmafDevice *device, VmafContext *early)
{
    ScoreRun run = a_run(device);
    VmafContext *late;
    VmafPicture pic;
    assert_int_equal(-EIO, score_read(&run, early, 0, 0));
    assert_int_equal(0, vmaf_close(early));
    assert_int_equal(0, score_open(&run, &late));
    assert_int_equal(-EIO, score_read(&run, late, 0, 0));
    const VmafPictureConfiguration pool = { .pic_params = { 40, 24, 8, VMAF_PIX_FMT_YUV420P },
                                            .pic_cnt = 4 };
    assert_int_equal(-EIO, vmaf_preallocate_pictures(late, pool));
    assert_int_equal(-EINVAL, vmaf_fetch_preallocated_picture(late, &pic));
    assert_int_equal(0, vmaf_close(late));
}

/* Each lost device leaves the stacks of its fibers behind, which makes the thread sanitizer
 * slow. */
#ifdef __SANITIZE_THREAD__
#define STEP 5
#else
#define STEP 1
#endif

/* Lets each submission hang in turn. Returns the number of submissions. */
static unsigned hang_each(int (*run)(VmafDevice *device), size_t own_upload_bytes)
{
    for (unsigned nth = 1;; nth += STEP) {
        GpuDevice *gpu;
        VmafDevice *device = open_device(own_upload_bytes, &gpu);
        VmafContext *early;
        ScoreRun other = a_run(device);
        assert_int_equal(0, vmaf_device_is_lost(device));
        assert_int_equal(0, score_open(&other, &early));
        host_fail(gpu, HOST_SUBMIT, nth, HOST_HANG);
        const int err = run(device);
        /* A run that ended early may not have waited for the hanging work; closing then notices. */
        const bool hung = host_fail(gpu, HOST_NO_OPERATION, 0, 0) >= nth;
        if (!hung) {
            assert_int_equal(0, err);
            assert_int_equal(0, vmaf_close(early));
            vmaf_device_close(&device);
            return nth - 1;
        }
        assert_true(err == -EIO || (err == 0 && run == run_left));
        assert_int_equal(1, vmaf_device_is_lost(device));
        check_others(device, early);
        vmaf_device_close(&device);
        assert_int_equal(0, host_resume(gpu));
        assert_true(nth < 1000);
    }
}

static void a_hung_device_is_given_up(void **state)
{
    static const struct {
        const char *name;
        int (*run)(VmafDevice *device);
    } runs[] = { { "whole", run_whole }, { "left", run_left }, { "imports", run_imports } };
    for (unsigned i = 0; i < COUNT(runs); i++) {
        for (unsigned queue = 0; queue < 2; queue++) {
            const unsigned count = hang_each(runs[i].run, queue ? SIZE_MAX : 0);
            print_message("%s: %u submissions\n", runs[i].name, count);
            assert_true(count > 3);
        }
    }
}

/* Nothing waited for the work before the context was closed. */
static void closing_gives_up_too(void **state)
{
    GpuDevice *gpu;
    VmafDevice *device = open_device(0, &gpu);
    GpuCommands *commands;
    GpuPoint done;
    assert_int_equal(0, gpu->ops->commands_create(gpu, GPU_COMPUTE, &commands));
    gpu->ops->begin(commands);
    assert_int_equal(0, gpu->ops->end(commands));
    host_fail(gpu, HOST_SUBMIT, 1, HOST_HANG);
    const GpuSubmit submit = { .queue = GPU_COMPUTE, .commands = &commands, .command_count = 1 };
    assert_int_equal(0, gpu_device_submit(gpu, &submit, &done));
    vmaf_device_close(&device);
    assert_true(gpu_device_is_abandoned(gpu));
    assert_int_equal(0, host_resume(gpu));
}

/* ---- code that waits by itself ---- */

#define BYTES 256

static uintptr_t address_of(const GpuBuffer *buffer)
{
    return (uintptr_t)buffer;
}

static int fill_a_block(GpuDevice *gpu)
{
    void *block;
    return upload_alloc_device(gpu, BYTES, address_of, &block);
}

static int view_a_picture(GpuDevice *gpu)
{
    const Graph graph = { .device = gpu, .picture_bytes = BYTES };
    GpuBuffer *buffer;
    VmafPicture view;
    assert_int_equal(0, gpu->ops->buffer_create(gpu, GPU_DEVICE, BYTES, &buffer));
    return slot_view(&graph, buffer, 1, &view);
}

static int fetch_what_was_kept(GpuDevice *gpu)
{
    PlanBuffer buffer = { .role = PLAN_SCRATCH, .size = BYTES, .kept = 1 };
    GpuPlan plan = { .buffers = &buffer, .buffer_count = 1 };
    GpuRange range = { .size = BYTES };
    GraphFeature feature = { .plan = &plan, .ranges = &range };
    const Graph graph = { .device = gpu, .features = &feature, .feature_count = 1 };
    Slot slot = { 0 };
    char bytes[BYTES];
    assert_int_equal(0, gpu->ops->buffer_create(gpu, GPU_DEVICE, BYTES, &slot.scratch));
    return gpu_fetch(&(GpuFrame){ .graph = &graph, .slot = &slot }, 0, bytes, BYTES);
}

/* Code that runs commands and then frees them must leave them to a device that was given up. */
static void commands_are_left_to_it(void **state)
{
    static int (*const runs[])(GpuDevice * gpu) = { fill_a_block, view_a_picture,
                                                    fetch_what_was_kept };
    for (unsigned i = 0; i < COUNT(runs); i++) {
        GpuDevice *gpu;
        assert_int_equal(0, host_open(&(HostParams){ .schedule = HOST_LAZY }, &gpu));
        host_fail(gpu, HOST_SUBMIT, 1, HOST_HANG);
        assert_int_equal(-EIO, runs[i](gpu));
        assert_true(gpu_device_is_abandoned(gpu));
        assert_int_equal(0, host_resume(gpu));
    }
}

/* ---- several devices ---- */

/* Submits work that copies from the block and never ends. */
static void hang_over(GpuDevice *gpu, const void *block)
{
    GpuBuffer *to;
    GpuCommands *commands;
    GpuRange from;
    const FrameShape shape = { .pix_fmt = VMAF_PIX_FMT_YUV400P, .bpc = 8, .w = { 64 }, .h = { 4 } };
    VmafPicture pic = { .pix_fmt = VMAF_PIX_FMT_YUV400P, .bpc = 8, .w = { 64 }, .h = { 4 } };
    pic.data[0] = (void *)block;
    pic.stride[0] = (ptrdiff_t)picture_stride(&shape, 0);
    assert_true(upload_find(gpu, &pic, 0, BYTES, &from));
    assert_int_equal(0, gpu->ops->buffer_create(gpu, GPU_DEVICE, BYTES, &to));
    assert_int_equal(0, gpu->ops->commands_create(gpu, GPU_COMPUTE, &commands));
    gpu->ops->begin(commands);
    gpu->ops->copy(commands, &from, &(GpuRange){ to, 0, BYTES });
    gpu->ops->barrier(commands);
    assert_int_equal(0, gpu->ops->end(commands));
    host_fail(gpu, HOST_SUBMIT, 1, HOST_HANG);
    assert_int_equal(-EIO, gpu_device_run(gpu, commands));
    assert_true(gpu_device_is_abandoned(gpu));
}

/* When a device is given up, memory of another device that it copies from is kept. */
static void shared_memory_is_left_to_it(void **state)
{
    GpuDevice *own, *peer;
    void *block;
    assert_int_equal(0, host_open(&(HostParams){ .schedule = HOST_LAZY }, &own));
    assert_int_equal(0, host_open(&(HostParams){ .schedule = HOST_LAZY }, &peer));
    own->peers = &peer;
    own->peer_count = 1;
    assert_int_equal(0, upload_alloc(own, BYTES, &block));
    hang_over(peer, block);
    const long live = mem_live();
    upload_free(own, block);
    assert_int_equal(live, mem_live());
    gpu_device_release(own);
    assert_int_equal(live, mem_live());
    assert_int_equal(0, host_resume(peer));
}

/* The environment's setting affects devices that are opened later. */
static void the_time_can_be_set(void **state)
{
    static const struct {
        const char *text;
        uint64_t seconds;
    } cases[] = {
        { NULL, 300 }, { "", 300 },    { "7", 7 },     { "86400", 86400 }, { "0", 300 },
        { "-1", 300 }, { "1.5", 300 }, { "abc", 300 }, { "86401", 300 },   { "5s", 300 }
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        GpuDevice *gpu;
        if (cases[i].text)
            setenv("VMAF_GPU_TIMEOUT", cases[i].text, 1);
        assert_int_equal(0, host_open(&(HostParams){ 0 }, &gpu));
        assert_true(gpu->timeout_ns == cases[i].seconds * 1000000000);
        gpu_device_release(gpu);
    }
    unsetenv("VMAF_GPU_TIMEOUT");
}

TEST_MAIN(host_lost)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hung_device_is_given_up), cmocka_unit_test(closing_gives_up_too),
        cmocka_unit_test(commands_are_left_to_it),   cmocka_unit_test(shared_memory_is_left_to_it),
        cmocka_unit_test(the_time_can_be_set),
    };
    return cmocka_run_group_tests_name("host lost", tests, NULL, NULL);
}
