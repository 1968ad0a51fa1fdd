/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Model files. */
#include "base/log.h"
#include "fuzz.h"
#include "libvmaf/model.h"

const char *const fuzz_seeds[] = {
    "{\"model_dict\": {\"model_type\": \"LIBSVMNUSVR\", \"norm_type\": \"linear_rescale\", "
    "\"score_clip\": [0.0, 100.0], \"feature_names\": [\"VMAF_integer_feature_adm2_score\", "
    "\"VMAF_integer_feature_motion2_score\"], \"feature_opts_dicts\": [{\"adm_enhn_gain_limit\": 1.0}, {}], "
    "\"slopes\": [0.01, 1.2, 0.5], \"intercepts\": [-0.3, -0.1, 0.0], \"score_transform\": {\"p0\": 1.7, "
    "\"p1\": 0.5, \"p2\": 0.01, \"out_gte_in\": \"true\"}, \"model\": \"svm_type nu_svr\\nkernel_type rbf\\n"
    "gamma 0.04\\nnr_class 2\\ntotal_sv 2\\nrho -1.3\\nSV\\n4.0 1:0.5 2:0.25 \\n-3.5 1:0.75 2:1 \\n\"}}",
    "{\"0\": {\"model_dict\": {\"model_type\": \"BOOTSTRAP_LIBSVMNUSVR\", \"norm_type\": \"none\", "
    "\"feature_names\": [\"psnr_y\"], \"model\": \"svm_type nu_svr\\nkernel_type rbf\\ngamma 0.04\\n"
    "nr_class 2\\ntotal_sv 1\\nrho 1\\nSV\\n1 1:2 \\n\"}}, \"1\": {\"model_dict\": {\"model_type\": "
    "\"BOOTSTRAP_LIBSVMNUSVR\", \"norm_type\": \"none\", \"feature_names\": [\"psnr_y\"], \"model\": "
    "\"svm_type nu_svr\\nkernel_type rbf\\ngamma 0.04\\nnr_class 2\\ntotal_sv 1\\nrho 1\\nSV\\n1 1:2 \\n\"}}}",
    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const path = fuzz_file(data, size);
    VmafModelConfig config = { .name = "vmaf" };
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    log_set_level(VMAF_LOG_LEVEL_NONE);
    if (!vmaf_model_load_from_path(&model, &config, path))
        vmaf_model_destroy(model);
    model = NULL;
    if (!vmaf_model_collection_load_from_path(&model, &collection, &config, path)) {
        vmaf_model_destroy(model);
        vmaf_model_collection_destroy(collection);
    }
    return 0;
}
