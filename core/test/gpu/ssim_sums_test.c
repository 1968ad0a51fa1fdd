/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Compares the sums, roots and quotients of SSIM's kernels with the doubles or correctly rounded
 * floats that they replace, including values that pictures rarely contain. */
#include "gpu/ssim_sums.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "testing.h"

#define HALVE_TERMS (SUMS_HALVE_TAPS * SUMS_HALVE_TAPS)

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static unsigned below(unsigned limit)
{
    return (unsigned)(next_random() >> 33) % limit;
}

static float times(float a, float b)
{
    const volatile float product = a * b;
    return product;
}

/* The sum as the CPU computes it. */
static float sum_of(const float *terms, unsigned count)
{
    double sum = 0;
    for (unsigned k = 0; k < count; k++)
        sum += (double)terms[k];
    return (float)sum;
}

/* The content of a window or of a picture to halve: samples of 8 to 16 bits, or floats. */
enum Content {
    FLAT,
    BLACK,
    BRIGHT_EDGE, /* one bright sample at the end of a dark row */
    EXTREMES,    /* 0 and the largest value in turns */
    DARK,
    LIMITED, /* from 16 to 235, in 8 bits */
    ANY,
    SIGNED,  /* halves, some below 0 */
    BINADES, /* floats of very different sizes */
    CONTENTS
};

static float value_of(enum Content content, unsigned bits, unsigned at, float fixed)
{
    const float step = ldexpf(1, 8 - (int)bits);
    const unsigned most = (1u << bits) - 1;
    switch (content) {
    case FLAT:
        return fixed;
    case BRIGHT_EDGE:
        return at ? (float)below(3) * step : (float)most * step;
    case EXTREMES:
        return at % 2 ? (float)most * step : 0;
    case DARK:
        return (float)below(4) * step;
    case LIMITED:
        return (float)(16 + below(220)) + (float)below(1u << (bits - 8)) * step;
    case ANY:
        return (float)below(most + 1) * step;
    case SIGNED:
        return (float)((int)below(1u << 24) - (1 << 21)) * 0x1p-16f;
    case BINADES:
        return ldexpf((float)below(1u << 24), -(int)below(40) - 8);
    default:
        return 0;
    }
}

/* The extent of values, in a tile that may contain others. */
static SumsExtent extent_of(const float *values, unsigned count, bool with_zeros)
{
    SumsExtent e = { 0, 1e9f };
    for (unsigned k = 0; k < count; k++) {
        e.peak = fmaxf(e.peak, fabsf(values[k]));
        if (with_zeros || values[k] != 0)
            e.least = fminf(e.least, with_zeros ? values[k] : fabsf(values[k]));
    }
    return e;
}

static void terms_of(const float *values, float *terms)
{
    for (unsigned k = 0; k < SUMS_TAPS; k++)
        terms[k] = times(values[k], sums_taps[k]);
}

/* Changes the first value, whose tap is small, so that the sum lies close to the middle between two
 * floats, above or below it, at a distance that may be one unit in the value's last place. */
static void to_the_middle(float *value, float tap, double others)
{
    const float near_by = (float)others, next = nextafterf(near_by, INFINITY);
    const double middle = ((double)near_by + (double)next) / 2;
    float moved = (float)((middle - others) / (double)tap);
    for (unsigned steps = below(3); steps > 0; steps--)
        moved = nextafterf(moved, below(2) ? INFINITY : -INFINITY);
    *value = moved;
}

static unsigned windows, doubts;

static bool any_negative(const float *values, unsigned count)
{
    bool any = false;
    for (unsigned k = 0; k < count; k++)
        any |= signbit(values[k]);
    return any;
}

static void check_window_of_doubles(const float in[SUMS_MAPS][SUMS_TAPS])
{
    float of_floats[SUMS_MAPS], of_samples[SUMS_MAPS];
    const bool negative = any_negative(in[0], SUMS_MAPS * SUMS_TAPS);
    sums_window_f64(in, 1, of_floats);
    sums_window_f64(in, negative, of_samples);
    for (unsigned map = 0; map < SUMS_MAPS; map++) {
        float terms[SUMS_TAPS];
        terms_of(in[map], terms);
        const float truth = sum_of(terms, SUMS_TAPS);
        const bool is_square = map == 2 || map == 3;
        if (is_square && any_negative(in[map], SUMS_TAPS))
            continue;
        if (of_floats[map] != truth || of_samples[map] != truth)
            fail_msg("map %u from %a: %a and %a with doubles, not %a", map, in[map][0],
                     of_floats[map], of_samples[map], truth);
    }
}

