/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests how bits are divided among shots. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "extras/tune/allocate.h"

enum { SHOTS = 4, TRIES = 6, FRAMES = 25 };

typedef struct Case {
    ShotCurve curves[SHOTS];
    ShotTry tries[SHOTS][TRIES];
    double scores[SHOTS][TRIES][FRAMES];
} Case;

/* Makes easy and hard shots, tried with settings 10, 15, … */
static void make_case(Case *c, unsigned seed)
{
    srand(seed);
    for (unsigned s = 0; s < SHOTS; s++) {
        const double hard = 1.0 + s * 0.8, bits = 1e5 * (1 + rand() % 20);
        for (unsigned t = 0; t < TRIES; t++) {
            const double setting = 10 + 5 * t;
            for (unsigned i = 0; i < FRAMES; i++)
                c->scores[s][t][i] =
                    100.0 - hard * exp((setting - 10) / 9.0) - rand() % 100 * 0.01 * hard;
            c->tries[s][t] =
                (ShotTry){ setting, bits * exp2(-(setting - 10) / 6), c->scores[s][t] };
        }
        c->curves[s] = (ShotCurve){ c->tries[s], TRIES, FRAMES };
    }
}

/* Returns the pooled score of all shots at these tries, and their bits. */
static double pool(const Case *c, const unsigned tries[SHOTS], const Pooling *pooling, double *bits)
{
    double all[SHOTS * FRAMES];
    *bits = 0.0;
    for (unsigned s = 0; s < SHOTS; s++) {
        memcpy(all + s * FRAMES, c->scores[s][tries[s]], sizeof(c->scores[0][0]));
        *bits += c->tries[s][tries[s]].bits;
    }
    return pooling_scores(pooling, all, SHOTS * FRAMES);
}

static unsigned index_of(double setting)
{
    return (unsigned)((setting - 10) / 5);
}

/* Compares the result with the best of all 6^4 combinations of tries. */
static void few_bits_reach_the_target(void **state)
{
    static const char *const names[] = { "mean", "p5", "harmonic_mean", "min", "median" };
    for (unsigned n = 0; n < 20 * COUNT(names); n++) {
        Case *const c = malloc(sizeof(*c));
        Pooling pooling;
        make_case(c, n);
        assert_true(
            pooling_parse(&pooling, names[n % COUNT(names)], strlen(names[n % COUNT(names)])));
        double least = INFINITY, settings[SHOTS], bits;
        const double target = 70 + n % 25;
        for (unsigned i = 0; i < TRIES * TRIES * TRIES * TRIES; i++) {
            const unsigned tries[SHOTS] = { i % TRIES, i / TRIES % TRIES, i / TRIES / TRIES % TRIES,
                                            i / TRIES / TRIES / TRIES };
            if (pool(c, tries, &pooling, &bits) >= target && bits < least)
                least = bits;
        }
        Allocation allocation = { .settings = settings };
        const int err = allocate(c->curves, SHOTS, &pooling, target, 0.0, &allocation);
        assert_int_equal(err, isfinite(least) ? 0 : -ERANGE);
        if (!err) {
            unsigned tries[SHOTS];
            for (unsigned s = 0; s < SHOTS; s++)
                tries[s] = index_of(settings[s]);
            assert_true(pool(c, tries, &pooling, &bits) >= target);
            assert_true(bits == allocation.bits);
            assert_true(bits <= least * 1.35); /* single tries lie far apart */
        }
        free(c);
    }
}

/* Finer settings need fewer bits, and one setting for all needs more. */
static void finer_is_cheaper_and_one_is_dearer(void **state)
{
    for (unsigned n = 0; n < 40; n++) {
        Case *const c = malloc(sizeof(*c));
        Pooling pooling;
        double a[SHOTS], b[SHOTS], o[SHOTS];
        Allocation coarse = { .settings = a }, fine = { .settings = b }, one = { .settings = o };
        make_case(c, n);
        assert_true(pooling_parse(&pooling, n % 2 ? "mean" : "p5", n % 2 ? 4 : 2));
        assert_int_equal(allocate(c->curves, SHOTS, &pooling, 85, 0.0, &coarse), 0);
        assert_int_equal(allocate(c->curves, SHOTS, &pooling, 85, 0.25, &fine), 0);
        assert_int_equal(allocate_one(c->curves, SHOTS, &pooling, 85, 0.25, &one), 0);
        assert_true(fine.score >= 85 && coarse.score >= 85 && one.score >= 85);
        assert_true(fine.bits <= coarse.bits * 1.02 && fine.bits < one.bits);
        for (unsigned s = 0; s < SHOTS; s++)
            assert_true(o[s] == o[0] && b[s] * 4 == round(b[s] * 4));
        free(c);
    }
}

TEST_MAIN(allocate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_bits_reach_the_target),
        cmocka_unit_test(finer_is_cheaper_and_one_is_dearer),
    };
    return cmocka_run_group_tests_name("bits of shots", tests, NULL, NULL);
}
