/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures over the memory of a host program: vmaf_picture_wrap(). */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <libvmaf/device.h>
#include <libvmaf/inspect.h>

#include "api_use.h"

enum { FRAMES = 6 };

/* Planes that end where an unreadable page begins. */
typedef struct Memory {
    char *base[3];
    size_t size[3];
    unsigned released;
} Memory;

static char *guarded(Memory *memory, unsigned p, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t whole = (size + page - 1) / page * page;
    char *const base =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(base != MAP_FAILED);
    assert_int_equal(mprotect(base + whole, page, PROT_NONE), 0);
    memory->base[p] = base;
    memory->size[p] = whole + page;
    return base + whole - size;
}

static int release(VmafPicture *pic, void *cookie)
{
    Memory *const memory = cookie;
    memory->released++;
    for (unsigned p = 0; p < 3; p++)
        if (memory->base[p])
            assert_int_equal(munmap(memory->base[p], memory->size[p]), 0);
    return -1; /* the library ignores the result */
}

/* Copies `pic` to such planes. Rows are `padding` bytes longer than their samples; -1: as long as
 * those of `pic`. */
static VmafPicture wrap_copy(const VmafPicture *pic, int padding, Memory *memory)
{
    const unsigned sample = pic->bpc > 8 ? 2 : 1;
    VmafPictureWrapped from = { .pix_fmt = pic->pix_fmt,
                                .bpc = pic->bpc,
                                .w = pic->w[0],
                                .h = pic->h[0],
                                .cookie = memory,
                                .release_picture = release };
    VmafPicture wrapped;
    *memory = (Memory){ 0 };
    for (unsigned p = 0; p < 3; p++) {
        const size_t row = (size_t)pic->w[p] * sample;
        if (!pic->data[p])
            continue;
        from.stride[p] = padding < 0 ? pic->stride[p] : (ptrdiff_t)row + padding;
        from.data[p] = guarded(memory, p, (size_t)from.stride[p] * (pic->h[p] - 1) + row);
        for (unsigned y = 0; y < pic->h[p]; y++)
            memcpy((char *)from.data[p] + y * from.stride[p],
                   (char *)pic->data[p] + y * pic->stride[p], row);
    }
    assert_int_equal(vmaf_picture_wrap(&wrapped, from), 0);
    return wrapped;
}

typedef struct Clip {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, w, h, threads;
} Clip;

static VmafContext *use_all(unsigned threads)
{
    VmafContext *const vmaf = open_context(threads, 0);
    VmafExtractorInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
        assert_int_equal(vmaf_use_feature(vmaf, info.name, NULL), 0);
    VmafFeatureDictionary *options = NULL;
    assert_int_equal(vmaf_feature_dictionary_set(&options, "enc_width", "240"), 0);
    assert_int_equal(vmaf_feature_dictionary_set(&options, "enc_height", "180"), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "cambi", options), 0);
    return vmaf;
}

/* Scores a clip. `padding` is that of wrapped pictures; -2: the library allocates the pictures. */
static VmafContext *score(const Clip *clip, int padding, Memory memory[FRAMES][2])
{
    VmafContext *const vmaf = use_all(clip->threads);
    for (unsigned i = 0; i < FRAMES; i++) {
        VmafPicture pair[2];
        for (unsigned side = 0; side < 2; side++) {
            VmafPicture *const pic = &pair[side];
            assert_int_equal(vmaf_picture_alloc(pic, clip->pix_fmt, clip->bpc, clip->w, clip->h),
                             0);
            clip_fill(pic, i, (int)side);
            if (padding < -1)
                continue;
            const VmafPicture wrapped = wrap_copy(pic, padding, &memory[i][side]);
            vmaf_picture_unref(pic);
            *pic = wrapped;
        }
        assert_int_equal(vmaf_read_pictures(vmaf, &pair[0], &pair[1], i), 0);
        assert_null(pair[0].ref);
    }
    assert_int_equal(flush(vmaf), 0);
    return vmaf;
}

/* Compares all scores; returns how many there are. */
static unsigned compare(VmafContext *a, VmafContext *b)
{
    VmafMetricInfo metric = { .size = sizeof(metric) };
    VmafFeatureInfo feature = { .size = sizeof(feature) };
    unsigned compared = 0;
    for (unsigned f = 0; !vmaf_feature_info(a, f, &feature); f++)
        for (unsigned m = 0; !vmaf_feature_metric(a, f, m, &metric); m++)
            for (unsigned i = 0; i < FRAMES; i++) {
                double wanted, got;
                if (vmaf_feature_score_at_index(a, metric.name, &wanted, i))
                    continue;
                assert_int_equal(vmaf_feature_score_at_index(b, metric.name, &got, i), 0);
                if (memcmp(&wanted, &got, sizeof(got)) != 0)
                    fail_msg("%s of frame %u: %.17g, and %.17g", metric.name, i, wanted, got);
                compared++;
            }
    return compared;
}

/* No feature reads beyond the last sample of a plane, and none needs aligned rows. */
static void features_read_samples_only(void **state)
{
    static const Clip clips[] = {
        { VMAF_PIX_FMT_YUV420P, 8, 322, 242, 0 },
        { VMAF_PIX_FMT_YUV444P, 10, 331, 243, 0 },
        { VMAF_PIX_FMT_YUV422P, 12, 320, 240, 2 },
    };
    static const int paddings[] = { 0, 2, 6, -1 };
    for (size_t c = 0; c < COUNT(clips); c++) {
        VmafContext *const plain = score(&clips[c], -2, NULL);
        for (size_t p = 0; p < COUNT(paddings); p++) {
            Memory memory[FRAMES][2];
            VmafContext *const wrapped = score(&clips[c], paddings[p], memory);
            assert_true(compare(plain, wrapped) > 40 * FRAMES);
            vmaf_close(wrapped);
            for (unsigned i = 0; i < FRAMES; i++)
                assert_true(memory[i][0].released == 1 && memory[i][1].released == 1);
        }
        vmaf_close(plain);
    }
}

