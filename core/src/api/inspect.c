/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf/inspect.h: they check their arguments and read tables and objects
 * of the library. */
#include "libvmaf/inspect.h"

#include <errno.h>
#include <string.h>

#include "base/option.h"
#include "engine/context_struct.h"
#include "engine/feature.h"
#include "model/model.h"

/* Copies as much of `full` as fits into the caller's struct, whose first field is its size. */
static int hand_over(void *info, const void *full, size_t full_size)
{
    const size_t size = *(const size_t *)info;
    if (size < sizeof(size))
        return -EINVAL;
    memcpy(info, full, size < full_size ? size : full_size);
    memcpy(info, &size, sizeof(size));
    return 0;
}

static const FeatureDef *extractor_at(unsigned index)
{
    for (unsigned i = 0; feature_registry[i]; i++)
        if (i == index)
            return feature_registry[i];
    return NULL;
}

static unsigned count_options(const FeatureDef *def)
{
    unsigned count = 0;
    while (def->options && def->options[count].name)
        count++;
    return count;
}

static unsigned count_outputs(const FeatureDef *def)
{
    unsigned count = 0;
    while (def->outputs && def->outputs[count].name)
        count++;
    return count;
}

int vmaf_extractor_info(unsigned index, VmafExtractorInfo *info)
{
    const FeatureDef *const def = extractor_at(index);
    if (!info)
        return -EINVAL;
    if (!def)
        return -ENOENT;
    const VmafExtractorInfo full = {
        .name = def->name,
        .summary = def->summary ? def->summary : "",
        .option_count = count_options(def),
        .metric_count = count_outputs(def),
        .planes = def->flags & FEATURE_CHROMA ? 7 : 1,
        .has_gpu_code = def->gpu != NULL,
        .has_map = def->map != NULL,
    };
    return hand_over(info, &full, sizeof(full));
}

int vmaf_extractor_find(const char *name, unsigned *index)
{
    if (!name || !index)
        return -EINVAL;
    const FeatureDef *const def = feature_find(name);
    if (!def)
        return -ENOENT;
    unsigned i = 0;
    while (feature_registry[i] != def)
        i++;
    *index = i;
    return 0;
}

static enum VmafOptionType option_type(enum OptionType type)
{
    switch (type) {
    case OPTION_BOOL:
        return VMAF_OPTION_BOOL;
    case OPTION_INT:
        return VMAF_OPTION_INT;
    case OPTION_DOUBLE:
        return VMAF_OPTION_DOUBLE;
    default:
        return VMAF_OPTION_STRING;
    }
}

int vmaf_extractor_option(unsigned extractor, unsigned index, VmafOptionInfo *info)
{
    const FeatureDef *const def = extractor_at(extractor);
    if (!info)
        return -EINVAL;
    if (!def || index >= count_options(def))
        return -ENOENT;
    const Option *const option = &def->options[index];
    const bool shows_by_name = option->alias && !strcmp(option->alias, option->name);
    const VmafOptionInfo full = {
        .name = option->name,
        .short_name = shows_by_name ? NULL : option->alias,
        .help = option->help,
        .type = option_type(option->type),
        .default_number = option->def,
        .min = option->min,
        .max = option->max,
        .default_text = option->def_text,
        .in_metric_names = option->alias != NULL,
    };
    return hand_over(info, &full, sizeof(full));
}

int vmaf_extractor_metric(unsigned extractor, unsigned index, VmafMetricInfo *info)
{
    const FeatureDef *const def = extractor_at(extractor);
    if (!info)
        return -EINVAL;
    if (!def || index >= count_outputs(def))
        return -ENOENT;
    const FeatureOutput *const output = &def->outputs[index];
    const VmafMetricInfo full = {
        .name = output->name,
        .short_name = metric_alias(output->name),
        .help = output->help,
    };
    return hand_over(info, &full, sizeof(full));
}

int vmaf_builtin_model_info(unsigned index, VmafBuiltinModelInfo *info)
{
    const BuiltinModel *const model = builtin_model(index);
    if (!info)
        return -EINVAL;
    if (!model)
        return -ENOENT;
    const VmafBuiltinModelInfo full = {
        .name = model->name,
        .summary = model->summary,
        .is_collection = model->collection,
    };
    return hand_over(info, &full, sizeof(full));
}

