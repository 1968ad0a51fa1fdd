/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VmafContext: takes pairs of pictures and stores their scores. One thread at a time drives it; any
 * thread may ask for scores and import them. */
#ifndef ENGINE_CONTEXT_H
#define ENGINE_CONTEXT_H

#include "base/dict.h"
#include "engine/picture.h"
#include "libvmaf/inspect.h"
#include "libvmaf/libvmaf.h"

typedef struct GpuClient GpuClient; /* gpu/client.h */

int context_create(VmafContext **out, const VmafConfiguration *cfg);
/* Uses the worker threads of `other` instead of its own. -EINVAL once a pair was read. */
int context_share_threads(VmafContext *ctx, VmafContext *other);
void context_destroy(VmafContext *ctx);

/* Registers a feature by its extractor's name; does nothing when it is registered already. Takes
 * `options` over on success only. */
int context_use_feature(VmafContext *ctx, const char *extractor, Dict *options);

/* Before the first pair: features with GPU code run on this client's devices, unless gpumask is
 * set. Takes the client over on success and destroys an earlier one. NULL: no GPU, and the `bring`
 * function is not called any more. */
int context_use_gpu(VmafContext *ctx, GpuClient *gpu);
GpuClient *context_gpu(const VmafContext *ctx); /* NULL: none */
/* After the flush: destroys the client, and the pool. See vmaf_leave_device. */
int context_leave_gpu(VmafContext *ctx);
/* Sets a function that is called when a GPU is needed and none was given. It calls context_use_gpu,
 * or decides for the CPU, or fails: then the call that needed the GPU fails. */
void context_default_gpu(VmafContext *ctx, int (*bring)(VmafContext *ctx, void *opaque),
                         void *opaque);

/* Stores a score from elsewhere. -EINVAL (logged) for a name that reports cannot print, or that a
 * model has claimed. */
int context_import_score(VmafContext *ctx, const char *name, unsigned index, double value);

/* Takes both references and zeroes the structs on success only. */
int context_read(VmafContext *ctx, VmafPicture *ref, VmafPicture *dist, unsigned index);
int context_flush(VmafContext *ctx);

/* Enclose calls that any thread may make: context_destroy waits until all have left. False:
 * destroying has begun, and the call must return. */
bool context_enter(VmafContext *ctx);
void context_leave(VmafContext *ctx);
/* Is this thread inside a handler of the context? Then nothing may wait for frames: the handler's
 * own frame is under way until the handler returns. */
bool context_in_handler(const VmafContext *ctx);

/* Without worker threads, scores must be known when the read has returned: waits for the GPU, if
 * there is one. Does nothing with threads, or inside a handler. */
void context_settle(VmafContext *ctx);

/* The number of pairs that may be under way at once. */
unsigned context_pairs_in_flight(VmafContext *ctx);
/* The number of pictures that a pool needs so that nobody waits for one: the pairs under way, one
 * pair that the caller fills, and the two references that temporal features look back at. */
unsigned context_pool_size(VmafContext *ctx);

/* Makes a pool of pictures, in memory that the GPU copies from if there is one. */
int context_preallocate(VmafContext *ctx, const FrameShape *shape, unsigned count);
/* Takes the pool over and destroys an earlier one; threads that wait in that one go on in the new
 * pool. NULL: no pool from now on. */
void context_set_pool(VmafContext *ctx, PicturePool *pool);
bool context_has_pool(const VmafContext *ctx);
/* A picture from the pool, after waiting for a free one; without a pool a plain picture of the
 * context's shape (-EINVAL while the shape is unknown). Any thread. */
int context_fetch_picture(VmafContext *ctx, VmafPicture *pic);
/* A picture from the pool only: -EINVAL without one. Any thread. */
int context_fetch_pooled(VmafContext *ctx, VmafPicture *pic);

/* Prepares for pairs of this shape, before a conversion. -EINVAL (logged) when earlier pairs had
 * another one. */
int context_prepare(VmafContext *ctx, const FrameShape *shape);
/* From now on the CPU may not be able to read the samples of pairs: features that need the CPU are
 * refused. */
void context_forgo_cpu(VmafContext *ctx);
/* How the features read the pairs. Known after context_prepare. */
typedef struct ContextNeeds {
    bool on_cpu;        /* the CPU reads them: some feature, or a conversion of colours */
    const char *chroma; /* the first feature that reads chroma; NULL: none */
} ContextNeeds;
void context_needs(const VmafContext *ctx, ContextNeeds *needs);
bool context_is_flushed(const VmafContext *ctx);
/* Forgets all scores below this index, and which of those indices were read. */
void context_forget(VmafContext *ctx, unsigned before);

unsigned context_feature_count(const VmafContext *ctx);
/* The device of the i-th feature, and the work done for it so far. */
void context_feature(const VmafContext *ctx, unsigned i, VmafFeatureInfo *info);

/* Waits for frames under way, unless called inside a handler. */
void context_wait(VmafContext *ctx);
typedef struct ContextSpeed {
    unsigned threads;
    double seconds; /* from the first pair to the last */
} ContextSpeed;
void context_speed(const VmafContext *ctx, ContextSpeed *speed);

#endif
