/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures that Vulkan makes and CUDA scores on one GPU: memory and timeline semaphores are shared
 * between two drivers' APIs, and nothing waits on the host. Skipped (77) where no Vulkan device is
 * also a CUDA device. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "libvmaf/libvmaf_cuda.h"
#include "score.h"
#include "testing.h"
#include "vulkan_export.h"

static const ClipFeature features[] = {
    { "vif", { 0 } }, { "adm", { 0 } }, { "motion", { 0 } }, { "psnr", { 0 } }, { "cambi", { 0 } }
};

/* More frames than a context holds at once, so that all its objects are used again. */
static const SynthClip clips[] = {
    { "8 bits", SYNTH_MIX, 331, 221, VMAF_PIX_FMT_YUV420P, 8, 11 },
    { "10 bits", SYNTH_BANDS, 322, 218, VMAF_PIX_FMT_YUV420P, 10, 11 },
};

static Exporter exporter;
static uint8_t uuid[16];
static VmafDevice *device;

/* ---- one side of a clip ---- */

/* A frame has three moments: written by Vulkan, read by CUDA, overwritten by Vulkan. */
enum { WRITTEN = 1, READ, SPOILT, MOMENTS = SPOILT };

typedef struct Side {
    FrameShape shape;
    uint64_t offset[3], stride[3], size;
    ExportedBuffer shared, staging[2]; /* staging buffers of even and odd frames */
    Timeline timeline;
    uintptr_t semaphore; /* the time line, imported by CUDA */
} Side;

static uint64_t moment(unsigned t, unsigned which)
{
    return (uint64_t)t * MOMENTS + which;
}

/* Planes begin and rows end at unusual offsets. */
static void side_create(Side *side, const SynthClip *clip, bool dedicated)
{
    *side = (Side){ 0 };
    clip_shape(clip, &side->shape);
    for (unsigned p = 0; p < 3; p++) {
        const unsigned row = side->shape.w[p] * shape_sample_size(&side->shape);
        side->offset[p] = (side->size + 8 * p) | 1;
        side->stride[p] = (row + 2 + 4 * p) | 1;
        side->size = side->offset[p] + side->stride[p] * side->shape.h[p];
    }
    side->size = (side->size + 3) & ~(uint64_t)3; /* Vulkan fills whole words */
    exporter_make_buffer(&exporter, side->size, dedicated, &side->shared);
    for (unsigned i = 0; i < 2; i++)
        exporter_make_staging(&exporter, side->size, &side->staging[i]);
    exporter_make_timeline(&exporter, true, &side->timeline);
}

static void side_destroy(Side *side)
{
    exporter_destroy_buffer(&exporter, &side->shared);
    for (unsigned i = 0; i < 2; i++)
        exporter_destroy_buffer(&exporter, &side->staging[i]);
    exporter_destroy_timeline(&exporter, &side->timeline);
}

static void paint(Side *side, const SynthClip *clip, enum SynthSide which, unsigned t)
{
    unsigned char *to = side->staging[t % 2].mapped;
    memset(to, 0xa7, side->size);
    VmafPicture pic;
    assert_int_equal(0, synth_picture(clip, which, t, &pic));
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < pic.h[p]; y++)
            memcpy(to + side->offset[p] + y * side->stride[p],
                   (char *)pic.data[p] + y * pic.stride[p],
                   pic.w[p] * shape_sample_size(&side->shape));
    assert_int_equal(0, vmaf_picture_unref(&pic));
}

static VmafSharedPicture shared_picture(const Side *side, const SynthClip *clip,
                                        enum SynthSide which, unsigned t)
{
    VmafSharedPicture picture = {
        .size = sizeof(picture),
        .type = VMAF_MEMORY_OPAQUE_FD,
        .handle = side->shared.fd,
        .bytes = side->shared.allocated,
        .w = clip->width,
        .h = clip->height,
        .bpc = clip->bitdepth,
        .pix_fmt = clip->pix_fmt,
        .is_ref = which == SYNTH_REF,
        .index = t,
        .semaphore = side->semaphore,
        .wait_value = moment(t, WRITTEN),
        .signal_value = moment(t, READ),
    };
    for (unsigned p = 0; p < 3; p++) {
        picture.offset[p] = side->offset[p];
        picture.stride[p] = side->stride[p];
    }
    return picture;
}

/* Enqueues all work of a frame on both devices. It begins only when the first semaphore is
 * signalled. */
