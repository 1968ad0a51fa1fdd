/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every operation of a device fails once, at each place it is called from, and so does every
 * allocation: the error is returned to the caller, nothing hangs, nothing leaks, and the same
 * device works afterwards. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/selftest.h"
#include "gpu/import.h"
#include "pairs.h"
#include "rig.h"
#include "score.h"
#include "tap.h"

/* ---- the runs in which something fails ---- */

/* A run returns 0: done and right; WRONG: done, but the result is wrong; else the first error
 * returned. */
#define WRONG SCORES_WRONG

static const SynthClip clip = { "small", SYNTH_NOISE, 40, 24, VMAF_PIX_FMT_YUV420P, 8, 5 };
/* The last one runs on the CPU. */
static const ClipFeature features[] = { { "psnr", { 0 } },
                                        { "motion", { 0 } },
                                        { "on_cpu", { 0 } } };
static char *wanted; /* scores */

/* True if a frame that failed has no score of any feature. */
static bool frames_are_whole(VmafContext *vmaf)
{
    static const char *const metrics[] = { "psnr_y", "psnr_cr", "on_cpu",
                                           "VMAF_integer_feature_motion_sad_score" };
    vmaf_read_pictures(vmaf, NULL, NULL, 0); /* waits for the end */
    for (unsigned i = 0; i < clip.frames; i++) {
        unsigned count = 0;
        double score;
        for (unsigned m = 0; m < COUNT(metrics); m++)
            count += !vmaf_feature_score_at_index(vmaf, metrics[m], &score, i);
        if (count && count != COUNT(metrics)) {
            print_error("frame %u has %u scores of %zu\n", i, count, COUNT(metrics));
            return false;
        }
    }
    return true;
}

/* Pooled pictures against other pictures, which must be staged. */
static int run_pictures(void)
{
    const ScoreRun run = { .device = rig_device(),
                           .clip = &clip,
                           .features = features,
                           .feature_count = COUNT(features) };
    VmafContext *vmaf;
    int err = score_start_mixed(&run, &vmaf);
    if (!vmaf)
        return err;
    if (err && !frames_are_whole(vmaf))
        err = WRONG;
    return score_finish(vmaf, err, wanted);
}

/* A full ring, with tables and scratch memory on the device. */
static Pairs pairs;

static int run_ring(void)
{
    const int wrong = pairs_stream(&pairs, rig_gpu(), &(PairsRun){ .depth = 3 });
    return wrong > 0 ? WRONG : wrong;
}

/* Imports: pictures that a kernel unpacks, or memory that is imported where the device can do
 * that. */
typedef struct Incoming {
    GpuBuffer *buffer;
    RigMemory memory;
    FrameShape shape;
} Incoming;

static int record_unpacked(ImportTarget *target, const void *source)
{
    const Incoming *from = source;
    const ImportPacking packing[3] = { { 1, 0, false }, { 1, 0, false }, { 1, 0, false } };
    GpuBuffer *raw;
    const int err = import_unpack_begin(target, &raw);
    if (err)
        return err;
    for (unsigned p = 0; p < 3; p++) {
        const size_t offset = import_plane_offset(&from->shape, p);
        const size_t size = picture_stride(&from->shape, p) * from->shape.h[p];
        target->device->ops->copy(target->commands, &(GpuRange){ from->buffer, offset, size },
                                  &(GpuRange){ raw, 2 * offset, size });
    }
    import_unpack(target, target->planes, packing, 0);
    return 0;
}

static int import_one(GpuImports *imports, const Incoming *from, enum SynthSide side, unsigned t,
                      bool unpack)
{
    const GpuIncoming in = { .w = clip.width,
                             .h = clip.height,
                             .bpc = clip.bitdepth,
                             .pix_fmt = clip.pix_fmt,
                             .is_ref = side == SYNTH_REF,
                             .index = t };
    GpuForeignPicture picture = { .memory = from->memory.handle };
    for (unsigned p = 0; p < 3; p++) {
        picture.offset[p] = import_plane_offset(&from->shape, p);
        picture.stride[p] = picture_stride(&from->shape, p);
    }
    return unpack ? imports_add(imports, &in, record_unpacked, from)
                  : imports_add_memory(imports, &in, &picture);
}

static int import_frame(GpuImports *imports, Incoming makers[2], unsigned t)
{
    const bool unpack = t % 2 || !rig_backend()->memory_create;
    int err = 0;
    for (unsigned side = 0; side < 2 && !err; side++) {
        VmafPicture pic;
        err = synth_picture(&clip, side, t, &pic);
        if (err)
            return err;
        memcpy(unpack ? makers[side].buffer->host : makers[side].memory.host, pic.data[0],
               picture_size(&makers[side].shape));
        vmaf_picture_unref(&pic);
        err = import_one(imports, &makers[side], side, t, unpack);
    }
    return err;
}

static Incoming makers[2]; /* not made by the device that fails */

