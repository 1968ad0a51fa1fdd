/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One context on several devices (here one device, opened several times): frames are spread over
 * them in runs, and the scores equal the CPU's. An error on one of them is an error of the whole
 * run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/pages.h"
#include "gpu/upload.h"
#include "libvmaf/inspect.h"
#include "rig.h"
#include "score.h"
#include "tap.h"

/* Features with and without a look back, and one that stays on the CPU. */
static const ClipFeature features[] = { { "psnr", { 0 } },
                                        { "motion", { "motion_five_frame_window", "true" } },
                                        { "vif", { 0 } },
                                        { "on_cpu", { 0 } } };

static VmafDevice *open_times(unsigned times, unsigned depth)
{
    char list[64] = "";
    VmafDevice *device;
    for (unsigned i = 0; i < times; i++)
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%u", i ? "," : "",
                 rig_session(rig_device())->index);
    const VmafDeviceOptions options = { .size = sizeof(options),
                                        .backend = rig_session(rig_device())->backend->name,
                                        .device = list,
                                        .allow_software = 1,
                                        .max_outstanding_frames = depth };
    assert_int_equal(0, vmaf_device_open(&device, &options));
    return device;
}

static unsigned next(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 16) % below;
}

static void check(VmafDevice *device, ScoreRun *run)
{
    char *wanted, *scores;
    run->device = NULL;
    assert_int_equal(0, score_run(run, &wanted));
    run->device = device;
    assert_int_equal(0, score_run(run, &scores));
    assert_true(score_same(wanted, scores));
    free(wanted);
    free(scores);
}

/* Any number of devices, frames and frames in flight. */
static void test_scores(void **unused)
{
    unsigned seed = 3;
    for (unsigned i = 0; i < (rig_is_slow() ? 2 : SANITIZED ? 8 : 24); i++) {
        const unsigned devices = 2 + next(&seed, 3), depth = 1 + next(&seed, 8);
        const SynthClip clip = { "any",
                                 SYNTH_MIX,
                                 40 + next(&seed, 50),
                                 30 + next(&seed, 30),
                                 VMAF_PIX_FMT_YUV420P,
                                 next(&seed, 2) ? 8 : 10,
                                 1 + next(&seed, 3 * devices * depth) };
        ScoreRun run = { .clip = &clip,
                         .features = features,
                         .feature_count = COUNT(features),
                         .threads = next(&seed, 3),
                         .subsample = next(&seed, 3),
                         .pooled = next(&seed, 2) };
        VmafDevice *device = open_times(devices, depth);
        for (unsigned d = 0; d < devices; d++)
            if (next(&seed, 2)) /* uploads on a queue of their own */
                session_device(rig_session(device), d)->tuning.own_upload_bytes = 0;
        check(device, &run);
        vmaf_device_close(&device);
    }
}

/* Pictures large enough to lie in pages of our own, which all devices import if their drivers
 * accept that. */
static void test_large(void **unused)
{
    static const SynthClip clip = { "large", SYNTH_MIX, 1200, 900, VMAF_PIX_FMT_YUV400P, 8, 5 };
    for (unsigned devices = 1; devices <= 2; devices++) {
        ScoreRun run = { .clip = &clip, .features = features, .feature_count = 1, .pooled = true };
        VmafDevice *device = open_times(devices, 2);
        check(device, &run);
        vmaf_device_close(&device);
    }
}

static bool finds(GpuDevice *gpu, void *block)
{
    const VmafPicture pic = { .pix_fmt = VMAF_PIX_FMT_YUV400P,
                              .bpc = 8,
                              .w = { 640 },
                              .h = { 640 },
                              .stride = { 640 },
                              .data = { block } };
    GpuRange range;
    return upload_find(gpu, &pic, 0, 640 * 640, &range);
}

