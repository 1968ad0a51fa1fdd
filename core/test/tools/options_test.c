/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests how the command line is parsed. test/cli tests the errors. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libvmaf/device.h"
#include "libvmaf/report.h"
#include "vmaf/options.h"
#include "testing.h"

/* Parses a line of words. */
static int parse(Options *options, enum Action *action, const char *line)
{
    static char copy[1024];
    char *argv[64] = { "vmaf" };
    int argc = 1;
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return options_parse(options, argc, argv, action);
}

#define parsed(options, line)                                                                      \
    enum Action action;                                                                            \
    Options options;                                                                               \
    assert_int_equal(parse(&options, &action, line), 0);                                           \
    assert_int_equal(action, ACTION_SCORE)

static void defaults(void **state)
{
    parsed(o, "-r a -d b");
    assert_string_equal(o.reference, "a");
    assert_string_equal(o.distorted.at[0], "b");
    assert_false(o.raw);
    assert_int_equal(o.model_count, 1);
    assert_string_equal(o.models[0].version, "vmaf_v0.6.1");
    assert_int_equal(options_format(&o, "report"), VMAF_OUTPUT_FORMAT_XML);
    assert_null(o.backend);
    assert_null(o.outputs.at);
    options_destroy(&o);
}

static void the_last_format_wins(void **state)
{
    parsed(o, "-r a -d b --json --csv");
    assert_int_equal(o.format, VMAF_OUTPUT_FORMAT_CSV);
    options_destroy(&o);
}

/* Without a format option, the extension chooses the format. */
static void the_extension_names_the_format(void **state)
{
    static const struct {
        const char *line, *path;
        int format;
    } cases[] = {
        { "a b", "x.json", VMAF_OUTPUT_FORMAT_JSON },
        { "a b", "x.y/z.CSV", VMAF_OUTPUT_FORMAT_CSV },
        { "a b", "x.sub", VMAF_OUTPUT_FORMAT_SUB },
        { "a b", "x.xml", VMAF_OUTPUT_FORMAT_XML },
        { "a b", "x.json/y", VMAF_OUTPUT_FORMAT_XML },
        { "a b", "x.json5", VMAF_OUTPUT_FORMAT_XML },
        { "a b", "x.", VMAF_OUTPUT_FORMAT_XML },
        { "a b", "-", VMAF_OUTPUT_FORMAT_XML },
        { "a b --xml", "x.json", VMAF_OUTPUT_FORMAT_XML },
        { "a b --csv", "x.json", VMAF_OUTPUT_FORMAT_CSV },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        parsed(o, cases[i].line);
        assert_int_equal(options_format(&o, cases[i].path), cases[i].format);
        options_destroy(&o);
    }
}

static void every_format_of_the_library_is_an_option(void **state)
{
    const char *name;
    unsigned count = 0;
    for (int i = VMAF_OUTPUT_FORMAT_XML; (name = vmaf_output_format_name((enum VmafOutputFormat)i));
         i++, count++) {
        char line[64];
        snprintf(line, sizeof(line), "-r a -d b --%s", name);
        parsed(o, line);
        assert_int_equal(o.format, i);
        options_destroy(&o);
    }
    assert_int_equal(count, 4);
}

/* The options are kept for reports as typed, in order, under their long names. */
static void options_are_kept_as_given(void **state)
{
    static const GivenOption expected[] = {
        { "reference", "a" },
        { "distorted", "b" },
        { "model", "version=x" },
        { "quiet", NULL },
        { "model", "version=y:name=z" },
    };
    parsed(o, "-r a --dist=b -m version=x -qm version=y:name=z");
    assert_int_equal(o.given_count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_string_equal(o.given[i].name, expected[i].name);
        if (expected[i].value)
            assert_string_equal(o.given[i].value, expected[i].value);
        else
            assert_null(o.given[i].value);
    }
    options_destroy(&o);
}

/* Words that are not options are the videos, wherever they stand, and are kept for reports like
 * -r and -d. */
static void videos_may_be_given_without_options(void **state)
{
    parsed(o, "a -q b --frame-cnt 3");
    assert_string_equal(o.reference, "a");
    assert_string_equal(o.distorted.at[0], "b");
    assert_int_equal(o.frame_limit, 3);
    assert_int_equal(o.given_count, 4);
    assert_string_equal(o.given[1].name, "frame_cnt");
    assert_string_equal(o.given[2].name, "reference");
    assert_string_equal(o.given[3].value, "b");
    options_destroy(&o);
}

