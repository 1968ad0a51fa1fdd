/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_vulkan.h as a video filter uses it: on the filter's device, whose queue the filter uses
 * as well, with frames in images. The scores equal the CPU's to the last bit, or the frames are
 * refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "score.h"
#include "vulkan_owner.h"

#define W 99
#define H 67
#define FRAMES 6
#define IN_HAND 3 /* frames that the filter reuses */

static const ClipFeature every[] = {
    { "motion", { 0 } }, { "vif", { 0 } }, { "psnr", { 0 } }, { "on_cpu", { 0 } }
};
#define FEW 2    /* features that accept every depth */
#define DEVICE 3 /* features that run on the device */

#define THREE_8 .format = { VK_FORMAT_R8_UNORM, VK_FORMAT_R8_UNORM, VK_FORMAT_R8_UNORM }
#define THREE_16 .format = { VK_FORMAT_R16_UNORM, VK_FORMAT_R16_UNORM, VK_FORMAT_R16_UNORM }
#define TWO_8 .format = { VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8_UNORM }
#define TWO_16 .format = { VK_FORMAT_R16_UNORM, VK_FORMAT_R16G16_UNORM }
#define ONE_8 .format = { VK_FORMAT_R8_UNORM }
#define ONE_16 .format = { VK_FORMAT_R16_UNORM }
#define PIX(fmt, bits) .pix_fmt = VMAF_PIX_FMT_YUV##fmt##P, .bpc = bits

static const FrameKind kinds[] = {
    { .name = "yuv420p", PIX(420, 8), THREE_8 },
    { .name = "nv12", PIX(420, 8), TWO_8 },
    { .name = "p010", PIX(420, 10), TWO_16, .shift = 6 },
    { .name = "p012, cropped", PIX(420, 12), TWO_16, .shift = 4, .x = 6, .y = 4 },
    { .name = "p016", PIX(420, 16), TWO_16 },
    { .name = "yuv420p10", PIX(420, 10), THREE_16 },
    { .name = "nv16, cropped", PIX(422, 8), TWO_8, .x = 4, .y = 3 },
    { .name = "yuv422p12, a layer", PIX(422, 12), THREE_16, .layer = 2 },
    { .name = "p410", PIX(444, 10), TWO_16, .shift = 6, .x = 5, .y = 7, .layer = 1 },
    { .name = "yuv444p",
      PIX(444, 8),
      THREE_8,
      .x = 1,
      .y = 2,
      .layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL },
    { .name = "gray",
      PIX(400, 8),
      ONE_8,
      .x = 3,
      .y = 1,
      .layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL },
    { .name = "gray12 above", PIX(400, 12), ONE_16, .shift = 4 },
    { .name = "yuv420p9", PIX(420, 9), THREE_16 },
    { .name = "yuv422p14", PIX(422, 14), THREE_16 },
    { .name = "14 bits above", PIX(420, 14), TWO_16, .shift = 2 },
    { .name = "luma of nv12", PIX(420, 8), TWO_8, .take_fmt = VMAF_PIX_FMT_YUV400P },
    { .name = "nv12 from outside", PIX(420, 8), TWO_8, .owner = VK_QUEUE_FAMILY_EXTERNAL },
};

static Owner owner;
static VmafVulkanState *state;

/* ---- a filter ---- */

static SynthClip clip_of(const FrameKind *kind)
{
    return (SynthClip){ kind->name, SYNTH_MIX, W, H, kind->pix_fmt, kind->bpc, FRAMES };
}

static unsigned feature_count(const FrameKind *kind, bool on_cpu)
{
    const bool odd = kind->bpc == 9 || kind->bpc == 14;
    return odd ? FEW : on_cpu ? COUNT(every) : DEVICE;
}

static VmafContext *open_context(unsigned count, unsigned threads)
{
    VmafContext *vmaf;
    const VmafConfiguration cfg = { .n_threads = threads };
    assert_int_equal(0, vmaf_init(&vmaf, cfg));
    assert_int_equal(0, vmaf_vulkan_import_state(vmaf, state));
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(0, vmaf_use_feature(vmaf, every[i].name, NULL));
    return vmaf;
}

