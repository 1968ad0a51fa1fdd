/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/stream.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/arrival.h"
#include "gpu/fetch.h"
#include "gpu/upload.h"
#include "gpu/work.h"

/* What a feature can show for itself; under the stream's lock. */
typedef struct Tally {
    uint64_t frames, frames_again;
    uint64_t launches; /* of an owner, for all it serves */
} Tally;

struct GpuStream {
    GpuDevice *device;
    Graph *graph;
    Profile *profile;
    unsigned depth;
    unsigned batch;      /* frames that may share a submission of kernels */
    unsigned slot_count; /* depth, and as many as features look back */
    Slot *slots;
    enum GpuQueue upload_queue;

    pthread_mutex_t lock;
    pthread_cond_t progress;
    WorkList works;
    /* Frames so far: uploaded or about to be, with kernels submitted, collected. */
    uint64_t submitted, started, collected;
    Tally *tallies; /* by feature */

    bool never_on_cpu;
    void **cpu_scratch; /* by feature, for frames measured again; made when first needed */
};

static Slot *slot_of(const GpuStream *stream, uint64_t frame)
{
    return &stream->slots[frame % stream->slot_count];
}

static int create_slots(GpuStream *stream)
{
    Graph *graph = stream->graph;
    const GpuTuning *tuning = &stream->device->tuning;
    stream->batch = stream->depth / 2;
    if (!stream->batch)
        stream->batch = 1;
    if (stream->batch > tuning->max_batch)
        stream->batch = tuning->max_batch;
    assert(stream->batch >= 1 && stream->batch <= GPU_MAX_BATCH);
    stream->slot_count = stream->depth + graph->back;
    stream->upload_queue =
        2 * graph->picture_bytes < tuning->own_upload_bytes ? GPU_COMPUTE : GPU_TRANSFER;
    const int err = slots_create(&stream->slots, graph, stream->slot_count, stream->upload_queue);
    stream->works = (WorkList){ .graph = graph,
                                .slots = stream->slots,
                                .slot_count = stream->slot_count,
                                .profile = stream->profile };
    return err;
}

static int create_ring(GpuStream *stream, bool may_shrink)
{
    int err = profile_create(&stream->profile, stream->graph);
    if (err)
        return err;
    err = create_slots(stream);
    while (err == -ENOMEM && may_shrink && stream->depth > 1) {
        log_warning("%s: no memory for %u frames at a time on %s: trying %u",
                    stream->device->backend, stream->depth, stream->device->name,
                    stream->depth / 2);
        stream->depth /= 2;
        err = create_slots(stream);
    }
    return err;
}

int stream_create(GpuStream **out, const GpuStreamParams *params, FeatureSet *taken)
{
    *out = NULL;
    *taken = 0;
    GpuStream *stream = mem_zalloc(sizeof(*stream));
    if (!stream)
        return -ENOMEM;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->progress, NULL);
    stream->device = params->device;
    stream->depth = params->depth;
    stream->never_on_cpu = params->never_on_cpu;
    stream->cpu_scratch = mem_array(params->feature_count, sizeof(*stream->cpu_scratch));
    stream->tallies = mem_array(params->feature_count, sizeof(*stream->tallies));
    int err = stream->cpu_scratch && stream->tallies ? 0 : -ENOMEM;
    if (!err)
        err = graph_create(&stream->graph, params->device, params->features, params->feature_count);
    if (!err)
        err = create_ring(stream, params->may_shrink);
    if (err) {
        stream_destroy(stream);
        return err;
    }
    *taken = stream->graph->taken;
    *out = stream;
    return 0;
}

void stream_destroy(GpuStream *stream)
{
    if (!stream)
        return;
    for (unsigned i = 0; stream->slots && i < stream->slot_count; i++) {
        gpu_device_wait(stream->device, stream->slots[i].uploaded);
        gpu_device_wait(stream->device, stream->slots[i].done);
    }
    if (stream->graph)
        works_destroy(&stream->works);
    slots_destroy(stream->slots, stream->graph, stream->slot_count);
    profile_destroy(stream->profile);
    for (unsigned i = 0; stream->graph && i < stream->graph->feature_count; i++)
        if (stream->cpu_scratch[i])
            stream->graph->features[i].feature->def->scratch_destroy(stream->cpu_scratch[i]);
    mem_free(stream->cpu_scratch);
    mem_free(stream->tallies);
    graph_destroy(stream->graph);
    pthread_cond_destroy(&stream->progress);
    pthread_mutex_destroy(&stream->lock);
    mem_free(stream);
}

/* ---- starting kernels; all under the lock ---- */

static bool is_timed(const GpuStream *stream, uint64_t frame)
{
    return profile_wants(stream->profile, frame, stream->slot_count);
}

/* How many of the waiting frames, from the oldest on, run the same kernels. Those that are timed run
 * alone. */
static unsigned run_length(const GpuStream *stream)
{
    const FeatureSet owners = slot_of(stream, stream->started)->owners;
    unsigned count = 1;
    while (count < stream->batch && stream->started + count < stream->submitted &&
           slot_of(stream, stream->started + count)->owners == owners &&
           !is_timed(stream, stream->started) && !is_timed(stream, stream->started + count))
        count++;
    return count;
}

