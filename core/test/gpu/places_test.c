/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf_feature_info says on which device each feature runs, with figures that show it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "libvmaf/inspect.h"
#include "pairs.h"
#include "rig.h"
#include "score.h"

/* Reports must show the same identity of the device as the backend's list. */
static void assert_identity(const VmafFeatureInfo *place, const VmafDeviceInfo *device)
{
    static const char *const types[] = { "other", "integrated", "discrete", "virtual", "cpu" };
    char uuid[33] = "", *at = uuid;
    bool known = false;
    for (unsigned i = 0; i < 16; i++)
        known |= device->uuid[i];
    assert_string_equal(place->device_type, types[device->type]);
    assert_int_equal(place->device_index, device->index);
    assert_true(!place->device_uuid == !known);
    for (const char *from = known ? place->device_uuid : ""; *from; from++)
        if (*from != '-')
            *at++ = *from;
    for (unsigned i = 0; known && i < 16; i++) {
        char byte[3];
        snprintf(byte, sizeof(byte), "%02x", device->uuid[i]);
        assert_memory_equal(uuid + (size_t)2 * i, byte, 2);
    }
    assert_true(!place->device_pci == !*device->pci);
    if (place->device_pci)
        assert_string_equal(place->device_pci, device->pci);
}

static void assert_place(const VmafContext *vmaf, unsigned index, const char *extractor,
                         const char *backend, const char *device)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    assert_int_equal(vmaf_feature_info(vmaf, index, &info), 0);
    assert_string_equal(info.extractor, extractor);
    assert_string_equal(info.backend, backend);
    if (device) {
        VmafDeviceInfo about = { .size = sizeof(about) };
        assert_string_equal(info.device, device);
        assert_int_equal(vmaf_device_get_info(rig_device(), &about), 0);
        assert_identity(&info, &about);
        return;
    }
    assert_null(info.device);
    assert_null(info.device_type);
    assert_null(info.device_uuid);
    assert_null(info.device_pci);
    assert_int_equal(info.device_index, -1);
}

static void read_pair(VmafContext *vmaf)
{
    VmafPicture ref, dist;
    assert_int_equal(vmaf_picture_alloc(&ref, VMAF_PIX_FMT_YUV420P, 8, 64, 48), 0);
    assert_int_equal(vmaf_picture_alloc(&dist, VMAF_PIX_FMT_YUV420P, 8, 64, 48), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, 0), 0);
}

static void features_say_where_they_run(void **state)
{
    VmafDeviceInfo about = { .size = sizeof(about) };
    VmafContext *vmaf;
    assert_int_equal(vmaf_device_get_info(rig_device(), &about), 0);
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_use_device(vmaf, rig_device()), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "on_cpu", NULL), 0);
    assert_place(vmaf, 0, "psnr", "cpu", NULL); /* no feature has been assigned yet */
    read_pair(vmaf);
    assert_place(vmaf, 0, "psnr", about.backend, about.name);
    assert_place(vmaf, 1, "on_cpu", "cpu", NULL);
    assert_int_equal(vmaf_close(vmaf), 0);
}

static void assert_same_place(const VmafContext *vmaf, unsigned index,
                              const VmafFeatureInfo *before)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    assert_int_equal(vmaf_feature_info(vmaf, index, &info), 0);
    assert_string_equal(info.backend, before->backend);
    assert_true(!info.device == !before->device);
    assert_int_equal(info.passes, before->passes);
    assert_int_equal(info.frames, before->frames);
    assert_int_equal(info.launches, before->launches);
}

/* After the run the device is free again, and no score measured there is lost. */
static void devices_are_left(void **state)
{
    VmafDevice *own = rig_open(2);
    VmafDeviceInfo about = { .size = sizeof(about) };
    VmafFeatureInfo before[2] = { { .size = sizeof(before[0]) }, { .size = sizeof(before[1]) } };
    VmafPictureConfiguration pool = { .pic_params = { 64, 48, 8, VMAF_PIX_FMT_YUV420P },
                                      .pic_cnt = 4 };
    VmafContext *vmaf;
    VmafPicture held;
    double score;
    assert_int_equal(vmaf_device_get_info(own, &about), 0);
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_use_device(vmaf, own), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "on_cpu", NULL), 0);
    assert_int_equal(vmaf_preallocate_pictures(vmaf, pool), 0);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &held), 0);
    read_pair(vmaf);
    assert_int_equal(vmaf_leave_device(vmaf), -EINVAL);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(vmaf_feature_info(vmaf, i, &before[i]), 0);
    assert_true(before[0].frames == 1 && before[0].launches > 0);
    for (unsigned again = 0; again < 2; again++) {
        assert_int_equal(vmaf_leave_device(vmaf), 0);
        assert_null(rig_session(own)->clients);
        assert_place(vmaf, 0, "psnr", about.backend, about.name);
        for (unsigned i = 0; i < 2; i++)
            assert_same_place(vmaf, i, &before[i]);
        assert_int_equal(vmaf_feature_score_at_index(vmaf, "psnr_y", &score, 0), 0);
        assert_int_equal(vmaf_pairs_in_flight(vmaf), 1);
    }
    vmaf_device_close(&own);
    assert_place(vmaf, 0, "psnr", about.backend, about.name);
    /* The last picture of the pool, and the last user of the device. */
    assert_int_equal(vmaf_picture_unref(&held), 0);
    assert_string_equal(before[0].device, about.name);
    assert_int_equal(vmaf_close(vmaf), 0);
}

