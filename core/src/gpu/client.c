/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/client.h"

#include <errno.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context.h"
#include "engine/picture.h"
#include "engine/spare.h"
#include "gpu/environment.h"
#include "gpu/import.h"
#include "gpu/upload.h"

static unsigned device_count(const GpuClient *client)
{
    return client->session->more_count + 1;
}

/* ---- opening ---- */

bool client_should_tell(GpuClient *client)
{
    return !client->session->quiet && !client->logs_devices &&
           !atomic_flag_test_and_set(&client->session->told);
}

void client_close(GpuClient *client)
{
    for (unsigned d = 0; client->streams && d < device_count(client); d++)
        stream_destroy(client->streams[d]);
    mem_free(client->streams);
    client->streams = NULL;
    if (client->gives_spares)
        spare_leave_device();
    client->gives_spares = false;
}

/* Runs the self-test for features that this device has not passed yet. A driver is trusted with a
 * feature once its kernels gave the right result. */
static int test_taken(GpuSession *session, Feature *const *features, unsigned count,
                      FeatureSet taken)
{
    const unsigned depth = selftest_depth(features[0]->shape.bpc);
    const SelfTestSet wanted =
        selftest_set_of_all(features, count, taken) & ~atomic_load(&session->tested[depth]);
    if (session->backend->our_code || !wanted)
        return 0;
    const int err = selftest_run(session->device, wanted, depth);
    if (!err)
        atomic_fetch_or(&session->tested[depth], wanted);
    return err && gpu_device_is_abandoned(session->device) ? -ETIMEDOUT : err;
}

/* Opens a stream on each device. A feature runs on the devices only if all of them take it. */
static int open_streams(GpuClient *client, Feature *const *features, unsigned count,
                        FeatureSet *taken)
{
    client->streams = mem_array(device_count(client), sizeof(*client->streams));
    *taken = ~(FeatureSet)0;
    int err = client->streams ? 0 : -ENOMEM;
    for (unsigned d = 0; !err && d < device_count(client); d++) {
        FeatureSet own;
        err = stream_create(&client->streams[d],
                            &(GpuStreamParams){ .device = session_device(client->session, d),
                                                .features = features,
                                                .feature_count = count,
                                                .depth = client->session->depth,
                                                .may_shrink = true },
                            &own);
        *taken &= own;
    }
    return err;
}

static int test_all(const GpuClient *client, Feature *const *features, unsigned count,
                    FeatureSet taken)
{
    GpuSession *session = client->session;
    int err = test_taken(session, features, count, taken);
    for (unsigned i = 0; !err && i < session->more_count; i++)
        err = test_taken(session->more[i], features, count, taken);
    return err;
}

int client_open(GpuClient *client, Feature *const *features, unsigned count, FeatureSet *taken)
{
    int err = open_streams(client, features, count, taken);
    const bool opened = !err;
    if (!err)
        err = test_all(client, features, count, *taken);
    if (opened && err == -ENOMEM) {
        log_warning(
            "%s: not enough memory on %s for the self-test beside the frame buffers; running "
            "the self-test first",
            client->backend, client->device);
        client_close(client);
        err = test_all(client, features, count, *taken);
        if (!err)
            err = open_streams(client, features, count, taken);
    }
    if (err)
        client_close(client);
    else if (*taken)
        client->gives_spares = spare_use_device(client->session->device);
    return err;
}

const char *client_refusal(const GpuClient *client, unsigned i)
{
    const char *why = NULL;
    for (unsigned d = 0; d < device_count(client) && !(why && *why); d++)
        why = stream_refusal(client->streams[d], i);
    return why;
}

/* ---- pictures that the host cannot read yet ---- */

static bool range_is_unknown(const VmafPicture *pic)
{
    return !range_is_known(pic, 0) || !range_is_known(pic, 1) || !range_is_known(pic, 2);
}

