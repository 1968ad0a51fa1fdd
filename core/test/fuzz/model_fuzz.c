/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Model files, and predictions from them. */
#include "base/log.h"
#include "fuzz.h"
#include "libvmaf/inspect.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/model.h"

/* Sets a score for each feature of the model, then predicts from them. */
static void predict(VmafContext *vmaf, VmafModel *model)
{
    VmafModelFeatureInfo info = { .size = sizeof(info) };
    double score;
    for (unsigned i = 0; !vmaf_model_feature(model, i, &info); i++)
        vmaf_import_feature_score(vmaf, info.metric, 0.25 * i, 0);
    vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_HARMONIC_MEAN, &score, 0, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const path = fuzz_file(data, size);
    VmafModelConfig config = { .name = "vmaf" };
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelCollectionScore score;
    VmafContext *vmaf;
    if (vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_NONE }))
        return 0;
    if (!vmaf_model_load_from_path(&model, &config, path)) {
        vmaf_use_features_from_model(vmaf, model);
        predict(vmaf, model);
        vmaf_model_destroy(model);
    }
    model = NULL;
    if (!vmaf_model_collection_load_from_path(&model, &collection, &config, path)) {
        vmaf_use_features_from_model_collection(vmaf, collection);
        predict(vmaf, model);
        vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_MEAN, &score, 0, 0);
        vmaf_model_destroy(model);
        vmaf_model_collection_destroy(collection);
    }
    vmaf_close(vmaf);
    return 0;
}
