/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every feature with GPU code gives the result of its scalar code: sizes down to the smallest, odd
 * ones, all formats, depths and kinds of content; the validation layers stay silent throughout. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gpu/check.h"
#include "gpu/session.h"
#include "libvmaf/libvmaf_vulkan.h"

static GpuDevice *gpu_of(VmafVulkanState *of)
{
    return ((GpuSession *)of)->device;
}

static VmafVulkanState *state;

static const unsigned sizes[][2] = {
    { 16, 16 },  { 17, 19 },  { 33, 31 },   { 64, 48 },
    { 127, 65 }, { 130, 34 }, { 201, 183 }, { 256, 3 * 36 },
};

static unsigned failures, runs;

static void check_one(const GpuCheck *check)
{
    char kernels[512] = "";
    const int result = gpu_check(gpu_of(state), check, kernels, sizeof(kernels));
    if (result == -ENOTSUP)
        return;
    runs++;
    if (result) {
        failures++;
        print_error("%s: %ux%u, format %d, %u bits, content %d: result %d (%s)\n", check->def->name,
                    check->shape.w[0], check->shape.h[0], check->shape.pix_fmt, check->shape.bpc,
                    check->content, result, kernels);
    }
}

static void test_features(void **unused)
{
    static const unsigned depths[] = { 8, 10, 12, 16 };
    static const enum VmafPixelFormat formats[] = { VMAF_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV444P,
                                                    VMAF_PIX_FMT_YUV422P, VMAF_PIX_FMT_YUV400P };
    for (const FeatureDef *const *def = feature_registry; *def; def++) {
        if (!(*def)->gpu)
            continue;
        runs = 0;
        for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            for (unsigned d = 0; d < 4; d++) {
                GpuCheck check = { .def = *def,
                                   .seed = s + 1,
                                   .content = (s + d) % CHECK_CONTENTS };
                assert_int_equal(0, shape_init(&check.shape, formats[(s + d) % 4], depths[d],
                                               sizes[s][0], sizes[s][1]));
                check_one(&check);
                check.content = CHECK_TEXTURE;
                check_one(&check);
            }
        }
        print_message("%s: %u runs\n", (*def)->name, runs);
        assert_true(runs > 0);
    }
    assert_int_equal(failures, 0);
    assert_int_equal(vmaf_vulkan_validation_messages(state), 0);
}

/* Options that choose other kernels or other ways through them. */
static const struct {
    const char *feature;
    const char *options[7];
} option_sets[] = {
    { "float_ssim", { "scale", "1" } },
    { "float_ssim", { "scale", "3" } },
    { "float_ssim", { "scale", "10" } },
    { "cambi", { "full_ref", "true" } },
    { "cambi", { "window_size", "127", "topk", "1" } },
    { "cambi", { "max_log_contrast", "5", "tvi_threshold", "0.005" } },
    { "cambi", { "max_log_contrast", "0", "topk", "0.001" } },
    { "cambi", { "enc_width", "200", "enc_height", "217", "full_ref", "true" } },
    { "cambi", { "src_width", "400", "src_height", "300", "full_ref", "true" } },
    { "cambi", { "enc_bitdepth", "8", "cambi_eotf", "pq", "cambi_vis_lum_threshold", "2" } },
};

static void test_options(void **unused)
{
    static const unsigned depths[] = { 8, 10, 12, 16 };
    failures = 0;
    for (unsigned i = 0; i < sizeof(option_sets) / sizeof(option_sets[0]); i++) {
        runs = 0;
        for (unsigned d = 0; d < 4; d++) {
            GpuCheck check = {
                .def = feature_find(option_sets[i].feature),
                .options = option_sets[i].options,
                .content = i % 2 ? CHECK_TEXTURE : CHECK_BANDS,
                .seed = i,
            };
            assert_int_equal(0,
                             shape_init(&check.shape, VMAF_PIX_FMT_YUV400P, depths[d], 261, 219));
            check_one(&check);
            check.content = CHECK_BANDS;
            check_one(&check);
        }
        assert_int_equal(runs, 8);
    }
    assert_int_equal(failures, 0);
    assert_int_equal(vmaf_vulkan_validation_messages(state), 0);
}

int main(void)
{
    VmafVulkanOptions options = { .size = sizeof(options),
                                  .allow_software = 1,
                                  .enable_validation = 1 };
    int err = vmaf_vulkan_state_init_with_options(&state, &options);
    if (err == -ENOTSUP) { /* no validation layers here */
        options.enable_validation = 0;
        err = vmaf_vulkan_state_init_with_options(&state, &options);
    }
    if (err == -ENOSYS || err == -ENODEV)
        return 77;
    if (err) {
        fprintf(stderr, "no state: %d\n", err);
        return 1;
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_features),
                                        cmocka_unit_test(test_options) };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vmaf_vulkan_state_free(&state);
    return failed;
}
