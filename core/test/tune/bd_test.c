/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Curves and Bjøntegaard deltas agree with published figures. */
#include <math.h>

#include "testing.h"
#include "extras/tune/curve.h"

/* The published figures have sixteen digits and come from sums in another order. */
static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fmax(1.0, fabs(expected))))
        fail_msg("%.17g is not %.17g", value, expected);
}

typedef struct Example {
    const char *name;
    size_t count;
    RatePoint anchor[5], test[5];
    double rate[CURVE_KINDS], quality[CURVE_KINDS];
} Example;

/* Curves and cubic figures of "Sample 1" and "Sample 2" are those of the VCEG-M33 implementation at
 * github.com/Anserw/Bjontegaard_metric. "libx265 presets" is the example of the `bjontegaard`
 * package (pypi.org/project/bjontegaard), whose piecewise figures agree with JVET's sheet
 * (JVET-T2010) to ten decimal places. "Container" is the sequence of that name in VCEG-M34.xls, TML
 * against run. "five points" is from github.com/jascenso/bjontegaard_metrics. The figures are what
 * those formulas give when numpy 1.24 (polyfit, polyint) and scipy 1.10 (PchipInterpolator,
 * Akima1DInterpolator) evaluate them. */
static const Example examples[] = {
    { "Sample 1",
      4,
      { { 686.76, 40.28 }, { 309.58, 37.18 }, { 157.11, 34.24 }, { 85.95, 31.42 } },
      { { 893.34, 40.39 }, { 407.8, 37.21 }, { 204.93, 34.17 }, { 112.75, 31.24 } },
      { 31.397374054908276, 31.379878202397627, 31.38398898434116 },
      { -1.1848979217703455, -1.183472404622454, -1.1836589700732074 } },
    { "Sample 2",
      4,
      { { 675.76, 40.18 }, { 302.58, 36.18 }, { 151.11, 32.24 }, { 65.95, 31.02 } },
      { { 883.34, 40.09 }, { 402.8, 36.21 }, { 201.93, 32.17 }, { 102.75, 30.24 } },
      { 37.758764567447756, 35.64322387435506, 36.7118309383456 },
      { -1.4439392640571374, -1.4092365667726483, -1.4075868110520986 } },
    { "libx265 presets",
      4,
      { { 9487.76, 40.037 }, { 4593.60, 38.615 }, { 2486.44, 36.845 }, { 1358.24, 34.851 } },
      { { 9787.80, 40.121 }, { 4469.00, 38.651 }, { 2451.52, 36.970 }, { 1356.24, 34.987 } },
      { -4.420462706204653, -4.417485350589045, -4.425245156997493 },
      { 0.12040941911457836, 0.11969278542479489, 0.11940927028529469 } },
    { "Container",
      4,
      { { 32.302, 36.697 }, { 17.549, 33.97 }, { 10.427, 31.123 }, { 6.241, 28.235 } },
      { { 32.07, 36.697 }, { 17.184, 33.97 }, { 9.967, 31.123 }, { 5.739, 28.235 } },
      { -3.6020868236190773, -3.6032698974822974, -3.6016348805136156 },
      { 0.1776093351449978, 0.17791445420650454, 0.1781231268319263 } },
    { "five points",
      5,
      { { 0.001, 18.02 }, { 0.005, 20.57 }, { 0.02, 23.09 }, { 0.1, 27.71 }, { 0.75, 35.74 } },
      { { 0.00103, 24.81 },
        { 0.00507, 29.08 },
        { 0.02098, 33.09 },
        { 0.09638, 37.27 },
        { 0.73051, 43.12 } },
      { -95.96327542896847, -96.08868950775297, -96.0528636618366 },
      { 8.903414150438872, 8.867637015303828, 8.86378940875363 } },
};

static void deltas_are_those_published(void **state)
{
    for (size_t i = 0; i < COUNT(examples); i++) {
        Example e = examples[i];
        assert_int_equal(rate_points_rising(e.anchor, e.count), e.count);
        assert_int_equal(rate_points_rising(e.test, e.count), e.count);
        for (unsigned kind = 0; kind < CURVE_KINDS; kind++) {
            print_message("%s, %s\n", e.name, curve_name(kind));
            assert_near(bd_rate(kind, e.anchor, e.count, e.test, e.count), e.rate[kind]);
            assert_near(bd_quality(kind, e.anchor, e.count, e.test, e.count), e.quality[kind]);
        }
    }
}

static void equal_curves_do_not_differ(void **state)
{
    RatePoint points[4] = { { 100, 60 }, { 200, 75 }, { 400, 88 }, { 800, 94 } };
    RatePoint dearer[4] = { { 125, 60 }, { 250, 75 }, { 500, 88 }, { 1000, 94 } };
    for (unsigned kind = 0; kind < CURVE_KINDS; kind++) {
        assert_near(bd_rate(kind, points, 4, points, 4), 0.0);
        assert_near(bd_quality(kind, points, 4, points, 4), 0.0);
        assert_near(bd_rate(kind, points, 4, dearer, 4), 25.0);
        assert_near(bd_rate(kind, dearer, 4, points, 4), -20.0);
    }
}

