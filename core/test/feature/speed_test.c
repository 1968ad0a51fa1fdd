/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED: linear algebra on matrices with known results, scores, and pictures that it refuses. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "feature/scoring.h"
#include "feature/speed/speed.h"
#include "testing.h"

static unsigned noise(unsigned p, unsigned x, unsigned y)
{
    return (x * 2654435761u ^ (y + 7 * p) * 2246822519u) * 3266489917u >> 24;
}

static unsigned other_noise(unsigned p, unsigned x, unsigned y)
{
    return noise(p, x + 3, y + 11) / 2 + noise(p, x, y) / 2;
}

/* Detail that survives the reduction to a sixteenth. */
static unsigned coarse(unsigned p, unsigned x, unsigned y)
{
    return (3 * noise(p, x / 16, y / 16) + noise(p, x, y)) / 4;
}

static unsigned other_coarse(unsigned p, unsigned x, unsigned y)
{
    return (2 * noise(p, x / 16, y / 16) + 2 * other_noise(p, x, y)) / 4;
}

static unsigned grey(unsigned p, unsigned x, unsigned y)
{
    return 128;
}

static VmafPicture picture(unsigned w, unsigned h, SampleOf *value)
{
    return scoring_picture(VMAF_PIX_FMT_YUV420P, 8, w, h, value);
}

/* ---- linear algebra ---- */

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The matrix of second differences, whose eigenvalues are 2 - 2 cos(k pi / 26). */
static void second_difference(SpeedMatrix c)
{
    memset(c, 0, sizeof(SpeedMatrix));
    for (int i = 0; i < SPEED_BLOCK; i++) {
        c[i][i] = 2.0f;
        if (i > 0)
            c[i][i - 1] = c[i - 1][i] = -1.0f;
    }
}

/* ---- covariance ---- */

/* Noise, or a wave so smooth that products of neighbours nearly cancel, and only rounding noise is
 * left. */
static float wave_or_noise(unsigned trial, unsigned x, unsigned y)
{
    const float small = (float)(noise(trial, x, y) + 256 * noise(trial + 1, y, x)) - 32768.0f;
    if (trial % 2)
        return small / 997.0f;
    return ((x + y) % 4 < 2 ? 31.7f : -31.7f) + small / 0x1p24f;
}

static void covariance_equals_its_definition(void **state)
{
    for (unsigned trial = 0; trial < 120; trial++) {
        SpeedSetup setup = { .blocks_x = 1 + trial % 11, .blocks_y = 1 + trial % 7 };
        setup.small_w = SPEED_EDGE * setup.blocks_x + trial % 5;
        setup.small_h = SPEED_EDGE * setup.blocks_y + trial % 3;
        speed_dsp_init(&setup.speed_dsp, 0);
        float *plane = calloc((size_t)setup.small_w * setup.small_h, sizeof(*plane));
        for (unsigned i = 0; i < setup.small_w * setup.small_h; i++)
            plane[i] = wave_or_noise(trial, i % setup.small_w, i / setup.small_w);
        SpeedCovariance *covariance;
        SpeedMatrix got, want;
        assert_int_equal(0, speed_covariance_create(&covariance, &setup));
        speed_covariance(covariance, plane, got);
        speed_covariance_plainly(&setup, plane, want);
        assert_memory_equal(got, want, sizeof(got));
        speed_covariance_destroy(covariance);
        free(plane);
    }
}

/* ---- linear algebra, on matrices with known results ---- */

static void known_eigenvalues(void **state)
{
    SpeedMatrix c;
    float values[SPEED_BLOCK];
    second_difference(c);
    assert_true(speed_eigenvalues(c, values));
    qsort(values, SPEED_BLOCK, sizeof(*values), ascending);
    for (int k = 1; k <= SPEED_BLOCK; k++) {
        const double want = 2.0 - 2.0 * cos(k * 3.14159265358979 / (SPEED_BLOCK + 1));
        assert_true(fabs(values[k - 1] - want) < 1e-5);
    }
}

static void solutions_satisfy_the_equations(void **state)
{
    enum { COLUMNS = 7, PITCH = 16 };
    SpeedMatrix c;
    static float y[SPEED_BLOCK * PITCH], x[SPEED_BLOCK * PITCH], work[SPEED_BLOCK * PITCH];
    second_difference(c);
    for (unsigned i = 0; i < SPEED_BLOCK * PITCH; i++)
        y[i] = (float)noise(0, i, 3) - 128.0f;
    assert_true(speed_solve(c, y, x, work, PITCH, COLUMNS));
    for (int i = 0; i < SPEED_BLOCK; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            double sum = 0.0;
            for (int k = 0; k < SPEED_BLOCK; k++)
                sum += (double)c[i][k] * x[k * PITCH + j];
            assert_true(fabs(sum - y[i * PITCH + j]) < 0.05);
        }
    }
}

static void singular_matrices_are_detected(void **state)
{
    SpeedMatrix c = { { 0 } };
    float y[SPEED_BLOCK] = { 0 }, x[SPEED_BLOCK], work[SPEED_BLOCK], values[SPEED_BLOCK];
    for (int i = 0; i < SPEED_BLOCK; i++)
        c[i][i] = (float)(SPEED_BLOCK - 1 - i);
    assert_true(speed_eigenvalues(c, values));
    qsort(values, SPEED_BLOCK, sizeof(*values), ascending);
    assert_true(values[0] == 0.0f && values[SPEED_BLOCK - 1] == SPEED_BLOCK - 1);
    assert_false(speed_solve(c, y, x, work, 1, 1));
}

