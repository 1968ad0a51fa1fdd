/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ciede where the device alone cannot decide: sums that depend on the order of additions, and more
 * undecided pixels than its list has room for. */
#include "libvmaf/inspect.h"
#include "libvmaf/libvmaf.h"
#include "rig.h"

enum { W = 400, H = 300 };

typedef struct Pixel {
    uint16_t ref[3], dist[3];
} Pixel;
typedef Pixel Painter(unsigned x, unsigned y);

/* Mostly very different pixels, and a few that are nearly equal. Their differences are smaller than
 * the last bit of the sum so far. */
static Pixel far_and_near(unsigned x, unsigned y)
{
    const uint16_t shade = (uint16_t)(20000 + 97 * x + 31 * y),
                   near = (uint16_t)(x % 7 == 3 || y % 5 == 1);
    const Pixel far = { { shade, 60000, 3000 }, { (uint16_t)(60000 - shade / 2), 2000, 64000 } };
    const Pixel same = { { shade, 30000, 33000 }, { (uint16_t)(shade + 1), 30000, 33000 } };
    /* For this pair of pixels the kernels compute another float than the CPU, and list the
     * pixel. */
    const Pixel hard = { { 47608, 30334, 35157 }, { 47608, 30329, 35149 } };
    return (x + y) % 97 == 5 ? hard : near ? same : far;
}

static const Pixel sure = { { 100, 128, 128 }, { 120, 140, 110 } };
static const Pixel doubtful = { { 109, 242, 85 },
                                { 89, 211, 215 } }; /* in every form of the kernel */

static Pixel some_in_doubt(unsigned x, unsigned y)
{
    return x % 50 == 49 && y % 31 == 7 ? doubtful : sure;
}

static Pixel nearly_all_in_doubt(unsigned x, unsigned y)
{
    return (x + y) % 9 ? doubtful : sure;
}

static VmafPicture paint(Painter *painter, unsigned bpc, bool is_dist)
{
    VmafPicture pic;
    assert_int_equal(0, vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV444P, bpc, W, H));
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < H; y++)
            for (unsigned x = 0; x < W; x++) {
                const Pixel pixel = painter(x, y);
                const uint16_t value = is_dist ? pixel.dist[p] : pixel.ref[p];
                char *const row = (char *)pic.data[p] + y * pic.stride[p];
                if (bpc > 8)
                    ((uint16_t *)row)[x] = value;
                else
                    ((uint8_t *)row)[x] = (uint8_t)value;
            }
    return pic;
}

/* `info` receives where the feature was measured. */
static double score(VmafDevice *device, Painter *painter, unsigned bpc, VmafFeatureInfo *info)
{
    VmafContext *vmaf;
    double result;
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ 0 }));
    if (device)
        assert_int_equal(0, vmaf_use_device(vmaf, device));
    assert_int_equal(0, vmaf_use_feature(vmaf, "ciede", NULL));
    VmafPicture ref = paint(painter, bpc, false), dist = paint(painter, bpc, true);
    assert_int_equal(0, vmaf_read_pictures(vmaf, &ref, &dist, 0));
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    assert_int_equal(0, vmaf_feature_score_at_index(vmaf, "ciede2000", &result, 0));
    *info = (VmafFeatureInfo){ .size = sizeof(*info) };
    assert_int_equal(0, vmaf_feature_info(vmaf, 0, info));
    assert_int_equal(0, vmaf_close(vmaf));
    return result;
}

static void check(Painter *painter, unsigned bpc, unsigned on_cpu)
{
    VmafFeatureInfo info;
    const double want = score(NULL, painter, bpc, &info);
    const bool both = rig_may_use_doubles();
    for (unsigned doubles = 0; doubles <= both; doubles++) {
        rig_gpu()->tuning.doubles = doubles;
        assert_true(score(rig_device(), painter, bpc, &info) == want);
        assert_int_equal(1, info.frames);
        assert_int_equal(on_cpu, info.frames_on_cpu);
    }
}

static void sums_that_depend_on_their_order(void **unused)
{
    (void)unused;
    check(far_and_near, 16, 0);
}

static void pixels_in_doubt(void **unused)
{
    (void)unused;
    check(some_in_doubt, 8, 0);
}

static void too_many_pixels_in_doubt(void **unused)
{
    (void)unused;
    check(nearly_all_in_doubt, 8, 1);
}

TEST_MAIN(colours)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sums_that_depend_on_their_order),
                                        cmocka_unit_test(pixels_in_doubt),
                                        cmocka_unit_test(too_many_pixels_in_doubt) };
    return RIG_RUN(argc, argv, tests);
}
