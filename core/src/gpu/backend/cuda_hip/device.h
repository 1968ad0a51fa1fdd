/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Inside of driver/: what its files share. */
#ifndef CUDA_HIP_DEVICE_H
#define CUDA_HIP_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/backend/cuda_hip/cuda_hip.h"

/* ---- points.c: a queue's time line ---- */

/* Submissions of a queue that may be under way: one more waits for the oldest of them. */
#define CUDA_HIP_POINTS 64

typedef struct CudaHipPoints {
    pthread_mutex_t lock; /* guards what follows; never held while the driver works */
    uint64_t submitted, reached;
    struct {
        CudaHipHandle event; /* of point n, n + CUDA_HIP_POINTS, … */
        unsigned pins;       /* who looks at it: not to be recorded anew */
    } ring[CUDA_HIP_POINTS];
} CudaHipPoints;

typedef struct CudaHipDevice CudaHipDevice;

int cuda_hip_points_create(CudaHipDevice *dev, CudaHipPoints *points);
void cuda_hip_points_destroy(CudaHipDevice *dev, CudaHipPoints *points);

/* The event to record for the next point, once nobody needs it for an earlier one. One thread at a time
 * takes it; then it is published, or left for the next. */
int cuda_hip_points_take(CudaHipDevice *dev, CudaHipPoints *points, CudaHipHandle *event);
uint64_t cuda_hip_points_publish(CudaHipPoints *points);

/* The event of a point that is not known to be reached, until it is unpinned; NULL: it is reached. */
CudaHipHandle cuda_hip_points_pin(CudaHipPoints *points, uint64_t value);
void cuda_hip_points_unpin(CudaHipPoints *points, uint64_t value);
/* 1: reached; 0: the time is over; negative errno. */
int cuda_hip_points_wait(CudaHipDevice *dev, CudaHipPoints *points, uint64_t value,
                         uint64_t timeout_ns);

/* ---- device.c ---- */

typedef struct CudaHipQueue {
    pthread_mutex_t lock; /* around a submission */
    CudaHipHandle stream;
    CudaHipHandle mark; /* event: how far a foreign stream is */
    CudaHipPoints points;
} CudaHipQueue;

/* Streams that a graph is captured from: as many commands of a stage run side by side. */
#define CUDA_HIP_CAPTURE_STREAMS 8

typedef struct CudaHipCapture {
    pthread_mutex_t lock; /* around a capture */
    CudaHipHandle streams[CUDA_HIP_CAPTURE_STREAMS];
    CudaHipHandle events[CUDA_HIP_CAPTURE_STREAMS];
} CudaHipCapture;

typedef struct CudaHipKernel CudaHipKernel;

struct CudaHipDevice {
    GpuDevice gpu;
    const CudaHipApi *api;
    int device;
    char arch[CUDA_HIP_ARCH_SIZE];
    CudaHipHandle context;
    bool primary; /* the context is the device's own, and retained */
    atomic_bool lost;
    CudaHipQueue queues[GPU_QUEUES]; /* by enum GpuQueue */
    CudaHipCapture capture;

    pthread_mutex_t kernels_lock;
    pthread_cond_t kernels_changed;
    CudaHipKernel *kernels; /* list */
};

/* Every operation that calls the driver begins and ends so: the context is the thread's current one in
 * between. -EIO when the device is lost. */
int cuda_hip_enter(CudaHipDevice *dev);
void cuda_hip_leave(CudaHipDevice *dev);
/* The same to destroy something, which is done on a lost device, too. False: the context is gone, and all
 * that was in it. */
bool cuda_hip_enter_anyway(CudaHipDevice *dev);

/* Logs a failed call and gives the errno for it; notes that the device is lost when it is. */
int cuda_hip_error(CudaHipDevice *dev, enum CudaHipFunction function, int result);

/* Calls a function of the driver: 0 or the errno. */
#define CUDA_HIP_TRY(dev, name, ...)                                                               \
    cuda_hip_check(dev, CUDA_HIP_##name, (dev)->api->call.name(__VA_ARGS__))
static inline int cuda_hip_check(CudaHipDevice *dev, enum CudaHipFunction function, int result)
{
    return result ? cuda_hip_error(dev, function, result) : 0;
}

/* ---- buffer.c, external.c ---- */

typedef struct CudaHipBuffer {
    GpuBuffer gpu;
    CudaHipAddress address; /* on the device; 0 for memory of the host */
    bool ours;
    bool registered;        /* plain memory of the caller's, pinned here */
    CudaHipHandle external; /* the memory of another API that it is */
} CudaHipBuffer;

int cuda_hip_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out);
void cuda_hip_buffer_destroy(GpuDevice *gpu, GpuBuffer *buffer);
int cuda_hip_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out);

