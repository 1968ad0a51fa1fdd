/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/stored.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/load.h"

void stored_destroy(StoredReport *report)
{
    if (!report)
        return;
    free(report->version);
    free(report->partial);
    free(report->numbers);
    for (size_t i = 0; i < report->metric_count; i++) {
        free(report->metrics[i].name);
        free(report->metrics[i].values);
    }
    free(report->metrics);
    for (unsigned side = 0; side < SIDES; side++) {
        free(report->input[side].path);
        free(report->input[side].kind);
        free(report->input[side].pixel_format);
        free(report->input[side].filters);
        free(report->input[side].warnings);
        free(report->input[side].pairing);
    }
    for (size_t i = 0; i < report->model_count; i++) {
        free(report->models[i].metric);
        free(report->models[i].source);
    }
    free(report->models);
    for (size_t i = 0; i < report->feature_count; i++) {
        const StoredFeature *const feature = &report->features[i];
        free(feature->extractor);
        free(feature->options);
        free(feature->backend);
        free(feature->instruction_set);
        free(feature->device);
    }
    free(report->features);
    for (size_t i = 0; i < report->option_count; i++) {
        free(report->options[i].name);
        free(report->options[i].value);
    }
    free(report->options);
    free(report);
}

static const StoredMetric *find(const StoredReport *report, const char *name, size_t length,
                                const char *suffix)
{
    for (size_t i = 0; i < report->metric_count; i++) {
        const char *const there = report->metrics[i].name;
        if (!strncmp(there, name, length) && !strcmp(there + length, suffix))
            return &report->metrics[i];
    }
    return NULL;
}

const StoredMetric *stored_find(const StoredReport *report, const char *name)
{
    return find(report, name, strlen(name), "");
}

const StoredMetric *stored_model_metric(const StoredReport *report, const StoredModel *model)
{
    const StoredMetric *const all =
        model->members ? find(report, model->metric, strlen(model->metric), "_bagging") : NULL;
    return all ? all : stored_find(report, model->metric);
}

const StoredMetric *stored_headline(const StoredReport *report)
{
    static const char *const favourites[] = { "vmaf", "psnr_y", "float_ssim", "psnr_hvs" };
    const StoredMetric *found = NULL;
    for (size_t i = 0; !found && i < report->model_count; i++)
        found = stored_model_metric(report, &report->models[i]);
    if (!found)
        found = stored_find(report, "vmaf_bagging");
    for (size_t i = 0; !found && i < sizeof(favourites) / sizeof(*favourites); i++)
        found = stored_find(report, favourites[i]);
    for (size_t i = 0; !found && i < report->metric_count; i++)
        if (!strncmp(report->metrics[i].name, "vmaf", 4))
            found = &report->metrics[i];
    return found ? found : &report->metrics[0];
}

/* The part of a name before `suffix`; its whole length when it ends with something else. */
static size_t stem_length(const char *name, const char *suffix)
{
    const size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && !strcmp(name + length - tail, suffix) ? length - tail : length;
}

bool stored_interval(const StoredReport *report, const StoredMetric *metric, double *low,
                     double *high)
{
    const size_t stem = stem_length(metric->name, "_bagging");
    const StoredMetric *const lo = find(report, metric->name, stem, "_ci_p95_lo");
    const StoredMetric *const hi = find(report, metric->name, stem, "_ci_p95_hi");
    if (!lo || !hi || !lo->figures.size || !hi->figures.size)
        return false;
    *low = lo->figures.mean;
    *high = hi->figures.mean;
    return true;
}

bool stored_is_member(const StoredReport *report, const StoredMetric *metric)
{
    const char *const underscore = strrchr(metric->name, '_');
    if (!underscore || strlen(underscore + 1) != 4 || strspn(underscore + 1, "0123456789") != 4)
        return false;
    return find(report, metric->name, (size_t)(underscore - metric->name), "_bagging") != NULL;
}

static const char *file_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

const char *stored_title(const StoredReport *report)
{
    const char *const path = report->input[SIDE_DIST].path;
    return file_name(path && strcmp(path, "-") != 0 ? path : report->path);
}

double stored_rate(const StoredReport *report)
{
    for (unsigned side = SIDES; side-- > 0;) {
        const StoredInput *const input = &report->input[side];
        if (input->rate_num && input->rate_den)
            return (double)input->rate_num / input->rate_den;
    }
    return 0.0;
}
