/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "targets.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"

int pooling_set(Pooling *pooling, const char *name, char *error, size_t error_size)
{
    if (!pooling_parse(pooling, name, strlen(name))) {
        snprintf(error, error_size, "unknown pooling method \"%s\"; use " POOLING_NAMES, name);
        return -EINVAL;
    }
    if (pooling->kind == POOLING_PERCENTILE && pooling->percent == 50)
        pooling_parse(pooling, "median", strlen("median"));
    else if (pooling->kind == POOLING_PERCENTILE)
        snprintf(pooling->name, sizeof(pooling->name), "p%u", pooling->percent);
    return 0;
}

static int refuse(const char *text, char *error, size_t error_size)
{
    snprintf(error, error_size,
             "--target takes SCORE, SCORE:POOL or METRIC:SCORE:POOL, such as 95, 93:p5 or "
             "ssimulacra2:70, not \"%s\"",
             text);
    return -EINVAL;
}

int targets_add(Targets *targets, const char *text, char *error, size_t error_size)
{
    char *end;
    const char *number = text;
    Target target = { .score = strtod(text, &end), .pooling = { POOLING_MEAN, 0, "mean" } };
    if (targets->count == METRIC_MAX) {
        snprintf(error, error_size, "there are more than %d targets", METRIC_MAX);
        return -EINVAL;
    }
    if (end == text) { /* the text begins with the metric */
        number = strchr(text, ':');
        if (!number || number == text)
            return refuse(text, error, error_size);
        target.score = strtod(++number, &end);
    }
    if (end == number || !isfinite(target.score) || (*end && *end != ':'))
        return refuse(text, error, error_size);
    if (*end == ':' && pooling_set(&target.pooling, end + 1, error, error_size))
        return -EINVAL;
    if (number != text) {
        target.metric = strndup(text, (size_t)(number - 1 - text));
        if (!target.metric)
            return -ENOMEM;
    }
    targets->at[targets->count++] = target;
    return 0;
}

void targets_free(Targets *targets)
{
    for (size_t i = 0; i < targets->count; i++)
        free(targets->at[i].metric);
    *targets = (Targets){ .count = 0 };
}

int targets_finish(Targets *targets, const char *metric, Metrics *metrics)
{
    *metrics = (Metrics){ .count = 0 };
    for (size_t i = 0; i < targets->count; i++) {
        Target *const target = &targets->at[i];
        if (!target->metric)
            target->metric = strdup(metric);
        if (!target->metric)
            return -ENOMEM;
        if (metrics_find(metrics, target->metric) == metrics->count)
            metrics->names[metrics->count++] = target->metric;
    }
    if (!metrics->count)
        metrics->names[metrics->count++] = metric;
    return 0;
}

size_t metrics_find(const Metrics *metrics, const char *name)
{
    size_t i = 0;
    while (i < metrics->count && strcmp(metrics->names[i], name) != 0)
        i++;
    return i;
}

void target_print(const Target *target, char *text, size_t size)
{
    if (target->pooling.kind == POOLING_MEAN)
        snprintf(text, size, "%s %g", target->metric, target->score);
    else
        snprintf(text, size, "%s %g (%s)", target->metric, target->score, target->pooling.name);
}

void targets_print(const Targets *targets, char *text, size_t size)
{
    Names names = { .used = 0 };
    for (size_t i = 0; i < targets->count; i++) {
        char one[128];
        target_print(&targets->at[i], one, sizeof(one));
        names_add(&names, one);
    }
    snprintf(text, size, "%s", names.text);
}