static void check_window(const float in[SUMS_MAPS][SUMS_TAPS], const SumsExtent *tile)
{
    float out[SUMS_MAPS];
    const unsigned doubt = sums_window(in, tile, out);
    for (unsigned map = 0; map < SUMS_MAPS; map++) {
        float terms[SUMS_TAPS];
        terms_of(in[map], terms);
        const float truth = sum_of(terms, SUMS_TAPS);
        windows++;
        doubts += doubt >> map & 1;
        if (!(doubt >> map & 1) && out[map] != truth)
            fail_msg("map %u from %a: %a, not %a", map, in[map][0], out[map], truth);
        if (sums_double(terms, SUMS_TAPS) != truth)
            fail_msg("map %u from %a, in integers: not %a", map, in[map][0], truth);
    }
    check_window_of_doubles(in);
}

/* Checks a row of both pictures, in a tile that contains nothing else, or darker, brighter or black
 * samples as well. */
static void check_row(const float a[SUMS_TAPS], const float b[SUMS_TAPS], unsigned tile_kind)
{
    float in[SUMS_MAPS][SUMS_TAPS], both[2 * SUMS_TAPS];
    for (unsigned k = 0; k < SUMS_TAPS; k++) {
        both[k] = in[0][k] = a[k];
        both[SUMS_TAPS + k] = in[1][k] = b[k];
        in[2][k] = times(a[k], a[k]);
        in[3][k] = times(b[k], b[k]);
        in[4][k] = times(a[k], b[k]);
    }
    SumsExtent tile = extent_of(both, 2 * SUMS_TAPS, true);
    tile.peak = tile_kind & 1 ? fmaxf(tile.peak, 255) : tile.peak;
    tile.least = tile_kind & 2 ? fminf(tile.least, 0) : tile.least;
    tile.least = tile_kind & 4 ? fminf(tile.least, -1) : tile.least;
    check_window(in, &tile);
}

static void fill(float *values, unsigned count, enum Content content, unsigned bits, float fixed)
{
    for (unsigned k = 0; k < count; k++)
        values[k] = value_of(content, bits, k, fixed);
}

static void windows_of_all_kinds(void **unused)
{
    static const unsigned depths[] = { 8, 10, 12, 16 };
    for (unsigned i = 0; i < 400000; i++) {
        const enum Content content = i % CONTENTS;
        const unsigned bits = depths[i / CONTENTS % COUNT(depths)];
        const float fixed = value_of(ANY, bits, 0, 0);
        float a[SUMS_TAPS], b[SUMS_TAPS];
        fill(a, SUMS_TAPS, content, bits, fixed);
        fill(b, SUMS_TAPS, content, bits, value_of(ANY, bits, 0, 0));
        check_row(a, b, below(8));
        if (content >= SIGNED) {
            float terms[SUMS_TAPS];
            double others = 0;
            terms_of(a, terms);
            for (unsigned k = 1; k < SUMS_TAPS; k++)
                others += (double)terms[k];
            to_the_middle(&a[0], sums_taps[0], others);
            check_row(a, b, below(8));
        }
    }
}

/* Products and roots in the middle between two floats: the other maps are as hard as the first. */
static void products_in_the_middle(void **unused)
{
    for (unsigned i = 0; i < 200000; i++) {
        float in[SUMS_MAPS][SUMS_TAPS];
        SumsExtent tile = { 0, 0 };
        for (unsigned map = 0; map < SUMS_MAPS; map++) {
            double others = 0;
            for (unsigned k = 0; k < SUMS_TAPS; k++) {
                const float root = value_of(i & 1 ? ANY : BINADES, 16, k, 0);
                in[map][k] = map < 2 ? root : times(root, root);
                tile.peak = fmaxf(tile.peak, root);
                others += k ? (double)times(in[map][k], sums_taps[k]) : 0;
            }
            to_the_middle(&in[map][0], sums_taps[0], others);
        }
        check_window((const float(*)[SUMS_TAPS])in, &tile);
    }
}

