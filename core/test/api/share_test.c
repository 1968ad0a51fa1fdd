/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Contexts that share their reference pictures and their threads score what each scores on its own,
 * in whatever order they are closed. */
#include <errno.h>

#include <libvmaf/libvmaf.h>

#include "clip.h"
#include "testing.h"

#define W 96
#define H 64
#define FRAMES 12
#define CONTEXTS 3

static const char *const names[] = { "VMAF_integer_feature_motion2_score", "vif_scale0", "psnr_y" };

static VmafContext *open_context(unsigned threads)
{
    VmafContext *vmaf;
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ .n_threads = threads }));
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    assert_int_equal(0, vmaf_use_feature(vmaf, "float_vif", NULL));
    assert_int_equal(0, vmaf_use_feature(vmaf, "psnr", NULL));
    return vmaf;
}

/* Each context has a distorted video of its own: the reference some frames later. */
static void read_dist(VmafContext *vmaf, VmafPicture *ref, unsigned which, unsigned frame)
{
    VmafPicture dist;
    assert_int_equal(0, clip_alloc(&dist, W, H, frame + which, 1));
    assert_int_equal(0, vmaf_read_pictures(vmaf, ref, &dist, frame));
}

static void collect(VmafContext *vmaf, double scores[FRAMES][COUNT(names)])
{
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    for (unsigned i = 0; i < FRAMES; i++)
        for (unsigned n = 0; n < COUNT(names); n++)
            assert_int_equal(0, vmaf_feature_score_at_index(vmaf, names[n], &scores[i][n], i));
}

static void alone(unsigned which, double scores[FRAMES][COUNT(names)])
{
    VmafContext *const vmaf = open_context(0);
    for (unsigned i = 0; i < FRAMES; i++) {
        VmafPicture ref;
        assert_int_equal(0, clip_alloc(&ref, W, H, i, 0));
        read_dist(vmaf, &ref, which, i);
    }
    collect(vmaf, scores);
    assert_int_equal(0, vmaf_close(vmaf));
}

static void together(unsigned threads)
{
    VmafContext *vmaf[CONTEXTS];
    for (unsigned c = 0; c < CONTEXTS; c++) {
        vmaf[c] = open_context(c ? 0 : threads);
        assert_int_equal(0, vmaf_share_threads(vmaf[c], vmaf[0]));
    }
    for (unsigned i = 0; i < FRAMES; i++) {
        VmafPicture ref;
        assert_int_equal(0, clip_alloc(&ref, W, H, i, 0));
        for (unsigned c = 0; c < CONTEXTS; c++) {
            VmafPicture one;
            assert_int_equal(0, vmaf_picture_ref(&one, &ref));
            assert_ptr_equal(one.data[0], ref.data[0]);
            read_dist(vmaf[c], &one, c, i);
        }
        assert_int_equal(0, vmaf_picture_unref(&ref));
    }
    for (unsigned c = 0; c < CONTEXTS; c++) {
        static double own[FRAMES][COUNT(names)], shared[FRAMES][COUNT(names)];
        alone(c, own);
        collect(vmaf[c], shared);
        assert_memory_equal(own, shared, sizeof(own));
        if (c) /* which is too late now */
            assert_int_equal(-EINVAL, vmaf_share_threads(vmaf[CONTEXTS - 1], vmaf[c]));
        if (c < CONTEXTS - 1)
            assert_int_equal(0, vmaf_close(vmaf[c])); /* first the one whose threads they are */
    }
    assert_int_equal(0, vmaf_close(vmaf[CONTEXTS - 1]));
}

static void scores_are_those_of_each_alone(void **state)
{
    together(0);
    together(1);
    together(3);
}

/* Closed in the middle: the others go on. */
static void one_may_leave_early(void **state)
{
    VmafContext *const first = open_context(2), *const second = open_context(0);
    static double own[FRAMES][COUNT(names)], shared[FRAMES][COUNT(names)];
    assert_int_equal(0, vmaf_share_threads(second, first));
    for (unsigned i = 0; i < FRAMES; i++) {
        VmafPicture ref, one;
        assert_int_equal(0, clip_alloc(&ref, W, H, i, 0));
        if (i <= FRAMES / 2) {
            assert_int_equal(0, vmaf_picture_ref(&one, &ref));
            read_dist(first, &one, 0, i);
        }
        if (i == FRAMES / 2)
            assert_int_equal(0, vmaf_close(first));
        read_dist(second, &ref, 1, i);
    }
    collect(second, shared);
    alone(1, own);
    assert_memory_equal(own, shared, sizeof(own));
    assert_int_equal(0, vmaf_close(second));
}

static void invalid_calls_are_refused(void **state)
{
    VmafContext *const vmaf = open_context(0);
    VmafPicture none = { 0 }, out;
    assert_int_equal(-EINVAL, vmaf_picture_ref(&out, &none));
    assert_int_equal(-EINVAL, vmaf_picture_ref(&out, NULL));
    assert_int_equal(-EINVAL, vmaf_picture_ref(NULL, &none));
    assert_int_equal(-EINVAL, vmaf_share_threads(NULL, vmaf));
    assert_int_equal(-EINVAL, vmaf_share_threads(vmaf, NULL));
    assert_int_equal(0, vmaf_share_threads(vmaf, vmaf));
    assert_int_equal(0, vmaf_close(vmaf));
}

TEST_MAIN(share)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_each_alone),
        cmocka_unit_test(one_may_leave_early),
        cmocka_unit_test(invalid_calls_are_refused),
    };
    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
