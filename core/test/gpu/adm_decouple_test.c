/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Compares what ADM's kernels compute of a single coefficient with the scalar code, including
 * values that pictures rarely contain. */
#include "gpu/adm_decouple.h"

#include <math.h>
#include <stdbool.h>

#include "feature/adm/adm.h"
#include "testing.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* A random coefficient of up to `bits` bits; each bit length is equally likely. */
static int32_t coefficient(unsigned bits)
{
    const int32_t magnitude = (int32_t)(next_random() >> 33 >> (31 - next_random() % (bits + 1)));
    return next_random() & 1 ? magnitude : -magnitude;
}

/* Turns o by about one degree and scales it. */
static void turn(const int32_t o[2], int32_t t[2], double most)
{
    const double off = (double)(int64_t)next_random() * 0x1p-63;
    const double angle = (1 + off * 3e-2) * 3.14159265358979323846 / 180;
    const double scale = most / (hypot(o[0], o[1]) + 1) * (double)(next_random() >> 40) * 0x1p-24;
    const double side = next_random() & 1 ? 1 : -1;
    t[0] = (int32_t)lround(scale * (o[0] * cos(angle) - side * o[1] * sin(angle)));
    t[1] = (int32_t)lround(scale * (o[0] * side * sin(angle) + o[1] * cos(angle)));
}

static unsigned doubts, short_doubts, wrong_guesses;

static bool is_short(int32_t x)
{
    return x == (int16_t)x;
}

static void check_aligned(const int32_t o[2], const int32_t t[2])
{
    const int truth = adm_aligned(o[0], o[1], t[0], t[1]);
    const unsigned answer = decouple_nearly_aligned(o, t);
    if (answer < 2) {
        assert_int_equal(truth, (int)answer);
        return;
    }
    doubts++;
    wrong_guesses += (int)(answer & 1) != truth;
    assert_int_equal(truth, decouple_aligned(true, o, t));
    if (is_short(o[0]) && is_short(o[1]) && is_short(t[0]) && is_short(t[1])) {
        short_doubts++;
        assert_int_equal(truth, decouple_aligned(false, o, t));
    }
}

static void gradients_that_are_a_degree_apart(void **unused)
{
    doubts = short_doubts = wrong_guesses = 0;
    for (unsigned i = 0; i < 400000; i++) {
        const unsigned bits = i % 2 ? 14 : 30;
        const int32_t o[2] = { coefficient(bits), coefficient(bits) };
        int32_t t[2];
        turn(o, t, bits == 14 ? 22930 : 2.1e9);
        check_aligned(o, t);
        check_aligned(t, o);
    }
    print_message("%u in doubt, %u of them guessed wrongly\n", doubts, wrong_guesses);
    assert_true(doubts > 1000);
    assert_true(short_doubts > 500);
    assert_true(wrong_guesses > 100);
}

static void gradients_of_any_kind(void **unused)
{
    for (unsigned i = 0; i < 400000; i++) {
        const unsigned bits = i % 2 ? 14 : 30;
        const int32_t o[2] = { coefficient(bits), coefficient(bits) };
        const int32_t t[2] = { coefficient(bits), coefficient(bits) };
        check_aligned(o, t);
    }
    for (unsigned i = 0; i < 81; i++) { /* zero vectors, and vectors along an axis */
        const int32_t o[2] = { (int32_t)(i % 3) - 1, (int32_t)(i / 3 % 3) - 1 };
        const int32_t t[2] = { (int32_t)(i / 9 % 3) - 1, (int32_t)(i / 27) - 1 };
        check_aligned(o, t);
    }
}

static DecoupleGain gain_of(double gain)
{
    int exponent;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(gain, &exponent), 53);
    return (DecoupleGain){ floor(gain) == gain ? (uint32_t)gain : 0, (uint32_t)mantissa,
                           (uint32_t)(mantissa >> 32), (uint32_t)(53 - exponent - 32) };
}

/* The scalar code's result for a row of one coefficient. `aligned`: make its gradients aligned. */
static int32_t scalar_restore(bool coarse, double gain, int32_t o, int32_t t, bool aligned)
{
    AdmDsp dsp;
    adm_dsp_init_scalar(&dsp, 8);
    const AdmLevel level = { .x0 = 0, .x1 = 1, .gain_limit = gain };
    const int16_t one_16 = 1, turned_16 = -1, o_16 = (int16_t)o, t_16 = (int16_t)t;
    const int32_t one_32 = 1, turned_32 = -1;
    int16_t parts_16[2][ADM_BANDS];
    int32_t parts_32[2][ADM_BANDS];
    void *restored[ADM_BANDS], *added[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++) {
        restored[b] = coarse ? (void *)&parts_32[0][b] : &parts_16[0][b];
        added[b] = coarse ? (void *)&parts_32[1][b] : &parts_16[1][b];
    }
    const void *const one = coarse ? (const void *)&one_32 : &one_16;
    const void *const other = aligned ? one : coarse ? (const void *)&turned_32 : &turned_16;
    const void *const ref[ADM_BANDS] = { one, one, coarse ? (const void *)&o : &o_16 };
    const void *const dist[ADM_BANDS] = { other, other, coarse ? (const void *)&t : &t_16 };
    dsp.decouple_row[coarse](&level, ref, dist, restored, added);
    return coarse ? parts_32[0][ADM_D] : parts_16[0][ADM_D];
}

static void what_is_restored(void **unused)
{
    static const double gains[] = { 1,    2,  100, 1.2, 1.0000000000000002, 99.999999999999986,
                                    33.3, 1.5 };
    for (unsigned i = 0; i < 800000; i++) {
        const bool coarse = i & 1, aligned = i & 2;
        const double gain = gains[i / 4 % COUNT(gains)];
        const int32_t o = coefficient(coarse ? 31 : 14);
        /* Any value, or one close to o, where the ratio is close to 1. */
        const int32_t t = i & 4 || o > 2000000000 || o < -2000000000 ? coefficient(coarse ? 31 : 14)
                                                                     : o + coefficient(6);
        const DecoupleGain g = gain_of(gain);
        const int32_t truth = scalar_restore(coarse, gain, o, t, aligned);
        const int32_t ours = decouple_restore(coarse, &g, o, t, aligned);
        if (ours != truth)
            fail_msg("level %d, o %d, t %d, gain %.17g, aligned %d: %d, not %d", coarse, o, t, gain,
                     aligned, ours, truth);
    }
}

/* Tests each divisor of the ratio. The kernel divides with a reciprocal, which devices round
 * differently. */
static void every_divisor(void **unused)
{
    const DecoupleGain g = gain_of(100);
    for (int32_t o = 1; o < 32768; o++) {
        for (int32_t t = o - 1; t <= o + 1; t++)
            assert_int_equal(scalar_restore(true, 100, o, t, false),
                             decouple_restore(true, &g, o, t, false));
        assert_int_equal(scalar_restore(false, 100, o, o / 2, false),
                         decouple_restore(false, &g, o, o / 2, false));
        assert_int_equal(scalar_restore(true, 100, o << 16, 123456789, false),
                         decouple_restore(true, &g, o << 16, 123456789, false));
    }
}

static int setup(void **unused)
{
    state = 88172645463325252u;
    return 0;
}

TEST_MAIN(adm_decouple)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(gradients_that_are_a_degree_apart, setup),
        cmocka_unit_test_setup(gradients_of_any_kind, setup),
        cmocka_unit_test_setup(what_is_restored, setup),
        cmocka_unit_test_setup(every_divisor, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
