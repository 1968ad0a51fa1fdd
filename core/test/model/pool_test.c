/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pooling of stored scores. */
#include "fixture.h"

#include <errno.h>
#include <limits.h>

static ScoreStore *store_of(const double *values, unsigned count, unsigned step)
{
    ScoreStore *scores;
    assert_int_equal(scores_create(&scores), 0);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(scores_set(scores, "m", i * step, values[i], NULL), 0);
    return scores;
}

static double pooled(ScoreStore *scores, enum VmafPoolingMethod method, unsigned low, unsigned high,
                     unsigned subsample)
{
    double score;
    assert_int_equal(score_pool(scores, "m", method, low, high, subsample, &score), 0);
    return score;
}

static void methods(void **state)
{
    static const double values[] = { 30.0, 10.0, 20.0, 0.1 };
    ScoreStore *scores = store_of(values, 4, 1);
    assert_true(pooled(scores, VMAF_POOL_METHOD_MIN, 0, 2, 0) == 10.0);
    assert_true(pooled(scores, VMAF_POOL_METHOD_MAX, 1, 2, 1) == 20.0);
    assert_true(pooled(scores, VMAF_POOL_METHOD_MEAN, 0, 3, 1) == (30.0 + 10.0 + 20.0 + 0.1) / 4);
    assert_true(pooled(scores, VMAF_POOL_METHOD_HARMONIC_MEAN, 0, 1, 1) ==
                2 / (1 / 31.0 + 1 / 11.0) - 1);
    assert_true(pooled(scores, VMAF_POOL_METHOD_MEAN, 3, 3, 1) == 0.1);
    scores_destroy(scores);
}

/* If subsampling skips the first index, 0 must not become the smallest score. */
static void subsampling_starts_from_the_first_kept(void **state)
{
    static const double values[] = { 50.0, 40.0, 60.0 };
    ScoreStore *scores = store_of(values, 3, 3);
    assert_true(pooled(scores, VMAF_POOL_METHOD_MIN, 1, 8, 3) == 40.0);
    assert_true(pooled(scores, VMAF_POOL_METHOD_MAX, 1, 8, 3) == 60.0);
    assert_true(pooled(scores, VMAF_POOL_METHOD_MEAN, 0, 8, 3) == 50.0);
    scores_destroy(scores);
}

static void negative_scores_have_a_maximum(void **state)
{
    static const double values[] = { -5.0, -2.0 };
    ScoreStore *scores = store_of(values, 2, 1);
    assert_true(pooled(scores, VMAF_POOL_METHOD_MAX, 0, 1, 0) == -2.0);
    scores_destroy(scores);
}

static void errors(void **state)
{
    static const double values[] = { 50.0, 40.0, 60.0 };
    ScoreStore *scores = store_of(values, 3, 1);
    double score = 7.0;
    const enum VmafPoolingMethod mean = VMAF_POOL_METHOD_MEAN;
    assert_int_equal(score_pool(scores, "m", mean, 1, 0, 0, &score), -EINVAL);
    assert_int_equal(score_pool(scores, "m", mean, 0, 3, 0, &score), -EINVAL);
    assert_int_equal(score_pool(scores, "m", mean, 0, UINT_MAX, 0, &score), -EINVAL);
    assert_int_equal(score_pool(scores, "n", mean, 0, 1, 0, &score), -EINVAL);
    assert_int_equal(score_pool(scores, "m", mean, 1, 2, 5, &score), -EINVAL); /* all skipped */
    assert_int_equal(score_pool(scores, "m", mean, UINT_MAX, UINT_MAX, 2, &score), -EINVAL);
    assert_int_equal(score_pool(scores, "m", VMAF_POOL_METHOD_UNKNOWN, 0, 1, 0, &score), -EINVAL);
    assert_int_equal(score_pool(scores, "m", VMAF_POOL_METHOD_NB, 0, 1, 0, &score), -EINVAL);
    assert_int_equal(score_pool(scores, NULL, mean, 0, 1, 0, &score), -EINVAL);
    assert_int_equal(score_pool(scores, "m", mean, 0, 1, 0, NULL), -EINVAL);
    assert_true(score == 7.0);
    scores_destroy(scores);
}

TEST_MAIN(pool)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods),
        cmocka_unit_test(subsampling_starts_from_the_first_kept),
        cmocka_unit_test(negative_scores_have_a_maximum),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
