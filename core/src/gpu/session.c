/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context.h"
#include "engine/range.h"
#include "gpu/environment.h"
#include "gpu/import.h"
#include "gpu/upload.h"

#define DEPTH_DEFAULT 4
#define DEPTH_MAX 16

/* ---- sessions ---- */

static unsigned clamp_depth(unsigned depth)
{
    return depth == 0 ? DEPTH_DEFAULT : depth > DEPTH_MAX ? DEPTH_MAX : depth;
}

int session_adopt(GpuSession **out, const GpuBackend *backend, GpuDevice *device,
                  const GpuDeviceInfo *info, unsigned depth)
{
    *out = NULL;
    GpuSession *session = mem_zalloc(sizeof(*session));
    int err = session ? 0 : -ENOMEM;
    memcpy(device->uuid, info->uuid, sizeof(device->uuid));
    if (err) {
        gpu_device_release(device);
        return err;
    }
    session->backend = backend;
    session->device = device;
    session->info = *info;
    session->depth = clamp_depth(depth);
    atomic_init(&session->references, 1);
    pthread_mutex_init(&session->lock, NULL);
    *out = session;
    return 0;
}

static void log_devices(const GpuProbe *probe, bool any_chosen, unsigned chosen)
{
    for (unsigned i = 0; i < probe->count; i++) {
        const GpuDeviceInfo *device = &probe->devices[i];
        log_debug("%s: device %u is %s%s%s%s", probe->backend->name, i, device->name,
                  device->missing[0] ? ", which lacks " : "", device->missing,
                  any_chosen && i == chosen ? ": chosen" : "");
    }
}

static int open_wished(GpuSession **out, GpuProbe *probe, const GpuWish *wish)
{
    unsigned index = 0;
    GpuDevice *device;
    int err = gpu_choose(probe, wish, &index);
    log_devices(probe, !err, index);
    if (!err)
        err = probe->backend->open(probe, index, &device);
    if (!err)
        err = session_adopt(out, probe->backend, device, &probe->devices[index], wish->depth);
    if (!err) {
        (*out)->index = index;
        (*out)->required = wish->required;
    } else {
        log_debug("%s: no device opened, error %d", probe->backend->name, err);
    }
    return err;
}

/* Looks at the machine; `why` is empty unless there is nothing to choose from. */
static int probe_or_why(const GpuBackend *backend, bool validation, GpuProbe **probe, char *why,
                        size_t size)
{
    why[0] = '\0';
    if (!backend->probe) {
        snprintf(why, size, "this libvmaf was built without %s", backend->title);
        return -ENOSYS;
    }
    const int err = backend->probe(backend, validation, probe);
    if (err == -ENOSYS)
        snprintf(why, size, "no %s on this machine", backend->needs);
    else if (err == -ENODEV)
        snprintf(why, size, "no device found; is a driver installed?");
    else if (err)
        snprintf(why, size, "it cannot be asked for devices (%d)", err);
    return err;
}

int session_missing(const GpuBackend *backend, bool allow_software, char *why, size_t size)
{
    GpuProbe *probe;
    int err = probe_or_why(backend, false, &probe, why, size);
    if (err)
        return err;
    const GpuWish wish = { .index = -1, .allow_software = allow_software, .quiet = true };
    unsigned index;
    err = gpu_choose(probe, &wish, &index);
    if (err)
        gpu_explain_none(probe, why, size);
    backend->probe_end(probe);
    return err;
}

int session_open(GpuSession **out, const GpuBackend *backend, const GpuWish *wish)
{
    *out = NULL;
    GpuProbe *probe;
    char why[512];
    int err = probe_or_why(backend, wish->validation, &probe, why, sizeof(why));
    if ((err == -ENOSYS || err == -ENODEV) && !wish->quiet)
        log_error("%s: %s", backend->name, why);
    if (err)
        return err;
    err = open_wished(out, probe, wish);
    backend->probe_end(probe);
    return err;
}

static void session_release(GpuSession *session)
{
    if (atomic_fetch_sub(&session->references, 1) != 1)
        return;
    gpu_device_release(session->device);
    pthread_mutex_destroy(&session->lock);
    mem_free(session);
}

