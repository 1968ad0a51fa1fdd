/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A scoring session: what VmafContext is. Driven by one thread at a time; scores may be asked for
 * and imported by any thread. */
#ifndef ENGINE_CONTEXT_H
#define ENGINE_CONTEXT_H

#include <time.h>

#include "engine/accelerator.h"
#include "engine/index_set.h"
#include "engine/metadata.h"
#include "engine/scheduler.h"
#include "engine/scores.h"
#include "libvmaf/libvmaf.h"

struct VmafContext {
    VmafConfiguration cfg;
    unsigned cpu; /* enum CpuFlag */
    ScoreStore *scores;
    Metadata *metadata;
    Scheduler *scheduler;
    PicturePool *pool;                 /* NULL until preallocated */
    const AcceleratorOps *accelerator; /* NULL: none imported, or switched off by gpumask */
    const AcceleratorOps *imported;    /* whatever gpumask says */
    void *imported_state;

    bool has_shape; /* the first pair fixes it */
    FrameShape shape;
    IndexSet indices;
    unsigned pairs; /* read so far */
    bool flushed;
    struct timespec started, ended; /* of the reading */
};

int context_create(VmafContext **out, const VmafConfiguration *cfg);
void context_destroy(VmafContext *ctx);

/* Registers a feature under its extractor's name, or does nothing when it is there already.
 * Consumes `options` on success only. */
int context_use_feature(VmafContext *ctx, const char *extractor, Dict *options);
int context_use_model(VmafContext *ctx, VmafModel *model);

/* Before the first pair: features that have GPU code go to this backend. `state` outlives the
 * context. Does nothing when gpumask is set. */
int context_use_accelerator(VmafContext *ctx, const AcceleratorOps *ops, void *state);

/* On success the caller's references are gone and its structs zeroed. */
int context_read(VmafContext *ctx, VmafPicture *ref, VmafPicture *dist, unsigned index);
int context_flush(VmafContext *ctx);

/* Without worker threads scores are readable when the read has returned: waits for the GPU if one
 * is at work. With threads it does nothing. */
void context_settle(VmafContext *ctx);

int context_preallocate(VmafContext *ctx, const FrameShape *shape, unsigned count);
int context_write_report(VmafContext *ctx, const char *path, enum VmafOutputFormat format,
                         const char *score_format);

#endif
