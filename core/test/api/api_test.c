/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public API as a host program uses it: linked to the shared library, public headers only. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include <libvmaf/libvmaf.h>
#include <libvmaf/device.h>
#include <libvmaf/libvmaf_cuda.h>
#include <libvmaf/libvmaf_hip.h>
#include <libvmaf/libvmaf_sycl.h>
#include <libvmaf/metadata.h>

#include "clip.h"
#include "testing.h"

#define W 64
#define H 48

static VmafContext *open_context(unsigned threads, unsigned subsample)
{
    VmafContext *vmaf = NULL;
    const VmafConfiguration cfg = { .n_threads = threads, .n_subsample = subsample };
    assert_int_equal(vmaf_init(&vmaf, cfg), 0);
    assert_non_null(vmaf);
    return vmaf;
}

static int read_pair(VmafContext *vmaf, unsigned frame, unsigned index)
{
    VmafPicture ref, dist;
    assert_int_equal(clip_alloc(&ref, W, H, frame, 0), 0);
    assert_int_equal(clip_alloc(&dist, W, H, frame, 1), 0);
    const int err = vmaf_read_pictures(vmaf, &ref, &dist, index);
    if (err) {
        /* A failed read leaves both with the caller. */
        assert_non_null(ref.ref);
        assert_int_equal(vmaf_picture_unref(&ref), 0);
        assert_int_equal(vmaf_picture_unref(&dist), 0);
    }
    assert_null(ref.ref);
    assert_null(ref.data[0]);
    assert_null(dist.ref);
    return err;
}

static int flush(VmafContext *vmaf)
{
    return vmaf_read_pictures(vmaf, NULL, NULL, 0);
}

static VmafModel *load(const char *version, const char *name)
{
    VmafModel *model = NULL;
    VmafModelConfig cfg = { .name = name };
    assert_int_equal(vmaf_model_load(&model, &cfg, version), 0);
    return model;
}

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
    /* The same once more is fine, and so is one that differs only in what names do not show. */
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

static void imported_scores(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    double score;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 100.0 * (i + 1), i), 0);
    assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 7, 1), -EINVAL);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(vmaf_feature_score_at_index(vmaf, "mine", &score, i), 0);
        assert_true(score == 100.0 * (i + 1));
    }
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MEAN, &score, 0, 2),
                     0);
    assert_true(score == 200);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MIN, &score, 0, 2),
                     0);
    assert_true(score == 100);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MAX, &score, 0, 2),
                     0);
    assert_true(score == 300);
    assert_int_equal(
        vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_HARMONIC_MEAN, &score, 0, 2), 0);
    assert_true(score == 3 / (1 / 101.0 + 1 / 201.0 + 1 / 301.0) - 1);
    score = 4;
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MEAN, &score, 2, 1),
                     -EINVAL);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MEAN, &score, 0, 3),
                     -EINVAL);
    assert_int_equal(
        vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_UNKNOWN, &score, 0, 2), -EINVAL);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_NB, &score, 0, 2),
                     -EINVAL);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "none", VMAF_POOL_METHOD_MEAN, &score, 0, 2),
                     -EINVAL);
    assert_true(score == 4);
    /* No extractor: flushing without pictures is fine, once. Imports go on. */
    assert_int_equal(flush(vmaf), 0);
    assert_int_equal(flush(vmaf), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 1, 3), 0);
    vmaf_close(vmaf);
}

static void pooling_skips_subsampled_frames(void **state)
{
    VmafContext *vmaf = open_context(0, 3);
    double score;
    for (unsigned i = 0; i < 10; i += 3)
        vmaf_import_feature_score(vmaf, "mine", 10.0 + i, i);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MIN, &score, 1, 9),
                     0);
    assert_true(score == 13);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MEAN, &score, 0, 11),
                     0);
    assert_true(score == (10 + 13 + 16 + 19) / 4.0);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MEAN, &score, 1, 2),
                     -EINVAL);
    vmaf_close(vmaf);
}

static void pictures(void **state)
{
    VmafPicture pic;
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 10, 1921, 1080), 0);
    assert_int_equal(pic.w[1], 960);
    assert_int_equal(pic.h[1], 540);
    for (unsigned p = 0; p < 3; p++) {
        assert_int_equal((uintptr_t)pic.data[p] % 32, 0);
        assert_int_equal(pic.stride[p] % 32, 0);
    }
    assert_int_equal(vmaf_picture_unref(&pic), 0);
    assert_int_equal(vmaf_picture_unref(&pic), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_UNKNOWN, 8, 16, 16), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 7, 16, 16), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 17, 16, 16), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, 0, 0), -EINVAL);
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV400P, 8, 16, 16), 0);
    assert_null(pic.data[1]);
    assert_int_equal(vmaf_picture_unref(&pic), 0);
}

