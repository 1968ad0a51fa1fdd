/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public API as a host program uses it: linked to the shared library, public headers only.
 * Pictures and scores have files of their own. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <libvmaf/device.h>
#include <libvmaf/libvmaf_cuda.h>
#include <libvmaf/libvmaf_hip.h>
#include <libvmaf/libvmaf_sycl.h>
#include <libvmaf/metadata.h>

#include "api_use.h"

static void init_and_close(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    assert_int_equal(vmaf_close(vmaf), 0);
    assert_int_equal(vmaf_init(NULL, (VmafConfiguration){ 0 }), -EINVAL);
    assert_int_equal(vmaf_close(NULL), -EINVAL);
    assert_string_equal(vmaf_version(), "3.2.0");
    vmaf = open_context(7, 3);
    assert_int_equal(vmaf_close(vmaf), 0);
}

static void null_arguments_are_errors(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load("vmaf_v0.6.1", NULL);
    VmafPicture pic = { 0 };
    VmafModelCollectionScore cs;
    double score = 5;
    assert_int_equal(vmaf_use_feature(NULL, "psnr", NULL), -EINVAL);
    assert_int_equal(vmaf_use_feature(vmaf, NULL, NULL), -EINVAL);
    assert_int_equal(vmaf_use_features_from_model(NULL, model), -EINVAL);
    assert_int_equal(vmaf_use_features_from_model(vmaf, NULL), -EINVAL);
    assert_int_equal(vmaf_use_features_from_model_collection(vmaf, NULL), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(NULL, "x", 0, 0), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, NULL, 0, 0), -EINVAL);
    assert_int_equal(vmaf_read_pictures(NULL, &pic, &pic, 0), -EINVAL);
    assert_int_equal(vmaf_read_pictures(vmaf, &pic, NULL, 0), -EINVAL);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, &pic, 0), -EINVAL);
    assert_int_equal(vmaf_read_pictures(vmaf, &pic, &pic, 0), -EINVAL); /* empty structs */
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "x", NULL, 0), -EINVAL);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, NULL, &score, 0), -EINVAL);
    assert_int_equal(vmaf_feature_score_at_index(NULL, "x", &score, 0), -EINVAL);
    assert_int_equal(vmaf_score_at_index(vmaf, NULL, &score, 0), -EINVAL);
    assert_int_equal(vmaf_score_at_index(vmaf, model, NULL, 0), -EINVAL);
    assert_int_equal(vmaf_score_at_index_model_collection(vmaf, NULL, &cs, 0), -EINVAL);
    assert_int_equal(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, NULL, 0, 0), -EINVAL);
    assert_int_equal(
        vmaf_score_pooled_model_collection(vmaf, NULL, VMAF_POOL_METHOD_MEAN, &cs, 0, 0), -EINVAL);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "x", VMAF_POOL_METHOD_MEAN, NULL, 0, 0),
                     -EINVAL);
    assert_int_equal(vmaf_write_output(NULL, "x", VMAF_OUTPUT_FORMAT_XML), -EINVAL);
    assert_int_equal(vmaf_write_output(vmaf, NULL, VMAF_OUTPUT_FORMAT_XML), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(NULL, VMAF_PIX_FMT_YUV420P, 8, 16, 16), -EINVAL);
    assert_int_equal(vmaf_picture_unref(NULL), -EINVAL);
    assert_int_equal(vmaf_picture_unref(&pic), -EINVAL);
    assert_int_equal(vmaf_feature_dictionary_free(NULL), -EINVAL);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &pic), -EINVAL); /* no pool yet */
    assert_int_equal(vmaf_register_metadata_handler(vmaf, (VmafMetadataConfiguration){ 0 }),
                     -EINVAL);
    assert_true(score == 5);
    vmaf_model_destroy(NULL);
    vmaf_model_collection_destroy(NULL);
    vmaf_model_destroy(model);
    vmaf_close(vmaf);
}

static void dictionaries(void **state)
{
    VmafFeatureDictionary *dict = NULL;
    assert_int_equal(vmaf_feature_dictionary_set(NULL, "a", "b"), -EINVAL);
    assert_int_equal(vmaf_feature_dictionary_set(&dict, NULL, "b"), -EINVAL);
    assert_int_equal(vmaf_feature_dictionary_set(&dict, "a", NULL), -EINVAL);
    assert_null(dict);
    assert_int_equal(vmaf_feature_dictionary_free(&dict), 0);
    assert_int_equal(vmaf_feature_dictionary_set(&dict, "a", "1.0"), 0);
    assert_non_null(dict);
    assert_int_equal(vmaf_feature_dictionary_free(&dict), 0);
    assert_null(dict);
}