static void nothing_is_left_without_a_device(void **state)
{
    VmafContext *vmaf;
    VmafPicture pic;
    VmafPictureConfiguration pool = { .pic_params = { 64, 48, 8, VMAF_PIX_FMT_YUV420P },
                                      .pic_cnt = 4 };
    assert_int_equal(vmaf_leave_device(NULL), -EINVAL);
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(vmaf_preallocate_pictures(vmaf, pool), 0);
    read_pair(vmaf);
    assert_int_equal(vmaf_leave_device(vmaf), -EINVAL);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(vmaf_leave_device(vmaf), 0);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &pic),
                     0); /* the pool is not in a device's memory */
    assert_int_equal(vmaf_picture_unref(&pic), 0);
    assert_int_equal(vmaf_close(vmaf), 0);
}

/* A feature that is named for a backend runs there, or is refused. */
static int use_named(VmafContext *vmaf, const char *extractor, const char *backend)
{
    char name[64];
    snprintf(name, sizeof(name), "%s_%s", extractor, backend);
    return vmaf_use_feature(vmaf, name, NULL);
}

static void names_ask_for_backends(void **state)
{
    const char *const own = rig_gpu()->backend, *other;
    VmafContext *vmaf;
    log_set_level(VMAF_LOG_LEVEL_NONE);
    for (unsigned given = 0; given < 2; given++) {
        assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
        if (given)
            assert_int_equal(vmaf_use_device(vmaf, rig_device()), 0);
        assert_int_equal(use_named(vmaf, "psnr", own), given ? 0 : -EINVAL);
        assert_int_equal(use_named(vmaf, "on_cpu", own), -EINVAL);
        for (unsigned i = 0; (other = vmaf_backend_name(i)); i++)
            if (strcmp(other, own) != 0)
                assert_int_equal(use_named(vmaf, "psnr", other), -EINVAL);
        if (given) {
            read_pair(vmaf);
            assert_place(vmaf, 0, "psnr", own, rig_gpu()->name);
            assert_int_equal(use_named(vmaf, "vif", own), -EINVAL); /* too late: frames were read */
        }
        assert_int_equal(vmaf_close(vmaf), 0);
    }
}

/* Launches are frames times passes for each feature, whichever frames it saw, and device time is
 * reported. */
static void proof_adds_up(void **state)
{
    static const SynthClip clip = { "small", SYNTH_MIX, 70, 36, VMAF_PIX_FMT_YUV420P, 8, 7 };
    static const ClipFeature features[] = {
        { "vif", { 0 } },   { "motion", { 0 } },
        { "psnr", { 0 } },  { "psnr", { "enable_mse", "true", NULL } },
        { "adm", { 0 } },   { "adm", { "adm_norm_view_dist", "5", NULL } },
        { "on_cpu", { 0 } }
    };
    for (unsigned subsample = 1; subsample < 4; subsample += 2) {
        const ScoreRun run = { .device = rig_device(),
                               .clip = &clip,
                               .features = features,
                               .feature_count = COUNT(features),
                               .subsample = subsample };
        VmafContext *vmaf;
        assert_int_equal(score_open(&run, &vmaf), 0);
        for (unsigned t = 0; t < clip.frames; t++)
            assert_int_equal(score_read(&run, vmaf, t, t), 0);
        assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
        unsigned i = 0;
        VmafFeatureInfo info = { .size = sizeof(info) };
        for (; !vmaf_feature_info(vmaf, i, &info) && info.device; i++) {
            const bool every_frame = feature_find(info.extractor)->flags & FEATURE_EVERY_FRAME;
            const unsigned step = every_frame ? 1 : subsample;
            assert_int_equal(info.frames, (clip.frames + step - 1) / step);
            assert_true(info.passes > 0);
            assert_int_equal(info.launches, info.frames * info.passes);
            assert_int_equal(info.frames_on_cpu, 0);
            assert_true(info.device_us > 0);
            assert_null(info.instruction_set);
        }
        assert_string_equal(info.extractor, "on_cpu");
        assert_true(i >= 3);
        assert_int_equal(info.launches, 0);
        assert_true(info.device_us == 0);
        assert_non_null(info.instruction_set);
        assert_int_equal(vmaf_close(vmaf), 0);
    }
}

