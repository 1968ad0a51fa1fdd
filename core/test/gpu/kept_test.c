/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* FFmpeg frames that lie on a device are scored there, as the command does it (input/libav.h),
 * with the CPU's scores. libavutil's uploads replace a decoder: frames in all formats, in real CUDA
 * or Vulkan frame pools.
 *
 * usage: kept_test cuda|vulkan */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vmaf/gpu.h"
#include "input/libav.h"
#include "libvmaf/device.h"
#include "synth.h"
#include "testing.h"

#define FRAMES 9 /* more than may be in flight */

static const char *backend;
static AVBufferRef *device;
static const char *const features[] = { "psnr", "motion", "vif" };

typedef struct Kind {
    enum AVPixelFormat format;
    enum VmafPixelFormat pix_fmt;
    unsigned w, h;
} Kind;

static const Kind kinds[] = {
    { AV_PIX_FMT_NV12, VMAF_PIX_FMT_YUV420P, 98, 66 },
    { AV_PIX_FMT_NV12, VMAF_PIX_FMT_YUV420P, 99, 67 },
    { AV_PIX_FMT_P010, VMAF_PIX_FMT_YUV420P, 98, 66 },
    { AV_PIX_FMT_P016, VMAF_PIX_FMT_YUV420P, 98, 66 },
    { AV_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV420P, 66, 50 },
    { AV_PIX_FMT_YUV420P10, VMAF_PIX_FMT_YUV420P, 66, 50 },
    { AV_PIX_FMT_YUV420P12, VMAF_PIX_FMT_YUV420P, 66, 50 },
    { AV_PIX_FMT_NV16, VMAF_PIX_FMT_YUV422P, 66, 50 },
    { AV_PIX_FMT_YUV422P10, VMAF_PIX_FMT_YUV422P, 66, 50 },
    { AV_PIX_FMT_YUV444P, VMAF_PIX_FMT_YUV444P, 65, 49 },
    { AV_PIX_FMT_YUV444P16, VMAF_PIX_FMT_YUV444P, 65, 49 },
    { AV_PIX_FMT_GRAY8, VMAF_PIX_FMT_YUV400P, 65, 49 },
};

static SynthClip clip_of(const Kind *kind)
{
    const unsigned depth = (unsigned)av_pix_fmt_desc_get(kind->format)->comp[0].depth;
    return (SynthClip){ "kept", SYNTH_MIX, kind->w, kind->h, kind->pix_fmt, depth, FRAMES };
}

/* ---- frames ---- */