static void feature_options(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafFeatureDictionary *dict = NULL;
    assert_int_equal(vmaf_use_feature(vmaf, "no_such_thing", NULL), -EINVAL);
    vmaf_feature_dictionary_set(&dict, "enable_mse", "maybe");
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", dict), -EINVAL);
    /* Not consumed: it may be mended and used again. */
    vmaf_feature_dictionary_set(&dict, "enable_mse", "true");
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", dict), 0);
    /* Registering the same feature again is fine, also with options that names do not show. */
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    dict = NULL;
    vmaf_feature_dictionary_set(&dict, "motion_max_val", "12.0");
    assert_int_equal(vmaf_use_feature(vmaf, "motion", dict), 0);
    /* A backend asked for by name, without one. */
    assert_int_equal(vmaf_use_feature(vmaf, "vif_vulkan", NULL), -EINVAL);
    assert_int_equal(read_pair(vmaf, 0, 0), 0);
    assert_int_equal(read_pair(vmaf, 1, 1), 0);
    assert_int_equal(flush(vmaf), 0);
    double score;
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "mse_y", &score, 1), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_motion2_mmxv_12", &score, 1), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_motion2", &score, 1), -EINVAL);
    vmaf_close(vmaf);
}

static void order_of_calls(void **state)
{
    for (unsigned threads = 0; threads < 3; threads += 2) {
        VmafContext *vmaf = open_context(threads, 0);
        double score;
        assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
        assert_int_equal(flush(vmaf), -EINVAL); /* nothing read yet; still open */
        /* Any index, but each only once. */
        assert_int_equal(read_pair(vmaf, 0, 5), 0);
        assert_int_equal(read_pair(vmaf, 1, 2), 0);
        assert_int_equal(read_pair(vmaf, 2, 5), -EINVAL);
        assert_int_equal(read_pair(vmaf, 2, 900), 0);
        assert_int_equal(flush(vmaf), 0);
        assert_int_equal(flush(vmaf), -EINVAL);
        assert_int_equal(read_pair(vmaf, 3, 3), -EINVAL);
        assert_int_equal(vmaf_feature_score_at_index(vmaf, "psnr_y", &score, 900), 0);
        assert_int_equal(vmaf_feature_score_at_index(vmaf, "psnr_y", &score, 2), 0);
        assert_int_equal(vmaf_feature_score_at_index(vmaf, "psnr_y", &score, 3), -EINVAL);
        vmaf_close(vmaf);
    }
}

/* Everything a clip can give, as text: to compare runs bit for bit. */
static char *score_everything(unsigned threads, unsigned subsample, uint64_t cpumask)
{
    enum { FRAMES = 9 };
    VmafContext *vmaf = NULL;
    const VmafConfiguration cfg = { .n_threads = threads,
                                    .n_subsample = subsample,
                                    .cpumask = cpumask };
    assert_int_equal(vmaf_init(&vmaf, cfg), 0);
    VmafModel *model = load("vmaf_v0.6.1", NULL), *neg = load("vmaf_v0.6.1neg", "neg");
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, neg), 0);
    static const char *const features[] = { "psnr",      "float_ssim", "float_motion",
                                            "float_vif", "float_adm",  "float_psnr" };
    for (size_t i = 0; i < COUNT(features); i++)
        assert_int_equal(vmaf_use_feature(vmaf, features[i], NULL), 0);
    for (unsigned i = 0; i < FRAMES; i++)
        assert_int_equal(read_pair(vmaf, i, i), 0);
    assert_int_equal(flush(vmaf), 0);
    double score;
    assert_int_equal(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, FRAMES - 1),
                     0);
    assert_int_equal(vmaf_score_pooled(vmaf, neg, VMAF_POOL_METHOD_MIN, &score, 0, FRAMES - 1), 0);

    char path[] = "/tmp/vmaf_api_testXXXXXX";
    close(mkstemp(path));
    assert_int_equal(vmaf_write_output_with_format(vmaf, path, VMAF_OUTPUT_FORMAT_CSV, "%.17g"), 0);
    const int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(read(fd, text, (1 << 20) - 1) > 100);
    close(fd);
    unlink(path);
    vmaf_model_destroy(model);
    vmaf_model_destroy(neg);
    vmaf_close(vmaf);
    return text;
}

static void threads_change_nothing(void **state)
{
    for (unsigned subsample = 1; subsample < 5; subsample += 3) {
        char *serial = score_everything(0, subsample, 0);
        for (unsigned threads = 1; threads < 6; threads += 2) {
            char *parallel = score_everything(threads, subsample, 0);
            assert_string_equal(parallel, serial);
            free(parallel);
        }
        char *scalar = score_everything(2, subsample, ~UINT64_C(0));
        assert_string_equal(scalar, serial);
        free(scalar);
        free(serial);
    }
}

static void closing_at_any_moment(void **state)
{
    for (unsigned threads = 0; threads < 4; threads++) {
        for (unsigned frames = 0; frames < 7; frames++) {
            VmafContext *vmaf = open_context(threads, 0);
            VmafModel *model = load("vmaf_v0.6.1", NULL);
            assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
            for (unsigned i = 0; i < frames; i++)
                assert_int_equal(read_pair(vmaf, i, i), 0);
            vmaf_model_destroy(model);
            assert_int_equal(vmaf_close(vmaf), 0);
        }
    }
}