void session_close(GpuSession *session)
{
    if (!session)
        return;
    gpu_device_drain(session->device);
    session_release(session);
}

/* ---- the accelerator that a context sees ---- */

static void client_close(Accelerator *a)
{
    GpuClient *client = (GpuClient *)a;
    for (unsigned i = 0; client->streams && i < client->stream_count; i++)
        stream_destroy(client->streams[i]);
    mem_free(client->streams);
    client->streams = NULL;
    client->stream_count = 0;
}

/* A driver is trusted with what it will compute, once that was right. */
static int test_taken(GpuSession *session, Feature *const *features, unsigned count,
                      const FeatureSet *taken)
{
    const unsigned depth = selftest_depth(features[0]->shape.bpc);
    SelfTestSet wanted = 0;
    for (unsigned i = 0; i < count; i++)
        if (feature_sets_have(taken, i))
            wanted |= selftest_set_of(features[i]->def);
    wanted &= ~atomic_load(&session->tested[depth]);
    if (session->backend->our_code || !wanted)
        return 0;
    const int err = selftest_run(session->device, wanted, depth);
    if (!err)
        atomic_fetch_or(&session->tested[depth], wanted);
    return err && gpu_device_is_abandoned(session->device) ? -ETIMEDOUT : err;
}

static int open_streams(GpuClient *client, Feature *const *features, unsigned count,
                        FeatureSet *taken)
{
    const unsigned sets = FEATURE_SETS(count);
    client->streams = mem_array(sets, sizeof(*client->streams));
    int err = client->streams ? 0 : -ENOMEM;
    for (unsigned i = 0; !err && i < sets; i++) {
        const unsigned first = i * FEATURE_SET_SIZE, left = count - first;
        err = stream_create(
            &client->streams[i],
            &(GpuStreamParams){ .device = client->session->device,
                                .features = features + first,
                                .feature_count = left < FEATURE_SET_SIZE ? left : FEATURE_SET_SIZE,
                                .depth = client->session->depth,
                                .may_shrink = true },
            &taken[i]);
        client->stream_count = i + 1;
    }
    return err;
}

static int client_open(Accelerator *a, Feature *const *features, unsigned count, FeatureSet *taken)
{
    GpuClient *client = (GpuClient *)a;
    int err = open_streams(client, features, count, taken);
    const bool opened = !err;
    if (!err)
        err = test_taken(client->session, features, count, taken);
    if (opened && err == -ENOMEM) {
        log_warning("%s: frames leave too little memory on %s for its test, which comes first now",
                    a->backend, a->device);
        client_close(a);
        err = test_taken(client->session, features, count, taken);
        if (!err)
            err = open_streams(client, features, count, taken);
    }
    if (err)
        client_close(a);
    return err;
}

static int client_admit(Accelerator *a, VmafPicture *ref, VmafPicture *dist)
{
    GpuClient *client = (GpuClient *)a;
    if (client->tells_places)
        environment_tell_places(client);
    client->tells_places = false;
    return resident_admit(&client->resident, client->context, ref, dist);
}

static const char *client_refusal(Accelerator *a, unsigned i)
{
    return stream_refusal(((GpuClient *)a)->streams[i / FEATURE_SET_SIZE], i % FEATURE_SET_SIZE);
}

/* A frame that only some streams take fails when it is collected, and no other follows it. */
static int client_submit(Accelerator *a, const FramePair *pair, const FeatureSet *sets)
{
    GpuClient *client = (GpuClient *)a;
    int err = atomic_load(&client->submit_err);
    if (err)
        return err;
    unsigned i = 0;
    while (i < client->stream_count && !(err = stream_submit(client->streams[i], pair, sets[i])))
        i++;
    if (i == 0)
        return err;
    if (err) {
        client->cut_frame = client->submitted;
        client->cut_streams = i;
        atomic_store(&client->submit_err, err);
    }
    client->submitted++;
    return 0;
}

static int client_collect(Accelerator *a, void *const *results)
{
    GpuClient *client = (GpuClient *)a;
    int err = atomic_load(&client->submit_err);
    const bool cut = err && client->collected == client->cut_frame;
    const unsigned count = cut ? client->cut_streams : client->stream_count;
    err = cut ? err : 0;
    for (unsigned i = 0; i < count; i++) {
        const int own = stream_collect(client->streams[i], results + (size_t)i * FEATURE_SET_SIZE);
        err = err ? err : own;
    }
    client->collected++;
    return err;
}

