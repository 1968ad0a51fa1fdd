/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures: geometry, references, pools. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

/* Sanitizers keep books of their own in memory. */
#ifndef __has_feature
#define __has_feature(feature) 0 /* gcc has macros instead */
#endif
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&       \
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define MEMORY_CAN_BE_MEASURED
#include <sys/resource.h>
#endif

#include "base/mem.h"
#include "engine/picture.h"
#include "testing.h"

static void shapes_round_chroma_down(void **state)
{
    FrameShape s;
    assert_int_equal(shape_init(&s, VMAF_PIX_FMT_YUV420P, 8, 177, 145), 0);
    assert_int_equal(s.w[1], 88);
    assert_int_equal(s.h[2], 72);
    assert_int_equal(shape_init(&s, VMAF_PIX_FMT_YUV422P, 10, 177, 145), 0);
    assert_int_equal(s.w[1], 88);
    assert_int_equal(s.h[1], 145);
    assert_int_equal(shape_init(&s, VMAF_PIX_FMT_YUV444P, 16, 177, 145), 0);
    assert_int_equal(s.w[2], 177);
    assert_int_equal(shape_init(&s, VMAF_PIX_FMT_YUV400P, 8, 177, 145), 0);
    assert_int_equal(s.w[1], 0);
    assert_int_equal(s.h[1], 0);
}

static void bad_shapes_are_refused(void **state)
{
    FrameShape s;
    assert_int_equal(shape_init(&s, VMAF_PIX_FMT_UNKNOWN, 8, 16, 16), -EINVAL);
    assert_int_equal(shape_init(&s, (enum VmafPixelFormat)5, 8, 16, 16), -EINVAL);
    assert_int_equal(shape_init(&s, VMAF_PIX_FMT_YUV420P, 7, 16, 16), -EINVAL);
    assert_int_equal(shape_init(&s, VMAF_PIX_FMT_YUV420P, 17, 16, 16), -EINVAL);
    assert_int_equal(shape_init(&s, VMAF_PIX_FMT_YUV420P, 8, 0, 16), -EINVAL);
    assert_int_equal(shape_init(&s, VMAF_PIX_FMT_YUV420P, 8, 16, 0), -EINVAL);
    assert_int_equal(shape_init(&s, VMAF_PIX_FMT_YUV420P, 8, 0xffffffff, 16), -EINVAL);
}

static void planes_are_aligned_and_apart(void **state)
{
    for (unsigned w = 1; w < 2100; w += 61) {
        FrameShape s;
        VmafPicture pic;
        shape_init(&s, VMAF_PIX_FMT_YUV420P, w % 2 ? 8 : 10, w, 5);
        assert_int_equal(picture_alloc(&pic, &s), 0);
        for (unsigned p = 0; p < 3; p++) {
            const size_t row = s.w[p] * (size_t)shape_sample_size(&s);
            assert_true(pic.stride[p] >= (ptrdiff_t)row);
            assert_int_equal(pic.stride[p] % 32, 0);
            if (s.w[p] == 0)
                assert_null(pic.data[p]);
            else
                assert_int_equal((uintptr_t)pic.data[p] % 32, 0);
            for (unsigned y = 0; y < s.h[p] && s.w[p]; y++) {
                char *at = (char *)pic.data[p] + y * pic.stride[p];
                for (ptrdiff_t x = 0; x < pic.stride[p]; x++)
                    assert_int_equal(at[x], 0);
                memset(at, 0x55 + (int)p, (size_t)pic.stride[p]);
            }
        }
        picture_release(&pic);
        assert_null(pic.ref);
    }
}

static void count_release(VmafPicture *pic, void *cookie)
{
    ++*(int *)cookie;
}

static void references_are_counted(void **state)
{
    FrameShape s;
    VmafPicture pic, other;
    int released = 0;
    shape_init(&s, VMAF_PIX_FMT_YUV400P, 8, 16, 16);
    char block[64 * 16];
    assert_int_equal(picture_wrap(&pic, &s, block, count_release, &released), 0);
    assert_int_equal(picture_holders(&pic), 1);
    picture_retain(&other, &pic);
    assert_int_equal(picture_holders(&pic), 2);
    picture_release(&other);
    assert_int_equal(picture_holders(&pic), 1);
    assert_int_equal(released, 0);
    picture_release(&pic);
    assert_int_equal(released, 1);
    picture_release(&pic); /* zeroed: nothing happens */
    assert_int_equal(released, 1);
}

static void the_last_one_back_is_the_first_out(void **state)
{
    FrameShape s;
    PicturePool *pool;
    VmafPicture a, b;
    shape_init(&s, VMAF_PIX_FMT_YUV420P, 8, 64, 64);
    assert_int_equal(picture_pool_create(&pool, &s, 2), 0);
    assert_int_equal(picture_pool_fetch(pool, &a), 0);
    assert_int_equal(picture_pool_fetch(pool, &b), 0);
    void *data = a.data[0];
    picture_release(&a);
    assert_int_equal(picture_pool_fetch(pool, &a), 0);
    assert_ptr_equal(a.data[0], data);
    picture_release(&a);
    picture_release(&b);
    picture_pool_destroy(pool);
}

typedef struct Blocks {
    unsigned given, limit;
} Blocks;

static int give_block(void *opaque, size_t size, void **block)
{
    Blocks *const blocks = opaque;
    if (blocks->given == blocks->limit)
        return -ENOMEM;
    blocks->given++;
    *block = mem_aligned_alloc(size);
    return *block ? 0 : -ENOMEM;
}

