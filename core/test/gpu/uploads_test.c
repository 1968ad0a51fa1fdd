/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The ways of a picture to the device: whatever memory it lies in, whichever queue copies it and
 * whichever planes are read, the device receives the right picture. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "base/mem.h"
#include "gpu/feature_gpu.h"
#include "gpu/upload.h"
#include "pairs.h"
#include "rig.h"
#include "score.h"
#include "tap.h"

/* Features by the planes they read: luma of the reference alone, luma of both, all planes. */
static const ClipFeature features[] = {
    { "motion", { 0 } },
    { "psnr", { "enable_chroma", "false" } },
    { "psnr", { 0 } },
};

static const SynthClip clips[] = {
    { "8 bits", SYNTH_NOISE, 61, 21, VMAF_PIX_FMT_YUV420P, 8, 6 },
    { "10 bits", SYNTH_NOISE, 61, 21, VMAF_PIX_FMT_YUV420P, 10, 6 },
    { "4:4:4", SYNTH_NOISE, 33, 19, VMAF_PIX_FMT_YUV444P, 8, 6 },
    { "4:2:2", SYNTH_NOISE, 64, 19, VMAF_PIX_FMT_YUV422P, 12, 6 },
    { "4:0:0", SYNTH_NOISE, 47, 20, VMAF_PIX_FMT_YUV400P, 16, 6 },
};

/* ---- memory, planes and queues ---- */

static void check_memories(Pairs *pairs, enum ClipMemory ref, enum ClipMemory dist)
{
    pairs_place(pairs, rig_gpu(), ref, dist);
    for (unsigned q = 0; q < 2; q++) {
        rig_tune(q ? SIZE_MAX : 0, 2);
        tap_fail(TAP_OPERATIONS, 0, 0);
        const int wrong = pairs_stream(pairs, rig_gpu(), &(PairsRun){ .depth = 3 });
        if (wrong)
            print_error("%s: %s and %s memory, %s queue\n", pairs->clip.name,
                        clip_memory_names[ref], clip_memory_names[dist], q ? "compute" : "copy");
        assert_int_equal(0, wrong);
        assert_int_equal(q ? 0 : pairs->clip.frames, tap_submits(GPU_TRANSFER));
    }
}

static void test_memories(void **unused)
{
    for (unsigned c = 0; c < COUNT(clips); c++) {
        for (unsigned f = 0; f < COUNT(features); f++) {
            Pairs pairs;
            pairs_create(&pairs, &clips[c], &features[f], 1);
            tap_open(rig_gpu());
            for (enum ClipMemory ref = 0; ref < CLIP_MEMORIES; ref++)
                for (enum ClipMemory dist = 0; dist < CLIP_MEMORIES; dist++)
                    if (!rig_is_slow() || ref == dist || (ref + dist + c) % 3 == 0)
                        check_memories(&pairs, ref, dist);
            tap_close();
            pairs_destroy(&pairs);
        }
    }
}

/* A frame of as many bytes as the threshold goes to the copy queue, and a smaller one does not. */
static void test_threshold(void **unused)
{
    /* Rows of 64 bytes: 2 * 64 * 20 bytes of luma, a multiple of the alignment of bindings. */
    const SynthClip clip = { "rows of 64", SYNTH_NOISE, 64, 20, VMAF_PIX_FMT_YUV400P, 8, 3 };
    const size_t bytes = 2 * 64 * 20;
    Pairs pairs;
    pairs_create(&pairs, &clip, &features[1], 1);
    tap_open(rig_gpu());
    for (unsigned more = 0; more < 2; more++) {
        rig_tune(bytes + more, 1);
        tap_fail(TAP_OPERATIONS, 0, 0);
        assert_int_equal(0, pairs_stream(&pairs, rig_gpu(), &(PairsRun){ .depth = 2 }));
        assert_int_equal(more ? 0 : clip.frames, tap_submits(GPU_TRANSFER));
    }
    tap_close();
    pairs_destroy(&pairs);
}

/* ---- which pictures need no staging ---- */