static void client_tally(Accelerator *a, unsigned i, AcceleratorTally *tally)
{
    stream_tally(((GpuClient *)a)->streams[i / FEATURE_SET_SIZE], i % FEATURE_SET_SIZE, tally);
}

static int alloc_upload(void *device, size_t size, void **block)
{
    return upload_alloc(device, size, block);
}

static void free_upload(void *device, void *block)
{
    upload_free(device, block);
}

static PoolMemory client_picture_memory(Accelerator *a)
{
    return (PoolMemory){ .alloc = alloc_upload,
                         .free = free_upload,
                         .opaque = ((GpuClient *)a)->session->device,
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

static void client_destroy(Accelerator *a)
{
    GpuClient *client = (GpuClient *)a;
    leave(client);
    resident_close(&client->resident);
    imports_destroy(client->imports);
    if (client->own)
        client->own_destroy(client);
    session_release(client->session);
    mem_free(client);
}

static const AcceleratorOps client_ops = {
    .open = client_open,
    .refusal = client_refusal,
    .admit = client_admit,
    .submit = client_submit,
    .collect = client_collect,
    .tally = client_tally,
    .close = client_close,
    .picture_memory = client_picture_memory,
    .destroy = client_destroy,
};

static int client_create(GpuClient **out, GpuSession *session, VmafContext *context)
{
    GpuClient *client = mem_zalloc(sizeof(*client));
    int err = client ? imports_create(&client->imports, session->device, session->depth) : -ENOMEM;
    if (err) {
        mem_free(client);
        return err;
    }
    atomic_init(&client->submit_err, 0);
    client->accelerator = (Accelerator){
        .ops = &client_ops,
        .backend = session->backend->name,
        .device = session->device->name,
        .depth = session->depth,
        .required = session->required,
    };
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
    err = context_use_accelerator(context, &client->accelerator);
    if (err) {
        client_destroy(&client->accelerator);
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
    Accelerator *a = context ? context_accelerator(context) : NULL;
    GpuClient *client = a && a->ops == &client_ops ? (GpuClient *)a : NULL;
    return client && (!backend || client->session->backend == backend) ? client : NULL;
}

GpuClient *session_client(GpuSession *session)
{
    pthread_mutex_lock(&session->lock);
    GpuClient *client = session->clients;
    const bool several = client && client->next;
    pthread_mutex_unlock(&session->lock);
    if (!client)
        log_error("%s: pictures are imported for a context: give it the state first",
                  session->backend->name);
    if (several)
        log_error("%s: several contexts use this state: name the one that the picture is for",
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
    const PoolMemory upload = client_picture_memory(&client->accelerator);
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

static bool range_is_unknown(const VmafPicture *pic)
{
    return !range_is_known(pic, 0) || !range_is_known(pic, 1) || !range_is_known(pic, 2);
}

/* Features on the CPU read the mapped half of the pictures, and so does the context itself where the
 * device did not look at the samples. */
static int read_pair(GpuClient *client, VmafPicture *ref, VmafPicture *dist, unsigned index)
{
    FrameShape shape;
    ContextNeeds needs;
    shape_of_picture(&shape, ref);
    int err = context_prepare(client->context, &shape);
    context_needs(client->context, &needs);
    if (!err && (needs.on_cpu || range_is_unknown(ref)))
        err = upload_fetch(client->session->device, ref);
    if (!err && (needs.on_cpu || range_is_unknown(dist)))
        err = upload_fetch(client->session->device, dist);
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

/* ---- pairs that go straight to the kernels ---- */

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

/* By way of mirrors, which the host can read, too. */
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
        gpu_device_drain(client->session->device); /* it reads the other one */
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
        !needs.on_cpu && client->stream_count == 1 && stream_takes_arrivals(client->streams[0]);
    err = straight ? read_straight(client, shape, arrival) : read_mirrored(client, shape, arrival);
    if (!straight || !arrival->submitted)
        arrival_leave(arrival);
    return err;
}
