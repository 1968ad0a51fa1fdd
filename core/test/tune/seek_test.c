/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests which settings a search tries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "testing.h"
#include "extras/tune/seek.h"

static double falling(int step, int last, int shape)
{
    const double x = (double)step / last, centre = 0.5 + shape * 0.07, width = 0.08 + shape * 0.03;
    const double score = 100.0 / (1.0 + exp((x - centre) / width));
    return shape == 5 ? fmin(100.0, score * 1.08) : score;
}

static void start(Seek *seek, int last, double target, double tolerance)
{
    *seek = (Seek){ .goal_count = 1 };
    seek->goals[0] = (SeekGoal){ .target = target,
                                 .tolerance = tolerance,
                                 .scale = SEEK_OF_100,
                                 .slope = seek_usual_fall(SEEK_OF_100) / last };
    seek_start(seek, last, (int)(last * seek_usual_place(SEEK_OF_100, target)));
}

/* Returns the last step that reaches a target, and the number of tries that plain bisection needs
 * to find it. */
static int bisect(int last, double target, int shape, unsigned *tries)
{
    int reached = -1, missed = last + 1;
    while (missed - reached > 1) {
        const int middle = (reached + missed) / 2;
        *(falling(middle, last, shape) >= target ? &reached : &missed) = middle;
        ++*tries;
    }
    return reached;
}

/* For every target on realistic curves, the search finds the last setting that reaches it. On
 * average it needs fewer tries than bisection, and never many more. */
static void the_last_setting_that_reaches_is_found(void **state)
{
    static const int lasts[] = { 1, 20, 51, 63, 204, 276 };
    unsigned searches = 0, tries = 0, others = 0;
    for (size_t i = 0; i < COUNT(lasts); i++) {
        for (double target = 30; target < 101; target += 0.37) {
            for (int shape = 0; shape < 6; shape++) {
                Seek seek;
                unsigned halvings = 0;
                const int best = bisect(lasts[i], target, shape, &halvings);
                start(&seek, lasts[i], target, 0.0);
                for (int step; (step = seek_next(&seek)) >= 0;) {
                    const double score = falling(step, lasts[i], shape);
                    assert_true(step <= lasts[i]);
                    seek_add(&seek, step, &score);
                }
                assert_int_equal(seek.reached, best);
                assert_int_equal(seek.missed, best + 1);
                assert_in_range(seek.count, 1, 15);
                if (lasts[i] > 20 && target > 60 && best >= 0 && best < lasts[i]) {
                    searches++;
                    tries += (unsigned)seek.count;
                    others += halvings;
                }
            }
        }
    }
    print_message("%.2f tries, %.2f by bisection\n", (double)tries / searches,
                  (double)others / searches);
    assert_true(tries < 5 * searches && tries * 4 < others * 3);
}

/* With a tolerance the search needs fewer tries: the result reaches the target, and either it is
 * close to it or the next setting misses it. */
static void a_score_that_is_close_is_enough(void **state)
{
    unsigned searches = 0, tries = 0;
    for (double target = 60; target < 99; target += 0.37) {
        for (int shape = 0; shape < 6; shape++) {
            Seek seek;
            unsigned halvings = 0;
            const int best = bisect(204, target, shape, &halvings);
            if (best < 0 || best == 204)
                continue;
            start(&seek, 204, target, 0.1);
            for (int step; (step = seek_next(&seek)) >= 0;) {
                const double score = falling(step, 204, shape);
                seek_add(&seek, step, &score);
            }
            assert_in_range(seek.reached, 0, best);
            const double over = falling(seek.reached, 204, shape) - target;
            assert_true(over >= 0.0);
            assert_true(over <= 0.1 || seek.reached >= best - 1);
            searches++;
            tries += (unsigned)seek.count;
        }
    }
    print_message("%.2f tries\n", (double)tries / searches);
    assert_true(tries * 10 < 45 * searches);
}

static void a_search_ends_on_any_scores(void **state)
{
    srand(7);
    for (unsigned i = 0; i < 2000; i++) {
        Seek seek;
        start(&seek, 63, 50, 0.0);
        for (int step; (step = seek_next(&seek)) >= 0;) {
            const double score = i % 50 ? rand() % 100 : NAN;
            assert_true(step > seek.reached && step < seek.missed);
            seek_add(&seek, step, &score);
        }
        assert_int_equal(seek.missed, seek.reached + 1);
        bool tried = seek.reached < 0;
        for (int k = 0; k < seek.count; k++)
            tried |=
                seek.tried[k].step == seek.reached && seek_reaches(&seek, seek.tried[k].scores);
        assert_true(tried); /* the answer was measured */
    }
}

/* All goals are reached at the answer, and at the next step one of them is not. */
static void the_hardest_goal_decides(void **state)
{
    for (int shape = 0; shape < 6; shape++) {
        Seek seek;
        start(&seek, 204, 80, 0.0);
        seek.goals[1] = seek.goals[0];
        seek.goals[1].target = 45 + 8 * shape;
        seek.goal_count = 2;
        for (int step; (step = seek_next(&seek)) >= 0;) {
            const double scores[] = { falling(step, 204, shape), falling(step, 204, 5 - shape) };
            seek_add(&seek, step, scores);
        }
        unsigned tries = 0;
        const int first = bisect(204, 80, shape, &tries);
        const int second = bisect(204, 45 + 8 * shape, 5 - shape, &tries);
        assert_int_equal(seek.reached, first < second ? first : second);
        assert_true(seek.count < 9);
    }
}

/* The whole video scores one point less than its samples, so the curve moves by one point. */
static void curves_move_with_the_whole(void **state)
{
    Seek seek;
    start(&seek, 204, 90, 0.0);
    for (int step; (step = seek_next(&seek)) >= 0;) {
        const double score = falling(step, 204, 3);
        seek_add(&seek, step, &score);
    }
    const double same = falling(seek.reached, 204, 3), less = same - 1.0, more = same + 1.0;
    assert_in_range(seek_shifted(&seek, seek.reached, &same), seek.reached - 1, seek.reached + 1);
    const int lower = seek_shifted(&seek, seek.reached, &less);
    const int higher = seek_shifted(&seek, seek.reached, &more);
    assert_true(lower < seek.reached && falling(lower, 204, 3) - 1.0 > 89.8);
    assert_true(higher > seek.reached && falling(higher, 204, 3) + 1.0 > 89.8);
}

TEST_MAIN(seek)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_setting_that_reaches_is_found),
        cmocka_unit_test(a_score_that_is_close_is_enough),
        cmocka_unit_test(a_search_ends_on_any_scores),
        cmocka_unit_test(the_hardest_goal_decides),
        cmocka_unit_test(curves_move_with_the_whole),
    };
    return cmocka_run_group_tests_name("the settings of a search", tests, NULL, NULL);
}
