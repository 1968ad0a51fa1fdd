/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the frame graph sees of a GPU: a table of operations that each backend fills. Nothing above
 * it knows which API runs, and nothing below it knows a feature.
 *
 * A device may be used by several threads and contexts at once: every operation that takes the
 * device is thread-safe. A GpuCommands belongs to one thread at a time. All int results are 0 or a
 * negative errno: -ENOMEM (host or device memory), -EIO (device lost or a driver error; logged).
 * What makes an object sets it to NULL when it fails; what destroys one takes NULL, an object that
 * no work in flight uses, and also those of a device that is lost. No operation is NULL unless it
 * says so. How to write a backend: docs/development/adding-a-backend.md. */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/kernels.h"

typedef struct GpuDevice GpuDevice;
typedef struct GpuBuffer GpuBuffer;
typedef struct GpuKernel GpuKernel;
typedef struct GpuBindings GpuBindings;
typedef struct GpuCommands GpuCommands;
typedef struct GpuStamps GpuStamps;

/* Three kinds of memory that are never mixed up. */
enum GpuMemory {
    GPU_DEVICE,   /* the only kind that kernels bind */
    GPU_UPLOAD,   /* mapped; the host writes, copies read */
    GPU_READBACK, /* mapped and cached; copies write, the host reads */
};

/* Backends embed it at the head of their own. */
struct GpuBuffer {
    size_t size; /* at least what was asked for, and a multiple of 4 unless imported */
    void *host;  /* mapped address, valid for the buffer's life; NULL for GPU_DEVICE */
};

typedef struct GpuRange {
    GpuBuffer *buffer;
    size_t offset, size;
} GpuRange;

/* Rows that lie a stride apart, which may differ on both sides. All in bytes. */
typedef struct GpuRows {
    GpuBuffer *from, *to;
    size_t from_offset, from_stride;
    size_t to_offset, to_stride;
    size_t row; /* what is copied of each */
    unsigned rows;
} GpuRows;

/* Memory that somebody else allocated. */
enum GpuHandleType {
    GPU_HANDLE_OPAQUE_FD = 1, /* of the same driver and device */
    GPU_HANDLE_DMABUF,        /* linear */
    GPU_HANDLE_WIN32,         /* an NT handle */
    GPU_HANDLE_ADDRESS,       /* an address of the device (host backend: of the process) */
    GPU_HANDLE_PAGES,  /* plain memory of the process, aligned as in gpu/pages.h; mapped there */
    GPU_HANDLE_UPLOAD, /* GPU_UPLOAD memory of another device of the backend; mapped there */
};

typedef struct GpuHandle {
    enum GpuHandleType type;
    intptr_t value;
    size_t size; /* of the allocation */
} GpuHandle;

/* A point of somebody else's work, in the words of the API: with Vulkan a timeline semaphore and a
 * value of it; with CUDA and HIP also a stream as far as it is filled (value 0), the legacy one being
 * handle 0. */
typedef struct GpuForeign {
    uintptr_t handle;
    uint64_t value;
} GpuForeign;

/* Work queues: copies to the device may run beside the kernels of earlier frames, and kernels of some frames
 * beside those of others, on lanes. Lane 0 is GPU_COMPUTE; commands recorded for it may be submitted to any
 * lane. */
#define GPU_MAX_COMPUTE_QUEUES 4
enum GpuQueue { GPU_COMPUTE, GPU_TRANSFER, GPU_QUEUES = GPU_TRANSFER + GPU_MAX_COMPUTE_QUEUES };

static inline enum GpuQueue gpu_compute_queue(unsigned i)
{
    return i ? GPU_TRANSFER + i : GPU_COMPUTE;
}

/* A point on a queue's time line: reached when all work submitted up to it is done. */
typedef struct GpuPoint {
    enum GpuQueue queue;
    uint64_t value; /* 0: reached from the start */
} GpuPoint;