/* All devices copy from a block that one of them allocated, and none does once it is freed. */
static void test_shared(void **unused)
{
    VmafDevice *device = open_times(3, 2);
    const GpuSession *const session = rig_session(device);
    /* A driver that cannot import another device's memory stages the pictures instead. */
    const bool may_stage =
        !session->backend->takes_pages || !strcmp(session->backend->name, "vulkan");
    void *block;
    assert_int_equal(0, upload_alloc(session->device, PAGES_ALIGN, &block));
    assert_true(finds(session->device, block));
    for (unsigned i = 1; i < 3; i++)
        assert_true(finds(session_device(session, i), block) || may_stage);
    upload_free(session->device, block);
    for (unsigned i = 0; i < 3; i++)
        assert_false(finds(session_device(session, i), block));
    vmaf_device_close(&device);
}

/* The first frame of a run looks back at both pictures. Small pictures would not show it: they
 * score 0 whatever they contain. */
static void test_looks_back_at_both(void **unused)
{
    static const SynthClip clip = { "both", SYNTH_MIX, 192, 176, VMAF_PIX_FMT_YUV420P, 8, 9 };
    static const ClipFeature temporal = { "speed_temporal", { 0 } };
    ScoreRun run = { .clip = &clip, .features = &temporal, .feature_count = 1 };
    VmafDevice *device = open_times(3, 2);
    check(device, &run);
    vmaf_device_close(&device);
}

static void test_names(void **unused)
{
    static const SynthClip clip = { "few", SYNTH_MIX, 48, 36, VMAF_PIX_FMT_YUV420P, 8, 9 };
    const ScoreRun run = { .clip = &clip, .features = features, .feature_count = 1 };
    VmafDeviceInfo info = { .size = sizeof(info) };
    VmafFeatureInfo place = { .size = sizeof(place) };
    ScoreRun on = run;
    VmafContext *vmaf;
    char title[300];
    on.device = open_times(2, 4);
    assert_int_equal(0, vmaf_device_get_info(on.device, &info));
    assert_int_equal(2, info.devices);
    assert_int_equal(0, score_open(&on, &vmaf));
    assert_int_equal(2 * 4 + 1, vmaf_pairs_in_flight(vmaf));
    for (unsigned t = 0; t < clip.frames; t++)
        assert_int_equal(0, score_read(&on, vmaf, t, t));
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    assert_int_equal(0, vmaf_feature_info(vmaf, 0, &place));
    snprintf(title, sizeof(title), "2 x %s", info.name);
    assert_string_equal(title, place.device);
    assert_int_equal(clip.frames, place.frames);      /* frames of both devices together */
    assert_int_equal(info.index, place.device_index); /* it is one device, opened twice */
    assert_true(!place.device_uuid || !strchr(place.device_uuid, ','));
    assert_int_equal(0, vmaf_close(vmaf));
    vmaf_device_close(&on.device);
}

/* A report names both cards, and its type is `mixed` if they are of two types. */
static void test_identity(void **unused)
{
    static const SynthClip clip = { "two", SYNTH_MIX, 48, 36, VMAF_PIX_FMT_YUV420P, 8, 2 };
    VmafDeviceInfo one = { .size = sizeof(one) }, two = one;
    VmafFeatureInfo place = { .size = sizeof(place) };
    const char *const backend = rig_session(rig_device())->backend->name;
    ScoreRun run = { .clip = &clip, .features = features, .feature_count = 1 };
    VmafContext *vmaf;
    if (vmaf_device_info(backend, 0, &one) || vmaf_device_info(backend, 1, &two) || !*one.pci)
        skip();
    const VmafDeviceOptions options = { .size = sizeof(options),
                                        .backend = backend,
                                        .device = "0,1" };
    assert_int_equal(0, vmaf_device_open(&run.device, &options));
    assert_int_equal(0, score_open(&run, &vmaf));
    for (unsigned t = 0; t < clip.frames; t++)
        assert_int_equal(0, score_read(&run, vmaf, t, t));
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    assert_int_equal(0, vmaf_feature_info(vmaf, 0, &place));
    char pci[2 * sizeof(one.pci) + 2];
    snprintf(pci, sizeof(pci), "%s, %s", one.pci, two.pci);
    assert_string_equal(pci, place.device_pci);
    assert_int_equal(2 * 36 + 2, strlen(place.device_uuid));
    assert_int_equal(-1, place.device_index);
    assert_true((one.type == two.type) != !strcmp(place.device_type, "mixed"));
    assert_int_equal(0, vmaf_close(vmaf));
    vmaf_device_close(&run.device);
}

