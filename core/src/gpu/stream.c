#include "gpu/stream.h"

#include <errno.h>
#include <pthread.h>

#include "engine/log.h"
#include "engine/mem.h"
#include "gpu/slot.h"
#include "gpu/upload.h"

/* A device that has not finished a frame after this long will not finish it. */
#define FRAME_TIMEOUT_NS (300u * (uint64_t)1000000000)

/* Below this many bytes a frame, a second submission costs more than the copy engine gains. */
#define OWN_UPLOAD_BYTES ((size_t)1 << 20)

struct GpuStream {
    GpuDevice *device;
    Graph *graph;
    Profile *profile;
    unsigned depth;
    unsigned slot_count; /* depth, and as many as features look back */
    Slot *slots;
    enum GpuQueue upload_queue;
    uint64_t submitted; /* of the submitting thread */

    pthread_mutex_t lock;
    pthread_cond_t progress;
    uint64_t collected;

    bool never_on_cpu;
    void **cpu_scratch; /* by feature, for frames measured again; made when first needed */
};

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
    int err = stream->cpu_scratch ? 0 : -ENOMEM;
    if (!err)
        err = graph_create(&stream->graph, params->device, params->features, params->feature_count);
    if (!err) {
        stream->slot_count = params->depth + stream->graph->back;
        stream->upload_queue =
            2 * stream->graph->picture_bytes < OWN_UPLOAD_BYTES ? GPU_COMPUTE : GPU_TRANSFER;
        err = profile_create(&stream->profile, stream->graph);
    }
    if (!err)
        err = slots_create(&stream->slots, stream->graph, stream->slot_count, stream->upload_queue,
                           stream->profile);
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
    for (unsigned i = 0; stream->slots && i < stream->slot_count; i++)
        stream->device->ops->wait(stream->device, stream->slots[i].done, FRAME_TIMEOUT_NS);
    slots_destroy(stream->slots, stream->graph, stream->slot_count);
    profile_destroy(stream->profile);
    for (unsigned i = 0; stream->graph && i < stream->graph->feature_count; i++)
        if (stream->cpu_scratch[i])
            stream->graph->features[i].feature->def->scratch_destroy(stream->cpu_scratch[i]);
    mem_free(stream->cpu_scratch);
    graph_destroy(stream->graph);
    pthread_cond_destroy(&stream->progress);
    pthread_mutex_destroy(&stream->lock);
    mem_free(stream);
}

/* Once fewer than `depth` frames are in flight, nobody uses the next slot: the frames that looked back
 * at it are `depth` or more frames old. */
