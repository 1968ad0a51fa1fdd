/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests videos: both kinds, from files and from pipes, give the same frames. test/cli tests the
 * messages. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/reader.h"
#include "testing.h"

/* Three frames of 4x2, 4:2:0. Raw video lacks the header and the FRAME lines. */
#define HEADER "YUV4MPEG2 W4 H2 Ip C420\n"
#define FRAME_0 "abcdefghIJKL"
#define FRAME_1 "mnopqrstUVWX"
#define FRAME_2 "yz012345MNOP"
#define Y4M HEADER "FRAME\n" FRAME_0 "FRAME Ip\n" FRAME_1 "FRAME\n" FRAME_2
#define RAW FRAME_0 FRAME_1 FRAME_2

static const VideoFormat format = { 4, 2, 8, VMAF_PIX_FMT_YUV420P };
static const char path[] = "input_test.video";

typedef struct Bytes {
    const char *data;
    size_t size;
} Bytes;

static void *write_bytes(void *arg)
{
    const Bytes *const bytes = arg;
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes->data, 1, bytes->size, file);
    fclose(file);
    return NULL;
}

/* One way to read the three frames. */
typedef struct Way {
    const char *data;
    bool raw, pipe;
} Way;

static const Way ways[] = {
    { Y4M, false, false },
    { Y4M, false, true },
    { RAW, true, false },
    { RAW, true, true },
};

/* Calls `check` with the first `size` bytes of the video; 0: all. */
static void with_video(const Way *way, size_t size, void (*check)(Video *video, const Way *way))
{
    Bytes bytes = { way->data, size ? size : strlen(way->data) };
    pthread_t writer;
    Video *video = NULL;
    unlink(path);
    if (way->pipe) {
        assert_int_equal(mkfifo(path, 0600), 0);
        assert_int_equal(pthread_create(&writer, NULL, write_bytes, &bytes), 0);
    } else {
        write_bytes(&bytes);
    }
    assert_int_equal(video_open(&video, path, way->raw ? &format : NULL), 0);
    check(video, way);
    video_close(video);
    if (way->pipe)
        pthread_join(writer, NULL);
    unlink(path);
}

static void for_each_way(void (*check)(Video *video, const Way *way))
{
    for (size_t i = 0; i < COUNT(ways); i++)
        with_video(&ways[i], 0, check);
}

static void assert_plane(const VmafPicture *pic, unsigned p, const char *samples)
{
    for (unsigned y = 0; y < pic->h[p]; y++)
        assert_memory_equal((const char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p],
                            samples + y * pic->w[p], pic->w[p]);
}

/* Checks the samples of the next frame. */
static void assert_next(Video *video, const char *samples)
{
    uint64_t offset;
    VmafPicture pic;
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, 4, 2), 0);
    assert_int_equal(video_find(video, &offset), FRAME_WHOLE);
    assert_int_equal(video_read(video, offset, 7, &pic), FRAME_WHOLE);
    assert_plane(&pic, 0, samples);
    assert_plane(&pic, 1, samples + 8);
    assert_plane(&pic, 2, samples + 10);
    vmaf_picture_unref(&pic);
}

static void assert_end(Video *video)
{
    uint64_t offset;
    assert_int_equal(video_find(video, &offset), FRAME_NONE);
}

static void read_all(Video *video, const Way *way)
{
    assert_string_equal(video->reader->name, way->raw ? "raw" : "y4m");
    assert_memory_equal(&video->format, &format, sizeof(format));
    assert_int_equal(video->parallel, !way->pipe);
    assert_next(video, FRAME_0);
    assert_next(video, FRAME_1);
    assert_next(video, FRAME_2);
    assert_end(video);
    assert_end(video);
}

static void frames_come_in_order(void **state)
{
    for_each_way(read_all);
}

static void skip_some(Video *video, const Way *way)
{
    assert_int_equal(video_skip(video, 0), FRAME_WHOLE);
    assert_int_equal(video_skip(video, 2), FRAME_WHOLE);
    assert_next(video, FRAME_2);
    assert_int_equal(video_skip(video, 1), FRAME_NONE);
}

static void skip_too_many(Video *video, const Way *way)
{
    assert_int_equal(video_skip(video, 4), FRAME_NONE);
}

static void frames_can_be_skipped(void **state)
{
    for_each_way(skip_some);
    for_each_way(skip_too_many);
}

static void count_down(Video *video, const Way *way)
{
    for (unsigned left = 3; left; left--) {
        assert_int_equal(video_frames_left(video), way->pipe ? 0 : left);
        assert_int_equal(video_skip(video, 1), FRAME_WHOLE);
    }
    assert_int_equal(video_frames_left(video), 0);
}

static void files_know_how_long_they_are(void **state)
{
    for_each_way(count_down);
}

static void meet_the_cut(Video *video, const Way *way)
{
    uint64_t offset;
    VmafPicture pic;
    assert_next(video, FRAME_0);
    enum FrameStatus status = video_find(video, &offset);
    if (status == FRAME_WHOLE) { /* a pipe cannot know beforehand */
        assert_true(way->pipe);
        assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, 4, 2), 0);
        status = video_read(video, offset, 7, &pic);
        vmaf_picture_unref(&pic);
    }
    assert_int_equal(status, FRAME_CUT);
}

static void skip_into_the_cut(Video *video, const Way *way)
{
    assert_int_equal(video_skip(video, 2), FRAME_CUT);
}