/* The CPU's scores of the clip. Luma alone is scored as a picture without chroma. */
static char *cpu_scores(const FrameKind *kind, unsigned count)
{
    SynthClip clip = clip_of(kind);
    VmafContext *vmaf;
    char *scores;
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ 0 }));
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(0, vmaf_use_feature(vmaf, every[i].name, NULL));
    for (unsigned t = 0; t < FRAMES; t++)
        score_read_as(&clip, kind->take_fmt ? kind->take_fmt : kind->pix_fmt, vmaf, t);
    assert_int_equal(0, score_close(vmaf, &scores));
    return scores;
}

static void paint(OwnerFrame *frame, const FrameKind *kind, enum SynthSide side, unsigned t)
{
    const SynthClip clip = clip_of(kind);
    VmafPicture pic;
    assert_int_equal(0, synth_picture(&clip, side, t, &pic));
    owner_paint(&owner, frame, &pic);
    vmaf_picture_unref(&pic);
}

static int read_frames(VmafContext *vmaf, OwnerFrame *ref, OwnerFrame *dist, unsigned index)
{
    const int err = vmaf_vulkan_read_frames(vmaf, &ref->frame, &dist->frame, index);
    owner_take_back(ref);
    owner_take_back(dist);
    return err;
}

static void check_kind(const FrameKind *kind, bool on_cpu, unsigned threads)
{
    const unsigned count = feature_count(kind, on_cpu);
    OwnerFrame frames[IN_HAND][2];
    char why[256], *scores, *wanted = cpu_scores(kind, count);
    for (unsigned i = 0; i < IN_HAND; i++)
        for (unsigned side = 0; side < 2; side++)
            owner_make_frame(&owner, kind, W, H, &frames[i][side]);
    assert_int_equal(0, vmaf_vulkan_can_import(state, &frames[0][0].frame, why, sizeof(why)));
    assert_string_equal("", why);
    VmafContext *vmaf = open_context(count, threads);
    for (unsigned t = 0; t < FRAMES; t++) {
        OwnerFrame *pair = frames[t % IN_HAND];
        paint(&pair[SYNTH_REF], kind, SYNTH_REF, t);
        paint(&pair[SYNTH_DIST], kind, SYNTH_DIST, t);
        assert_int_equal(0, read_frames(vmaf, &pair[SYNTH_REF], &pair[SYNTH_DIST], t));
        assert_int_equal(1, pair[SYNTH_REF].frame.submitted);
        assert_int_equal(1, pair[SYNTH_DIST].frame.submitted);
    }
    assert_int_equal(0, score_close(vmaf, &scores));
    if (!score_same(wanted, scores))
        fail_msg("%s", kind->name);
    for (unsigned i = 0; i < IN_HAND; i++)
        for (unsigned side = 0; side < 2; side++) {
            assert_int_equal(FRAMES / IN_HAND, atomic_load(&frames[i][side].released));
            owner_destroy_frame(&owner, &frames[i][side]);
        }
    free(scores);
    free(wanted);
}

/* ---- tests ---- */

static void test_scores(void **unused)
{
    for (unsigned i = 0; i < COUNT(kinds); i++)
        check_kind(&kinds[i], false, i % 2 ? 2 : 0);
}

/* With a feature that reads the same frames on the CPU. */
static void test_beside_cpu(void **unused)
{
    check_kind(&kinds[0], true, 0);
    check_kind(&kinds[2], true, 2);
}

