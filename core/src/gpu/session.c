/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/pages.h"

#define DEPTH_DEFAULT 4
#define DEPTH_MAX 32

static unsigned clamp_depth(unsigned depth)
{
    return depth == 0 ? DEPTH_DEFAULT : depth > DEPTH_MAX ? DEPTH_MAX : depth;
}

static const char *type_text(enum VmafDeviceType type)
{
    switch (type) {
    case VMAF_DEVICE_INTEGRATED:
        return "integrated";
    case VMAF_DEVICE_DISCRETE:
        return "discrete";
    case VMAF_DEVICE_VIRTUAL:
        return "virtual";
    case VMAF_DEVICE_SOFTWARE:
        return "cpu";
    default:
        return "other";
    }
}

/* Adds a word to a comma-separated list, unless the list contains it or has no room for it. */
static void add_word(char *list, size_t size, const char *word)
{
    const size_t used = strlen(list), needed = strlen(word) + (used ? 2 : 0);
    if (*word && !strstr(list, word) && used + needed < size)
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
}

static void add_uuid(DeviceIdentity *identity, const uint8_t uuid[16])
{
    static const uint8_t unknown[16];
    char text[37], *at = text;
    if (!memcmp(uuid, unknown, sizeof(unknown)))
        return;
    for (unsigned i = 0; i < 16; i++)
        at += snprintf(at, (size_t)(text + sizeof(text) - at), "%s%02x",
                       i >= 4 && i <= 10 && i % 2 == 0 ? "-" : "", uuid[i]);
    add_word(identity->uuid, sizeof(identity->uuid), text);
}

/* The type of devices of two types. Software counts more than any card: whoever reads "cpu" knows
 * that a CPU computed in place of a GPU, which "mixed" would hide. */
static const char *type_together(const char *one, const char *other)
{
    const char *const software = type_text(VMAF_DEVICE_SOFTWARE);
    if (!strcmp(one, other))
        return one;
    return !strcmp(one, software) || !strcmp(other, software) ? software : "mixed";
}

/* Adds a device to an identity. `index` -1: it is in no list of devices. */
static void add_identity(DeviceIdentity *identity, const GpuDevice *device,
                         enum VmafDeviceType device_type, int index)
{
    const char *const type = type_text(device_type);
    identity->index = !identity->type || identity->index == index ? index : -1;
    identity->type = identity->type ? type_together(identity->type, type) : type;
    add_uuid(identity, device->uuid);
    add_word(identity->pci, sizeof(identity->pci), device->pci);
}

/* Warns once that scores are computed in software, whoever chose the device. */
static void warn_of_software(const GpuBackend *backend, const GpuDeviceInfo *info)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `warned` and `count` */
    static struct {
        const GpuBackend *backend;
        char name[sizeof(info->name)];
    } warned[8];
    static unsigned count;
    if (info->type != VMAF_DEVICE_SOFTWARE || !log_insists())
        return;
    bool is_new = true;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < count; i++)
        is_new &= warned[i].backend != backend || strcmp(warned[i].name, info->name) != 0;
    if (is_new && count < sizeof(warned) / sizeof(warned[0])) {
        warned[count].backend = backend;
        memcpy(warned[count++].name, info->name, sizeof(info->name));
    }
    pthread_mutex_unlock(&lock);
    if (is_new)
        log_insist("%s: %s is a software device: a CPU computes the scores in place of a GPU",
                   backend->name, info->name);
}

