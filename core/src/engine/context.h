/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What VmafContext is: pairs in, scores out. Driven by one thread at a time; scores may be asked
 * for and imported by any thread. */
#ifndef ENGINE_CONTEXT_H
#define ENGINE_CONTEXT_H

#include "base/dict.h"
#include "engine/picture.h"
#include "libvmaf/inspect.h"
#include "libvmaf/libvmaf.h"

typedef struct GpuClient GpuClient; /* gpu/client.h */

int context_create(VmafContext **out, const VmafConfiguration *cfg);
/* The worker threads of `other` do the work. -EINVAL once a pair was read. */
int context_share_threads(VmafContext *ctx, VmafContext *other);
void context_destroy(VmafContext *ctx);

/* Registers a feature under its extractor's name, or does nothing when it is there already.
 * Consumes `options` on success only. */
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

/* Stores a score from elsewhere. -EINVAL (logged) for a name that reports cannot carry, or that the
 * scores of a model have. */
int context_import_score(VmafContext *ctx, const char *name, unsigned index, double value);

/* On success the caller's references are gone and its structs zeroed. */
int context_read(VmafContext *ctx, VmafPicture *ref, VmafPicture *dist, unsigned index);
int context_flush(VmafContext *ctx);

/* Around calls that any thread may make: context_destroy waits until all have left. False: it has
 * begun already. */
bool context_enter(VmafContext *ctx);
void context_leave(VmafContext *ctx);
/* Is this thread inside a handler of the context? Then nothing may wait for frames: that of the
 * handler is under way as long as the handler runs. */
bool context_in_handler(const VmafContext *ctx);

/* Without worker threads scores are readable when the read has returned: waits for the GPU if one
 * is at work. With threads, and inside a handler, it does nothing. */
void context_settle(VmafContext *ctx);

/* How many pairs may be under way at once. */
unsigned context_pairs_in_flight(VmafContext *ctx);
/* Pictures that a pool needs so that nobody waits for one: pairs under way, one pair in hand, and
 * the two references that temporal features look back at. */
unsigned context_pool_size(VmafContext *ctx);

/* A pool of pictures, in memory that the GPU copies from if there is one. */
int context_preallocate(VmafContext *ctx, const FrameShape *shape, unsigned count);
/* Takes the pool over; an earlier one is destroyed, and who waits in it goes on in the new one.
 * NULL: none from now on. */
void context_set_pool(VmafContext *ctx, PicturePool *pool);
bool context_has_pool(const VmafContext *ctx);
/* From the pool, waiting for a free one; without a pool a plain picture of the context's shape
 * (-EINVAL while there is none). */
int context_fetch_picture(VmafContext *ctx, VmafPicture *pic);
/* From the pool alone: -EINVAL without one. Both may be called by any thread. */
int context_fetch_pooled(VmafContext *ctx, VmafPicture *pic);

/* Gets ready for pairs of this shape. -EINVAL (logged) when earlier ones had another. */
int context_prepare(VmafContext *ctx, const FrameShape *shape);
/* Pairs come from now on whose samples the CPU cannot read: no feature may be added that would. */
void context_forgo_cpu(VmafContext *ctx);
/* What features want of the pairs, once they are prepared. */
typedef struct ContextNeeds {
    bool on_cpu;        /* some feature reads them on the CPU */
    const char *chroma; /* the first feature that reads chroma; NULL: none */
} ContextNeeds;
void context_needs(const VmafContext *ctx, ContextNeeds *needs);
bool context_is_flushed(const VmafContext *ctx);

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