/* One state, and contexts of different sizes and formats that take turns. */
static void test_two_contexts(void **unused)
{
    const FrameKind *two[2] = { &kinds[2], &kinds[7] };
    VmafContext *vmaf[2];
    OwnerFrame frames[2][2];
    for (unsigned c = 0; c < 2; c++) {
        vmaf[c] = open_context(DEVICE, c);
        for (unsigned side = 0; side < 2; side++)
            owner_make_frame(&owner, two[c], W, H, &frames[c][side]);
    }
    for (unsigned t = 0; t < FRAMES; t++)
        for (unsigned c = 0; c < 2; c++) {
            for (unsigned side = 0; side < 2; side++)
                paint(&frames[c][side], two[c], side, t);
            assert_int_equal(
                0, read_frames(vmaf[c], &frames[c][SYNTH_REF], &frames[c][SYNTH_DIST], t));
        }
    for (unsigned c = 0; c < 2; c++) {
        char *scores, *wanted = cpu_scores(two[c], DEVICE);
        assert_int_equal(0, score_close(vmaf[c], &scores));
        assert_true(score_same(wanted, scores));
        free(scores);
        free(wanted);
        for (unsigned side = 0; side < 2; side++)
            owner_destroy_frame(&owner, &frames[c][side]);
    }
}

/* A frame compared with itself: its semaphores are waited for and signalled once. */
static void test_same_frame(void **unused)
{
    OwnerFrame frame;
    owner_make_frame(&owner, &kinds[1], W, H, &frame);
    VmafContext *vmaf = open_context(DEVICE, 0);
    paint(&frame, &kinds[1], SYNTH_REF, 0);
    VmafVulkanFrame twin = frame.frame;
    assert_int_equal(0, vmaf_vulkan_read_frames(vmaf, &frame.frame, &twin, 0));
    owner_take_back(&frame);
    assert_int_equal(1, twin.submitted);
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    double psnr;
    assert_int_equal(0, vmaf_feature_score_at_index(vmaf, "psnr_cb", &psnr, 0));
    assert_true(psnr == 60); /* the highest value at 8 bits */
    assert_int_equal(2, atomic_load(&frame.released));
    /* The same frame with different semaphore values is refused. */
    VmafContext *other = open_context(DEVICE, 0);
    twin = frame.frame;
    twin.signal_value[0]++;
    assert_int_equal(-EINVAL, vmaf_vulkan_read_frames(other, &frame.frame, &twin, 0));
    assert_int_equal(0, twin.submitted);
    assert_int_equal(4, atomic_load(&frame.released));
    assert_int_equal(0, vmaf_close(other));
    assert_int_equal(0, vmaf_close(vmaf));
    owner_destroy_frame(&owner, &frame);
}

/* P010 in FFmpeg's formats without the position of its samples is never scored. */
static void test_unsaid_shift(void **unused)
{
    const FrameKind *kind = &kinds[2];
    for (unsigned on_cpu = 0; on_cpu < 2; on_cpu++) {
        OwnerFrame frames[2];
        VmafContext *vmaf = open_context(feature_count(kind, on_cpu), 0);
        for (unsigned side = 0; side < 2; side++) {
            owner_make_frame(&owner, kind, W, H, &frames[side]);
            paint(&frames[side], kind, side, 0);
            frames[side].frame.shift = 0;
        }
        int err = read_frames(vmaf, &frames[SYNTH_REF], &frames[SYNTH_DIST], 0);
        if (!err)
            err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
        assert_int_equal(-ERANGE, err);
        double psnr;
        assert_true(vmaf_feature_score_at_index(vmaf, "psnr_y", &psnr, 0) < 0);
        assert_int_equal(0, vmaf_close(vmaf));
        for (unsigned side = 0; side < 2; side++)
            owner_destroy_frame(&owner, &frames[side]);
    }
}

/* A frame of another size within a stream. */
static void test_other_size(void **unused)
{
    const FrameKind *kind = &kinds[1];
    OwnerFrame frames[2], small[2];
    VmafContext *vmaf = open_context(DEVICE, 0);
    for (unsigned side = 0; side < 2; side++) {
        owner_make_frame(&owner, kind, W, H, &frames[side]);
        owner_make_frame(&owner, kind, W, H, &small[side]);
    }
    for (unsigned t = 0; t < FRAMES; t++) {
        for (unsigned side = 0; side < 2; side++) {
            paint(&frames[side], kind, side, t);
            paint(&small[side], kind, side, t);
            /* One picture of the pair, or both. */
            small[side].frame.w = side == SYNTH_REF && t % 2 ? W : W - 2;
        }
        assert_int_equal(0, read_frames(vmaf, &frames[SYNTH_REF], &frames[SYNTH_DIST], t));
        assert_int_equal(-EINVAL, read_frames(vmaf, &small[SYNTH_REF], &small[SYNTH_DIST], t + 1));
        assert_int_equal(0, small[0].frame.submitted);
        assert_int_equal(t + 1, atomic_load(&small[0].released));
    }
    char *scores, *wanted = cpu_scores(kind, DEVICE);
    assert_int_equal(0, score_close(vmaf, &scores));
    assert_true(score_same(wanted, scores));
    free(scores);
    free(wanted);
    for (unsigned side = 0; side < 2; side++) {
        owner_destroy_frame(&owner, &frames[side]);
        owner_destroy_frame(&owner, &small[side]);
    }
}

