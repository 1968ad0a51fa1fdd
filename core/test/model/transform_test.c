/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Score transforms follow their description to the last operation. */
#include "fixture.h"

#include <math.h>

static const Transform off = { .has_p = { true }, .p = { 3.0 } };

static void disabled_changes_nothing(void **state)
{
    assert_true(transform_apply(&off, 42.125) == 42.125);
}

static void polynomial_uses_only_the_terms_given(void **state)
{
    Transform t = { .enabled = true, .has_p = { true, true, true }, .p = { 1.7, 1.5, -0.01 } };
    const double y = 37.3;
    assert_true(transform_apply(&t, y) == (1.7 + 1.5 * y) + (-0.01 * y) * y);
    t.has_p[1] = false;
    assert_true(transform_apply(&t, y) == 1.7 + (-0.01 * y) * y);
    t.has_p[0] = t.has_p[2] = false;
    assert_true(transform_apply(&t, y) == y);
}

static void bounds_are_those_of_the_input(void **state)
{
    Transform t = { .enabled = true, .has_p = { true }, .p = { 50.0 } };
    t.out_lte_in = true;
    assert_true(transform_apply(&t, 40.0) == 40.0);
    assert_true(transform_apply(&t, 60.0) == 50.0);
    t.out_lte_in = false;
    t.out_gte_in = true;
    assert_true(transform_apply(&t, 40.0) == 50.0);
    assert_true(transform_apply(&t, 60.0) == 60.0);
}

static void knots_map_piecewise(void **state)
{
    const Transform t = {
        .enabled = true,
        .has_knots = true,
        .knot_count = 4,
        .knots = { { 0, 0 }, { 40, 60 }, { 80, 60 }, { 100, 100 } },
    };
    static const double table[][2] = {
        { -10, -15 }, { 0, 0 },     { 20, 30 },     { 40, 60 },   { 50, 60 },      { 80, 60 },
        { 90, 80 },   { 100, 100 }, { 100.5, 101 }, { 110, 120 }, { -0.5, -0.75 },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        assert_true(transform_apply(&t, table[i][0]) == table[i][1]);
    assert_true(transform_apply(&t, NAN) == 0.0);
}

static void odd_knots_are_survived(void **state)
{
    Transform t = { .enabled = true, .has_knots = true };
    assert_true(transform_apply(&t, 12.5) == 12.5); /* none */
    t.knot_count = 1;
    assert_true(transform_apply(&t, 12.5) == 12.5);
    t.knot_count = 3; /* the second segment runs backwards: the first one's value stands */
    t.knots[0] = (Knot){ 10, 10 };
    t.knots[1] = (Knot){ 20, 30 };
    t.knots[2] = (Knot){ 15, 40 };
    assert_true(transform_apply(&t, 15.0) == 20.0);
    assert_true(transform_apply(&t, 25.0) == 0.0);
}

TEST_MAIN(transform)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disabled_changes_nothing),
        cmocka_unit_test(polynomial_uses_only_the_terms_given),
        cmocka_unit_test(bounds_are_those_of_the_input),
        cmocka_unit_test(knots_map_piecewise),
        cmocka_unit_test(odd_knots_are_survived),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