/* When the second device fails, the run fails. */
static void test_errors(void **unused)
{
    static const SynthClip clip = { "long", SYNTH_MIX, 48, 36, VMAF_PIX_FMT_YUV420P, 8, 20 };
    static const enum TapOperation operations[] = { TAP_SUBMIT, TAP_END, TAP_WAIT };
    for (unsigned i = 0; i < COUNT(operations); i++) {
        VmafDevice *device = open_times(2, 2);
        const ScoreRun run = { .device = device,
                               .clip = &clip,
                               .features = features,
                               .feature_count = 3,
                               .threads = i % 2 };
        VmafContext *vmaf;
        int err = 0;
        assert_int_equal(0, score_open(&run, &vmaf));
        assert_int_equal(0, score_read(&run, vmaf, 0, 0));
        tap_open(session_device(rig_session(device), 1));
        tap_fail(operations[i], 3, -EIO);
        for (unsigned t = 1; t < clip.frames && !err; t++)
            err = score_read(&run, vmaf, t, t);
        if (!err)
            err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
        assert_true(tap_has_failed());
        assert_int_equal(-EIO, err);
        vmaf_close(vmaf);
        tap_close();
        vmaf_device_close(&device);
    }
}

static void test_refusals(void **unused)
{
    VmafDevice *device;
    VmafDeviceOptions options = { .size = sizeof(options),
                                  .backend = rig_session(rig_device())->backend->name,
                                  .quiet = 1 };
    static const char *const none[] = { "0,999", "999,0", "0,", "0,,0", "0,all" };
    for (unsigned i = 0; i < COUNT(none); i++) {
        options.device = none[i];
        assert_int_equal(-ENODEV, vmaf_device_open(&device, &options));
        assert_null(device);
    }
    options.device = "all";
    options.allow_software = 1;
    assert_int_equal(0, vmaf_device_open(&device, &options));
    vmaf_device_close(&device);

    /* Pictures that lie on one device cannot be spread. */
    static const SynthClip clip = { "one", SYNTH_MIX, 48, 36, VMAF_PIX_FMT_YUV420P, 8, 1 };
    const ScoreRun run = {
        .device = open_times(2, 4), .clip = &clip, .features = features, .feature_count = 1
    };
    VmafContext *vmaf;
    const VmafSharedPicture picture = { .size = sizeof(picture),
                                        .type = VMAF_MEMORY_ADDRESS,
                                        .handle = 4096,
                                        .bytes = 48 * 36,
                                        .stride = { 48 },
                                        .w = 48,
                                        .h = 36,
                                        .bpc = 8,
                                        .pix_fmt = VMAF_PIX_FMT_YUV400P };
    assert_int_equal(0, score_open(&run, &vmaf));
    assert_int_equal(-ENOTSUP, vmaf_import_picture(vmaf, &picture));
    assert_int_equal(-EINVAL, vmaf_read_imported_pictures(vmaf, 0));
    assert_int_equal(0, vmaf_close(vmaf));
    vmaf_device_close(&(VmafDevice *){ run.device });
}

TEST_MAIN(several)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),   cmocka_unit_test(test_large),
        cmocka_unit_test(test_shared),   cmocka_unit_test(test_looks_back_at_both),
        cmocka_unit_test(test_identity), cmocka_unit_test(test_names),
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_refusals),
    };
    return RIG_RUN(argc, argv, tests);
}
