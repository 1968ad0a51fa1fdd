/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A GPU as the code above the backends sees it: a table of operations (GpuOps) that each backend
 * fills. Nothing above this header knows which API runs, and nothing below it knows a feature.
 *
 * Threads: several threads and contexts may use a device at once, so every operation that takes a
 * GpuDevice is thread-safe. A GpuCommands belongs to one thread at a time.
 * Results: int results are 0 or a negative errno: -ENOMEM (host or device memory), -EIO (device
 * lost or a driver error; logged).
 * Objects: an operation that creates an object sets it to NULL when it fails. An operation that
 * destroys one takes NULL, takes objects of a lost device, and requires that no work in flight uses
 * the object.
 * No operation is NULL unless its comment says so.
 * How to write a backend: docs/development/adding-a-backend.md. */
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

/* The three kinds of memory. A buffer is of one kind for its whole life. */
enum GpuMemory {
    GPU_DEVICE,   /* on the device; the only kind that kernels can bind */
    GPU_UPLOAD,   /* mapped; the host writes it and copy commands read it */
    GPU_READBACK, /* mapped and cached; copy commands write it and the host reads it */
};

/* Backends embed this struct at the head of their own. */
struct GpuBuffer {
    size_t size; /* at least the size asked for, and a multiple of 4 unless imported */
    void *host;  /* mapped address, valid for the buffer's life; NULL for GPU_DEVICE */
};

typedef struct GpuRange {
    GpuBuffer *buffer;
    size_t offset, size;
} GpuRange;

/* A copy of rows that lie a stride apart. The stride may differ on both sides. All in bytes. */
typedef struct GpuRows {
    GpuBuffer *from, *to;
    size_t from_offset, from_stride;
    size_t to_offset, to_stride;
    size_t row; /* bytes to copy of each row */
    unsigned rows;
} GpuRows;

/* How to reach memory that this device's backend did not allocate. */
enum GpuHandleType {
    GPU_HANDLE_OPAQUE_FD = 1, /* a file descriptor made by the same driver for the same device */
    GPU_HANDLE_DMABUF,        /* a dma-buf with linear layout */
    GPU_HANDLE_WIN32,         /* an NT handle */
    GPU_HANDLE_ADDRESS,       /* an address on the device (host backend: in the process) */
    GPU_HANDLE_PAGES,  /* plain memory of the process, aligned as in gpu/pages.h; stays mapped */
    GPU_HANDLE_UPLOAD, /* GPU_UPLOAD memory of another device of this backend; stays mapped */
};

typedef struct GpuHandle {
    enum GpuHandleType type;
    intptr_t value;
    size_t size; /* size of the whole allocation */
} GpuHandle;

/* A point in work that the caller of the public API submitted itself. With Vulkan: a timeline
 * semaphore and one of its values. With CUDA and HIP also a stream (value 0), which stands for all
 * work enqueued there so far; handle 0 is the legacy stream. */
typedef struct GpuForeign {
    uintptr_t handle;
    uint64_t value;
} GpuForeign;

/* Work queues. A device has one transfer queue and up to GPU_MAX_COMPUTE_QUEUES compute queues.
 * Copies to the device may run beside the kernels of earlier frames, and kernels of some frames
 * beside those of others. Compute queue 0 is GPU_COMPUTE. Commands recorded for it may be submitted
 * to any compute queue. */
#define GPU_MAX_COMPUTE_QUEUES 4
enum GpuQueue { GPU_COMPUTE, GPU_TRANSFER, GPU_QUEUES = GPU_TRANSFER + GPU_MAX_COMPUTE_QUEUES };

static inline enum GpuQueue gpu_compute_queue(unsigned i)
{
    return i ? GPU_TRANSFER + i : GPU_COMPUTE;
}

/* A point on a queue's time line. It is reached when all work submitted up to it is done. */
typedef struct GpuPoint {
    enum GpuQueue queue;
    uint64_t value; /* 0: reached from the start */
} GpuPoint;

typedef struct GpuSubmit {
    enum GpuQueue queue;
    GpuCommands *const *commands;
    unsigned command_count;
    const GpuPoint *waits; /* the device waits for them before the commands start */
    unsigned wait_count;
    /* Points in the caller's own work to wait for, and points to signal when the commands are done.
     * They come only through the public header of one API. A backend that knows no such points
     * refuses them with -ENOTSUP. */
    const GpuForeign *foreign_waits;
    unsigned foreign_wait_count;
    const GpuForeign *foreign_signals;
    unsigned foreign_signal_count;
} GpuSubmit;
#define GPU_MAX_COMMANDS 16 /* command buffers in a submission */
#define GPU_MAX_WAITS 6     /* waits of each kind */