/* Makes a picture on the device readable for the host if a feature on the CPU reads it, or if the
 * context must check its samples because the device did not. */
static int view_if_needed(GpuDevice *device, bool on_cpu, VmafPicture *pic)
{
    return on_cpu || range_is_unknown(pic) ? upload_view(device, pic, pic) : 0;
}

/* ---- resident pictures ---- */

static void resident_close(Resident *resident)
{
    for (unsigned side = 0; side < 2; side++)
        import_range_destroy(resident->device, &resident->ranges[side]);
    resident->device->ops->commands_destroy(resident->device, resident->commands);
}

/* Makes both queues wait for the copies that the caller has enqueued, since the caller does not. */
static int order_after_callers(GpuDevice *device)
{
    const GpuForeign callers = { 0, 0 };
    int err = 0;
    for (unsigned q = GPU_COMPUTE; !err && q <= GPU_TRANSFER; q++) {
        GpuPoint done;
        err = gpu_device_submit(device,
                                &(GpuSubmit){ .queue = (enum GpuQueue)q,
                                              .foreign_waits = &callers,
                                              .foreign_wait_count = 1 },
                                &done);
    }
    return err;
}

/* True if the plane is as upload_alloc_device left it. */
static bool is_unwritten(const VmafPicture *view, unsigned p)
{
    const uint32_t word = UPLOAD_UNWRITTEN;
    const size_t row = (size_t)view->w[p] * (view->bpc > 8 ? 2 : 1);
    if (!row || !view->h[p])
        return false;
    for (unsigned y = 0; y < view->h[p]; y++) {
        const char *at = (const char *)view->data[p] + (ptrdiff_t)y * view->stride[p];
        for (size_t i = 0; i < row; i++)
            if (at[i] != ((const char *)&word)[i % sizeof(word)])
                return false;
    }
    return true;
}

/* Fails if a feature reads chroma and the caller filled only luma, as FFmpeg's filter does for any
 * format: the scores would be wrong. */
static int check_chroma(Resident *resident, const VmafPicture *ref, const VmafPicture *dist,
                        const char *feature)
{
    VmafPicture views[2];
    int err = upload_view(resident->device, ref, &views[0]);
    if (!err)
        err = upload_view(resident->device, dist, &views[1]);
    if (err)
        return err;
    for (unsigned i = 0; i < 4; i++) {
        if (!is_unwritten(&views[i / 2], 1 + i % 2))
            continue;
        log_error(
            "%s: feature \"%s\" reads chroma, but only luma was copied to the pictures on the "
            "device (as FFmpeg's filter does); turn chroma off in the feature, or pass pictures in "
            "host memory",
            resident->device->backend, feature);
        return -EINVAL;
    }
    resident->has_chroma = true;
    return 0;
}

static int record_range_check(Resident *resident, VmafPicture *const pics[2])
{
    GpuDevice *device = resident->device;
    const GpuOps *ops = device->ops;
    int err = 0;
    if (!resident->commands)
        err = ops->commands_create(device, GPU_COMPUTE, &resident->commands);
    if (err)
        return err;
    ops->begin(resident->commands);
    for (unsigned side = 0; !err && side < 2; side++) {
        FrameShape shape;
        shape_of_picture(&shape, pics[side]);
        ImportTarget target;
        import_target_init(&target, device, &shape, upload_source(device, pics[side]));
        target.commands = resident->commands;
        err = import_range_record(&target, &resident->ranges[side]);
    }
    ops->barrier(resident->commands);
    const int end_err = ops->end(resident->commands);
    return err ? err : end_err;
}

static int check_range(Resident *resident, VmafPicture *const pics[2])
{
    int err = record_range_check(resident, pics);
    if (!err)
        err = gpu_device_run(resident->device, resident->commands);
    for (unsigned side = 0; !err && side < 2; side++)
        import_range_note(&resident->ranges[side], pics[side]);
    return err;
}

