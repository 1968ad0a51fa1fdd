/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests that chroma is raised to the size of luma linearly, wherever its samples lie, and that
 * nothing is rounded as long as there is room. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "input/chroma.h"
#include "testing.h"

enum { MOST = 23 };

static const struct {
    enum VideoSiting siting;
    double x, y; /* position of the first sample, in samples of luma */
} sitings[] = {
    { SITING_UNKNOWN, 0, 0.5 }, { SITING_LEFT, 0, 0.5 }, { SITING_CENTRE, 0.5, 0.5 },
    { SITING_TOP_LEFT, 0, 0 },  { SITING_TOP, 0.5, 0 },  { SITING_BOTTOM_LEFT, 0, 1 },
    { SITING_BOTTOM, 0.5, 1 },
};

/* A plane of samples, of which those of up to 8 bits take a byte and others take two. */
typedef struct Chroma {
    Planes planes;
    uint16_t samples[MOST * MOST];
    uint8_t bytes[MOST * MOST];
} Chroma;

static void chroma_fill(Chroma *c, enum VmafPixelFormat pix_fmt, unsigned w, unsigned h,
                        unsigned bits)
{
    planes_lay_out(&c->planes, &(VideoFormat){ w, h, bits, pix_fmt });
    const unsigned width = c->planes.width[1];
    for (unsigned i = 0; i < width * c->planes.height[1]; i++) {
        c->samples[i] = (uint16_t)(((unsigned)rand() ^ (unsigned)rand() << 8) & ((1u << bits) - 1));
        c->bytes[i] = (uint8_t)c->samples[i];
    }
    c->planes.data[1] = bits > 8 ? (const uint8_t *)c->samples : c->bytes;
    c->planes.stride[1] = (ptrdiff_t)width * (bits > 8 ? 2 : 1);
}

/* The position of a sample of luma among those of chroma, limited to them. */
static double position(unsigned luma, bool halved, double first, unsigned count)
{
    const double at = halved ? (luma - first) / 2 : luma;
    return at < 0 ? 0 : at > count - 1 ? count - 1 : at;
}

static double between(const Chroma *c, double x, double y)
{
    const unsigned width = c->planes.width[1], height = c->planes.height[1];
    const unsigned left = (unsigned)x, top = (unsigned)y;
    const unsigned right = left + 1 < width ? left + 1 : left;
    const unsigned bottom = top + 1 < height ? top + 1 : top;
    const double across = x - left, down = y - top;
    return (c->samples[top * width + left] * (1 - across) +
            c->samples[top * width + right] * across) *
               (1 - down) +
           (c->samples[bottom * width + left] * (1 - across) +
            c->samples[bottom * width + right] * across) *
               down;
}

static void check(enum VmafPixelFormat pix_fmt, unsigned w, unsigned h, unsigned from, unsigned to)
{
    const bool down = pix_fmt == VMAF_PIX_FMT_YUV420P;
    Chroma c;
    VmafPicture pic;
    chroma_fill(&c, pix_fmt, w, h, from);
    assert_true(chroma_can_raise(&c.planes));
    assert_int_equal(0, vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV444P, to, w, h));
    for (size_t i = 0; i < COUNT(sitings); i++) {
        assert_int_equal(0, chroma_raise(&c.planes, 1, sitings[i].siting, &pic));
        for (unsigned y = 0; y < h; y++) {
            const uint16_t *const row =
                (const uint16_t *)((const char *)pic.data[1] + (ptrdiff_t)y * pic.stride[1]);
            for (unsigned x = 0; x < w; x++) {
                const double across = position(x, true, sitings[i].x, c.planes.width[1]);
                const double at = position(y, down, sitings[i].y, c.planes.height[1]);
                const double exact = ldexp(between(&c, across, at), (int)(to - from));
                assert_true(row[x] == (unsigned)floor(exact + 0.5));
                if (to - from >= CHROMA_BITS)
                    assert_true(row[x] == exact);
            }
        }
    }
    vmaf_picture_unref(&pic);
}

static void chroma_is_raised_from_where_it_lies(void **state)
{
    for (unsigned w = 2; w <= MOST; w += 3) {
        for (unsigned h = 1; h <= MOST; h += 5) {
            check(VMAF_PIX_FMT_YUV420P, w, h + 1, 8, 12);
            check(VMAF_PIX_FMT_YUV422P, w, h, 8, 12);
            check(VMAF_PIX_FMT_YUV420P, w, h + 1, 10, 16);
            check(VMAF_PIX_FMT_YUV422P, w, h, 12, 16);
            check(VMAF_PIX_FMT_YUV420P, w, h + 1, 14, 16);
            check(VMAF_PIX_FMT_YUV420P, w, h + 1, 16, 16);
        }
    }
}

static void other_shapes_are_not_raised(void **state)
{
    Planes planes;
    planes_lay_out(&planes, &(VideoFormat){ 16, 16, 8, VMAF_PIX_FMT_YUV444P });
    assert_false(chroma_can_raise(&planes));
    planes_lay_out(&planes, &(VideoFormat){ 16, 16, 8, VMAF_PIX_FMT_YUV400P });
    assert_false(chroma_can_raise(&planes));
    planes_lay_out(&planes, &(VideoFormat){ 16, 16, 8, VMAF_PIX_FMT_YUV422P });
    planes.width[1] = planes.width[2] = 4; /* 4:1:1 */
    assert_false(chroma_can_raise(&planes));
}

static void samples_beyond_their_depth_are_found(void **state)
{
    Chroma c;
    VmafPicture pic;
    chroma_fill(&c, VMAF_PIX_FMT_YUV420P, 8, 8, 10);
    assert_int_equal(0, vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV444P, 16, 8, 8));
    c.samples[5] = 1024;
    assert_int_equal(-ERANGE, chroma_raise(&c.planes, 1, SITING_LEFT, &pic));
    vmaf_picture_unref(&pic);
}

TEST_MAIN(chroma)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chroma_is_raised_from_where_it_lies),
        cmocka_unit_test(other_shapes_are_not_raised),
        cmocka_unit_test(samples_beyond_their_depth_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
