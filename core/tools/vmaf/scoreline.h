/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scores as the command prints them. */
#ifndef TOOLS_SCORELINE_H
#define TOOLS_SCORELINE_H

#include <stdbool.h>

#include "options.h"

/* As --precision wants it. Returns `text`. */
const char *score_text(char text[64], const Options *options, double score);

/* Before the label of a score: whose it is, where there are several videos. */
typedef struct ScoreOwner {
    const char *path;   /* "" where there is one */
    const char *parted; /* what follows it */
} ScoreOwner;

/* Prints the figures that --pool asks for, each in a line. */
int score_say(const Options *options, const ScoreOwner *owner, const char *name,
              const VmafStatistics *figures);

/* The figure to print, of 0, 1, …; NULL: there is no further one. */
const Pooling *score_pooling(const Options *options, unsigned i);
/* What stands behind the name of a score that is pooled so: a blank first, nothing for the mean. */
const char *score_suffix(char text[32], const Pooling *pooling);

/* What became of a score that was said or not: a lost one is an error, unless a report will have it. */
int score_outcome(const Options *options, bool said);

#endif
