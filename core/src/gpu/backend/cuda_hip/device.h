/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shared by the files of this folder: the device, its queues, buffers, kernels and commands. */
#ifndef CUDA_HIP_DEVICE_H
#define CUDA_HIP_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/backend/cuda_hip/cuda_hip.h"

/* ---- points.c: numbered points on a queue's time line ---- */

/* Submissions of a queue that may be in flight. A further one first waits for the oldest. */
#define CUDA_HIP_POINTS 64

typedef struct CudaHipPoints {
    pthread_mutex_t lock; /* guards all members; never held during a driver call */
    uint64_t submitted, reached;
    struct {
        CudaHipHandle event; /* records points n, n + CUDA_HIP_POINTS, … */
        unsigned pins; /* threads that use the event, which must not be recorded again meanwhile */
    } ring[CUDA_HIP_POINTS];
} CudaHipPoints;

typedef struct CudaHipDevice CudaHipDevice;

int cuda_hip_points_create(CudaHipDevice *dev, CudaHipPoints *points);
void cuda_hip_points_destroy(CudaHipDevice *dev, CudaHipPoints *points);

/* Waits until no thread needs the next point's event for an earlier point, and stores that event.
 * The caller holds the queue's lock until it has recorded the event and published the point, or
 * given up. */
int cuda_hip_points_take(CudaHipDevice *dev, CudaHipPoints *points, CudaHipHandle *event);
uint64_t cuda_hip_points_publish(CudaHipPoints *points);

/* Pins the event of a point and returns it, or returns NULL if the point is already reached. */
CudaHipHandle cuda_hip_points_pin(CudaHipPoints *points, uint64_t value);
void cuda_hip_points_unpin(CudaHipPoints *points, uint64_t value);
/* Returns 1 if the point was reached, 0 on a timeout, or a negative errno. */
int cuda_hip_points_wait(CudaHipDevice *dev, CudaHipPoints *points, uint64_t value,
                         uint64_t timeout_ns);

/* ---- device.c ---- */

typedef struct CudaHipQueue {
    pthread_mutex_t lock; /* held during a submission */
    CudaHipHandle stream;
    CudaHipHandle mark; /* event that marks how far a foreign stream is */
    CudaHipPoints points;
} CudaHipQueue;

/* Streams that graphs are captured from, which is also how many commands of a stage run side by
 * side. */
#define CUDA_HIP_CAPTURE_STREAMS 8

typedef struct CudaHipCapture {
    pthread_mutex_t lock; /* held during a capture */
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
    bool primary; /* we retained the device's primary context */
    atomic_bool lost;
    CudaHipQueue queues[GPU_QUEUES]; /* indexed by enum GpuQueue */
    CudaHipCapture capture;

    pthread_mutex_t kernels_lock; /* guards the list and the states of its entries */
    pthread_cond_t kernels_changed;
    CudaHipKernel *kernels; /* linked list */
};

/* Make the device's context current for the calling thread, and restore the previous one. Every
 * operation that calls the driver does so between these two. cuda_hip_enter returns -EIO if the
 * device is lost. */
int cuda_hip_enter(CudaHipDevice *dev);
void cuda_hip_leave(CudaHipDevice *dev);
/* Like cuda_hip_enter, for destroying objects, which is also done on a lost device. Returns false
 * if the context no longer exists, and with it all its objects. */
bool cuda_hip_enter_anyway(CudaHipDevice *dev);

/* Logs a failed call and returns its negative errno. Marks the device lost where the error means
 * that. */
int cuda_hip_error(CudaHipDevice *dev, enum CudaHipFunction function, int result);

/* Calls a function of the driver. Returns 0 or a negative errno (logged). */
#define CUDA_HIP_TRY(dev, name, ...)                                                               \
    cuda_hip_check(dev, CUDA_HIP_##name, (dev)->api->call.name(__VA_ARGS__))
static inline int cuda_hip_check(CudaHipDevice *dev, enum CudaHipFunction function, int result)
{
    return result ? cuda_hip_error(dev, function, result) : 0;
}

/* ---- buffer.c ---- */

typedef struct CudaHipBuffer {
    GpuBuffer gpu;
    CudaHipAddress address; /* in device memory; 0 for host memory */
    bool ours;              /* freed with the buffer */
    bool registered;        /* ordinary memory of the caller, which we pinned */
    CudaHipHandle external; /* imported memory of another API, else NULL */
} CudaHipBuffer;

int cuda_hip_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out);
void cuda_hip_buffer_destroy(GpuDevice *gpu, GpuBuffer *buffer);
int cuda_hip_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out);

/* ---- kernel.c ---- */

struct CudaHipKernel {
    CudaHipKernel *next;
    const KernelInfo *info;
    enum { KERNEL_LOADING, KERNEL_READY } state;
    CudaHipHandle module, function; /* module is NULL if another kernel of the module owns it */
};

struct GpuBindings {
    CudaHipAddress addresses[GPU_MAX_BINDINGS];
};

int cuda_hip_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **out);
void cuda_hip_kernels_ahead(GpuDevice *gpu, const KernelInfo *const *infos, unsigned count);
uint64_t cuda_hip_kernel_hash(GpuDevice *gpu, const KernelInfo *info);
int cuda_hip_bindings_create(GpuDevice *gpu, GpuKernel *kernel, const GpuRange *ranges,
                             GpuBindings **out);
void cuda_hip_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings);
/* `loaded`: true while the context that holds the modules still exists. */
void cuda_hip_kernels_destroy(CudaHipDevice *dev, bool loaded);

/* ---- commands.c ---- */

/* A position in host or device memory. */
typedef struct CudaHipLocation {
    void *host; /* NULL for device memory */
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
            /* The kernel's only argument, a struct of addresses and parameters. See
             * prelude/cuda.h. */
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
    int err;             /* from recording */
    unsigned launches;   /* dispatches recorded */
    bool stamped;        /* has stamps */
    bool submitted;      /* at least once since recording */
    bool no_graph;       /* building one failed */
    CudaHipHandle graph; /* the recorded commands, ready to launch; NULL: none yet */
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

/* Enqueues one command. A barrier is ignored, since a stream runs in order. */
int cuda_hip_command_issue(CudaHipDevice *dev, const CudaHipCommand *command, CudaHipHandle stream);

/* ---- queue.c ---- */

int cuda_hip_capture_create(CudaHipDevice *dev);
void cuda_hip_capture_destroy(CudaHipDevice *dev);
/* Builds a graph from the recorded commands and stores it in commands->graph. */
int cuda_hip_capture_graph(GpuCommands *commands);

int cuda_hip_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done);
int cuda_hip_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns);
int cuda_hip_drain(GpuDevice *gpu);

int cuda_hip_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out);
void cuda_hip_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps);
void cuda_hip_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i);
int cuda_hip_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds);

#endif