static unsigned get_sample(const VmafPicture *pic, unsigned p, unsigned x, unsigned y)
{
    const char *const row = (const char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
    return pic->bpc > 8 ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
}

/* Makes a frame on the host. Where chroma has a last column or row that the picture, which rounds
 * down, lacks, it holds noise. */
static AVFrame *on_host(const Kind *kind, enum SynthSide side, unsigned t)
{
    const SynthClip clip = clip_of(kind);
    const AVPixFmtDescriptor *const pixel = av_pix_fmt_desc_get(kind->format);
    AVFrame *const frame = av_frame_alloc();
    VmafPicture pic;
    assert_int_equal(0, synth_picture(&clip, side, t, &pic));
    frame->format = kind->format;
    frame->width = (int)kind->w;
    frame->height = (int)kind->h;
    assert_int_equal(0, av_frame_get_buffer(frame, 0));
    for (int p = 0; p < 3 && frame->buf[p]; p++)
        memset(frame->buf[p]->data, 0x5b, (size_t)frame->buf[p]->size);
    for (unsigned c = 0; c < (pixel->nb_components < 3 ? 1u : 3u); c++) {
        const AVComponentDescriptor *const comp = &pixel->comp[c];
        for (unsigned y = 0; y < pic.h[c]; y++)
            for (unsigned x = 0; x < pic.w[c]; x++) {
                const unsigned value = get_sample(&pic, c, x, y) << comp->shift;
                uint8_t *const to = frame->data[comp->plane] +
                                    (ptrdiff_t)y * frame->linesize[comp->plane] +
                                    (ptrdiff_t)x * comp->step + comp->offset;
                if (comp->depth > 8)
                    memcpy(to, &(uint16_t){ (uint16_t)value }, 2);
                else
                    *to = (uint8_t)value;
            }
    }
    vmaf_picture_unref(&pic);
    return frame;
}

/* Opens a frame pool on the device. NULL: the device has none of this format. */
static AVBufferRef *open_pool(const Kind *kind)
{
    AVBufferRef *pool = av_hwframe_ctx_alloc(device);
    AVHWFramesContext *const frames = (AVHWFramesContext *)pool->data;
    frames->format = !strcmp(backend, "cuda") ? AV_PIX_FMT_CUDA : AV_PIX_FMT_VULKAN;
    frames->sw_format = kind->format;
    frames->width = (int)kind->w;
    frames->height = (int)kind->h;
    if (av_hwframe_ctx_init(pool) < 0)
        av_buffer_unref(&pool);
    return pool;
}

/* The frames on the device, and those that they were uploaded from: libavutil 5.1 does not hold
 * these until the device has read them. */
typedef struct Clip {
    AVFrame *there[FRAMES][2], *here[FRAMES][2];
} Clip;

static void upload(Clip *video, AVBufferRef *pool, const Kind *kind)
{
    for (unsigned t = 0; t < FRAMES; t++)
        for (unsigned side = 0; side < 2; side++) {
            AVFrame *const frame = av_frame_alloc();
            video->here[t][side] = on_host(kind, side, t);
            assert_int_equal(0, av_hwframe_get_buffer(pool, frame, 0));
            assert_int_equal(0, av_hwframe_transfer_data(frame, video->here[t][side], 0));
            video->there[t][side] = frame;
        }
}

static void free_video(Clip *video)
{
    for (unsigned t = 0; t < FRAMES; t++)
        for (unsigned side = 0; side < 2; side++) {
            av_frame_free(&video->there[t][side]);
            av_frame_free(&video->here[t][side]);
        }
}

/* ---- scores ---- */

typedef struct Scorer {
    KeptScorer kept;
    VmafDevice *device;
    Gpu *gpu; /* opened on the frames' device */
} Scorer;

static void open_context(VmafContext **vmaf)
{
    assert_int_equal(0, vmaf_init(vmaf, (VmafConfiguration){ 0 }));
}

static void use_features(VmafContext *vmaf)
{
    for (unsigned i = 0; i < COUNT(features); i++)
        assert_int_equal(0, vmaf_use_feature(vmaf, features[i], NULL));
}

static void open_scorer(Scorer *scorer, const AVFrame *frame)
{
    *scorer = (Scorer){ 0 };
    open_context(&scorer->kept.vmaf);
    if (!strcmp(backend, "cuda")) {
        const VmafDeviceOptions options = { .size = sizeof(options),
                                            .backend = "cuda",
                                            .required = 1 };
        assert_int_equal(0, vmaf_device_open(&scorer->device, &options));
        assert_int_equal(0, vmaf_use_device(scorer->kept.vmaf, scorer->device));
    } else {
        const Options options = { .backend = "vulkan", .allow_software = true };
        VmafVulkanState *state;
        assert_int_equal(0, libav_vulkan_open(frame, KEPT_PAIRS, true, &state));
        assert_int_equal(0, gpu_adopt(&scorer->gpu, &options, scorer->kept.vmaf, state));
        assert_string_equal("vulkan", gpu_backend(scorer->gpu));
        scorer->kept.vulkan = gpu_adopted(scorer->gpu);
        assert_ptr_equal(state, scorer->kept.vulkan);
    }
    use_features(scorer->kept.vmaf);
}

static void close_scorer(Scorer *scorer)
{
    assert_int_equal(0, vmaf_close(scorer->kept.vmaf));
    vmaf_device_close(&scorer->device);
    gpu_destroy(scorer->gpu);
}

static VmafContext *score_on_cpu(const Kind *kind)
{
    const SynthClip clip = clip_of(kind);
    VmafContext *vmaf;
    open_context(&vmaf);
    use_features(vmaf);
    for (unsigned t = 0; t < FRAMES; t++) {
        VmafPicture pics[2];
        for (unsigned side = 0; side < 2; side++)
            assert_int_equal(0, synth_picture(&clip, side, t, &pics[side]));
        assert_int_equal(0, vmaf_read_pictures(vmaf, &pics[SYNTH_REF], &pics[SYNTH_DIST], t));
    }
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    return vmaf;
}

static void compare(VmafContext *there, const Kind *kind)
{
    static const char *const names[] = { "psnr_y",
                                         "psnr_cb",
                                         "psnr_cr",
                                         "integer_motion2",
                                         "integer_vif_scale0",
                                         "integer_vif_scale3" };
    VmafContext *const here = score_on_cpu(kind);
    for (unsigned t = 0; t < FRAMES; t++)
        for (unsigned i = 0; i < COUNT(names); i++) {
            double a = -1, b = -2;
            const int err = vmaf_feature_score_at_index(here, names[i], &b, t);
            assert_int_equal(err, vmaf_feature_score_at_index(there, names[i], &a, t));
            assert_true(!err || kind->pix_fmt == VMAF_PIX_FMT_YUV400P);
            if (!err && a != b)
                fail_msg("%s, %s of frame %u: %.17g, not %.17g", av_get_pix_fmt_name(kind->format),
                         names[i], t, a, b);
        }
    assert_int_equal(0, vmaf_close(here));
}

static KeptFrame *hold(const AVFrame *frame)
{
    KeptFrame *const kept = libav_kept_create(frame);
    assert_non_null(kept);
    return kept;
}

static bool check_kind(const Kind *kind)
{
    AVBufferRef *pool = open_pool(kind);
    if (!pool)
        return false;
    Clip video;
    Scorer scorer;
    char why[256] = "";
    upload(&video, pool, kind);
    open_scorer(&scorer, video.there[0][0]);
    if (libav_kept_check(video.there[0][0], &scorer.kept, why, sizeof(why)))
        fail_msg("%s: %s", av_get_pix_fmt_name(kind->format), why);
    for (unsigned t = 0; t < FRAMES; t++) {
        KeptFrame *const ref = hold(video.there[t][SYNTH_REF]), *const more = kept_copy(ref);
        assert_int_equal(0, kept_read(scorer.kept.vmaf, ref, hold(video.there[t][SYNTH_DIST]), t));
        kept_release(more);
    }
    assert_int_equal(0, vmaf_read_pictures(scorer.kept.vmaf, NULL, NULL, 0));
    compare(scorer.kept.vmaf, kind);
    close_scorer(&scorer);
    free_video(&video);
    av_buffer_unref(&pool);
    return true;
}

static void test_formats(void **unused)
{
    unsigned checked = 0;
    for (unsigned i = 0; i < COUNT(kinds); i++) {
        if (check_kind(&kinds[i]))
            checked++;
        else
            print_message("no %s here\n", av_get_pix_fmt_name(kinds[i].format));
    }
    assert_true(checked >= 6);
}

/* A frame compared with itself, and with one of another size: the read fails and gives the frames
 * back. */
static void test_odd_pairs(void **unused)
{
    const Kind *const kind = &kinds[0], small = { kind->format, kind->pix_fmt, 66, 50 };
    AVBufferRef *pools[2] = { open_pool(kind), open_pool(&small) };
    Clip video, other;
    Scorer scorer;
    double psnr;
    upload(&video, pools[0], kind);
    upload(&other, pools[1], &small);
    open_scorer(&scorer, video.there[0][0]);
    VmafContext *const vmaf = scorer.kept.vmaf;
    assert_int_equal(0, kept_read(vmaf, hold(video.there[0][0]), hold(video.there[0][0]), 0));
    assert_int_equal(-EINVAL, kept_read(vmaf, hold(video.there[1][0]), hold(other.there[1][0]), 1));
    assert_int_equal(-EINVAL, kept_read(vmaf, hold(other.there[1][1]), hold(other.there[1][0]), 1));
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    assert_int_equal(0, vmaf_feature_score_at_index(vmaf, "psnr_cr", &psnr, 0));
    assert_true(psnr == 60);
    close_scorer(&scorer);
    free_video(&video);
    free_video(&other);
    av_buffer_unref(&pools[0]);
    av_buffer_unref(&pools[1]);
}

/* Frames that cannot be read on the device, and scorers that cannot read them. */
static void test_refusals(void **unused)
{
    char why[256] = "";
    AVFrame *host = on_host(&kinds[0], SYNTH_REF, 0);
    KeptLayout layout;
    assert_null(libav_kept_create(host));
    assert_false(libav_kept_layout(host, &layout));
    av_frame_free(&host);
    AVBufferRef *pool = open_pool(&kinds[0]);
    AVFrame *frame = av_frame_alloc();
    KeptScorer cpu = { 0 };
    assert_int_equal(0, av_hwframe_get_buffer(pool, frame, 0));
    assert_true(libav_kept_layout(frame, &layout));
    assert_true(layout.paired && layout.bpc == 8 && layout.pix_fmt == VMAF_PIX_FMT_YUV420P);
    open_context(&cpu.vmaf);
    assert_true(libav_kept_check(frame, &cpu, why, sizeof(why)) < 0);
    assert_true(why[0]);
    KeptFrame *const frames[2] = { hold(frame), hold(frame) };
    assert_true(kept_read(cpu.vmaf, frames[0], frames[1], 0) < 0);
    assert_int_equal(0, vmaf_close(cpu.vmaf));
    av_frame_free(&frame);
    av_buffer_unref(&pool);
}

/* The device can be named by its number, and by no other number or name. */
static void adopt_named(const AVFrame *frame, const uint8_t uuid[16])
{
    VmafVulkanDeviceInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; i <= 10; i++) {
        char word[16] = "llvmpipe";
        const Options options = { .backend = "vulkan", .device = word, .allow_software = true };
        VmafVulkanState *state;
        VmafContext *vmaf;
        Gpu *gpu = NULL;
        if (i < 10)
            snprintf(word, sizeof(word), "%u", i);
        const bool same =
            i < 10 && !vmaf_vulkan_device_info(i, &info) && !memcmp(info.uuid, uuid, 16);
        if (i > 1 && i < 9 && !same)
            continue;
        open_context(&vmaf);
        assert_int_equal(0, libav_vulkan_open(frame, KEPT_PAIRS, false, &state));
        assert_int_equal(same ? 0 : -ENODEV, gpu_adopt(&gpu, &options, vmaf, state));
        assert_int_equal(0, vmaf_close(vmaf));
        gpu_destroy(gpu);
    }
}

