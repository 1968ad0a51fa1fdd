/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/offload.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

void offload_init(Offload *o, pthread_mutex_t *lock)
{
    *o = (Offload){ .lock = lock };
    pthread_cond_init(&o->queued, NULL);
}

static void end_collector(Offload *o)
{
    if (!o->collecting)
        return;
    pthread_mutex_lock(o->lock);
    o->collector_ends = true;
    pthread_cond_signal(&o->queued);
    pthread_mutex_unlock(o->lock);
    pthread_join(o->collector, NULL);
    o->collecting = false;
}

static void close_accelerator(Offload *o)
{
    end_collector(o);
    if (o->opened)
        o->gpu->ops->close(o->gpu);
    o->opened = false;
}

static void forget_lanes(Offload *o)
{
    mem_free(o->lanes);
    mem_free(o->results);
    mem_free(o->sets);
    o->lanes = NULL;
    o->results = NULL;
    o->sets = NULL;
}

void offload_clear(Offload *o)
{
    close_accelerator(o);
    forget_lanes(o);
    mem_free(o->left);
    mem_free(o->device);
    pthread_cond_destroy(&o->queued);
}

static void collect_frame(Offload *o, OffloadFrame *frame)
{
    for (unsigned i = 0; i < o->lane_count; i++)
        o->results[i] = feature_sets_have(frame->features, i)
                            ? frame->jobs[o->lanes[i]->feature->order]->result
                            : NULL;
    frame->done(frame->frame, o->gpu->ops->collect(o->gpu, o->results));
}

static void *collect_frames(void *arg)
{
    Offload *o = arg;
    pthread_mutex_lock(o->lock);
    for (;;) {
        OffloadFrame *frame = o->queue;
        if (frame) {
            o->queue = frame->next;
            if (!o->queue)
                o->queue_last = NULL;
            pthread_mutex_unlock(o->lock);
            collect_frame(o, frame);
            pthread_mutex_lock(o->lock);
        } else if (o->collector_ends) {
            break;
        } else {
            pthread_cond_wait(&o->queued, o->lock);
        }
    }
    pthread_mutex_unlock(o->lock);
    return NULL;
}

static int start_collector(Offload *o)
{
    o->collecting = !pthread_create(&o->collector, NULL, collect_frames, o);
    return o->collecting ? 0 : -ENOMEM;
}

/* What was asked for by name runs there or not at all. */
static int check_placement(const Offload *o, unsigned count, const FeatureSet *taken)
{
    for (unsigned i = 0; i < count; i++) {
        const Feature *f = o->lanes[i]->feature;
        if (feature_sets_have(taken, i))
            continue;
        const bool must = f->gpu_only || o->gpu->required;
        const char *why = o->gpu->ops->refusal ? o->gpu->ops->refusal(o->gpu, i) : NULL;
        log_write(must ? VMAF_LOG_LEVEL_ERROR : VMAF_LOG_LEVEL_INFO,
                  "feature \"%s\" cannot run on %s: %s", f->def->name, o->gpu->backend,
                  why ? why : "it does not take these options or pictures");
        if (must)
            return -EINVAL;
    }
    if (!count && o->gpu->required) {
        log_error("%s is asked for, but none of the features has code for a GPU", o->gpu->backend);
        return -EINVAL;
    }
    return 0;
}

/* The lanes of features that have GPU code, and room for what frames note of them. */
static int list_lanes(Offload *o, Lane *const *lanes, unsigned lane_count, unsigned frames,
                      Feature **features, unsigned *count)
{
    *count = 0;
    o->lanes = mem_array(lane_count + 1, sizeof(*o->lanes));
    o->results = mem_array(lane_count + 1, sizeof(*o->results));
    o->set_count = FEATURE_SETS(lane_count + 1);
    o->sets = mem_array((size_t)frames * o->set_count, sizeof(*o->sets));
    if (!o->lanes || !o->results || !o->sets)
        return -ENOMEM;
    for (unsigned i = 0; i < lane_count; i++) {
        if (!lanes[i]->feature->def->gpu)
            continue;
        o->lanes[*count] = lanes[i];
        features[(*count)++] = lanes[i]->feature;
    }
    return 0;
}

