/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/pooling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"

static bool parse_percentile(unsigned *percent, const char *text, size_t length)
{
    unsigned value = 0;
    if (length < 2 || length > 4 || text[0] != 'p')
        return false;
    for (size_t i = 1; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    *percent = value;
    return value <= 100;
}

bool pooling_parse(Pooling *pooling, const char *text, size_t length)
{
    static const struct {
        const char *name;
        enum PoolingKind kind;
        unsigned percent;
    } names[] = { { "mean", POOLING_MEAN, 0 },
                  { "harmonic_mean", POOLING_HARMONIC_MEAN, 0 },
                  { "min", POOLING_MIN, 0 },
                  { "max", POOLING_MAX, 0 },
                  { "median", POOLING_PERCENTILE, 50 } };
    *pooling = (Pooling){ 0 };
    if (length >= sizeof(pooling->name))
        return false;
    memcpy(pooling->name, text, length);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(pooling->name, names[i].name) != 0)
            continue;
        pooling->kind = names[i].kind;
        pooling->percent = names[i].percent;
        return true;
    }
    pooling->kind = POOLING_PERCENTILE;
    return parse_percentile(&pooling->percent, text, length);
}

double pooling_of(const Pooling *pooling, const VmafStatistics *figures)
{
    switch (pooling->kind) {
    case POOLING_MEAN:
        return figures->mean;
    case POOLING_HARMONIC_MEAN:
        return figures->harmonic_mean;
    case POOLING_MIN:
        return figures->min;
    case POOLING_MAX:
        return figures->max;
    default:
        return figures->percentile[pooling->percent];
    }
}

double pooling_scores(const Pooling *pooling, const double *scores, size_t count)
{
    VmafStatistics figures = { .size = sizeof(figures) };
    return count && !vmaf_statistics(scores, count, &figures) ? pooling_of(pooling, &figures) : NAN;
}

/* Parses SCORE or SCORE:POOL. */
static bool parse_score(ScoreLimit *limit, const char *text)
{
    char *end;
    limit->score = strtod(text, &end);
    limit->pooled = *end == ':';
    if (end == text || !isfinite(limit->score))
        return false;
    if (!*end)
        return pooling_parse(&limit->pooling, "mean", strlen("mean"));
    limit->each_shot = limit->pooled && !strcmp(end + 1, "shot");
    if (limit->each_shot)
        return pooling_parse(&limit->pooling, "mean", strlen("mean"));
    return limit->pooled && pooling_parse(&limit->pooling, end + 1, strlen(end + 1));
}

bool score_limit_parse(ScoreLimit *limit, const char *text)
{
    *limit = (ScoreLimit){ .score = 0.0 };
    if (parse_score(limit, text))
        return true;
    const char *after = strrchr(text, '=');
    if (!after)
        after = strchr(text, ':');
    if (!after || after == text)
        return false;
    limit->name = text;
    limit->name_length = (size_t)(after - text);
    return parse_score(limit, after + 1);
}

bool score_limit_names(const ScoreLimit *limit, const char *name)
{
    return !limit->name ||
           (strlen(name) == limit->name_length && !strncmp(limit->name, name, limit->name_length));
}

bool score_limit_continues(const ScoreLimit *limit, const char *name)
{
    const size_t length = strlen(name);
    return limit->name && limit->name_length >= length && !strncmp(limit->name, name, length) &&
           (limit->name_length == length || limit->name[length] == '_');
}

bool score_limit_passes(const ScoreLimit *limit, const char *owner, const char *name,
                        const VmafStatistics *figures)
{
    const double score = pooling_of(&limit->pooling, figures);
    if (score >= limit->score) /* false if the score is NaN */
        return true;
    say("%s%s%s: its %s is %f, below %g", owner, *owner ? ": " : "", name, limit->pooling.name,
        score, limit->score);
    return false;
}

bool score_limit_passes_figure(const ScoreLimit *limit, const char *owner, const char *name,
                               double figure)
{
    if (figure >= limit->score) /* false if the figure is NaN */
        return true;
    say("%s%s%s is %f, below %g", owner, *owner ? ": " : "", name, figure, limit->score);
    return false;
}