static unsigned char plane[64 * 64 * 2];

static VmafPictureWrapped good(void)
{
    return (VmafPictureWrapped){ .pix_fmt = VMAF_PIX_FMT_YUV420P,
                                 .bpc = 10,
                                 .w = 32,
                                 .h = 32,
                                 .data = { plane, plane, plane },
                                 .stride = { 64, 32, 32 } };
}

static int refused(const char *what, VmafPictureWrapped from)
{
    VmafPicture pic;
    const int err = vmaf_picture_wrap(&pic, from);
    if (err != -EINVAL)
        fail_msg("%s: %d", what, err);
    return err;
}

static void bad_memory_is_refused(void **state)
{
    VmafPicture pic;
    VmafPictureWrapped from = good();
    assert_int_equal(vmaf_picture_wrap(NULL, from), -EINVAL);
    assert_int_equal(vmaf_picture_wrap(&pic, from), 0);
    assert_true(pic.w[1] == 16 && pic.h[2] == 16 && pic.stride[0] == 64 && pic.data[1] == plane);
    assert_int_equal(vmaf_picture_unref(&pic), 0); /* there is no callback to call */
#define REFUSE(change)                                                                             \
    from = good();                                                                                 \
    change;                                                                                        \
    refused(#change, from)
    REFUSE(from.pix_fmt = VMAF_PIX_FMT_UNKNOWN);
    REFUSE(from.bpc = 7);
    REFUSE(from.bpc = 17);
    REFUSE(from.w = 0);
    REFUSE(from.h = 0);
    REFUSE(from.data[0] = NULL);
    REFUSE(from.data[2] = NULL);
    REFUSE(from.stride[0] = 62);
    REFUSE(from.stride[1] = 30);
    REFUSE(from.stride[0] = -64);
    REFUSE(from.stride[0] = 65); /* rows end in the middle of a sample */
    REFUSE(from.data[1] = plane + 1);
    from = good();
    from.pix_fmt = VMAF_PIX_FMT_YUV400P;
    from.data[1] = from.data[2] = NULL;
    from.stride[1] = from.stride[2] = 0;
    assert_int_equal(vmaf_picture_wrap(&pic, from), 0);
    assert_null(pic.data[1]);
    assert_int_equal(vmaf_picture_unref(&pic), 0);
}

static void the_callback_comes_once_with_the_last_reference(void **state)
{
    Memory memory = { 0 };
    VmafPicture pic, other;
    VmafPictureWrapped from = good();
    from.release_picture = release;
    from.cookie = &memory;
    assert_int_equal(vmaf_picture_wrap(&pic, from), 0);
    assert_int_equal(vmaf_picture_ref(&other, &pic), 0);
    assert_int_equal(vmaf_picture_unref(&pic), 0);
    assert_int_equal(memory.released, 0);
    assert_int_equal(vmaf_picture_unref(&other), 0);
    assert_int_equal(memory.released, 1);
}

/* ---- memory ---- */

typedef struct Outstanding {
    atomic_uint now;
    unsigned most;
} Outstanding;

static int count_back(VmafPicture *pic, void *cookie)
{
    atomic_fetch_sub(&((Outstanding *)cookie)->now, 1);
    return 0;
}

static unsigned char samples[320 * 240 * 3 / 2];

static void hand_in(VmafContext *vmaf, Outstanding *outstanding, unsigned index)
{
    VmafPictureWrapped from = { .pix_fmt = VMAF_PIX_FMT_YUV420P,
                                .bpc = 8,
                                .w = 320,
                                .h = 240,
                                .data = { samples, samples, samples },
                                .stride = { 320, 160, 160 },
                                .cookie = outstanding,
                                .release_picture = count_back };
    VmafPicture pair[2];
    for (unsigned side = 0; side < 2; side++) {
        const unsigned now = atomic_fetch_add(&outstanding->now, 1) + 1;
        outstanding->most = now > outstanding->most ? now : outstanding->most;
        assert_int_equal(vmaf_picture_wrap(&pair[side], from), 0);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, &pair[0], &pair[1], index), 0);
}

/* A caller that reads faster than the threads score is made to wait, so memory does not grow. */
static void pictures_in_work_are_few(void **state)
{
    for (unsigned threads = 0; threads < 4; threads++) {
        Outstanding outstanding = { .most = 0 };
        VmafContext *const vmaf = open_context(threads, 0);
        assert_int_equal(vmaf_use_feature(vmaf, "cambi", NULL), 0);
        assert_int_equal(vmaf_use_feature(vmaf, "motion", NULL), 0);
        for (unsigned i = 0; i < 60; i++)
            hand_in(vmaf, &outstanding, i);
        const unsigned bound = 2 * (vmaf_pairs_in_flight(vmaf) + 1) + 2;
        assert_int_equal(flush(vmaf), 0);
        vmaf_close(vmaf);
        assert_int_equal(atomic_load(&outstanding.now), 0);
        if (outstanding.most > bound || bound > 40)
            fail_msg("%u threads: %u pictures at once, not %u", threads, outstanding.most, bound);
    }
}

TEST_MAIN(wrap)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_read_samples_only),
        cmocka_unit_test(bad_memory_is_refused),
        cmocka_unit_test(the_callback_comes_once_with_the_last_reference),
        cmocka_unit_test(pictures_in_work_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
