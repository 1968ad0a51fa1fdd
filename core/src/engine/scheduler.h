/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs the registered features on each frame: one task per frame and feature, results reported in
 * stream order. The context owns it. One thread at a time drives it. */
#ifndef ENGINE_SCHEDULER_H
#define ENGINE_SCHEDULER_H

#include "engine/feature.h"
#include "engine/reporter.h"

typedef struct Scheduler Scheduler;
typedef struct GpuClient GpuClient; /* gpu/client.h */

/* `threads` 0: the caller does all work. */
int scheduler_create(Scheduler **out, unsigned threads);
/* Destroys this scheduler's worker threads and shares other's (none if it has none). Call it before
 * the first pair. */
void scheduler_share_team(Scheduler *s, Scheduler *other);
/* May be called at any moment: frames under way are dropped as soon as their current steps end. */
void scheduler_destroy(Scheduler *s);

/* Adds a feature from the next pair on. Takes it over on success only. */
int scheduler_add(Scheduler *s, Feature *feature);
unsigned scheduler_feature_count(const Scheduler *s);
Feature *scheduler_feature(const Scheduler *s, unsigned i);

/* Sets the client on whose devices features with GPU code will run; NULL: none. Call it before
 * scheduler_prepare, which fails when a feature that must run there (gpu_only, or the client is
 * required) cannot. The client must live until scheduler_leave_gpu or the end of the scheduler. */
void scheduler_use_gpu(Scheduler *s, GpuClient *gpu);
/* Whether scheduler_prepare was called. */
bool scheduler_has_begun(const Scheduler *s);
/* The number of pairs that may be under way at once. */
unsigned scheduler_in_flight(const Scheduler *s);
/* The device of the i-th feature, and the work done for it there. Any thread. */
void scheduler_device(Scheduler *s, unsigned i, FeatureDevice *device);

/* After the flush: closes the GPU client, which is not used from then on. Devices and tallies stay
 * what they were; another thread may ask for them meanwhile. */
void scheduler_leave_gpu(Scheduler *s);

/* Makes room for the next pair, blocking while too many frames are under way, and calls the init of
 * features that have seen no pair yet. Call it before each read; after an error, read no pair. */
int scheduler_prepare(Scheduler *s, const FrameShape *shape);

/* Reads a pair, taking references of its own to the pictures. Features that may skip a frame do so
 * unless `scored`. The only errors are those of features. Without threads they are returned here,
 * and the pair counts as read; with threads they are kept for scheduler_error. */
typedef struct FrameInput {
    const VmafPicture *ref, *dist;
    FrameId id;
    bool scored;
} FrameInput;
int scheduler_read(Scheduler *s, const FrameInput *input);

/* Passes results to `keep` instead of the features' reports, frame by frame in stream order, on one
 * thread at a time. Call it before the first pair. */
typedef int (*KeepMeasured)(void *arg, const FrameId *id, const Measured *measured, unsigned count,
                            const Feature **failed);
void scheduler_keep(Scheduler *s, KeepMeasured keep, void *arg);

/* Reports a frame whose results are known: one for each feature, or NULL for a feature that skipped
 * it. Called after scheduler_prepare, instead of scheduler_read. */
int scheduler_replay(Scheduler *s, const FrameId *id, void *const *results);

/* The first error of a feature since the last call; 0 when there was none. */
int scheduler_error(Scheduler *s);

/* Waits until all frames read before are done. Any thread may call it, except one that reports a
 * frame. */
void scheduler_wait(Scheduler *s);
/* Does the same as scheduler_wait when there is a GPU; else nothing. */
void scheduler_settle(Scheduler *s);
/* Waits, then lets each feature emit the scores it held back. Called again after an error, it goes
 * on with the features that have not done so. */
int scheduler_flush(Scheduler *s);

#endif