static void enqueue(VmafContext *vmaf, Side *side, const SynthClip *clip, enum SynthSide which,
                    unsigned t, const Timeline *gate)
{
    const Timeline *own = &side->timeline;
    const Moment open[2] = { { gate, t + 1 }, { own, moment(t, 0) } };
    const Moment read[2] = { { gate, t + 1 }, { own, moment(t, READ) } };
    paint(side, clip, which, t);
    exporter_write(&exporter, &side->staging[t % 2], &side->shared, open,
                   (Moment){ own, moment(t, WRITTEN) });
    const VmafSharedPicture picture = shared_picture(side, clip, which, t);
    assert_int_equal(0, vmaf_import_picture(vmaf, &picture));
    exporter_write(&exporter, NULL, &side->shared, read, (Moment){ own, moment(t, SPOILT) });
}

static VmafContext *open_context(const SynthClip *clip, Side sides[2], unsigned threads)
{
    VmafContext *vmaf;
    assert_int_equal(0, score_open(&(ScoreRun){ .device = device,
                                                .clip = clip,
                                                .features = features,
                                                .feature_count = COUNT(features),
                                                .threads = threads },
                                   &vmaf));
    for (unsigned s = 0; s < 2; s++)
        assert_int_equal(
            0, vmaf_cuda_import_semaphore(vmaf, sides[s].timeline.fd, &sides[s].semaphore));
    return vmaf;
}

static void close_equal(VmafContext *vmaf, const SynthClip *clip, Side sides[2])
{
    char *scores, *wanted;
    for (unsigned s = 0; s < 2; s++)
        assert_int_equal(0, vmaf_cuda_free_semaphore(vmaf, sides[s].semaphore));
    assert_int_equal(0, score_close(vmaf, &scores));
    assert_int_equal(
        0, score_run(
               &(ScoreRun){ .clip = clip, .features = features, .feature_count = COUNT(features) },
               &wanted));
    assert_true(score_same(wanted, scores));
    free(scores);
    free(wanted);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* ---- scores ---- */

/* Reads frame `t` and checks that Vulkan is told. */
static void read_frame(VmafContext *vmaf, Side sides[2], unsigned t)
{
    assert_int_equal(0, vmaf_read_imported_pictures(vmaf, t));
    for (unsigned s = 0; s < 2; s++) {
        exporter_wait(&exporter, &sides[s].timeline, moment(t, READ));
        exporter_wait(&exporter, &sides[s].timeline, moment(t, SPOILT));
    }
}

/* Enqueues all work of a frame before any of it may begin: a wait on the host would never
 * return. */
static void score_gated(VmafContext *vmaf, Side sides[2], const SynthClip *clip,
                        const Timeline *gate)
{
    for (unsigned t = 0; t < clip->frames; t++) {
        for (unsigned s = 0; s < 2; s++)
            enqueue(vmaf, &sides[s], clip, s, t, gate);
        for (unsigned s = 0; s < 2; s++)
            assert_int_equal(moment(t, 0), exporter_value(&exporter, &sides[s].timeline));
        exporter_signal(&exporter, gate, t + 1);
        read_frame(vmaf, sides, t);
    }
}

/* All frames may begin; the next one is enqueued, into the same memory, before one is read. */
static void score_ahead(VmafContext *vmaf, Side sides[2], const SynthClip *clip,
                        const Timeline *gate)
{
    exporter_signal(&exporter, gate, clip->frames);
    for (unsigned t = 0; t <= clip->frames; t++) {
        for (unsigned s = 0; s < 2 && t < clip->frames; s++)
            enqueue(vmaf, &sides[s], clip, s, t, gate);
        if (t)
            read_frame(vmaf, sides, t - 1);
    }
}

static void score_clip(const SynthClip *clip, bool gated, bool dedicated)
{
    Side sides[2];
    Timeline gate;
    exporter_make_timeline(&exporter, false, &gate);
    for (unsigned s = 0; s < 2; s++)
        side_create(&sides[s], clip, dedicated);
    VmafContext *vmaf = open_context(clip, sides, gated ? 0 : 2);
    if (gated)
        score_gated(vmaf, sides, clip, &gate);
    else
        score_ahead(vmaf, sides, clip, &gate);
    for (unsigned s = 0; s < 2; s++) {
        assert_true(is_open(sides[s].shared.fd));
        assert_true(is_open(sides[s].timeline.fd));
    }
    close_equal(vmaf, clip, sides);
    for (unsigned s = 0; s < 2; s++)
        side_destroy(&sides[s]);
    exporter_destroy_timeline(&exporter, &gate);
}

static void test_scores(void **unused)
{
    for (unsigned c = 0; c < COUNT(clips); c++)
        for (unsigned gated = 0; gated < 2; gated++)
            score_clip(&clips[c], gated, c == gated);
}

/* ---- refusals ---- */

static void check_refused_memory(VmafContext *vmaf, const Side *side, const SynthClip *clip,
                                 int other)
{
    const VmafSharedPicture good = shared_picture(side, clip, SYNTH_REF, 0);
    const uint64_t end = side->offset[2] + side->stride[2] * (side->shape.h[2] - 1) +
                         side->shape.w[2] * shape_sample_size(&side->shape);
    const struct {
        const char *what;
        intptr_t fd;
        uint64_t bytes;
        int wanted;
    } cases[] = {
        { "smaller than the picture", side->shared.fd, end - 1, -EINVAL },
        { "larger than the memory", side->shared.fd, side->shared.allocated * 64, -ENOTSUP },
        { "no descriptor", -1, side->shared.allocated, -EBADF },
        { "nobody's descriptor", 1 << 20, side->shared.allocated, -EBADF },
        { "a file", other, side->shared.allocated, -ENOTSUP },
        { "a semaphore", side->timeline.fd, side->shared.allocated, -ENOTSUP },
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        VmafSharedPicture bad = good;
        bad.handle = cases[i].fd;
        bad.bytes = cases[i].bytes;
        print_message("memory: %s\n", cases[i].what);
        assert_int_equal(cases[i].wanted, vmaf_import_picture(vmaf, &bad));
        assert_int_equal(-EINVAL, vmaf_read_imported_pictures(vmaf, 0));
    }
}

/* Memory is not tested here: a driver whose semaphores are memory accepts it as one. */
static void check_refused_semaphores(VmafContext *vmaf, int other)
{
    const struct {
        const char *what;
        int fd, wanted;
    } cases[] = {
        { "no descriptor", -1, -EBADF },
        { "nobody's descriptor", 1 << 20, -EBADF },
        { "a file", other, -ENOTSUP },
    };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        uintptr_t semaphore = 1;
        print_message("semaphore: %s\n", cases[i].what);
        assert_int_equal(cases[i].wanted,
                         vmaf_cuda_import_semaphore(vmaf, cases[i].fd, &semaphore));
        assert_int_equal(0, semaphore);
    }
}

