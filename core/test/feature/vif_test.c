/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif: what holds whatever the width is cut into. */
#include "feature/scoring.h"
#include "feature/vif/vif_dsp.h"
#include "testing.h"
#include "widths.h"

#define HEIGHT 17

static unsigned width;

static unsigned noise(unsigned x, unsigned y)
{
    const unsigned v = (x * 2654435761u ^ y * 40503u) * 2246822519u;
    return v >> 24;
}

static unsigned reference(unsigned p, unsigned x, unsigned y)
{
    return noise(x, y);
}

static unsigned distorted(unsigned p, unsigned x, unsigned y)
{
    return (3 * noise(x, y) + noise(x + 7, y + 3)) / 4;
}

static unsigned reference_flipped(unsigned p, unsigned x, unsigned y)
{
    return reference(p, width - 1 - x, y);
}

static unsigned distorted_flipped(unsigned p, unsigned x, unsigned y)
{
    return distorted(p, width - 1 - x, y);
}

static double scale0(SampleOf *ref, SampleOf *dist)
{
    return score_of("vif", NULL, scoring_picture(VMAF_PIX_FMT_YUV400P, 8, width, HEIGHT, ref),
                    scoring_picture(VMAF_PIX_FMT_YUV400P, 8, width, HEIGHT, dist),
                    "integer_vif_scale0");
}

/* The kernel is even and so is the border, so a picture and its mirror image score the same at full
 * size; of most of these widths the last strip is narrower than the kernel reaches. */
static void left_and_right_are_the_same(void **state)
{
    const unsigned narrow = (unsigned)narrow_width(VIF_STRIP, VIF_STRIP_STEP);
    for (width = narrow - 1; width <= narrow + VIF_REACH; width++)
        assert_true(scale0(reference, distorted) == scale0(reference_flipped, distorted_flipped));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_and_right_are_the_same),
    };
    return cmocka_run_group_tests_name("vif", tests, NULL, NULL);
}
