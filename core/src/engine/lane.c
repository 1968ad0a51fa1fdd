/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/lane.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"

static void log_options(const Feature *f)
{
    char text[512] = "";
    if (!log_wanted(VMAF_LOG_LEVEL_DEBUG))
        return;
    for (size_t i = 0, used = 0; f->dict && i < f->dict->count && used < sizeof(text); i++) {
        const DictEntry *entry = &f->dict->entries[i];
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, " %s=%s", entry->key, entry->value);
    }
    log_debug("feature \"%s\" registered:%s", f->def->name, *text ? text : " all defaults");
}

int lane_create(Lane **out, Feature *feature)
{
    Lane *lane = mem_zalloc(sizeof(*lane));
    if (!lane)
        return -ENOMEM;
    lane->accelerated = -1;
    lane->feature = feature;
    log_options(feature);
    *out = lane;
    return 0;
}

void lane_destroy(Lane *lane)
{
    if (!lane)
        return;
    for (unsigned i = 0; i < lane->scratch_count; i++)
        lane->feature->def->scratch_destroy(lane->scratches[i]);
    if (lane->state != LANE_NEW && lane->feature->def->close)
        lane->feature->def->close(lane->feature);
    mem_free(lane->scratches);
    feature_destroy(lane->feature);
    mem_free(lane);
}

static int init_feature(Feature *f, const FrameShape *shape)
{
    f->shape = *shape;
    f->planes = f->def->flags & FEATURE_CHROMA && shape_has_chroma(shape) ? 7 : 1;
    const int err = f->def->init ? f->def->init(f) : 0;
    log_debug("feature \"%s\": %ux%u, %u bits, planes %s%s%s: %s", f->def->name, shape->w[0],
              shape->h[0], shape->bpc, f->planes & 1 ? "Y" : "", f->planes & 2 ? "Cb" : "",
              f->planes & 4 ? "Cr" : "", err ? "refused" : "ready");
    return err > 0 ? -EINVAL : err;
}

int lane_init(Lane *lane, const FrameShape *shape, unsigned threads)
{
    assert(threads > 0);
    if (lane->state != LANE_NEW)
        return lane->init_err;
    if (!lane->scratches)
        lane->scratches = mem_array(threads, sizeof(*lane->scratches));
    if (!lane->scratches)
        return -ENOMEM;
    lane->scratch_capacity = threads;
    lane->init_err = init_feature(lane->feature, shape);
    lane->state = lane->init_err ? LANE_BROKEN : LANE_READY;
    return lane->init_err;
}

static int take_scratch(Lane *lane, pthread_mutex_t *lock, void **scratch)
{
    *scratch = NULL;
    if (!lane->feature->def->scratch_create)
        return 0;
    pthread_mutex_lock(lock);
    if (lane->scratch_count)
        *scratch = lane->scratches[--lane->scratch_count];
    pthread_mutex_unlock(lock);
    return *scratch ? 0 : lane->feature->def->scratch_create(lane->feature, scratch);
}

static void give_scratch(Lane *lane, pthread_mutex_t *lock, void *scratch)
{
    if (!scratch)
        return;
    pthread_mutex_lock(lock);
    assert(lane->scratch_count <= lane->scratch_capacity);
    const bool keep = lane->scratch_count < lane->scratch_capacity;
    if (keep)
        lane->scratches[lane->scratch_count++] = scratch;
    pthread_mutex_unlock(lock);
    if (!keep)
        lane->feature->def->scratch_destroy(scratch);
}

int lane_measure(Lane *lane, pthread_mutex_t *lock, const FramePair *pair, void *result, Team *team)
{
    void *scratch;
    int err = take_scratch(lane, lock, &scratch);
    if (!err) {
        err = lane->feature->def->measure(lane->feature, scratch, pair, result, team);
        give_scratch(lane, lock, scratch);
    }
    return err;
}
