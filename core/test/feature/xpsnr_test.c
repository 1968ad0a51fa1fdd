/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* xpsnr: scores computed by hand, its options, and pictures that it refuses. */
#include <errno.h>
#include <math.h>

#include "base/decimal.h"
#include "feature/scoring.h"
#include "testing.h"

static unsigned hundred(unsigned p, unsigned x, unsigned y)
{
    return 100;
}

/* Samples of 100 that are off by 10 in luma, 20 in Cb and 30 in Cr. */
static unsigned off_by_tens(unsigned p, unsigned x, unsigned y)
{
    return 100 + 10 * (p + 1);
}

static VmafPicture picture(enum VmafPixelFormat format, unsigned bpc, unsigned w, unsigned h,
                           SampleOf *value)
{
    return scoring_picture(format, bpc, w, h, value);
}

/* Returns the level of a rounded distortion. */
static double level(double samples, double peak, double distortion)
{
    const double root = sqrt(distortion);
    return 10.0 * decimal_log(samples * peak * peak / (root * root));
}

static int open_pair(Scoring **s, const char *options, enum VmafPixelFormat format, unsigned bpc,
                     unsigned w, unsigned h, SampleOf *dist)
{
    return scoring_open(s, "xpsnr", options, picture(format, bpc, w, h, hundred),
                        picture(format, bpc, w, h, dist));
}

/* Below 2025 samples the distortion is the plain sum of squared errors. */
static void small_pictures_have_no_weights(void **state)
{
    Scoring *s;
    assert_int_equal(open_pair(&s, NULL, VMAF_PIX_FMT_YUV422P, 8, 44, 46, off_by_tens), 0);
    assert_true(scoring_score(s, "xpsnr_y") == level(44 * 46, 255, 44 * 46 * 100.0));
    assert_true(scoring_score(s, "xpsnr_u") == level(22 * 46, 255, 22 * 46 * 400.0));
    assert_true(scoring_score(s, "xpsnr_v") == level(22 * 46, 255, 22 * 46 * 900.0));
    scoring_close(s);
    assert_int_equal(open_pair(&s, NULL, VMAF_PIX_FMT_YUV400P, 16, 1, 1, off_by_tens), 0);
    assert_true(scoring_score(s, "xpsnr_y") == level(1, 65535, 100.0));
    assert_false(scoring_has(s, "xpsnr_u"));
    scoring_close(s);
}

/* The first frame of a flat clip moves from 0 to 100, so each block has the activity 200. */
static void flat_frames_have_equal_weights(void **state)
{
    const double samples = 48 * 48;
    const double scale = sqrt(16.0 * 128.0 / sqrt(samples / (3840.0 * 2160.0)));
    Scoring *s;
    assert_int_equal(open_pair(&s, NULL, VMAF_PIX_FMT_YUV444P, 8, 48, 48, off_by_tens), 0);
    for (unsigned p = 0; p < 3; p++) {
        const double error = 10.0 * (p + 1);
        const char *const name = p == 0 ? "xpsnr_y" : p == 1 ? "xpsnr_u" : "xpsnr_v";
        double total = 0.0;
        for (unsigned block = 0; block < 12 * 12; block++)
            total += 16.0 * error * error * (1.0 / 200.0);
        assert_true(scoring_score(s, name) == level(samples, 255, floor(total * scale + 0.5)));
    }
    scoring_close(s);
}

static void chroma_is_optional(void **state)
{
    Scoring *s;
    assert_int_equal(
        open_pair(&s, "enable_chroma=false", VMAF_PIX_FMT_YUV420P, 10, 64, 48, off_by_tens), 0);
    assert_true(scoring_has(s, "xpsnr_y"));
    assert_false(scoring_has(s, "xpsnr_u"));
    assert_false(scoring_has(s, "xpsnr_v"));
    scoring_close(s);
    assert_int_equal(open_pair(&s, NULL, VMAF_PIX_FMT_YUV420P, 8, 3000, 1, off_by_tens), 0);
    assert_true(scoring_has(s, "xpsnr_y"));
    assert_false(scoring_has(s, "xpsnr_u"));
    scoring_close(s);
}

static void equal_pictures_score_infinity(void **state)
{
    static const unsigned sizes[][2] = { { 1, 1 }, { 44, 46 }, { 64, 48 } };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        Scoring *s;
        assert_int_equal(
            open_pair(&s, NULL, VMAF_PIX_FMT_YUV444P, 12, sizes[i][0], sizes[i][1], hundred), 0);
        assert_true(isinf(scoring_score(s, "xpsnr_y")) && scoring_score(s, "xpsnr_y") > 0);
        assert_true(isinf(scoring_score(s, "xpsnr_v")) && scoring_score(s, "xpsnr_v") > 0);
        scoring_close(s);
    }
}

static void every_depth_is_measured(void **state)
{
    for (unsigned bpc = 8; bpc <= 16; bpc++) {
        const double peak = (1u << bpc) - 1;
        Scoring *s;
        assert_int_equal(open_pair(&s, NULL, VMAF_PIX_FMT_YUV400P, bpc, 40, 40, off_by_tens), 0);
        assert_true(scoring_score(s, "xpsnr_y") == level(1600, peak, 160000.0));
        scoring_close(s);
        /* 144 blocks of 4x4, whose activity is 200, or the least one of the depth. */
        const double scale =
            sqrt(16.0 * ldexp(1, 2 * (int)bpc - 9) / sqrt(48 * 48 / (3840.0 * 2160.0)));
        const double weight = 1.0 / fmax(200.0, ldexp(1, (int)bpc - 6));
        double total = 0.0;
        for (unsigned i = 0; i < 144; i++)
            total += 1600.0 * weight;
        assert_int_equal(open_pair(&s, NULL, VMAF_PIX_FMT_YUV400P, bpc, 48, 48, off_by_tens), 0);
        assert_true(scoring_score(s, "xpsnr_y") ==
                    level(48 * 48, peak, trunc(total * scale + 0.5)));
        scoring_close(s);
    }
}

static void other_rates_are_refused(void **state)
{
    VmafContext *vmaf;
    VmafFeatureDictionary *dict = NULL;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_NONE }), 0);
    assert_int_equal(vmaf_feature_dictionary_set(&dict, "fps", "1001"), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "xpsnr", dict), -EINVAL);
    vmaf_feature_dictionary_free(&dict);
    vmaf_close(vmaf);
}

TEST_MAIN(xpsnr)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_pictures_have_no_weights),
        cmocka_unit_test(flat_frames_have_equal_weights),
        cmocka_unit_test(chroma_is_optional),
        cmocka_unit_test(equal_pictures_score_infinity),
        cmocka_unit_test(every_depth_is_measured),
        cmocka_unit_test(other_rates_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
