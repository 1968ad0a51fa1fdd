/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests that offsets are found from small pictures, or reported as not found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/thumbs.h"
#include "testing.h"
#include "vmaf/hint.h"

#define FRAMES 120

/* Makes pieces of a long clip: bright spots that wander, with noise, at another brightness and
 * contrast. */
static void make(Thumbs *thumbs, int first, unsigned count, float noise, float gain, float shift)
{
    thumbs->at = calloc(count, sizeof(*thumbs->at));
    thumbs->count = count;
    assert_non_null(thumbs->at);
    for (unsigned n = 0; n < count; n++) {
        const int t = first + (int)n;
        for (int i = 0; i < THUMB_CELLS; i++) {
            const int x = i % THUMB_SIDE - (t * t / 90 + t) % THUMB_SIDE,
                      y = i / THUMB_SIDE - t / 7 % THUMB_SIDE;
            const float spot = 120.0f / (1 + x * x + y * y);
            thumbs->at[n].cell[i] =
                gain * (40 + spot + noise * (float)(rand() % 2001 - 1000) / 1000) + shift;
        }
    }
}

static ThumbsFit fit(int first, unsigned count, int second, unsigned other, float noise, float gain)
{
    Thumbs a, b;
    make(&a, first, count, 0, 1, 0);
    make(&b, second, other, noise, gain, 16 * (1 - gain));
    const ThumbsFit found = thumbs_fit(&a, &b);
    free(a.at);
    free(b.at);
    return found;
}

static void offsets_are_found(void **state)
{
    for (int offset = -60; offset <= 60; offset += 4) {
        for (unsigned noisy = 0; noisy < 2; noisy++) {
            const ThumbsFit found = fit(100, FRAMES, 100 - offset, FRAMES, noisy ? 3 : 0, 1);
            assert_true(found.sure);
            assert_int_equal(found.offset, offset);
            assert_true(found.times > 1.5);
        }
        const ThumbsFit darker = fit(100, FRAMES, 100 - offset, FRAMES / 2 + 60, 1, 0.86f);
        assert_true(darker.sure);
        assert_int_equal(darker.offset, offset);
    }
}

/* Returns the offset that is proposed for a video and one that shows it twice at once: this share
 * of each picture is two frames late, and the rest is twelve frames late. */
static int proposed(float share, ThumbsFit *found)
{
    OffsetHint hint = { 0 };
    Thumbs a, b, rest;
    make(&a, 100, HINT_WINDOW, 0, 1, 0);
    make(&b, 98, HINT_WINDOW, 0, 1, 0);
    make(&rest, 88, HINT_WINDOW, 0, 1, 0);
    for (unsigned n = 0; n < HINT_WINDOW; n++) {
        for (unsigned i = 0; i < THUMB_CELLS; i++)
            b.at[n].cell[i] = share * b.at[n].cell[i] + (1 - share) * rest.at[n].cell[i];
        hint_look_thumbs(&hint, n, &a.at[n], &b.at[n]);
    }
    *found = thumbs_fit(&a, &b);
    free(a.at);
    free(b.at);
    free(rest.at);
    return hint.offset;
}

/* An offset is proposed only if the pictures differ half as much there as at any other, although
 * less is enough for --sync auto. */
static void only_clear_offsets_are_proposed(void **state)
{
    ThumbsFit found;
    assert_int_equal(proposed(0.58f, &found), 2);
    assert_true(found.sure && found.times > 2.1 && found.times < 2.6);
    assert_int_equal(proposed(0.55f, &found), 0);
    assert_true(found.sure && found.times > 1.6 && found.times < 1.9);
}

/* Returns the mean of a cell, computed sample by sample. */
static float plain_mean(const VmafPicture *pic, unsigned i, unsigned step)
{
    const unsigned x = i % THUMB_SIDE, y = i / THUMB_SIDE, w = pic->w[0], h = pic->h[0];
    double sum = 0;
    unsigned rows = 0, columns = 0;
    for (unsigned at = y * h / THUMB_SIDE; at < (y + 1) * h / THUMB_SIDE; at += step, rows++) {
        const char *const row = (const char *)pic->data[0] + at * pic->stride[0];
        columns = 0;
        for (unsigned n = x * w / THUMB_SIDE; n < (x + 1) * w / THUMB_SIDE; n++, columns++)
            sum += pic->bpc > 8 ? ((const uint16_t *)row)[n] : ((const uint8_t *)row)[n];
    }
    if (!rows || !columns)
        return 0;
    return (float)(floor(sum / columns / rows / (1u << (pic->bpc - 8)) * 256 + 0.5) / 256);
}

