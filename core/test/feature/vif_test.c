/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif: properties that must hold for every division of the width into strips, and the work that a
 * GPU leaves to the host. */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "feature/scoring.h"
#include "feature/vif/vif.h"
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

/* The kernel and the border are symmetric, so a mirrored picture must score the same at full size.
 * For most of these widths the last strip is narrower than the kernel's reach. */
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
    assert_int_equal(-EAGAIN, vif_gpu.collect(f, words, &result)); /* the list lacks some pixels */
    f->def->close(f);
    feature_destroy(f);
}

/* ---- the kernels' arithmetic ---- */

static void lines_give_every_logarithm(void **state)
{
    static uint16_t table[VIF_LOG_ENTRIES];
    static uint32_t lines[VIF_LOG_LINES][2];
    vif_log_table_fill(table);
    vif_log_lines_fill(lines, table);
    for (uint32_t x = VIF_LOG_FIRST; x < 2 * VIF_LOG_FIRST; x++) {
        const uint32_t *const line = lines[(x >> VIF_LOG_RUN_BITS) - VIF_LOG_FIRST / VIF_LOG_RUN];
        const uint32_t value = (x * line[0] + line[1]) >> VIF_LOG_SHIFT;
        assert_int_equal(table[x - VIF_LOG_FIRST], value);
    }
}

/* The kernels' dialect in C, on a device whose reciprocal is off by this many units. */
static int reciprocal_off;

static float recip_near(float x)
{
    float inverse = 1.0f / x;
    for (int i = 0; i < 2; i++)
        inverse = reciprocal_off ? nextafterf(inverse, reciprocal_off > 0 ? 1.0f : 0.0f) : inverse;
    return inverse;
}

typedef uint32_t u32;
typedef uint64_t u64;
typedef float f32;
#define u32(x) ((uint32_t)(x))
#define u64(x) ((uint64_t)(x))
#define f32(x) ((float)(x))
#define DEVICE static
#include "feature/vif/vif_divide.h"

static unsigned wrong_quotients;

static void check_division(uint32_t c, uint32_t s1)
{
    const uint64_t square = (uint64_t)c * c;
    if (s1 >= 1u << 17 && s1 < 1u << 31 && c < 1u << 31 && square / s1 <= UINT32_MAX)
        wrong_quotients += divide_square(c, s1) != (square / s1 | square % s1 << 32);
}

/* Checks quotients of all sizes, and those next to which the remainder jumps. */
static void check_divisions(void)
{
    uint32_t random = 1;
    for (int i = 0; i < 300000; i++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t s1 = random >> (1 + (unsigned)i % 14) | 1u << 17;
        random = random * 1664525u + 1013904223u;
        const uint32_t c = random >> (1 + (unsigned)i % 13);
        check_division(c, s1);
        check_division(s1, s1);
        check_division(s1 - 1, s1);
        const uint32_t root =
            (uint32_t)sqrt((double)s1 * (c | 1)); /* a quotient just below or at c */
        check_division(root, s1);
        check_division(root + 1, s1);
    }
    for (uint32_t s1 = 1u << 17; s1 < 1u << 31; s1 = s1 * 2 - (s1 & 1))
        for (uint32_t near = 0; near < 64; near++)
            for (uint32_t c = 1; c < 1u << 31; c = c * 2 + (c & 1)) {
                check_division(c, s1 + near);
                check_division(c + near, s1);
                check_division(c - near, s1 - near);
            }
    for (uint32_t near = 0; near < 4096; near++)
        check_division(INT32_MAX - near, INT32_MAX - near * near % 9001);
}

static void division_is_exact(void **state)
{
    static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    const int mode = fegetround();
    for (unsigned m = 0; m < COUNT(modes); m++)
        for (reciprocal_off = -1; reciprocal_off <= 1; reciprocal_off++) {
            assert_int_equal(0, fesetround(modes[m]));
            check_divisions();
            assert_int_equal(0, fesetround(mode));
            assert_int_equal(0, wrong_quotients);
        }
}

TEST_MAIN(vif)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_and_right_are_the_same),
        cmocka_unit_test(pixels_left_open_are_added),
        cmocka_unit_test(lines_give_every_logarithm),
        cmocka_unit_test(division_is_exact),
    };
    return cmocka_run_group_tests_name("vif", tests, NULL, NULL);
}