/* Cuts the video at each byte of the second frame and of its FRAME line. */
static void cut_frames_are_reported(void **state)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        const size_t first = ways[i].raw ? 12 : sizeof(HEADER "FRAME\n") - 1 + 12;
        const size_t second = first + (ways[i].raw ? 12 : sizeof("FRAME Ip\n") - 1 + 12);
        for (size_t size = first + 1; size < second; size++) {
            with_video(&ways[i], size, meet_the_cut);
            with_video(&ways[i], size, skip_into_the_cut);
        }
    }
}

static void read_second_plane(Video *video, const Way *way)
{
    uint64_t offset;
    VmafPicture pic;
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, 4, 2), 0);
    assert_int_equal(video_find(video, &offset), FRAME_WHOLE);
    assert_int_equal(video_read(video, offset, 2, &pic), FRAME_WHOLE);
    assert_plane(&pic, 0, "\0\0\0\0\0\0\0\0");
    assert_plane(&pic, 1, FRAME_0 + 8);
    assert_plane(&pic, 2, "\0\0");
    vmaf_picture_unref(&pic);
    assert_next(video, FRAME_1);
}

static void only_wanted_planes_are_read(void **state)
{
    for_each_way(read_second_plane);
}

static void read_deeper(Video *video, const Way *way)
{
    uint64_t offset;
    VmafPicture pic;
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 10, 4, 2), 0);
    assert_int_equal(video_find(video, &offset), FRAME_WHOLE);
    assert_int_equal(video_read(video, offset, 7, &pic), FRAME_WHOLE);
    const char *samples = FRAME_0;
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < pic.h[p]; y++)
            for (unsigned x = 0; x < pic.w[p]; x++) {
                const uint16_t *const row =
                    (const uint16_t *)((const char *)pic.data[p] + (ptrdiff_t)y * pic.stride[p]);
                assert_int_equal(row[x], *samples++ << 2);
            }
    vmaf_picture_unref(&pic);
}

static void shallow_samples_are_deepened(void **state)
{
    for_each_way(read_deeper);
}

/* Frames of a file may be found first and read later, in any order. */
static void files_are_read_anywhere(void **state)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        Video *video;
        VmafPicture pic;
        uint64_t offsets[3];
        if (ways[i].pipe)
            continue;
        write_bytes(&(Bytes){ ways[i].data, strlen(ways[i].data) });
        assert_int_equal(video_open(&video, path, ways[i].raw ? &format : NULL), 0);
        for (unsigned f = 0; f < 3; f++)
            assert_int_equal(video_find(video, &offsets[f]), FRAME_WHOLE);
        assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, 4, 2), 0);
        assert_int_equal(video_read(video, offsets[2], 7, &pic), FRAME_WHOLE);
        assert_plane(&pic, 0, FRAME_2);
        assert_int_equal(video_read(video, offsets[0], 7, &pic), FRAME_WHOLE);
        assert_plane(&pic, 0, FRAME_0);
        vmaf_picture_unref(&pic);
        video_close(video);
        unlink(path);
    }
}

static void a_rate_is_read_where_it_makes_sense(void **state)
{
    static const struct {
        const char *header;
        unsigned num, den;
    } cases[] = {
        { "YUV4MPEG2 W4 H2 F30000:1001 Ip\n", 30000, 1001 },
        { "YUV4MPEG2 W4 H2 F25:1 Ip\n", 25, 1 },
        { "YUV4MPEG2 W4 H2 Ip\n", 0, 0 },
        { "YUV4MPEG2 W4 H2 F0:0 Ip\n", 0, 0 },
        { "YUV4MPEG2 W4 H2 F25 Ip\n", 0, 0 },
        { "YUV4MPEG2 W4 H2 F25: Ip\n", 0, 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Video *video;
        write_bytes(&(Bytes){ cases[i].header, strlen(cases[i].header) });
        assert_int_equal(video_open(&video, path, NULL), 0);
        assert_int_equal(video->traits.rate_num, cases[i].num);
        assert_int_equal(video->traits.rate_den, cases[i].den);
        assert_int_equal(video_time(video, 0), VIDEO_NO_TIME);
        video_close(video);
        unlink(path);
    }
}

static void a_file_is_known_by_its_beginning(void **state)
{
    static const struct {
        const char *start;
        const VideoReader *reader;
    } cases[] = {
        { HEADER, &y4m_reader },
        { "YUV4MPEG2", &y4m_reader },
        { "YUV4MPEG1 W4 H2", NULL },
        { "YUV4MPEG", NULL },
        { "", NULL },
        { RAW, NULL },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_ptr_equal(reader_probe((const uint8_t *)cases[i].start, strlen(cases[i].start)),
                         cases[i].reader);
}

static void invalid_files_are_refused(void **state)
{
    static const struct {
        const char *data;
        bool raw;
    } cases[] = { { Y4M, true }, { RAW, false }, { "", false }, { "YUV4MPEG2 W4 H2", false } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Video *video = NULL;
        write_bytes(&(Bytes){ cases[i].data, strlen(cases[i].data) });
        assert_int_equal(video_open(&video, path, cases[i].raw ? &format : NULL), -EINVAL);
        assert_null(video);
    }
    unlink(path);
    Video *video = NULL;
    assert_int_equal(video_open(&video, path, NULL), -ENOENT);
    assert_null(video);
}

TEST_MAIN(input)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_in_order),
        cmocka_unit_test(frames_can_be_skipped),
        cmocka_unit_test(files_know_how_long_they_are),
        cmocka_unit_test(cut_frames_are_reported),
        cmocka_unit_test(only_wanted_planes_are_read),
        cmocka_unit_test(shallow_samples_are_deepened),
        cmocka_unit_test(files_are_read_anywhere),
        cmocka_unit_test(a_rate_is_read_where_it_makes_sense),
        cmocka_unit_test(a_file_is_known_by_its_beginning),
        cmocka_unit_test(invalid_files_are_refused),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