static void means_are_those_of_all_samples(void **state)
{
    static const unsigned sizes[][2] = { { 576, 324 }, { 1921, 37 }, { 15, 40 },
                                         { 16, 16 },   { 33, 8300 }, { 257, 4111 } };
    for (unsigned n = 0; n < 4 * sizeof(sizes) / sizeof(*sizes); n++) {
        const unsigned *const size = sizes[n / 4], bpc = n % 2 ? 16 : 8, step = n / 2 % 2 ? 3 : 1;
        VmafPicture pic;
        Thumb thumb;
        assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV400P, bpc, size[0], size[1]), 0);
        for (size_t i = 0; i < (size_t)pic.stride[0] * pic.h[0]; i++)
            ((uint8_t *)pic.data[0])[i] = n % 4 < 2 ? 255 : (uint8_t)(rand() >> 7);
        thumb_of_picture(&thumb, &pic, step);
        for (unsigned i = 0; i < THUMB_CELLS; i++)
            assert_true(thumb.cell[i] == plain_mean(&pic, i, step));
        vmaf_picture_unref(&pic);
    }
}

static void unclear_offsets_are_not_guessed(void **state)
{
    Thumbs a, b;
    make(&a, 0, 30, 0, 1, 0);
    make(&b, 0, 30, 0, 1, 0);
    for (unsigned n = 1; n < 30; n++) /* a still */
        a.at[n] = b.at[n] = a.at[0];
    assert_false(thumbs_fit(&a, &b).sure);
    for (unsigned n = 0; n < 30; n++) /* grey */
        a.at[n] = b.at[n] = (Thumb){ 0 };
    assert_false(thumbs_fit(&a, &b).sure);
    free(a.at);
    free(b.at);
    make(&a, 0, 30, 0, 1, 0);
    make(&b, 0, 30, 0, 1, 0);
    for (unsigned n = 0; n < 30; n++) /* again and again */
        a.at[n] = b.at[n] = b.at[n % 5];
    assert_false(thumbs_fit(&a, &b).sure);
    for (unsigned n = 0; n < 30; n++) /* nothing in common */
        for (unsigned i = 0; i < THUMB_CELLS; i++)
            b.at[n].cell[i] = (float)(rand() % 200);
    assert_false(thumbs_fit(&a, &b).sure);
    b.count = 0;
    assert_false(thumbs_fit(&a, &b).sure);
    b.count = 30;
    free(a.at);
    free(b.at);
}

static void parts_are_means(void **state)
{
    for (unsigned bpc = 8; bpc <= 12; bpc += 2) {
        VmafPicture pic;
        Thumb thumb;
        assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, bpc, 50, 35), 0);
        for (unsigned y = 0; y < 35; y++) {
            char *const row = (char *)pic.data[0] + (ptrdiff_t)y * pic.stride[0];
            for (unsigned x = 0; x < 50; x++) {
                if (bpc == 8)
                    ((uint8_t *)row)[x] = (uint8_t)(x < 3 ? 100 : 7);
                else
                    ((uint16_t *)(void *)row)[x] = (uint16_t)((x < 3 ? 100 : 7) << (bpc - 8));
            }
        }
        thumb_of_picture(&thumb, &pic, 1);
        assert_float_equal(thumb.cell[0], 100, 0);
        assert_float_equal(thumb.cell[1], 7, 0);
        assert_float_equal(thumb.cell[THUMB_CELLS - 1], 7, 0);
        vmaf_picture_unref(&pic);
        assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV400P, bpc, 5, 3), 0);
        thumb_of_picture(&thumb, &pic, 1); /* the picture is smaller than a thumbnail */
        vmaf_picture_unref(&pic);
    }
}

static void texts_hold_all_of_a_thumb(void **state)
{
    Thumb thumb, back;
    char text[THUMB_TEXT];
    VmafPicture pic = { 0 };
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV400P, 10, 50, 35), 0);
    for (unsigned y = 0; y < 35; y++)
        for (unsigned x = 0; x < 50; x++)
            ((uint16_t *)(void *)((char *)pic.data[0] + (ptrdiff_t)y * pic.stride[0]))[x] =
                (uint16_t)(x == y ? 1023 : rand() % 1024);
    thumb_of_picture(&thumb, &pic, 1);
    vmaf_picture_unref(&pic);
    thumb.cell[3] = 255.75f;
    thumb_print(&thumb, text);
    assert_int_equal(strlen(text), THUMB_TEXT - 1);
    assert_true(thumb_parse(&back, text));
    assert_memory_equal(&back, &thumb, sizeof(thumb));
    text[7] = 'g';
    assert_false(thumb_parse(&back, text));
    text[7] = 0;
    assert_false(thumb_parse(&back, text));
    assert_false(thumb_parse(&back, NULL));
}

TEST_MAIN(thumbs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_found),
        cmocka_unit_test(only_clear_offsets_are_proposed),
        cmocka_unit_test(means_are_those_of_all_samples),
        cmocka_unit_test(unclear_offsets_are_not_guessed),
        cmocka_unit_test(parts_are_means),
        cmocka_unit_test(texts_hold_all_of_a_thumb),
    };
    srand(1);
    return cmocka_run_group_tests_name("thumbs", tests, NULL, NULL);
}
