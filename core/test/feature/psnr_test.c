/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr, float_psnr, float_ansnr and float_moment: scores computed by hand, limits, and pictures
 * that they refuse. */
#include <errno.h>
#include <math.h>

#include "base/decimal.h"
#include "feature/scoring.h"
#include "testing.h"

static unsigned hundred(unsigned p, unsigned x, unsigned y)
{
    return 100;
}

/* 100 off by 10 in luma, 20 in Cb, 30 in Cr */
static unsigned off_by_tens(unsigned p, unsigned x, unsigned y)
{
    return 100 + 10 * (p + 1);
}

static unsigned almost_white(unsigned p, unsigned x, unsigned y)
{
    return 65535 - (x * 7 + y * 13) % 1021;
}

static unsigned noise(unsigned p, unsigned x, unsigned y)
{
    return (x * 2654435761u ^ y * 40503u) >> 16 & 65535;
}

static VmafPicture plain(SampleOf *value)
{
    return scoring_picture(VMAF_PIX_FMT_YUV420P, 8, 17, 9, value);
}

static void every_plane_has_its_score(void **state)
{
    Scoring *s;
    assert_int_equal(
        scoring_open(&s, "psnr", "enable_mse=true", plain(hundred), plain(off_by_tens)), 0);
    assert_true(scoring_score(s, "mse_y") == 100.0);
    assert_true(scoring_score(s, "mse_cb") == 400.0);
    assert_true(scoring_score(s, "mse_cr") == 900.0);
    assert_true(scoring_score(s, "psnr_y") == 10.0 * decimal_log(65025.0 / 100.0));
    assert_true(scoring_score(s, "psnr_cb") == 10.0 * decimal_log(65025.0 / 400.0));
    assert_true(scoring_score(s, "psnr_cr") == 10.0 * decimal_log(65025.0 / 900.0));
    scoring_close(s);
    assert_true(score_of("float_psnr", NULL, plain(hundred), plain(off_by_tens), "float_psnr") ==
                10.0 * decimal_log(65025.0 / 100.0));
}

static void chroma_and_errors_are_optional(void **state)
{
    Scoring *s;
    assert_int_equal(
        scoring_open(&s, "psnr", "enable_chroma=false", plain(hundred), plain(hundred)), 0);
    assert_true(scoring_has(s, "psnr_y"));
    assert_false(scoring_has(s, "psnr_cb"));
    assert_false(scoring_has(s, "mse_y"));
    scoring_close(s);
}

/* 4:2:0 rounds the size of chroma down, so a picture of one row or column has none. */
static void chroma_may_round_to_nothing(void **state)
{
    const unsigned sizes[][2] = { { 50, 1 }, { 1, 50 } };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const unsigned w = sizes[i][0], h = sizes[i][1];
        Scoring *s;
        assert_int_equal(scoring_open(&s, "psnr", NULL,
                                      scoring_picture(VMAF_PIX_FMT_YUV420P, 8, w, h, hundred),
                                      scoring_picture(VMAF_PIX_FMT_YUV420P, 8, w, h, hundred)),
                         0);
        assert_true(scoring_has(s, "psnr_y"));
        assert_false(scoring_has(s, "psnr_cb"));
        scoring_close(s);
    }
}

static void equal_pictures_score_the_limit_of_the_depth(void **state)
{
    static const unsigned depths[] = { 8, 10, 12, 16 };
    for (size_t i = 0; i < COUNT(depths); i++) {
        const unsigned bpc = depths[i];
        VmafPicture a = scoring_picture(VMAF_PIX_FMT_YUV444P, bpc, 5, 3, hundred);
        VmafPicture b = scoring_picture(VMAF_PIX_FMT_YUV444P, bpc, 5, 3, hundred);
        assert_true(score_of("psnr", NULL, a, b, "psnr_cr") == 6.0 * bpc + 12.0);
        a = scoring_picture(VMAF_PIX_FMT_YUV400P, bpc, 5, 3, hundred);
        b = scoring_picture(VMAF_PIX_FMT_YUV400P, bpc, 5, 3, hundred);
        assert_true(score_of("float_psnr", NULL, a, b, "float_psnr") == 6.0 * bpc + 12.0);
    }
    /* 10 * log10(255^2 * 4 * 17 * 9) rounded up */
    assert_true(score_of("psnr", "min_sse=0.25", plain(hundred), plain(hundred), "psnr_y") == 76.0);
}

