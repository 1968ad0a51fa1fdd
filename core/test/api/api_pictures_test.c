/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures as a host program makes them, gets them from pools, and gives them to a context. */
#include <errno.h>
#include <string.h>

#include "api_use.h"

static void pictures(void **state)
{
    VmafPicture pic;
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 10, 1921, 1080), 0);
    assert_int_equal(pic.w[1], 960);
    assert_int_equal(pic.h[1], 540);
    for (unsigned p = 0; p < 3; p++) {
        assert_int_equal((uintptr_t)pic.data[p] % 32, 0);
        assert_int_equal(pic.stride[p] % 32, 0);
    }
    assert_int_equal(vmaf_picture_unref(&pic), 0);
    assert_int_equal(vmaf_picture_unref(&pic), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_UNKNOWN, 8, 16, 16), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 7, 16, 16), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 17, 16, 16), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, 0, 0), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV400P, 8, 16, 16), 0);
    assert_null(pic.data[1]);
    assert_int_equal(vmaf_picture_unref(&pic), 0);
}

static int read_with(VmafContext *vmaf, enum VmafPixelFormat fmt, unsigned bpc, unsigned w,
                     unsigned h, enum VmafPixelFormat fmt2, unsigned bpc2, unsigned w2, unsigned h2,
                     unsigned index)
{
    VmafPicture ref, dist;
    assert_int_equal(vmaf_picture_alloc(&ref, fmt, bpc, w, h), 0);
    assert_int_equal(vmaf_picture_alloc(&dist, fmt2, bpc2, w2, h2), 0);
    const int err = vmaf_read_pictures(vmaf, &ref, &dist, index);
    assert_int_equal(vmaf_picture_unref(&ref), err ? 0 : -EINVAL);
    assert_int_equal(vmaf_picture_unref(&dist), err ? 0 : -EINVAL);
    return err;
}

static void pairs_must_match(void **state)
{
    const enum VmafPixelFormat P420 = VMAF_PIX_FMT_YUV420P, P444 = VMAF_PIX_FMT_YUV444P;
    for (unsigned threads = 0; threads < 3; threads += 2) {
        VmafContext *vmaf = open_context(threads, 0);
        assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P420, 8, W + 2, H, 0), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P420, 8, W, H + 1, 0), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P444, 8, W, H, 0), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P420, 10, W, H, 0), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P420, 8, W, H, 0), 0);
        assert_int_equal(read_with(vmaf, P420, 10, W, H, P420, 10, W, H, 1), -EINVAL);
        assert_int_equal(read_with(vmaf, P444, 8, W, H, P444, 8, W, H, 1), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, H, W, P420, 8, H, W, 1), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P420, 8, W, H, 1), 0);
        assert_int_equal(flush(vmaf), 0);
        vmaf_close(vmaf);
    }
}

static void preallocate(VmafContext *vmaf, unsigned count, int expected)
{
    const VmafPictureConfiguration cfg = {
        .pic_params = { .w = W, .h = H, .bpc = 8, .pix_fmt = VMAF_PIX_FMT_YUV420P },
        .pic_cnt = count,
    };
    assert_int_equal(vmaf_preallocate_pictures(vmaf, cfg), expected);
}

static void read_preallocated(VmafContext *vmaf, unsigned pairs)
{
    for (unsigned i = 0; i < pairs; i++) {
        VmafPicture ref, dist;
        assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &ref), 0);
        assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &dist), 0);
        clip_fill(&ref, i, 0);
        clip_fill(&dist, i, 1);
        assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, i), 0);
    }
}

static void preallocated_pictures(void **state)
{
    /* The last two are the least that a pair in hand and the kept references need. */
    static const struct {
        unsigned pictures, threads, pairs;
    } cases[] = { { 40, 4, 10 }, { 8, 2, 3 }, { 20, 4, 10 }, { 5, 1, 10 }, { 4, 0, 10 } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        VmafContext *vmaf = open_context(cases[i].threads, 0);
        VmafModel *model = load("vmaf_v0.6.1", NULL);
        preallocate(vmaf, 0, -EINVAL);
        preallocate(vmaf, cases[i].pictures, 0);
        assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
        read_preallocated(vmaf, cases[i].pairs);
        assert_int_equal(flush(vmaf), 0);
        double score;
        assert_int_equal(
            vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, cases[i].pairs - 1),
            0);
        assert_int_equal(vmaf_close(vmaf), 0);
        vmaf_model_destroy(model);
    }
}

static void pools_are_replaced_and_outlived(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafPicture a, b, c;
    preallocate(vmaf, 2, 0);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &a), 0);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &b), 0);
    void *data = a.data[0];
    assert_int_equal(vmaf_picture_unref(&a), 0);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &a), 0);
    assert_ptr_equal(a.data[0], data);
    preallocate(vmaf, 1, 0); /* the old pool goes when its two are back */
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &c), 0);
    assert_int_equal(vmaf_picture_unref(&a), 0);
    assert_int_equal(vmaf_close(vmaf), 0); /* at once, though two are still out */
    memset(b.data[0], 1, 16);
    memset(c.data[0], 1, 16);
    assert_int_equal(vmaf_picture_unref(&b), 0);
    assert_int_equal(vmaf_picture_unref(&c), 0);
}

static void small_frames_fail_cleanly(void **state)
{
    for (unsigned threads = 0; threads < 3; threads += 2) {
        VmafContext *vmaf = open_context(threads, 0);
        VmafModel *model = load("vmaf_v0.6.1", NULL);
        double score;
        assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(
                read_with(vmaf, VMAF_PIX_FMT_YUV420P, 8, 4, 4, VMAF_PIX_FMT_YUV420P, 8, 4, 4, i),
                -EINVAL);
        assert_int_equal(flush(vmaf), -EINVAL);
        assert_int_equal(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, 0),
                         -EINVAL);
        vmaf_model_destroy(model);
        vmaf_close(vmaf);
    }
}

TEST_MAIN(api_pictures)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures),
        cmocka_unit_test(pairs_must_match),
        cmocka_unit_test(preallocated_pictures),
        cmocka_unit_test(pools_are_replaced_and_outlived),
        cmocka_unit_test(small_frames_fail_cleanly),
    };
    return cmocka_run_group_tests_name("api pictures", tests, NULL, NULL);
}
