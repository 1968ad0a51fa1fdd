/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vif kernels' result for a pixel's variances equals the CPU's result in double, especially
 * where the quotient is next to a whole number. */
#include <math.h>
#include <string.h>

#include "feature/vif/vif.h"
#include "feature/vif/vif_tile.h"
#include "gpu/vif_information.h"
#include "testing.h"

static uint16_t table[VIF_LOG_ENTRIES];
static uint32_t lines[VIF_LOG_LINES][2];
static unsigned seen[LEFT_TO_HOST + 1];
static uint64_t random_state = 1;

static uint32_t next_random(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 32);
}

/* A random number of up to `bits` bits; each size is equally likely. */
static uint32_t any_below(unsigned bits)
{
    return next_random() >> (32 - bits) >> next_random() % bits;
}

static void split(double value, uint32_t *lo, uint32_t *hi)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    *lo = (uint32_t)bits;
    *hi = (uint32_t)(bits >> 32);
}

static InformationGain gain_of(double limit)
{
    const bool is_whole = floor(limit) == limit;
    InformationGain gain = {
        .whole = is_whole ? (uint32_t)limit : 0,
        .room = is_whole ? UINT32_MAX / (uint32_t)limit : 0,
        .gain = (float)limit,
    };
    split(limit, &gain.lo, &gain.hi);
    split(limit * limit, &gain.square_lo, &gain.square_hi);
    return gain;
}

/* Checks s1, s2, s12. For samples, s12^2 is at most s1 * s2, except for rounding. */
static void check(double limit, const InformationGain *gain, int64_t s1, int64_t s2, int64_t s12)
{
    if (s1 < VIF_NOISE || s1 > INT32_MAX / 2 || s2 < 1 || s2 > INT32_MAX / 2 || s12 < 1 ||
        (double)s12 * (double)s12 > 1.01 * (double)s1 * (double)s2 + 65536)
        return;
    const VifPixelParams params = { .log_table = table, .gain_limit = limit };
    const uint32_t variances[3] = { (uint32_t)s1, (uint32_t)s2, (uint32_t)s12 };
    VifSums sums = { 0 };
    int how;
    vif_add_pixel(&sums, (int32_t)s1, (int32_t)s2, (int32_t)s12, &params);
    const uint32_t told = information_of(gain, lines, variances, &how);
    seen[how]++;
    if (how == LEFT_TO_HOST ? told != 0 : told != (uint32_t)sums.num_log)
        fail_msg("limit %g, variances %lld and %lld, covariance %lld: %u, not %lld (%d)", limit,
                 (long long)s1, (long long)s2, (long long)s12, told, (long long)sums.num_log, how);
}

static void check_random(double limit, const InformationGain *gain)
{
    const uint32_t s1 = VIF_NOISE + any_below(30), s2 = 1 + any_below(30);
    check(limit, gain, s1, s2, any_below(30));
    check(limit, gain, s1, s2, (int64_t)(sqrt((double)s1 * s2) * (next_random() >> 8) / 0x1p24));
}

/* Checks quotients that are whole numbers, and their neighbours. */
static void check_close(double limit, const InformationGain *gain)
{
    const int64_t a = 362 + any_below(15), b = 1 + any_below(15);
    for (int64_t off = -3; off <= 3; off++) {
        check(limit, gain, a * a, b * b + off, a * b);
        check(limit, gain, a * a + off, b * b + any_below(25), a * b);
    }
    const int64_t s12 = 1 + any_below(28),
                  quotient = 1 + s12 * s12 / (VIF_NOISE + (int64_t)any_below(29));
    const int64_t s1 = s12 * s12 / quotient;
    for (int64_t off = -3; off <= 3; off++) {
        check(limit, gain, s1, quotient + off, s12);
        check(limit, gain, s1 + off, quotient + any_below(25), s12);
    }
}

/* Checks values where the gain is at its limit. */
static void check_limit(double limit, const InformationGain *gain)
{
    const int64_t s1 = VIF_NOISE + any_below(24);
    const int64_t s12 = (int64_t)(limit * (double)s1);
    for (int64_t off = -3; off <= 3; off++)
        check(limit, gain, s1, (int64_t)(limit * limit * (double)s1) + any_below(20), s12 + off);
}

static void pixels_tell_what_they_tell_the_cpu(void **state)
{
    static const double limits[] = { 100.0, 1.0, 1.2, 1.0000001, 2.5 };
    vif_log_table_fill(table);
    vif_log_lines_fill(lines, table);
    for (unsigned i = 0; i < COUNT(limits); i++) {
        const InformationGain gain = gain_of(limits[i]);
        memset(seen, 0, sizeof(seen));
        for (int n = 0; n < 100000; n++) {
            check_random(limits[i], &gain);
            check_close(limits[i], &gain);
            check_limit(limits[i], &gain);
        }
        assert_true(seen[TOLD_AT_ONCE] > 100000 && seen[TOLD_CLOSER] > 10000);
        /* The kernel's list takes at most 64 pixels of a frame. */
        assert_true(seen[LEFT_TO_HOST] < 1000);
        print_message("limit %g: %u at once, %u closer, %u left\n", limits[i], seen[0], seen[1],
                      seen[2]);
    }
}

TEST_MAIN(vif_information)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_tell_what_they_tell_the_cpu),
    };
    return cmocka_run_group_tests_name("vif information", tests, NULL, NULL);
}