/* The kernels of frames that run together. */
static int work_of(GpuStream *stream, uint64_t frame, unsigned count, const Work **work)
{
    const Slot *first = slot_of(stream, frame);
    return work_get(&stream->works,
                    &(Work){ .first = (unsigned)(first - stream->slots),
                             .count = count,
                             .owners = first->owners,
                             .timed = is_timed(stream, frame) },
                    work);
}

static void count_launches(GpuStream *stream, const Work *work)
{
    for (unsigned f = 0; f < stream->graph->feature_count; f++)
        stream->tallies[f].launches += work->launches[f];
}

static int submit_run(GpuStream *stream, unsigned count, GpuPoint *done)
{
    GpuDevice *dev = stream->device;
    const Slot *first = slot_of(stream, stream->started);
    const Slot *last = slot_of(stream, stream->started + count - 1);
    const Slot *transferred = NULL; /* the last one on the other queue */
    GpuCommands *commands[GPU_MAX_BATCH + 1];
    unsigned command_count = 0;
    for (unsigned i = 0; i < count; i++) {
        const Slot *slot = slot_of(stream, stream->started + i);
        if (slot->arrived)
            continue; /* earlier on this queue */
        if (stream->upload_queue == GPU_TRANSFER)
            transferred = slot;
        else
            commands[command_count++] = slot->upload;
    }
    const Work *work = NULL;
    if (first->owners) {
        const int err = work_of(stream, stream->started, count, &work);
        if (err)
            return err;
        commands[command_count++] = work->commands;
    }
    *done = last->uploaded;
    if (!command_count)
        return 0;
    const int err =
        gpu_device_submit(dev,
                          &(GpuSubmit){ .queue = GPU_COMPUTE,
                                        .commands = commands,
                                        .command_count = command_count,
                                        .waits = transferred ? &transferred->uploaded : NULL,
                                        .wait_count = transferred != NULL },
                          done);
    if (!err && work)
        count_launches(stream, work);
    return err;
}

/* Starts all waiting frames, in as few submissions as can be. A failure is told when the frame is
 * collected. */
static void start_waiting(GpuStream *stream)
{
    while (stream->started < stream->submitted) {
        const unsigned count = run_length(stream);
        GpuPoint done = { 0 };
        const int err = submit_run(stream, count, &done);
        for (unsigned i = 0; i < count; i++) {
            Slot *slot = slot_of(stream, stream->started + i);
            slot->done = done;
            slot->err = err;
        }
        stream->started += count;
    }
}

/* Frames wait for company only while the device has enough to do. */
static void start_if_due(GpuStream *stream)
{
    const uint64_t waiting = stream->submitted - stream->started;
    if (waiting >= stream->batch || stream->started - stream->collected < stream->batch)
        start_waiting(stream);
}

/* ---- a frame's way ---- */

/* Once fewer than `depth` frames are in flight, nobody uses the next slot: the frames that looked
 * back at it are `depth` or more frames old. */
