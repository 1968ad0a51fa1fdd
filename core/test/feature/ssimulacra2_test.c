/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ssimulacra2: check values of its functions, equal and swapped pictures, and what it refuses. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "feature/scoring.h"
#include "feature/ssimulacra2/ssimulacra2.h"
#include "testing.h"

static unsigned noise(unsigned p, unsigned x, unsigned y)
{
    return ((x + 5) * 2654435761u ^ (y + 31 * p + 3) * 2246822519u) * 3266489917u >> 24;
}

static unsigned other_noise(unsigned p, unsigned x, unsigned y)
{
    return noise(p, x, y) ^ (x * 3 + y + p) % 16;
}

static void power_has_its_check_values(void **state)
{
    static const struct {
        double x, result;
    } cases[] = {
        { 1e-6, 0.00017147393701482012 },
        { 0.5, 0.64723716364405837 },
        { 2, 1.5450287099860354 },
        { 86, 16.374057745173314 },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_true(ssimu2_power(cases[i].x, 0.6276336467831387) == cases[i].result);
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static void light_has_its_check_values(void **state)
{
    static const struct {
        uint16_t sample;
        float luma;
        uint32_t bits;
    } cases[] = {
        { 0, 1.0f, 0x00000000 },     { 1, 0.04f, 0x3b4ae5d8 }, { 1, 0.05f, 0x3b80f8e7 },
        { 1, 0.25f, 0x3d506373 },    { 2, 0.25f, 0x3e5b2d99 }, { 3, 0.25f, 0x3f05c3f9 },
        { 65535, 1.0f, 0x3f800000 },
    };
    Ssimu2Dsp dsp;
    ssimu2_dsp_init(&dsp, 16, true, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const Ssimu2Matrix matrix = { .luma = cases[i].luma };
        float light;
        dsp.grey(&light, &cases[i].sample, 1, &matrix);
        assert_int_equal(bits_of(light), cases[i].bits);
    }
}

/* Checks the channels of black, whose three responses are all the cube root of the bias. */
static void black_has_its_xyb(void **state)
{
    const float root = 0x1.3f64eap-3f, zero[1] = { 0.0f };
    const float *const rgb[3] = { zero, zero, zero };
    float x, y, b, *const xyb[3] = { &x, &y, &b };
    Ssimu2Dsp dsp;
    ssimu2_dsp_init(&dsp, 8, false, 0);
    dsp.xyb(xyb, rgb, 1);
    assert_int_equal(bits_of(x), bits_of(0.42f));
    assert_int_equal(bits_of(y), bits_of(root + -0.145954207f));
    assert_int_equal(bits_of(b), bits_of(0.55f));
}

static void equal_pictures_score_100(void **state)
{
    static const enum VmafPixelFormat formats[] = { VMAF_PIX_FMT_YUV400P, VMAF_PIX_FMT_YUV420P,
                                                    VMAF_PIX_FMT_YUV422P, VMAF_PIX_FMT_YUV444P };
    for (size_t i = 0; i < COUNT(formats); i++)
        for (unsigned bpc = 8; bpc <= 16; bpc += 4)
            assert_true(
                score_of("ssimulacra2", NULL, scoring_picture(formats[i], bpc, 61, 35, noise),
                         scoring_picture(formats[i], bpc, 61, 35, noise), "ssimulacra2") == 100.0);
}

static Scoring *scored(const char *options, SampleOf *ref, SampleOf *dist)
{
    Scoring *s;
    assert_int_equal(scoring_open(&s, "ssimulacra2", options,
                                  scoring_picture(VMAF_PIX_FMT_YUV420P, 8, 64, 48, ref),
                                  scoring_picture(VMAF_PIX_FMT_YUV420P, 8, 64, 48, dist)),
                     0);
    return s;
}

static void options_count_and_are_in_names(void **state)
{
    static const char *const names[][2] = {
        { "matrix=bt601", "ssimulacra2_mtx_bt601" },
        { "matrix=bt2020ncl:range=full", "ssimulacra2_mtx_bt2020ncl_rng_full" },
        { "range=full", "ssimulacra2_rng_full" },
        { "prune=true", "ssimulacra2_prn" },
    };
    Scoring *plain = scored("matrix=bt709:range=limited:transfer=srgb", noise, other_noise);
    const double score = scoring_score(plain, "ssimulacra2");
    scoring_close(plain);
    for (size_t i = 0; i < COUNT(names); i++) {
        Scoring *s = scored(names[i][0], noise, other_noise);
        assert_true(scoring_score(s, names[i][1]) != score);
        scoring_close(s);
    }
}

static unsigned widened(unsigned p, unsigned x, unsigned y)
{
    return 4 * noise(p, x, y);
}

static unsigned other_widened(unsigned p, unsigned x, unsigned y)
{
    return 4 * other_noise(p, x, y);
}

static double tagged(const char *options, unsigned bpc, SampleOf *ref, SampleOf *dist)
{
    return score_of("ssimulacra2", options, scoring_picture(VMAF_PIX_FMT_YUV444P, bpc, 40, 32, ref),
                    scoring_picture(VMAF_PIX_FMT_YUV444P, bpc, 40, 32, dist), "ssimulacra2");
}

/* Tags set for each picture what options set for both, and do not appear in names. */
static void tags_stand_for_options(void **state)
{
    const double full = score_of("ssimulacra2", "matrix=bt601:range=full",
                                 scoring_picture(VMAF_PIX_FMT_YUV444P, 8, 40, 32, noise),
                                 scoring_picture(VMAF_PIX_FMT_YUV444P, 8, 40, 32, other_noise),
                                 "ssimulacra2_mtx_bt601_rng_full");
    assert_true(tagged("ref_tags=bt601/full:dist_tags=bt601/full", 8, noise, other_noise) == full);
    assert_true(
        tagged("ref_tags=bt601/full/8:dist_tags=bt601/full/8", 10, widened, other_widened) == full);
    assert_true(tagged("ref_tags=bt601/full/8:dist_tags=bt601/full", 10, widened, other_widened) !=
                full);
    assert_true(tagged("ref_tags=bt601/full", 8, noise, other_noise) != full);
    assert_true(tagged("ref_tags=gbr/full:dist_tags=gbr/full", 8, noise, noise) == 100.0);
}

static void refused(const char *options, unsigned w, unsigned h)
{
    Scoring *s;
    assert_int_equal(scoring_open(&s, "ssimulacra2", options,
                                  scoring_picture(VMAF_PIX_FMT_YUV420P, 8, w, h, noise),
                                  scoring_picture(VMAF_PIX_FMT_YUV420P, 8, w, h, noise)),
                     -EINVAL);
    scoring_close(s);
}

static void other_values_and_small_pictures_are_refused(void **state)
{
    static const char *const values[] = { "matrix=bt470bg",
                                          "matrix=BT709",
                                          "range=tv",
                                          "transfer=bt1886",
                                          "transfer=bt709",
                                          "transfer=pq",
                                          "transfer=hlg",
                                          "ref_tags=bt709",
                                          "ref_tags=bt709/full/9",
                                          "dist_tags=bt709/full/8x",
                                          "dist_tags=bt709/full/7",
                                          "ref_tags=bt709/tv",
                                          "ref_tags=gbr/full",
                                          "matrix=gbr" };
    for (size_t i = 0; i < COUNT(values); i++)
        refused(values[i], 64, 48);
    refused(NULL, 7, 64);
    refused(NULL, 64, 7);
}

TEST_MAIN(ssimulacra2)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_has_its_check_values),
        cmocka_unit_test(light_has_its_check_values),
        cmocka_unit_test(black_has_its_xyb),
        cmocka_unit_test(equal_pictures_score_100),
        cmocka_unit_test(options_count_and_are_in_names),
        cmocka_unit_test(tags_stand_for_options),
        cmocka_unit_test(other_values_and_small_pictures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
