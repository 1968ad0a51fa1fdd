/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Each allocation of a whole session fails once, one after another: the session ends with an error
 * or does without, and nothing is leaked. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include <libvmaf/libvmaf.h>
#include <libvmaf/metadata.h>
#include <libvmaf/report.h>

#include "clip.h"
#include "base/log.h"
#include "base/mem.h"
#include "testing.h"

#define W 64
#define H 48
#define FRAMES 3

static void ignore(void *data, VmafMetadata *metadata)
{
}

static int use_psnr(VmafContext *vmaf)
{
    VmafFeatureDictionary *dict = NULL;
    int err = vmaf_feature_dictionary_set(&dict, "enable_apsnr", "true");
    if (!err)
        err = vmaf_feature_dictionary_set(&dict, "enable_chroma", "false");
    if (!err)
        err = vmaf_use_feature(vmaf, "psnr", dict);
    if (err)
        vmaf_feature_dictionary_free(&dict);
    return err;
}

static int read_pair(VmafContext *vmaf, unsigned frame)
{
    VmafPicture ref = { 0 }, dist = { 0 };
    int err =
        frame % 2 ? vmaf_fetch_preallocated_picture(vmaf, &ref) : clip_alloc(&ref, W, H, frame, 0);
    if (!err)
        err = clip_alloc(&dist, W, H, frame, 1);
    if (!err)
        err = vmaf_read_pictures(vmaf, &ref, &dist, frame);
    if (err) {
        vmaf_picture_unref(&ref);
        vmaf_picture_unref(&dist);
    }
    return err;
}

static int score(VmafContext *vmaf, VmafModel *model, VmafModelCollection *collection)
{
    const VmafMetadataConfiguration handler = { (char *)"vmaf", ignore, NULL };
    const VmafPictureConfiguration pool = { .pic_params = { W, H, 8, VMAF_PIX_FMT_YUV420P },
                                            .pic_cnt = 6 };
    double value;
    VmafModelCollectionScore four;
    const VmafReportInput input = { .size = sizeof(input),
                                    .path = "a.y4m",
                                    .kind = "y4m",
                                    .codec = "raw",
                                    .filters = "crop",
                                    .warnings = "too dark",
                                    .pairing = "by time" };
    int err = vmaf_report_input(vmaf, 1, &input);
    if (!err)
        err = vmaf_report_warning(vmaf, "hdr", VMAF_REPORT_REFERENCE, "is HDR");
    if (!err)
        err = vmaf_report_details(vmaf);
    if (!err)
        err = vmaf_report_option(vmaf, "threads", "2");
    if (!err)
        err = vmaf_use_features_from_model(vmaf, model);
    if (!err)
        err = vmaf_use_features_from_model_collection(vmaf, collection);
    if (!err)
        err = vmaf_report_model(vmaf, "boot", "chosen by hand");
    if (!err)
        err = use_psnr(vmaf);
    if (!err)
        err = vmaf_register_metadata_handler(vmaf, handler);
    if (!err)
        err = vmaf_preallocate_pictures(vmaf, pool);
    for (unsigned i = 0; i < FRAMES && !err; i++)
        err = read_pair(vmaf, i);
    if (!err)
        err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    if (!err)
        err = vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &value, 0, FRAMES - 1);
    if (!err)
        err = vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_MEAN, &four, 0,
                                                 FRAMES - 1);
    if (!err)
        err = vmaf_import_feature_score(vmaf, "mine", 1, 500);
    if (!err)
        err = vmaf_write_output(vmaf, "/dev/null", VMAF_OUTPUT_FORMAT_JSON);
    return err;
}

/* No feature stores a score for a frame that failed. */
static bool frames_are_whole(VmafContext *vmaf)
{
    static const char *const metrics[] = { "psnr_y", "VMAF_integer_feature_adm2_score",
                                           "VMAF_integer_feature_vif_scale3_score",
                                           "VMAF_integer_feature_motion_sad_score" };
    vmaf_read_pictures(vmaf, NULL, NULL, 0); /* waits */
    for (unsigned i = 0; i < FRAMES; i++) {
        unsigned count = 0;
        double value;
        for (unsigned m = 0; m < 4; m++)
            count += !vmaf_feature_score_at_index(vmaf, metrics[m], &value, i);
        if (count && count != 4)
            return false;
    }
    return true;
}

static int session(unsigned threads)
{
    VmafContext *vmaf = NULL;
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = { .name = "boot" };
    int err = vmaf_init(&vmaf, (VmafConfiguration){ .n_threads = threads });
    if (!err)
        err = vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_b_v0.6.3");
    if (!err)
        err = score(vmaf, model, collection);
    if (vmaf && !frames_are_whole(vmaf))
        fail_msg("a failed frame has scores of some features");
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
    if (vmaf)
        vmaf_close(vmaf);
    return err;
}

static void each_allocation_fails_once(unsigned threads)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const long live = mem_live();
    mem_fail_after(0);
    assert_int_equal(session(threads), 0);
    const unsigned long total = mem_fail_after(0);
    assert_true(total > 100);
    assert_int_equal(mem_live(), live);

    unsigned long errors = 0;
    for (unsigned long n = 1; n <= total; n++) {
        mem_fail_after(n);
        errors += session(threads) != 0;
        if (mem_live() != live)
            fail_msg("failing allocation %lu leaks %ld blocks", n, mem_live() - live);
    }
    mem_fail_after(0);
    /* With threads the count varies a little from run to run; the failures before the reading do
     * not. */
    assert_true(errors > total / 2);
}

static void without_threads(void **state)
{
    each_allocation_fails_once(0);
}

static void with_threads(void **state)
{
    each_allocation_fails_once(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_threads),
        cmocka_unit_test(with_threads),
    };
    return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