/* An imported score in a feature's place makes that feature fail at its frame. */
static void errors_of_workers_come_back(void **state)
{
    for (unsigned threads = 0; threads < 4; threads += 3) {
        VmafContext *vmaf = open_context(threads, 0);
        assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
        assert_int_equal(vmaf_import_feature_score(vmaf, "psnr_y", 1, 2), 0);
        unsigned failures = 0;
        for (unsigned i = 0; i < 20; i++)
            failures += read_pair(vmaf, i, i) != 0;
        const int flushed = flush(vmaf);
        failures += flushed != 0;
        assert_int_equal(failures, 1);
        if (flushed)
            assert_int_equal(flush(vmaf), 0);
        vmaf_close(vmaf);
    }
}

/* If the build or the machine lacks a backend, opening fails, and everything is freed. */
static void absent_backends(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafCudaState *cuda = (VmafCudaState *)vmaf;
    const int cuda_err = vmaf_cuda_state_init(&cuda, (VmafCudaConfiguration){ 0 });
    assert_true(cuda_err == 0 || cuda_err == -ENOSYS || cuda_err == -ENODEV);
    assert_true(!cuda == !!cuda_err);
    assert_int_equal(vmaf_cuda_state_free(cuda), 0);
    assert_int_equal(vmaf_cuda_state_free(NULL), 0);
    VmafHipState *hip = (VmafHipState *)vmaf;
    const int hip_err = vmaf_hip_state_init(&hip, (VmafHipConfiguration){ -1, 0 });
    assert_true(hip_err == 0 || hip_err == -ENOSYS || hip_err == -ENODEV);
    assert_true(!hip == !!hip_err);
    assert_true(vmaf_hip_available() || hip_err == -ENOSYS);
    vmaf_hip_state_free(&hip);
    assert_null(hip);
    VmafSyclState *sycl = (VmafSyclState *)vmaf;
    assert_int_equal(vmaf_sycl_state_init(&sycl, (VmafSyclConfiguration){ -1, 0 }), -ENOSYS);
    assert_null(sycl);
    vmaf_sycl_state_free(&sycl);
    /* No state is imported: nothing of these can be. */
    VmafPicture pic;
    uintptr_t semaphore;
    const VmafCudaFrame decoded = { .size = sizeof(decoded) };
    const VmafHipFrame hip_decoded = { .size = sizeof(hip_decoded) };
    assert_true(vmaf_cuda_preallocate_pictures(vmaf, (VmafCudaPictureConfiguration){ 0 }) < 0);
    assert_true(vmaf_cuda_fetch_preallocated_picture(vmaf, &pic) < 0);
    assert_true(vmaf_cuda_import_semaphore(vmaf, 0, &semaphore) < 0);
    assert_true(vmaf_cuda_free_semaphore(vmaf, 0) < 0);
    assert_true(vmaf_cuda_read_frames(vmaf, &decoded, &decoded, 0) < 0);
    assert_true(vmaf_cuda_can_read(vmaf, &decoded, NULL, 0) < 0);
    assert_true(vmaf_hip_preallocate_pictures(vmaf, (VmafHipPictureConfiguration){ 0 }) < 0);
    assert_true(vmaf_hip_fetch_preallocated_picture(vmaf, &pic) < 0);
    assert_true(vmaf_hip_import_semaphore(vmaf, 0, &semaphore) < 0);
    assert_true(vmaf_hip_free_semaphore(vmaf, 0) < 0);
    assert_true(vmaf_hip_read_frames(vmaf, &hip_decoded, &hip_decoded, 0) < 0);
    assert_true(vmaf_hip_can_read(vmaf, &hip_decoded, NULL, 0) < 0);
    assert_int_equal(vmaf_import_picture(vmaf, &(VmafSharedPicture){ 0 }), -EINVAL);
    assert_int_equal(vmaf_read_imported_pictures(vmaf, 0), -EINVAL);
    vmaf_close(vmaf);
}

static void *run_alone(void *arg)
{
    return score_everything(1, 1, 0);
}

static void contexts_are_independent(void **state)
{
    pthread_t threads[3];
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_alone, NULL), 0);
    char *texts[3];
    for (unsigned i = 0; i < 3; i++)
        pthread_join(threads[i], (void **)&texts[i]);
    assert_string_equal(texts[0], texts[1]);
    assert_string_equal(texts[0], texts[2]);
    for (unsigned i = 0; i < 3; i++)
        free(texts[i]);
}

TEST_MAIN(api)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_and_close),        cmocka_unit_test(null_arguments_are_errors),
        cmocka_unit_test(dictionaries),          cmocka_unit_test(feature_options),
        cmocka_unit_test(order_of_calls),        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(closing_at_any_moment), cmocka_unit_test(errors_of_workers_come_back),
        cmocka_unit_test(absent_backends),       cmocka_unit_test(contexts_are_independent),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