static int read_with(VmafContext *vmaf, enum VmafPixelFormat fmt, unsigned bpc, unsigned w,
                     unsigned h, enum VmafPixelFormat fmt2, unsigned bpc2, unsigned w2, unsigned h2,
                     unsigned index)
{
    VmafPicture ref, dist;
    assert_int_equal(vmaf_picture_alloc(&ref, fmt, bpc, w, h), 0);
    assert_int_equal(vmaf_picture_alloc(&dist, fmt2, bpc2, w2, h2), 0);
    const int err = vmaf_read_pictures(vmaf, &ref, &dist, index);
    assert_int_equal(vmaf_picture_unref(&ref), err ? 0 : -EINVAL);
    assert_int_equal(vmaf_picture_unref(&dist), err ? 0 : -EINVAL);
    return err;
}

static void pairs_must_match(void **state)
{
    const enum VmafPixelFormat P420 = VMAF_PIX_FMT_YUV420P, P444 = VMAF_PIX_FMT_YUV444P;
    for (unsigned threads = 0; threads < 3; threads += 2) {
        VmafContext *vmaf = open_context(threads, 0);
        assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P420, 8, W + 2, H, 0), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P420, 8, W, H + 1, 0), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P444, 8, W, H, 0), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P420, 10, W, H, 0), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P420, 8, W, H, 0), 0);
        assert_int_equal(read_with(vmaf, P420, 10, W, H, P420, 10, W, H, 1), -EINVAL);
        assert_int_equal(read_with(vmaf, P444, 8, W, H, P444, 8, W, H, 1), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, H, W, P420, 8, H, W, 1), -EINVAL);
        assert_int_equal(read_with(vmaf, P420, 8, W, H, P420, 8, W, H, 1), 0);
        assert_int_equal(flush(vmaf), 0);
        vmaf_close(vmaf);
    }
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

static void gaps_do_not_matter_to_motion(void **state)
{
    double expected[4], score;
    for (unsigned gap = 0; gap < 2; gap++) {
        VmafContext *vmaf = open_context(0, 0);
        assert_int_equal(vmaf_use_feature(vmaf, "motion", NULL), 0);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(read_pair(vmaf, i, gap ? 10 + 3 * i : i), 0);
        assert_int_equal(flush(vmaf), 0);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(
                vmaf_feature_score_at_index(vmaf, "integer_motion2", &score, gap ? 10 + 3 * i : i),
                0);
            if (gap)
                assert_true(score == expected[i]);
            expected[i] = score;
        }
        vmaf_close(vmaf);
    }
}

static void scores_are_readable_early(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load("vmaf_v0.6.1", NULL);
    double early, late;
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(read_pair(vmaf, 0, 0), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_vif_scale0", &early, 0), 0);
    assert_int_equal(read_pair(vmaf, 1, 1), 0);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &early, 0), 0);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &late, 1), -EINVAL);
    assert_int_equal(flush(vmaf), 0);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &late, 0), 0);
    assert_true(early == late);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &late, 1), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "vmaf", &early, 1), 0);
    assert_true(early == late);
    vmaf_model_destroy(model); /* before the context, as FFmpeg does */
    vmaf_close(vmaf);
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

static void subsampling_skips_frames(void **state)
{
    VmafContext *vmaf = open_context(0, 2);
    double score;
    assert_int_equal(vmaf_use_feature(vmaf, "vif", NULL), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion", NULL), 0);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(read_pair(vmaf, i, i), 0);
    assert_int_equal(flush(vmaf), 0);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_vif_scale0", &score, i),
                         i % 2 ? -EINVAL : 0);
    assert_int_equal(
        vmaf_feature_score_pooled(vmaf, "integer_vif_scale0", VMAF_POOL_METHOD_MEAN, &score, 0, 4),
        0);
    vmaf_close(vmaf);
}

