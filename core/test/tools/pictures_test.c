/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests frames as pictures: their colours, their size, and that a PNG returns every byte. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/pictures.h"
#include "testing.h"

/* Makes a picture of one colour. */
static VmafPicture flat(unsigned bpc, enum VmafPixelFormat format, unsigned w, unsigned h,
                        const unsigned yuv[3])
{
    VmafPicture pic;
    assert_int_equal(vmaf_picture_alloc(&pic, format, bpc, w, h), 0);
    for (unsigned p = 0; p < (format == VMAF_PIX_FMT_YUV400P ? 1 : 3); p++) {
        for (unsigned y = 0; y < pic.h[p]; y++) {
            uint8_t *const row = (uint8_t *)pic.data[p] + (size_t)pic.stride[p] * y;
            for (unsigned x = 0; x < pic.w[p]; x++) {
                if (bpc > 8)
                    ((uint16_t *)row)[x] = (uint16_t)yuv[p];
                else
                    row[x] = (uint8_t)yuv[p];
            }
        }
    }
    return pic;
}

static void colours_are_right(void **state)
{
    static const struct {
        RgbCoding coding;
        unsigned bpc, yuv[3];
        uint8_t rgb[3];
    } cases[] = {
        /* by the standards' own tables of colour bars, at full strength */
        { { true, false }, 8, { 16, 128, 128 }, { 0, 0 } },
        { { true, false }, 8, { 235, 128, 128 }, { 255, 255, 255 } },
        { { true, false }, 8, { 63, 102, 240 }, { 255, 1, 0 } },
        { { true, false }, 8, { 173, 42, 26 }, { 0, 255, 1 } },
        { { true, false }, 8, { 32, 240, 118 }, { 1, 0, 255 } },
        { { false, false }, 8, { 81, 90, 240 }, { 254, 0 } },
        { { false, false }, 8, { 145, 54, 34 }, { 0, 255, 1 } },
        { { true, false }, 10, { 64, 512, 512 }, { 0, 0 } },
        { { true, false }, 10, { 940, 512, 512 }, { 255, 255, 255 } },
        { { true, true }, 8, { 255, 128, 128 }, { 255, 255, 255 } },
        { { true, true }, 8, { 100, 128, 128 }, { 100, 100, 100 } },
        { { true, false }, 8, { 0, 128, 128 }, { 0, 0 } }, /* below black */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        VmafPicture pic = flat(cases[i].bpc, VMAF_PIX_FMT_YUV420P, 16, 16, cases[i].yuv);
        Rgb rgb;
        assert_int_equal(rgb_make(&rgb, &pic, 7, 20, &cases[i].coding), 0);
        for (unsigned p = 0; p < 7 * 20; p++)
            for (unsigned c = 0; c < 3; c++)
                if (rgb.data[p * 3 + c] != cases[i].rgb[c])
                    fail_msg("case %zu: colour %u is %u", i, c, rgb.data[p * 3 + c]);
        rgb_clear(&rgb);
        vmaf_picture_unref(&pic);
    }
}

static void smaller_pictures_are_means(void **state)
{
    const unsigned black[3] = { 0 };
    VmafPicture pic = flat(8, VMAF_PIX_FMT_YUV400P, 16, 16, black);
    for (unsigned y = 0; y < 16; y++)
        for (unsigned x = 0; x < 16; x++)
            ((uint8_t *)pic.data[0])[(size_t)pic.stride[0] * y + x] = x < 8   ? 40
                                                                      : x % 2 ? 200
                                                                              : 100;
    Rgb rgb;
    assert_int_equal(rgb_make(&rgb, &pic, 4, 1, &(RgbCoding){ .full = true }), 0);
    static const uint8_t want[12] = { 40, 40, 40, 40, 40, 40, 150, 150, 150, 150, 150, 150 };
    assert_memory_equal(rgb.data, want, 12);
    rgb_clear(&rgb);
    vmaf_picture_unref(&pic);
}

