/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* --model and --feature texts. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "spec.h"

const char *const fuzz_seeds[] = {
    "version=vmaf_v0.6.1:name=x:disable_clip:enable_transform=true:vif.vif_enhn_gain_limit=1.0",
    "path=a\\:b\\=c=d:adm.x=1",
    "cambi=heatmaps_path=a\\:b:topk=0.5",
    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);
    char error[64];
    ModelSpec model;
    FeatureSpec feature;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (!model_spec_parse(&model, text, error, sizeof(error)))
        model_spec_destroy(&model);
    if (!feature_spec_parse(&feature, text, error, sizeof(error)))
        feature_spec_destroy(&feature);
    free(text);
    return 0;
}