static void collections(void **state)
{
    VmafContext *vmaf = open_context(2, 0);
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = { .name = "boot" };
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_b_v0.6.3"), -EINVAL);
    assert_null(model);
    assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_v0.6.1"), -EINVAL);
    assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    VmafFeatureDictionary *dict = NULL;
    vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "1.0");
    assert_int_equal(vmaf_model_collection_feature_overload(model, &collection, "vif", dict), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_use_features_from_model_collection(vmaf, collection), 0);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(read_pair(vmaf, i, i), 0);
    assert_int_equal(flush(vmaf), 0);
    VmafModelCollectionScore first, again, pooled;
    assert_int_equal(vmaf_score_at_index_model_collection(vmaf, collection, &first, 1), 0);
    assert_int_equal(first.type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
    assert_int_equal(vmaf_score_at_index_model_collection(vmaf, collection, &again, 1), 0);
    assert_true(first.bootstrap.bagging_score == again.bootstrap.bagging_score);
    assert_true(first.bootstrap.stddev == again.bootstrap.stddev);
    assert_int_equal(
        vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_MEAN, &pooled, 0, 2),
        0);
    assert_true(pooled.bootstrap.ci.p95.lo <= pooled.bootstrap.bagging_score &&
                pooled.bootstrap.bagging_score <= pooled.bootstrap.ci.p95.hi);
    double score;
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "boot_0020", &score, 1), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "boot_stddev", &score, 1), 0);
    assert_true(score == first.bootstrap.stddev);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_vif_scale0_egl_1", &score, 1), 0);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
    vmaf_close(vmaf);
}

static void model_versions(void **state)
{
    const char *version = NULL;
    unsigned count = 0, found = 0;
    for (const void *at = vmaf_model_version_next(NULL, &version); at;
         at = vmaf_model_version_next(at, &version)) {
        count++;
        found += !strcmp(version, "vmaf_v0.6.1neg");
    }
    assert_int_equal(count, 17);
    assert_int_equal(found, 1);
}

/* Under the name of a metric, long or short, a model's scores would be taken for that metric's, and the
 * other way round. */
static void model_names_are_their_own(void **state)
{
    static const char *const taken[] = { "psnr_y", "integer_motion2", "mine", "vmaf",
                                         "VMAF_integer_feature_motion2_score" };
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load("vmaf_v0.6.1", NULL);
    double score;
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 1.0, 0), 0);
    assert_int_equal(read_pair(vmaf, 0, 0), 0);
    assert_int_equal(read_pair(vmaf, 1, 1), 0);
    assert_int_equal(flush(vmaf), 0);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &score, 1), 0);
    for (unsigned i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        VmafModel *odd = load("vmaf_v0.6.1", taken[i]);
        assert_int_equal(vmaf_use_features_from_model(vmaf, odd), -EINVAL);
        assert_int_equal(vmaf_score_at_index(vmaf, odd, &score, 1), -EINVAL);
        assert_int_equal(vmaf_score_pooled(vmaf, odd, VMAF_POOL_METHOD_MEAN, &score, 0, 1),
                         -EINVAL);
        vmaf_model_destroy(odd);
    }
    assert_int_equal(vmaf_import_feature_score(vmaf, "vmaf", 1.0, 7), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, "integer_motion2", 1.0, 7), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, "psnr_y", 1.0, 7), 0);
    vmaf_close(vmaf);
    vmaf_model_destroy(model);
}

/* The same, with the model first. */
static void features_do_not_take_names_of_models(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load("vmaf_v0.6.1", "psnr_cb"), *boot;
    VmafModelCollection *collection;
    VmafModelConfig cfg = { .name = "boot" };
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, "psnr_cb", 1.0, 0), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, "boot_bagging", 1.0, 0), 0);
    assert_int_equal(vmaf_model_collection_load(&boot, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, boot), 0);
    assert_int_equal(vmaf_use_features_from_model_collection(vmaf, collection), -EINVAL);
    vmaf_close(vmaf);
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(boot);
    vmaf_model_destroy(model);
}

