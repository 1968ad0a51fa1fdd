/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif: what holds whatever the width is cut into, and what a GPU leaves to the host. */
#include <errno.h>
#include <string.h>

#include "feature/scoring.h"
#include "feature/vif/vif.h"
#include "feature/vif/vif_dsp.h"
#include "feature/vif/vif_frame.h"
#include "feature/vif/vif_tile.h"
#include "gpu/feature_gpu.h"
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

/* ---- pixels that a GPU leaves to the host ---- */

static void open_feature(Feature **out)
{
    const FeatureDef *const def = feature_find("vif");
    assert_int_equal(0, feature_create(out, def, NULL));
    assert_int_equal(0, shape_init(&(*out)->shape, VMAF_PIX_FMT_YUV400P, 8, 64, 64));
    assert_int_equal(0, def->init(*out));
}

static void pixels_left_open_are_added(void **state)
{
    static const int32_t pixels[][4] = { { 0, 200000, 300000, 150000 },
                                         { 2, 5000000, 4000000, 4400000 },
                                         { 2, 131072, 1, 1 } };
    static uint32_t words[VIF_RESULT_WORDS];
    VifResult expected = { 0 }, result;
    Feature *f;
    open_feature(&f);
    const VifPixelParams *const params = &((const VifSetup *)f->state)->pixel;
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        words[VIF_SUMS_AT(s) + VIF_NUM_LOG] = 7 * s + 1;
        expected.scale[s].num_log = 7 * s + 1;
    }
    words[VIF_UNSETTLED] = COUNT(pixels);
    for (unsigned i = 0; i < COUNT(pixels); i++) {
        VifSums sums = { 0 };
        memcpy(words + VIF_UNSETTLED_AT(i), pixels[i], sizeof(pixels[i]));
        vif_add_pixel(&sums, pixels[i][1], pixels[i][2], pixels[i][3], params);
        expected.scale[pixels[i][0]].num_log += sums.num_log;
    }
    assert_int_equal(0, vif_gpu.collect(f, words, &result));
    assert_memory_equal(&expected, &result, sizeof(result));
    assert_true(expected.scale[2].num_log > 15);
    words[VIF_UNSETTLED] = VIF_UNSETTLED_MAX;
    assert_int_equal(0, vif_gpu.collect(f, words, &result));
    words[VIF_UNSETTLED]++;
    assert_int_equal(-EAGAIN, vif_gpu.collect(f, words, &result)); /* the list is not all */
    f->def->close(f);
    feature_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_and_right_are_the_same),
        cmocka_unit_test(pixels_left_open_are_added),
    };
    return cmocka_run_group_tests_name("vif", tests, NULL, NULL);
}