static void note_places(Offload *o, unsigned count, const FeatureSet *taken)
{
    for (unsigned i = 0; i < count; i++) {
        const bool on_gpu = feature_sets_have(taken, i);
        if (on_gpu) {
            o->lanes[i]->accelerated = (int)i;
            o->lane_count = count;
        }
        log_debug("feature \"%s\" runs on %s", o->lanes[i]->feature->def->name,
                  on_gpu ? o->gpu->backend : "the CPU");
    }
}

static bool any_of(const FeatureSet *sets, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (feature_sets_have(sets, i))
            return true;
    return false;
}

static int keep_name(Offload *o)
{
    const size_t size = strlen(o->gpu->device) + 1;
    mem_free(o->device); /* of a try before */
    o->device = mem_alloc(size);
    if (!o->device)
        return -ENOMEM;
    memcpy(o->device, o->gpu->device, size);
    return 0;
}

int offload_open(Offload *o, Lane *const *lanes, unsigned lane_count, unsigned frames)
{
    Feature **features = mem_array(lane_count + 1, sizeof(*features));
    FeatureSet *taken = mem_array(FEATURE_SETS(lane_count + 1), sizeof(*taken));
    unsigned count = 0;
    int err = features && taken ? keep_name(o) : -ENOMEM;
    if (!err)
        err = list_lanes(o, lanes, lane_count, frames, features, &count);
    if (!err && count)
        err = o->gpu->ops->open(o->gpu, features, count, taken);
    o->opened = count && !err;
    if (!err)
        err = check_placement(o, count, taken);
    if (!err && any_of(taken, count))
        err = start_collector(o);
    if (err) {
        close_accelerator(o);
        forget_lanes(o);
    } else {
        note_places(o, count, taken);
    }
    mem_free(features);
    mem_free(taken);
    return err;
}

FeatureSet *offload_features(const Offload *o, unsigned i)
{
    return o->sets + (size_t)i * o->set_count;
}

void offload_start(const Offload *o, OffloadFrame *frame, Job *const *jobs)
{
    frame->jobs = jobs;
    for (unsigned i = 0; o->lane_count && i < o->set_count; i++)
        frame->features[i] = 0;
}

static void enqueue(Offload *o, OffloadFrame *frame)
{
    pthread_mutex_lock(o->lock);
    frame->next = NULL;
    if (o->queue_last)
        o->queue_last->next = frame;
    else
        o->queue = frame;
    o->queue_last = frame;
    pthread_cond_signal(&o->queued);
    pthread_mutex_unlock(o->lock);
}

void offload_submit(Offload *o, OffloadFrame *frame, const FramePair *pair)
{
    const int err = o->gpu->ops->submit(o->gpu, pair, frame->features);
    if (err)
        frame->done(frame->frame, err);
    else
        enqueue(o, frame);
}

/* Under the lock. */
static void find_place(const Offload *o, const Lane *lane, unsigned i, FeaturePlace *place)
{
    *place = (FeaturePlace){ 0 };
    const int number = lane->accelerated;
    if (number < 0)
        return;
    if (o->left) {
        *place = o->left[i];
        return;
    }
    place->backend = o->gpu->backend;
    place->device = o->device;
    if (o->gpu->ops->tally)
        o->gpu->ops->tally(o->gpu, (unsigned)number, &place->tally);
}

void offload_place(const Offload *o, const Lane *lane, unsigned i, FeaturePlace *place)
{
    pthread_mutex_lock(o->lock);
    find_place(o, lane, i, place);
    pthread_mutex_unlock(o->lock);
}

static int keep_places(Offload *o, Lane *const *lanes, unsigned count)
{
    FeaturePlace *const places = mem_array(count + 1, sizeof(*places));
    if (!places)
        return -ENOMEM;
    pthread_mutex_lock(o->lock);
    for (unsigned i = 0; i < count; i++)
        find_place(o, lanes[i], i, &places[i]);
    o->left = places;
    pthread_mutex_unlock(o->lock);
    return 0;
}

int offload_leave(Offload *o, Lane *const *lanes, unsigned count)
{
    const int err = keep_places(o, lanes, count);
    if (err)
        return err;
    close_accelerator(o);
    pthread_mutex_lock(o->lock);
    o->gpu = NULL;
    pthread_mutex_unlock(o->lock);
    return 0;
}
