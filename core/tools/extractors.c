/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "check.h"
#include "extractors.h"
#include "libvmaf/inspect.h"
#include "message.h"

static int use(const FeatureSpec *spec, VmafContext *vmaf)
{
    int err = check_feature(spec);
    VmafFeatureDictionary *dict = NULL;
    for (size_t i = 0; !err && i < spec->option_count; i++)
        err = vmaf_feature_dictionary_set(&dict, spec->options[i].key, spec->options[i].value);
    if (!err)
        err = vmaf_use_feature(vmaf, spec->extractor, dict);
    if (err) {
        vmaf_feature_dictionary_free(&dict);
        say("problem loading feature extractor: %s", spec->extractor);
    }
    return err;
}

int extractors_use(const Options *options, VmafContext *vmaf)
{
    int err = 0;
    for (size_t i = 0; !err && i < options->feature_count; i++)
        err = use(&options->features[i], vmaf);
    return err;
}

/* One that nobody knows might read any. */
static unsigned planes_of(const char *extractor)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    unsigned index;
    if (vmaf_extractor_find(extractor, &index) || vmaf_extractor_info(index, &info))
        return 7;
    return info.planes;
}

unsigned extractors_planes(const VmafContext *vmaf)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    unsigned planes = 1;
    for (unsigned i = 0; !vmaf_feature_info(vmaf, i, &info); i++)
        planes |= planes_of(info.extractor);
    return planes;
}
