/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* adm: pictures and viewing conditions that it refuses, and scores without energy. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/feature.h"
#include "feature/scoring.h"
#include "testing.h"

#define FRAMES 4

static unsigned grey(unsigned p, unsigned x, unsigned y)
{
    return 128;
}

static int read_pair(VmafContext *vmaf, unsigned index)
{
    VmafPicture ref = scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 32, 32, grey);
    VmafPicture dist = scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 32, 32, grey);
    const int err = vmaf_read_pictures(vmaf, &ref, &dist, index);
    if (err) {
        vmaf_picture_unref(&ref);
        vmaf_picture_unref(&dist);
    }
    return err;
}

/* Reads all pairs, which adm refuses, and redirects standard error to `log` meanwhile. */
static void read_too_close(FILE *log)
{
    VmafContext *vmaf;
    VmafFeatureDictionary *options = NULL;
    const VmafConfiguration cfg = { .log_level = VMAF_LOG_LEVEL_ERROR };
    assert_int_equal(0, vmaf_init(&vmaf, cfg));
    assert_int_equal(0, vmaf_feature_dictionary_set(&options, "adm_norm_view_dist", "1"));
    assert_int_equal(0, vmaf_use_feature(vmaf, "adm", options));
    fflush(stderr);
    const int before = dup(2);
    assert_true(before >= 0 && dup2(fileno(log), 2) == 2);
    int err[FRAMES];
    for (unsigned i = 0; i < FRAMES; i++)
        err[i] = read_pair(vmaf, i);
    fflush(stderr);
    assert_int_equal(2, dup2(before, 2));
    close(before);
    for (unsigned i = 0; i < FRAMES; i++)
        assert_int_equal(-EINVAL, err[i]);
    vmaf_close(vmaf);
}

/* adm refuses every frame, and logs that once. */
static void too_close_is_logged_once(void **state)
{
    char said[4096];
    FILE *log = tmpfile();
    assert_non_null(log);
    read_too_close(log);
    rewind(log);
    said[fread(said, 1, sizeof(said) - 1, log)] = '\0';
    fclose(log);
    const char *first = strstr(said, "must be 3240 or more");
    assert_non_null(first);
    assert_null(strstr(first + 1, "must be 3240 or more"));
}

static unsigned checks(unsigned p, unsigned x, unsigned y)
{
    return (x ^ y) & 2 ? 100 : 150;
}

/* Without a noise floor a flat reference has no energy to divide by. The scores then say that
 * everything was preserved and nothing was added. */
static void flat_references_have_defined_scores(void **state)
{
    static const struct {
        const char *metric;
        double score;
    } rows[] = {
        { "integer_adm2_nw_0", 1.0 },
        { "integer_aim_nw_0", 0.0 },
        { "integer_adm3_nw_0", 1.0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_true(score_of("adm", "adm_noise_weight=0",
                             scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 64, 64, grey),
                             scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 64, 64, checks),
                             rows[i].metric) == rows[i].score);
    /* with a noise floor the scores are ordinary numbers */
    const double added = score_of(
        "adm", NULL, scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 64, 64, grey),
        scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 64, 64, checks), "VMAF_integer_feature_aim_score");
    assert_true(added > 0.0);
}

static unsigned busy(unsigned p, unsigned x, unsigned y)
{
    return (x * x + 3 * y + (x ^ (7 * y))) & 255;
}

static unsigned dull(unsigned p, unsigned x, unsigned y)
{
    return busy(p, x, y) / 3 + 80;
}

/* Returns a context that has scored one pair with several adm features. */
static VmafContext *score_all(const char *const options[][2][2], size_t count, unsigned threads)
{
    VmafContext *vmaf;
    const VmafConfiguration cfg = { .log_level = VMAF_LOG_LEVEL_ERROR, .n_threads = threads };
    assert_int_equal(0, vmaf_init(&vmaf, cfg));
    for (size_t i = 0; i < count; i++) {
        VmafFeatureDictionary *dict = NULL;
        for (size_t o = 0; o < 2 && options[i][o][0]; o++)
            assert_int_equal(
                0, vmaf_feature_dictionary_set(&dict, options[i][o][0], options[i][o][1]));
        assert_int_equal(0, vmaf_use_feature(vmaf, "adm", dict));
    }
    VmafPicture ref = scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 131, 203, busy);
    VmafPicture dist = scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 131, 203, dull);
    assert_int_equal(0, vmaf_read_pictures(vmaf, &ref, &dist, 0));
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    return vmaf;
}

static double score_in(VmafContext *vmaf, const char *metric)
{
    double score;
    assert_int_equal(0, vmaf_feature_score_at_index(vmaf, metric, &score, 0));
    return score;
}

/* Several adm features in one context share work, and their scores are those that each has
 * alone. */
