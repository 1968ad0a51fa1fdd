/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "check.h"
#include "extractors.h"
#include "gather.h"
#include "libvmaf/inspect.h"
#include "common/message.h"
#include "scoreline.h"

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

/* Was it asked for, and not by a model alone? */
static bool is_asked_for(const Options *options, const char *extractor)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    unsigned index;
    for (size_t i = 0; i < options->feature_count; i++)
        if (!vmaf_extractor_find(options->features[i].extractor, &index) &&
            !vmaf_extractor_info(index, &info) && !strcmp(info.name, extractor))
            return true;
    return false;
}

typedef struct Metric {
    VmafContext *vmaf;
    const char *name;
} Metric;

static int ask_metric(void *arg, unsigned frame, double *score)
{
    const Metric *const metric = arg;
    return vmaf_feature_score_at_index(metric->vmaf, metric->name, score, frame);
}

static int score_feature(const Options *options, VmafContext *vmaf, unsigned feature,
                         unsigned frames, const ScoreOwner *owner)
{
    const unsigned step = options->subsample ? options->subsample : 1;
    VmafMetricInfo info = { .size = sizeof(info) };
    int err = 0;
    for (unsigned i = 0; !err && !vmaf_feature_metric(vmaf, feature, i, &info); i++) {
        Metric metric = { vmaf, info.name };
        Gathered gathered;
        /* Its options say which it makes. */
        if (gather_scores(&gathered, frames, step, ask_metric, &metric))
            continue;
        err = score_say(options, owner, info.short_name, &gathered.figures);
        gathered_clear(&gathered);
    }
    return err;
}

int extractors_score(const Options *options, VmafContext *vmaf, unsigned frames,
                     const ScoreOwner *owner)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    int err = 0;
    for (unsigned i = 0; !err && !vmaf_feature_info(vmaf, i, &info); i++)
        if (is_asked_for(options, info.extractor))
            err = score_feature(options, vmaf, i, frames, owner);
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
