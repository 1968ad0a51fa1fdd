/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Numbers with six decimals: what the C library writes, to the last digit. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "testing.h"

static unsigned printed; /* not left to the C library */

static void check(double value)
{
    char own[FIXED_SIZE], wanted[512];
    if (!fixed_print(own, value))
        return;
    printed++;
    snprintf(wanted, sizeof(wanted), "%.6f", value);
    if (strcmp(wanted, own))
        fail_msg("%.17g is %s, not %s", value, wanted, own);
}

static void check_signs(double value)
{
    check(value);
    check(-value);
}

static uint64_t next_random(void)
{
    static uint64_t x = 88172645463325252;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

static void any_bits(void **state)
{
    printed = 0;
    for (unsigned i = 0; i < 300000; i++) {
        const uint64_t bits = next_random();
        double value;
        memcpy(&value, &bits, sizeof(value));
        check(value);
        /* The digits equal printf's in the range of scores, down to numbers whose six decimals are
         * all 0. */
        check_signs(ldexp(frexp(value, &(int){ 0 }), (int)(bits % 96) - 40));
    }
    assert_true(printed > 400000);
}

/* As scores are: below 1, up to 100, with few digits. */
static void scores(void **state)
{
    printed = 0;
    for (unsigned i = 0; i < 200000; i++) {
        const double part = (double)(next_random() >> 11) * 0x1p-53;
        check(part);
        check(part * 100.0);
        check_signs((double)(next_random() % 100000000) / 1e6);
        check((double)(float)part);
    }
    assert_int_equal(5 * 200000, printed);
}

/* A number halfway between two texts is rounded to the even one: odd multiples of 2^-7. */
static void ties(void **state)
{
    printed = 0;
    for (unsigned i = 0; i < 20000; i++) {
        check_signs(i / 128.0);
        check_signs(nextafter(i / 128.0, 1e9));
        check_signs(nextafter(i / 128.0, -1.0));
    }
    assert_true(printed > 119000);
}

static void ends(void **state)
{
    static const double values[] = {
        0.0,    -0.0,    1.0,     0.9999995, 0.99999949999, 9.9999995, 999.9999999,         0x1p53,
        0x1p62, 0x1p-43, 0x1p-20, 5e-7,      4.9999999e-7,  1e-6,      0x1.fffffffffffffp62
    };
    char text[FIXED_SIZE];
    for (size_t i = 0; i < COUNT(values); i++) {
        assert_true(fixed_print(text, values[i]));
        check_signs(values[i]);
    }
    assert_false(fixed_print(text, 0x1p63));
    assert_false(fixed_print(text, INFINITY));
    assert_false(fixed_print(text, -INFINITY));
    assert_false(fixed_print(text, NAN));
    assert_false(fixed_print(text, 0x1.8p-97));
}

TEST_MAIN(fixed)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bits),
        cmocka_unit_test(scores),
        cmocka_unit_test(ties),
        cmocka_unit_test(ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