int vmaf_model_info(const VmafModel *model, VmafModelInfo *info)
{
    if (!model || !info)
        return -EINVAL;
    const VmafModelInfo full = {
        .name = model->name,
        .source = model->source,
        .feature_count = model->feature_count,
        .transformed = transform_is_on(&model->transform),
        .has_target = model->has_target,
        .target = model->target,
    };
    return hand_over(info, &full, sizeof(full));
}

int vmaf_model_feature(const VmafModel *model, unsigned index, VmafModelFeatureInfo *info)
{
    if (!model || !info)
        return -EINVAL;
    if (index >= model->feature_count)
        return -ENOENT;
    const ModelFeature *const feature = &model->features[index];
    const FeatureDef *const def = feature_find_by_metric(feature->name);
    const VmafModelFeatureInfo full = {
        .metric = feature->name,
        .extractor = def ? def->name : NULL,
        .option_count = feature->options ? (unsigned)feature->options->count : 0,
    };
    return hand_over(info, &full, sizeof(full));
}

int vmaf_model_feature_option(const VmafModel *model, unsigned feature, unsigned index,
                              const char **name, const char **value)
{
    if (!model || !name || !value)
        return -EINVAL;
    const Dict *const options =
        feature < model->feature_count ? model->features[feature].options : NULL;
    if (!options || index >= options->count)
        return -ENOENT;
    *name = options->entries[index].key;
    *value = options->entries[index].value;
    return 0;
}

int vmaf_feature_info(const VmafContext *vmaf, unsigned index, VmafFeatureInfo *info)
{
    if (!vmaf || !info)
        return -EINVAL;
    if (index >= scheduler_feature_count(vmaf->scheduler))
        return -ENOENT;
    VmafFeatureInfo full;
    context_feature(vmaf, index, &full);
    return hand_over(info, &full, sizeof(full));
}

int vmaf_feature_metric(const VmafContext *vmaf, unsigned feature, unsigned index,
                        VmafMetricInfo *info)
{
    if (!vmaf || !info)
        return -EINVAL;
    if (feature >= scheduler_feature_count(vmaf->scheduler))
        return -ENOENT;
    const Feature *const f = scheduler_feature(vmaf->scheduler, feature);
    if (index >= feature_output_count(f->def))
        return -ENOENT;
    const VmafMetricInfo full = {
        .name = f->names[index],
        .short_name = metric_alias(f->names[index]),
        .help = f->def->outputs[index].help,
    };
    return hand_over(info, &full, sizeof(full));
}

const char *vmaf_extractor_elsewhere(const char *name)
{
    return name ? feature_elsewhere(name) : NULL;
}

int vmaf_aggregate_metric(VmafContext *vmaf, unsigned index, const char **name, double *value)
{
    if (!vmaf || !name || !value)
        return -EINVAL;
    return scores_aggregate(vmaf->scores, index, name, value) ? -ENOENT : 0;
}

int vmaf_score_if_ready(VmafContext *vmaf, VmafModel *model, unsigned index, double *score)
{
    if (!vmaf || !model || !score || !context_enter(vmaf))
        return -EINVAL;
    int err = model_claim_name(model, vmaf->scores);
    if (!err) {
        err = model_predict_early(model, vmaf->scores, index, score);
        err = err == -EINVAL ? -EAGAIN : err; /* other errors show when the score is asked for */
    }
    context_leave(vmaf);
    return err;
}

int vmaf_collection_score_if_ready(VmafContext *vmaf, VmafModelCollection *collection,
                                   unsigned index, VmafModelCollectionScore *score)
{
    if (!vmaf || !collection || !score || !context_enter(vmaf))
        return -EINVAL;
    int err = model_collection_claim_names(collection, vmaf->scores);
    if (!err) {
        err = model_collection_predict_early(collection, vmaf->scores, index, score);
        err = err == -EINVAL ? -EAGAIN : err; /* as in vmaf_score_if_ready */
    }
    context_leave(vmaf);
    return err;
}

int vmaf_forget_scores(VmafContext *vmaf, unsigned before)
{
    if (!vmaf)
        return -EINVAL;
    context_forget(vmaf, before);
    return 0;
}