/* Names that reports cannot carry, or have themselves. */
static void bad_names_are_refused(void **state)
{
    static const char *const never[] = { "",         "\xff", "a\nb", "a\x01", "\xef\xbf\xbf",
                                         "frameNum", "Frame" };
    static const char *const not_for_models[] = {
        "4k", "-a", ".a", "a b", "a:b", "a\"b", "a<", "xmlns", "XML_a", "a=b", "a'b", "\xc3\x97"
    };
    static const char *const fine[] = { "_4k", "a-b.c_0", "vmaf_neg", "Qualit\xc3\xa4t" };
    VmafContext *vmaf = open_context(0, 0);
    for (unsigned i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
        VmafModel *model = NULL;
        VmafModelCollection *collection = NULL;
        VmafModelConfig cfg = { .name = never[i] };
        assert_int_equal(vmaf_import_feature_score(vmaf, never[i], 1.0, 0), -EINVAL);
        assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), -EINVAL);
        assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_b_v0.6.3"),
                         -EINVAL);
        assert_true(!model && !collection);
    }
    for (unsigned i = 0; i < sizeof(not_for_models) / sizeof(not_for_models[0]); i++) {
        VmafModel *model = NULL;
        VmafModelConfig cfg = { .name = not_for_models[i] };
        assert_int_equal(vmaf_import_feature_score(vmaf, not_for_models[i], 1.0, 0), 0);
        assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), -EINVAL);
    }
    for (unsigned i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
        vmaf_model_destroy(load("vmaf_v0.6.1", fine[i]));
    vmaf_close(vmaf);
}

static void overloads_reach_the_features(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load("vmaf_v0.6.1", NULL);
    VmafFeatureDictionary *dict = NULL;
    double score;
    vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "2.0");
    assert_int_equal(vmaf_model_feature_overload(model, "vif", dict), 0);
    dict = NULL;
    vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "1.50");
    assert_int_equal(vmaf_model_feature_overload(model, "vif", dict), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(read_pair(vmaf, 0, 0), 0);
    assert_int_equal(flush(vmaf), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_vif_scale2_egl_1.5", &score, 0), 0);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &score, 0), 0);
    vmaf_close(vmaf);
    vmaf_model_destroy(model);
}

static void preallocate(VmafContext *vmaf, unsigned count, int expected)
{
    const VmafPictureConfiguration cfg = {
        .pic_params = { .w = W, .h = H, .bpc = 8, .pix_fmt = VMAF_PIX_FMT_YUV420P },
        .pic_cnt = count,
    };
    assert_int_equal(vmaf_preallocate_pictures(vmaf, cfg), expected);
}

static void read_preallocated(VmafContext *vmaf, unsigned pairs)
{
    for (unsigned i = 0; i < pairs; i++) {
        VmafPicture ref, dist;
        assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &ref), 0);
        assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &dist), 0);
        clip_fill(&ref, i, 0);
        clip_fill(&dist, i, 1);
        assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, i), 0);
    }
}

static void preallocated_pictures(void **state)
{
    /* The last two are the least that a pair in hand and the kept references need. */
    static const struct {
        unsigned pictures, threads, pairs;
    } cases[] = { { 40, 4, 10 }, { 8, 2, 3 }, { 20, 4, 10 }, { 5, 1, 10 }, { 4, 0, 10 } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        VmafContext *vmaf = open_context(cases[i].threads, 0);
        VmafModel *model = load("vmaf_v0.6.1", NULL);
        preallocate(vmaf, 0, -EINVAL);
        preallocate(vmaf, cases[i].pictures, 0);
        assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
        read_preallocated(vmaf, cases[i].pairs);
        assert_int_equal(flush(vmaf), 0);
        double score;
        assert_int_equal(
            vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, cases[i].pairs - 1),
            0);
        assert_int_equal(vmaf_close(vmaf), 0);
        vmaf_model_destroy(model);
    }
}

static void pools_are_replaced_and_outlived(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafPicture a, b, c;
    preallocate(vmaf, 2, 0);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &a), 0);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &b), 0);
    void *data = a.data[0];
    assert_int_equal(vmaf_picture_unref(&a), 0);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &a), 0);
    assert_ptr_equal(a.data[0], data);
    preallocate(vmaf, 1, 0); /* the old pool goes when its two are back */
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &c), 0);
    assert_int_equal(vmaf_picture_unref(&a), 0);
    assert_int_equal(vmaf_close(vmaf), 0); /* at once, though two are still out */
    memset(b.data[0], 1, 16);
    memset(c.data[0], 1, 16);
    assert_int_equal(vmaf_picture_unref(&b), 0);
    assert_int_equal(vmaf_picture_unref(&c), 0);
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