/* Prepares a pair of resident pictures for the engine, see client_admit, and leaves other
 * pairs alone. All work submitted from now on waits for whatever the caller has enqueued so far
 * (GpuForeign { 0, 0 }). -EINVAL (logged): only one of the two pictures is resident, or a feature
 * reads chroma that nobody filled. */
static int resident_admit(Resident *resident, const VmafContext *context, VmafPicture *ref,
                          VmafPicture *dist)
{
    GpuDevice *device = resident->device;
    const bool there = upload_is_device(device, ref);
    if (there != upload_is_device(device, dist)) {
        log_error("%s: one picture of the pair is on the device and the other is not",
                  device->backend);
        return -EINVAL;
    }
    if (!there)
        return 0;
    ContextNeeds needs;
    context_needs(context, &needs);
    int err = order_after_callers(device);
    if (!err && needs.chroma && !resident->has_chroma)
        err = check_chroma(resident, ref, dist, needs.chroma);
    if (!err && range_matters(ref->bpc) && !needs.on_cpu)
        err = check_range(resident, (VmafPicture *const[2]){ ref, dist });
    if (!err)
        err = view_if_needed(device, needs.on_cpu, ref);
    return err ? err : view_if_needed(device, needs.on_cpu, dist);
}

int client_admit(GpuClient *client, VmafPicture *ref, VmafPicture *dist)
{
    if (client->logs_devices)
        environment_log_devices(client);
    client->logs_devices = false;
    return resident_admit(&client->resident, client->context, ref, dist);
}

bool client_holds(const GpuClient *client, const VmafPicture *pic)
{
    return upload_source(client->session->device, pic) != NULL;
}

int client_fetch(GpuClient *client, VmafPicture *ref, VmafPicture *dist)
{
    GpuDevice *const device = client->session->device;
    VmafPicture *const pair[2] = { ref, dist };
    const bool resident = upload_is_device(device, ref) || upload_is_device(device, dist);
    int err = client_admit(client, ref, dist); /* fetches resident pictures */
    for (unsigned side = 0; !err && !resident && side < 2; side++)
        err = upload_view(device, pair[side], pair[side]);
    return err;
}

/* ---- frames ---- */

/* The device that scores a frame. Several devices take runs of frames in turn. A run has as many
 * frames as a device may have in flight. */
static unsigned device_of(const GpuClient *client, uint64_t frame)
{
    return (unsigned)(frame / client->session->depth % device_count(client));
}

static bool begins_run(const GpuClient *client, uint64_t frame)
{
    return client->session->more_count && frame && frame % client->session->depth == 0;
}

/* Submits a frame. The first frame of a run looks back at frames that another device scored, so its
 * own device gets those as well. */
static int submit_to(const GpuClient *client, GpuStream *stream, const FramePair *pair,
                     FeatureSet set)
{
    int err = 0;
    for (unsigned b = stream_back(stream); begins_run(client, client->submitted) && b-- && !err;)
        if (pair->prev_ref[b])
            err = stream_submit_lookback(stream, pair->prev_ref[b], b ? NULL : pair->prev_dist);
    return err ? err : stream_submit(stream, pair, set);
}

int client_submit(GpuClient *client, const FramePair *pair, FeatureSet set)
{
    if (client->submit_err)
        return client->submit_err;
    const unsigned device = device_of(client, client->submitted);
    const int err = submit_to(client, client->streams[device], pair, set);
    if (!err) {
        client->submitted++;
    } else if (client->session->more_count) {
        /* Earlier frames that it looks back at may still be read from their pictures, which nobody
         * holds now. */
        gpu_device_drain(session_device(client->session, device));
        client->submit_err = err;
    }
    return err;
}

int client_collect(GpuClient *client, void *const *results)
{
    const unsigned device = device_of(client, client->collected++);
    return stream_collect(client->streams[device], results);
}

