/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The inside of a context, for the engine and for the public API, which looks up scores in it. */
#ifndef ENGINE_CONTEXT_STRUCT_H
#define ENGINE_CONTEXT_STRUCT_H

#include <time.h>

#include "engine/context.h"
#include "engine/caller_count.h"
#include "engine/conversion.h"
#include "engine/reporter.h"
#include "engine/metadata.h"
#include "engine/scheduler.h"
#include "engine/scores.h"
#include "engine/notes.h"

struct VmafContext {
    VmafConfiguration cfg;
    unsigned cpu; /* enum CpuFlag */
    ScoreStore *scores;
    Metadata *metadata;
    Scheduler *scheduler;
    CallerCount callers; /* inside calls that any thread may make */

    pthread_mutex_t pictures_lock; /* guards the pool, and has_shape and shape for other threads */
    PicturePool *pool;             /* NULL until preallocated */

    GpuClient *gpu; /* NULL: none; owned. It measures nothing when gpumask is set */
    int (*bring)(VmafContext *ctx, void *opaque); /* see context_default_gpu; may be NULL */
    void *bring_opaque;

    bool has_shape;         /* the first pair fixes it */
    FrameShape shape;       /* shape of the pictures that the features see */
    FrameShape given_shape; /* shape of the caller's pictures, before a conversion */
    Conversion conversion;
    bool tells_fetched; /* the log says that pictures are fetched for conversion */
    IndexSet indices;
    unsigned pairs; /* read so far */
    bool flushed;
    bool forgoes_cpu;               /* see context_forgo_cpu */
    struct timespec started, ended; /* times at which reading began and ended */
    Notes notes;                    /* for reports */
    struct Part *part; /* engine/part.h; NULL: the context has nothing to do with parts */
};

#endif