/* A second context on the decoder's device, and a software device that is not allowed. */
static void test_adoption(void **unused)
{
    if (strcmp(backend, "vulkan") != 0)
        return;
    const Kind *const kind = &kinds[0];
    const Options plain = { .backend = "vulkan" };
    AVBufferRef *pool = open_pool(kind);
    Clip video;
    Scorer scorer;
    VmafContext *second;
    upload(&video, pool, kind);
    open_scorer(&scorer, video.there[0][0]);
    open_context(&second);
    assert_int_equal(0, gpu_share(scorer.gpu, second));
    use_features(second);
    for (unsigned t = 0; t < FRAMES; t++)
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(0, kept_read(i ? second : scorer.kept.vmaf,
                                          hold(video.there[t][SYNTH_REF]),
                                          hold(video.there[t][SYNTH_DIST]), t));
    for (unsigned i = 0; i < 2; i++) {
        VmafContext *const vmaf = i ? second : scorer.kept.vmaf;
        assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
        compare(vmaf, kind);
    }
    assert_int_equal(0, vmaf_close(second));
    close_scorer(&scorer);

    VmafVulkanDeviceInfo info = { .size = sizeof(info) };
    VmafVulkanState *state;
    Gpu *gpu = NULL;
    open_context(&second);
    assert_int_equal(0, libav_vulkan_open(video.there[0][0], KEPT_PAIRS, false, &state));
    assert_int_equal(0, vmaf_vulkan_state_device_info(state, &info));
    const bool software = info.type == VMAF_VULKAN_DEVICE_TYPE_SOFTWARE;
    assert_int_equal(software ? -ENODEV : 0, gpu_adopt(&gpu, &plain, second, state));
    assert_int_equal(0, vmaf_close(second));
    gpu_destroy(gpu);
    adopt_named(video.there[0][0], info.uuid);
    free_video(&video);
    av_buffer_unref(&pool);
}

/* Fails if FFmpeg's libraries or the device are missing. */
static int open_device(void)
{
    enum { PRIMARY_CONTEXT = 1 };
    const enum AVHWDeviceType type =
        !strcmp(backend, "cuda") ? AV_HWDEVICE_TYPE_CUDA : AV_HWDEVICE_TYPE_VULKAN;
    if (libav_api_open())
        return -ENOSYS;
    return av_hwdevice_ctx_create(&device, type, NULL, NULL,
                                  type == AV_HWDEVICE_TYPE_CUDA ? PRIMARY_CONTEXT : 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_odd_pairs),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_adoption),
    };
    backend = argc > 1 ? argv[1] : "";
    if (open_device() < 0) {
        printf("skipped: FFmpeg's libraries have no device for %s\n", backend);
        return 77;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    av_buffer_unref(&device);
    return failed;
}
