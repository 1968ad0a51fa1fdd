/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The float features: the code they share (kernels, resampling, rows on demand), and input they
 * refuse. */
#include <errno.h>
#include <math.h>

#include "engine/scores.h"
#include "feature/common/plane.h"
#include "feature/common/float_rows.h"
#include "feature/float_adm/float_adm.h"
#include "feature/scoring.h"
#include "testing.h"

static unsigned noise(unsigned p, unsigned x, unsigned y)
{
    return (x * 2654435761u ^ (y + 7 * p) * 2246822519u) * 3266489917u >> 24;
}

static unsigned other_noise(unsigned p, unsigned x, unsigned y)
{
    return noise(p, x + 3, y + 11) / 2 + noise(p, x, y) / 2;
}

/* ---- kernels ---- */

static void lengths_of_kernels(void **state)
{
    static const struct {
        double factor;
        unsigned length[5];
    } rows[] = {
        { 1.0, { 17, 9, 5, 3, 3 } },        { 0.5, { 9, 5, 3, 3, 3 } },
        { 1.5, { 27, 15, 9, 5, 3 } },       { 2.0, { 35, 19, 11, 7, 5 } },
        { 3.0, { 51, 27, 15, 9, 7 } },      { 1.0005, { 19, 11, 7, 5, 3 } },
        { 3.71134, { 65, 35, 19, 13, 9 } },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(gauss_factor_allowed(rows[i].factor));
        for (unsigned s = 0; s < 5; s++)
            assert_int_equal(gauss_length(s, rows[i].factor), rows[i].length[s]);
    }
    assert_false(gauss_factor_allowed(1.3));
    assert_false(gauss_factor_allowed(0.1));
}

static void taps_of_kernels(void **state)
{
    static const float want[9] = { 0.0189780816f, 0.0558981709f, 0.120920911f,
                                   0.192116067f,  0.224173561f,  0.192116067f,
                                   0.120920911f,  0.0558981709f, 0.0189780816f };
    float taps[9];
    gauss_fill(taps, 9, 9.0f / 5.0f);
    assert_memory_equal(taps, want, sizeof(want));
}

/* ---- resampling ---- */

/* Row y of a 6x5 ramp, resampled to w x h. */
static void resampled_row(enum ResampleMethod method, unsigned w, unsigned h, unsigned y,
                          float *out)
{
    float plane[5][6];
    for (unsigned i = 0; i < 5; i++) {
        for (unsigned j = 0; j < 6; j++)
            plane[i][j] = (float)(10 * i + j);
    }
    Resampler *rs;
    assert_int_equal(resampler_create(&rs, method, 6, 5, w, h), 0);
    assert_int_equal(resampler_width(rs), w);
    assert_int_equal(resampler_height(rs), h);
    unsigned at[RESAMPLE_MAX_TAPS];
    const float *rows[RESAMPLE_MAX_TAPS];
    const unsigned count = resampler_rows(rs, y, at);
    for (unsigned k = 0; k < count; k++) {
        assert_in_range(at[k], 0, 4);
        rows[k] = plane[at[k]];
    }
    resampler_row(rs, out, y, rows);
    resampler_destroy(rs);
}

static void resampling_follows_a_ramp(void **state)
{
    float out[12];
    resampled_row(RESAMPLE_NEAREST, 3, 5, 2, out);
    assert_true(out[0] == 20.0f && out[1] == 22.0f && out[2] == 24.0f);
    resampled_row(RESAMPLE_BILINEAR, 3, 5, 2, out);
    assert_true(out[0] == 20.5f && out[1] == 22.5f && out[2] == 24.5f);
    for (int method = RESAMPLE_BILINEAR; method <= RESAMPLE_LANCZOS4; method++) {
        resampled_row(method, 12, 5, 2, out);
        for (int x = 4; x < 8; x++) /* far from the borders a ramp stays one */
            assert_true(fabsf(out[x] - (20.0f + ((float)x + 0.5f) / 2.0f - 0.5f)) < 0.1f);
    }
    assert_int_equal(resample_method("bicubic"), RESAMPLE_BICUBIC);
    assert_int_equal(resample_method("spline"), -EINVAL);
}

