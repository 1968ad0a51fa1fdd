/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ciede: the chroma sample that belongs to a pixel, and pictures that it refuses. */
#include <errno.h>
#include <math.h>

#include "feature/scoring.h"
#include "testing.h"

static unsigned noise(unsigned p, unsigned x, unsigned y)
{
    return ((x + 5) * 2654435761u ^ (y + 31 * p + 3) * 2246822519u) * 3266489917u >> 24;
}

static unsigned other_noise(unsigned p, unsigned x, unsigned y)
{
    return noise(p, x, y) ^ (x * 3 + y + p) % 16;
}

/* Chroma as the reference stores it: rows padded with zeros to a multiple of 32 samples, Cr after
 * Cb. */
static unsigned stored(const VmafPicture *pic, unsigned p, unsigned at)
{
    const unsigned pitch = (pic->w[1] + 31) / 32 * 32, x = at % pitch;
    unsigned y = at / pitch;
    if (p == 1 && y >= pic->h[1]) {
        y -= pic->h[1];
        p = 2;
    }
    return x < pic->w[1] && y < pic->h[1] ? scoring_get(pic, p, x, y) : 0;
}

/* Converts a picture to one with a chroma sample for every pixel. */
static VmafPicture spread(const VmafPicture *pic)
{
    const unsigned pitch = (pic->w[1] + 31) / 32 * 32;
    const unsigned halved = pic->pix_fmt == VMAF_PIX_FMT_YUV420P ? 2 : 1;
    VmafPicture out = scoring_picture(VMAF_PIX_FMT_YUV444P, 8, pic->w[0], pic->h[0], noise);
    for (unsigned y = 0; y < pic->h[0]; y++) {
        for (unsigned x = 0; x < pic->w[0]; x++) {
            scoring_set(&out, 0, x, y, scoring_get(pic, 0, x, y));
            for (unsigned p = 1; p < 3; p++)
                scoring_set(&out, p, x, y, stored(pic, p, y / 2 * pitch + x / halved));
        }
    }
    return out;
}

static void chroma_is_spread_as_stored(void **state)
{
    static const struct {
        enum VmafPixelFormat format;
        unsigned w, h;
    } cases[] = {
        { VMAF_PIX_FMT_YUV420P, 64, 8 }, { VMAF_PIX_FMT_YUV420P, 65, 8 },
        { VMAF_PIX_FMT_YUV420P, 37, 6 }, { VMAF_PIX_FMT_YUV422P, 64, 6 },
        { VMAF_PIX_FMT_YUV422P, 40, 5 }, { VMAF_PIX_FMT_YUV422P, 131, 7 },
        { VMAF_PIX_FMT_YUV422P, 65, 1 }, { VMAF_PIX_FMT_YUV422P, 33, 2 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        VmafPicture ref = scoring_picture(cases[i].format, 8, cases[i].w, cases[i].h, noise);
        VmafPicture dist = scoring_picture(cases[i].format, 8, cases[i].w, cases[i].h, other_noise);
        VmafPicture full_ref = spread(&ref), full_dist = spread(&dist);
        const double want = score_of("ciede", NULL, full_ref, full_dist, "ciede2000");
        assert_true(score_of("ciede", NULL, ref, dist, "ciede2000") == want);
    }
}

static void equal_pictures_score_infinity(void **state)
{
    VmafPicture a = scoring_picture(VMAF_PIX_FMT_YUV444P, 8, 33, 5, noise);
    VmafPicture b = scoring_picture(VMAF_PIX_FMT_YUV444P, 8, 33, 5, noise);
    assert_true(isinf(score_of("ciede", NULL, a, b, "ciede2000")));
}

static void missing_chroma_and_odd_depths_are_refused(void **state)
{
    static const struct {
        enum VmafPixelFormat format;
        unsigned bpc, w, h;
    } cases[] = {
        { VMAF_PIX_FMT_YUV400P, 8, 16, 16 },
        { VMAF_PIX_FMT_YUV420P, 9, 16, 16 },
        { VMAF_PIX_FMT_YUV420P, 8, 16, 1 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        VmafPicture a =
            scoring_picture(cases[i].format, cases[i].bpc, cases[i].w, cases[i].h, noise);
        VmafPicture b =
            scoring_picture(cases[i].format, cases[i].bpc, cases[i].w, cases[i].h, noise);
        Scoring *s;
        assert_int_equal(scoring_open(&s, "ciede", NULL, a, b), -EINVAL);
        scoring_close(s);
    }
}

TEST_MAIN(ciede)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chroma_is_spread_as_stored),
        cmocka_unit_test(equal_pictures_score_infinity),
        cmocka_unit_test(missing_chroma_and_odd_depths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
