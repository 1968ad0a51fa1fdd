/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/stream.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/import.h"
#include "gpu/slot.h"
#include "gpu/upload.h"
#include "gpu/work.h"

/* Counts for one feature. Guarded by the stream's lock. */
typedef struct Tally {
    uint64_t frames, frames_again;
    uint64_t launches; /* counted for the owner, for all features it serves */
} Tally;

struct GpuStream {
    GpuDevice *device;
    Graph *graph;
    Profile *profile;
    unsigned depth;
    unsigned batch;          /* most frames that share a submission of kernels */
    unsigned compute_queues; /* submissions of kernels take them in turn */
    /* Depth plus the frames that features look back, rounded up to whole batches. */
    unsigned slot_count;
    Slot *slots;
    enum GpuQueue upload_queue;

    pthread_mutex_t lock;
    pthread_cond_t progress;
    WorkList works;
    /* Frame counts so far: accepted for upload, kernels submitted, collected. */
    uint64_t submitted, started, collected;
    unsigned lookbacks;   /* the last so many frames are only looked back at */
    uint64_t runs;        /* submissions of kernels */
    GpuPoint uploaded[2]; /* for each queue: the last upload of the frames started */
    GpuPoint ran[GPU_MAX_COMPUTE_QUEUES]; /* the last submission on each compute queue */
    GpuPoint timed;                       /* the last timed submission */
    Tally *tallies;                       /* one for each feature */

    bool never_on_cpu;
    /* For each feature: memory to measure frames again on the CPU; created when first needed. */
    void **cpu_scratch;
};

static Slot *slot_of(const GpuStream *stream, uint64_t frame)
{
    return &stream->slots[frame % stream->slot_count];
}

/* Chooses queues, batch size and slot count for the current depth. */
static void lay_out(GpuStream *stream)
{
    const Graph *graph = stream->graph;
    const GpuTuning *tuning = &stream->device->tuning;
    stream->upload_queue =
        2 * graph->picture_bytes < tuning->own_upload_bytes ? GPU_COMPUTE : GPU_TRANSFER;
    /* Only later frames of the same queue see an upload that is submitted with the kernels. */
    stream->compute_queues = stream->upload_queue == GPU_COMPUTE ? 1 : tuning->compute_queues;
    assert(stream->compute_queues >= 1 && stream->compute_queues <= GPU_MAX_COMPUTE_QUEUES);
    /* Frames on the other queues keep the device busy too. */
    const unsigned per_queue = GPU_MAX_BATCH / stream->compute_queues;
    stream->batch = stream->depth / 2;
    if (!stream->batch)
        stream->batch = 1;
    if (stream->batch > tuning->max_batch)
        stream->batch = tuning->max_batch;
    if (stream->batch > per_queue)
        stream->batch = per_queue;
    assert(stream->batch >= 1 && stream->batch <= GPU_MAX_BATCH);
    /* Whole batches: the same frames then share a submission in each round of the ring, so each
     * submission is recorded only once. */
    stream->slot_count = stream->depth + graph->back;
    stream->slot_count += (stream->batch - stream->slot_count % stream->batch) % stream->batch;
}

static int create_slots(GpuStream *stream)
{
    Graph *graph = stream->graph;
    lay_out(stream);
    const int err = slots_create(&stream->slots, graph, stream->slot_count, stream->upload_queue);
    stream->works = (WorkList){ .graph = graph,
                                .slots = stream->slots,
                                .slot_count = stream->slot_count,
                                .profile = stream->profile };
    return err;
}

/* Reduces the depth for large frames. Many frames in flight keep a fast device busy with small
 * frames. Large frames keep it busy by themselves, so they get as many as fit into a moderate part
 * of its memory. */
static void choose_depth(GpuStream *stream)
{
    const Graph *graph = stream->graph;
    const unsigned enough = 8;
    const size_t room = (size_t)3 << 29;
    const size_t frame = 2 * graph->picture_bytes + graph->scratch_bytes + graph->result_bytes;
    for (lay_out(stream); stream->depth > enough && stream->slot_count * frame > room;
         lay_out(stream))
        stream->depth--;
}