typedef struct GpuSubmit {
    enum GpuQueue queue;
    GpuCommands *const *commands;
    unsigned command_count;
    const GpuPoint *waits; /* on the device, before the commands start */
    unsigned wait_count;
    /* The same, for work of others. Only an API's own header asks for it: one that has no such thing
     * refuses it with -ENOTSUP. */
    const GpuForeign *foreign_waits;
    unsigned foreign_wait_count;
    const GpuForeign *foreign_signals; /* when the commands are done */
    unsigned foreign_signal_count;
} GpuSubmit;
#define GPU_MAX_COMMANDS 16 /* in a submission */
#define GPU_MAX_WAITS 6     /* of each kind */

typedef struct GpuOps {
    int (*buffer_create)(GpuDevice *dev, enum GpuMemory memory, size_t size, GpuBuffer **buffer);
    void (*buffer_destroy)(GpuDevice *dev, GpuBuffer *buffer);

    /* A buffer over memory of others, which copies may read; the handle stays the caller's.
     * -ENOTSUP: this device cannot import such memory. May be NULL. */
    int (*buffer_import)(GpuDevice *dev, const GpuHandle *handle, GpuBuffer **buffer);

    /* Kernels live as long as the device; asking again gives the same one. The info outlives
     * the device. -EINVAL (logged) when there is no such kernel. */
    int (*kernel_get)(GpuDevice *dev, const KernelInfo *info, GpuKernel **kernel);
    /* Makes several kernels ahead where that is faster than one by one. What it leaves undone kernel_get does,
     * and tells what is wrong with it. May be NULL. */
    void (*kernels_ahead)(GpuDevice *dev, const KernelInfo *const *infos, unsigned count);
    /* What runs when this kernel does: the self-test remembers a verdict on these bytes. May be NULL in
     * a backend that has no self-test (GpuBackend.our_code). */
    const KernelImage *(*kernel_image)(GpuDevice *dev, const KernelInfo *info);

    /* Fixes a kernel's buffers for as long as the bindings live: as many ranges as the kernel has
     * buffers, in GPU_DEVICE memory, within the limits below. */
    int (*bindings_create)(GpuDevice *dev, GpuKernel *kernel, const GpuRange *ranges,
                           GpuBindings **bindings);
    void (*bindings_destroy)(GpuDevice *dev, GpuBindings *bindings);

    /* Recording: begin, any of the commands below, end; then submitted any number of times, but not
     * while it is still in flight. Beginning again forgets what was recorded.
     * Errors while recording are kept and returned by end. Commands for GPU_TRANSFER are copies,
     * fills and barriers only. What lies between two barriers may run in any order and at once. */
    int (*commands_create)(GpuDevice *dev, enum GpuQueue queue, GpuCommands **commands);
    void (*commands_destroy)(GpuDevice *dev, GpuCommands *commands);
    void (*begin)(GpuCommands *commands);
    /* The smaller of both sizes. */
    void (*copy)(GpuCommands *commands, const GpuRange *from, const GpuRange *to);
    void (*copy_rows)(GpuCommands *commands, const GpuRows *rows);
    /* Offset and size are multiples of 4. */
    void (*fill)(GpuCommands *commands, const GpuRange *range, uint32_t word);
    /* From here on nobody relies on what the range holds. May be NULL; a device for tests spoils it. */
    void (*undefine)(GpuCommands *commands, const GpuRange *range);
    /* Runs groups[0] * groups[1] * groups[2] workgroups, none of them 0, of info->workgroup threads each.
     * `params`: info->params_size bytes, copied. */
    void (*dispatch)(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                     const void *params, const unsigned groups[3]);
    /* Later commands see what earlier ones wrote, those of other command buffers and submissions of the
     * queue included; so does the host, once it has waited. Who waits for a point on another queue sees all that
     * was written before it, with or without a barrier. */
    void (*barrier)(GpuCommands *commands);
    int (*end)(GpuCommands *commands);

    /* Time on the device: stamp i notes when all commands before it are done. Stamp 0 comes first
     * and forgets the others. Read when the commands are done: `count` times since stamp 0.
     * -ENOTSUP: this device has no clock. */
    int (*stamps_create)(GpuDevice *dev, unsigned count, GpuStamps **stamps);
    void (*stamps_destroy)(GpuDevice *dev, GpuStamps *stamps);
    void (*stamp)(GpuCommands *commands, GpuStamps *stamps, unsigned i);
    int (*stamps_read)(GpuDevice *dev, GpuStamps *stamps, double *microseconds);

    /* Submits to a queue; *done is the point at which it will be finished. A queue's points grow, and
     * are reached in the order of submission. */
    int (*submit)(GpuDevice *dev, const GpuSubmit *submit, GpuPoint *done);
    /* 1 when reached, 0 when the time is over (UINT64_MAX: never), -ENOMEM when it cannot be waited for, which
     * says nothing of the work, another negative errno on device loss. */
    int (*wait)(GpuDevice *dev, GpuPoint point, uint64_t timeout_ns);
    /* Waits until nothing that was submitted so far is in flight. */
    int (*drain)(GpuDevice *dev);

    void (*destroy)(GpuDevice *dev); /* gpu_device_release calls it */
} GpuOps;

