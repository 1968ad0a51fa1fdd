/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Arguments of --model and --feature. */
#include <stdlib.h>

#include "fuzz.h"
#include "vmaf/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = fuzz_text(data, size);
    char error[64];
    ModelSpec model;
    FeatureSpec feature;
    if (!model_spec_parse(&model, text, error, sizeof(error)))
        model_spec_destroy(&model);
    if (!feature_spec_parse(&feature, text, error, sizeof(error)))
        feature_spec_destroy(&feature);
    free(text);
    return 0;
}
