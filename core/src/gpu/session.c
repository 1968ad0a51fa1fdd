/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/session.h"

#include <errno.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context.h"
#include "gpu/import.h"
#include "gpu/selftest.h"
#include "gpu/upload.h"

#define DEPTH_DEFAULT 4
#define DEPTH_MAX 8

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
    if (!err && !backend->our_code)
        err = selftest_run(device);
    if (err) {
        gpu_device_release(device);
        mem_free(session);
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
    if (!err)
        (*out)->index = index;
    else
        log_debug("%s: no device opened, error %d", probe->backend->name, err);
    return err;
}

int session_open(GpuSession **out, const GpuBackend *backend, const GpuWish *wish)
{
    *out = NULL;
    if (!backend->probe) {
        if (!wish->quiet)
            log_error("%s: this libvmaf was built without %s", backend->name, backend->title);
        return -ENOSYS;
    }
    GpuProbe *probe;
    int err = backend->probe(backend, wish->validation, &probe);
    if (err == -ENOSYS && !wish->quiet)
        log_error("%s: no %s on this machine; install it, or use the CPU", backend->name,
                  backend->needs);
    if (err == -ENODEV && !wish->quiet)
        log_error("%s: no device found; is a driver installed?", backend->name);
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
    session->device->ops->drain(session->device);
    session_release(session);
}

/* ---- the accelerator that a context sees ---- */

static int client_open(Accelerator *a, Feature *const *features, unsigned count, FeatureSet *taken)
{
    GpuClient *client = (GpuClient *)a;
    return stream_create(&client->stream,
                         &(GpuStreamParams){ .device = client->session->device,
                                             .features = features,
                                             .feature_count = count,
                                             .depth = client->session->depth },
                         taken);
}

static int client_submit(Accelerator *a, const FramePair *pair, FeatureSet set)
{
    return stream_submit(((GpuClient *)a)->stream, pair, set);
}

static int client_collect(Accelerator *a, void *const *results)
{
    return stream_collect(((GpuClient *)a)->stream, results);
}

static void client_close(Accelerator *a)
{
    GpuClient *client = (GpuClient *)a;
    stream_destroy(client->stream);
    client->stream = NULL;
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
    imports_destroy(client->imports);
    session_release(client->session);
    mem_free(client);
}

static const AcceleratorOps client_ops = {
    .open = client_open,
    .submit = client_submit,
    .collect = client_collect,
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
    client->accelerator = (Accelerator){
        .ops = &client_ops,
        .backend = session->backend->name,
        .device = session->device->name,
        .depth = session->depth,
    };
    atomic_fetch_add(&session->references, 1);
    client->session = session;
    client->context = context;
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
    return client && client->session->backend == backend ? client : NULL;
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

int client_preallocate(GpuClient *client, const FrameShape *shape, enum SessionPictures kind)
{
    if (context_has_pool(client->context))
        return -EBUSY;
    const unsigned count = context_pool_size(client->context);
    const PoolMemory memory = client_picture_memory(&client->accelerator);
    PicturePool *pool;
    const int err = kind == SESSION_PICTURES_UPLOAD
                        ? picture_pool_create_in(&pool, shape, count, &memory)
                        : picture_pool_create(&pool, shape, count);
    if (!err)
        context_set_pool(client->context, pool);
    return err;
}

/* Features on the CPU read the mapped half of the pictures. */
static int read_pair(GpuClient *client, VmafPicture *ref, VmafPicture *dist, unsigned index)
{
    FrameShape shape;
    bool on_cpu;
    shape_of_picture(&shape, ref);
    int err = context_prepare(client->context, &shape, &on_cpu);
    if (!err && on_cpu)
        err = upload_fetch(client->session->device, ref);
    if (!err && on_cpu)
        err = upload_fetch(client->session->device, dist);
    return err ? err : context_read(client->context, ref, dist, index);
}

int client_read_imported(GpuClient *client, unsigned index)
{
    VmafPicture ref, dist;
    if (context_is_flushed(client->context))
        return -EINVAL;
    int err = imports_take(client->imports, index, &ref, &dist);
    if (err)
        return err;
    err = read_pair(client, &ref, &dist, index);
    picture_release(&ref);
    picture_release(&dist);
    return err;
}
