/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests reading ahead: the smallest pool of pictures is enough, whichever reader is fastest. */
#include <stdio.h>
#include <unistd.h>

#include "input/prefetch.h"
#include "testing.h"

enum { WIDTH = 16, HEIGHT = 8, FRAME_BYTES = WIDTH * HEIGHT * 3 / 2, FRAMES = 10 };
enum { VIDEOS_MAX = 4, AHEAD_MAX = 4 };
enum { LONGEST_S = 60 }; /* then one waits forever */

static const VideoFormat format = { WIDTH, HEIGHT, 8, VMAF_PIX_FMT_YUV420P };
static const char path[] = "prefetch_test.video";

/* Every sample is its frame's number. */
static void write_video(void)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    for (int i = 0; i < FRAMES * FRAME_BYTES; i++)
        fputc(i / FRAME_BYTES, file);
    assert_int_equal(fclose(file), 0);
}

static void take_number(Prefetch *prefetch, unsigned video, Prefetched *frame, int number)
{
    int64_t time;
    assert_int_equal(prefetch_look(prefetch, video, &time), FRAME_WHOLE);
    prefetch_take(prefetch, video, frame);
    assert_non_null(frame->pic.data[0]);
    assert_int_equal(((const uint8_t *)frame->pic.data[0])[0], number);
}

/* All videos but the last have read as far ahead as they may when the last one's frame is asked
 * for. */
static void take_all(Prefetch *prefetch, unsigned videos)
{
    Prefetched frames[VIDEOS_MAX];
    int64_t time;
    for (int number = 0; number < FRAMES; number++) {
        for (unsigned i = 0; i < videos; i++) {
            take_number(prefetch, i, &frames[i], number);
            if (i + 1 < videos)
                prefetch_look(prefetch, i, &time);
        }
        for (unsigned i = 0; i < videos; i++)
            prefetched_release(&frames[i]);
    }
    for (unsigned i = 0; i < videos; i++)
        assert_int_equal(prefetch_look(prefetch, i, &time), FRAME_NONE);
}

static void read_with_least_pool(unsigned videos, unsigned ahead)
{
    VmafContext *vmaf = NULL;
    Prefetch *prefetch = NULL;
    PrefetchVideo each[VIDEOS_MAX] = { { 0 } };
    const VmafPictureConfiguration pool = {
        .pic_params = { WIDTH, HEIGHT, 8, VMAF_PIX_FMT_YUV420P },
        .pic_cnt = prefetch_pool_least(videos, ahead, 0),
    };
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_preallocate_pictures(vmaf, pool), 0);
    for (unsigned i = 0; i < videos; i++)
        assert_int_equal(video_open(&each[i].video, path, &format), 0);
    const PrefetchConfig config = {
        .vmaf = vmaf,
        .videos = each,
        .count = videos,
        .by_number = true,
        .planes = 7,
        .ahead = ahead,
        .threads = 1,
    };
    assert_int_equal(prefetch_create(&prefetch, &config), 0);
    take_all(prefetch, videos);
    prefetch_destroy(prefetch);
    for (unsigned i = 0; i < videos; i++)
        video_close(each[i].video);
    vmaf_close(vmaf);
}

static void the_smallest_pool_is_enough(void **state)
{
    (void)state;
    alarm(LONGEST_S);
    write_video();
    for (unsigned videos = 2; videos <= VIDEOS_MAX; videos++)
        for (unsigned ahead = 1; ahead <= AHEAD_MAX; ahead++)
            read_with_least_pool(videos, ahead);
    unlink(path);
    alarm(0);
}

static void no_pool_is_larger_than_that_for_all(void **state)
{
    (void)state;
    for (unsigned videos = 2; videos <= VIDEOS_MAX; videos++)
        for (unsigned ahead = 1; ahead <= AHEAD_MAX; ahead++)
            for (unsigned in_work = 0; in_work < 3; in_work++)
                assert_true(prefetch_pool_least(videos, ahead, in_work) <
                            prefetch_pool_size(videos, ahead, in_work));
}

TEST_MAIN(prefetch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_pool_is_enough),
        cmocka_unit_test(no_pool_is_larger_than_that_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