/* ---- what can be imported ---- */

static void test_formats(void **unused)
{
    const VmafVulkanFrame good = { .size = sizeof(good),
                                   .w = W,
                                   .h = H,
                                   .bpc = 10,
                                   .pix_fmt = VMAF_PIX_FMT_YUV420P,
                                   .shift = 6,
                                   .format = { VK_FORMAT_R16_UNORM, VK_FORMAT_R16G16_UNORM } };
    char why[256];
    assert_int_equal(0, vmaf_vulkan_can_import(state, &good, why, sizeof(why)));
    assert_int_equal(0, vmaf_vulkan_can_import(state, &good, NULL, 0));
    assert_int_equal(-EINVAL, vmaf_vulkan_can_import(NULL, &good, why, sizeof(why)));
    assert_int_equal(-EINVAL, vmaf_vulkan_can_import(state, NULL, why, sizeof(why)));
    VmafVulkanFrame bad[16];
    for (unsigned i = 0; i < COUNT(bad); i++)
        bad[i] = good;
    bad[0].bpc = 8;   /* words of 16 bits */
    bad[1].shift = 7; /* past the end of the word */
    bad[2].bpc = 17;
    bad[3].w = 0;
    bad[4].format[0] = 0; /* no format */
    bad[5].format[0] = VK_FORMAT_R8G8B8A8_UNORM;
    bad[6].format[0] = VK_FORMAT_R16G16_UNORM; /* no luma */
    bad[7].format[1] = VK_FORMAT_R16_UNORM;    /* half of the chroma */
    bad[8].format[1] = 0;
    bad[9].format[1] = VK_FORMAT_R8G8_UNORM;
    bad[10].format[2] = VK_FORMAT_R16_UNORM;
    bad[11].x = 1; /* within a chroma sample */
    bad[12].y = 3;
    bad[13].pix_fmt = VMAF_PIX_FMT_UNKNOWN;
    bad[14].format[0] = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM; /* an 8-bit format */
    bad[15].size--;
    for (unsigned i = 0; i < COUNT(bad); i++) {
        why[0] = '\0';
        assert_int_equal(-EINVAL, vmaf_vulkan_can_import(state, &bad[i], why, sizeof(why)));
        assert_true(why[0] || i == 15);
    }
    /* The answer for multi-planar formats agrees with what the device supports. */
    const uint32_t planar[] = { VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16,
                                VK_FORMAT_G16_B16R16_2PLANE_420_UNORM };
    for (unsigned i = 0; i < COUNT(planar); i++) {
        VkFormatProperties properties;
        owner.instance->vki.GetPhysicalDeviceFormatProperties(owner.physical, (VkFormat)planar[i],
                                                              &properties);
        VmafVulkanFrame frame = good;
        frame.format[0] = planar[i];
        frame.format[1] = 0;
        const bool can = (properties.optimalTilingFeatures | properties.linearTilingFeatures) &
                         VK_FORMAT_FEATURE_TRANSFER_SRC_BIT;
        assert_int_equal(can ? 0 : -ENOTSUP,
                         vmaf_vulkan_can_import(state, &frame, why, sizeof(why)));
    }
}

