/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A device opened for scoring: VmafDevice, and the state of each backend's own header
 * (VmafVulkanState, …), is a session. Each context that uses it has a client (gpu/client.h). Sessions
 * are counted: one stays open until its opener and all clients have released it. */
#ifndef GPU_SESSION_H
#define GPU_SESSION_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/backend.h"
#include "gpu/selftest.h"

typedef struct GpuClient GpuClient; /* client.h */

typedef struct GpuSession {
    const GpuBackend *backend;
    GpuDevice *device;
    unsigned index; /* in the backend's list */
    GpuDeviceInfo info;
    unsigned depth; /* frames in flight, on each device */
    /* Devices that frames are spread over beside this one; NULL: none. Only this session has clients. */
    struct GpuSession **more;
    unsigned more_count;
    char title[512]; /* the names of all of them */
    bool required;   /* what has GPU code runs here or the context refuses the first pair */

    atomic_int references;                       /* the opener's, and one for each client */
    _Atomic SelfTestSet tested[SELFTEST_DEPTHS]; /* features that gave the CPU's bits */
    pthread_mutex_t lock;
    GpuClient *clients; /* list, guarded by the lock */
} GpuSession;

/* Chooses a device of the backend and opens it, or with wish->several all that are named. -ENOSYS, -ENODEV, -EINVAL, -ENOTSUP as
 * vmaf_device_open has them. */
int session_open(GpuSession **out, const GpuBackend *backend, const GpuWish *wish);
/* The same for a device that the caller opened. It is taken over, also on failure. */
int session_adopt(GpuSession **out, const GpuBackend *backend, GpuDevice *device,
                  const GpuDeviceInfo *info, unsigned depth);
/* What keeps a backend from finding a device when none is named, in words; 0: nothing does. */
int session_missing(const GpuBackend *backend, bool allow_software, char *why, size_t size);
/* Its i-th device, up to more_count. */
GpuDevice *session_device(const GpuSession *session, unsigned i);
bool session_is_abandoned(const GpuSession *session); /* one of its devices */
/* Waits for outstanding work. Contexts that still use it keep it open. NULL is fine. */
void session_close(GpuSession *session);

/* Gives up one reference; the last one closes the devices. */
void session_release(GpuSession *session);

#endif
