/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests that ciede's kernels are certain of the differences of nearly all pixels, and that these
 * differences equal the CPU's to the last bit. */
#include <string.h>

#include "feature/ciede/ciede.h"
#include "feature/ciede/ciede_tile.h"
#include "gpu/ciede_pixels.h"
#include "testing.h"

enum { PIXELS = SANITIZED ? 4000 : 60000 };

static float curves[CIEDE_CURVE_FLOATS];
static uint64_t seed = 20261118;

static unsigned any(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33);
}

/* Kinds of colours: random, grey, nearly grey, natural, and the ends of the range. */
enum Palette { NOISE, GREY, NEAR_GREY, NATURAL, ENDS, PALETTES };

static unsigned colour(enum Palette palette, unsigned p, unsigned unit)
{
    const unsigned top = 256 * unit - 1, middle = 128 * unit;
    if (palette == NOISE)
        return any() & top;
    if (palette == ENDS)
        return any() & 1 ? top : 0;
    if (!p)
        return any() % (256 * unit);
    return palette == GREY        ? middle
           : palette == NEAR_GREY ? middle - 3 + any() % 7
                                  : middle - 50 * unit + any() % (100 * unit);
}

/* A sample close to `value`, or a random one. */
static unsigned distorted(enum Palette palette, unsigned value, unsigned unit)
{
    const unsigned top = 256 * unit - 1;
    if (palette == NOISE)
        return any() & top;
    const int off = (int)value + (int)(any() % 7) - 3;
    return off < 0 ? 0 : off > (int)top ? top : (unsigned)off;
}

/* True if the form is certain of the pixel; checks that its result is then right. */
static bool is_sure(enum PixelForm form, unsigned bpc, uint16_t sample[2][3])
{
    const CiedeRange range = ciede_range(bpc);
    const CiedeRow ref = { &sample[0][0], &sample[0][1], &sample[0][2] },
                   dist = { &sample[1][0], &sample[1][1], &sample[1][2] };
    const float want = ciede_pixel(&ref, &dist, 0, &range);
    float got;
    if (!pixel_difference(form, &range, curves, sample[0], sample[1], &got))
        return false;
    if (got != want)
        fail_msg("form %d, %u bits: %u %u %u and %u %u %u are %.9g apart, not %.9g", form, bpc,
                 sample[0][0], sample[0][1], sample[0][2], sample[1][0], sample[1][1], sample[1][2],
                 want, got);
    return true;
}

static void check(enum PixelForm form, unsigned bpc, enum Palette palette)
{
    unsigned unsure = 0;
    for (unsigned i = 0; i < PIXELS; i++) {
        uint16_t sample[2][3];
        for (unsigned p = 0; p < 3; p++) {
            sample[0][p] = (uint16_t)colour(palette, p, 1u << (bpc - 8));
            sample[1][p] = (uint16_t)distorted(palette, sample[0][p], 1u << (bpc - 8));
        }
        unsure += !is_sure(form, bpc, sample);
    }
    /* The list has room for one pixel in 128. */
    assert_in_range(unsure, 0, PIXELS / 200);
}

/* Pixels for which at least one form computes another float than the CPU. */
static const struct {
    unsigned bpc;
    uint16_t sample[2][3];
} hard[] = {
    { 8, { { 0, 71, 229 }, { 60, 249, 107 } } },
    { 8, { { 128, 108, 16 }, { 118, 104, 136 } } },
    { 8, { { 145, 149, 107 }, { 143, 147, 104 } } },
    { 8, { { 80, 146, 121 }, { 81, 144, 118 } } },
    { 8, { { 50, 147, 158 }, { 52, 147, 155 } } },
    { 8, { { 54, 136, 141 }, { 53, 137, 143 } } },
    { 8, { { 18, 144, 105 }, { 17, 147, 107 } } },
    { 10, { { 174, 552, 500 }, { 172, 551, 498 } } },
    { 10, { { 369, 537, 493 }, { 368, 538, 492 } } },
    { 10, { { 613, 406, 409 }, { 612, 405, 406 } } },
    { 10, { { 802, 433, 367 }, { 803, 431, 364 } } },
    { 12, { { 2712, 1298, 2965 }, { 2741, 2156, 2367 } } },
    { 12, { { 804, 2199, 2171 }, { 803, 2196, 2165 } } },
    { 12, { { 2723, 2433, 1542 }, { 2717, 2429, 1539 } } },
    { 16, { { 27285, 63608, 26759 }, { 48997, 3510, 65057 } } },
    { 16, { { 47608, 30334, 35157 }, { 47608, 30329, 35149 } } },
    { 16, { { 59403, 10125, 1143 }, { 18439, 19434, 42803 } } },
};

static void hard_ones_are_left_alone(void **state)
{
    (void)state;
    unsigned unsure[PIXEL_FORMS] = { 0 };
    ciede_fill_curves(curves);
    for (unsigned i = 0; i < COUNT(hard); i++)
        for (unsigned form = 0; form < PIXEL_FORMS; form++) {
            uint16_t sample[2][3];
            memcpy(sample, hard[i].sample, sizeof(sample));
            unsure[form] += !is_sure((enum PixelForm)form, hard[i].bpc, sample);
        }
    for (unsigned form = 0; form < PIXEL_FORMS; form++)
        assert_true(unsure[form] > 0);
}

static void what_is_sure_is_right(void **state)
{
    (void)state;
    static const unsigned depths[] = { 8, 10, 12, 16 };
    ciede_fill_curves(curves);
    for (unsigned form = 0; form < PIXEL_FORMS; form++)
        for (unsigned d = 0; d < COUNT(depths); d++)
            for (unsigned palette = 0; palette < PALETTES; palette++)
                check((enum PixelForm)form, depths[d], (enum Palette)palette);
}

TEST_MAIN(ciede_pixels)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(hard_ones_are_left_alone),
                                        cmocka_unit_test(what_is_sure_is_right) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