static int create_ring(GpuStream *stream, bool may_shrink)
{
    int err = profile_create(&stream->profile, stream->graph);
    if (err)
        return err;
    if (may_shrink)
        choose_depth(stream);
    err = create_slots(stream);
    while (err == -ENOMEM && may_shrink && stream->depth > 1) {
        log_warning("%s: not enough memory for %u frames in flight on %s; trying %u",
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

/* ---- starting kernels ---- */

static bool is_timed(const GpuStream *stream, uint64_t frame)
{
    return profile_wants(stream->profile, frame, stream->slot_count);
}

/* The number of frames, waiting or still to come, that are left of the oldest waiting frame's
 * batch. */
static unsigned left_of_batch_locked(const GpuStream *stream)
{
    return stream->batch - (unsigned)(stream->started % stream->batch);
}

/* The number of waiting frames, from the oldest on, that are of one batch and run the same kernels.
 * A timed frame runs alone. */
static unsigned run_length_locked(const GpuStream *stream)
{
    const FeatureSet owners = slot_of(stream, stream->started)->owners;
    unsigned count = 1;
    while (count < left_of_batch_locked(stream) && stream->started + count < stream->submitted &&
           slot_of(stream, stream->started + count)->owners == owners &&
           !is_timed(stream, stream->started) && !is_timed(stream, stream->started + count))
        count++;
    return count;
}

/* Finds the recorded kernels of `count` frames that run together. */
static int work_of_locked(GpuStream *stream, uint64_t frame, unsigned count, const Work **work)
{
    const Slot *first = slot_of(stream, frame);
    return work_get(&stream->works,
                    &(Work){ .first = (unsigned)(first - stream->slots),
                             .count = count,
                             .owners = first->owners,
                             .timed = is_timed(stream, frame) },
                    work);
}

static void count_launches_locked(GpuStream *stream, const Work *work)
{
    for (unsigned f = 0; f < stream->graph->feature_count; f++)
        stream->tallies[f].launches += work->launches[f];
}

/* Lists the points that a run on this queue must wait for: the uploads of its frames and of those
 * that they look back at. A timed run also waits for all other runs, and later runs wait for it, so
 * that it has the device to itself. */
static unsigned waits_of_locked(const GpuStream *stream, enum GpuQueue queue, bool timed,
                                GpuPoint waits[GPU_MAX_WAITS])
{
    const GpuPoint *points[2 + GPU_MAX_COMPUTE_QUEUES] = { &stream->uploaded[0],
                                                           &stream->uploaded[1] };
    unsigned count = 2, wait_count = 0;
    for (unsigned i = 0; timed && i < stream->compute_queues; i++)
        points[count++] = &stream->ran[i];
    if (!timed)
        points[count++] = &stream->timed;
    for (unsigned i = 0; i < count; i++)
        if (points[i]->value && points[i]->queue != queue)
            waits[wait_count++] = *points[i];
    return wait_count;
}

static int submit_run_locked(GpuStream *stream, unsigned count, GpuPoint *done)
{
    GpuDevice *dev = stream->device;
    const Slot *first = slot_of(stream, stream->started);
    const Slot *last = slot_of(stream, stream->started + count - 1);
    const bool timed = is_timed(stream, stream->started);
    const unsigned number = timed ? 0 : stream->runs++ % stream->compute_queues;
    const enum GpuQueue queue = gpu_compute_queue(number);
    GpuCommands *commands[GPU_MAX_BATCH + 1];
    unsigned command_count = 0;
    for (unsigned i = 0; i < count; i++) {
        const Slot *slot = slot_of(stream, stream->started + i);
        if (slot->is_uploading)
            stream->uploaded[slot->uploaded.queue] = slot->uploaded;
        else
            commands[command_count++] = slot->upload;
    }
    const Work *work = NULL;
    if (first->owners) {
        const int err = work_of_locked(stream, stream->started, count, &work);
        if (err)
            return err;
        commands[command_count++] = work->commands;
    }
    *done = last->uploaded;
    if (!command_count)
        return 0;
    GpuPoint waits[GPU_MAX_WAITS];
    const unsigned wait_count = waits_of_locked(stream, queue, timed, waits);
    const int err = gpu_device_submit(dev,
                                      &(GpuSubmit){ .queue = queue,
                                                    .commands = commands,
                                                    .command_count = command_count,
                                                    .waits = waits,
                                                    .wait_count = wait_count },
                                      done);
    if (err)
        return err;
    stream->ran[number] = *done;
    if (timed)
        stream->timed = *done;
    if (work)
        count_launches_locked(stream, work);
    return 0;
}

/* Starts the oldest waiting frames. Collecting them returns any error. */
static void start_run_locked(GpuStream *stream)
{
    const unsigned count = run_length_locked(stream);
    GpuPoint done = { 0 };
    const int err = submit_run_locked(stream, count, &done);
    for (unsigned i = 0; i < count; i++) {
        Slot *slot = slot_of(stream, stream->started + i);
        slot->done = done;
        slot->err = err;
    }
    stream->started += count;
}

/* Starts waiting frames. A frame waits for the rest of its batch only while the device has enough
 * to do. */
static void start_if_due_locked(GpuStream *stream)
{
    while (stream->started < stream->submitted &&
           (stream->submitted - stream->started >= left_of_batch_locked(stream) ||
            stream->started - stream->collected < stream->batch))
        start_run_locked(stream);
}

/* ---- submitting and collecting ---- */

static int collect_next(GpuStream *stream, void *const *results);

/* True if the oldest frame in flight is only looked back at, so that nobody collects it. */
static bool next_is_lookback_locked(const GpuStream *stream)
{
    return stream->collected < stream->submitted &&
           slot_of(stream, stream->collected)->lookback_only;
}

/* Waits until fewer than `depth` frames are in flight and returns the next slot. Nobody uses that
 * slot then: the frames that looked back at it are at least `depth` frames old. */
static int wait_for_room(GpuStream *stream, Slot **slot)
{
    int err = 0;
    pthread_mutex_lock(&stream->lock);
    while (!err && stream->submitted - stream->collected >= stream->depth) {
        if (stream->submitted - stream->collected > stream->lookbacks) {
            pthread_cond_wait(&stream->progress, &stream->lock);
            continue;
        }
        /* The collector waits for none of the frames in flight, so collect one here. */
        pthread_mutex_unlock(&stream->lock);
        err = collect_next(stream, NULL);
        pthread_mutex_lock(&stream->lock);
    }
    pthread_mutex_unlock(&stream->lock);
    *slot = slot_of(stream, stream->submitted);
    return err;
}

static int upload(GpuStream *stream, Slot *slot, const FramePair *pair)
{
    GpuDevice *dev = stream->device;
    /* These points are reached already unless an earlier frame failed half-way. */
    if (gpu_device_wait(dev, slot->uploaded) || gpu_device_wait(dev, slot->done))
        return -EIO;
    return slot_upload(slot, stream->graph, pair, stream->upload_queue);
}

static int submit(GpuStream *stream, const FramePair *pair, FeatureSet set, bool lookback_only)
{
    Slot *slot;
    int err = wait_for_room(stream, &slot);
    if (!err)
        err = upload(stream, slot, pair);
    if (err)
        return err;
    slot->lookback_only = lookback_only;
    slot->pair = *pair;
    slot->set = set;
    slot->owners = graph_owners(stream->graph, set);
    pthread_mutex_lock(&stream->lock);
    stream->submitted++;
    stream->lookbacks = lookback_only ? stream->lookbacks + 1 : 0;
    start_if_due_locked(stream);
    pthread_mutex_unlock(&stream->lock);
    return 0;
}

int stream_submit(GpuStream *stream, const FramePair *pair, FeatureSet set)
{
    return submit(stream, pair, set, false);
}

int stream_submit_lookback(GpuStream *stream, const VmafPicture *ref, const VmafPicture *dist)
{
    return submit(stream, &(FramePair){ .ref = ref, .dist = dist }, 0, true);
}

unsigned stream_back(const GpuStream *stream)
{
    return stream->graph->back;
}

static int wait_for_frame(GpuStream *stream, const Slot *slot)
{
    if (!slot->err)
        return gpu_device_wait(stream->device, slot->done);
    gpu_device_wait(stream->device, slot->uploaded); /* it still reads the pictures */
    return slot->err;
}

/* Makes views of the pair that is collected, and of the earlier pictures it needs, that the host
 * can read. Arrivals are read back from their slots, as far back as the features look. The caller
 * releases `held`. */
static int view_pictures(GpuStream *stream, FramePair *pair, VmafPicture views[5],
                         VmafPicture held[5])
{
    const Graph *graph = stream->graph;
    const VmafPicture **const pictures[] = { &pair->ref, &pair->dist, &pair->prev_ref[0],
                                             &pair->prev_ref[1], &pair->prev_dist };
    static const unsigned backs[] = { 0, 0, 1, 2, 1 };
    int err = 0;
    for (unsigned p = 0; !err && p < 5; p++) {
        const unsigned back = backs[p];
        const bool is_dist = pictures[p] == &pair->dist || pictures[p] == &pair->prev_dist;
        if (!*pictures[p])
            continue;
        if (!arrival_of(*pictures[p])) {
            err = upload_view(stream->device, *pictures[p], &views[p]);
            *pictures[p] = &views[p];
        } else if (back <= graph->back) {
            const Slot *slot = slot_of(stream, stream->collected - back);
            err = slot_view(graph, is_dist ? slot->dist : slot->ref,
                            is_dist ? graph->dist_planes : graph->ref_planes, &held[p]);
            *pictures[p] = &held[p];
        } else {
            *pictures[p] = NULL;
        }
    }
    return err;
}

/* Measures a frame on the CPU when a last bit depends on the order of the CPU's additions. */
static int remeasure(GpuStream *stream, const Slot *slot, unsigned i, void *result)
{
    const Feature *f = stream->graph->features[i].feature;
    if (stream->never_on_cpu)
        return 0;
    FramePair pair = slot->pair;
    VmafPicture views[5], held[5] = { 0 };
    int err = view_pictures(stream, &pair, views, held);
    if (!err && f->def->scratch_create && !stream->cpu_scratch[i])
        err = f->def->scratch_create(f, &stream->cpu_scratch[i]);
    if (!err)
        err = f->def->measure(f, stream->cpu_scratch[i], &pair, result, NULL);
    for (unsigned p = 0; p < 5; p++)
        picture_release(&held[p]);
    return err;
}

/* Collects the results of a frame. *again receives the features that were measured on the CPU. */
static int read_results(GpuStream *stream, const Slot *slot, void *const *results,
                        FeatureSet *again)
{
    int err = wait_for_frame(stream, slot);
    err = slot_end_upload(slot, stream->graph, err);
    *again = 0;
    for (unsigned i = 0; !err && i < stream->graph->feature_count; i++) {
        if (!(slot->set >> i & 1))
            continue;
        const Feature *f = stream->graph->features[i].feature;
        const char *readback = slot->readback->host;
        err = f->def->gpu->collect(f, readback + graph_result_offset(stream->graph, i), results[i]);
        if (err == -EAGAIN && f->def->gpu->settle)
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

static void count_frame_locked(GpuStream *stream, const Slot *slot, FeatureSet again)
{
    for (unsigned i = 0; i < stream->graph->feature_count; i++) {
        stream->tallies[i].frames += slot->set >> i & 1;
        stream->tallies[i].frames_again += again >> i & 1;
    }
    const Work *work;
    if (slot->owners && is_timed(stream, stream->collected) &&
        !work_of_locked(stream, stream->collected, 1, &work))
        profile_add(stream->profile, work->stamps, work->owners);
}

static int collect_next(GpuStream *stream, void *const *results)
{
    Slot *slot = slot_of(stream, stream->collected);
    pthread_mutex_lock(&stream->lock);
    if (stream->started == stream->collected)
        start_run_locked(stream);
    pthread_mutex_unlock(&stream->lock);

    FeatureSet again;
    const int err = read_results(stream, slot, results, &again);
    /* The kernels are done, and so is the upload that they waited for. Clearing the points saves
     * asking the driver again, which is slow. */
    if (!err && slot->owners)
        slot->uploaded = slot->done = (GpuPoint){ 0 };

    pthread_mutex_lock(&stream->lock);
    if (!err)
        count_frame_locked(stream, slot, again);
    stream->collected++;
    start_if_due_locked(stream);
    pthread_cond_signal(&stream->progress);
    pthread_mutex_unlock(&stream->lock);
    return err;
}

int stream_collect(GpuStream *stream, void *const *results)
{
    int err = 0;
    pthread_mutex_lock(&stream->lock);
    while (next_is_lookback_locked(stream)) {
        pthread_mutex_unlock(&stream->lock);
        const int before_err = collect_next(stream, NULL);
        err = err ? err : before_err;
        pthread_mutex_lock(&stream->lock);
    }
    pthread_mutex_unlock(&stream->lock);
    const int own = collect_next(stream, results);
    return err ? err : own;
}

bool stream_takes_arrivals(const GpuStream *stream)
{
    return slot_takes_arrivals(stream->graph);
}

const char *stream_refusal(const GpuStream *stream, unsigned feature)
{
    return stream->graph->features[feature].refusal;
}

void stream_tally(GpuStream *stream, unsigned feature, GpuTally *tally)
{
    const unsigned owner = stream->graph->features[feature].owner;
    pthread_mutex_lock(&stream->lock);
    *tally = (GpuTally){
        .passes = stream->graph->features[owner].plan->pass_count,
        .frames = stream->tallies[feature].frames,
        .launches = stream->tallies[owner].launches,
        .frames_again = stream->tallies[feature].frames_again,
    };
    tally->timed_us = profile_time(stream->profile, owner, &tally->frames_timed);
    pthread_mutex_unlock(&stream->lock);
}
