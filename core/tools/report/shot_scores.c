/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/shot_scores.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/message.h"
#include "report/summary.h"
#include "report/text.h"

static unsigned number_of(const ScoredFrames *frames, size_t i)
{
    return frames->numbers ? frames->numbers[i] : (unsigned)i * frames->step;
}

int shot_spans_make(ShotSpans *spans, const unsigned *firsts, size_t count,
                    const ScoredFrames *frames)
{
    size_t at = 0;
    *spans = (ShotSpans){ .at = calloc(count + 1, sizeof(*spans->at)) };
    if (!spans->at)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        ShotSpan shot = { .first = firsts[i],
                          .last = i + 1 < count ? firsts[i + 1] - 1 : frames->last,
                          .begin = (double)NAN,
                          .end = (double)NAN };
        while (at < frames->count && number_of(frames, at) < shot.first)
            at++;
        for (shot.at = at; at < frames->count && number_of(frames, at) <= shot.last; at++)
            shot.count++;
        if (shot.count)
            spans->at[spans->count++] = shot;
        else
            spans->unscored++;
    }
    return 0;
}

void shot_spans_clear(ShotSpans *spans)
{
    free(spans->at);
    *spans = (ShotSpans){ .at = NULL };
}

ShotScore shot_score(const ShotSpan *shot, const double *scores)
{
    VmafStatistics figures = { .size = sizeof(figures) };
    ShotScore score = { shot, (double)NAN, (double)NAN, (double)NAN, shot->at };
    if (vmaf_statistics(&scores[shot->at], shot->count, &figures))
        return score;
    score.mean = figures.mean;
    score.min = figures.min;
    score.p5 = figures.percentile[5];
    score.worst = shot->at + summary_worst(&scores[shot->at], shot->count);
    return score;
}

/* True if `a` is worse than `b`. A shot without a mean is the worst. */
static bool is_worse(const ShotScore *a, const ShotScore *b)
{
    return isnan(b->mean) ? false : !(a->mean >= b->mean);
}

size_t shots_worst(const ShotSpans *spans, const double *scores, ShotScore *worst, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < spans->count; i++) {
        const ShotScore score = shot_score(&spans->at[i], scores);
        size_t at = count < most ? count++ : most;
        for (; at && is_worse(&score, &worst[at - 1]); at--)
            if (at < most)
                worst[at] = worst[at - 1];
        if (at < most)
            worst[at] = score;
    }
    return count;
}

/* `shot at 0:00:04.800 (frames 120 to 179)` */
static void name_shot(char text[128], const ShotSpan *shot)
{
    char at[TIME_TEXT_SIZE];
    if (isfinite(shot->begin))
        snprintf(text, 128, "shot at %s (frames %u to %u)", time_text(at, shot->begin), shot->first,
                 shot->last);
    else
        snprintf(text, 128, "shot of frames %u to %u", shot->first, shot->last);
}

bool shots_pass(const ShotSpans *spans, const double *scores, const ScoreLimit *limit,
                const char *owner, const char *name)
{
    ShotScore worst;
    size_t below = 0;
    char text[128];
    for (size_t i = 0; i < spans->count; i++)
        below += !(shot_score(&spans->at[i], scores).mean >= limit->score);
    if (spans->unscored)
        say("%s%s%s: %zu of %zu shots have no score, because of --subsample: leave it out to judge "
            "each shot",
            owner, *owner ? ": " : "", name, spans->unscored, spans->unscored + spans->count);
    if (spans->count && !below)
        return !spans->unscored;
    if (!shots_worst(spans, scores, &worst, 1)) {
        say("%s%s%s: there is no shot with scores", owner, *owner ? ": " : "", name);
        return false;
    }
    name_shot(text, worst.shot);
    say("%s%s%s: the %s has a mean of %f, below %g; %zu of %zu shots are below", owner,
        *owner ? ": " : "", name, text, worst.mean, limit->score, below, spans->count);
    return false;
}

void shots_say(const ShotSpans *spans, const double *scores, const char *owner)
{
    enum { SHOWN = 5 };
    ShotScore worst[SHOWN];
    const size_t count = shots_worst(spans, scores, worst, SHOWN);
    if (!count)
        return;
    say("%s%s%zu shot%s; worst first:    mean       p5      min", owner, *owner ? ": " : "",
        spans->count, spans->count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        char text[128];
        name_shot(text, worst[i].shot);
        say("  %-44s %8.2f %8.2f %8.2f", text, worst[i].mean, worst[i].p5, worst[i].min);
    }
}
