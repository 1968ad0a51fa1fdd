/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A device opened for scoring, and the contexts that score on it.
 *
 * A session is what VmafDevice and the states of the backends' own headers (VmafVulkanState, …) are. A
 * context that uses one has a client: the accelerator that the engine sees, with the ring of frames in
 * flight and the pictures that were imported for it. */
#ifndef GPU_SESSION_H
#define GPU_SESSION_H

#include "engine/accelerator.h"
#include "gpu/arrival.h"
#include "gpu/backend.h"
#include "gpu/resident.h"
#include "gpu/selftest.h"
#include "gpu/stream.h"
#include "libvmaf/libvmaf.h"

typedef struct GpuClient GpuClient;
typedef struct GpuImports GpuImports; /* import.h */

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

struct GpuClient {
    Accelerator accelerator;
    GpuClient *next;
    GpuSession *session;
    VmafContext *context;
    GpuStream **streams;   /* of each device, one to each 64 features; NULL until the first pair */
    unsigned stream_count; /* of one device */
    uint64_t submitted, collected; /* frames */
    atomic_int submit_err; /* why a frame could be queued in part only: none is queued after it */
    uint64_t cut_frame;    /* that frame */
    unsigned cut_streams;  /* and how many of the streams have it */
    GpuImports *imports;   /* of this context */
    Resident resident;     /* pictures that the caller fills on the device */
    bool tells_places;     /* with the first pair (environment.h) */
    /* What the backend's own header keeps for the context, and how it goes; NULL: nothing. */
    void *own;
    void (*own_destroy)(GpuClient *client);
};

/* ---- sessions ---- */

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

/* ---- contexts ---- */

/* The context works on this session from now on. */
int session_use(GpuSession *session, VmafContext *context);
/* The client of a context; NULL when it uses no session, or one of another backend. `backend` NULL: any. */
GpuClient *client_of(const VmafContext *context, const GpuBackend *backend);
/* The client that a call means which names the session alone: that of the only context. NULL when
 * there is none or (logged) several. */
GpuClient *session_client(GpuSession *session);

/* ---- pictures ---- */

enum SessionPictures {
    SESSION_PICTURES_NONE,
    SESSION_PICTURES_HOST,   /* plain memory */
    SESSION_PICTURES_UPLOAD, /* memory that the device copies from */
    SESSION_PICTURES_DEVICE, /* memory that only the device reads (gpu/resident.h) */
};

/* What the backends' own headers ask for. */
typedef struct SessionPool {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    enum SessionPictures kind;
    const PoolMemory *device; /* for SESSION_PICTURES_DEVICE: upload_alloc_device */
} SessionPool;
/* A pool for the context, as large as what it has in flight. -EINVAL when it does not work on this backend
 * or there are no such pictures; -EBUSY when it has one. */
int session_preallocate(VmafContext *vmaf, const GpuBackend *backend, const SessionPool *pool);

/* Scores the pair that was imported under `index`; what it was imported from is its owner's again when
 * this returns. */
int client_read_imported(GpuClient *client, unsigned index);
/* Scores a pair that lies in memory of others, without waiting for it: it goes straight to the kernels
 * where these are all that read it. The arrival leaves when the device has read it; the caller holds it. */
int client_read_arrival(GpuClient *client, const FrameShape *shape, GpuArrival *arrival);

#endif
