/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>

#include "common/message.h"
#include "scoreline.h"

const char *score_text(char text[64], const Options *options, double score)
{
    snprintf(text, 64, *options->score_format ? options->score_format : "%f", score);
    return text;
}

int score_outcome(const Options *options, bool said)
{
    return said || options->outputs.count ? 0 : -EIO;
}

const Pooling *score_pooling(const Options *options, unsigned i)
{
    static const Pooling mean = { .kind = POOLING_MEAN, .name = "mean" };
    if (!options->pool_count)
        return i ? NULL : &mean;
    return i < options->pool_count ? &options->pools[i] : NULL;
}

const char *score_suffix(char text[32], const Pooling *pooling)
{
    snprintf(text, 32, "%s%s", pooling->kind == POOLING_MEAN ? "" : " ",
             pooling->kind == POOLING_MEAN ? "" : pooling->name);
    return text;
}

int score_say(const Options *options, const ScoreOwner *owner, const char *name,
              const VmafStatistics *figures)
{
    const Pooling *pooling;
    int err = 0;
    for (unsigned i = 0; !err && (pooling = score_pooling(options, i)); i++) {
        char score[64], suffix[32];
        err = score_outcome(options,
                            say_result("%s%s%s%s: %s", owner->path, owner->parted, name,
                                       score_suffix(suffix, pooling),
                                       score_text(score, options, pooling_of(pooling, figures))));
    }
    return err;
}
