/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A context's use of a session: the features that run on its devices, the rings of frames in
 * flight, and the pictures imported for the context. The context owns its client.
 *
 * The thread that drives the context calls these functions, except client_collect (the scheduler's
 * collector thread) and client_tally (any thread). */
#ifndef GPU_CLIENT_H
#define GPU_CLIENT_H

#include "engine/feature.h"
#include "gpu/import.h"
#include "gpu/session.h"
#include "gpu/stream.h"
#include "libvmaf/libvmaf.h"

/* Resident pictures: the caller of the public API fills them on the device. They come from a pool
 * of device blocks (upload.h) and have addresses that only the device can read. */
typedef struct Resident {
    GpuDevice *device;
    bool has_chroma; /* the first pair was checked, and its chroma had been filled */
    GpuCommands *commands;
    ImportRange ranges[2];
} Resident;

struct GpuClient {
    const char *backend, *device;   /* names for reports; they live as long as the session */
    const DeviceIdentity *identity; /* lives as long as the session */
    unsigned depth;              /* frames it may hold between submit and collect, on all devices */
    bool fallback_cpu, required; /* as in GpuWish */

    GpuClient *next; /* in session->clients */
    GpuSession *session;
    VmafContext *context;
    GpuStream **streams; /* one for each device of the session; NULL until the first pair */
    uint64_t submitted, collected; /* frames */
    int submit_err;      /* several devices: a frame could not be queued, and none is after it */
    GpuImports *imports; /* pictures imported for this context */
    Resident resident;   /* pictures that the caller fills on the device */
    bool gives_spares;   /* pictures are allocated in memory of the device (engine/spare.h) */
    bool logs_devices;   /* log with the first pair which features run where (environment.h) */
    void *own;           /* the state that a backend's own header keeps for the context, or NULL */
    void (*own_destroy)(GpuClient *client); /* frees `own` */
};

/* True if the log should say which features run on the CPU beside the device: in the first call for
 * a session, unless the program says it. */
bool client_should_tell(GpuClient *client);

/* ---- contexts ---- */

/* Makes the context use this session from now on. */
int session_use(GpuSession *session, VmafContext *context);
/* The client of a context, or NULL when the context uses no session or one of another backend.
 * `backend` NULL: any backend. */
GpuClient *client_of(const VmafContext *context, const GpuBackend *backend);
/* The only client of a session, for calls that name just the session. NULL when it has none or
 * (logged) several. */
GpuClient *session_client(GpuSession *session);

/* ---- what the engine calls ---- */

/* Called once, with the first pair, after the features' init (so shape and planes are known). Every
 * feature offered has def->gpu; at most FEATURE_SET_SIZE are. Sets `taken` to the features that the
 * devices will measure; the others go to the CPU. Taking none is fine. The features live until
 * client_close. */
int client_open(GpuClient *client, Feature *const *features, unsigned count, FeatureSet *taken);
/* Why client_open did not take the i-th feature, as the end of a sentence. May be NULL. */
const char *client_refusal(const GpuClient *client, unsigned i);
/* After client_open, when no frame is queued any more. NULL streams are fine. */
void client_close(GpuClient *client);

/* Called for each pair that is read, after the features saw the shape: turns pictures that only the
 * device can read into pictures that the engine may use. They share the memory and its count with
 * the caller's. */
int client_admit(GpuClient *client, VmafPicture *ref, VmafPicture *dist);

/* True if the picture is in memory of the device, from which the host has to fetch it. */
bool client_holds(const GpuClient *client, const VmafPicture *pic);
/* Copies a pair to memory that the CPU can read, for a conversion. Waits for the device. */
int client_fetch(GpuClient *client, VmafPicture *ref, VmafPicture *dist);

/* Queues the pair for the given features and returns; blocks only while the ring of frames in
 * flight is full. The pictures stay valid until the frame was collected. Called in stream order,
 * and for pairs with an empty set, too, so that earlier references are known. */
int client_submit(GpuClient *client, const FramePair *pair, FeatureSet set);
/* Blocks until the oldest queued frame is done and writes results[i] for each feature of its set.
 * Called once for each successful submit. After an error none of the frame's results are valid. */
int client_collect(GpuClient *client, void *const *results);

/* The work done so far for the i-th feature, one that client_open took. */
void client_tally(const GpuClient *client, unsigned i, GpuTally *tally);

/* Memory for pools of pictures that the device copies from directly. */
PoolMemory client_picture_memory(GpuClient *client);

void client_destroy(GpuClient *client); /* closed, or never opened */

/* ---- pictures ---- */

enum SessionPictures {
    SESSION_PICTURES_NONE,
    SESSION_PICTURES_HOST,   /* plain memory */
    SESSION_PICTURES_UPLOAD, /* memory that the device copies from */
    SESSION_PICTURES_DEVICE, /* memory that only the device reads: resident pictures */
};

/* A pool of pictures as the backends' own headers ask for one. */
typedef struct SessionPool {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    enum SessionPictures kind;
    const PoolMemory *device; /* for SESSION_PICTURES_DEVICE: upload_alloc_device */
} SessionPool;
/* Gives the context a pool for as many pairs as it has in flight. -EINVAL when the context does not
 * use this backend or the pictures cannot exist; -EBUSY when it has a pool. */
int session_preallocate(VmafContext *vmaf, const GpuBackend *backend, const SessionPool *pool);

/* Scores the pair that was imported under `index`. The caller may reuse the memory it was imported
 * from when this returns. */
int client_read_imported(GpuClient *client, unsigned index);
/* Scores a pair in somebody else's memory without waiting for it: the pair goes straight to the
 * kernels if only they read it. The arrival's `leave` is called when the device has read the pair;
 * the caller keeps the memory until then. */
int client_read_arrival(GpuClient *client, const FrameShape *shape, GpuArrival *arrival);

#endif
