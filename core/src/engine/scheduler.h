/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Carries frames through the registered features: one task per frame and feature, results reported
 * in stream order. Driven by one thread at a time. */
#ifndef ENGINE_SCHEDULER_H
#define ENGINE_SCHEDULER_H

#include "engine/feature.h"
#include "engine/reporter.h"

typedef struct Scheduler Scheduler;
typedef struct GpuClient GpuClient; /* gpu/client.h */

/* `threads` 0: everything happens in the caller. */
int scheduler_create(Scheduler **out, unsigned threads);
/* Before the first pair: the threads of `other` do the work from now on, and those of its own go.
 * Both have them; none if `other` has none. */
void scheduler_share_team(Scheduler *s, Scheduler *other);
/* At any moment: frames under way are dropped as soon as their current steps end. */
void scheduler_destroy(Scheduler *s);

/* Adds a feature from the next pair on, and owns it; on failure the caller still does. */
int scheduler_add(Scheduler *s, Feature *feature);
unsigned scheduler_feature_count(const Scheduler *s);
Feature *scheduler_feature(const Scheduler *s, unsigned i);

/* Before scheduler_prepare: features with GPU code run on this client's devices. scheduler_prepare
 * fails when a feature that must run there (gpu_only, or the client is required) cannot. The client
 * outlives the scheduler, or until scheduler_leave_gpu. NULL: none. */
void scheduler_use_gpu(Scheduler *s, GpuClient *gpu);
/* Whether scheduler_prepare was called. */
bool scheduler_has_begun(const Scheduler *s);
/* How many pairs may be under way at once. */
unsigned scheduler_in_flight(const Scheduler *s);
/* The device of the i-th feature, and the work done for it there. Any thread. */
void scheduler_device(Scheduler *s, unsigned i, FeatureDevice *device);

/* After the flush: closes the GPU client, which is not used from then on. Devices and tallies stay
 * what they were; another thread may ask for them meanwhile. */
void scheduler_leave_gpu(Scheduler *s);

/* Makes room for the next pair, blocking while too many frames are under way, and tells features
 * that have not seen a pair yet the shape. To be called before each read; after an error, take no
 * pair. */
int scheduler_prepare(Scheduler *s, const FrameShape *shape);

/* Takes references of its own to the pictures. Features that may skip a frame do so unless
 * `scored`. Without threads an error of a feature is returned here, the pair counting as read; with
 * threads it is kept for scheduler_error. There are no other errors. */
typedef struct FrameInput {
    const VmafPicture *ref, *dist;
    FrameId id;
    bool scored;
} FrameInput;
int scheduler_read(Scheduler *s, const FrameInput *input);

/* Before the first pair: what is measured goes to `keep`, frame by frame in stream order, on one
 * thread at a time, and no feature reports it. */
typedef int (*KeepMeasured)(void *arg, const FrameId *id, const Measured *measured, unsigned count,
                            const Feature **failed);
void scheduler_keep(Scheduler *s, KeepMeasured keep, void *arg);

/* A frame whose results are known: those of each feature, or NULL for one that skipped it. After
 * scheduler_prepare, in place of scheduler_read. */
int scheduler_replay(Scheduler *s, const FrameId *id, void *const *results);

/* The first error of a feature since the last call; 0 when there was none. */
int scheduler_error(Scheduler *s);

/* Waits until nothing is under way of what was read before. Any thread may call it, but none that
 * reports a frame. */
void scheduler_wait(Scheduler *s);
/* The same when there is a GPU; else does nothing. */
void scheduler_settle(Scheduler *s);
/* Waits, then lets each feature emit what it held back. Called again after an error, it goes on
 * with the features that have not done so. */
int scheduler_flush(Scheduler *s);

#endif