static void test_find(void **unused)
{
    GpuDevice *gpu = rig_gpu();
    const size_t plane = 64 * 21;
    VmafPicture pics[CLIP_MEMORIES];
    for (enum ClipMemory m = 0; m < CLIP_MEMORIES; m++)
        assert_int_equal(0, clip_picture(gpu, m, &clips[0], SYNTH_REF, 0, &pics[m]));
    GpuRange from;
    assert_false(upload_find(gpu, &pics[CLIP_PLAIN], 0, plane, &from));
    assert_false(upload_find(gpu, &pics[CLIP_ODD], 0, plane, &from));
    assert_true(upload_find(gpu, &pics[CLIP_UPLOAD], 0, plane, &from));
    assert_int_equal(0, from.offset);
    assert_int_equal(plane, from.size);
    assert_ptr_equal(pics[CLIP_UPLOAD].data[0], from.buffer->host);
    assert_true(upload_find(gpu, &pics[CLIP_MIRROR], 1, 64 * 10, &from));
    assert_int_equal(plane, from.offset);
    assert_ptr_equal(upload_source(gpu, &pics[CLIP_MIRROR]), from.buffer);
    assert_null(upload_source(gpu, &pics[CLIP_UPLOAD]));
    assert_null(upload_source(gpu, &pics[CLIP_PLAIN]));

    /* Rows at another stride than the device's, and a plane that ends behind the block. */
    VmafPicture moved = pics[CLIP_UPLOAD];
    moved.stride[0] += 64;
    assert_false(upload_find(gpu, &moved, 0, plane, &from));
    assert_false(upload_find(gpu, &pics[CLIP_UPLOAD], 2, 64 * 11, &from));
    assert_true(upload_find(gpu, &pics[CLIP_UPLOAD], 2, 64 * 10, &from));

    /* The host sees a mirror's content once it asks for it. */
    const size_t row = clips[0].width;
    assert_memory_not_equal(pics[CLIP_PLAIN].data[0], pics[CLIP_MIRROR].data[0], row);
    for (enum ClipMemory m = 0; m < CLIP_MEMORIES; m++) {
        assert_int_equal(0, upload_fetch(gpu, &pics[m]));
        for (unsigned p = 0; p < 3; p++)
            for (unsigned y = 0; y < pics[m].h[p]; y++)
                assert_memory_equal((char *)pics[CLIP_PLAIN].data[p] +
                                        y * pics[CLIP_PLAIN].stride[p],
                                    (char *)pics[m].data[p] + y * pics[m].stride[p], pics[m].w[p]);
    }
    for (enum ClipMemory m = 0; m < CLIP_MEMORIES; m++)
        picture_release(&pics[m]);
}

/* ---- measured again on the CPU ---- */

static int collect_in_doubt(const Feature *f, const void *readback, void *result)
{
    return -EAGAIN;
}

/* A device that decides no frame: each is measured on the CPU, from what the device holds. */
static void test_in_doubt(void **unused)
{
    for (unsigned f = 0; f < COUNT(features); f++) {
        Pairs pairs;
        pairs_create(&pairs, &clips[1], &features[f], 1);
        const FeatureDef *usual = pairs.features[0]->def;
        FeatureGpu gpu = *usual->gpu;
        FeatureDef in_doubt = *usual;
        gpu.collect = collect_in_doubt;
        in_doubt.gpu = &gpu;
        pairs.features[0]->def = &in_doubt;
        for (enum ClipMemory m = 0; m < CLIP_MEMORIES; m++) {
            pairs_place(&pairs, rig_gpu(), m, CLIP_MEMORIES - 1 - m);
            assert_int_equal(0, pairs_stream(&pairs, rig_gpu(), &(PairsRun){ .depth = 3 }));
        }
        pairs.features[0]->def = usual;
        pairs_destroy(&pairs);
    }
}

/* ---- through the API, features on the CPU beside those on the device ---- */

static const ClipFeature mixed[] = { { "psnr", { 0 } }, { "on_cpu", { 0 } }, { "motion", { 0 } } };

static void test_scores(void **unused)
{
    for (unsigned c = 0; c < COUNT(clips); c++) {
        ScoreRun run = { .clip = &clips[c], .features = mixed, .feature_count = COUNT(mixed) };
        char *wanted, *scores;
        assert_int_equal(0, score_run(&run, &wanted));
        run.device = rig_device();
        for (unsigned way = 0; way < 2 * CLIP_MIRROR + 2; way++) {
            run.threads = way % 2 ? 2 : 0;
            run.pooled = way / 2 == CLIP_MIRROR;
            run.ref = way / 2 % CLIP_MIRROR;
            run.dist = (run.ref + way) % CLIP_MIRROR;
            rig_tune(way % 3 ? SIZE_MAX : 0, GPU_MAX_BATCH);
            assert_int_equal(0, score_run(&run, &scores));
            assert_true(score_same(wanted, scores));
            free(scores);
        }
        free(wanted);
    }
}

/* A picture may outlive its context; the device stays open for it. */
static void test_picture_last(void **unused)
{
    VmafDevice *own = rig_open(2);
    ScoreRun run = {
        .device = own, .clip = &clips[0], .features = mixed, .feature_count = 1, .pooled = true
    };
    VmafContext *vmaf;
    VmafPicture pic;
    char *scores;
    assert_int_equal(0, score_open(&run, &vmaf));
    assert_int_equal(0, score_read(&run, vmaf, 0, 0));
    assert_int_equal(0, vmaf_fetch_preallocated_picture(vmaf, &pic));
    assert_int_equal(0, score_close(vmaf, &scores));
    free(scores);
    vmaf_device_close(&own);
    memset(pic.data[0], 1, (size_t)pic.stride[0] * pic.h[0]);
    assert_int_equal(0, vmaf_picture_unref(&pic));
}

/* Once a context scores on a device, programs that allocate a picture for each frame get memory
 * that the device copies from, zeroed. Such a picture may outlive its context. */