/* Frames that the device could not decide are counted. */
static unsigned collected;
static const FeatureGpu *settled;

static int unsettled(const Feature *f, const void *readback, void *result)
{
    const int err = settled->collect(f, readback, result);
    return err ? err : collected++ % 3 == 1 ? -EAGAIN : 0;
}

/* Writes no result; the CPU or settle has to provide it. */
static int always_unsettled(const Feature *f, const void *readback, void *result)
{
    memset(result, 0xee, f->def->result_size);
    return -EAGAIN;
}

/* Scores a clip with `collect` in place of the feature's own. The results are right
 * nevertheless. */
static GpuTally score_with(const SynthClip *clip, const ClipFeature *feature,
                           int (*collect)(const Feature *, const void *, void *))
{
    Pairs pairs;
    pairs_create(&pairs, clip, feature, 1);
    Feature *f = pairs.features[0];
    const FeatureDef *const real = f->def;
    FeatureDef def = *real;
    FeatureGpu gpu = *real->gpu;
    settled = real->gpu;
    gpu.collect = collect;
    def.gpu = &gpu;
    f->def = &def;
    collected = 0;

    GpuStream *stream;
    FeatureSet taken;
    GpuTally tally;
    assert_int_equal(
        0, stream_create(&stream,
                         &(GpuStreamParams){
                             .device = rig_gpu(), .features = &f, .feature_count = 1, .depth = 2 },
                         &taken));
    for (unsigned i = 0; i < clip->frames; i++) {
        const FramePair pair = pairs_at(&pairs, i);
        assert_int_equal(0, stream_submit(stream, &pair, taken));
        assert_int_equal(0, stream_collect(stream, pairs_results(&pairs)));
        assert_int_equal(0, pairs_compare(&pairs, i, taken));
    }
    stream_tally(stream, 0, &tally);
    stream_destroy(stream);
    f->def = real;
    pairs_destroy(&pairs);
    return tally;
}

static void frames_measured_again_are_counted(void **state)
{
    static const SynthClip clip = { "small", SYNTH_MIX, 70, 36, VMAF_PIX_FMT_YUV420P, 8, 7 };
    const GpuTally tally = score_with(&clip, &(ClipFeature){ "psnr", { 0 } }, unsettled);
    assert_int_equal(tally.frames, 7);
    assert_int_equal(tally.frames_again, 2);
}

/* settle decides with what the device left, so no frame is measured again. */
static void doubt_is_settled_with_what_is_there(void **state)
{
    static const SynthClip clip = { "bands", SYNTH_BANDS, 320, 230, VMAF_PIX_FMT_YUV420P, 10, 3 };
    const GpuTally tally = score_with(
        &clip, &(ClipFeature){ "cambi", { "full_ref", "true", NULL } }, always_unsettled);
    assert_int_equal(tally.frames, 3);
    assert_int_equal(tally.frames_again, 0);
}

static void backends_have_titles(void **state)
{
    const char *name;
    for (unsigned i = 0; (name = vmaf_backend_name(i)); i++)
        assert_true(*vmaf_backend_title(name));
    name = rig_gpu()->backend;
    assert_string_equal(vmaf_backend_title(name), gpu_backend_find(name)->title);
    assert_null(vmaf_backend_title("nope"));
    assert_null(vmaf_backend_title(NULL));
}

TEST_MAIN(places)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_say_where_they_run),
        cmocka_unit_test(devices_are_left),
        cmocka_unit_test(nothing_is_left_without_a_device),
        cmocka_unit_test(names_ask_for_backends),
        cmocka_unit_test(proof_adds_up),
        cmocka_unit_test(frames_measured_again_are_counted),
        cmocka_unit_test(doubt_is_settled_with_what_is_there),
        cmocka_unit_test(backends_have_titles),
    };
    return RIG_RUN(argc, argv, tests);
}