/* Rows of a plane of one sample: every tap must stay inside. */
static void resampling_tiny_planes(void **state)
{
    for (int method = RESAMPLE_NEAREST; method <= RESAMPLE_LANCZOS4; method++) {
        Resampler *rs;
        assert_int_equal(resampler_create(&rs, method, 1, 2, 3, 7), 0);
        for (unsigned y = 0; y < 7; y++) {
            unsigned at[RESAMPLE_MAX_TAPS];
            const float row[1] = { 5.0f };
            const float *rows[RESAMPLE_MAX_TAPS];
            const unsigned count = resampler_rows(rs, y, at);
            for (unsigned k = 0; k < count; k++) {
                assert_in_range(at[k], 0, 1);
                rows[k] = row;
            }
            float out[3];
            resampler_row(rs, out, y, rows);
            assert_true(fabsf(out[1] - 5.0f) < 0.01f);
        }
        resampler_destroy(rs);
    }
}

/* ---- rows on demand, filters, totals ---- */

static void rows_come_in_any_order(void **state)
{
    enum { W = 37, H = 23 };
    static uint16_t samples[2][H][W];
    for (unsigned y = 0; y < H; y++) {
        for (unsigned x = 0; x < W; x++) {
            samples[0][y][x] = (uint16_t)(4 * noise(0, x, y) + 1);
            samples[1][y][x] = (uint16_t)(4 * noise(1, x, y) + 2);
        }
    }
    FloatDsp dsp;
    float_dsp_init(&dsp, 10, 0);
    const FloatRowsParams params = {
        .dsp = &dsp, .w = W, .h = H, .bpc = 10, .offset = -128.0f, .window = 5
    };
    FloatRows *rows;
    assert_int_equal(float_rows_create(&rows, &params), 0);
    float_rows_bind(rows, samples[0], sizeof(samples[0][0]));
    for (unsigned i = 0; i < 200; i++) {
        const unsigned y = noise(2, i, 0) % H, x = noise(3, i, 1) % W;
        assert_true(float_rows_get(rows, y)[x] == (float)samples[0][y][x] / 4.0f - 128.0f);
    }
    float_rows_bind_difference(rows, samples[0], sizeof(samples[0][0]), samples[1],
                               sizeof(samples[0][0]));
    for (unsigned y = 0; y < H; y++)
        assert_true(float_rows_get(rows, y)[5] ==
                    ((float)samples[0][y][5] - (float)samples[1][y][5]) / 4.0f);
    float_rows_destroy(rows);
}

static void totals_are_added_row_by_row(void **state)
{
    enum { W = 70 };
    FloatDsp dsp;
    float_dsp_init(&dsp, 8, 0);
    for (unsigned h = 0; h < 20; h++) {
        FloatTotal total;
        float want = 0.0f;
        assert_int_equal(float_total_init(&total, &dsp, W), 0);
        float_total_start(&total, W);
        for (unsigned y = 0; y < h; y++) {
            float *row = float_total_row(&total), sum = 0.0f;
            for (unsigned x = 0; x < W; x++)
                sum += row[x] = (float)noise(0, x, y) * 0.1f;
            want += sum;
            float_total_add(&total);
        }
        assert_true(float_total_finish(&total) == want);
        float_total_free(&total);
    }
}

/* ---- whole features ---- */

static VmafPicture picture(unsigned bpc, unsigned w, unsigned h, SampleOf *value)
{
    return scoring_picture(VMAF_PIX_FMT_YUV400P, bpc, w, h, value);
}

static int verdict(const char *feature, const char *options, unsigned bpc, unsigned w, unsigned h)
{
    Scoring *s;
    const int err = scoring_open(&s, feature, options, picture(bpc, w, h, noise),
                                 picture(bpc, w, h, other_noise));
    scoring_close(s);
    return err;
}

static void small_pictures_are_refused(void **state)
{
    assert_int_equal(verdict("float_vif", NULL, 8, 16, 16), 0);
    assert_int_equal(verdict("float_vif", NULL, 8, 15, 16), -EINVAL);
    assert_int_equal(verdict("float_vif", NULL, 8, 16, 15), -EINVAL);
    assert_int_equal(verdict("float_vif", "vif_prescale=0.5", 8, 32, 31), 0);
    assert_int_equal(verdict("float_vif", "vif_prescale=0.5", 8, 32, 30), -EINVAL);
    assert_int_equal(verdict("float_vif", "vif_kernelscale=2", 8, 32, 32), 0);
    assert_int_equal(verdict("float_vif", "vif_kernelscale=2", 8, 31, 32), -EINVAL);
    assert_int_equal(verdict("float_adm", NULL, 8, 17, 17), 0);
    assert_int_equal(verdict("float_adm", NULL, 8, 16, 17), -EINVAL);
    assert_int_equal(verdict("float_adm", NULL, 8, 17, 16), -EINVAL);
    assert_int_equal(verdict("float_motion", NULL, 8, 3, 3), 0);
    assert_int_equal(verdict("float_motion", NULL, 8, 2, 3), -EINVAL);
    assert_int_equal(verdict("float_motion", NULL, 8, 3, 2), -EINVAL);
}

