/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Samples above the depth that a picture declares: refused wherever they are, by every way to
 * compute, with nothing left behind; and nothing else is refused. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <libvmaf/libvmaf.h>

#include "clip.h"
#include "testing.h"

#define W 67 /* odd, and no multiple of a vector */
#define H 35
#define MOTION2 "VMAF_integer_feature_motion2_score"

typedef struct Place {
    unsigned side, plane, x, y;
} Place;

static void put(VmafPicture *pic, unsigned plane, unsigned x, unsigned y, unsigned value)
{
    ((uint16_t *)(void *)((char *)pic->data[plane] + y * pic->stride[plane]))[x] = (uint16_t)value;
}

static void make_pair(VmafPicture pair[2], unsigned bpc, unsigned frame)
{
    for (unsigned side = 0; side < 2; side++) {
        assert_int_equal(0, vmaf_picture_alloc(&pair[side], VMAF_PIX_FMT_YUV444P, bpc, W, H));
        clip_fill(&pair[side], frame, (int)side);
        /* Bytes beyond the width are ignored. */
        for (unsigned p = 0; p < 3 && bpc > 8; p++)
            for (unsigned y = 0; y < H; y++)
                put(&pair[side], p, W, y, 0xffff);
    }
}

/* With a feature that looks back and takes every depth, and one that reads all planes. */
static VmafContext *open_context(unsigned bpc, unsigned threads, uint64_t cpumask)
{
    VmafContext *vmaf;
    const VmafConfiguration cfg = { .n_threads = threads, .cpumask = cpumask };
    assert_int_equal(0, vmaf_init(&vmaf, cfg));
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    if (bpc % 2 == 0 && bpc != 14)
        assert_int_equal(0, vmaf_use_feature(vmaf, "ciede", NULL));
    return vmaf;
}

static bool has_score(VmafContext *vmaf, const char *name, unsigned index)
{
    double score;
    return !vmaf_feature_score_at_index(vmaf, name, &score, index);
}

static void unref(VmafPicture pair[2])
{
    for (unsigned side = 0; side < 2; side++)
        assert_int_equal(0, vmaf_picture_unref(&pair[side]));
}

/* A good pair, a bad one, and the same index again with a good one: the scores are those of a
 * context that never saw the bad one. */
static void check_place(const Place *at, unsigned bpc, unsigned threads, uint64_t cpumask)
{
    VmafContext *vmaf = open_context(bpc, threads, cpumask);
    VmafPicture pair[2];
    make_pair(pair, bpc, 0);
    assert_int_equal(0, vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0));
    make_pair(pair, bpc, 1);
    put(&pair[at->side], at->plane, at->x, at->y, 1u << bpc);
    assert_int_equal(-ERANGE, vmaf_read_pictures(vmaf, &pair[0], &pair[1], 1));
    put(&pair[at->side], at->plane, at->x, at->y, (1u << bpc) - 1);
    assert_int_equal(0, vmaf_read_pictures(vmaf, &pair[0], &pair[1], 2));
    make_pair(pair, bpc, 2);
    assert_int_equal(0, vmaf_read_pictures(vmaf, &pair[0], &pair[1], 1));
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    for (unsigned i = 0; i < 3; i++)
        assert_true(has_score(vmaf, MOTION2, i));
    assert_int_equal(0, vmaf_close(vmaf));
}

static void every_place(void **state)
{
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned plane = 0; plane < 3; plane++) {
            for (unsigned corner = 0; corner < 4; corner++) {
                const Place at = { side, plane, corner & 1 ? W - 1 : 0, corner & 2 ? H - 1 : 0 };
                check_place(&at, 10, 0, 0);
            }
        }
    }
}

/* Columns that are looked at together, and those that are left over. */
static void every_column(void **state)
{
    VmafContext *vmaf = open_context(10, 0, 0);
    VmafPicture pair[2];
    make_pair(pair, 10, 0);
    for (unsigned x = 0; x < W; x++) {
        put(&pair[1], 0, x, 9, 1u << 10);
        assert_int_equal(-ERANGE, vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0));
        put(&pair[1], 0, x, 9, 0);
    }
    assert_int_equal(0, vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0));
    assert_int_equal(0, vmaf_close(vmaf));
}

static void every_way(void **state)
{
    for (unsigned bpc = 9; bpc < 16; bpc++) {
        for (unsigned threads = 0; threads < 3; threads++) {
            check_place(&(Place){ 1, 0, 40, 20 }, bpc, threads, 0);
            check_place(&(Place){ 0, 0, 5, 7 }, bpc, threads, (uint64_t)-1);
        }
    }
}