void client_tally(const GpuClient *client, unsigned i, GpuTally *tally)
{
    *tally = (GpuTally){ 0 };
    for (unsigned d = 0; d < device_count(client); d++) {
        GpuTally own;
        stream_tally(client->streams[d], i, &own);
        tally->passes = own.passes;
        tally->frames += own.frames;
        tally->launches += own.launches;
        tally->frames_again += own.frames_again;
        tally->frames_timed += own.frames_timed;
        tally->timed_us += own.timed_us;
    }
}

/* ---- contexts ---- */

static int alloc_upload(void *device, size_t size, void **block)
{
    return upload_alloc(device, size, block);
}

static void free_upload(void *device, void *block)
{
    upload_free(device, block);
}

PoolMemory client_picture_memory(GpuClient *client)
{
    return (PoolMemory){ .when_fetched = true,
                         .alloc = alloc_upload,
                         .free = free_upload,
                         .opaque = client->session->device,
                         .as_is = true };
}

static void leave(GpuClient *client)
{
    GpuSession *session = client->session;
    pthread_mutex_lock(&session->lock);
    GpuClient **link = &session->clients;
    while (*link && *link != client)
        link = &(*link)->next;
    if (*link)
        *link = client->next;
    pthread_mutex_unlock(&session->lock);
}

void client_destroy(GpuClient *client)
{
    if (!client)
        return;
    leave(client);
    resident_close(&client->resident);
    imports_destroy(client->imports);
    if (client->own)
        client->own_destroy(client);
    session_release(client->session);
    mem_free(client);
}

static int client_create(GpuClient **out, GpuSession *session, VmafContext *context)
{
    GpuClient *client = mem_zalloc(sizeof(*client));
    int err = client ? 0 : -ENOMEM;
    /* Several devices cannot score pictures that lie on one of them. */
    if (!err && !session->more_count)
        err = imports_create(&client->imports, session->device, session->depth);
    if (err) {
        mem_free(client);
        return err;
    }
    client->backend = session->backend->name;
    client->device = session->title;
    client->identity = &session->identity;
    client->depth = session->depth * (session->more_count + 1);
    client->fallback_cpu = session->fallback_cpu;
    client->required = session->required;
    atomic_fetch_add(&session->references, 1);
    client->session = session;
    client->context = context;
    client->resident.device = session->device;
    *out = client;
    return 0;
}

int session_use(GpuSession *session, VmafContext *context)
{
    GpuClient *client;
    int err = client_create(&client, session, context);
    if (err)
        return err;
    err = context_use_gpu(context, client);
    if (err) {
        client_destroy(client);
        return err;
    }
    pthread_mutex_lock(&session->lock);
    client->next = session->clients;
    session->clients = client;
    pthread_mutex_unlock(&session->lock);
    return 0;
}

GpuClient *client_of(const VmafContext *context, const GpuBackend *backend)
{
    GpuClient *client = context ? context_gpu(context) : NULL;
    return client && (!backend || client->session->backend == backend) ? client : NULL;
}

GpuClient *session_client(GpuSession *session)
{
    pthread_mutex_lock(&session->lock);
    GpuClient *client = session->clients;
    const bool several = client && client->next;
    pthread_mutex_unlock(&session->lock);
    if (!client)
        log_error(
            "%s: no context uses this state yet; set it on a context before importing pictures",
            session->backend->name);
    if (several)
        log_error("%s: several contexts use this state; use the call that names the context",
                  session->backend->name);
    return several ? NULL : client;
}

/* ---- pictures ---- */

