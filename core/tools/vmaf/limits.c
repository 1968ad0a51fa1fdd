/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "limits.h"

#include <errno.h>
#include <string.h>

#include "common/message.h"
#include "libvmaf/inspect.h"
#include "spec.h"
#include "vmaf/option/option.h"

/* The figure about the whole clip that goes with a metric has an `a` before its name. */
#define CLIP_PREFIX 'a'

static bool names_clip_figure(const ScoreLimit *limit, const char *metric)
{
    return limit->name_length == strlen(metric) + 1 && *limit->name == CLIP_PREFIX &&
           !strncmp(limit->name + 1, metric, limit->name_length - 1);
}

/* The extractor's name without that of a backend; NULL: there is none. */
static const char *plain_name(const char *extractor, unsigned *index)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    return vmaf_extractor_find(extractor, index) || vmaf_extractor_info(*index, &info) ? NULL
                                                                                       : info.name;
}

bool limit_is_for(const ScoreLimit *limit, const char *extractor)
{
    VmafMetricInfo metric = { .size = sizeof(metric) };
    unsigned index;
    const char *const name = plain_name(extractor, &index);
    if (!limit->name || !name)
        return false;
    bool found = score_limit_names(limit, name);
    for (unsigned i = 0; !found && !vmaf_extractor_metric(index, i, &metric); i++)
        found = score_limit_continues(limit, metric.name) ||
                score_limit_continues(limit, metric.short_name) ||
                names_clip_figure(limit, metric.short_name);
    return found;
}

/* ---- before the run ---- */

/* True if a model of the run has the name that the limit gives. */
static bool has_model(const Options *options, const ScoreLimit *limit)
{
    if (options->no_prediction)
        return false;
    for (size_t i = 0; i < options->model_count; i++)
        if (score_limit_names(limit, model_spec_name(&options->models[i])) ||
            score_limit_names(limit, model_spec_label(&options->models[i])))
            return true;
    return !options->model_count &&
           (score_limit_names(limit, "vmaf") || score_limit_names(limit, DEFAULT_MODEL));
}

static bool has_extractor(const Options *options, const ScoreLimit *limit)
{
    for (size_t i = 0; i < options->feature_count; i++)
        if (limit_is_for(limit, options->features[i].extractor))
            return true;
    return false;
}

/* True if the limit names a figure about the whole clip, and not an extractor or a metric. */
static bool is_clip_figure(const Options *options, const ScoreLimit *limit)
{
    const ScoreLimit rest = { .name = limit->name + 1, .name_length = limit->name_length - 1 };
    return *limit->name == CLIP_PREFIX && has_extractor(options, &rest);
}

/* Says what there is, or which option the limit needs. */
static int refuse(const Options *options, const ScoreLimit *limit)
{
    const int length = (int)limit->name_length;
    VmafExtractorInfo info = { .size = sizeof(info) };
    Names names = { 0 };
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
        if (limit_is_for(limit, info.name))
            return usage_error("--fail_under: %.*s is not measured: add --feature %s", length,
                               limit->name, info.name);
    for (size_t i = 0; !options->no_prediction && i < options->model_count; i++)
        names_add(&names, model_spec_name(&options->models[i]));
    if (!options->no_prediction && !options->model_count)
        names_add(&names, "vmaf");
    for (size_t i = 0; i < options->feature_count; i++)
        names_add(&names, options->features[i].extractor);
    return usage_error("--fail_under: no model or feature is called \"%.*s\"; there is %s", length,
                       limit->name, names.count ? names.text : "none");
}

int limits_check(const Options *options)
{
    for (unsigned i = 0; i < options->score_limit_count; i++) {
        const ScoreLimit *const limit = &options->score_limits[i];
        if (!limit->name && options->no_prediction)
            return usage_error("--fail_under without a name compares the scores of models, and -n "
                               "switches models off: name a metric, as in ssimulacra2:70");
        if (!limit->name || has_model(options, limit))
            continue;
        if (!has_extractor(options, limit))
            return refuse(options, limit);
        if (limit->pooled && is_clip_figure(options, limit))
            return usage_error(
                "--fail_under: %.*s is one figure for the whole video: leave out :%s",
                (int)limit->name_length, limit->name, limit->pooling.name);
    }
    return 0;
}

/* ---- after it ---- */

typedef struct Judge {
    const Options *options;
    VmafContext *vmaf;
    unsigned frames;
    const FigureSource *figures; /* NULL: all scores are in the context */
    const ShotSpans *shots;
    const ScoreOwner *owner;
    bool judged[SCORE_LIMITS_MAX];
    bool *below;
} Judge;

/* Looks up the figure about the whole clip that goes with a metric. */
static bool find_clip_figure(VmafContext *vmaf, const char *metric, const char **name,
                             double *value)
{
    for (unsigned i = 0; !vmaf_aggregate_metric(vmaf, i, name, value); i++)
        if (**name == CLIP_PREFIX && !strcmp(*name + 1, metric))
            return true;
    return false;
}

static void judge_metric(Judge *judge, const ScoreLimit *limit, const VmafMetricInfo *metric,
                         const Gathered *gathered, bool *passes)
{
    const char *name;
    double value;
    const bool whole = !limit->pooled || names_clip_figure(limit, metric->short_name);
    *passes =
        whole && find_clip_figure(judge->vmaf, metric->short_name, &name, &value)
            ? score_limit_passes_figure(limit, judge->owner->path, name, value)
            : gathered_pass(gathered, limit, judge->shots, judge->owner->path, metric->short_name);
}

