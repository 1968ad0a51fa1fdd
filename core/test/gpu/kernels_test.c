/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every feature with GPU code gives the result of its scalar code, in sizes down to the smallest,
 * odd sizes, all formats, depths and kinds of content. Every kernel must run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "clip.h"
#include "gpu/selftest.h"
#include "rig.h"
#include "variants.h"

#define MAX_KERNELS 128

static const unsigned depths[] = { 8, 10, 12, 16 };
static const enum VmafPixelFormat formats[] = { VMAF_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV444P,
                                                VMAF_PIX_FMT_YUV422P, VMAF_PIX_FMT_YUV400P };

static unsigned failures, runs;
static bool has_run[MAX_KERNELS]; /* by number in kernel_infos */

static void note_kernels(char *names)
{
    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", ")) {
        const KernelInfo *info = kernel_info_find(name);
        assert_non_null(info);
        assert_true(info - kernel_infos < MAX_KERNELS);
        has_run[info - kernel_infos] = true;
    }
}

/* Checks with or without doubles. Returns whether that makes a difference. */
static bool check_with(const GpuCheck *check, bool doubles)
{
    char kernels[1024] = "";
    rig_gpu()->tuning.doubles = doubles;
    const int result = gpu_check(rig_gpu(), check, kernels, sizeof(kernels));
    const bool matters = any_has_two_forms(kernels);
    if (result == -ENOTSUP)
        return false;
    runs += !doubles;
    if (result) {
        failures++;
        print_error("%s: %ux%u, format %d, %u bits, content %d: result %d (%s)\n", check->def->name,
                    check->shape.w[0], check->shape.h[0], check->shape.pix_fmt, check->shape.bpc,
                    check->content, result, kernels);
    }
    note_kernels(kernels);
    return matters;
}

/* True on slow devices and under the sanitizer, which is slow. */
static bool few_cases(void)
{
    return SANITIZED || rig_is_slow();
}

/* Under the slow sanitizer only host_features_test.c tests both forms. */
static bool with_doubles(void)
{
    return !SANITIZED && rig_may_use_doubles();
}

/* Counts as one run. */
static void check_one(const GpuCheck *check)
{
    if (check_with(check, false) && with_doubles())
        check_with(check, true);
}

/* ---- features ---- */

static const unsigned sizes[][2] = {
    { 16, 16 },  { 17, 19 },   { 33, 31 },      { 64, 48 }, { 127, 65 },
    { 130, 34 }, { 201, 183 }, { 256, 3 * 36 }, { 1, 1 },   { 5, 3 },
};

static void check_feature(const FeatureDef *def)
{
    runs = 0;
    for (unsigned s = 0; s < COUNT(sizes); s++) {
        for (unsigned d = 0; d < COUNT(depths); d++) {
            if (few_cases() && d % 2 != s % 2)
                continue;
            GpuCheck check = { .def = def, .seed = s + 1, .content = (s + d) % CHECK_CONTENTS };
            assert_int_equal(0, shape_init(&check.shape, formats[(s + d) % COUNT(formats)],
                                           depths[d], sizes[s][0], sizes[s][1]));
            check_one(&check);
            if (check.content == CHECK_TEXTURE || few_cases() || sizes[s][0] > 200)
                continue;
            check.content = CHECK_TEXTURE;
            check_one(&check);
        }
    }
    print_message("%s: %u runs\n", def->name, runs);
    assert_true(runs > 0);
}

static void test_features(void **unused)
{
    log_set_level(VMAF_LOG_LEVEL_NONE); /* some sizes are too small for some features */
    for (const FeatureDef *const *def = feature_registry; *def; def++)
        if ((*def)->gpu)
            check_feature(*def);
    assert_int_equal(0, failures);
}

/* ---- options that choose other kernels or other code in them ---- */