static Slot *wait_for_room(GpuStream *stream)
{
    pthread_mutex_lock(&stream->lock);
    while (stream->submitted - stream->collected >= stream->depth)
        pthread_cond_wait(&stream->progress, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
    return slot_of(stream, stream->submitted);
}

static int upload(GpuStream *stream, Slot *slot, const FramePair *pair)
{
    GpuDevice *dev = stream->device;
    /* Reached already, unless an earlier frame failed half-way. */
    if (gpu_device_wait(dev, slot->uploaded) || gpu_device_wait(dev, slot->done))
        return -EIO;
    slot->arrived = arrival_of(pair->ref) != NULL;
    if (slot->arrived)
        return slot_arrive(slot, stream->graph, pair);
    const int err = slot_record_upload(slot, stream->graph, pair);
    if (err || stream->upload_queue == GPU_COMPUTE)
        return err;
    return gpu_device_submit(
        dev, &(GpuSubmit){ .queue = GPU_TRANSFER, .commands = &slot->upload, .command_count = 1 },
        &slot->uploaded);
}

int stream_submit(GpuStream *stream, const FramePair *pair, FeatureSet set)
{
    Slot *slot = wait_for_room(stream);
    const int err = upload(stream, slot, pair);
    if (err)
        return err;
    slot->pair = *pair;
    slot->set = set;
    slot->owners = graph_owners(stream->graph, set);
    pthread_mutex_lock(&stream->lock);
    stream->submitted++;
    start_if_due(stream);
    pthread_mutex_unlock(&stream->lock);
    return 0;
}

static int wait_for_frame(GpuStream *stream, const Slot *slot)
{
    if (!slot->err)
        return gpu_device_wait(stream->device, slot->done);
    gpu_device_wait(stream->device, slot->uploaded); /* it reads the pictures */
    return slot->err;
}

/* The pictures of the frame that is collected, as the host can read them: the pair, and the references
 * before. What came straight into a slot is read back from there, as far as features look back. */
static int view_pictures(GpuStream *stream, FramePair *pair, VmafPicture views[4],
                         VmafPicture held[4])
{
    const Graph *graph = stream->graph;
    const VmafPicture **const pictures[] = { &pair->ref, &pair->dist, &pair->prev_ref[0],
                                             &pair->prev_ref[1] };
    int err = 0;
    for (unsigned p = 0; !err && p < 4; p++) {
        const unsigned back = p < 2 ? 0 : p - 1;
        if (!*pictures[p])
            continue;
        if (!arrival_of(*pictures[p])) {
            err = upload_view(stream->device, *pictures[p], &views[p]);
            *pictures[p] = &views[p];
        } else if (back <= graph->back) {
            const Slot *slot = slot_of(stream, stream->collected - back);
            err = slot_view(graph, p == 1 ? slot->dist : slot->ref,
                            p == 1 ? graph->dist_planes : graph->ref_planes, &held[p]);
            *pictures[p] = &held[p];
        } else {
            *pictures[p] = NULL;
        }
    }
    return err;
}

/* A frame whose last bit hangs on the order of the CPU's additions is measured there. */
static int remeasure(GpuStream *stream, const Slot *slot, unsigned i, void *result)
{
    const Feature *f = stream->graph->features[i].feature;
    if (stream->never_on_cpu)
        return 0;
    FramePair pair = slot->pair;
    VmafPicture views[4], held[4] = { 0 };
    int err = view_pictures(stream, &pair, views, held);
    if (!err && f->def->scratch_create && !stream->cpu_scratch[i])
        err = f->def->scratch_create(f, &stream->cpu_scratch[i]);
    if (!err)
        err = f->def->measure(f, stream->cpu_scratch[i], &pair, result, NULL);
    for (unsigned p = 0; p < 4; p++)
        picture_release(&held[p]);
    return err;
}

/* `again` gets the features that were measured on the CPU. */
static int read_results(GpuStream *stream, const Slot *slot, void *const *results,
                        FeatureSet *again)
{
    int err = wait_for_frame(stream, slot);
    if (slot->arrived && !err)
        err = slot_end_arrival(slot, stream->graph);
    else if (slot->arrived)
        arrival_leave(arrival_of(slot->pair.ref));
    *again = 0;
    for (unsigned i = 0; !err && i < stream->graph->feature_count; i++) {
        if (!(slot->set >> i & 1))
            continue;
        const Feature *f = stream->graph->features[i].feature;
        const char *readback = slot->readback->host;
        err = f->def->gpu->collect(f, readback + graph_result_offset(stream->graph, i), results[i]);
        if (err == -EAGAIN && f->def->gpu->settle && !stream->never_on_cpu)
            err = f->def->gpu->settle(
                f, &(GpuFrame){ .graph = stream->graph, .slot = slot, .feature = i },
                readback + graph_result_offset(stream->graph, i), results[i]);
        if (err == -EAGAIN) {
            err = remeasure(stream, slot, i, results[i]);
            *again |= (FeatureSet)1 << i;
        }
    }
    return err;
}

/* Under the lock. */
static void count_frame(GpuStream *stream, const Slot *slot, FeatureSet again)
{
    for (unsigned i = 0; i < stream->graph->feature_count; i++) {
        stream->tallies[i].frames += slot->set >> i & 1;
        stream->tallies[i].frames_again += again >> i & 1;
    }
    const Work *work;
    if (slot->owners && is_timed(stream, stream->collected) &&
        !work_of(stream, stream->collected, 1, &work))
        profile_add(stream->profile, work->stamps, work->owners);
}

int stream_collect(GpuStream *stream, void *const *results)
{
    const Slot *slot = slot_of(stream, stream->collected);
    pthread_mutex_lock(&stream->lock);
    if (stream->started == stream->collected)
        start_waiting(stream);
    pthread_mutex_unlock(&stream->lock);

    FeatureSet again;
    const int err = read_results(stream, slot, results, &again);

    pthread_mutex_lock(&stream->lock);
    if (!err)
        count_frame(stream, slot, again);
    stream->collected++;
    start_if_due(stream);
    pthread_cond_signal(&stream->progress);
    pthread_mutex_unlock(&stream->lock);
    return err;
}

bool stream_takes_arrivals(const GpuStream *stream)
{
    return slot_may_arrive(stream->graph);
}

const char *stream_refusal(const GpuStream *stream, unsigned feature)
{
    return stream->graph->features[feature].refusal;
}

void stream_tally(GpuStream *stream, unsigned feature, AcceleratorTally *tally)
{
    const unsigned owner = stream->graph->features[feature].owner;
    pthread_mutex_lock(&stream->lock);
    *tally = (AcceleratorTally){
        .passes = stream->graph->features[owner].plan->pass_count,
        .frames = stream->tallies[feature].frames,
        .launches = stream->tallies[owner].launches,
        .frames_again = stream->tallies[feature].frames_again,
    };
    tally->timed_us = profile_time(stream->profile, owner, &tally->frames_timed);
    pthread_mutex_unlock(&stream->lock);
}