int session_adopt(GpuSession **out, const GpuBackend *backend, GpuDevice *device,
                  const GpuDeviceInfo *info, unsigned depth)
{
    *out = NULL;
    GpuSession *session = mem_zalloc(sizeof(*session));
    if (!session) {
        gpu_device_release(device);
        return -ENOMEM;
    }
    session->backend = backend;
    session->device = device;
    session->info = *info;
    session->depth = clamp_depth(depth);
    snprintf(session->title, sizeof(session->title), "%s", device->name);
    add_identity(&session->identity, device, info->type, -1);
    atomic_init(&session->references, 1);
    atomic_flag_clear(&session->told);
    pthread_mutex_init(&session->lock, NULL);
    warn_of_software(backend, info);
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

/* Checks that the driver opened the chosen device. The name would not show it, because several
 * devices may have the same one. */
static int check_opened(const GpuDevice *device, const GpuDeviceInfo *chosen)
{
    if (!memcmp(device->uuid, chosen->uuid, sizeof(device->uuid)) &&
        !strcmp(device->pci, chosen->pci))
        return 0;
    log_error("%s: the driver opened another device than the chosen %s; if a device was just added "
              "or removed, try again",
              device->backend, chosen->name);
    return -EIO;
}

static int open_index(GpuSession **out, GpuProbe *probe, const GpuWish *wish, unsigned index)
{
    GpuDevice *device;
    probe->expected = wish->expected;
    int err = probe->backend->open(probe, index, &device);
    if (!err) {
        err = check_opened(device, &probe->devices[index]);
        if (err)
            gpu_device_release(device);
    }
    if (!err)
        err = session_adopt(out, probe->backend, device, &probe->devices[index], wish->depth);
    if (!err) {
        (*out)->index = index;
        (*out)->identity.index = (int)index;
        (*out)->fallback_cpu = wish->fallback_cpu;
        (*out)->required = wish->required;
        (*out)->quiet = wish->quiet;
    } else {
        log_debug("%s: no device opened, error %d", probe->backend->name, err);
    }
    return err;
}

/* Returns the wish, in which the environment may allow software devices. */
static GpuWish in_environment(const GpuWish *wish)
{
    GpuWish own = *wish;
    own.allow_software = wish->allow_software || gpu_environment_allows_software();
    return own;
}

/* Asks the backend for its devices. On an error, `why` says what is missing; otherwise it is
 * empty. */
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
        snprintf(why, size, "looking for devices failed (%d)", err);
    return err;
}

int session_missing(const GpuBackend *backend, const GpuWish *wish, char *why, size_t size)
{
    GpuProbe *probe;
    int err = probe_or_why(backend, false, &probe, why, size);
    if (err)
        return err;
    const GpuWish allowed = in_environment(wish);
    unsigned *indices, count;
    err = gpu_choose_all(probe, &allowed, &indices, &count, why, size);
    mem_free(indices);
    backend->probe_end(probe);
    return err;
}

/* Names all devices: "A + B", or "2 x A". */
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

/* Lets all devices of the session copy from the pictures of a pool. */
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

/* Opens the other devices. Each needs a probe of its own. */
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
        if (!err)
            add_identity(&session->identity, session->more[i]->device, session->more[i]->info.type,
                         (int)indices[i]);
        session->more_count += !err;
        backend->probe_end(probe);
    }
    return err ? err : share_memory(session);
}

static int open_wished(GpuSession **out, const GpuBackend *backend, const GpuWish *wish)
{
    GpuProbe *probe;
    char why[1024];
    unsigned *indices = NULL, count = 0;
    int err = probe_or_why(backend, wish->validation, &probe, why, sizeof(why));
    if ((err == -ENOSYS || err == -ENODEV) && !wish->quiet)
        log_error("%s: %s", backend->name, why);
    if (err)
        return err;
    err = gpu_choose_all(probe, wish, &indices, &count, why, sizeof(why));
    if (err && why[0] && !wish->quiet)
        log_error("%s: %s", backend->name, why);
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

/* Only a single device gets a reserve: several devices share their upload blocks. */
int session_open(GpuSession **out, const GpuBackend *backend, const GpuWish *wish)
{
    *out = NULL;
    GpuReserve *reserve =
        wish->upload_bytes && backend->takes_pages ? reserve_start(wish->upload_bytes) : NULL;
    const GpuWish allowed = in_environment(wish);
    const int err = open_wished(out, backend, &allowed);
    if (!err && !(*out)->more_count)
        (*out)->device->reserve = reserve;
    else
        reserve_destroy(reserve, false);
    return err;
}

int session_expect(GpuSession *session, unsigned depth, size_t upload_bytes)
{
    GpuDevice *device = session->device;
    pthread_mutex_lock(&session->lock);
    const bool used = session->clients != NULL;
    if (!used)
        session->depth = clamp_depth(depth);
    pthread_mutex_unlock(&session->lock);
    if (used || !upload_bytes || !session->backend->takes_pages || session->more_count)
        return used ? -EBUSY : 0;
    pthread_mutex_lock(&device->uploads_lock);
    if (!device->reserve)
        device->reserve = reserve_start(upload_bytes);
    pthread_mutex_unlock(&device->uploads_lock);
    return 0;
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

void session_release(GpuSession *session)
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