static void what_cannot_be_compared_is_no_number(void **state)
{
    const RatePoint low[4] = { { 10, 20 }, { 20, 30 }, { 30, 40 }, { 40, 50 } };
    const RatePoint high[4] = { { 100, 60 }, { 200, 70 }, { 300, 80 }, { 400, 90 } };
    assert_true(isnan(bd_rate(CURVE_PCHIP, low, 4, high, 4)));
    assert_true(isnan(bd_quality(CURVE_PCHIP, low, 4, high, 4)));
    assert_true(isnan(bd_rate(CURVE_CUBIC, low, 3, low, 3)));
    assert_false(isnan(bd_rate(CURVE_PCHIP, low, 2, low, 2)));
    assert_true(isnan(bd_rate(CURVE_AKIMA, low, 1, low, 4)));
    assert_true(isnan(bd_rate(CURVE_AKIMA, NULL, 0, low, 4)));
}

static void curves_that_do_not_rise_are_mended(void **state)
{
    RatePoint points[] = { { 900, 100 }, { 700, 100 }, { 100, 50 }, { 200, 49 },
                           { 300, NAN }, { 300, 80 },  { 300, 82 }, { 0, 10 } };
    assert_int_equal(rate_points_rising(points, COUNT(points)), 3);
    assert_true(points[0].rate == 100 && points[0].quality == 50);
    assert_true(points[1].rate == 300 && points[1].quality == 82);
    assert_true(points[2].rate == 700 && points[2].quality == 100);
}

/* Figures computed with scipy 1.10. */
static void pieces_are_those_of_scipy(void **state)
{
    static const double x[] = { 0, 1, 2, 3.5, 4, 6, 7 }, y[] = { 0, 1, 0.5, 2, 2, 2.5, 9 };
    static const double at[] = { 0.25, 1.5, 2.1, 3.7, 5, 6.5 };
    static const struct {
        enum CurveKind kind;
        double value[6], integral;
    } known[] = {
        { CURVE_PCHIP,
          { 0.40234375, 0.75, 0.5191111111111111, 2.0, 2.1158256880733948, 4.744170489296636 },
          9.087173633011595 },
        { CURVE_AKIMA,
          { 0.390625, 0.73125, 0.5530666666666668, 2.0086305418719212, 2.1360245358090184,
            4.608173076923077 },
          9.132336430406877 },
    };
    for (size_t k = 0; k < COUNT(known); k++) {
        Curve *const curve = curve_create(known[k].kind, x, y, COUNT(x));
        assert_non_null(curve);
        for (size_t i = 0; i < COUNT(at); i++)
            assert_near(curve_at(curve, at[i]), known[k].value[i]);
        for (size_t i = 0; i < COUNT(x); i++)
            assert_near(curve_at(curve, x[i]), y[i]);
        assert_near(curve_integral(curve, 0.5, 6.25), known[k].integral);
        assert_near(curve_integral(curve, 6.25, 0.5), -known[k].integral);
        assert_true(curve_integral(curve, 3, 3) == 0.0);
        curve_destroy(curve);
    }
}

static void a_cubic_is_found_again(void **state)
{
    static const double x[] = { -2, -1, 0.5, 1, 3, 4 };
    double y[COUNT(x)];
    for (size_t i = 0; i < COUNT(x); i++)
        y[i] = 2 - x[i] + 0.5 * x[i] * x[i] - 0.25 * x[i] * x[i] * x[i];
    Curve *const curve = curve_create(CURVE_CUBIC, x, y, COUNT(x));
    assert_non_null(curve);
    assert_near(curve_at(curve, 2), 0.0);
    assert_near(curve_integral(curve, 0, 2), 8.0 / 6 + 2 * 2 - 2 - 1);
    curve_destroy(curve);
}

static void points_that_make_no_curve_are_refused(void **state)
{
    static const double x[] = { 1, 2, 2, 3 }, y[] = { 1, 2, 3, 4 };
    static const double rising[] = { 1, 2, 3, 4 }, odd[] = { 1, NAN, 3, INFINITY };
    for (unsigned kind = 0; kind < CURVE_KINDS; kind++) {
        assert_null(curve_create(kind, x, y, 4));
        assert_null(curve_create(kind, rising, odd, 4));
        assert_null(curve_create(kind, rising, y, 1));
    }
}

static void the_hull_has_what_is_worth_its_rate(void **state)
{
    const RatePoint points[] = { { 400, 90 }, { 100, 60 }, { 200, 70 }, { 300, 88 },
                                 { 250, 50 }, { 500, 89 }, { 50, 60 } };
    size_t hull[COUNT(points)];
    assert_int_equal(rate_hull(points, COUNT(points), hull), 3);
    assert_int_equal(hull[0], 6);
    assert_int_equal(hull[1], 3);
    assert_int_equal(hull[2], 0);
    assert_int_equal(rate_hull(points, 0, hull), 0);
    assert_int_equal(rate_hull(points, 1, hull), 1);
}

TEST_MAIN(bd)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deltas_are_those_published),
        cmocka_unit_test(equal_curves_do_not_differ),
        cmocka_unit_test(what_cannot_be_compared_is_no_number),
        cmocka_unit_test(curves_that_do_not_rise_are_mended),
        cmocka_unit_test(pieces_are_those_of_scipy),
        cmocka_unit_test(a_cubic_is_found_again),
        cmocka_unit_test(points_that_make_no_curve_are_refused),
        cmocka_unit_test(the_hull_has_what_is_worth_its_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