static void wait_for_room(GpuStream *stream)
{
    pthread_mutex_lock(&stream->lock);
    while (stream->submitted - stream->collected >= stream->depth)
        pthread_cond_wait(&stream->progress, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
}

static int submit_separately(GpuStream *stream, Slot *slot, GpuCommands *work)
{
    GpuDevice *dev = stream->device;
    GpuPoint uploaded;
    int err = dev->ops->submit(dev, &(GpuSubmit){ .queue = GPU_TRANSFER, .commands = &slot->upload,
                                                  .command_count = 1 }, &uploaded);
    if (err)
        return err;
    slot->done = uploaded;
    /* Without kernels the upload is all; it is ordered before those of later frames. */
    if (!work)
        return 0;
    return dev->ops->submit(dev, &(GpuSubmit){ .queue = GPU_COMPUTE, .commands = &work,
                                               .command_count = 1, .waits = &uploaded,
                                               .wait_count = 1 }, &slot->done);
}

int stream_submit(GpuStream *stream, const FramePair *pair, FeatureSet set)
{
    wait_for_room(stream);
    GpuDevice *dev = stream->device;
    Slot *slot = &stream->slots[stream->submitted % stream->slot_count];
    const FeatureSet owners = graph_owners(stream->graph, set);
    GpuCommands *commands[2] = { slot->upload, NULL };
    slot->work = NULL;
    int err = dev->ops->wait(dev, slot->done, FRAME_TIMEOUT_NS) < 0 ? -EIO : 0;
    if (!err)
        err = slot_record_upload(slot, stream->graph, pair);
    if (!err && owners)
        err = slot_work(slot, stream->graph, owners, &slot->work);
    if (err)
        return err;
    if (slot->work)
        commands[1] = slot->work->commands;
    if (stream->upload_queue == GPU_TRANSFER)
        err = submit_separately(stream, slot, commands[1]);
    else
        err = dev->ops->submit(dev, &(GpuSubmit){ .queue = GPU_COMPUTE, .commands = commands,
                                                  .command_count = commands[1] ? 2 : 1 },
                               &slot->done);
    if (err)
        return err;
    slot->set = set;
    slot->pair = *pair;
    pthread_mutex_lock(&stream->lock);
    stream->submitted++;
    pthread_mutex_unlock(&stream->lock);
    return 0;
}

/* A frame whose last bit hangs on the order of the CPU's additions is measured there. */
static int remeasure(GpuStream *stream, const Slot *slot, unsigned i, void *result)
{
    const Feature *f = stream->graph->features[i].feature;
    if (stream->never_on_cpu || !slot->pair.ref->data[0] || !slot->pair.dist->data[0])
        return 0;
    if (f->def->scratch_create && !stream->cpu_scratch[i]) {
        const int err = f->def->scratch_create(f, &stream->cpu_scratch[i]);
        if (err)
            return err;
    }
    return f->def->measure(f, stream->cpu_scratch[i], &slot->pair, result, NULL);
}

static int read_results(GpuStream *stream, const Slot *slot, void *const *results)
{
    const int reached = stream->device->ops->wait(stream->device, slot->done, FRAME_TIMEOUT_NS);
    if (reached < 0)
        return reached;
    if (!reached) {
        log_error("%s: %s did not finish a frame in 300 s", stream->device->backend,
                  stream->device->name);
        return -EIO;
    }
    if (slot->work)
        profile_add(stream->profile, slot->work->stamps, slot->work->owners);
    for (unsigned i = 0; i < stream->graph->feature_count; i++) {
        if (!(slot->set >> i & 1))
            continue;
        const Feature *f = stream->graph->features[i].feature;
        const char *readback = slot->readback->host;
        int err = f->def->gpu->collect(f, readback + graph_result_offset(stream->graph, i),
                                       results[i]);
        if (err == -EAGAIN)
            err = remeasure(stream, slot, i, results[i]);
        if (err)
            return err;
    }
    return 0;
}

int stream_collect(GpuStream *stream, void *const *results)
{
    const Slot *slot = &stream->slots[stream->collected % stream->slot_count];
    const int err = read_results(stream, slot, results);
    pthread_mutex_lock(&stream->lock);
    stream->collected++;
    pthread_cond_signal(&stream->progress);
    pthread_mutex_unlock(&stream->lock);
    return err;
}

/* ---- the engine's hook: an Accelerator is a stream ---- */

static int alloc_upload(void *device, size_t size, void **block)
{
    return upload_alloc(device, size, block);
}

static void free_upload(void *device, void *block)
{
    upload_free(device, block);
}

PoolMemory gpu_picture_memory(void *state)
{
    const GpuSetup *setup = state;
    return (PoolMemory){ alloc_upload, free_upload, setup->device };
}

int gpu_open(void *state, Feature *const *features, unsigned count, FeatureSet *taken,
             Accelerator **out)
{
    const GpuSetup *setup = state;
    GpuStream *stream;
    const int err = stream_create(&stream,
                                  &(GpuStreamParams){ .device = setup->device, .features = features,
                                                      .feature_count = count, .depth = setup->depth },
                                  taken);
    *out = (Accelerator *)stream;
    return err;
}

const char *gpu_device_name(const Accelerator *a)
{
    return ((const GpuStream *)a)->device->name;
}

int gpu_submit(Accelerator *a, const FramePair *pair, FeatureSet set)
{
    return stream_submit((GpuStream *)a, pair, set);
}

int gpu_collect(Accelerator *a, void *const *results)
{
    return stream_collect((GpuStream *)a, results);
}

void gpu_close(Accelerator *a)
{
    stream_destroy((GpuStream *)a);
}
