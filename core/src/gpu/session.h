/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A session: one or several devices opened for scoring. VmafDevice and the state of each backend's
 * own header (VmafVulkanState, ...) are sessions. Each context that uses one has a client
 * (gpu/client.h). Any thread may call these functions. References are counted: a session stays open
 * until its opener and all clients have released it. */
#ifndef GPU_SESSION_H
#define GPU_SESSION_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/feature.h"
#include "gpu/backend.h"
#include "gpu/selftest.h"

typedef struct GpuClient GpuClient; /* client.h */

typedef struct GpuSession {
    const GpuBackend *backend;
    GpuDevice *device;
    unsigned index; /* in the backend's list */
    GpuDeviceInfo info;
    unsigned depth; /* frames in flight, on each device */
    /* The other devices that frames are spread over; NULL: none. Only the first session of the list
     * has clients. */
    struct GpuSession **more;
    unsigned more_count;
    char title[512];             /* the names of all devices */
    DeviceIdentity identity;     /* identity of all devices together */
    bool fallback_cpu, required; /* as in GpuWish */
    bool quiet;                  /* the program itself says which features run on the CPU */

    atomic_int references;                       /* one of the opener, and one of each client */
    _Atomic SelfTestSet tested[SELFTEST_DEPTHS]; /* features that passed the self-test */
    atomic_flag told; /* the log has said which features run on the CPU */
    pthread_mutex_t lock;
    GpuClient *clients; /* a list, guarded by `lock` */
} GpuSession;

/* Chooses a device of the backend and opens it, or opens all devices that the wish lists. Returns
 * -ENOSYS, -ENODEV, -EINVAL or -ENOTSUP as vmaf_device_open does. */
int session_open(GpuSession **out, const GpuBackend *backend, const GpuWish *wish);
/* Same as session_open, for a device that is open already. The session takes it over, even on
 * failure. Its index in the backend's list is unknown. */
int session_adopt(GpuSession **out, const GpuBackend *backend, GpuDevice *device,
                  const GpuDeviceInfo *info, unsigned depth);
/* Changes how many frames are in flight, and how many bytes of pictures are expected. -EBUSY: the
 * session has clients. */
int session_expect(GpuSession *session, unsigned depth, size_t upload_bytes);
/* Writes why the backend has no device as wished to `why`, and returns a negative errno; 0: it has
 * one. */
int session_missing(const GpuBackend *backend, const GpuWish *wish, char *why, size_t size);
/* The i-th device, from 0 to more_count. */
GpuDevice *session_device(const GpuSession *session, unsigned i);
bool session_is_abandoned(const GpuSession *session); /* true if any of its devices was given up */
/* Waits for outstanding work and releases the opener's reference. Contexts that still use the
 * session keep it open. NULL is fine. */
void session_close(GpuSession *session);

/* Releases one reference; the last one closes the devices. */
void session_release(GpuSession *session);

#endif
