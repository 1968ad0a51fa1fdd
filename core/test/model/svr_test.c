/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The text of a regression: what is read, what is refused, and the value at a point. */
#include "fixture.h"

#include <errno.h>
#include <math.h>

#define HEAD(kind, kernel, total)                                                                  \
    "svm_type " kind "\nkernel_type " kernel "\ngamma 0.5\nnr_class 2\ntotal_sv " total            \
    "\nrho 0.25\n"

static Svr *read(const char *text, unsigned features)
{
    Svr *svr = NULL;
    const char *why;
    assert_int_equal(svr_create(&svr, text, features, &why), 0);
    return svr;
}

static void left_out_values_are_zero(void **state)
{
    Svr *svr = read(HEAD("nu_svr", "rbf", "2") "SV\n-4 2:0.5 \n4 1:1 3:0.25\n", 3);
    const double x[] = { 0.75, 0.5, 2.0 };
    assert_int_equal(svr->width, 3);
    const double first = ((0.75 * 0.75) + 0.0) + 2.0 * 2.0;
    const double second = ((0.25 * 0.25) + 0.5 * 0.5) + 1.75 * 1.75;
    assert_true(svr_predict(svr, x, 3) == (-4 * exp(-0.5 * first) + 4 * exp(-0.5 * second)) - 0.25);
    svr_destroy(svr);
}

static void features_beyond_the_vectors_count(void **state)
{
    Svr *svr = read(HEAD("epsilon_svr", "rbf", "1") "SV\n2 1:0.5\n", 2);
    const double x[] = { 1.0, 3.0 };
    assert_true(svr_predict(svr, x, 2) == 2 * exp(-0.5 * (0.25 + 9.0)) - 0.25);
    svr_destroy(svr);
}

/* An index far beyond the features must not need a table of its size. */
static void values_beyond_the_features_count(void **state)
{
    Svr *svr = read(HEAD("nu_svr", "rbf", "2") "SV\n2 7:0.5 4000000000:1.5\n1 1:1\n", 2);
    const double x[] = { 1.0, 3.0 };
    assert_int_equal(svr->width, 4);
    const double first = ((1.0 + 9.0) + 0.25) + 2.25;
    assert_true(svr_predict(svr, x, 2) == (2 * exp(-0.5 * first) + 1 * exp(-0.5 * 9.0)) - 0.25);
    svr_destroy(svr);
}

static void other_kernels(void **state)
{
    const double x[] = { 1.5, 2.0 };
    Svr *svr = read(HEAD("nu_svr", "linear", "1") "SV\n2 1:0.5 2:3\n", 2);
    assert_true(svr_predict(svr, x, 2) == 2 * 6.75 - 0.25);
    svr_destroy(svr);
    svr = read(HEAD("nu_svr", "polynomial", "1") "degree 3\ncoef0 1\nSV\n2 1:0.5 2:3\n", 2);
    assert_true(svr_predict(svr, x, 2) == 2 * (4.375 * 4.375 * 4.375) - 0.25);
    svr_destroy(svr);
    svr = read(HEAD("nu_svr", "sigmoid", "1") "coef0 -3\nSV\n2 1:0.5 2:3\n", 2);
    assert_true(svr_predict(svr, x, 2) == 2 * tanh(0.375) - 0.25);
    svr_destroy(svr);
}

static void header_words_of_classifiers_are_skipped(void **state)
{
    Svr *svr = read(HEAD("nu_svr", "rbf", "0") "label 0 1\nprobA 1.5\nprobB 2\nnr_sv 3 4\nSV\n", 2);
    const double x[] = { 1.5, 2.0 };
    assert_true(svr_predict(svr, x, 2) == -0.25);
    svr_destroy(svr);
}

static void text_behind_the_last_vector_is_ignored(void **state)
{
    svr_destroy(read(HEAD("nu_svr", "rbf", "1") "SV\n1 1:1\nanything", 1));
    svr_destroy(read(HEAD("nu_svr", "rbf", "1") "SV\r\n1 1:1\r\n", 1));
}

static void bad_text_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "SV\n",
        "svm_type",
        "svm_type c_svc\n",
        "svm_type nu_svr\nkernel_type precomputed\n",
        "svm_type nu_svr\nkernel_type rbf\nSV\n",
        "svm_type nu_svr\nkernel_type rbf\ntotal_sv 1\nrho 1\nSV\n1 1:1\n", /* no gamma */
        HEAD("nu_svr", "rbf", "1") "surprise 1\nSV\n1 1:1\n",
        HEAD("nu_svr", "rbf", "1") "nr_class 3\nSV\n1 1:1\n",
        HEAD("nu_svr", "rbf", "1") "gamma x\nSV\n1 1:1\n",
        HEAD("nu_svr", "rbf", "1") "gamma nan\nSV\n1 1:1\n",
        HEAD("nu_svr", "rbf", "1") "gamma",
        HEAD("nu_svr", "rbf", "1"),
        HEAD("nu_svr", "rbf", "1") "SV",
        HEAD("nu_svr", "rbf", "1") "SV\n",
        HEAD("nu_svr", "rbf", "1") "SV 1 1:1\n",
        HEAD("nu_svr", "rbf", "2") "SV\n1 1:1\n",
        HEAD("nu_svr", "rbf", "2") "SV\n1 1:1\n\n1 1:1\n",
        HEAD("nu_svr", "rbf", "-1") "SV\n1 1:1\n",
        HEAD("nu_svr", "rbf", "1.5") "SV\n1 1:1\n",
        HEAD("nu_svr", "rbf", "2000000000") "SV\n1 1:1\n",
        HEAD("nu_svr", "rbf", "99999999999") "SV\n1 1:1\n",
        HEAD("nu_svr", "rbf", "1") "SV\n1 1:\n",
        HEAD("nu_svr", "rbf", "1") "SV\n1 1\n",
        HEAD("nu_svr", "rbf", "1") "SV\n1 0:1\n",
        HEAD("nu_svr", "rbf", "1") "SV\n1 -1:1\n",
        HEAD("nu_svr", "rbf", "1") "SV\n1 1:1 1:2\n",
        HEAD("nu_svr", "rbf", "1") "SV\n1 2:1 1:2\n",
        HEAD("nu_svr", "rbf", "1") "SV\n1 1:1x\n",
        HEAD("nu_svr", "rbf", "1") "SV\n1 1:inf\n",
        HEAD("nu_svr", "rbf", "1") "SV\nnan 1:1\n",
        HEAD("nu_svr", "rbf", "1") "SV\n1 99999999999999999999999:1\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        Svr *svr = NULL;
        const char *why = NULL;
        if (svr_create(&svr, texts[i], 2, &why) != -EINVAL)
            fail_msg("accepted: %s", texts[i]);
        assert_null(svr);
        assert_non_null(why);
    }
}

TEST_MAIN(svr)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_out_values_are_zero),
        cmocka_unit_test(features_beyond_the_vectors_count),
        cmocka_unit_test(values_beyond_the_features_count),
        cmocka_unit_test(other_kernels),
        cmocka_unit_test(header_words_of_classifiers_are_skipped),
        cmocka_unit_test(text_behind_the_last_vector_is_ignored),
        cmocka_unit_test(bad_text_is_refused),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