static int run_imports(void)
{
    VmafContext *vmaf;
    int err = score_open(&(ScoreRun){ .device = rig_device(),
                                      .clip = &clip,
                                      .features = features,
                                      .feature_count = COUNT(features) },
                         &vmaf);
    if (err)
        return err;
    GpuClient *client = client_of(vmaf, rig_session(rig_device())->backend);
    for (unsigned t = 0; t < clip.frames && !err; t++) {
        err = import_frame(client->imports, makers, t);
        if (!err)
            err = client_read_imported(client, t);
    }
    if (err && !frames_are_whole(vmaf))
        err = WRONG;
    return score_finish(vmaf, err, wanted);
}

/* With each kernel timed. */
static int run_profiled(void)
{
    setenv("VMAF_GPU_PROFILE", "1", 1);
    const int err = run_pictures();
    unsetenv("VMAF_GPU_PROFILE");
    return err;
}

static const struct {
    const char *name;
    int (*run)(void);
} runs[] = {
    { "pictures", run_pictures },
    { "ring", run_ring },
    { "imports", run_imports },
    { "profiled", run_profiled },
};

static void make_incoming(Incoming *incoming)
{
    clip_shape(&clip, &incoming->shape);
    const size_t size = picture_size(&incoming->shape);
    assert_int_equal(0,
                     rig_gpu()->ops->buffer_create(rig_gpu(), GPU_UPLOAD, size, &incoming->buffer));
    if (rig_backend()->memory_create)
        assert_int_equal(0, rig_backend()->memory_create(rig_gpu(), size, &incoming->memory));
}

static int set_up(void **unused)
{
    const ClipFeature ring_features[] = { { "vif", { 0 } },
                                          { "psnr", { 0 } },
                                          { "motion", { 0 } } };
    assert_int_equal(
        0, score_run(
               &(ScoreRun){ .clip = &clip, .features = features, .feature_count = COUNT(features) },
               &wanted));
    pairs_create(&pairs, &clip, ring_features, COUNT(ring_features));
    pairs_place(&pairs, rig_gpu(), CLIP_UPLOAD, CLIP_PLAIN);
    for (unsigned side = 0; side < 2; side++)
        make_incoming(&makers[side]);
    /* Runs each once, so that objects which live as long as the device exist from now on. */
    for (unsigned i = 0; i < COUNT(runs); i++)
        assert_int_equal(0, runs[i].run());
    return 0;
}

static void tear_down(void)
{
    free(wanted);
    pairs_destroy(&pairs);
    for (unsigned side = 0; side < 2; side++) {
        rig_gpu()->ops->buffer_destroy(rig_gpu(), makers[side].buffer);
        if (rig_backend()->memory_create)
            rig_backend()->memory_destroy(rig_gpu(), &makers[side].memory);
    }
}

/* ---- operations ---- */

/* The errors that a failed call returns. */
static const int results[TAP_OPERATIONS][2] = {
    [TAP_BUFFER_CREATE] = { -ENOMEM, -EIO },
    [TAP_BUFFER_IMPORT] = { -ENOMEM, -ENOTSUP },
    [TAP_KERNEL_GET] = { -EIO, -ENOMEM },
    [TAP_BINDINGS_CREATE] = { -ENOMEM, -EIO },
    [TAP_COMMANDS_CREATE] = { -ENOMEM, -EIO },
    [TAP_END] = { -ENOMEM, -EIO },
    [TAP_STAMPS_CREATE] = { -ENOMEM, -ENOTSUP },
    [TAP_STAMPS_READ] = { -EIO, -ENOMEM },
    [TAP_SUBMIT] = { -EIO, -ENOMEM },
    [TAP_WAIT] = { -EIO, -EIO }, /* other errors lose the device, see host_lost_test.c */
    [TAP_DRAIN] = { -EIO, -EIO },
};

/* True if a run may succeed although this call fails: a wait that only makes sure of something,
 * figures for people, or memory that a shorter ring does without. */
static bool may_be_overcome(enum TapOperation operation, int result)
{
    const bool makes_rings = operation == TAP_BUFFER_CREATE || operation == TAP_BINDINGS_CREATE ||
                             operation == TAP_COMMANDS_CREATE;
    return (makes_rings && result == -ENOMEM) || operation == TAP_WAIT || operation == TAP_DRAIN ||
           operation == TAP_STAMPS_READ || (operation == TAP_STAMPS_CREATE && result == -ENOTSUP);
}

/* Lets each call of the operation fail in turn. Returns the number of calls. */
static unsigned fail_each(unsigned run, enum TapOperation operation, int result)
{
    const unsigned step = rig_is_slow() ? 3 : 1;
    unsigned failed = 0;
    for (unsigned nth = 1;; nth += step) {
        const long live = mem_live();
        tap_fail(operation, nth, result);
        const int err = runs[run].run();
        const bool was_there = tap_has_failed();
        const int wanted_err = was_there ? result : 0;
        if (mem_live() != live || (err != wanted_err && !may_be_overcome(operation, result)) ||
            err == WRONG) {
            print_error("%s: call %u of %s: returned %d, %ld blocks left behind\n", runs[run].name,
                        nth, tap_names[operation], err, mem_live() - live);
            fail();
        }
        if (!was_there)
            return failed;
        failed++;
        assert_true(nth < 2000);
    }
}