static void test_allocated(void **unused)
{
    VmafDevice *own = rig_open(2);
    ScoreRun run = { .device = own, .clip = &clips[0], .features = mixed, .feature_count = 1 };
    GpuDevice *const gpu = rig_session(own)->device;
    const SynthClip *const c = &clips[0];
    VmafContext *vmaf;
    VmafPicture pic;
    GpuRange from;
    char *scores, *wanted;
    assert_int_equal(0, score_run(&run, &wanted));
    assert_int_equal(0, score_open(&run, &vmaf));
    assert_int_equal(0, vmaf_picture_alloc(&pic, c->pix_fmt, c->bitdepth, c->width, c->height));
    assert_false(upload_find(gpu, &pic, 0, 64 * 21, &from));
    assert_int_equal(0, vmaf_picture_unref(&pic));
    for (unsigned t = 0; t < c->frames; t++) {
        assert_int_equal(0, score_read(&run, vmaf, t, t));
        assert_int_equal(0, vmaf_picture_alloc(&pic, c->pix_fmt, c->bitdepth, c->width, c->height));
        assert_true(upload_find(gpu, &pic, 0, 64 * 21, &from));
        for (unsigned i = 0; i < 64 * 21; i++)
            assert_int_equal(0, ((char *)pic.data[0])[i]);
        memset(pic.data[0], 1, 64 * 21);
        assert_int_equal(0, vmaf_picture_unref(&pic));
    }
    assert_int_equal(0, vmaf_picture_alloc(&pic, c->pix_fmt, c->bitdepth, c->width, c->height));
    assert_int_equal(0, score_close(vmaf, &scores));
    assert_true(score_same(wanted, scores));
    vmaf_device_close(&own);
    memset(pic.data[0], 1, 64 * 21);
    assert_int_equal(0, vmaf_picture_unref(&pic));
    free(scores);
    free(wanted);
}

#ifndef _WIN32
/* ---- memory that ends with the last sample ---- */

/* Planes that end where an unreadable page begins. */
typedef struct Edge {
    void *base[3];
    size_t size[3];
} Edge;

static int unmap(VmafPicture *pic, void *cookie)
{
    Edge *const edge = cookie;
    for (unsigned p = 0; p < 3; p++)
        if (edge->base[p])
            munmap(edge->base[p], edge->size[p]);
    free(edge);
    return 0;
}

static VmafPicture at_edge(const VmafPicture *pic)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    Edge *const edge = calloc(1, sizeof(*edge));
    VmafPictureWrapped from = { .pix_fmt = pic->pix_fmt,
                                .bpc = pic->bpc,
                                .w = pic->w[0],
                                .h = pic->h[0],
                                .cookie = edge,
                                .release_picture = unmap };
    VmafPicture out;
    assert_non_null(edge);
    for (unsigned p = 0; p < 3 && pic->data[p]; p++) {
        const size_t row = (size_t)pic->w[p] * (pic->bpc > 8 ? 2 : 1);
        const size_t size = (size_t)pic->stride[p] * (pic->h[p] - 1) + row;
        const size_t whole = (size + page - 1) / page * page;
        edge->size[p] = whole + page;
        edge->base[p] =
            mmap(NULL, edge->size[p], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(edge->base[p] != MAP_FAILED);
        assert_int_equal(0, mprotect((char *)edge->base[p] + whole, page, PROT_NONE));
        from.data[p] = (char *)edge->base[p] + whole - size;
        from.stride[p] = pic->stride[p]; /* rows as long as those on the device */
    }
    assert_int_equal(0, vmaf_picture_wrap(&out, from));
    clip_copy(&out, pic);
    return out;
}

static void test_last_row(void **unused)
{
    for (unsigned c = 0; c < COUNT(clips); c++) {
        const ScoreRun run = {
            .device = rig_device(), .clip = &clips[c], .features = features, .feature_count = 2
        };
        VmafContext *vmaf;
        char *wanted;
        assert_int_equal(0, score_run(&run, &wanted));
        assert_int_equal(0, score_open(&run, &vmaf));
        for (unsigned t = 0; t < clips[c].frames; t++) {
            VmafPicture pair[2];
            for (unsigned side = 0; side < 2; side++) {
                VmafPicture plain;
                assert_int_equal(0, clip_picture(rig_gpu(), CLIP_PLAIN, &clips[c],
                                                 side ? SYNTH_DIST : SYNTH_REF, t, &plain));
                pair[side] = at_edge(&plain);
                vmaf_picture_unref(&plain);
            }
            assert_int_equal(0, vmaf_read_pictures(vmaf, &pair[0], &pair[1], t));
        }
        assert_int_equal(0, score_finish(vmaf, 0, wanted));
        free(wanted);
    }
}
#endif

TEST_MAIN(uploads)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memories),  cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_find),      cmocka_unit_test(test_in_doubt),
        cmocka_unit_test(test_scores),    cmocka_unit_test(test_picture_last),
        cmocka_unit_test(test_allocated),
#ifndef _WIN32
        cmocka_unit_test(test_last_row),
#endif
    };
    return RIG_RUN(argc, argv, tests);
}
