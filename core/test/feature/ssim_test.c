/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ssim, float_ssim and float_ms_ssim: equal pictures, pictures smaller than the window, scores in
 * dB; and ssim against its definition. */
#include <errno.h>
#include <math.h>

#include "base/decimal.h"
#include "feature/scoring.h"
#include "testing.h"

static unsigned bpc_of_noise = 8;

static unsigned noise(unsigned p, unsigned x, unsigned y)
{
    const unsigned v = (x * 2654435761u ^ (y + 7 * p) * 2246822519u) * 3266489917u >> 16;
    return v >> (16 - bpc_of_noise);
}

static unsigned other_noise(unsigned p, unsigned x, unsigned y)
{
    return noise(p, x + 3, y + 11) / 2 + noise(p, x, y) / 2;
}

static VmafPicture picture(unsigned w, unsigned h, SampleOf *value)
{
    return scoring_picture(VMAF_PIX_FMT_YUV400P, bpc_of_noise, w, h, value);
}

static void equal_pictures_score_one(void **state)
{
    assert_true(score_of("float_ssim", NULL, picture(31, 20, noise), picture(31, 20, noise),
                         "float_ssim") == 1.0);
    assert_true(score_of("float_ms_ssim", NULL, picture(176, 176, noise), picture(176, 176, noise),
                         "float_ms_ssim") == 1.0);
    assert_true(score_of("ssim", NULL, picture(5, 3, noise), picture(5, 3, noise), "ssim") == 1.0);
}

/* The number of window positions is (w - 10) * (h - 10), with the signs of both factors; the sums
 * are zero. */
static void pictures_smaller_than_the_window(void **state)
{
    double score = score_of("float_ssim", "scale=2", picture(16, 16, noise), picture(16, 16, noise),
                            "float_ssim");
    assert_true(score == 0.0 && !signbit(score));
    score = score_of("float_ssim", "scale=2", picture(16, 40, noise), picture(16, 40, noise),
                     "float_ssim");
    assert_true(score == 0.0 && signbit(score));
    score = score_of("float_ssim", "scale=2", picture(20, 40, noise), picture(20, 40, noise),
                     "float_ssim");
    assert_true(isnan(score));
    score = score_of("float_ssim", "scale=10", picture(8, 8, noise), picture(8, 8, noise),
                     "float_ssim");
    assert_true(score == 0.0);
}

static void small_pictures_are_refused_by_ms_ssim(void **state)
{
    static const unsigned sizes[][2] = { { 175, 176 }, { 176, 175 } };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        Scoring *s;
        assert_int_equal(scoring_open(&s, "float_ms_ssim", NULL,
                                      picture(sizes[i][0], sizes[i][1], noise),
                                      picture(sizes[i][0], sizes[i][1], noise)),
                         -EINVAL);
        scoring_close(s);
    }
}

static void decibels(void **state)
{
    const double linear = score_of("float_ssim", NULL, picture(40, 30, noise),
                                   picture(40, 30, other_noise), "float_ssim");
    assert_true(linear > 0.0 && linear < 1.0);
    assert_true(score_of("float_ssim", "enable_db=true", picture(40, 30, noise),
                         picture(40, 30, other_noise),
                         "float_ssim") == -10.0 * decimal_log(1.0 - linear));
    assert_true(isinf(score_of("float_ssim", "enable_db=true", picture(40, 30, noise),
                               picture(40, 30, noise), "float_ssim")));
    /* 10 * log10(255^2 * 2 * 40 * 30) rounded up */
    assert_true(score_of("float_ssim", "enable_db=true:clip_db=true", picture(40, 30, noise),
                         picture(40, 30, noise), "float_ssim") == 82.0);
}

static void terms_are_optional(void **state)
{
    Scoring *s;
    assert_int_equal(scoring_open(&s, "float_ms_ssim", NULL, picture(176, 180, noise),
                                  picture(176, 180, other_noise)),
                     0);
    assert_false(scoring_has(s, "float_ms_ssim_l_scale0"));
    scoring_close(s);
    assert_int_equal(scoring_open(&s, "float_ms_ssim", "enable_lcs=true", picture(176, 180, noise),
                                  picture(176, 180, other_noise)),
                     0);
    assert_true(scoring_has(s, "float_ms_ssim_l_scale0"));
    assert_true(scoring_has(s, "float_ms_ssim_s_scale4"));
    scoring_close(s);
}

/* ssim straight from its definition. */
static double by_definition(const VmafPicture *a, const VmafPicture *b)
{
    static const unsigned taps[9] = { 2, 9, 28, 55, 68, 55, 28, 9, 2 };
    const double peak = (1u << a->bpc) - 1;
    double sum = 0.0, weights = 0.0;
    for (int y = 0; y < (int)a->h[0]; y++) {
        for (int x = 0; x < (int)a->w[0]; x++) {
            uint64_t w = 0, sa = 0, sb = 0, saa = 0, sab = 0, sbb = 0;
            for (int i = y - 4; i <= y + 4; i++) {
                for (int j = x - 4; j <= x + 4; j++) {
                    if (i < 0 || j < 0 || i >= (int)a->h[0] || j >= (int)a->w[0])
                        continue;
                    const uint64_t t = taps[i - y + 4] * taps[j - x + 4];
                    const uint64_t va = scoring_get(a, 0, (unsigned)j, (unsigned)i);
                    const uint64_t vb = scoring_get(b, 0, (unsigned)j, (unsigned)i);
                    w += t;
                    sa += t * va;
                    sb += t * vb;
                    saa += t * va * va;
                    sab += t * va * vb;
                    sbb += t * vb * vb;
                }
            }
            const double W = (double)w, X = (double)sa, Y = (double)sb;
            const double k1 = peak * peak * (0.01 * 0.01) * W * W;
            const double k2 = peak * peak * (0.03 * 0.03) * W * W;
            sum +=
                W * (2 * (X * Y) + k1) * (k2 + 2 * ((double)sab * W - X * Y)) /
                ((X * X + Y * Y + k1) * ((double)saa * W - X * X + (double)sbb * W - Y * Y + k2));
            weights += W;
        }
    }
    return sum / weights;
}

static void ssim_equals_its_definition(void **state)
{
    static const unsigned depths[] = { 8, 10, 16 };
    for (size_t i = 0; i < COUNT(depths); i++) {
        bpc_of_noise = depths[i];
        VmafPicture a = picture(23, 14, noise), b = picture(23, 14, other_noise);
        const double want = by_definition(&a, &b);
        assert_true(score_of("ssim", NULL, a, b, "ssim") == want);
    }
    bpc_of_noise = 8;
}

TEST_MAIN(ssim)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_pictures_score_one),
        cmocka_unit_test(pictures_smaller_than_the_window),
        cmocka_unit_test(small_pictures_are_refused_by_ms_ssim),
        cmocka_unit_test(decibels),
        cmocka_unit_test(terms_are_optional),
        cmocka_unit_test(ssim_equals_its_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
