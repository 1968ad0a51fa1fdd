/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* motion: properties that must hold for every division of the width into strips. */
#include "feature/motion/motion.h"
#include "feature/scoring.h"
#include "testing.h"
#include "widths.h"

#define HEIGHT 5

static unsigned width, frame;

static unsigned moving(unsigned p, unsigned x, unsigned y)
{
    const unsigned v = (x * 2654435761u ^ y * 40503u ^ frame * 97u) * 2246822519u;
    return v >> 24;
}

static unsigned flipped(unsigned p, unsigned x, unsigned y)
{
    return moving(p, width - 1 - x, y);
}

static double motion_of(SampleOf *sample)
{
    VmafContext *vmaf;
    double score;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion", NULL), 0);
    for (frame = 0; frame < 2; frame++) {
        VmafPicture ref = scoring_picture(VMAF_PIX_FMT_YUV400P, 8, width, HEIGHT, sample);
        VmafPicture dist = scoring_picture(VMAF_PIX_FMT_YUV400P, 8, width, HEIGHT, sample);
        assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, frame), 0);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_motion2", &score, 1), 0);
    vmaf_close(vmaf);
    return score;
}

/* The kernel and the border are symmetric, so a mirrored picture must score the same. For the
 * middle ones of these widths the last strip is narrower than the kernel's reach. */
static void left_and_right_are_the_same(void **state)
{
    const unsigned narrow = (unsigned)narrow_width(MOTION_STRIP, MOTION_STRIP_STEP);
    for (width = narrow - 1; width <= narrow + MOTION_REACH; width++)
        assert_true(motion_of(moving) == motion_of(flipped));
}

TEST_MAIN(motion)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_and_right_are_the_same),
    };
    return cmocka_run_group_tests_name("motion", tests, NULL, NULL);
}