static const ClipFeature option_sets[] = {
    { "vif", { "vif_enhn_gain_limit", "1" } },
    { "vif", { "vif_enhn_gain_limit", "1.25" } },
    { "vif", { "vif_skip_scale0", "true" } },
    { "adm", { "adm_enhn_gain_limit", "1.2", "adm_csf_mode", "1" } },
    { "adm", { "adm_skip_aim", "true", "adm_noise_weight", "0" } },
    { "adm", { "adm_skip_scale0", "true", "adm_enhn_gain_limit", "1" } },
    { "motion", { "motion_five_frame_window", "true" } },
#ifdef HAVE_FLOAT
    { "float_adm", { "adm_enhn_gain_limit", "1", "adm_noise_weight", "0" } },
    { "float_adm", { "adm_enhn_gain_limit", "1.2", "adm_csf_mode", "1" } },
    { "float_adm", { "adm_p_norm", "2.5", "adm_skip_scale0", "true" } },
    { "float_adm", { "adm_p_norm", "1" } },
    { "float_adm", { "adm_bypass_cm", "1", "adm_skip_scale0", "true" } },
    { "float_motion", { "motion_add_scale1", "true" } },
    { "float_motion", { "motion_filter_size", "3" } },
    { "float_motion", { "motion_filter_size", "1", "motion_add_scale1", "true" } },
    { "float_motion", { "motion_force_zero", "true" } },
    { "float_vif", { "vif_sigma_nsq", "0", "vif_enhn_gain_limit", "1" } },
    { "float_vif", { "vif_kernelscale", "2", "vif_sigma_nsq", "0.3" } },
    { "float_vif", { "vif_prescale", "0.7", "vif_prescale_method", "lanczos4" } },
    { "float_vif", { "vif_prescale", "1.5", "vif_prescale_method", "bilinear" } },
    { "float_vif", { "vif_prescale", "0.5", "vif_skip_scale0", "true" } },
#endif
    { "xpsnr", { "fps", "60" } },
    { "xpsnr", { "enable_chroma", "false" } },
    { "float_ssim", { "scale", "1" } },
    { "float_ssim", { "scale", "3" } },
    { "float_ssim", { "scale", "10" } },
    { "cambi", { "full_ref", "true" } },
    { "cambi", { "window_size", "127", "topk", "1" } },
    { "cambi", { "max_log_contrast", "5", "tvi_threshold", "0.005" } },
    { "cambi", { "max_log_contrast", "0", "topk", "0.001" } },
    { "cambi", { "enc_width", "200", "enc_height", "217", "full_ref", "true" } },
    { "cambi", { "src_width", "400", "src_height", "300", "full_ref", "true" } },
    { "cambi", { "tvi_threshold", "0.0001", "cambi_vis_lum_threshold", "300" } },
    { "cambi", { "enc_bitdepth", "8", "cambi_eotf", "pq", "cambi_vis_lum_threshold", "2" } },
};

static void test_options(void **unused)
{
    failures = 0;
    for (unsigned i = 0; i < COUNT(option_sets); i++) {
        runs = 0;
        for (unsigned d = 0; d < COUNT(depths); d++) {
            if (few_cases() && d > 0 && d != 1 + i % 3)
                continue;
            GpuCheck check = {
                .def = feature_find(option_sets[i].name),
                .options = option_sets[i].options,
                .content = (i + d) % 2 ? CHECK_TEXTURE : CHECK_BANDS,
                .seed = i,
            };
            assert_int_equal(0,
                             shape_init(&check.shape, VMAF_PIX_FMT_YUV400P, depths[d], 261, 219));
            check_one(&check);
        }
        print_message("%s, %s = %s: %u runs\n", option_sets[i].name, option_sets[i].options[0],
                      option_sets[i].options[1], runs);
        assert_int_equal(few_cases() ? 2 : 4, runs);
    }
    assert_int_equal(0, failures);
}

/* Features that share a plan, with a weight for each level and view, and sizes at which workgroups
 * are cut off. */
static void test_joined(void **unused)
{
    static const char *const first[][5] = { { NULL },
                                            { "adm_enhn_gain_limit", "1" },
                                            { "adm_enhn_gain_limit", "1.2" } };
    static const char *const second[][5] = {
        { "adm_norm_view_dist", "5" },
        { "adm_enhn_gain_limit", "1", "adm_csf_mode", "1" },
        { "adm_enhn_gain_limit", "1.2", "adm_norm_view_dist", "24" },
    };
    static const unsigned joined_sizes[][2] = { { 17, 19 }, { 130, 34 }, { 261, 219 } };
    failures = runs = 0;
    for (unsigned i = 0; i < COUNT(first) * COUNT(joined_sizes); i++) {
        const unsigned *const size = joined_sizes[i / COUNT(first)];
        GpuCheck check = { .def = feature_find("adm"),
                           .options = first[i % COUNT(first)],
                           .joined_options = second[i % COUNT(first)],
                           .content = i % CHECK_CONTENTS,
                           .seed = i };
        assert_int_equal(0, shape_init(&check.shape, VMAF_PIX_FMT_YUV420P,
                                       depths[(i + i / COUNT(first)) % 2], size[0], size[1]));
        check_one(&check);
    }
    assert_int_equal(COUNT(first) * COUNT(joined_sizes), runs);
    assert_int_equal(0, failures);
}