/* Pictures in the usual range of values, and flat pictures in any range, are always certain. */
static void usual_pictures_are_sure(void **unused)
{
    static const unsigned depths[] = { 8, 10, 12, 16 };
    doubts = 0;
    for (unsigned i = 0; i < 100000; i++) {
        float a[SUMS_TAPS], b[SUMS_TAPS];
        fill(a, SUMS_TAPS, LIMITED, depths[i % 4], 0);
        fill(b, SUMS_TAPS, LIMITED, depths[i % 4], 0);
        check_row(a, b, 1);
    }
    for (unsigned v = 0; v < 1024; v++) {
        float a[SUMS_TAPS];
        fill(a, SUMS_TAPS, FLAT, 10, (float)v / 4);
        check_row(a, a, 0);
    }
    assert_int_equal(0, doubts);
}

static void halving_terms(const float in[SUMS_HALVE_TAPS][SUMS_HALVE_TAPS], float *terms)
{
    for (unsigned r = 0, i = 0; r < SUMS_HALVE_TAPS; r++)
        for (unsigned c = 0; c < SUMS_HALVE_TAPS; c++, i++)
            terms[i] =
                times(in[r][c], sums_quarter[(r <= 4 ? r : 8 - r) * 5 + (c <= 4 ? c : 8 - c)]);
}

static bool check_halving(const float in[SUMS_HALVE_TAPS][SUMS_HALVE_TAPS], const SumsExtent *tile)
{
    float terms[HALVE_TERMS], out;
    halving_terms(in, terms);
    const float truth = sum_of(terms, HALVE_TERMS);
    const bool sure = sums_halving(in, tile, &out);
    if (sure && out != truth)
        fail_msg("halved from %a: %a, not %a", in[0][0], out, truth);
    if (sums_double(terms, HALVE_TERMS) != truth)
        fail_msg("halved from %a, in integers: not %a", in[0][0], truth);
    if (sums_halving_f64(in, 1) != truth ||
        sums_halving_f64(in, any_negative(in[0], HALVE_TERMS)) != truth)
        fail_msg("halved from %a, with doubles: not %a", in[0][0], truth);
    return sure;
}

static void halves_of_all_kinds(void **unused)
{
    static const unsigned depths[] = { 8, 10, 12, 16 };
    unsigned unsure = 0;
    for (unsigned i = 0; i < 200000; i++) {
        const enum Content content = i % CONTENTS;
        const unsigned bits = depths[i / CONTENTS % COUNT(depths)];
        float in[SUMS_HALVE_TAPS][SUMS_HALVE_TAPS];
        fill(in[0], HALVE_TERMS, content, bits, value_of(LIMITED, bits, 0, 0));
        SumsExtent tile = extent_of(in[0], HALVE_TERMS, false);
        const bool sure = check_halving((const float(*)[SUMS_HALVE_TAPS])in, &tile);
        unsure += content == LIMITED || content == FLAT || content == BLACK ? !sure : 0;
        tile.peak = below(2) ? fmaxf(tile.peak, 300) : tile.peak;
        tile.least = below(2) ? fminf(tile.least, 0x1p-8f) : tile.least;
        check_halving((const float(*)[SUMS_HALVE_TAPS])in, &tile);
        if (content >= SIGNED) {
            float terms[HALVE_TERMS];
            double others = 0;
            in[1][1] = 0;
            halving_terms((const float(*)[SUMS_HALVE_TAPS])in, terms);
            for (unsigned k = 0; k < HALVE_TERMS; k++)
                others += (double)terms[k];
            to_the_middle(&in[1][1], 0.000283f, others);
            tile = extent_of(in[0], HALVE_TERMS, false);
            check_halving((const float(*)[SUMS_HALVE_TAPS])in, &tile);
        }
    }
    assert_int_equal(0, unsure);
}

/* Bytes have bounds of their own and are nearly always certain. Without a bright centre the
 * window's sum is small, and so is its last place. */
static void halves_of_bytes(void **unused)
{
    unsigned unsure = 0;
    for (unsigned i = 0; i < 400000; i++) {
        float in[SUMS_HALVE_TAPS][SUMS_HALVE_TAPS];
        fill(in[0], HALVE_TERMS, i % SIGNED, 8, value_of(ANY, 8, 0, 0));
        for (unsigned r = 3; i & 16 && r < 6; r++)
            in[r][3] = in[r][4] = in[r][5] = 0;
        unsure += !check_halving((const float(*)[SUMS_HALVE_TAPS])in, NULL);
    }
    assert_true(unsure < 40);
}

