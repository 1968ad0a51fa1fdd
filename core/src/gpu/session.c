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
#include "gpu/pages.h"
#include "gpu/upload.h"

#define DEPTH_DEFAULT 4
#define DEPTH_MAX 32

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
    snprintf(session->title, sizeof(session->title), "%s", device->name);
    atomic_init(&session->references, 1);
    pthread_mutex_init(&session->lock, NULL);
    *out = session;
    return 0;
}

static bool is_chosen(const unsigned *indices, unsigned count, unsigned index)
{
    for (unsigned i = 0; i < count; i++)
        if (indices[i] == index)
            return true;
    return false;
}

static void log_devices(const GpuProbe *probe, const unsigned *indices, unsigned count)
{
    for (unsigned i = 0; i < probe->count; i++) {
        const GpuDeviceInfo *device = &probe->devices[i];
        log_debug("%s: device %u is %s%s%s%s", probe->backend->name, i, device->name,
                  device->missing[0] ? ", which lacks " : "", device->missing,
                  is_chosen(indices, count, i) ? ": chosen" : "");
    }
}

static int open_index(GpuSession **out, GpuProbe *probe, const GpuWish *wish, unsigned index)
{
    GpuDevice *device;
    probe->expected = wish->expected;
    int err = probe->backend->open(probe, index, &device);
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

/* "A + B", or "2 x A". */
static void name_all(GpuSession *session)
{
    size_t used = 0;
    bool same = true;
    for (unsigned i = 0; i < session->more_count; i++)
        same &= !strcmp(session->device->name, session->more[i]->device->name);
    if (same && session->more_count) {
        snprintf(session->title, sizeof(session->title), "%u x %s", session->more_count + 1,
                 session->device->name);
        return;
    }
    for (unsigned i = 0; i <= session->more_count && used < sizeof(session->title); i++)
        used += (size_t)snprintf(session->title + used, sizeof(session->title) - used, "%s%s",
                                 i ? " + " : "", session_device(session, i)->name);
}

/* Pictures of a pool are copied from where they are by whichever device scores them. */
static int share_memory(GpuSession *session)
{
    GpuDevice *first = session->device;
    first->peers = mem_array(session->more_count, sizeof(*first->peers));
    if (!first->peers)
        return -ENOMEM;
    for (unsigned i = 0; i < session->more_count; i++)
        first->peers[first->peer_count++] = session->more[i]->device;
    return 0;
}

/* A look at the machine serves one device. */
static int open_more(GpuSession *session, const GpuWish *wish, const unsigned *indices,
                     unsigned count)
{
    const GpuBackend *backend = session->backend;
    session->more = mem_array(count, sizeof(GpuSession *));
    int err = session->more ? 0 : -ENOMEM;
    for (unsigned i = 0; !err && i < count; i++) {
        GpuProbe *probe;
        err = backend->probe(backend, wish->validation, &probe);
        if (err)
            break;
        err = indices[i] < probe->count ? open_index(&session->more[i], probe, wish, indices[i])
                                        : -ENODEV;
        session->more_count += !err;
        backend->probe_end(probe);
    }
    return err ? err : share_memory(session);
}

static int open_wished(GpuSession **out, const GpuBackend *backend, const GpuWish *wish)
{
    GpuProbe *probe;
    char why[512];
    unsigned *indices = NULL, count = 0;
    int err = probe_or_why(backend, wish->validation, &probe, why, sizeof(why));
    if ((err == -ENOSYS || err == -ENODEV) && !wish->quiet)
        log_error("%s: %s", backend->name, why);
    if (err)
        return err;
    err = gpu_choose_all(probe, wish, &indices, &count);
    log_devices(probe, indices, err ? 0 : count);
    GpuWish each = *wish;
    if (!err)
        each.expected.pairs = wish->expected.pairs / count + (wish->expected.pairs % count != 0);
    if (!err)
        err = open_index(out, probe, &each, indices[0]);
    backend->probe_end(probe);
    if (!err && count > 1)
        err = open_more(*out, &each, indices + 1, count - 1);
    mem_free(indices);
    if (!err)
        name_all(*out);
    if (err && *out) {
        session_close(*out);
        *out = NULL;
    }
    return err;
}

/* Several devices share what they copy from. */
int session_open(GpuSession **out, const GpuBackend *backend, const GpuWish *wish)
{
    *out = NULL;
    GpuReserve *reserve =
        wish->upload_bytes && backend->takes_pages ? reserve_start(wish->upload_bytes) : NULL;
    const int err = open_wished(out, backend, wish);
    if (!err && !(*out)->more_count)
        (*out)->device->reserve = reserve;
    else
        reserve_destroy(reserve, false);
    return err;
}

GpuDevice *session_device(const GpuSession *session, unsigned i)
{
    return i ? session->more[i - 1]->device : session->device;
}

bool session_is_abandoned(const GpuSession *session)
{
    bool abandoned = false;
    for (unsigned i = 0; i <= session->more_count; i++)
        abandoned |= gpu_device_is_abandoned(session_device(session, i));
    return abandoned;
}

static void session_release(GpuSession *session)
{
    if (atomic_fetch_sub(&session->references, 1) != 1)
        return;
    mem_free(session->device->peers);
    session->device->peers = NULL;
    session->device->peer_count = 0;
    for (unsigned i = 0; i < session->more_count; i++)
        session_release(session->more[i]);
    mem_free(session->more);
    gpu_device_release(session->device);
    pthread_mutex_destroy(&session->lock);
    mem_free(session);
}

void session_close(GpuSession *session)
{
    if (!session)
        return;
    for (unsigned i = 0; i <= session->more_count; i++)
        gpu_device_drain(session_device(session, i));
    session_release(session);
}

/* ---- the accelerator that a context sees ---- */

static void client_close(Accelerator *a)
{
    GpuClient *client = (GpuClient *)a;
    const unsigned devices = client->session->more_count + 1;
    for (unsigned i = 0; client->streams && i < devices * client->stream_count; i++)
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

static GpuStream *stream_of(const GpuClient *client, unsigned device, unsigned i)
{
    return client->streams[device * client->stream_count + i];
}

/* What only some of the devices take runs on none of them. */
static int open_streams(GpuClient *client, Feature *const *features, unsigned count,
                        FeatureSet *taken)
{
    const unsigned sets = FEATURE_SETS(count), devices = client->session->more_count + 1;
    client->streams = mem_array((size_t)devices * sets, sizeof(*client->streams));
    client->stream_count = sets;
    int err = client->streams ? 0 : -ENOMEM;
    for (unsigned n = 0; !err && n < devices * sets; n++) {
        const unsigned i = n % sets, first = i * FEATURE_SET_SIZE, left = count - first;
        FeatureSet own;
        err = stream_create(
            &client->streams[n],
            &(GpuStreamParams){ .device = session_device(client->session, n / sets),
                                .features = features + first,
                                .feature_count = left < FEATURE_SET_SIZE ? left : FEATURE_SET_SIZE,
                                .depth = client->session->depth,
                                .may_shrink = true },
            &own);
        taken[i] = n < sets ? own : taken[i] & own;
    }
    return err;
}

static int test_all(const GpuClient *client, Feature *const *features, unsigned count,
                    const FeatureSet *taken)
{
    GpuSession *session = client->session;
    int err = test_taken(session, features, count, taken);
    for (unsigned i = 0; !err && i < session->more_count; i++)
        err = test_taken(session->more[i], features, count, taken);
    return err;
}

static int client_open(Accelerator *a, Feature *const *features, unsigned count, FeatureSet *taken)
{
    GpuClient *client = (GpuClient *)a;
    int err = open_streams(client, features, count, taken);
    const bool opened = !err;
    if (!err)
        err = test_all(client, features, count, taken);
    if (opened && err == -ENOMEM) {
        log_warning("%s: frames leave too little memory on %s for its test, which comes first now",
                    a->backend, a->device);
        client_close(a);
        err = test_all(client, features, count, taken);
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
    const GpuClient *client = (GpuClient *)a;
    const char *why = NULL;
    for (unsigned d = 0; d <= client->session->more_count && !(why && *why); d++)
        why = stream_refusal(stream_of(client, d, i / FEATURE_SET_SIZE), i % FEATURE_SET_SIZE);
    return why;
}

/* ---- frames on several devices: in runs, as long as what a device has in flight ---- */

static unsigned device_of(const GpuClient *client, uint64_t frame)
{
    return (unsigned)(frame / client->session->depth % (client->session->more_count + 1));
}

static bool begins_run(const GpuClient *client, uint64_t frame)
{
    return client->session->more_count && frame && frame % client->session->depth == 0;
}

/* The first frame of a run finds those that it looks back at on its own device. */
static int submit_to(const GpuClient *client, GpuStream *stream, const FramePair *pair,
                     FeatureSet set)
{
    int err = 0;
    for (unsigned b = stream_back(stream); begins_run(client, client->submitted) && b-- && !err;)
        if (pair->prev_ref[b])
            err = stream_submit_before(stream, pair->prev_ref[b], b ? NULL : pair->prev_dist);
    return err ? err : stream_submit(stream, pair, set);
}

/* A frame that only some streams take fails when it is collected, and no other follows it. */
static int client_submit(Accelerator *a, const FramePair *pair, const FeatureSet *sets)
{
    GpuClient *client = (GpuClient *)a;
    int err = atomic_load(&client->submit_err);
    if (err)
        return err;
    const unsigned device = device_of(client, client->submitted);
    unsigned i = 0;
    while (i < client->stream_count &&
           !(err = submit_to(client, stream_of(client, device, i), pair, sets[i])))
        i++;
    /* What came before it may be on its way out of pictures that nobody holds now. */
    if (err && client->session->more_count)
        gpu_device_drain(session_device(client->session, device));
    if (i == 0) {
        if (client->session->more_count) {
            client->cut_frame = UINT64_MAX;
            atomic_store(&client->submit_err, err);
        }
        return err;
    }
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
    const unsigned device = device_of(client, client->collected);
    err = cut ? err : 0;
    for (unsigned i = 0; i < count; i++) {
        const int own =
            stream_collect(stream_of(client, device, i), results + (size_t)i * FEATURE_SET_SIZE);
        err = err ? err : own;
    }
    client->collected++;
    return err;
}

static void client_tally(Accelerator *a, unsigned i, AcceleratorTally *tally)
{
    const GpuClient *client = (GpuClient *)a;
    *tally = (AcceleratorTally){ 0 };
    for (unsigned d = 0; d <= client->session->more_count; d++) {
        AcceleratorTally own;
        stream_tally(stream_of(client, d, i / FEATURE_SET_SIZE), i % FEATURE_SET_SIZE, &own);
        tally->passes = own.passes;
        tally->frames += own.frames;
        tally->launches += own.launches;
        tally->frames_again += own.frames_again;
        tally->frames_timed += own.frames_timed;
        tally->timed_us += own.timed_us;
    }
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
    return (PoolMemory){ .when_fetched = true,
                         .alloc = alloc_upload,
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
    int err = client ? 0 : -ENOMEM;
    /* What is on one device cannot be scored on several. */
    if (!err && !session->more_count)
        err = imports_create(&client->imports, session->device, session->depth);
    if (err) {
        mem_free(client);
        return err;
    }
    atomic_init(&client->submit_err, 0);
    client->accelerator = (Accelerator){
        .ops = &client_ops,
        .backend = session->backend->name,
        .device = session->title,
        .depth = session->depth * (session->more_count + 1),
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
    if (wanted->kind == SESSION_PICTURES_DEVICE && client->session->more_count) {
        log_error("%s: pictures on a device cannot be scored on several", backend->name);
        return -ENOTSUP;
    }
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
    const bool straight = !needs.on_cpu && client->stream_count == 1 &&
                          !client->session->more_count && stream_takes_arrivals(client->streams[0]);
    err = straight ? read_straight(client, shape, arrival) : read_mirrored(client, shape, arrival);
    if (!straight || !arrival->submitted)
        arrival_leave(arrival);
    return err;
}