static bool is_judged_by(const ScoreLimit *limit, const char *extractor,
                         const VmafMetricInfo *metric)
{
    return limit->name &&
           (score_limit_names(limit, extractor) || score_limit_names(limit, metric->name) ||
            score_limit_names(limit, metric->short_name) ||
            names_clip_figure(limit, metric->short_name));
}

static int find_figures(const Judge *judge, const char *metric, Gathered *out)
{
    const FigureSource *const source = judge->figures;
    if (!source)
        return gather_metric(out, judge->options, judge->vmaf, metric, judge->frames);
    *out = (Gathered){ .figures = { .size = sizeof(out->figures) } };
    return source->find(source->arg, metric, &out->figures) ? 0 : -EINVAL;
}

static void judge_feature(Judge *judge, unsigned feature, const char *extractor)
{
    const Options *const options = judge->options;
    VmafMetricInfo metric = { .size = sizeof(metric) };
    for (unsigned i = 0; !vmaf_feature_metric(judge->vmaf, feature, i, &metric); i++) {
        Gathered gathered;
        if (find_figures(judge, metric.name, &gathered))
            continue; /* the options of the extractor exclude this metric */
        for (unsigned g = 0; g < options->score_limit_count; g++) {
            bool passes = true;
            if (!is_judged_by(&options->score_limits[g], extractor, &metric))
                continue;
            judge_metric(judge, &options->score_limits[g], &metric, &gathered, &passes);
            judge->judged[g] = true;
            *judge->below = *judge->below || !passes;
        }
        gathered_clear(&gathered);
    }
}

int limits_judge(const Options *options, VmafContext *vmaf, unsigned frames,
                 const FigureSource *figures, const ShotSpans *shots, const ScoreOwner *owner,
                 bool *below)
{
    Judge judge = { options, vmaf, frames, figures, shots, owner, { false }, below };
    VmafFeatureInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; options->score_limit_count && !vmaf_feature_info(vmaf, i, &info); i++)
        judge_feature(&judge, i, info.extractor);
    for (unsigned g = 0; g < options->score_limit_count; g++) {
        const ScoreLimit *const limit = &options->score_limits[g];
        if (judge.judged[g] || !limit->name || has_model(options, limit))
            continue;
        say("--fail_under: %.*s has no scores in this run", (int)limit->name_length, limit->name);
        return -EINVAL;
    }
    return 0;
}

/* ---- stored reports ---- */

/* True if `name` is that of the metric, or begins with it and an underscore. */
static bool is_metric(const char *name, const char *metric)
{
    const size_t length = strlen(metric);
    return !strncmp(name, metric, length) && (!name[length] || name[length] == '_');
}

/* True if the limit names an extractor that can have made the metric. */
static bool names_extractor_of(const ScoreLimit *limit, const char *name)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    VmafMetricInfo metric = { .size = sizeof(metric) };
    unsigned index = 0;
    while (!vmaf_extractor_info(index, &info) && !score_limit_names(limit, info.name))
        index++;
    for (unsigned i = 0; !vmaf_extractor_metric(index, i, &metric); i++)
        if (is_metric(name, metric.short_name) || is_metric(name, metric.name))
            return true;
    return false;
}

bool limit_is_for_stored(const ScoreLimit *limit, const StoredMetric *metric)
{
    return limit->name &&
           (score_limit_names(limit, metric->name) || names_clip_figure(limit, metric->name) ||
            names_extractor_of(limit, metric->name));
}

static int judge_stored(const ScoreLimit *limit, const StoredReport *report,
                        const StoredMetric *metric, const ScoreOwner *owner, bool *passes)
{
    const StoredClip *const clip = stored_clip_figure(report, metric);
    Gathered gathered = { .scores = NULL };
    ShotSpans shots;
    if (clip && (!limit->pooled || names_clip_figure(limit, metric->name))) {
        *passes = score_limit_passes_figure(limit, owner->path, clip->name, clip->value);
        return 0;
    }
    int err = stored_figures(report, metric, &gathered.figures);
    const int unknown = stored_shots(report, &shots);
    if (!err && limit->each_shot) {
        gathered.scores = stored_scores(report, metric);
        err = gathered.scores ? unknown : -ENOMEM;
    }
    if (!err)
        *passes = gathered.figures.size &&
                  gathered_pass(&gathered, limit, &shots, owner->path, metric->name);
    shot_spans_clear(&shots);
    gathered_clear(&gathered);
    return err;
}

int limits_judge_stored(const Options *options, const StoredReport *report, const ScoreOwner *owner,
                        bool *below)
{
    int err = 0;
    for (unsigned g = 0; g < options->score_limit_count; g++) {
        const ScoreLimit *const limit = &options->score_limits[g];
        for (size_t m = 0; !err && m < report->metric_count; m++) {
            const StoredMetric *const metric = &report->metrics[m];
            bool passes = true;
            if (!stored_is_model(report, metric) && limit_is_for_stored(limit, metric))
                err = judge_stored(limit, report, metric, owner, &passes);
            *below = *below || !passes;
        }
    }
    return err;
}
