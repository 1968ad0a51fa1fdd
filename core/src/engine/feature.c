#include "engine/feature.h"

#include <errno.h>
#include <string.h>

#include "engine/scores.h"

int feature_emit(Feature *f, unsigned output, unsigned index, double value)
{
    const enum OutputDelay delay = f->def->outputs[output].delay;
    const ScoreOrder order = {
        .step = delay == OUTPUT_FLUSH ? SCORES_FLUSH
                                      : f->first_step + (delay == OUTPUT_NEXT_FRAME),
        .feature = f->order,
        .output = output,
    };
    return scores_set(f->scores, f->names[output], index, value, &order);
}

int feature_emit_aggregate(Feature *f, const char *name, double value)
{
    return scores_set_aggregate(f->scores, name, value);
}

/* `vif_vulkan` is `vif` on that backend; the results are the same bits, so it is the same feature. */
static size_t plain_length(const char *extractor)
{
    static const char *const backends[] = { "_vulkan", "_cuda", "_hip", "_sycl" };
    const size_t length = strlen(extractor);
    for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
        const size_t suffix = strlen(backends[i]);
        if (length > suffix && !strcmp(extractor + length - suffix, backends[i]))
            return length - suffix;
    }
    return length;
}

const FeatureDef *feature_find(const char *extractor)
{
    const size_t length = plain_length(extractor);
    for (const FeatureDef *const *def = feature_registry; *def; def++)
        if (!strncmp((*def)->name, extractor, length) && !(*def)->name[length])
            return *def;
    return NULL;
}

const FeatureDef *feature_find_by_metric(const char *raw_metric)
{
    for (const FeatureDef *const *def = feature_registry; *def; def++)
        for (const FeatureOutput *out = (*def)->outputs; out && out->name; out++)
            if (!out->extra && !strcmp(out->name, raw_metric))
                return *def;
    return NULL;
}
