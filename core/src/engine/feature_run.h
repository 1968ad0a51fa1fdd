/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A registered feature at work: its working memory, where it runs, and whose turn it is. The
 * scheduler owns the runs of its features. */
#ifndef ENGINE_FEATURE_RUN_H
#define ENGINE_FEATURE_RUN_H

#include <pthread.h>

#include "engine/feature.h"
#include "engine/team.h"

typedef struct Frame Frame; /* engine/scheduler_struct.h */
typedef struct FeatureRun FeatureRun;

/* One frame of one feature. */
typedef struct Job {
    Task task;
    FeatureRun *run;
    Frame *frame;
    void *result;
    void **results;   /* the result of this run and those of its guests; NULL without guests */
    bool due;         /* the feature does not skip the frame */
    int err;          /* not 0: there is no result */
    struct Job *next; /* in FeatureRun.waiting */
} Job;

struct FeatureRun {
    Feature *feature;
    enum { RUN_NEW, RUN_READY, RUN_BROKEN } state;
    int init_err; /* why it is broken */
    bool flushed;
    int gpu_number; /* its number among the features on the GPU; -1: it runs on the CPU */
    bool is_guest;  /* another run measures this feature with its own */

    /* The scheduler's lock guards the rest. */
    void **scratches; /* a stack of those that no measure is using */
    unsigned scratch_count, scratch_capacity;
    FeatureDevice left;          /* where it ran until the scheduler left the GPU */
    bool measuring;              /* serial features: a frame is being measured */
    Job *waiting, *waiting_last; /* serial features: frames whose turn has not come */
};

/* Takes the feature over on success. */
int feature_run_create(FeatureRun **out, Feature *feature);
void feature_run_destroy(FeatureRun *run); /* NULL is fine */

/* Calls the feature's init with the shape, once. An error is final: later calls return it again.
 * `threads` bounds the frames measured at the same time. */
int feature_run_init(FeatureRun *run, const FrameShape *shape, unsigned threads);

/* Makes `guest` a guest of `run`, if the features allow that. Returns false if they do not or if
 * memory is short; both runs then measure for themselves. */
bool feature_run_join(FeatureRun *run, FeatureRun *guest);

/* Measures a job's frame on the calling thread, for the guests of its feature, too. `lock` is the
 * scheduler's; it is not held while measuring. */
int feature_run_measure(Job *job, pthread_mutex_t *lock, const FramePair *pair, Team *team);

#endif