/* ---- kernel.c ---- */

struct CudaHipKernel {
    CudaHipKernel *next;
    const KernelInfo *info;
    enum { KERNEL_LOADING, KERNEL_READY } state;
    CudaHipHandle module, function; /* the module is NULL where another kernel has it */
};

struct GpuBindings {
    CudaHipAddress addresses[GPU_MAX_BINDINGS];
};

int cuda_hip_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **out);
void cuda_hip_kernels_ahead(GpuDevice *gpu, const KernelInfo *const *infos, unsigned count);
const KernelImage *cuda_hip_kernel_image(GpuDevice *gpu, const KernelInfo *info);
int cuda_hip_bindings_create(GpuDevice *gpu, GpuKernel *kernel, const GpuRange *ranges,
                             GpuBindings **out);
void cuda_hip_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings);
/* `loaded`: the context that they are in is still there. */
void cuda_hip_kernels_destroy(CudaHipDevice *dev, bool loaded);

/* ---- commands.c ---- */

/* A place in memory of either side. */
typedef struct CudaHipLocation {
    void *host; /* NULL: on the device */
    CudaHipAddress address;
    size_t stride;
} CudaHipLocation;

typedef struct CudaHipCommand {
    enum { COMMAND_COPY, COMMAND_FILL, COMMAND_LAUNCH, COMMAND_STAMP, COMMAND_BARRIER } kind;
    union {
        struct {
            CudaHipLocation from, to;
            size_t row, rows;
        } copy;
        struct {
            CudaHipAddress to;
            uint32_t word;
            size_t count;
        } fill;
        struct {
            const CudaHipKernel *kernel;
            unsigned groups[3];
            /* The kernel's only one, a struct: addresses, then parameters. See prelude/cuda.h. */
            _Alignas(16) unsigned char argument[GPU_MAX_BINDINGS * sizeof(CudaHipAddress) +
                                                GPU_MAX_PARAMS];
        } launch;
        CudaHipHandle stamp; /* event */
    } u;
} CudaHipCommand;

struct GpuCommands {
    CudaHipDevice *dev;
    enum GpuQueue queue;
    CudaHipCommand *list;
    size_t count, capacity;
    int err;             /* of recording */
    unsigned launches;   /* recorded */
    bool stamped;        /* notes times */
    bool submitted;      /* since it was recorded */
    bool no_graph;       /* none could be made */
    CudaHipHandle graph; /* what was recorded, ready to be launched; NULL: none yet */
};

int cuda_hip_commands_create(GpuDevice *gpu, enum GpuQueue queue, GpuCommands **out);
void cuda_hip_commands_destroy(GpuDevice *gpu, GpuCommands *commands);
void cuda_hip_commands_begin(GpuCommands *commands);
void cuda_hip_commands_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to);
void cuda_hip_commands_copy_rows(GpuCommands *commands, const GpuRows *rows);
void cuda_hip_commands_fill(GpuCommands *commands, const GpuRange *range, uint32_t word);
void cuda_hip_commands_dispatch(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                                const void *params, const unsigned groups[3]);
void cuda_hip_commands_stamp(GpuCommands *commands, CudaHipHandle event);
void cuda_hip_commands_barrier(GpuCommands *commands);
int cuda_hip_commands_end(GpuCommands *commands);

/* Enqueues one command. A stream works in order, so that a barrier is nothing. */
int cuda_hip_command_issue(CudaHipDevice *dev, const CudaHipCommand *command, CudaHipHandle stream);

/* ---- capture.c ---- */

int cuda_hip_capture_create(CudaHipDevice *dev);
void cuda_hip_capture_destroy(CudaHipDevice *dev);
/* Makes a graph of what was recorded. */
int cuda_hip_capture_graph(GpuCommands *commands);

/* ---- queue.c ---- */

int cuda_hip_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done);
int cuda_hip_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns);
int cuda_hip_drain(GpuDevice *gpu);

/* ---- stamps.c ---- */

int cuda_hip_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out);
void cuda_hip_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps);
void cuda_hip_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i);
int cuda_hip_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds);

#endif