typedef struct GpuOps {
    int (*buffer_create)(GpuDevice *dev, enum GpuMemory memory, size_t size, GpuBuffer **buffer);
    void (*buffer_destroy)(GpuDevice *dev, GpuBuffer *buffer);

    /* Creates a buffer over memory that somebody else allocated. Copy commands may read it. The
     * handle stays the caller's. -ENOTSUP: this device cannot import memory of this type. May be
     * NULL. */
    int (*buffer_import)(GpuDevice *dev, const GpuHandle *handle, GpuBuffer **buffer);

    /* Returns the kernel, compiling it if needed. Kernels live as long as the device, and the same
     * info always returns the same kernel. The info must outlive the device. -EINVAL (logged): no
     * such kernel. */
    int (*kernel_get)(GpuDevice *dev, const KernelInfo *info, GpuKernel **kernel);
    /* Compiles several kernels ahead of kernel_get, where that is faster than one by one. It
     * reports no errors: kernel_get compiles what is missing and reports what is wrong. May be
     * NULL. */
    void (*kernels_ahead)(GpuDevice *dev, const KernelInfo *const *infos, unsigned count);
    /* A hash of the code that runs for this kernel; 0: there is none. The self-test remembers its
     * verdict on this code. May be NULL in a backend without a self-test (GpuBackend.our_code). */
    uint64_t (*kernel_hash)(GpuDevice *dev, const KernelInfo *info);

    /* Fixes a kernel's buffers for the life of the bindings. `ranges` has as many entries as the
     * kernel has buffers, all in GPU_DEVICE memory and within the device's limits. */
    int (*bindings_create)(GpuDevice *dev, GpuKernel *kernel, const GpuRange *ranges,
                           GpuBindings **bindings);
    void (*bindings_destroy)(GpuDevice *dev, GpuBindings *bindings);

    /* Recording: call begin, any of the commands below, then end. After that the commands may be
     * submitted any number of times, but not while they are still in flight. Calling begin again
     * discards the recording. An error while recording is kept, and end returns it. Commands for
     * GPU_TRANSFER are copies, fills and barriers only. Commands between two barriers may run in
     * any order and at once. */
    int (*commands_create)(GpuDevice *dev, enum GpuQueue queue, GpuCommands **commands);
    void (*commands_destroy)(GpuDevice *dev, GpuCommands *commands);
    void (*begin)(GpuCommands *commands);
    /* Copies as many bytes as the smaller range has. */
    void (*copy)(GpuCommands *commands, const GpuRange *from, const GpuRange *to);
    void (*copy_rows)(GpuCommands *commands, const GpuRows *rows);
    /* Fills the range with a 32-bit word. Offset and size are multiples of 4. */
    void (*fill)(GpuCommands *commands, const GpuRange *range, uint32_t word);
    /* Declares the content of the range undefined from here on. May be NULL; a test device
     * overwrites the range with garbage. */
    void (*undefine)(GpuCommands *commands, const GpuRange *range);
    /* Runs groups[0] * groups[1] * groups[2] workgroups, none of them 0, of info->workgroup threads
     * each. `params`: info->params_size bytes, copied. */
    void (*dispatch)(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                     const void *params, const unsigned groups[3]);
    /* Later commands see what earlier ones wrote, including those of other command buffers and
     * submissions of the same queue. The host sees it too, once it has waited. Work that waits for
     * a point on another queue sees all that was written before that point, with or without a
     * barrier. */
    void (*barrier)(GpuCommands *commands);
    int (*end)(GpuCommands *commands);

    /* Time stamps on the device: stamp i records when all commands before it are done. Stamp 0
     * comes first and clears the others. stamps_read gives `count` times since stamp 0 once the
     * commands are done. -ENOTSUP: this device has no clock. */
    int (*stamps_create)(GpuDevice *dev, unsigned count, GpuStamps **stamps);
    void (*stamps_destroy)(GpuDevice *dev, GpuStamps *stamps);
    void (*stamp)(GpuCommands *commands, GpuStamps *stamps, unsigned i);
    int (*stamps_read)(GpuDevice *dev, GpuStamps *stamps, double *microseconds);

    /* Submits to a queue. *done is the point at which the work is finished. The points of a queue
     * grow and are reached in the order of submission. */
    int (*submit)(GpuDevice *dev, const GpuSubmit *submit, GpuPoint *done);
    /* Returns 1 when the point is reached and 0 when the time is over (UINT64_MAX: no limit).
     * -ENOMEM: the point cannot be waited for, and the work may be done or not. Another negative
     * errno: the device is lost. */
    int (*wait)(GpuDevice *dev, GpuPoint point, uint64_t timeout_ns);
    /* Waits until nothing that was submitted so far is in flight. */
    int (*drain)(GpuDevice *dev);

    void (*destroy)(GpuDevice *dev); /* called by gpu_device_release only */
} GpuOps;