static void take_block(void *opaque, void *block)
{
    ((Blocks *)opaque)->given--;
    mem_aligned_free(block);
}

/* Memory that takes long to get is there when it is fetched; a picture that could not be had is not
 * lost. */
static void a_pool_may_allocate_late(void **state)
{
    Blocks blocks = { .limit = 3 };
    const PoolMemory memory = { give_block, take_block, &blocks, .when_fetched = true };
    FrameShape s;
    PicturePool *pool;
    VmafPicture pics[4];
    shape_init(&s, VMAF_PIX_FMT_YUV420P, 8, 64, 64);
    assert_int_equal(picture_pool_create_in(&pool, &s, 4, &memory), 0);
    assert_int_equal(blocks.given, 2);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(picture_pool_fetch(pool, &pics[i]), 0);
    picture_release(&pics[1]);
    assert_int_equal(picture_pool_fetch(pool, &pics[1]), 0);
    assert_int_equal(blocks.given, 2); /* blocks that were returned are given first */
    assert_int_equal(picture_pool_fetch(pool, &pics[2]), 0);
    assert_int_equal(*(unsigned char *)pics[2].data[0], 0);
    assert_int_equal(picture_pool_fetch(pool, &pics[3]), -ENOMEM);
    blocks.limit = 4;
    assert_int_equal(picture_pool_fetch(pool, &pics[3]), 0);
    assert_int_equal(blocks.given, 4);
    for (unsigned i = 0; i < 4; i++)
        picture_release(&pics[i]);
    picture_pool_destroy(pool);
    assert_int_equal(blocks.given, 0);
}

static void a_pool_outlives_its_end_while_pictures_are_out(void **state)
{
    const long live = mem_live();
    FrameShape s;
    PicturePool *pool;
    VmafPicture a;
    shape_init(&s, VMAF_PIX_FMT_YUV420P, 8, 64, 64);
    assert_int_equal(picture_pool_create(&pool, &s, 3), 0);
    assert_int_equal(picture_pool_fetch(pool, &a), 0);
    picture_pool_destroy(pool);
    memset(a.data[0], 1, 64);
    picture_release(&a);
    assert_int_equal(mem_live(), live);
}

static void check_pool(unsigned count)
{
    static const uint8_t zeros[64 * 64];
    FrameShape s;
    PicturePool *pool;
    VmafPicture pics[20];
    shape_init(&s, VMAF_PIX_FMT_YUV400P, 8, 64, 64);
    assert_int_equal(picture_pool_create(&pool, &s, count), 0);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(picture_pool_fetch(pool, &pics[i]), 0);
        assert_int_equal((uintptr_t)pics[i].data[0] % MEM_ALIGN, 0);
        assert_memory_equal(pics[i].data[0], zeros, sizeof(zeros));
        memset(pics[i].data[0], 0xff, sizeof(zeros));
    }
    for (unsigned i = 0; i < count; i++)
        picture_release(&pics[i]);
    picture_pool_destroy(pool);
}

static void pooled_pictures_are_aligned_and_zeroed(void **state)
{
    const long live = mem_live();
    check_pool(4);
    check_pool(20);
    assert_int_equal(mem_live(), live);
}

/* The block is the fourth thing that a pool asks for. */
static void a_pool_without_one_block_allocates_each_picture(void **state)
{
    const long live = mem_live();
    mem_fail_after(4);
    check_pool(20);
    assert_true(mem_fail_after(0) > 20);
    assert_int_equal(mem_live(), live);
}

#ifdef MEMORY_CAN_BE_MEASURED
static long peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* A header may claim any size, and a user any number of threads. */
static void unfetched_pictures_take_no_memory(void **state)
{
    FrameShape s;
    PicturePool *pool;
    const long before = peak_kilobytes();
    shape_init(&s, VMAF_PIX_FMT_YUV400P, 8, 4096, 4096);
    assert_int_equal(picture_pool_create(&pool, &s, 64), 0); /* 1 GiB */
    assert_true(peak_kilobytes() - before < 64 << 10);
    picture_pool_destroy(pool);
}
#endif

static void *fetch_and_return(void *arg)
{
    for (unsigned i = 0; i < 2000; i++) {
        VmafPicture pic;
        if (picture_pool_fetch(arg, &pic))
            return arg;
        memset(pic.data[0], (int)i, 16);
        picture_release(&pic);
    }
    return NULL;
}

static void threads_share_a_pool(void **state)
{
    FrameShape s;
    PicturePool *pool;
    pthread_t threads[4];
    shape_init(&s, VMAF_PIX_FMT_YUV420P, 8, 64, 64);
    assert_int_equal(picture_pool_create(&pool, &s, 2), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fetch_and_return, pool), 0);
    for (unsigned i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    picture_pool_destroy(pool);
}

TEST_MAIN(picture)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_round_chroma_down),
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(planes_are_aligned_and_apart),
        cmocka_unit_test(references_are_counted),
        cmocka_unit_test(the_last_one_back_is_the_first_out),
        cmocka_unit_test(a_pool_may_allocate_late),
        cmocka_unit_test(a_pool_outlives_its_end_while_pictures_are_out),
        cmocka_unit_test(pooled_pictures_are_aligned_and_zeroed),
        cmocka_unit_test(a_pool_without_one_block_allocates_each_picture),
#ifdef MEMORY_CAN_BE_MEASURED
        cmocka_unit_test(unfetched_pictures_take_no_memory),
#endif
        cmocka_unit_test(threads_share_a_pool),
    };
    return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