/* ---- shapes ---- */

/* Pictures so wide or so high that a window spans their smallest scales. */
static void test_long_shapes(void **unused)
{
    static const unsigned long_sizes[][2] = { { 1501, 217 }, { 217, 1501 } };
    static const char *const options[] = { "window_size", "127", "full_ref", "true", NULL };
    failures = runs = 0;
    for (unsigned s = 0; s < COUNT(long_sizes); s++) {
        for (unsigned d = 0; d < (few_cases() ? 1 : 2); d++) {
            GpuCheck check = { .def = feature_find("cambi"),
                               .options = options,
                               .content = d ? CHECK_FLAT : CHECK_BANDS,
                               .seed = s };
            assert_int_equal(0, shape_init(&check.shape, VMAF_PIX_FMT_YUV400P, d ? 8 : 10,
                                           long_sizes[s][0], long_sizes[s][1]));
            check_one(&check);
        }
    }
    assert_int_equal(few_cases() ? 2 : 4, runs);
    assert_int_equal(0, failures);
}

/* vif where the last scale is one sample wide or high, or both, and near that. */
static void test_small_vif(void **unused)
{
    static const unsigned edges[] = { 8, 9, 11, 12, 15, 16, 17, 40 };
    static const char *const options[][7] = { { NULL },
                                              { "vif_skip_scale0", "true" },
                                              { "vif_enhn_gain_limit", "1.25" } };
    failures = runs = 0;
    for (unsigned i = 0; i < COUNT(edges) * COUNT(edges); i++) {
        GpuCheck check = { .def = feature_find("vif"),
                           .options = options[i % COUNT(options)],
                           .content = i % 2 ? CHECK_TEXTURE : CHECK_EXTREMES,
                           .seed = i };
        assert_int_equal(0,
                         shape_init(&check.shape, VMAF_PIX_FMT_YUV400P, depths[i % COUNT(depths)],
                                    edges[i / COUNT(edges)], edges[i % COUNT(edges)]));
        check_one(&check);
    }
    assert_int_equal(COUNT(edges) * COUNT(edges), runs);
    assert_int_equal(0, failures);
}

/* Tests ssimulacra2 with every number of scales, tiles that the edge cuts, all formats and
 * options. */
static void test_ssimulacra2(void **unused)
{
    static const unsigned sides[] = { 8, 9, 15, 31, 32, 33, 64, 65, 113, 201 };
    static const char *const options[][7] = {
        { NULL },
        { "matrix", "bt601", "prune", "true" },
        { "ref_tags", "bt2020ncl/full/8", "dist_tags", "bt601/limited" },
    };
    static const char *const rgb[] = { "ref_tags", "gbr/full/8", "dist_tags", "bt709/full", NULL };
    GpuCheck first = { .def = feature_find("ssimulacra2")->gpu->first_check };
    failures = runs = 0;
    assert_int_equal(0, shape_init(&first.shape, formats[0], 8, 64, 64));
    check_one(&first);
    assert_int_equal(1, runs);
    runs = 0;
    for (unsigned i = 0; i < COUNT(sides) * COUNT(sides); i++) {
        if (few_cases() && i % 3)
            continue;
        GpuCheck check = { .def = feature_find("ssimulacra2"),
                           .options = i % 8 == 1 ? rgb : options[i / 4 % COUNT(options)],
                           .content = i / 7 % 2 ? CHECK_TEXTURE : CHECK_EXTREMES,
                           .seed = i };
        assert_int_equal(0, shape_init(&check.shape, formats[i % COUNT(formats)],
                                       depths[i / 3 % COUNT(depths)], sides[i / COUNT(sides)],
                                       sides[i % COUNT(sides)]));
        check_one(&check);
    }
    assert_int_equal(few_cases() ? 34 : COUNT(sides) * COUNT(sides), runs);
    assert_int_equal(0, failures);
}