static void roots_and_quotients(void **unused)
{
    for (unsigned i = 0; i < 2000000; i++) {
        const float x = ldexpf((float)below(1u << 24), (int)below(100) - 75);
        const float y = ldexpf((float)((1u << 23) + below(1u << 23)), (int)below(16) - 22);
        const float square = times(y, y), sign = below(2) ? 1 : -1;
        if (sums_root(x) != sqrtf(x) || sums_root(square) != sqrtf(square) ||
            sums_root_f64(x) != sqrtf(x) || sums_root_f64(square) != sqrtf(square))
            fail_msg("the root of %a or %a", x, square);
        const float above = sign * ldexpf((float)below(1u << 24), (int)below(24) - 24);
        if (sums_quotient(above, y) != above / y || sums_quotient(y, y) != 1 ||
            sums_quotient_f64(above, y) != above / y || sums_quotient_f64(y, y) != 1)
            fail_msg("%a / %a", above, y);
    }
    assert_true(sums_root(0) == 0 && sums_root(0x1p-126f) == 0x1p-63f && sums_root_f64(0) == 0);
}

/* A random odd number of 25 bits: the middle between two floats of 24 bits. */
static uint32_t random_middle(void)
{
    return 1u << 24 | below(1u << 24) | 1u;
}

/* Finds a quotient just above a middle, by about `rest` in 2^49 (the step's result is never too
 * large): `above`, of 24 bits, times 2^25 is middle * divisor plus the rest. False: there is
 * none. */
static bool quotient_by_the_middle(uint32_t middle, uint32_t rest, float *above, float *divisor)
{
    uint32_t inverse = middle; /* modulo 2^32; each step doubles the number of right bits */
    for (unsigned i = 0; i < 4; i++)
        inverse *= 2 - middle * inverse;
    const uint32_t whole = (0u - rest * inverse) & ((1u << 25) - 1);
    *above = (float)(((uint64_t)middle * whole + rest) >> 25);
    *divisor = (float)whole;
    return whole >> 23 == 1;
}

/* Finds a square whose root lies just below a middle: 24 bits that are middle * middle less the
 * rest, which is 1 modulo 8 and has two roots below 2^25. False: this one has too few bits. */
static bool square_by_the_middle(uint32_t rest, bool other, float *square)
{
    uint64_t middle = 1;
    for (unsigned bit = 3; bit < 26; bit++)
        middle += ((middle * middle ^ rest) >> bit & 1) << (bit - 1);
    middle = (other ? 0u - middle : middle) & ((1u << 25) - 1);
    *square = (float)(middle * middle - rest);
    return middle >> 24;
}

/* Values for which the margin decides: the result of one step is not good enough to round. */
static void roots_and_quotients_by_the_middle(void **unused)
{
    for (unsigned i = 0; i < 400000; i++) {
        float above, divisor;
        if (quotient_by_the_middle(random_middle(), 1 + below(300), &above, &divisor) &&
            (sums_quotient(above, divisor) != above / divisor ||
             sums_quotient_f64(above, divisor) != above / divisor))
            fail_msg("%a / %a", above, divisor);
    }
    for (unsigned i = 0; i < 40000; i++) {
        float square;
        if (square_by_the_middle(1 + 8 * (i / 2), i & 1, &square) &&
            (sums_root(square) != sqrtf(square) || sums_root_f64(square) != sqrtf(square)))
            fail_msg("the root of %a", square);
    }
}

static void tallies(void **unused)
{
    for (unsigned i = 0; i < 100000; i++) {
        const float high = ldexpf((float)((int)below(1u << 25) - (1 << 24)), -24);
        const float low = ldexpf((float)((int)below(1u << 20) - (1 << 19)), -41);
        const unsigned count = 1 + below(48);
        const double off = sums_tally(high, low, count) - count * ((double)high + (double)low);
        if (!(fabs(off) <= count * 0x1p-44))
            fail_msg("%u times %a + %a: off by %a", count, high, low, off);
    }
}

TEST_MAIN(ssim_sums)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_of_all_kinds),
        cmocka_unit_test(products_in_the_middle),
        cmocka_unit_test(usual_pictures_are_sure),
        cmocka_unit_test(halves_of_all_kinds),
        cmocka_unit_test(halves_of_bytes),
        cmocka_unit_test(roots_and_quotients),
        cmocka_unit_test(roots_and_quotients_by_the_middle),
        cmocka_unit_test(tallies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