static void neighbours_change_no_score(void **state)
{
    static const char *const options[][2][2] = {
        { { NULL } },
        { { "adm_norm_view_dist", "5" } },
        { { "adm_norm_view_dist", "6.5" }, { "debug", "true" } },
        { { "adm_norm_view_dist", "1.5" }, { "adm_ref_display_height", "2160" } },
        { { "adm_csf_mode", "1" }, { "adm_noise_weight", "0.5" } },
        { { "adm_skip_scale0", "true" } },
        { { "adm_enhn_gain_limit", "1.5" } },
        { { "adm_enhn_gain_limit", "1" }, { "adm_norm_view_dist", "7" } },
        { { "adm_csf_mode", "2" }, { "adm_min_val", "0.99" } },
    };
    static const char *const metrics[] = {
        "VMAF_integer_feature_adm2_score",
        "VMAF_integer_feature_aim_score",
        "integer_adm3_nvd_5",
        "integer_aim_nvd_5",
        "integer_adm_scale2_nvd_5",
        "integer_adm2_nvd_6.5",
        "integer_adm_num_scale1_nvd_6.5",
        "integer_adm_den_nvd_6.5",
        "integer_adm2_nvd_1.5_rdh_2160",
        "integer_aim_nvd_1.5_rdh_2160",
        "integer_adm2_csf_1_nw_0.5",
        "integer_adm2_ssz",
        "integer_adm2_egl_1.5",
        "integer_aim_egl_1_nvd_7",
        "integer_adm3_csf_2_min_0.99",
    };
    VmafContext *alone[COUNT(options)];
    for (size_t i = 0; i < COUNT(options); i++)
        alone[i] = score_all(&options[i], 1, 0);
    for (unsigned threads = 0; threads < 4; threads += 3) {
        VmafContext *const all = score_all(options, COUNT(options), threads);
        for (size_t m = 0; m < COUNT(metrics); m++) {
            double score;
            size_t i = 0;
            while (vmaf_feature_score_at_index(alone[i], metrics[m], &score, 0))
                assert_true(++i < COUNT(options));
            assert_true(score_in(all, metrics[m]) == score);
        }
        vmaf_close(all);
    }
    for (size_t i = 0; i < COUNT(options); i++)
        vmaf_close(alone[i]);
}

static bool joins(const char *key, const char *value)
{
    const FeatureDef *const adm = feature_find("adm");
    Feature *usual, *other;
    Dict *dict = NULL;
    assert_int_equal(0, dict_set(&dict, key, value));
    assert_int_equal(0, feature_create(&usual, adm, NULL));
    assert_int_equal(0, feature_create(&other, adm, dict));
    const bool does = adm->can_join(usual, other);
    assert_true(adm->can_join(other, usual) == does);
    feature_destroy(usual);
    feature_destroy(other);
    return does;
}

/* Features share a transform only if they differ in steps after it. */
static void distances_share_a_transform(void **state)
{
    static const char *const shared[][2] = {
        { "adm_norm_view_dist", "5" }, { "adm_ref_display_height", "2160" },
        { "adm_csf_mode", "2" },       { "adm_csf_scale", "0.5" },
        { "adm_noise_weight", "1" },   { "adm_dlm_weight", "0.7" },
        { "adm_min_val", "0.5" },      { "debug", "true" },
    };
    static const char *const apart[][2] = {
        { "adm_norm_view_dist", "2" }, /* an error of each frame, not of the option */
        { "adm_enhn_gain_limit", "1" },
        { "adm_skip_scale0", "true" },
        { "adm_skip_aim", "true" },
    };
    for (size_t i = 0; i < COUNT(shared); i++)
        assert_true(joins(shared[i][0], shared[i][1]));
    for (size_t i = 0; i < COUNT(apart); i++)
        assert_false(joins(apart[i][0], apart[i][1]));
}

/* adm_norm_view_dist_extra gives the scores of a second adm at that distance, and does not appear
 * in names. */
static void a_second_distance_is_a_second_feature(void **state)
{
    static const char *const extra[][2][2] = { { { "adm_norm_view_dist_extra", "5" } } };
    static const char *const both[][2][2] = { { { NULL } }, { { "adm_norm_view_dist", "5" } } };
    static const char *const same[][2][2] = { { { "adm_norm_view_dist_extra", "3" } } };
    static const char *const metrics[] = { "VMAF_integer_feature_adm2_score",
                                           "integer_adm_scale0",
                                           "integer_adm2_nvd_5",
                                           "integer_aim_nvd_5",
                                           "integer_adm3_nvd_5",
                                           "integer_adm_scale0_nvd_5",
                                           "integer_adm_scale3_nvd_5" };
    VmafContext *const one = score_all(extra, 1, 0), *const two = score_all(both, 2, 0);
    for (size_t i = 0; i < COUNT(metrics); i++)
        assert_true(score_in(one, metrics[i]) == score_in(two, metrics[i]));
    assert_true(score_in(one, metrics[0]) != score_in(one, metrics[2]));
    vmaf_close(one);
    vmaf_close(two);
    VmafContext *const lone = score_all(same, 1, 0);
    score_in(lone, metrics[0]);
    vmaf_close(lone);
}

/* A distance that adm_norm_view_dist refuses is refused, and the caller keeps the options. */
static void bad_second_distances_are_refused(void **state)
{
    static const char *const bad[] = { "0.5", "25", "-1" };
    VmafContext *vmaf;
    const VmafConfiguration cfg = { .log_level = VMAF_LOG_LEVEL_NONE };
    assert_int_equal(0, vmaf_init(&vmaf, cfg));
    for (size_t i = 0; i < COUNT(bad); i++) {
        VmafFeatureDictionary *dict = NULL;
        assert_int_equal(0, vmaf_feature_dictionary_set(&dict, "adm_norm_view_dist_extra", bad[i]));
        assert_int_equal(-EINVAL, vmaf_use_feature(vmaf, "adm", dict));
        assert_int_equal(0, vmaf_feature_dictionary_free(&dict));
    }
    vmaf_close(vmaf);
}

TEST_MAIN(adm)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_close_is_logged_once),
        cmocka_unit_test(flat_references_have_defined_scores),
        cmocka_unit_test(neighbours_change_no_score),
        cmocka_unit_test(distances_share_a_transform),
        cmocka_unit_test(a_second_distance_is_a_second_feature),
        cmocka_unit_test(bad_second_distances_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