static void test_arguments(void **unused)
{
    OwnerFrame frames[2];
    VmafContext *vmaf = open_context(DEVICE, 0), *plain;
    for (unsigned side = 0; side < 2; side++)
        owner_make_frame(&owner, &kinds[1], W, H, &frames[side]);
    VmafVulkanFrame *ref = &frames[0].frame, *dist = &frames[1].frame;
    assert_int_equal(-EINVAL, vmaf_vulkan_read_frames(NULL, ref, dist, 0));
    assert_int_equal(-EINVAL, vmaf_vulkan_read_frames(vmaf, NULL, dist, 0));
    assert_int_equal(-EINVAL, vmaf_vulkan_read_frames(vmaf, ref, NULL, 0));
    VmafVulkanFrame bad = *dist;
    bad.size--;
    assert_int_equal(-EINVAL, vmaf_vulkan_read_frames(vmaf, ref, &bad, 0));
    assert_int_equal(0, atomic_load(&frames[0].released));
    bad = *dist;
    bad.image[1] = 0;
    assert_int_equal(-EINVAL, vmaf_vulkan_read_frames(vmaf, ref, &bad, 0));
    bad = *dist;
    bad.layout[1] = VK_IMAGE_LAYOUT_UNDEFINED;
    assert_int_equal(-EINVAL, vmaf_vulkan_read_frames(vmaf, ref, &bad, 0));
    bad = *dist;
    bad.format[0] = VK_FORMAT_R16_UNORM;
    assert_int_equal(-EINVAL, vmaf_vulkan_read_frames(vmaf, ref, &bad, 0));
    assert_int_equal(0, vmaf_init(&plain, (VmafConfiguration){ 0 }));
    assert_int_equal(-EINVAL, vmaf_vulkan_read_frames(plain, ref, dist, 0)); /* no state */
    assert_int_equal(4, atomic_load(&frames[0].released));
    assert_int_equal(4, atomic_load(&frames[1].released));
    assert_int_equal(0, vmaf_close(plain));
    assert_int_equal(0, vmaf_close(vmaf));
    for (unsigned side = 0; side < 2; side++)
        owner_destroy_frame(&owner, &frames[side]);
}

/* ---- devices that are refused ---- */

static void refuse(const VmafVulkanExternalDevice *device, int wanted)
{
    VmafVulkanState *none = (VmafVulkanState *)1;
    const unsigned before = atomic_load(&owner.submissions);
    assert_int_equal(wanted, vmaf_vulkan_state_init_external_device(&none, device));
    assert_null(none);
    assert_int_equal(before, atomic_load(&owner.submissions));
}

static void test_devices(void **unused)
{
    VmafVulkanExternalDevice device = owner_tells(&owner);
    VkPhysicalDeviceVulkan12Features core = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    };
    VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
    };
    VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .features = { .shaderInt64 = VK_TRUE },
    };
    device.features = &features;
    refuse(&device, -ENOTSUP); /* without timeline semaphores */
    features.pNext = &timelines;
    timelines.pNext = &core;
    refuse(&device, -ENOTSUP);
    core.timelineSemaphore = VK_TRUE;
    features.features.shaderInt64 = VK_FALSE;
    refuse(&device, -ENOTSUP); /* without 64-bit integers */
    features.features.shaderInt64 = VK_TRUE;
    device.api_version = VK_API_VERSION_1_1;
    refuse(&device, -ENOTSUP); /* without the extension */
    const char *const extension = "VK_KHR_timeline_semaphore";
    device.extensions = &extension;
    device.extension_count = 1;
    VmafVulkanState *one;
    assert_int_equal(0, vmaf_vulkan_state_init_external_device(&one, &device));
    vmaf_vulkan_state_free(&one);
    device.api_version = VK_API_VERSION_1_0;
    refuse(&device, -ENOTSUP);
    device.api_version = 0;
    device.max_outstanding_frames = 2;
    device.size =
        offsetof(VmafVulkanExternalDevice, fallback_cpu); /* the size in an older header */
    assert_int_equal(0, vmaf_vulkan_state_init_external_device(&one, &device));
    assert_int_equal(2, vmaf_vulkan_state_max_outstanding_frames(one));
    vmaf_vulkan_state_free(&one);

    device.size = sizeof(device);

    VmafVulkanExternalDevice bad[10];
    for (unsigned i = 0; i < COUNT(bad); i++)
        bad[i] = device;
    bad[0].features = NULL;
    bad[1].unlock_queue = NULL;
    bad[2].lock_queue = NULL;
    bad[3].queue_family = 99;
    bad[4].queue_index = 99;
    bad[5].instance = 0;
    bad[6].device = 0;
    bad[7].physical_device = 0;
    bad[8].size = offsetof(VmafVulkanExternalDevice, fallback_cpu) - 1;
    bad[9].extensions = NULL;
    for (unsigned i = 0; i < COUNT(bad); i++)
        refuse(&bad[i], -EINVAL);
    refuse(NULL, -EINVAL);
    assert_int_equal(-EINVAL, vmaf_vulkan_state_init_external_device(NULL, &device));
    assert_int_equal(0, vmaf_vulkan_state_init_external_device(&one, &device));
    vmaf_vulkan_state_free(&one);
}

