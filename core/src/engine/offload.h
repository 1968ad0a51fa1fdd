/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The scheduler's dealings with an accelerator: which lanes go there, the frames handed over, and the thread
 * that waits for their results. */
#ifndef ENGINE_OFFLOAD_H
#define ENGINE_OFFLOAD_H

#include <pthread.h>

#include "engine/accelerator.h"
#include "engine/lane.h"

/* A frame's part in it; the scheduler's frame has one. */
typedef struct OffloadFrame {
    Frame *frame;
    void (*done)(Frame *frame, int err); /* after an error it has no results */
    FeatureSet *features;                /* that the accelerator measures: see offload_features */
    Job *const *jobs;                    /* of the frame, by their features' order */
    struct OffloadFrame *next;
} OffloadFrame;

typedef struct Offload {
    pthread_mutex_t *lock; /* the scheduler's */
    Accelerator *gpu;      /* NULL: none; changes under the lock */
    Lane **lanes;          /* of features that have GPU code */
    unsigned lane_count;   /* 0: no feature runs there */
    unsigned set_count;    /* of a frame's features */
    FeatureSet *sets;      /* of all frames */
    void **results;        /* where the frame that is being collected goes */
    bool opened;           /* the accelerator is, and has features */
    pthread_t collector;
    bool collecting;

    /* Under the lock from here on. */
    pthread_cond_t queued;
    OffloadFrame *queue, *queue_last;
    bool collector_ends;
    char *device;       /* its name, for who has asked for places: it outlives the accelerator */
    FeaturePlace *left; /* by lane, from when the accelerator was left; NULL: it was not */
} Offload;

void offload_init(Offload *o, pthread_mutex_t *lock);
/* When no frame is under way: closes the accelerator and frees all. */
void offload_clear(Offload *o);

/* With the first pair, after the features' init: offers the lanes to the accelerator. After an error it may
 * be tried again. `frames` may be under way at once. */
int offload_open(Offload *o, Lane *const *lanes, unsigned count, unsigned frames);
/* After that: where the i-th frame notes its features. */
FeatureSet *offload_features(const Offload *o, unsigned i);

/* A frame begins, with these jobs; none of its features is there yet. */
void offload_start(const Offload *o, OffloadFrame *frame, Job *const *jobs);
/* Hands it over, in stream order, when offload_open found features: `done` is called for it, here or on
 * the collector's thread. */
void offload_submit(Offload *o, OffloadFrame *frame, const FramePair *pair);

/* Where the i-th lane runs. Any thread. */
void offload_place(const Offload *o, const Lane *lane, unsigned i, FeaturePlace *place);
/* When no frame is under way: closes the accelerator, of which nothing is used from then on. Places stay what
 * they were. -ENOMEM: nothing was done. */
int offload_leave(Offload *o, Lane *const *lanes, unsigned count);

#endif