#ifdef HAVE_PNG
#include <png.h>

static void a_png_gives_back_every_byte(void **state)
{
    enum { W = 61, H = 37 };
    uint8_t bytes[W * H * 3], back[W * H * 3];
    Png png;
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * i / 7 + i);
    assert_int_equal(png_make(&png, &(Rgb){ W, H, bytes }), 0);
    png_image image = { .version = PNG_IMAGE_VERSION };
    assert_true(png_image_begin_read_from_memory(&image, png.data, png.size));
    assert_int_equal(image.width, W);
    assert_int_equal(image.height, H);
    image.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(bytes, back, sizeof(bytes));
    png_clear(&png);
}

/* Frame n of the file is grey n + `add`, in two videos of different sizes. */
static void write_raw(const char *path, unsigned w, unsigned h, unsigned frames, unsigned add)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    for (unsigned i = 0; i < frames; i++)
        for (unsigned s = 0; s < w * h * 3 / 2; s++)
            fputc(s < w * h ? (int)(i + add) : 128, file);
    fclose(file);
}

static unsigned grey_of(const Png *png, unsigned *width)
{
    png_image image = { .version = PNG_IMAGE_VERSION };
    uint8_t pixels[64 * 64 * 3];
    assert_true(png_image_begin_read_from_memory(&image, png->data, png->size));
    image.format = PNG_FORMAT_RGB;
    assert_true(PNG_IMAGE_SIZE(image) <= sizeof(pixels));
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    *width = image.width;
    return pixels[0];
}

static StoredReport report_of(unsigned *numbers)
{
    const StoredInput input = { .kind = (char *)"raw",
                                .pixel_format = (char *)"420",
                                .width = 32,
                                .height = 16,
                                .bitdepth = 8 };
    StoredReport report = {
        .path = "x.json", .numbers = numbers, .frame_count = 8, .input = { input, input }
    };
    report.input[SIDE_REF].path = (char *)"pictures_r.yuv";
    report.input[SIDE_DIST].path = (char *)"pictures_d.yuv";
    report.input[SIDE_DIST].width = 16;
    report.input[SIDE_DIST].height = 8;
    report.input[SIDE_DIST].skipped = 2;
    return report;
}

static void frames_are_found_again(void **state)
{
    unsigned numbers[8] = { 0, 2, 4, 6, 8, 10, 12, 14 }, width;
    StoredReport report = report_of(numbers);
    const size_t frames[3] = { 5, 0, 3 };
    Png pictures[3][SIDES];
    char why[256];
    write_raw("pictures_r.yuv", 32, 16, 20, 16);
    write_raw("pictures_d.yuv", 16, 8, 20, 16);
    assert_int_equal(
        pictures_read(&report, frames, 3, PICTURES_SIZE_MAX, pictures, why, sizeof(why)), 0);
    assert_string_equal(why, "");
    for (unsigned i = 0; i < 3; i++) {
        const unsigned n = numbers[frames[i]];
        for (unsigned side = 0; side < SIDES; side++) {
            const unsigned luma = n + (side == SIDE_DIST ? 2 : 0);
            assert_int_equal(grey_of(&pictures[i][side], &width),
                             (unsigned)(luma * 255.0 / 219.0 + 0.5));
            assert_int_equal(width, 32); /* both as large as the reference */
            png_clear(&pictures[i][side]);
        }
    }
    unlink("pictures_r.yuv");
    unlink("pictures_d.yuv");
}

/* Noise, which PNG cannot make smaller. */
static void write_noise(const char *path, unsigned w, unsigned h, unsigned frames)
{
    FILE *const file = fopen(path, "wb");
    unsigned long state = 1;
    assert_non_null(file);
    for (unsigned long i = 0; i < frames * w * h * 3ul / 2; i++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        fputc((int)(state >> 33 & 255), file);
    }
    fclose(file);
}

/* The pictures together never take more than their room, whatever they show, and the most important
 * frame gets one first. */