/* Doubles are used on a device whose owner says that they are enabled. */
static void test_doubles(void **unused)
{
    VmafVulkanExternalDevice device = owner_tells(&owner);
    VkPhysicalDeviceFeatures2 features = *(const VkPhysicalDeviceFeatures2 *)device.features;
    device.features = &features;
    assert_int_equal(0, setenv("VMAF_GPU_DOUBLES", "1", 1));
    for (VkBool32 enabled = VK_FALSE; enabled <= VK_TRUE; enabled++) {
        VmafVulkanState *one;
        features.features.shaderFloat64 = enabled;
        assert_int_equal(0, vmaf_vulkan_state_init_external_device(&one, &device));
        assert_int_equal(enabled, rig_session((VmafDevice *)one)->device->tuning.doubles);
        vmaf_vulkan_state_free(&one);
    }
    unsetenv("VMAF_GPU_DOUBLES");
}

/* The queue is locked around each submission, including those of the self-test. */
static void test_locks(void **unused)
{
    const unsigned before = atomic_load(&owner.submissions);
    const VmafVulkanExternalDevice device = owner_tells(&owner);
    VmafVulkanState *one;
    /* Otherwise a cached verdict would skip the self-test. */
    assert_int_equal(0, setenv("VMAF_CACHE_DIR", "", 1));
    assert_int_equal(0, vmaf_vulkan_state_init_external_device(&one, &device));
    /* The first pair makes the device test its features. */
    const SynthClip clip = clip_of(&kinds[0]);
    const ScoreRun run = {
        .device = (VmafDevice *)one, .clip = &clip, .features = every, .feature_count = DEVICE
    };
    VmafContext *vmaf;
    char *scores;
    assert_int_equal(0, score_open(&run, &vmaf));
    assert_int_equal(0, score_read(&run, vmaf, 0, 0));
    assert_int_equal(0, score_close(vmaf, &scores));
    free(scores);
    assert_true(atomic_load(&owner.submissions) > before + 1);
    assert_int_equal(0, atomic_load(&owner.unlocked_submissions));
    vmaf_vulkan_state_free(&one);
}

TEST_MAIN(vulkan_frames)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const char *why = owner_open(&owner, NULL);
    if (why) {
        print_message("%s\n", why);
        return 77;
    }
    const VmafVulkanExternalDevice device = owner_tells(&owner);
    const int err = vmaf_vulkan_state_init_external_device(&state, &device);
    if (err) {
        print_message("no state: %d\n", err);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),       cmocka_unit_test(test_beside_cpu),
        cmocka_unit_test(test_two_contexts), cmocka_unit_test(test_same_frame),
        cmocka_unit_test(test_unsaid_shift), cmocka_unit_test(test_other_size),
        cmocka_unit_test(test_formats),      cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_devices),      cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_locks),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vmaf_vulkan_state_free(&state);
    const unsigned messages = atomic_load(&owner.instance->messages);
    const unsigned unlocked = atomic_load(&owner.unlocked_submissions);
    if (messages || unlocked) {
        print_message("%u messages of the layers, %u submissions without a lock\n", messages,
                      unlocked);
        return 1;
    }
    if (!failed)
        owner_close(&owner);
    return failed;
}