static void hyphens_are_underscores(void **state)
{
    parsed(o, "-r a -d b --frame-skip_ref 1 --vulkan-allow-software --no-pred");
    assert_int_equal(o.skip[SIDE_REF], 1);
    assert_true(o.allow_software);
    assert_true(o.no_prediction);
    options_destroy(&o);
}

static void precision_becomes_a_format(void **state)
{
    static const struct {
        const char *line, *format;
    } cases[] = {
        { "-r a -d b --precision 1", "%.1g" },      { "-r a -d b --precision 17", "%.17g" },
        { "-r a -d b --precision max", "%.17g" },   { "-r a -d b --precision full", "%.17g" },
        { "-r a -d b --precision legacy", "%.6f" }, { "-r a -d b", "" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        parsed(o, cases[i].line);
        assert_string_equal(o.score_format, cases[i].format);
        options_destroy(&o);
    }
}

/* A prefix that was unique in libvmaf 3.2.0 still is, whatever options were added since. */
static void old_prefixes_stay_unique(void **state)
{
    parsed(o,
           "--ref a --dist b --w 1 --h 2 --p 420 --b 8 --o c --m version=x --no --t 3 --g 0 --q");
    assert_int_equal(o.width, 1);
    assert_int_equal(o.height, 2);
    assert_int_equal(o.bitdepth, 8);
    assert_string_equal(o.outputs.at[0], "c");
    assert_true(o.no_prediction);
    assert_int_equal(o.threads, 3);
    assert_true(o.quiet);
    options_destroy(&o);
    Options v;
    assert_int_equal(parse(&v, &action, "--v"), 0);
    assert_int_equal(action, ACTION_VERSION);
    options_destroy(&v);
}

static void numbers_are_in_c_notation(void **state)
{
    parsed(o, "-r a -d b -w 0x10 -h 010 -p 444 -b 10 --cpumask=-1 -c 0x3f");
    assert_int_equal(o.width, 16);
    assert_int_equal(o.height, 8);
    assert_int_equal(o.cpumask, 0x3f);
    assert_int_equal(o.pix_fmt, VMAF_PIX_FMT_YUV444P);
    options_destroy(&o);
}

static void a_device_names_its_backend(void **state)
{
    parsed(o, "-r a -d b --vulkan_device 0x2 --vulkan_allow_software --no_cuda");
    assert_string_equal(o.backend, "vulkan");
    assert_string_equal(o.device, "0x2");
    assert_true(o.allow_software);
    assert_string_equal(vmaf_backend_name(0), "cuda");
    assert_int_equal(o.backends_off, 1u << 0);
    options_destroy(&o);
}

static void one_option_names_devices_of_all_backends(void **state)
{
    const char *name;
    for (unsigned i = 0; (name = vmaf_backend_name(i)); i++) {
        char line[160];
        snprintf(line, sizeof(line),
                 "-r a -d b --backend %s --device 0000:65:00.0 --allow_software", name);
        parsed(o, line);
        assert_string_equal(o.backend, name);
        assert_string_equal(o.device, "0000:65:00.0");
        assert_true(o.allow_software);
        options_destroy(&o);
        snprintf(line, sizeof(line), "-r a -d b --%s_device H200", name);
        Options old;
        assert_int_equal(parse(&old, &action, line), 0);
        assert_string_equal(old.backend, name);
        assert_string_equal(old.device, "H200");
        options_destroy(&old);
    }
    parsed(o, "-r a -d b --device 1");
    assert_string_equal(o.backend, "auto");
    options_destroy(&o);
}

/* Options that contradict each other are an error in any order. */
static void contradictions_are_errors(void **state)
{
    enum Action action;
    static const char *const pairs[][2] = {
        { "--backend cuda", "--vulkan_device 0" },
        { "--backend cuda", "--vulkan_device llvmpipe" },
        { "--backend host", "--cuda_device 0" },
        { "--backend cpu", "--vulkan_device 0" },
        { "--backend cpu", "--device 0" },
        { "--backend cpu", "--backend vulkan" },
        { "--backend auto", "--backend vulkan" },
        { "--backend vulkan", "--backend cuda" },
        { "--cuda_device 0", "--vulkan_device 0" },
        { "--device 0", "--vulkan_device 1" },
        { "--device 0", "--device 1" },
        { "--vulkan_device 0", "--vulkan_device 1" },
        { "--backend cuda", "--no_cuda" },
        { "--vulkan_device 0", "--no_vulkan" },
        { "--vulkan_device 0", "--gpumask 1" },
        { "--backend vulkan", "--gpumask 1" },
        { "--device 0", "--gpumask 1" },
        { "--vulkan_device 0", "--feature vif_cuda" },
        { "--backend vulkan", "--feature vif_cuda" },
        { "--backend cpu", "--feature vif_cuda" },
        { "--backend cuda,vulkan", "--vulkan_device 0" },
        { "--backend all", "--vulkan_device 0" },
    };
    for (size_t i = 0; i < COUNT(pairs); i++)
        for (unsigned order = 0; order < 2; order++) {
            char line[160];
            Options options;
            snprintf(line, sizeof(line), "-r a -d b %s %s", pairs[i][order], pairs[i][!order]);
            assert_int_equal(parse(&options, &action, line), -EINVAL);
            options_destroy(&options);
        }
    Options options;
    assert_int_equal(parse(&options, &action, "--doctor --cuda_device 0 --backend vulkan"),
                     -EINVAL);
    options_destroy(&options);
}

/* Two options may say the same, and one may be more precise than the other. */
static void agreeing_options_are_accepted(void **state)
{
    enum Action action;
    static const char *const pairs[][2] = {
        { "--backend vulkan", "--vulkan_device 7" },
        { "--backend auto", "--vulkan_device 7" },
        { "--device 7", "--vulkan_device 7" },
        { "--backend vulkan", "--device 7" },
    };
    for (size_t i = 0; i < COUNT(pairs); i++)
        for (unsigned order = 0; order < 2; order++) {
            char line[160];
            Options options;
            snprintf(line, sizeof(line), "-r a -d b %s %s --no_cuda", pairs[i][order],
                     pairs[i][!order]);
            assert_int_equal(parse(&options, &action, line), 0);
            assert_string_equal(options.backend, "vulkan");
            assert_string_equal(options.device, "7");
            options_destroy(&options);
        }
}

static void an_extractor_names_its_backend(void **state)
{
    const char *name;
    for (unsigned i = 0; (name = vmaf_backend_name(i)); i++) {
        static const char *const lines[] = {
            "-r a -d b --feature vif_%s",
            "-r a -d b --feature adm --feature psnr_%s=enable_mse=true",
            "-r a -d b --backend auto --feature float_ssim_%s"
        };
        for (size_t l = 0; l < COUNT(lines); l++) {
            char line[160];
            snprintf(line, sizeof(line), lines[l], name);
            parsed(o, line);
            assert_string_equal(o.backend, name);
            assert_true(o.by_extractor);
            options_destroy(&o);
        }
    }
    parsed(o, "-r a -d b --feature float_vif --feature psnr_hvs");
    assert_null(o.backend);
    options_destroy(&o);
}

static void presets_have_their_models_and_features(void **state)
{
    static const struct {
        const char *line;
        unsigned models, features;
        int common_bitdepth;
    } cases[] = {
        { "-r a -d b --aom_ctc v1.0", 2, 5, 0 }, { "-r a -d b --aom_ctc v2.0", 2, 5, 0 },
        { "-r a -d b --aom_ctc v3.0", 2, 6, 0 }, { "-r a -d b --aom_ctc v4.0", 2, 6, 0 },
        { "-r a -d b --aom_ctc v5.0", 2, 6, 0 }, { "-r a -d b --aom_ctc v6.0", 2, 6, 1 },
        { "-r a -d b --aom_ctc v7.0", 2, 6, 1 }, { "-r a -d b --nflx_ctc v1.0", 2, 3, 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        parsed(o, cases[i].line);
        assert_int_equal(o.model_count, cases[i].models);
        assert_int_equal(o.feature_count, cases[i].features);
        assert_int_equal(o.common_bitdepth, cases[i].common_bitdepth);
        assert_string_equal(o.models[1].name, "vmaf_neg");
        options_destroy(&o);
    }
}

static void a_preset_keeps_its_position(void **state)
{
    parsed(o, "-r a -d b --feature vif --aom_ctc v1.0 --feature adm");
    assert_int_equal(o.feature_count, 7);
    assert_string_equal(o.features[0].extractor, "vif");
    assert_string_equal(o.features[1].extractor, "psnr");
    assert_string_equal(o.features[6].extractor, "adm");
    options_destroy(&o);
}

static void no_prediction_has_no_default_model(void **state)
{
    parsed(o, "-r a -d b -n");
    assert_int_equal(o.model_count, 0);
    options_destroy(&o);
}

static void several_distorted_videos_are_accepted(void **state)
{
    Options o;
    enum Action action;
    char *words[] = { "vmaf", "r", "a", "b", "c", "-o", "x", "-o", "y", "-o", "z" };
    char *dashes[] = { "vmaf", "-d", "a", "-r", "r", "-d", "b", "-o", "x" };
    assert_int_equal(options_parse(&o, COUNT(words), words, &action), 0);
    assert_string_equal(o.reference, "r");
    assert_int_equal(o.distorted.count, 3);
    assert_string_equal(o.distorted.at[2], "c");
    assert_int_equal(o.outputs.count, 3);
    assert_string_equal(o.outputs.at[1], "y");
    options_destroy(&o);
    assert_int_equal(options_parse(&o, COUNT(dashes), dashes, &action), 0);
    assert_int_equal(o.distorted.count, 2);
    assert_string_equal(o.distorted.at[0], "a");
    assert_string_equal(o.distorted.at[1], "b");
    options_destroy(&o);
}

static void lengths_are_frames_or_time(void **state)
{
    static const struct {
        char *text;
        bool in_frames;
        int64_t value; /* frames or ns */
    } cases[] = { { "7", true, 7 },
                  { "-7", true, -7 },
                  { "1.5s", false, 1500000000 },
                  { "-40ms", false, -40000000 },
                  { "2s", false, 2000000000 },
                  { ".5s", false, 500000000 } };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        Options o;
        enum Action action;
        char *argv[] = { "vmaf", "r", "d", "--offset", cases[i].text };
        assert_int_equal(options_parse(&o, COUNT(argv), argv, &action), 0);
        assert_true(o.offset.given);
        assert_int_equal(o.offset.in_frames, cases[i].in_frames);
        assert_int_equal(cases[i].in_frames ? o.offset.frames : o.offset.time, cases[i].value);
        options_destroy(&o);
    }
}

static void rates_are_exact(void **state)
{
    static const struct {
        char *text;
        unsigned num, den;
    } cases[] = { { "25", 25, 1 },          { "30000/1001", 30000, 1001 },
                  { "29.97", 30000, 1001 }, { "23.976", 24000, 1001 },
                  { "59.94", 60000, 1001 }, { "12.5", 12500, 1000 },
                  { "120", 120, 1 },        { "50:2", 50, 2 } };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        Options o;
        enum Action action;
        char *argv[] = { "vmaf", "r", "d", "--fps", cases[i].text };
        assert_int_equal(options_parse(&o, COUNT(argv), argv, &action), 0);
        assert_int_equal(o.fps_num, cases[i].num);
        assert_int_equal(o.fps_den, cases[i].den);
        options_destroy(&o);
    }
}

TEST_MAIN(options)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(the_last_format_wins),
        cmocka_unit_test(the_extension_names_the_format),
        cmocka_unit_test(every_format_of_the_library_is_an_option),
        cmocka_unit_test(options_are_kept_as_given),
        cmocka_unit_test(videos_may_be_given_without_options),
        cmocka_unit_test(hyphens_are_underscores),
        cmocka_unit_test(precision_becomes_a_format),
        cmocka_unit_test(old_prefixes_stay_unique),
        cmocka_unit_test(numbers_are_in_c_notation),
        cmocka_unit_test(a_device_names_its_backend),
        cmocka_unit_test(one_option_names_devices_of_all_backends),
        cmocka_unit_test(contradictions_are_errors),
        cmocka_unit_test(agreeing_options_are_accepted),
        cmocka_unit_test(an_extractor_names_its_backend),
        cmocka_unit_test(presets_have_their_models_and_features),
        cmocka_unit_test(a_preset_keeps_its_position),
        cmocka_unit_test(no_prediction_has_no_default_model),
        cmocka_unit_test(several_distorted_videos_are_accepted),
        cmocka_unit_test(lengths_are_frames_or_time),
        cmocka_unit_test(rates_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
