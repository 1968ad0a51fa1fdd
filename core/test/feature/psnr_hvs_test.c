/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr_hvs: the transform, blocks computed by hand, and pictures that it refuses. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feature/scoring.h"
#include "testing.h"

/* The block code with a single lane. */
typedef int32_t hvs_int;
typedef float hvs_float;
#define hvs_to_float(i) ((float)(i))
#define hvs_set(x) ((float)(x))
#define hvs_sqrt(x) sqrtf(x)
#define hvs_abs(i) abs(i)
#define hvs_max(a, b) ((a) > (b) ? (a) : (b))
#define hvs_quotient(a, b) ((b) > 0.0f ? (a) / (b) : 0.0f)
#define hvs_mark(bits, x, bit) ((x) > 0.0f ? (bits) | (bit) : (bits))
#include "feature/psnr_hvs/psnr_hvs_block.h"

static void transform_of_eight_samples(void **state)
{
    int32_t s[8] = { 10, 20, 40, 80, 160, 80, 40, -7 };
    const int32_t want[8] = { 150, -18, -121, 50, 22, -23, -17, 30 };
    hvs_dct8(s, 1);
    assert_memory_equal(s, want, sizeof(want));
}

static void transform_of_blocks(void **state)
{
    const int32_t column[8] = { 252, -147, 0, -14, 0, -6, 0, 0 };
    const int32_t row[8] = { 252, -18, -1, -1, 0, -1, 0, 0 };
    int32_t flat[64], ramp[64], want[64] = { 2039 };
    for (int i = 0; i < 64; i++) {
        flat[i] = 255;
        ramp[i] = i;
    }
    hvs_dct8x8(flat);
    assert_memory_equal(flat, want, sizeof(want));
    memset(want, 0, sizeof(want));
    memcpy(want, row, sizeof(row));
    for (int i = 0; i < 8; i++)
        want[8 * i] = column[i];
    hvs_dct8x8(ramp);
    assert_memory_equal(ramp, want, sizeof(want));
}

static unsigned black(unsigned p, unsigned x, unsigned y)
{
    return 0;
}

static unsigned white(unsigned p, unsigned x, unsigned y)
{
    return 255;
}

/* Two blocks per side that differ in their mean only: by 2039 in each block, before weighting. */
static void flat_pictures(void **state)
{
    VmafPicture a = scoring_picture(VMAF_PIX_FMT_YUV444P, 8, 15, 15, black);
    VmafPicture b = scoring_picture(VMAF_PIX_FMT_YUV444P, 8, 15, 15, white);
    const float weight[3] = { 1.6193873005f, 1.91113096927f, 2.03871978502f };
    double error[3];
    for (int p = 0; p < 3; p++) {
        const float e = 2039.0f * weight[p];
        float sum = 0.0f;
        for (int block = 0; block < 4; block++)
            sum += e * e;
        error[p] = sum / 256.0f / 65025.0f;
    }
    Scoring *s;
    assert_int_equal(scoring_open(&s, "psnr_hvs", NULL, a, b), 0);
    assert_true(scoring_score(s, "psnr_hvs_y") == 10 * (-1 * log10(error[0])));
    assert_true(scoring_score(s, "psnr_hvs_cb") == 10 * (-1 * log10(error[1])));
    assert_true(scoring_score(s, "psnr_hvs_cr") == 10 * (-1 * log10(error[2])));
    assert_true(scoring_score(s, "psnr_hvs") ==
                10 * (-1 * log10(error[0] * 0.8 + 0.1 * (error[1] + error[2]))));
    scoring_close(s);
}

static void equal_and_blockless_planes(void **state)
{
    VmafPicture a = scoring_picture(VMAF_PIX_FMT_YUV420P, 8, 14, 14, white);
    VmafPicture b = scoring_picture(VMAF_PIX_FMT_YUV420P, 8, 14, 14, white);
    Scoring *s;
    assert_int_equal(scoring_open(&s, "psnr_hvs", NULL, a, b), 0);
    assert_true(isinf(scoring_score(s, "psnr_hvs_y")));
    assert_true(isnan(scoring_score(s, "psnr_hvs_cb")));
    assert_true(isnan(scoring_score(s, "psnr_hvs")));
    scoring_close(s);
}

static void no_chroma_and_16_bits_are_refused(void **state)
{
    static const struct {
        enum VmafPixelFormat format;
        unsigned bpc;
    } cases[] = { { VMAF_PIX_FMT_YUV400P, 8 }, { VMAF_PIX_FMT_YUV420P, 16 } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        VmafPicture a = scoring_picture(cases[i].format, cases[i].bpc, 32, 32, white);
        VmafPicture b = scoring_picture(cases[i].format, cases[i].bpc, 32, 32, white);
        Scoring *s;
        assert_int_equal(scoring_open(&s, "psnr_hvs", NULL, a, b), -EINVAL);
        scoring_close(s);
    }
}

TEST_MAIN(psnr_hvs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transform_of_eight_samples),
        cmocka_unit_test(transform_of_blocks),
        cmocka_unit_test(flat_pictures),
        cmocka_unit_test(equal_and_blockless_planes),
        cmocka_unit_test(no_chroma_and_16_bits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