static void test_operations(void **unused)
{
    unsigned total[TAP_OPERATIONS] = { 0 };
    log_set_level(VMAF_LOG_LEVEL_NONE);
    for (unsigned run = 0; run < COUNT(runs); run++) {
        for (unsigned queue = 0; queue < 2; queue++) {
            rig_tune(queue ? SIZE_MAX : 0, 2);
            tap_open(rig_gpu());
            for (enum TapOperation o = 0; o < TAP_OPERATIONS; o++)
                for (unsigned r = 0; r < (rig_is_slow() ? 1 : COUNT(results[o])); r++)
                    total[o] += fail_each(run, o, results[o][r]);
            tap_close();
            for (unsigned i = 0; i < COUNT(runs); i++)
                assert_int_equal(0, runs[i].run());
        }
    }
    for (enum TapOperation o = 0; o < TAP_OPERATIONS; o++) {
        print_message("%s: failed %u times\n", tap_names[o], total[o]);
        if (o != TAP_BUFFER_IMPORT || rig_backend()->memory_create)
            assert_true(total[o] > 0 || o == TAP_DRAIN); /* drain has a test of its own */
    }
}

/* ---- allocations ---- */

static void test_allocations(void **unused)
{
    const unsigned step = rig_is_slow() ? 5 : 1;
    log_set_level(VMAF_LOG_LEVEL_NONE);
    for (unsigned run = 0; run < COUNT(runs); run++) {
        mem_fail_after(0);
        assert_int_equal(0, runs[run].run());
        const unsigned long count = mem_fail_after(0);
        assert_true(count > 0);
        print_message("%s: %lu allocations\n", runs[run].name, count);
        for (unsigned long n = 1; n <= count; n += step) {
            const long live = mem_live();
            mem_fail_after(n);
            const int err = runs[run].run();
            mem_fail_after(0);
            if (err == WRONG || mem_live() != live) { /* some failures are handled */
                print_error("%s: allocation %lu: returned %d, %ld blocks left behind\n",
                            runs[run].name, n, err, mem_live() - live);
                fail();
            }
        }
        assert_int_equal(0, runs[run].run());
    }
}

/* A feature that lacks memory has not refused the pictures: a self-test that could not run approves
 * nothing. */
static void test_checks(void **unused)
{
    const FeatureDef *const *def = feature_registry;
    GpuCheck check = { .seed = 1 };
    clip_shape(&clip, &check.shape);
    log_set_level(VMAF_LOG_LEVEL_NONE);
    while (strcmp((*def)->name, "motion"))
        def++;
    check.def = *def;
    assert_int_equal(0, gpu_check(rig_gpu(), &check, NULL, 0));
    bool failed = true;
    for (unsigned long n = 1; failed; n++) {
        const long live = mem_live();
        mem_fail_after(n);
        const int result = gpu_check(rig_gpu(), &check, NULL, 0);
        failed = mem_fail_after(0) >= n;
        assert_true(result == 0 || (failed && result == -ENOMEM));
        assert_int_equal(live, mem_live());
    }
}

/* ---- opening and closing ---- */

static void test_opening(void **unused)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const VmafDeviceOptions options = { .size = sizeof(options),
                                        .backend = rig_gpu()->backend,
                                        .allow_software = 1 };
    VmafDevice *device;
    mem_fail_after(0);
    assert_int_equal(0, vmaf_device_open(&device, &options));
    vmaf_device_close(&device);
    const unsigned long count = mem_fail_after(0);
    const unsigned long step = rig_is_slow() ? 1 + count / 10 : 1;
    for (unsigned long n = 1; n <= count; n += step) {
        const long live = mem_live();
        mem_fail_after(n);
        const int err = vmaf_device_open(&device, &options);
        mem_fail_after(0);
        assert_true(err <= 0);
        assert_int_equal(err != 0, device == NULL);
        vmaf_device_close(&device);
        assert_int_equal(live, mem_live());
    }
}

/* Closing cannot fail: frames in flight may be lost, but our memory is freed. */
static void test_closing(void **unused)
{
    const long live = mem_live();
    VmafDevice *own = rig_open(2);
    char *scores;
    assert_int_equal(0, score_run(&(ScoreRun){ .device = own,
                                               .clip = &clip,
                                               .features = features,
                                               .feature_count = COUNT(features) },
                                  &scores));
    assert_string_equal(wanted, scores);
    free(scores);
    tap_open(rig_session(own)->device);
    tap_fail(TAP_DRAIN, 1, -EIO);
    gpu_device_retain(rig_session(own)->device);
    GpuDevice *gpu = rig_session(own)->device;
    vmaf_device_close(&own);
    assert_true(tap_has_failed());
    tap_close();
    gpu_device_release(gpu);
    assert_int_equal(live, mem_live());
}

static void test_tear_down(void **unused)
{
    tear_down();
}

TEST_MAIN(faults)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_operations, set_up),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_opening),
        cmocka_unit_test(test_closing),
        cmocka_unit_test(test_tear_down),
    };
    return RIG_RUN(argc, argv, tests);
}