static void pictures_stay_within_their_room(void **state)
{
    static const size_t rooms[] = { PICTURES_SIZE_MAX, 500000, 100000, 20000, 0 };
    unsigned numbers[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, most = 8;
    const size_t frames[8] = { 7, 0, 3, 1, 2, 4, 5, 6 };
    StoredReport report = report_of(numbers);
    for (unsigned side = 0; side < SIDES; side++) {
        report.input[side].width = 640;
        report.input[side].height = 360;
        report.input[side].skipped = 0;
    }
    write_noise("pictures_r.yuv", 640, 360, 8);
    write_noise("pictures_d.yuv", 640, 360, 8);
    for (size_t i = 0; i < COUNT(rooms); i++) {
        Png pictures[8][SIDES];
        char why[256];
        size_t used = 0;
        unsigned shown = 0;
        assert_int_equal(pictures_read(&report, frames, 8, rooms[i], pictures, why, sizeof(why)),
                         0);
        assert_string_equal(why, "");
        for (unsigned n = 0; n < 8; n++) {
            assert_true(!pictures[n][SIDE_REF].data == !pictures[n][SIDE_DIST].data);
            shown += shown == n && pictures[n][SIDE_REF].data;
            for (unsigned side = 0; side < SIDES; side++) {
                used += pictures[n][side].size;
                png_clear(&pictures[n][side]);
            }
        }
        assert_true(used <= rooms[i]);
        assert_true(shown <= most);
        assert_true(shown || rooms[i] <= 100000);
        most = shown;
    }
    unlink("pictures_r.yuv");
    unlink("pictures_d.yuv");
}

static void a_reason_is_given_for_no_pictures(void **state)
{
    unsigned numbers[8] = { 0, 2, 4, 6, 8, 10, 12, 14 };
    const size_t frame = 7;
    static const struct {
        const char *reference, *pairing, *why;
        unsigned width;
    } cases[] = {
        { NULL, "by time", "the report does not name its videos", 32 },
        { "-", "by time", "a video came through standard input", 32 },
        { "no/such.yuv", "by time", "no/such.yuv: No such file or directory", 32 },
        { "/dev/null", "by time", "/dev/null cannot be read a second time", 32 },
        { "pictures_r.yuv", "by time", "pictures_r.yuv ends before frame 14", 32 },
        { "pictures_r.yuv", "by time", "the report does not say what pictures_r.yuv holds", 0 },
        { "pictures_r.yuv", "by time, 2 left out", "frames were paired by time, 2 left out", 32 },
        { "pictures_r.yuv", "at 25 frames a second", "frames were paired at 25 frames a second",
          32 },
    };
    write_raw("pictures_r.yuv", 32, 16, 3, 16);
    for (size_t i = 0; i < COUNT(cases); i++) {
        StoredReport report = report_of(numbers);
        Png pictures[1][SIDES];
        char why[256];
        report.input[SIDE_REF].path = (char *)cases[i].reference;
        report.input[SIDE_DIST].pairing = (char *)cases[i].pairing;
        report.input[SIDE_REF].width = cases[i].width;
        assert_int_equal(
            pictures_read(&report, &frame, 1, PICTURES_SIZE_MAX, pictures, why, sizeof(why)), 0);
        assert_string_equal(why, cases[i].why);
        assert_null(pictures[0][SIDE_DIST].data);
    }
    unlink("pictures_r.yuv");
}
#endif

TEST_MAIN(pictures)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_right),
        cmocka_unit_test(smaller_pictures_are_means),
#ifdef HAVE_PNG
        cmocka_unit_test(a_png_gives_back_every_byte),
        cmocka_unit_test(frames_are_found_again),
        cmocka_unit_test(pictures_stay_within_their_room),
        cmocka_unit_test(a_reason_is_given_for_no_pictures),
#endif
    };
    return cmocka_run_group_tests_name("pictures", tests, NULL, NULL);
}