/* ---- scores ---- */

static void known_scores(void **state)
{
    static const struct {
        const char *options, *metric;
        double score;
    } rows[] = {
        { NULL, "Speed_chroma_feature_speed_chroma_u_score", 30.97210693359375 },
        { NULL, "Speed_chroma_feature_speed_chroma_v_score", 33.778110504150391 },
        { NULL, "Speed_chroma_feature_speed_chroma_uv_score", 32.375106811523438 },
        { "speed_weight_var_mode=5:speed_nn_floor=0.1:speed_sigma_nn=0.19:speed_max_val=45",
          "speed_chroma_uv_mxv_45_nnf_0.1_snn_0.19_wvm_5", 29.799640655517578 },
        { "speed_max_val=31", "speed_chroma_v_mxv_31", 31.0 },
        { "speed_prescale=1.5:speed_prescale_method=lanczos4",
          "speed_chroma_uv_ps_1.5_psm_lanczos4", 26.36155891418457 },
        { "speed_kernelscale=1.5", "speed_chroma_uv_ks_1.5", 30.608119964599609 },
        /* so few blocks that the covariance is singular */
        { "speed_prescale=0.6:speed_prescale_method=bilinear",
          "speed_chroma_uv_ps_0.6_psm_bilinear", 0.0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_true(score_of("speed_chroma", rows[i].options, picture(640, 480, coarse),
                             picture(640, 480, other_coarse), rows[i].metric) == rows[i].score);
}

static void equal_pictures_score_zero(void **state)
{
    assert_true(score_of("speed_chroma", NULL, picture(640, 480, coarse), picture(640, 480, coarse),
                         "Speed_chroma_feature_speed_chroma_uv_score") == 0.0);
    assert_true(score_of("speed_chroma", NULL, picture(320, 320, grey), picture(320, 320, grey),
                         "Speed_chroma_feature_speed_chroma_uv_score") == 0.0);
}

static void first_frame_has_no_change(void **state)
{
    assert_true(score_of("speed_temporal", NULL, picture(200, 200, coarse),
                         picture(200, 200, other_coarse),
                         "Speed_temporal_feature_speed_temporal_score") == 0.0);
}

static void score_grey_frames(const char *feature, unsigned count)
{
    VmafContext *vmaf;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_INFO }), 0);
    assert_int_equal(vmaf_use_feature(vmaf, feature, NULL), 0);
    for (unsigned i = 0; i < count; i++) {
        VmafPicture ref = picture(320, 320, grey), dist = picture(320, 320, grey);
        assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, i), 0);
    }
    vmaf_close(vmaf);
}

static void singular_frames_are_logged_once(void **state)
{
    const char *const features[] = { "speed_chroma", "speed_temporal" };
    for (size_t i = 0; i < COUNT(features); i++) {
        FILE *const log = tmpfile();
        const int terminal = dup(STDERR_FILENO);
        assert_true(log && terminal >= 0);
        dup2(fileno(log), STDERR_FILENO);
        score_grey_frames(features[i], 4);
        dup2(terminal, STDERR_FILENO);
        close(terminal);
        rewind(log);
        unsigned lines = 0;
        for (int c; (c = fgetc(log)) != EOF;)
            lines += c == '\n';
        fclose(log);
        assert_int_equal(lines, 1);
    }
}

static int verdict(const char *feature, const char *options, VmafPicture ref, VmafPicture dist)
{
    Scoring *s;
    const int err = scoring_open(&s, feature, options, ref, dist);
    scoring_close(s);
    return err;
}

static void refusals(void **state)
{
    assert_int_equal(
        verdict("speed_chroma", NULL, picture(160, 160, noise), picture(160, 160, noise)), 0);
    assert_int_equal(
        verdict("speed_chroma", NULL, picture(158, 160, noise), picture(158, 160, noise)), -EINVAL);
    assert_int_equal(
        verdict("speed_temporal", NULL, picture(79, 80, noise), picture(79, 80, noise)), -EINVAL);
    assert_int_equal(verdict("speed_chroma", "speed_kernelscale=1.3", picture(320, 320, noise),
                             picture(320, 320, noise)),
                     -EINVAL);
    assert_int_equal(verdict("speed_chroma", "speed_prescale_method=area", picture(320, 320, noise),
                             picture(320, 320, noise)),
                     -EINVAL);
    assert_int_equal(verdict("speed_chroma", NULL,
                             scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 320, 320, noise),
                             scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 320, 320, noise)),
                     -EINVAL);
    assert_int_equal(verdict("speed_chroma", NULL,
                             scoring_picture(VMAF_PIX_FMT_YUV420P, 9, 320, 320, noise),
                             scoring_picture(VMAF_PIX_FMT_YUV420P, 9, 320, 320, noise)),
                     -EINVAL);
}

TEST_MAIN(speed)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covariance_equals_its_definition),
        cmocka_unit_test(known_eigenvalues),
        cmocka_unit_test(solutions_satisfy_the_equations),
        cmocka_unit_test(singular_matrices_are_detected),
        cmocka_unit_test(known_scores),
        cmocka_unit_test(equal_pictures_score_zero),
        cmocka_unit_test(first_frame_has_no_change),
        cmocka_unit_test(singular_frames_are_logged_once),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