static void reduced_peak_scales_255(void **state)
{
    VmafPicture a = scoring_picture(VMAF_PIX_FMT_YUV420P, 10, 16, 16, hundred);
    VmafPicture b = scoring_picture(VMAF_PIX_FMT_YUV420P, 10, 16, 16, off_by_tens);
    assert_true(score_of("psnr", "reduced_hbd_peak=true", a, b, "psnr_y") ==
                10.0 * log10(1020.0 * 1020.0 / 100.0));
}

/* If a double does not hold the sum exactly, the score is that of the sum in raster order. */
static void large_sums_are_added_in_raster_order(void **state)
{
    enum { W = 2080, H = 1200 };
    VmafPicture a = scoring_picture(VMAF_PIX_FMT_YUV400P, 16, W, H, almost_white);
    VmafPicture b = scoring_picture(VMAF_PIX_FMT_YUV400P, 16, W, H, noise);
    double first = 0.0, second = 0.0;
    for (unsigned y = 0; y < H; y++) {
        for (unsigned x = 0; x < W; x++) {
            const float v = (float)scoring_get(&a, 0, x, y) / 256.0f;
            const float square = v * v;
            first += v;
            second += square;
        }
    }
    assert_true(second > 137438953472.0); /* 2^37: the sum is no longer exact */
    Scoring *s;
    assert_int_equal(scoring_open(&s, "float_moment", NULL, a, b), 0);
    assert_true(scoring_score(s, "float_moment_ref1st") == first / ((double)W * H));
    assert_true(scoring_score(s, "float_moment_ref2nd") == second / ((double)W * H));
    scoring_close(s);
}

static void other_depths_and_tiny_pictures_are_refused(void **state)
{
    static const char *const features[] = { "psnr", "float_psnr", "float_moment", "float_ansnr" };
    for (size_t i = 0; i < COUNT(features); i++) {
        VmafPicture a = scoring_picture(VMAF_PIX_FMT_YUV420P, 9, 16, 16, hundred);
        VmafPicture b = scoring_picture(VMAF_PIX_FMT_YUV420P, 9, 16, 16, hundred);
        Scoring *s;
        assert_int_equal(scoring_open(&s, features[i], NULL, a, b), -EINVAL);
        scoring_close(s);
    }
    VmafPicture a = scoring_picture(VMAF_PIX_FMT_YUV420P, 8, 16, 2, hundred);
    VmafPicture b = scoring_picture(VMAF_PIX_FMT_YUV420P, 8, 16, 2, hundred);
    Scoring *s;
    assert_int_equal(scoring_open(&s, "float_ansnr", NULL, a, b), -EINVAL);
    scoring_close(s);
}

/* A flat picture stays flat under both filters, up to rounding. */
static void ansnr_of_flat_pictures(void **state)
{
    VmafPicture a = scoring_picture(VMAF_PIX_FMT_YUV420P, 8, 32, 16, hundred);
    VmafPicture b = scoring_picture(VMAF_PIX_FMT_YUV420P, 8, 32, 16, off_by_tens);
    Scoring *s;
    assert_int_equal(scoring_open(&s, "float_ansnr", NULL, a, b), 0);
    /* (100 - 128)^2 over 10^2, and 255^2 over 10^2 */
    assert_true(fabs(scoring_score(s, "float_ansnr") - 10.0 * log10(784.0 / 100.0)) < 1e-5);
    assert_true(fabs(scoring_score(s, "float_anpsnr") - 10.0 * decimal_log(65025.0 / 100.0)) <
                1e-5);
    scoring_close(s);
}

TEST_MAIN(psnr)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plane_has_its_score),
        cmocka_unit_test(chroma_and_errors_are_optional),
        cmocka_unit_test(chroma_may_round_to_nothing),
        cmocka_unit_test(equal_pictures_score_the_limit_of_the_depth),
        cmocka_unit_test(reduced_peak_scales_255),
        cmocka_unit_test(large_sums_are_added_in_raster_order),
        cmocka_unit_test(other_depths_and_tiny_pictures_are_refused),
        cmocka_unit_test(ansnr_of_flat_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