static void a_refused_pair_leaves_nothing(void **state)
{
    for (unsigned threads = 0; threads < 3; threads++) {
        VmafContext *vmaf = open_context(12, threads, 0);
        VmafPicture pair[2];
        make_pair(pair, 12, 0);
        assert_int_equal(0, vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0));
        make_pair(pair, 12, 1);
        put(&pair[1], 2, 3, 3, 0xfff0);
        assert_int_equal(-ERANGE, vmaf_read_pictures(vmaf, &pair[0], &pair[1], 1));
        unref(pair);
        assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
        assert_true(has_score(vmaf, "ciede2000", 0) && has_score(vmaf, MOTION2, 0));
        assert_false(has_score(vmaf, "ciede2000", 1) ||
                     has_score(vmaf, "VMAF_integer_feature_motion_sad_score", 1) ||
                     has_score(vmaf, MOTION2, 1));
        assert_int_equal(0, vmaf_close(vmaf));
    }
}

/* Depths that fill their bytes hold nothing else; planes that no feature reads may hold
 * anything. */
static void nothing_else_is_refused(void **state)
{
    for (unsigned bpc = 8; bpc <= 16; bpc += 8) {
        VmafContext *vmaf = open_context(bpc, 0, 0);
        VmafPicture pair[2];
        make_pair(pair, bpc, 0);
        put(&pair[0], 0, 0, 0, 0xffff);
        assert_int_equal(0, vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0));
        assert_int_equal(0, vmaf_close(vmaf));
    }
    VmafContext *vmaf;
    VmafPicture pair[2];
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ 0 }));
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    make_pair(pair, 10, 0);
    put(&pair[0], 1, 0, 0, 0xffff);
    assert_int_equal(0, vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0));
    assert_int_equal(0, vmaf_close(vmaf));
}

/* Checking rows early, while the picture is filled, does not change results. */
static void announced_rows(void **state)
{
    VmafContext *vmaf = open_context(10, 0, 0);
    for (unsigned last = 0; last <= H; last++) {
        for (unsigned bad = 0; bad < H; bad += 17) {
            const unsigned index = 100 * last + bad;
            VmafPicture pair[2];
            make_pair(pair, 10, 0);
            put(&pair[0], 1, 1, bad, 1024);
            for (unsigned rows = 0; rows <= last; rows += 5)
                assert_int_equal(0, vmaf_picture_rows_written(&pair[0], 1, rows));
            assert_int_equal(-ERANGE, vmaf_read_pictures(vmaf, &pair[0], &pair[1], index));
            put(&pair[0], 1, 1, bad, 1023);
            assert_int_equal(0, vmaf_picture_rows_written(&pair[0], 1, 0));
            assert_int_equal(0, vmaf_read_pictures(vmaf, &pair[0], &pair[1], index));
        }
    }
    assert_int_equal(0, vmaf_close(vmaf));

    VmafPicture pic;
    assert_int_equal(0, vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 10, W, H));
    assert_int_equal(-EINVAL, vmaf_picture_rows_written(NULL, 0, 0));
    assert_int_equal(-EINVAL, vmaf_picture_rows_written(&pic, 3, 0));
    assert_int_equal(-EINVAL, vmaf_picture_rows_written(&pic, 0, H + 1));
    assert_int_equal(0, vmaf_picture_rows_written(&pic, 2, H / 2));
    assert_int_equal(0, vmaf_picture_unref(&pic));
    assert_int_equal(-EINVAL, vmaf_picture_rows_written(&pic, 0, 0));
}

/* A pooled picture comes back with nothing known of it. */
static void pooled_pictures(void **state)
{
    VmafContext *vmaf = open_context(10, 0, 0);
    const VmafPictureConfiguration pool = { .pic_params = { W, H, 10, VMAF_PIX_FMT_YUV444P },
                                            .pic_cnt = 4 };
    assert_int_equal(0, vmaf_preallocate_pictures(vmaf, pool));
    for (unsigned i = 0; i < 12; i++) {
        VmafPicture pair[2];
        const bool bad = i % 3 == 1;
        for (unsigned side = 0; side < 2; side++) {
            assert_int_equal(0, vmaf_fetch_preallocated_picture(vmaf, &pair[side]));
            clip_fill(&pair[side], i, (int)side);
            if (bad)
                put(&pair[side], 0, 9, 9, 5000);
            for (unsigned p = 0; p < 3 && i % 3 < 2; p++)
                assert_int_equal(0, vmaf_picture_rows_written(&pair[side], p, H));
        }
        const int err = vmaf_read_pictures(vmaf, &pair[0], &pair[1], i);
        assert_int_equal(bad ? -ERANGE : 0, err);
        if (err)
            unref(pair);
    }
    assert_int_equal(0, vmaf_close(vmaf));
}

TEST_MAIN(range)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place),
        cmocka_unit_test(every_column),
        cmocka_unit_test(every_way),
        cmocka_unit_test(a_refused_pair_leaves_nothing),
        cmocka_unit_test(nothing_else_is_refused),
        cmocka_unit_test(announced_rows),
        cmocka_unit_test(pooled_pictures),
    };
    return cmocka_run_group_tests_name("range", tests, NULL, NULL);
}
