/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests reading ahead: the smallest pool of pictures is enough, whichever reader is fastest. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/convert.h"
#include "input/prefetch.h"
#include "input/reader.h"
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

/* ---- decoded frames: several threads read them while the next ones are found ---- */

enum { HELD_MOST = 3 };

static atomic_int held_now, held_most;
static unsigned decoded; /* the decoder's one frame, which the next one overwrites */

static enum FrameStatus find_decoded(Video *video, uint64_t *offset)
{
    (void)video;
    *offset = decoded++;
    return *offset < FRAMES ? FRAME_WHOLE : FRAME_NONE;
}

static bool can_hold(const Video *video)
{
    (void)video;
    return true;
}

static void *hold(const Video *video)
{
    (void)video;
    uint8_t *const samples = malloc(FRAME_BYTES);
    assert_non_null(samples);
    memset(samples, (int)decoded - 1, FRAME_BYTES);
    const int now = atomic_fetch_add(&held_now, 1) + 1;
    if (now > atomic_load(&held_most))
        atomic_store(&held_most, now);
    return samples;
}

/* Takes longer for every other frame, so that threads overtake each other. */
static void held_planes(const Video *video, const void *held, Planes *planes)
{
    planes_lay_out(planes, &video->format);
    usleep(*(const uint8_t *)held % 2 ? 100 : 20000);
    for (unsigned p = 0; p < planes->count; p++) {
        planes->data[p] = held;
        planes->stride[p] = planes->width[p];
    }
}

static void let_go(void *held)
{
    memset(held, 255, FRAME_BYTES);
    free(held);
    atomic_fetch_sub(&held_now, 1);
}

static const VideoReader decoder = { .name = "decoder",
                                     .find = find_decoded,
                                     .can_hold = can_hold,
                                     .hold = hold,
                                     .held_planes = held_planes,
                                     .let_go = let_go };

static void open_decoded(Video *video)
{
    Planes shape;
    planes_lay_out(&shape, &format);
    *video = (Video){ .path = "decoded", .reader = &decoder, .format = format, .native = format };
    assert_int_equal(source_open_none(&video->source), 0);
    assert_int_equal(convert_create(&video->convert, &shape, NULL, &format, SCALE_BICUBIC,
                                    RANGE_UNKNOWN, SITING_UNKNOWN),
                     0);
    decoded = 0;
}

static void read_decoded(unsigned ahead, unsigned taken)
{
    VmafContext *vmaf = NULL;
    Prefetch *prefetch = NULL;
    Video video;
    const PrefetchVideo each = { .video = &video };
    const VmafPictureConfiguration pool = {
        .pic_params = { WIDTH, HEIGHT, 8, VMAF_PIX_FMT_YUV420P },
        .pic_cnt = ahead + 1,
    };
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_preallocate_pictures(vmaf, pool), 0);
    open_decoded(&video);
    const PrefetchConfig config = { .vmaf = vmaf,
                                    .videos = &each,
                                    .count = 1,
                                    .planes = 7,
                                    .ahead = ahead,
                                    .threads = 1,
                                    .converting = HELD_MOST };
    assert_int_equal(prefetch_create(&prefetch, &config), 0);
    for (unsigned number = 0; number < taken; number++) {
        Prefetched frame;
        take_number(prefetch, 0, &frame, (int)number);
        prefetched_release(&frame);
    }
    prefetch_destroy(prefetch);
    convert_destroy(video.convert);
    source_close(video.source);
    vmaf_close(vmaf);
    assert_int_equal(atomic_load(&held_now), 0);
}

static void decoded_frames_are_read_by_several_threads(void **state)
{
    (void)state;
    alarm(LONGEST_S);
    for (unsigned ahead = 1; ahead <= AHEAD_MAX; ahead++)
        for (unsigned taken = 0; taken <= FRAMES; taken += FRAMES / 2)
            read_decoded(ahead, taken);
    alarm(0);
    assert_in_range(atomic_load(&held_most), 2, HELD_MOST);
}

TEST_MAIN(prefetch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_pool_is_enough),
        cmocka_unit_test(no_pool_is_larger_than_that_for_all),
        cmocka_unit_test(decoded_frames_are_read_by_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
