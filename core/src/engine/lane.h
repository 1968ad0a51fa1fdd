/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A registered feature at work: its working memory, and whose turn it is. */
#ifndef ENGINE_LANE_H
#define ENGINE_LANE_H

#include <pthread.h>

#include "engine/accelerator.h"
#include "engine/feature.h"
#include "engine/team.h"

typedef struct Frame Frame; /* engine/scheduler.c */
typedef struct Lane Lane;

/* One frame of one feature. */
typedef struct Job {
    Task task;
    Lane *lane;
    Frame *frame;
    void *result;
    bool due;         /* the lane does not skip the frame */
    int err;          /* there is no result */
    struct Job *next; /* in Lane.waiting */
} Job;

struct Lane {
    Feature *feature;
    enum { LANE_NEW, LANE_READY, LANE_BROKEN } state;
    int init_err; /* why it is broken */
    bool flushed;
    int accelerated; /* its number among the accelerator's features; -1: it runs on the CPU */

    /* Under the scheduler's lock from here on. */
    void **scratches; /* those that no measure is using: a stack */
    unsigned scratch_count, scratch_capacity;
    bool measuring;              /* serial features: a frame is being measured */
    Job *waiting, *waiting_last; /* serial features: frames whose turn has not come */
};

/* Takes the feature over on success. */
int lane_create(Lane **out, Feature *feature);
void lane_destroy(Lane *lane);

/* Tells the feature the shape. An error is final: it is returned again by later calls. `threads`
 * bounds the frames measured at the same time. */
int lane_init(Lane *lane, const FrameShape *shape, unsigned threads);

/* Measures the job's frame. `lock` guards the lane; it is not held while measuring. */
int lane_measure(Lane *lane, pthread_mutex_t *lock, const FramePair *pair, void *result,
                 Team *team);

#endif