typedef struct GpuLimits {
    size_t offset_alignment; /* alignment of a GpuRange that a kernel binds */
    size_t max_binding;      /* bytes */
    unsigned max_workgroups[3];
} GpuLimits;

/* How frames are sent to the device. gpu_device_init sets values that suit real GPUs; tests force
 * each side of every threshold. */
typedef struct GpuTuning {
    size_t own_upload_bytes; /* the compute queue copies frames of fewer bytes: a second submission
                              * costs more than the copy engine gains */
    unsigned max_batch;      /* most frames that share a submission */
    unsigned compute_queues; /* the device's compute queues, at most GPU_MAX_COMPUTE_QUEUES */
    bool doubles;            /* run NAME_f64, which uses doubles, for kernels that have it */
} GpuTuning;
#define GPU_MAX_BATCH (GPU_MAX_COMMANDS / 2)

typedef struct GpuUpload GpuUpload; /* upload.c */

struct GpuDevice {
    /* Load it anew for each call: gpu_device_wait replaces the table when it gives the device
     * up. */
    _Atomic(const GpuOps *) ops;
    const char *backend; /* "vulkan" */
    char name[256];
    char driver[256]; /* driver and version; the self-test stores its verdict under it */
    /* The next two are of the device that was really opened, as the driver says. */
    uint8_t uuid[16]; /* the self-test stores its verdict under this too; zeros: unknown */
    char pci[32];     /* empty: unknown */
    GpuLimits limits;
    GpuTuning tuning;
    uint64_t timeout_ns;            /* work that takes longer is taken to hang */
    atomic_ullong last[GPU_QUEUES]; /* the last point submitted to each queue */
    atomic_ullong made[4];          /* bit n: kernel n of the table was compiled once (graph.c) */

    atomic_int references;        /* the device is destroyed when the last one is released */
    pthread_mutex_t uploads_lock; /* guards uploads and what *reserve notes for upload.c */
    GpuUpload *uploads;
    struct GpuReserve *reserve; /* memory for the first uploads; NULL: none */
    struct GpuDevice **peers;   /* other devices of the session, which copy from the same memory */
    unsigned peer_count;
};

/* For backends: initialises the shared members, with one reference. */
void gpu_device_init(GpuDevice *device, const GpuOps *ops, const char *backend);
/* For backends, once the device has its name: sets tuning.doubles. `may`: kernels can use doubles
 * there. `fast`: it adds doubles at least half as fast as floats. VMAF_GPU_DOUBLES in the
 * environment overrides `fast`. */
void gpu_device_choose_doubles(GpuDevice *device, bool may, bool fast);
void gpu_device_retain(GpuDevice *device);
void gpu_device_release(GpuDevice *device); /* NULL is fine */

/* The kernel this device uses for `name`: that one, or its double-precision variant. NULL: there is
 * no such kernel. */
const KernelInfo *gpu_kernel_for(const GpuDevice *device, const char *name);

/* Same as GpuOps.submit, and notes the point for gpu_device_drain. All work is submitted with
 * it. */
int gpu_device_submit(GpuDevice *device, const GpuSubmit *submit, GpuPoint *done);
/* Waits for a point. Returns 0 or a negative errno. When the time is over, or when there is no
 * memory to wait, it gives the device up and logs that: from then on every operation fails with
 * -EIO, and operations that destroy objects leave them alone, since the device may still write to
 * them. */
int gpu_device_wait(GpuDevice *device, GpuPoint point);
/* Same as gpu_device_wait, for everything submitted so far. */
int gpu_device_drain(GpuDevice *device);
bool gpu_device_is_abandoned(const GpuDevice *device);
extern const GpuOps gpu_abandoned_ops;

/* Submits one command buffer to the compute queue and waits for it. */
int gpu_device_run(GpuDevice *device, GpuCommands *commands);
/* Ends a recording with a barrier, runs it, waits for it, and destroys the commands in any case. */
int gpu_device_run_once(GpuDevice *device, GpuCommands *commands);
/* Copies as many bytes as the smaller range has, and waits. The host sees them afterwards. */
int gpu_device_copy(GpuDevice *device, const GpuRange *from, const GpuRange *to);
/* Fills the range with a 32-bit word, and waits. */
int gpu_device_fill(GpuDevice *device, const GpuRange *range, uint32_t word);

#endif