int session_preallocate(VmafContext *vmaf, const GpuBackend *backend, const SessionPool *wanted)
{
    GpuClient *client = client_of(vmaf, backend);
    if (!client)
        return -EINVAL;
    if (context_has_pool(vmaf))
        return -EBUSY;
    if (wanted->kind == SESSION_PICTURES_NONE)
        return 0;
    FrameShape shape;
    int err = shape_init(&shape, wanted->pix_fmt, wanted->bpc, wanted->w, wanted->h);
    if (err)
        return err;
    if (wanted->kind == SESSION_PICTURES_DEVICE && client->session->more_count) {
        log_error("%s: pictures that lie on one device cannot be scored on several devices",
                  backend->name);
        return -ENOTSUP;
    }
    const PoolMemory upload = client_picture_memory(client);
    const PoolMemory *const memory = wanted->kind == SESSION_PICTURES_DEVICE   ? wanted->device
                                     : wanted->kind == SESSION_PICTURES_UPLOAD ? &upload
                                                                               : NULL;
    const unsigned count = context_pool_size(vmaf);
    PicturePool *pool;
    err = memory ? picture_pool_create_in(&pool, &shape, count, memory)
                 : picture_pool_create(&pool, &shape, count);
    if (!err)
        context_set_pool(vmaf, pool);
    return err;
}

static int read_pair(GpuClient *client, VmafPicture *ref, VmafPicture *dist, unsigned index)
{
    FrameShape shape;
    ContextNeeds needs;
    shape_of_picture(&shape, ref);
    int err = context_prepare(client->context, &shape);
    context_needs(client->context, &needs);
    if (!err)
        err = view_if_needed(client->session->device, needs.on_cpu, ref);
    if (!err)
        err = view_if_needed(client->session->device, needs.on_cpu, dist);
    return err ? err : context_read(client->context, ref, dist, index);
}

int client_read_imported(GpuClient *client, unsigned index)
{
    VmafPicture ref, dist;
    if (context_is_flushed(client->context) || context_in_handler(client->context))
        return -EINVAL;
    int err = imports_take(client->imports, index, &ref, &dist);
    if (err)
        return err;
    err = read_pair(client, &ref, &dist, index);
    picture_release(&ref);
    picture_release(&dist);
    return err;
}

/* ---- arrivals (import.h) ---- */

static int read_straight(GpuClient *client, const FrameShape *shape, GpuArrival *arrival)
{
    VmafPicture ref, dist;
    int err = arrival_pictures(arrival, shape, &ref, &dist);
    if (err)
        return err;
    context_forgo_cpu(client->context);
    err = context_read(client->context, &ref, &dist, arrival->index);
    picture_release(&ref);
    picture_release(&dist);
    return err;
}

/* Imports the pair into mirror blocks first, which the host can read. */
static int read_mirrored(GpuClient *client, const FrameShape *shape, GpuArrival *arrival)
{
    GpuIncoming in = {
        .w = shape->w[0],
        .h = shape->h[0],
        .bpc = shape->bpc,
        .pix_fmt = shape->pix_fmt,
        .is_ref = true,
        .index = arrival->index,
        .waits = arrival->waits,
        .wait_count = arrival->wait_count,
    };
    int err = imports_add(client->imports, &in, arrival->record, arrival->source[0]);
    if (err)
        return err;
    in.is_ref = false;
    in.signals = arrival->signals;
    in.signal_count = arrival->signal_count;
    err = imports_add(client->imports, &in, arrival->record, arrival->source[1]);
    arrival->submitted = !err;
    if (err) {
        gpu_device_drain(client->session->device); /* it still reads the reference */
        return err;
    }
    return client_read_imported(client, arrival->index);
}

int client_read_arrival(GpuClient *client, const FrameShape *shape, GpuArrival *arrival)
{
    if (context_is_flushed(client->context) || context_in_handler(client->context))
        return -EINVAL;
    int err = context_prepare(client->context, shape);
    if (err)
        return err;
    ContextNeeds needs;
    context_needs(client->context, &needs);
    const bool straight =
        !needs.on_cpu && !client->session->more_count && stream_takes_arrivals(client->streams[0]);
    err = straight ? read_straight(client, shape, arrival) : read_mirrored(client, shape, arrival);
    if (!straight || !arrival->submitted)
        arrival_leave(arrival);
    return err;
}
