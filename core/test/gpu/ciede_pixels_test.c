/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where ciede's kernels are sure of a pixel's difference it is the CPU's, to the last bit, and they are of nearly all. */
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

/* Colours: anything, grey and nearly so, natural ones, the ends of the range. */
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

/* Some samples a little off, or all of them anything. */
static unsigned distorted(enum Palette palette, unsigned value, unsigned unit)
{
    const unsigned top = 256 * unit - 1;
    if (palette == NOISE)
        return any() & top;
    const int off = (int)value + (int)(any() % 7) - 3;
    return off < 0 ? 0 : off > (int)top ? top : (unsigned)off;
}

static void check(enum PixelForm form, unsigned bpc, enum Palette palette)
{
    const CiedeRange range = ciede_range(bpc);
    unsigned unsure = 0;
    for (unsigned i = 0; i < PIXELS; i++) {
        uint16_t sample[2][3];
        for (unsigned p = 0; p < 3; p++) {
            sample[0][p] = (uint16_t)colour(palette, p, 1u << (bpc - 8));
            sample[1][p] = (uint16_t)distorted(palette, sample[0][p], 1u << (bpc - 8));
        }
        const CiedeRow ref = { &sample[0][0], &sample[0][1], &sample[0][2] },
                       dist = { &sample[1][0], &sample[1][1], &sample[1][2] };
        const float want = ciede_pixel(&ref, &dist, 0, &range);
        float got;
        if (!pixel_difference(form, &range, curves, sample[0], sample[1], &got))
            unsure++;
        else if (got != want)
            fail_msg("form %d, %u bits: %u %u %u and %u %u %u are %.9g apart, not %.9g", form, bpc,
                     sample[0][0], sample[0][1], sample[0][2], sample[1][0], sample[1][1],
                     sample[1][2], want, got);
    }
    /* The list has room for one pixel in 128. */
    assert_in_range(unsure, 0, PIXELS / 200);
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_sure_is_right) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