/* Options that read chroma, in every format that has it. */
static void test_chroma(void **unused)
{
#ifdef HAVE_FLOAT
    static const char *const options[] = { "motion_add_uv", "true", "motion_add_scale1", "true",
                                           NULL };
    failures = runs = 0;
    for (unsigned i = 0; i < 3; i++) {
        GpuCheck check = { .def = feature_find("float_motion"), .options = options, .seed = i };
        assert_int_equal(0, shape_init(&check.shape, formats[i], depths[i], 131, 75));
        check_one(&check);
    }
    assert_int_equal(3, runs);
    assert_int_equal(0, failures);
#endif
}

/* SpEED, on planes large enough that their covariance is not singular. */
static void test_speed(void **unused)
{
    static const ClipFeature sets[] = {
        { "speed_chroma", { NULL } },
        { "speed_temporal", { NULL } },
        { "speed_chroma", { "speed_kernelscale", "3", "speed_weight_var_mode", "5" } },
        { "speed_chroma", { "speed_prescale", "1.3", "speed_prescale_method", "lanczos4" } },
        { "speed_temporal", { "speed_prescale", "0.7", "speed_prescale_method", "bilinear" } },
        { "speed_temporal", { "speed_kernelscale", "0.5", "speed_use_ref_diff", "true" } },
        { "speed_temporal", { "speed_prescale", "2.1", "speed_prescale_method", "bicubic" } },
        { "speed_chroma", { "speed_prescale", "0.8" } },
    };
    failures = runs = 0;
    for (unsigned i = 0; i < COUNT(sets); i++) {
        GpuCheck check = { .def = feature_find(sets[i].name),
                           .options = sets[i].options,
                           .seed = i };
        assert_int_equal(0, shape_init(&check.shape, formats[i % 3], depths[i % COUNT(depths)],
                                       523 + 7 * i, 421 + 3 * i));
        check_one(&check);
    }
    assert_int_equal(COUNT(sets), runs);
    assert_int_equal(0, failures);
}

/* Tests xpsnr around the areas from which it smooths weights and measures at half the resolution,
 * with blocks that begin within a word of chroma, and with edges of one and two samples. */
static void test_xpsnr(void **unused)
{
    static const unsigned shapes[][2] = {
        { 641, 480 }, { 2049, 1153 }, { 2049, 1158 }, { 65, 45 },    { 137, 1 }, { 2600, 1001 },
        { 46, 45 },   { 5000, 3 },    { 3, 5000 },    { 1280, 720 }, { 44, 46 }, { 854, 481 }
    };
    static const char *const rates[][3] = { { "fps", "25", NULL }, { "fps", "60", NULL } };
    failures = runs = 0;
    for (unsigned i = 0; i < 2 * COUNT(shapes); i++) {
        const unsigned *const size = shapes[i / 2];
        GpuCheck check = { .def = feature_find("xpsnr"),
                           .options = rates[(i + i / 8) % 2],
                           .content = i % 3 ? CHECK_TEXTURE : CHECK_EXTREMES,
                           .seed = i };
        if (few_cases() && i % 2)
            continue;
        assert_int_equal(0, shape_init(&check.shape, formats[i / 2 % COUNT(formats)],
                                       depths[(i + i / 4) % COUNT(depths)], size[0], size[1]));
        check_one(&check);
    }
    assert_int_equal(few_cases() ? COUNT(shapes) : 2 * COUNT(shapes), runs);
    assert_int_equal(0, failures);
}

/* ---- kernels ---- */

static void test_every_kernel(void **unused)
{
    unsigned missing = 0;
    for (unsigned i = 0; kernel_infos[i].name; i++) {
        /* No feature uses these; imports_test.c tests them. */
        if (has_run[i] || !strncmp(kernel_infos[i].name, "import_", strlen("import_")))
            continue;
        if (is_variant(kernel_infos[i].name) && !with_doubles())
            continue;
        missing++;
        print_error("kernel %s has not run\n", kernel_infos[i].name);
    }
    assert_int_equal(0, missing);
}

TEST_MAIN(kernels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),  cmocka_unit_test(test_options),
        cmocka_unit_test(test_joined),    cmocka_unit_test(test_long_shapes),
        cmocka_unit_test(test_small_vif), cmocka_unit_test(test_ssimulacra2),
        cmocka_unit_test(test_chroma),    cmocka_unit_test(test_speed),
        cmocka_unit_test(test_xpsnr),     cmocka_unit_test(test_every_kernel)
    };
    return RIG_RUN(argc, argv, tests);
}
