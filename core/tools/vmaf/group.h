/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Distorted videos that are scored in one reading of the reference: all in the same format. */
#ifndef TOOLS_GROUP_H
#define TOOLS_GROUP_H

#include "rating.h"
#include "sync.h"

/* What all groups of a run have in common. */
typedef struct GroupShare {
    const Options *options;
    bool begun; /* the first group has made what follows */
    Gpu *gpu;   /* NULL: the CPU */
    Models *models;
} GroupShare;

typedef struct Group {
    GroupShare *share;
    unsigned count;   /* ratings */
    Video **videos;   /* the reference, then one for each rating */
    Rating **ratings; /* in the order of the command line */
    SyncPlan plan;
    bool kept;      /* frames stay on the device that decodes and scores them */
    unsigned ahead; /* frames read ahead of each video */
} Group;

/* Finds out how the videos are brought together; what does not fit is told now. Negative errno. */
int group_prepare(Group *group);
/* Reads and scores them, up to their results. One that fails has its `err` set and does not keep the others.
 * Negative errno when nothing could be scored. */
int group_score(Group *group);
void group_clear(Group *group);

#endif
