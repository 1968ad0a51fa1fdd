/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The inside of a scheduler, for scheduler.c and scheduler_gpu.c. */
#ifndef ENGINE_SCHEDULER_STRUCT_H
#define ENGINE_SCHEDULER_STRUCT_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/feature_run.h"
#include "engine/reporter.h"
#include "engine/scheduler.h"

/* Pictures that a frame holds: reference, distorted, the two references before, the distorted one
 * before. */
enum { PICTURES = 5 };

/* A pair and the work still to be done with it. Frames are reused, with their jobs and results. */
struct Frame {
    Scheduler *scheduler;
    VmafPicture pictures[PICTURES];
    FramePair pair;
    FrameId id;
    Job **jobs; /* one for each feature run; the job of one that skips the frame is not due */
    unsigned job_capacity, job_count;
    FeatureSet on_gpu;  /* features that the GPU measures */
    Measured *measured; /* job_capacity of them, for the report */
    /* Due jobs, plus one for the reader while it starts them and one for the collector. */
    unsigned unmeasured;
    uint64_t ticket; /* counts the frames taken; 0: free */
    Frame *next;     /* in free_frames or in the collector's queue */
};

struct Scheduler {
    Team *team; /* NULL: no threads */
    unsigned in_flight;
    Frame *frames; /* in_flight of them */
    FeatureRun **runs;
    unsigned run_count;
    size_t run_capacity;
    bool joined;               /* join_runs has been called */
    VmafPicture previous[2];   /* references of the last two reads */
    VmafPicture previous_dist; /* distorted picture of the last read */
    atomic_bool cancelled;

    /* Features on a GPU. Set when the first pair comes. */
    bool gpu_asked;                         /* the features were offered to the GPU */
    bool gpu_opened;                        /* client_close is due */
    FeatureRun *gpu_runs[FEATURE_SET_SIZE]; /* the features that were offered, by their number */
    unsigned gpu_run_count;                 /* 0: the GPU takes no feature */
    pthread_t collector;
    bool collecting; /* the collector thread runs */

    pthread_mutex_t lock;           /* guards the rest */
    pthread_cond_t freed;           /* a frame came back */
    Frame *free_frames, *free_last; /* first in, first out */
    uint64_t tickets;
    Frame **measured;  /* frames to be reported; the index is the ticket modulo in_flight */
    uint64_t reported; /* tickets */
    bool reporting;    /* a thread reports frames; only it uses the reporter */
    Reporter reporter;
    KeepMeasured keep; /* replaces the reporter; NULL: the reporter is used */
    void *keep_arg;
    int err; /* first error of a feature, until scheduler_error returns it */

    GpuClient *gpu;   /* NULL: none. Not owned */
    char *gpu_device; /* copy of its device's name, which callers may keep when the GPU is gone */
    DeviceIdentity gpu_identity; /* a copy for the same reason */
    pthread_cond_t queued;       /* a frame for the collector, or its end */
    Frame *queue, *queue_last;
    bool collector_ends;
};

/* scheduler.c */
void scheduler_forget_previous(Scheduler *s);
/* Called for each frame that the GPU saw, on any thread. err: the frame has no results of the
 * GPU. */
void scheduler_finish_on_gpu(Frame *frame, int err);

/* scheduler_gpu.c */

/* Offers the features to the GPU and starts the collector. Called with the first pair, after the
 * features' init. After an error it may be called again. */
int scheduler_open_gpu(Scheduler *s);
/* Queues the frame there, in stream order, if gpu_run_count is not 0. scheduler_finish_on_gpu is
 * called for it here (on failure) or on the collector's thread. */
void scheduler_submit_to_gpu(Scheduler *s, Frame *frame);
/* Ends the collector and closes the client, when no frame is under way. `gpu`: the client. */
void scheduler_close_gpu(Scheduler *s, GpuClient *gpu);

#endif