static void small_frames_fail_cleanly(void **state)
{
    for (unsigned threads = 0; threads < 3; threads += 2) {
        VmafContext *vmaf = open_context(threads, 0);
        VmafModel *model = load("vmaf_v0.6.1", NULL);
        double score;
        assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(
                read_with(vmaf, VMAF_PIX_FMT_YUV420P, 8, 4, 4, VMAF_PIX_FMT_YUV420P, 8, 4, 4, i),
                -EINVAL);
        assert_int_equal(flush(vmaf), -EINVAL);
        assert_int_equal(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, 0),
                         -EINVAL);
        vmaf_model_destroy(model);
        vmaf_close(vmaf);
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

typedef struct Heard {
    pthread_mutex_t lock;
    unsigned count;
    double scores[16];
} Heard;

static void hear(void *data, VmafMetadata *metadata)
{
    Heard *heard = data;
    pthread_mutex_lock(&heard->lock);
    heard->count++;
    heard->scores[metadata->picture_index] = metadata->score;
    pthread_mutex_unlock(&heard->lock);
}

static void metadata_handlers(void **state)
{
    for (unsigned threads = 0; threads < 3; threads += 2) {
        VmafContext *vmaf = open_context(threads, 0);
        VmafModel *model = load("vmaf_v0.6.1", NULL);
        Heard vmaf_heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
        Heard psnr_heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
        assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
        assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
        VmafMetadataConfiguration cfg = { (char *)"vmaf", hear, &vmaf_heard };
        assert_int_equal(vmaf_register_metadata_handler(vmaf, cfg), 0);
        cfg = (VmafMetadataConfiguration){ (char *)"psnr_y", hear, &psnr_heard };
        assert_int_equal(vmaf_register_metadata_handler(vmaf, cfg), 0);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(read_pair(vmaf, i, i), 0);
        assert_int_equal(flush(vmaf), 0);
        assert_int_equal(vmaf_heard.count, 8);
        assert_int_equal(psnr_heard.count, 8);
        for (unsigned i = 0; i < 8; i++) {
            double score;
            assert_int_equal(vmaf_score_at_index(vmaf, model, &score, i), 0);
            assert_true(score == vmaf_heard.scores[i]);
        }
        /* The model may go before the context even though handlers would still ask it. */
        vmaf_model_destroy(model);
        assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 1, 0), 0);
        vmaf_close(vmaf);
    }
}

static void reports(void **state)
{
    char path[] = "/tmp/vmaf_api_testXXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    VmafContext *vmaf = open_context(0, 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(read_pair(vmaf, 0, 0), 0);
    assert_int_equal(flush(vmaf), 0);
    for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++) {
        assert_int_equal(vmaf_write_output(vmaf, path, (enum VmafOutputFormat)format), 0);
        FILE *file = fopen(path, "r");
        char text[4096] = { 0 };
        assert_true(fread(text, 1, sizeof(text) - 1, file) > 10);
        fclose(file);
        assert_non_null(strstr(text, "psnr_cb"));
    }
    unlink(path);
    assert_int_equal(vmaf_write_output(vmaf, path, VMAF_OUTPUT_FORMAT_NONE), -EINVAL);
    assert_int_equal(vmaf_write_output(vmaf, path, (enum VmafOutputFormat)9), -EINVAL);
    assert_int_equal(vmaf_write_output_with_format(vmaf, path, VMAF_OUTPUT_FORMAT_XML, "%s"),
                     -EINVAL);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(vmaf_write_output(vmaf, "/no/such/folder/x", VMAF_OUTPUT_FORMAT_XML), -EINVAL);
    vmaf_close(vmaf);
}

/* What a build or a machine lacks is told at the door, and cleaned up after as ever. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_and_close),
        cmocka_unit_test(null_arguments_are_errors),
        cmocka_unit_test(dictionaries),
        cmocka_unit_test(feature_options),
        cmocka_unit_test(imported_scores),
        cmocka_unit_test(pooling_skips_subsampled_frames),
        cmocka_unit_test(pictures),
        cmocka_unit_test(pairs_must_match),
        cmocka_unit_test(order_of_calls),
        cmocka_unit_test(gaps_do_not_matter_to_motion),
        cmocka_unit_test(scores_are_readable_early),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(subsampling_skips_frames),
        cmocka_unit_test(collections),
        cmocka_unit_test(model_versions),
        cmocka_unit_test(model_names_are_their_own),
        cmocka_unit_test(features_do_not_take_names_of_models),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(overloads_reach_the_features),
        cmocka_unit_test(preallocated_pictures),
        cmocka_unit_test(pools_are_replaced_and_outlived),
        cmocka_unit_test(closing_at_any_moment),
        cmocka_unit_test(small_frames_fail_cleanly),
        cmocka_unit_test(errors_of_workers_come_back),
        cmocka_unit_test(metadata_handlers),
        cmocka_unit_test(reports),
        cmocka_unit_test(absent_backends),
        cmocka_unit_test(contexts_are_independent),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