typedef struct GpuLimits {
    size_t offset_alignment; /* of a GpuRange that a kernel binds */
    size_t max_binding;      /* bytes */
    unsigned max_workgroups[3];
} GpuLimits;

/* How frames are fed to the device. gpu_device_init sets what serves real GPUs; tests force each side
 * of every threshold. */
typedef struct GpuTuning {
    size_t own_upload_bytes; /* a frame of fewer bytes is copied by the compute queue: a second
                              * submission costs more than the copy engine gains */
    unsigned max_batch;      /* frames that may share a submission */
    unsigned compute_queues; /* that the device has, GPU_MAX_COMPUTE_QUEUES at most */
    bool doubles;            /* kernels that have a variant with doubles, NAME_f64, run it */
} GpuTuning;
#define GPU_MAX_BATCH (GPU_MAX_COMMANDS / 2)

typedef struct GpuUpload GpuUpload; /* upload.c */

struct GpuDevice {
    /* Read it anew for each call: a device that is given up gets other ones (gpu_device_wait). */
    _Atomic(const GpuOps *) ops;
    const char *backend; /* "vulkan" */
    char name[256];
    char driver[256]; /* driver and version: the self-test's verdict is remembered under it */
    uint8_t uuid[16]; /* so is this; zeros: unknown */
    GpuLimits limits;
    GpuTuning tuning;
    uint64_t timeout_ns;            /* what takes longer will never end */
    atomic_ullong last[GPU_QUEUES]; /* point of each queue that was submitted last */
    atomic_ullong
        made[4]; /* bit n: the kernel of that number in the table was made once (compile.c) */

    atomic_int references; /* the last one gone destroys it */
    pthread_mutex_t uploads_lock;
    GpuUpload *uploads;
    struct GpuReserve *reserve; /* for the first of them; NULL: none */
    struct GpuDevice **peers;   /* that copy from the same memory, while a session has several */
    unsigned peer_count;
};

/* For backends: the shared part, with one reference. */
void gpu_device_init(GpuDevice *device, const GpuOps *ops, const char *backend);
/* For backends, of a device that has its name: sets tuning.doubles. `may`: kernels can use doubles there; `fast`: it adds
 * them at least half as fast as floats. VMAF_GPU_DOUBLES in the environment wins over that. */
void gpu_device_choose_doubles(GpuDevice *device, bool may, bool fast);
void gpu_device_retain(GpuDevice *device);
void gpu_device_release(GpuDevice *device); /* NULL is fine */

/* What runs there where a plan asks for the kernel of that name: itself or its variant. NULL: there is no such kernel. */
const KernelInfo *gpu_kernel_for(const GpuDevice *device, const char *name);

/* As GpuOps.submit: everything is submitted this way. */
int gpu_device_submit(GpuDevice *device, const GpuSubmit *submit, GpuPoint *done);
/* Waits for a point: 0, or a negative errno. When the time is over, or there is no memory to wait, the device is given
 * up, with a line in the log: from then on every operation fails with -EIO, and what destroys objects leaves them
 * alone, since the device may still write to them. */
int gpu_device_wait(GpuDevice *device, GpuPoint point);
/* The same for all that was submitted. */
int gpu_device_drain(GpuDevice *device);
bool gpu_device_is_abandoned(const GpuDevice *device);
extern const GpuOps gpu_abandoned_ops;

/* Submits one command buffer to the compute queue and waits for it. */
int gpu_device_run(GpuDevice *device, GpuCommands *commands);

#endif
