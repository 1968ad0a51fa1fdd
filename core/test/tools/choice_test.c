/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests the model that --model auto chooses, and what models of v1 are told of the encode. */
#include <stdio.h>
#include <string.h>

#include "vmaf/choice.h"
#include "testing.h"

enum { GREY = VMAF_PIX_FMT_YUV400P, C420 = VMAF_PIX_FMT_YUV420P, C422 = VMAF_PIX_FMT_YUV422P };
enum { C444 = VMAF_PIX_FMT_YUV444P };

static ScoredPair pair_of(unsigned width, unsigned height, int format, unsigned num, unsigned den)
{
    return (ScoredPair){ .scored = { width, height, 10, (enum VmafPixelFormat)format },
                         .rate_num = num,
                         .rate_den = den };
}

static void models_by_the_table(void **state)
{
    static const struct {
        enum Display display;
        unsigned width, height;
        int format;
        unsigned num, den;
        const char *model;
    } rows[] = {
        { DISPLAY_DERIVED, 1920, 1080, C420, 24, 1, "vmaf_v1.0.16_3d0h" },
        { DISPLAY_DERIVED, 1920, 1080, C420, 0, 0, "vmaf_v1.0.16_3d0h" },
        { DISPLAY_DERIVED, 1920, 1080, C420, 46, 1, "vmaf_v1.0.16_3d0h" },
        { DISPLAY_DERIVED, 1920, 1080, C420, 47, 1, "vmaf_v1.0.16_hfr_3d0h" },
        { DISPLAY_DERIVED, 1920, 1080, C420, 46999, 1000, "vmaf_v1.0.16_3d0h" },
        { DISPLAY_DERIVED, 1920, 1080, C420, 60000, 1001, "vmaf_v1.0.16_hfr_3d0h" },
        { DISPLAY_DERIVED, 2560, 1440, C420, 30, 1, "vmaf_v1.0.16_3d0h" },
        { DISPLAY_DERIVED, 2562, 1440, C420, 30, 1, "vmaf_v1.0.16_1d5h_2160" },
        { DISPLAY_DERIVED, 3840, 2160, C420, 50, 1, "vmaf_v1.0.16_hfr_1d5h_2160" },
        { DISPLAY_HD, 3840, 2160, C420, 24, 1, "vmaf_v1.0.16_3d0h" },
        { DISPLAY_PHONE, 1920, 1080, C420, 24, 1, "vmaf_v1.0.16_5d0h" },
        { DISPLAY_PHONE, 3840, 2160, C420, 60, 1, "vmaf_v1.0.16_hfr_5d0h" },
        { DISPLAY_4K, 1920, 1080, C420, 24, 1, "vmaf_v1.0.16_1d5h_2160" },
        { DISPLAY_4K_TV, 3840, 2160, C420, 24, 1, "vmaf_v1.0.16_3d0h_2160" },
        { DISPLAY_4K_TV, 3840, 2160, C420, 50, 1, "vmaf_v1.0.16_hfr_3d0h_2160" },
        /* grey */
        { DISPLAY_DERIVED, 1920, 1080, GREY, 60, 1, "vmaf_v0.6.1" },
        { DISPLAY_DERIVED, 3840, 2160, GREY, 24, 1, "vmaf_4k_v0.6.1" },
        { DISPLAY_4K, 1920, 1080, GREY, 24, 1, "vmaf_4k_v0.6.1" },
        { DISPLAY_PHONE, 3840, 2160, GREY, 24, 1, "vmaf_v0.6.1" },
        /* small */
        { DISPLAY_DERIVED, 284, 160, C420, 24, 1, "vmaf_v1.0.16_3d0h" },
        { DISPLAY_DERIVED, 284, 159, C420, 60, 1, "vmaf_v0.6.1" },
        { DISPLAY_DERIVED, 159, 284, C420, 60, 1, "vmaf_v0.6.1" },
        { DISPLAY_DERIVED, 215, 215, C420, 24, 1, "vmaf_v0.6.1" },
        { DISPLAY_DERIVED, 215, 216, C420, 24, 1, "vmaf_v1.0.16_3d0h" },
        { DISPLAY_PHONE, 400, 265, C420, 24, 1, "vmaf_v0.6.1" },
        { DISPLAY_PHONE, 400, 266, C420, 24, 1, "vmaf_v1.0.16_5d0h" },
        { DISPLAY_4K_TV, 400, 317, C420, 24, 1, "vmaf_v0.6.1" },
        { DISPLAY_4K_TV, 400, 318, C420, 24, 1, "vmaf_v1.0.16_3d0h_2160" },
        /* Chroma planes are the smallest, so a format with larger ones allows smaller pictures. */
        { DISPLAY_DERIVED, 284, 80, C422, 24, 1, "vmaf_v1.0.16_3d0h" },
        { DISPLAY_DERIVED, 284, 79, C422, 24, 1, "vmaf_v0.6.1" },
        { DISPLAY_DERIVED, 159, 284, C422, 24, 1, "vmaf_v0.6.1" },
        { DISPLAY_DERIVED, 80, 284, C444, 24, 1, "vmaf_v1.0.16_3d0h" },
        { DISPLAY_DERIVED, 79, 284, C444, 24, 1, "vmaf_v0.6.1" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const ScoredPair pair =
            pair_of(rows[i].width, rows[i].height, rows[i].format, rows[i].num, rows[i].den);
        AutoChoice choice;
        assert_true(choice_auto(&choice, rows[i].display, &pair));
        assert_string_equal(choice.version, rows[i].model);
    }
}

static void hdr_has_no_model(void **state)
{
    ScoredPair pair = pair_of(1920, 1080, C420, 24, 1);
    AutoChoice choice;
    pair.hdr = true;
    assert_false(choice_auto(&choice, DISPLAY_DERIVED, &pair));
    pair.scored.pix_fmt = VMAF_PIX_FMT_YUV400P;
    assert_false(choice_auto(&choice, DISPLAY_PHONE, &pair));
}

static void choices_are_explained(void **state)
{
    static const struct {
        enum Display display;
        unsigned width, height, num, den;
        const char *reason;
        bool other_display, fast;
    } rows[] = {
        { DISPLAY_DERIVED, 1920, 1080, 24, 1, "1920x1080, 24 fps", false, false },
        { DISPLAY_DERIVED, 1920, 972, 60, 1, "1920x972, 60 fps", false, false },
        { DISPLAY_DERIVED, 1920, 971, 60, 1, "1920x971, 60 fps", true, false },
        { DISPLAY_DERIVED, 1188, 1920, 30000, 1001, "1188x1920, 29.97 fps", false, false },
        { DISPLAY_DERIVED, 1190, 1920, 0, 0, "1190x1920, rate unknown", true, false },
        { DISPLAY_DERIVED, 1920, 1080, 60001, 1000, "1920x1080, 60.001 fps", false, true },
        { DISPLAY_DERIVED, 3840, 2160, 120, 1, "3840x2160, 120 fps", false, true },
        { DISPLAY_HD, 3840, 2160, 24, 1, "3840x2160, 24 fps", true, false },
        { DISPLAY_PHONE, 1280, 720, 24, 1, "1280x720, 24 fps", false, false },
        { DISPLAY_4K_TV, 3840, 2160, 24, 1, "3840x2160, 24 fps, scores from 0 to 110", false,
          false },
        { DISPLAY_DERIVED, 176, 144, 120, 1, "176x144, too small for the models of v1", false,
          false },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const ScoredPair pair =
            pair_of(rows[i].width, rows[i].height, C420, rows[i].num, rows[i].den);
        AutoChoice choice;
        assert_true(choice_auto(&choice, rows[i].display, &pair));
        assert_string_equal(choice.reason, rows[i].reason);
        assert_int_equal(choice.other_display, rows[i].other_display);
        assert_int_equal(choice.fast, rows[i].fast);
    }
    ScoredPair grey = pair_of(1920, 1080, GREY, 24, 1);
    AutoChoice choice;
    assert_true(choice_auto(&choice, DISPLAY_DERIVED, &grey));
    assert_non_null(strstr(choice.reason, "chroma"));
}

static void displays_have_names(void **state)
{
    enum Display display;
    assert_true(display_find("phone", &display) && display == DISPLAY_PHONE);
    assert_true(display_find("hd", &display) && display == DISPLAY_HD);
    assert_true(display_find("4k", &display) && display == DISPLAY_4K);
    assert_true(display_find("4k_tv", &display) && display == DISPLAY_4K_TV);
    assert_false(display_find("tv", &display));
    assert_false(display_find("", &display));
}

/* Returns the options that are passed to cambi for this value of --model. */
static const char *passed(const char *line, const ScoredPair *pair, EncodeChoice *choice)
{
    static char text[160];
    char error[256];
    ModelSpec spec;
    assert_int_equal(model_spec_parse(&spec, line, error, sizeof(error)), 0);
    *choice = choice_encode(pair, &spec);
    model_spec_destroy(&spec);
    return choice_text(choice, text, sizeof(text));
}

static void encodes_by_the_table(void **state)
{
    static const struct {
        unsigned width, height, depth; /* scored */
        unsigned enc_w, enc_h, enc_depth;
        const char *passed;
        bool raised;
    } rows[] = {
        { 1920, 1080, 10, 0, 0, 0, "", false },
        { 1920, 1080, 10, 1920, 1080, 10, "", false },
        { 1920, 1080, 10, 1920, 1080, 8, "cambi.enc_bitdepth=8", false },
        { 1920, 1080, 10, 960, 540, 8, "cambi.enc_width=960:enc_height=540:enc_bitdepth=8", false },
        { 3840, 2160, 10, 2560, 1440, 10, "cambi.enc_width=2560:enc_height=1440", false },
        { 1920, 1080, 12, 960, 540, 12, "cambi.enc_width=960:enc_height=540", false },
        { 1920, 1080, 10, 960, 540, 9, "cambi.enc_width=960:enc_height=540:enc_bitdepth=9", false },
        { 1920, 1080, 8, 960, 540, 10, "cambi.enc_width=960:enc_height=540:enc_bitdepth=10",
          false },
        /* only the width is smaller */
        { 1920, 1080, 10, 1440, 1080, 10, "cambi.enc_width=1440:enc_height=1080", false },
        /* scaled down in one direction or both */
        { 1920, 1080, 10, 2560, 1440, 8, "cambi.enc_bitdepth=8", false },
        { 1920, 1080, 10, 2560, 1080, 10, "", false },
        { 1920, 1080, 10, 960, 1082, 10, "", false },
        /* smaller than cambi takes */
        { 1920, 1080, 10, 256, 144, 8, "cambi.enc_width=256:enc_height=144:enc_bitdepth=8", false },
        { 1920, 1080, 10, 160, 90, 10, "cambi.enc_width=256:enc_height=144", true },
        { 1920, 1080, 10, 90, 160, 10, "cambi.enc_width=144:enc_height=256", true },
        { 1920, 1080, 10, 200, 200, 10, "cambi.enc_width=216:enc_height=216", true },
        { 1920, 1080, 10, 215, 150, 10, "cambi.enc_width=216:enc_height=151", true },
        { 1920, 1080, 10, 1000, 70, 10, "", false }, /* wider than the pictures, once raised */
        { 1920, 1080, 10, 800, 100, 10, "cambi.enc_width=1152:enc_height=144", true },
        /* a window that is too large for the source */
        { 4096, 2160, 10, 1920, 1012, 10,
          "cambi.enc_width=1920:enc_height=1012:src_width=1920:src_height=1012", false },
        { 4096, 2160, 10, 2048, 1080, 10, "cambi.enc_width=2048:enc_height=1080", false },
        { 4096, 2160, 10, 274, 144, 8,
          "cambi.enc_width=274:enc_height=144:enc_bitdepth=8:src_width=320:src_height=200", false },
        { 3840, 2160, 10, 960, 540, 10, "cambi.enc_width=960:enc_height=540", false },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        ScoredPair pair = pair_of(rows[i].width, rows[i].height, C420, 24, 1);
        EncodeChoice choice;
        pair.scored.bitdepth = rows[i].depth;
        pair.width = rows[i].enc_w;
        pair.height = rows[i].enc_h;
        pair.bitdepth = rows[i].enc_depth;
        assert_string_equal(passed("auto", &pair, &choice), rows[i].passed);
        assert_int_equal(choice.raised, rows[i].raised);
        assert_false(choice.refused);
    }
}

static void options_by_hand_win(void **state)
{
    ScoredPair pair = pair_of(1920, 1080, C420, 24, 1);
    EncodeChoice choice;
    pair.width = 960;
    pair.height = 540;
    pair.bitdepth = 8;
    assert_string_equal(passed("auto:cambi.enc_width=1280:cambi.enc_height=720", &pair, &choice),
                        "");
    assert_string_equal(passed("auto:cambi.enc_bitdepth=8", &pair, &choice), "");
    assert_string_equal(passed("auto:cambi.window_size=63:adm.x=1", &pair, &choice),
                        "cambi.enc_width=960:enc_height=540:enc_bitdepth=8");
    /* The user's values replace those that the model does not set. */
    pair.told_size = true;
    assert_string_equal(passed("auto:cambi.enc_bitdepth=8", &pair, &choice),
                        "cambi.enc_width=960:enc_height=540");
    assert_string_equal(passed("auto:cambi.enc_width=1280", &pair, &choice), "");
    pair.told_bitdepth = true;
    assert_string_equal(passed("auto:cambi.enc_width=1280", &pair, &choice),
                        "cambi.enc_bitdepth=8");
    pair.scored = (VideoFormat){ 4096, 2160, 10, VMAF_PIX_FMT_YUV420P };
    assert_string_equal(passed("auto:cambi.src_width=4096:cambi.src_height=2160", &pair, &choice),
                        "cambi.enc_width=960:enc_height=540:enc_bitdepth=8");
    pair.width = 5000;
    passed("auto", &pair, &choice);
    assert_true(choice.refused);
    assert_int_equal(choice.enc_width, 0);
}

TEST_MAIN(choice)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_by_the_table),   cmocka_unit_test(hdr_has_no_model),
        cmocka_unit_test(choices_are_explained), cmocka_unit_test(displays_have_names),
        cmocka_unit_test(encodes_by_the_table),  cmocka_unit_test(options_by_hand_win),
    };
    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