static void odd_depths_are_refused(void **state)
{
    static const char *const features[] = { "float_vif", "float_adm", "float_motion" };
    for (size_t i = 0; i < COUNT(features); i++) {
        for (unsigned bpc = 8; bpc <= 16; bpc++) {
            const bool known = bpc == 8 || bpc == 10 || bpc == 12 || bpc == 16;
            assert_int_equal(verdict(features[i], NULL, bpc, 32, 32), known ? 0 : -EINVAL);
        }
    }
}

static void bad_options_are_refused(void **state)
{
    assert_int_equal(verdict("float_vif", "vif_kernelscale=1.3", 8, 64, 64), -EINVAL);
    assert_int_equal(verdict("float_vif", "vif_prescale_method=area", 8, 64, 64), -EINVAL);
    assert_int_equal(
        verdict("float_vif", "vif_prescale=4:vif_prescale_method=bilinear", 8, 2000, 20), -EINVAL);
    assert_int_equal(verdict("float_motion", "motion_add_uv=true", 8, 64, 64), -EINVAL);
    assert_int_equal(verdict("float_motion", "motion_add_scale1=true", 8, 15368, 4), -EINVAL);
}

static void equal_pictures(void **state)
{
    assert_true(score_of("float_adm", NULL, picture(8, 80, 60, noise), picture(8, 80, 60, noise),
                         "VMAF_feature_adm2_score") > 0.9999);
    assert_true(score_of("float_vif", NULL, picture(8, 80, 60, noise), picture(8, 80, 60, noise),
                         "VMAF_feature_vif_scale0_score") > 0.9999);
    assert_true(score_of("float_motion", NULL, picture(8, 80, 60, noise), picture(8, 80, 60, noise),
                         "VMAF_feature_motion3_score") == 0.0);
}

/* ---- areas ---- */

/* The largest pictures have more samples than fit 32 bits. Energies below a limit that is
 * proportional to the area count as none: a picture without detail has lost none. */
static void areas_beyond_32_bits(void **state)
{
    assert_true(plane_area(65536, 65536) == UINT64_C(4294967296));
    Dict *options = NULL;
    Feature *f;
    ScoreStore *scores;
    double adm2;
    assert_int_equal(0, dict_set(&options, "adm_noise_weight", "0"));
    assert_int_equal(0, feature_create(&f, feature_find("float_adm"), options));
    assert_int_equal(0, scores_create(&scores));
    assert_int_equal(0, shape_init(&f->shape, VMAF_PIX_FMT_YUV400P, 8, 65536, 65536));
    f->scores = scores;
    assert_int_equal(0, f->def->init(f));
    FloatAdmResult result = { 0 };
    result.sum[0][ADM_DEN][ADM_H] = 1e-24f;
    assert_int_equal(0, f->def->report(f, &(FrameId){ 0 }, &result));
    assert_int_equal(0, scores_get(scores, "adm2_nw_0", 0, &adm2));
    assert_true(adm2 == 1.0);
    f->def->close(f);
    feature_destroy(f);
    scores_destroy(scores);
}

TEST_MAIN(float)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_of_kernels),         cmocka_unit_test(taps_of_kernels),
        cmocka_unit_test(resampling_follows_a_ramp),  cmocka_unit_test(resampling_tiny_planes),
        cmocka_unit_test(rows_come_in_any_order),     cmocka_unit_test(totals_are_added_row_by_row),
        cmocka_unit_test(small_pictures_are_refused), cmocka_unit_test(odd_depths_are_refused),
        cmocka_unit_test(bad_options_are_refused),    cmocka_unit_test(equal_pictures),
        cmocka_unit_test(areas_beyond_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
