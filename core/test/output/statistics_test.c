/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Statistics of scores, against figures that a pencil gives. */
#include <errno.h>
#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "libvmaf/report.h"
#include "testing.h"

static VmafStatistics taken(const double *scores, size_t count)
{
    VmafStatistics s = { .size = sizeof(s) };
    assert_int_equal(vmaf_statistics(scores, count, &s), 0);
    return s;
}

static void assert_double(double got, double want)
{
    if (!(got == want))
        fail_msg("%.17g, not %.17g", got, want);
}

static void figures_of_a_short_list(void **state)
{
    const double scores[] = { 4.0, 1.0, 3.0, 2.0, 10.0 };
    const VmafStatistics s = taken(scores, COUNT(scores));
    assert_double(s.min, 1.0);
    assert_double(s.max, 10.0);
    assert_double(s.mean, 4.0);
    assert_double(s.stddev, sqrt(50.0 / 5.0));
    assert_double(s.percentile[0], 1.0);
    assert_double(s.percentile[25], 2.0);
    assert_double(s.percentile[50], 3.0);
    assert_double(s.percentile[75], 4.0);
    assert_double(s.percentile[90], 4.0 + 6.0 * (90.0 * 4.0 / 100.0 - 3.0)); /* between 4 and 10 */
    assert_double(s.percentile[100], 10.0);
    const double sum = 1.0 / 5.0 + 1.0 / 2.0 + 1.0 / 4.0 + 1.0 / 3.0 + 1.0 / 11.0;
    assert_double(s.harmonic_mean, 5 / sum - 1.0);
}

static void one_score_is_all_of_them(void **state)
{
    const double score = 77.5;
    const VmafStatistics s = taken(&score, 1);
    for (unsigned i = 0; i <= 100; i++)
        assert_double(s.percentile[i], 77.5);
    assert_double(s.mean, 77.5);
    assert_double(s.stddev, 0.0);
}

/* To the last bit. */
static void means_are_those_of_the_context(void **state)
{
    enum { FRAMES = 257 };
    static const struct {
        enum VmafPoolingMethod method;
        size_t at;
    } cases[] = { { VMAF_POOL_METHOD_MIN, offsetof(VmafStatistics, min) },
                  { VMAF_POOL_METHOD_MAX, offsetof(VmafStatistics, max) },
                  { VMAF_POOL_METHOD_MEAN, offsetof(VmafStatistics, mean) },
                  { VMAF_POOL_METHOD_HARMONIC_MEAN, offsetof(VmafStatistics, harmonic_mean) } };
    double scores[FRAMES], pooled;
    VmafContext *vmaf;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    for (unsigned i = 0; i < FRAMES; i++) {
        scores[i] = 50.0 + 50.0 * sin(i * 1.7);
        assert_int_equal(vmaf_import_feature_score(vmaf, "mine", scores[i], i), 0);
    }
    const VmafStatistics s = taken(scores, FRAMES);
    for (unsigned i = 0; i < COUNT(cases); i++) {
        assert_int_equal(
            vmaf_feature_score_pooled(vmaf, "mine", cases[i].method, &pooled, 0, FRAMES - 1), 0);
        assert_double(*(const double *)((const char *)&s + cases[i].at), pooled);
    }
    vmaf_close(vmaf);
}

static void odd_scores_spoil_only_some_figures(void **state)
{
    const double with_nan[] = { 1.0, (double)NAN, 3.0 }, infinite[] = { INFINITY, 1.0, INFINITY };
    VmafStatistics s = taken(with_nan, COUNT(with_nan));
    assert_true(isnan(s.mean) && isnan(s.stddev));
    for (unsigned i = 0; i <= 100; i++)
        assert_true(isnan(s.percentile[i]));
    s = taken(infinite, COUNT(infinite));
    assert_double(s.percentile[0], 1.0);
    assert_double(s.percentile[50], INFINITY);
    assert_double(s.percentile[100], INFINITY);
}

static void missing_memory_is_an_error(void **state)
{
    const double score = 1.0;
    VmafStatistics s = { .size = sizeof(s) };
    mem_fail_after(1);
    assert_int_equal(vmaf_statistics(&score, 1, &s), -ENOMEM);
    mem_fail_after(0);
}

TEST_MAIN(statistics)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_a_short_list),
        cmocka_unit_test(one_score_is_all_of_them),
        cmocka_unit_test(means_are_those_of_the_context),
        cmocka_unit_test(odd_scores_spoil_only_some_figures),
        cmocka_unit_test(missing_memory_is_an_error),
    };
    log_set_level(VMAF_LOG_LEVEL_NONE);
    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