/* A refused import has no side effects: all descriptors stay open, and the context still works. */
static void test_refusals(void **unused)
{
    SynthClip clip = clips[0];
    clip.frames = 1;
    Side sides[2];
    Timeline gate;
    exporter_make_timeline(&exporter, false, &gate);
    for (unsigned s = 0; s < 2; s++)
        side_create(&sides[s], &clip, false);
    const int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(other >= 0);
    VmafContext *vmaf = open_context(&clip, sides, 0);
    check_refused_memory(vmaf, &sides[0], &clip, other);
    check_refused_semaphores(vmaf, other);
    assert_true(is_open(other));
    for (unsigned s = 0; s < 2; s++) {
        assert_true(is_open(sides[s].shared.fd));
        assert_true(is_open(sides[s].timeline.fd));
        enqueue(vmaf, &sides[s], &clip, s, 0, &gate);
    }
    exporter_signal(&exporter, &gate, 1);
    read_frame(vmaf, sides, 0);
    close_equal(vmaf, &clip, sides);
    for (unsigned s = 0; s < 2; s++)
        side_destroy(&sides[s]);
    exporter_destroy_timeline(&exporter, &gate);
    close(other);
}

/* ---- the device that both APIs know ---- */

static int open_device(const uint8_t id[16], VmafDevice **out)
{
    char text[33];
    for (unsigned i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return vmaf_device_open(out, &(VmafDeviceOptions){ .size = sizeof(VmafDeviceOptions),
                                                       .backend = "cuda",
                                                       .device = text,
                                                       .quiet = 1,
                                                       .required = 1 });
}

static void test_unknown_device(void **unused)
{
    uint8_t unknown[16];
    for (unsigned i = 0; i < 16; i++)
        unknown[i] = uuid[i] ^ 0x55;
    VmafDevice *none;
    assert_int_equal(-ENODEV, open_device(unknown, &none));
    assert_null(none);
    Exporter other;
    assert_string_equal("no Vulkan device with the UUID of a CUDA device",
                        exporter_open(&other, unknown));
}

static const char *open_both(void)
{
    const char *why = "no CUDA device";
    VmafDeviceInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_device_info("cuda", i, &info); i++) {
        why = exporter_open(&exporter, info.uuid);
        if (!why) {
            memcpy(uuid, info.uuid, sizeof(uuid));
            break;
        }
    }
    return why;
}

TEST_MAIN(vulkan_to_cuda)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_device),
        cmocka_unit_test(test_scores),
        /* Runs first: the refusals must not break the scores. */
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_scores),
    };
    const char *why = open_both();
    if (why) {
        printf("skipped: %s\n", why);
        return 77;
    }
    const long live = mem_live();
    int failed = open_device(uuid, &device);
    if (failed)
        fprintf(stderr, "cuda: cannot be opened: %d\n", failed);
    else
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    vmaf_device_close(&device);
    exporter_close(&exporter);
    if (!failed && mem_live() != live) {
        fprintf(stderr, "%ld blocks of memory were left behind\n", mem_live() - live);
        failed = 1;
    }
    return failed;
}
